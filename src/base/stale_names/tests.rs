//! What is marked, and what is left alone.

use super::*;
use std::os::unix::fs::symlink;

fn checkout(folder: &Path, git: bool) -> Checkout {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("src/parse.rs", "pub fn parse_line() {}\nfn other() { unparse_lines() }\n");
    write("src/store/mod.rs", "");
    write("docs/guide.md", "");
    write("test/all.sh", "");
    write("scripts/dev/bench", "");
    write("crates/x/src/deep.rs", "");
    write("crates/x/lib/only.rs", "");
    write("README.md", "");
    write("run", "");
    write("Makefile", "check: build\n\tmake lint\nbuild test:\n# old:\none \\\n  two: build\n");
    write("tool.c", "");
    write("package.json", r#"{"scripts": {"lint": "x", "test:unit": "y"}}"#);
    write("node_modules/.bin/tsc", "");
    write("src/large.rs", &"x ".repeat(200_000));
    symlink("/etc", folder.join("src/link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("src/pipe.rs")).status().unwrap().success());
    if git {
        let git = |args: &[&str]| {
            let git = std::process::Command::new("git").args(args).current_dir(folder).output().unwrap();
            assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "src/parse.rs", "crates", "docs", "scripts"]);
    }
    Checkout::new(folder, git.then(|| folder.join(".git")).as_deref())
}

impl Checkout {
    fn gone(&self, text: &str) -> Vec<String> {
        self.judge(text, None).0.into_iter().map(|(name, _)| name).collect()
    }
}

/// Texts, and what of each is gone: "" for nothing.
const TEXTS: &[(&str, &str)] = &[
    // Files and folders.
    ("The retry is in src/upload.rs", "src/upload.rs"),
    ("The retry is in `src/upload.rs`.", "src/upload.rs"),
    ("Mend the retry (src/upload.rs:120, then src/parse.rs:3).", "src/upload.rs"),
    ("Mend src/upload.rs:12:5 and \"src/a.rs\"", "src/upload.rs, src/a.rs"),
    ("The pages of man/ are mdoc", "man/"),
    ("The pages of docs/old/ are mdoc", "docs/old/"),
    ("The store is in `src/shop`, not in src/store", "src/shop"),
    ("`lib/all.py` was moved away with its folder", "lib/all.py"),
    ("Measure with scripts/dev/measure before a release", "scripts/dev/measure"),
    ("Measure with `scripts/dev/measure -n 3` and `sh scripts/x.sh`", "scripts/dev/measure, scripts/x.sh"),
    ("Start it with ./start", "./start"),
    ("La prueba está en `src/upload.rs`", "src/upload.rs"),
    ("Add a test for src/upload.rs", "src/upload.rs"),
    ("Move it. The rest of src/upload.rs stays", "src/upload.rs"),
    ("src/a.rs, src/b.rs, src/c.rs, src/d.rs", "src/a.rs, src/b.rs, src/c.rs"),
    ("`src/parse.rs/more.rs` is behind a file", "src/parse.rs/more.rs"),
    ("The reader is in src/parse.rs, docs/guide.md, ./run, `scripts/dev/bench` and `src/store`", ""),
    ("Write docs/plan.md, then split the lexer into src/lex.rs", ""),
    ("Escribir `docs/plan.md`", ""),
    ("See https://example.com/src/gone.rs and http://docs/gone.md", ""),
    ("and/or, client/server, I/O, TCP/IP, 24/7, n/a, w/o, km/h, read/write", ""),
    ("On 2026/04/13 and 13/04/2026.", ""),
    ("~/.config/x/y.toml, $HOME/src/x.rs, .claude/settings.json, %h/src/x.rs", ""),
    ("serde-rs/serde, vercel/next.js, nvim-lua/plenary.nvim, docs.rs/serde/index.html", ""),
    ("text/html, image/svg+xml, application/vnd.api.json", ""),
    ("feat/upload.v2, origin/main, fix/x.y, v1.2/x.y", ""),
    ("src/*.rs, src/{a,b}.rs, src/<name>.rs, src/$X.rs, src/….rs, path/to/file.rs, src/[id].rs", ""),
    ("../outside/x.rs, src/../../x.rs, /etc/passwd.d/gone.conf, //src/x.rs, src//x.rs", ""),
    ("docs/test, test/lint and src/docs are words", ""),
    ("target/release/lh, dist/app.js, build/x.o, node_modules/a/b.js, .git/gone.lock", ""),
    ("`gone.rs`, gone.rs, Makefile.old, Node.js, e.g. foo.bar", ""),
    ("engine/gone.py is in a folder that this checkout never had", ""),
    ("owner@host:src/gone.rs, x=src/gone.rs, --file=src/gone.rs, C:\\src\\gone.rs", ""),
    ("src/link/passwd-gone is behind a link, src/pipe.rs/x.rs is no folder's", ""),
    ("`cp src/gone.rs /tmp` and `git mv a/b.rs src/gone.rs` are no files' names", ""),
    // Symbols.
    ("`parse_row` in `src/parse.rs` skips it", "parse_row in src/parse.rs"),
    ("`src/parse.rs`'s `parse_row` skips it", "parse_row in src/parse.rs"),
    ("src/parse.rs's `Parser::parse_row` skips it", "parse_row in src/parse.rs"),
    ("src/parse.rs:parse_row skips it", "parse_row in src/parse.rs"),
    ("parse_row() (src/parse.rs) skips it", "parse_row in src/parse.rs"),
    ("`parse_row` (`src/parse.rs`) skips it", "parse_row in src/parse.rs"),
    ("La función `parse_row` en src/parse.rs", "parse_row in src/parse.rs"),
    ("`unparse_line` in src/parse.rs is half of a word", "unparse_line in src/parse.rs"),
    ("`parse_row` in `src/upload.rs`", "parse_row in src/upload.rs"),
    ("`parse_line()` in `src/parse.rs`, src/parse.rs::other, parse_line() (src/parse.rs)", ""),
    ("The parser in src/parse.rs, `a b` in src/parse.rs, `in` in src/parse.rs", ""),
    ("`whatever` in `docs/` and `whatever` in src/large.rs, src/pipe.rs, `nothing` in src/pipe.rs", ""),
    ("Add `parse_row` in `src/parse.rs`", ""),
    // Commands.
    ("Check with `make lint`", "make lint"),
    ("Check with `make check`, `make test -j2`, `make -C docs gone`, `make X=1`, make sure", ""),
    ("Build it with `make one`, `make two` and `make tool`", ""),
    ("Check with `npm run e2e`, `yarn run build`", "npm run e2e, yarn run build"),
    ("Check with `npm run test:unit`, `bun run lint`, `pnpm run tsc`, `npm test`, `yarn gone`", ""),
    ("Check with `cargo xtask gone`, `just gone`", ""),
    // What hurts.
    ("`src/a\0b.rs` and src/\u{202e}x.rs", ""),
    ("`", ""),
    ("` ` `` ``` / // /// ./ ../ .", ""),
];

#[test]
fn what_is_gone_is_named_and_what_is_not_clearly_a_path_is_left_alone() {
    for git in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout(&folder.path().canonicalize().unwrap(), git);
        for (text, gone) in TEXTS {
            checkout.looks.set(LOOKS);
            checkout.reads.set(READS);
            checkout.bytes.set(READ_BYTES);
            assert_eq!(checkout.gone(text).join(", "), *gone, "{text} (git: {git})");
        }
        let long = format!("src/{}.rs src/{}.rs", "x".repeat(280), "y".repeat(5000));
        assert!(checkout.gone(&long).is_empty(), "a name that no file system takes");
        let absolute = format!("{0}/src/gone.rs {0}-other/src/gone.rs", checkout.root.display());
        assert_eq!(checkout.gone(&absolute), ["src/gone.rs"]);
    }
}

#[test]
fn what_git_knows_in_a_folder_below_is_not_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (with, text) = (checkout(folder.path(), true), "src/deep.rs, lib/only.rs, ./only.rs and `x/src/`");
    assert!(with.gone(text).is_empty(), "{:?}", with.gone(text));
    assert_eq!(Checkout::new(folder.path(), None).gone(text), ["src/deep.rs", "lib/only.rs", "./only.rs"]);
    // A path that git still knows and that is not there is gone.
    std::fs::remove_file(folder.path().join("docs/guide.md")).unwrap();
    assert_eq!(checkout_again(folder.path()).gone("docs/guide.md"), ["docs/guide.md"]);
    // A sparse checkout leaves it out.
    let git = |args: &[&str]| std::process::Command::new("git").args(args).current_dir(folder.path()).output().unwrap();
    assert!(git(&["update-index", "--skip-worktree", "docs/guide.md"]).status.success());
    std::fs::remove_dir(folder.path().join("docs")).unwrap();
    let gone = checkout_again(folder.path()).gone("docs/guide.md, docs/ and docs/guide.m");
    assert_eq!(gone, ["docs/guide.m"]);
    assert!(git(&["update-index", "--no-skip-worktree", "docs/guide.md"]).status.success());
    assert_eq!(checkout_again(folder.path()).gone("docs/guide.md"), ["docs/guide.md"]);
    // Where the index cannot be read nothing is said.
    for index in [b"DIRC\0\0\0\x04".to_vec(), vec![0; 9 << 20]] {
        std::fs::write(folder.path().join(".git/index"), index).unwrap();
        assert!(checkout_again(folder.path()).gone("docs/guide.md").is_empty());
    }
}

fn checkout_again(folder: &Path) -> Checkout {
    Checkout::new(folder, Some(&folder.join(".git")))
}

#[test]
fn the_looks_and_the_reads_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = checkout(folder.path(), false);
    for number in 0..=READS {
        std::fs::write(folder.path().join(format!("src/f{number}.rs")), "x").unwrap();
        let gone = checkout.gone(&format!("`gone` in src/f{number}.rs"));
        assert_eq!(gone.len(), usize::from(number < READS), "{number}");
    }
    assert_eq!(checkout.gone("`gone_too` in src/f0.rs").len(), 1, "it was read already");
    let many = (0..100).map(|number| format!("docs/{number}/x.md")).collect::<Vec<_>>().join(" ");
    for _ in 0..200 {
        checkout.gone(&many);
    }
    assert!(checkout.gone("docs/gone.md").is_empty());
    assert!(Checkout::new(&folder.path().join("none"), None).gone("src/gone.rs").is_empty(), "there is no checkout");
}

/// What a file says when a text is kept, what it says later, and what became then of what the text names.
const LATER: &[(&str, &str, &str, &str)] = &[
    (
        "`parse` in src/a.rs",
        "fn parse() {\n    1\n}\n",
        "use x;\n\nfn parse() {\n    1\n}\n",
        "parse in src/a.rs still_so",
    ),
    (
        "`parse` in src/a.rs",
        "fn parse() {\n    1\n}\n",
        "impl X {\n    fn parse() {\n        1\n    }\n}\n",
        "parse in src/a.rs still_so",
    ),
    (
        "`parse` in src/a.rs",
        "fn parse() {\n    1\n}\n",
        "fn parse() {\r\n    1  \r\n\r\n}\r\n",
        "parse in src/a.rs still_so",
    ),
    (
        "`parse` in src/a.rs",
        "fn parse() {\n    1\n}\nfn x() {}\n",
        "fn parse() {\n    1\n}\nfn y() {}\n",
        "parse in src/a.rs still_so",
    ),
    ("`parse` in src/a.rs", "fn parse() {\n    1\n}\n", "fn parse() {\n    2\n}\n", "parse in src/a.rs changed_since"),
    ("`parse` in src/a.rs", "fn parse() {\n    1\n}\n", "use b::parse;\n", "parse in src/a.rs changed_since"),
    ("`parse` in src/a.rs", "fn parse() {\n    1\n}\n", "fn parse_line() {}\n", "parse in src/a.rs gone"),
    ("`parse` in src/a.rs", "fn parse() {\n    1\n}\n", "", "parse in src/a.rs gone"),
    // It is only used there, so its lines are not known, and nothing is said but that it is gone.
    ("`parse` in src/a.rs", "fn x() { parse() }\n", "fn x() { parse(1) }\n", ""),
    ("`parse` in src/a.rs", "fn x() { parse() }\n", "fn x() { y(1) }\n", "parse in src/a.rs gone"),
    // A symbol that the text does not tie to the file is defined in it.
    (
        "`parse` skips them, see src/a.rs",
        "fn parse() {}\n",
        "fn parse(x: u8) {}\n",
        "src/a.rs still_so, parse in src/a.rs changed_since",
    ),
    ("The retry is in src/a.rs", "1\n", "2\n", "src/a.rs still_so"),
    ("See src/a.rs:3", "1\n2\n3\n4\n5\n6\n", "0\n1\n2\n3\n4\n5\n7\n", "src/a.rs:3 still_so"),
    ("See src/a.rs:3", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n\n5\n6\n", "src/a.rs:3 still_so"),
    ("See src/a.rs:3", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n4\n5\n6\n", "src/a.rs:3 changed_since"),
    ("See src/a.rs:3-4", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n7\n", "src/a.rs:3-4 changed_since"),
    ("See src/a.rs:1:7", "1\n2\n3\n4\n", "0\n1\n2\n3\n5\n", "src/a.rs:1:7 still_so"),
    ("See src/a.rs:99", "1\n", "2\n", ""),
    (
        "`save` in src/a.rs",
        "class X:\n    def save(self):\n        \"\"\"Saves.\n\nNow.\n        \"\"\"\n        return 1\n    def y(self):\n        pass\n",
        "class X:\n    def save(self):\n        \"\"\"Saves.\n\nNow.\n        \"\"\"\n        return 2\n",
        "save in src/a.rs changed_since",
    ),
    (
        "`save` in src/a.rs",
        "static int\nsave(int a)\n{\nout:\n    return a;\n}\nint y;\n",
        "static int\nsave(int a)\n{\nout:\n    return a;\n}\nint z;\n",
        "save in src/a.rs still_so",
    ),
    (
        "`save` in src/a.rs",
        "int save(int a) {\n#ifdef X\n    a++;\n#endif\n    return a;\n}\n",
        "int save(int a) {\n#ifdef X\n    a++;\n#endif\n    return 1;\n}\n",
        "save in src/a.rs changed_since",
    ),
    (
        "`Save` in src/a.rs",
        "func (s *Store) Save() error {\n\treturn nil\n}\n\nfunc x() { s.Save() }\n",
        "func (s *Store) Save() error {\n\treturn nil\n}\n\nfunc y() { s.Save() }\n",
        "Save in src/a.rs still_so",
    ),
    (
        "`save` in src/a.rs",
        "Store.prototype.save = function (a) {\n  return a;\n};\nsave(function () {\n});\n",
        "Store.prototype.save = function (a) {\n  return a;\n};\n",
        "save in src/a.rs still_so",
    ),
    (
        "`save` in src/a.rs",
        "class A {\n  public static <T> A.B save(\n      T a) throws E {\n    return a;\n  }\n}\n",
        "class A {\n  public static <T> A.B save(\n      T a) throws E {\n    return null;\n  }\n}\n",
        "save in src/a.rs changed_since",
    ),
    (
        "`save` in src/a.rs",
        "def save a\n  x\nrescue E\n  y\nend\n",
        "def save a\n  x\nrescue E\n  z\nend\n",
        "save in src/a.rs changed_since",
    ),
];

#[test]
fn what_was_seen_is_compared_with_what_is_there() {
    for (text, before, after, became) in LATER {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        let write = |text: &str| std::fs::write(folder.path().join("src/a.rs"), text).unwrap();
        write(before);
        let seen = Checkout::new(folder.path(), None).seen(text, None).unwrap();
        let judge = || {
            let judged = Checkout::new(folder.path(), None).judge(text, Some(&seen)).0;
            judged.iter().map(|(name, state)| format!("{name} {}", state.word())).collect::<Vec<_>>().join(", ")
        };
        assert!(!judge().contains("since"), "{text}: {before:?}");
        write(after);
        assert_eq!(judge(), *became, "{text}: {before:?}, then {after:?}");
        std::fs::remove_file(folder.path().join("src/a.rs")).unwrap();
        assert!(!judge().contains("still_so") && judge().contains("gone"), "{text}: {}", judge());
    }
}

#[test]
fn a_command_is_compared_by_what_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("Makefile", "lint: build\n\tcargo clippy\n\nsoak:\n\ttrue\n");
    write("package.json", "{\n  \"scripts\": {\n    \"e2e\": \"x\"\n  }\n}\n");
    write("upload.py", "def send():\n    pass\n");
    let text = "`make lint`, then `npm run e2e`; `send` in upload.py, as of Node.js";
    let seen = Checkout::new(folder.path(), None).seen(text, None).unwrap();
    let judge = || Checkout::new(folder.path(), None).judge(text, Some(&seen));
    let all = "make lint, npm run e2e, send in upload.py";
    assert_eq!(judge().names(State::Same), all);
    write("Makefile", "soak:\n\tfalse\n\nlint: build\n\tcargo clippy\n");
    assert_eq!(judge().names(State::Same), all);
    write("Makefile", "lint: build\n\tcargo check\n");
    write("package.json", "{\n  \"scripts\": {\n    \"e2e\": \"y\"\n  }\n}\n");
    write("upload.py", "def send():\n    return 1\n");
    assert_eq!(judge().names(State::Changed), all);
    write("Makefile", "soak:\n\tfalse\n");
    write("package.json", "{\n  \"scripts\": {\n  }\n}\n");
    std::fs::remove_file(folder.path().join("upload.py")).unwrap();
    assert_eq!(judge().names(State::Gone), all);
}

#[test]
fn what_cannot_be_read_is_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = checkout(folder.path(), false);
    std::fs::File::create(folder.path().join("src/huge.rs")).unwrap().set_len(1 << 30).unwrap();
    std::fs::write(folder.path().join("src/binary.rs"), b"fn parse() {\n\0\xff\xfe\n}\n").unwrap();
    let many = (0..1000).map(|number| format!("docs/{number}.md")).collect::<Vec<_>>().join(" ");
    let text = format!(
        "`parse` in src/huge.rs, src/huge.rs:3, src/pipe.rs:1, `root` in src/link/passwd, ../x/y.rs:1, /etc/passwd:1, `parse` in src/binary.rs {many}"
    );
    let seen = checkout.seen(&text, None).unwrap();
    let names: Vec<&str> = seen.cites.iter().map(|cite| cite.name.as_str()).collect();
    assert_eq!(names, ["src/huge.rs:3", "parse in src/binary.rs"]);
    assert!(seen.cites[0].sum.is_none());
    let checkout = Checkout::new(folder.path(), None);
    assert_eq!(checkout.judge(&text, Some(&seen)).names(State::Same), "parse in src/binary.rs");
    // Whatever a line of the journal says.
    let cite = |name: &str, sum: &str| Cite { name: name.to_owned(), sum: Some(sum.to_owned()) };
    for (name, sum) in [
        ("", ""),
        (" in ", "x"),
        ("src/parse.rs:9999999999999999999999", "0.0"),
        ("src/parse.rs:0", "9999.zz"),
        ("../x.rs", ""),
        ("/etc/passwd", ""),
        ("make ", "1"),
        ("src/parse.rs:1", "18446744073709551615.1"),
        ("\0", "\0"),
        ("x in src/pipe.rs", "1"),
        ("x in src/link/passwd", "1"),
    ] {
        let seen = Seen { branch: Some("../../x".to_owned()), cites: vec![cite(name, sum)] };
        assert_eq!(checkout.judge(name, Some(&seen)).names(State::Same), "", "{name}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
    #[test]
    fn no_text_hurts(text in "[a-z./`:()' \0\u{e9}]{0,80}", any in ".{0,80}") {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/a.rs"), &any).unwrap();
        let checkout = Checkout::new(folder.path(), None);
        let text = format!("{text} src/{any} `src/{text}`'s `{any}`, `{any}` in src/a.rs, src/a.rs:{any}");
        let seen = checkout.seen(&text, None);
        std::fs::write(folder.path().join("src/a.rs"), &text).unwrap();
        Checkout::new(folder.path(), None).judge(&text, seen.as_ref());
    }
}
