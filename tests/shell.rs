//! The reader of command lines: what is a command and what is only the shell's own; and what a command is for.

use crate::home::busy;
use lh::base::shell::{self, Behind, Command};
use lh::extract::checks::{self, CheckKind};

/// The commands of a line, their words divided by blanks.
fn told(line: &str) -> String {
    let one = |command: &Command| {
        let words = command.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>();
        format!("{}{}", if command.torn { "?" } else { "" }, words.join(" "))
    };
    shell::commands(line).iter().map(one).collect::<Vec<_>>().join(" / ")
}

#[test]
fn a_line_is_read_as_a_shell_reads_it() {
    for (line, wanted) in [
        // What divides.
        ("cd /x && (cargo test 2>&1 | tail -3); echo 'a && b'", "cd /x / cargo test / tail -3 / echo a && b"),
        ("make &> log & wait\nls |& cat", "make / wait / ls / cat"),
        (" ;; && x || ñ \u{a0}", "x / ñ \u{a0}"),
        ("a \\\n  b \\\nc\\\nd", "a b cd"),
        // Words.
        ("a 'c d'\\''e' \"f \\\"g\\\" \\n\" $'h\\'i'", "a c d'e f \"g\" \\n h'i"),
        ("echo \"$(date) `date`\" ${x:-a; b} \"${y[@]}\" $((1 << 3)) $#", "echo … … ${x:-a; b} ${y[@]} … $#"),
        ("diff <(sort a) <(sort b) && ls @(a|b) x{1,2}", "diff … … / ls @… x{1,2}"),
        // Redirections.
        ("sort < in >out 2> err 3<&- >|x <>y <<< 'a b' -u", "sort -u"),
        ("make 2>&1 > log -j 2", "make -j 2"),
        // Assignments, and what they run.
        ("A=1 B='c d' run x=1", "run x=1"),
        ("a=(x y\n z); b[0]=1 c+=2", " / "),
        ("x=$(cargo test 2>&1 && tail x) y=1", ""),
        ("x=$(cargo test | tail -3) || exit 1", "cargo test / tail -3 / exit 1"),
        ("make $(cat x) \"$(git log)\"", "make … …"),
        // Keywords.
        ("if [ -f x ]; then make; elif ! y; then exit 1; else z; fi", "[ -f x ] / make / y / exit 1 / z"),
        ("for p in c d; do cargo test -p $p; done", "cargo test -p $p"),
        ("for p in c\ndo x; done; for q; do y; done; for ((i=0; i<3; i++)); do z; done", "x / y / z"),
        ("while read -r l; do x; done < in | sort; until y; do z; done", "read -r l / x / sort / y / z"),
        ("case \"$1\" in a|b) x;; (c) y ;;\n *) z; esac; w", "x / y / z / w"),
        ("case $x in\n# none\n-h | --help)\n  usage ;;\n esac\nz; fi; done; esac; }", "usage / z"),
        ("f() { x; }; function g { y; }; function h() {\nz\n}\n f", "x / y / z / f"),
        ("[[ -f a && $b =~ ^(c|d)$ ]] || { e; f; } | g", "[[ -f a $b =~ ^…$ ]] / e / f / g"),
        ("(( i++ < 3 )) && x; { y; }; (z)", "x / y / z"),
        ("echo if then fi done; make for do", "echo if then fi done / make for do"),
        // Comments.
        ("# it's && not; run\nx # y\nz#1 a#b", "x / z#1 a#b"),
        // Documents.
        ("python3 - <<'E'\nmake test\nit's \"\nE\nls", "python3 - / ls"),
        ("cat > a <<-E && b <<F\n\tone\n\tE\ntwo\nF\nc", "cat / b / c"),
        (
            "git commit -m \"$(cat <<'E'\none (a) \"b\"\n\nit's)\nE\n)\" && d",
            "git commit -m one (a) \"b\"\n\nit's) / d",
        ),
        // What is cut off.
        ("a; cargo test 'b", "a / ?cargo test b"),
        ("a; x <<E\nb\n", "a / ?x"),
        ("x $(a; b", "?x …"),
        ("make -j\u{a0}2", "make -j\u{a0}2"),
    ] {
        assert_eq!(told(line), wanted, "{line}");
    }
}

#[test]
fn a_command_has_its_place_its_input_and_its_status() {
    let line = "A=1 sudo -u me timeout 10 '/my tools/x' -k \"a b\" > out <<E | y\none\nE\n";
    let [command, last] = &shell::commands(line)[..] else { panic!("{line}") };
    let meant = command.meant();
    assert_eq!((meant[0].name(), &line[meant[0].at.clone()]), ("x", "'/my tools/x'"));
    assert_eq!((meant[2].shown(line, |_| true), meant[2].shown(line, |_| false)), ("…".into(), "\"a b\"".into()));
    assert_eq!((command.input.as_deref(), command.output.as_deref()), (Some("one\n"), Some("out")));
    assert_eq!((command.behind, last.behind, command.assignments.len()), (Behind::Pipe, Behind::Other, 1));
    let perhaps = |line| shell::commands(line).iter().map(|command| command.perhaps).collect::<Vec<_>>();
    assert_eq!(perhaps("a; if b; then c; fi; d"), [false, true, true, false]);
    assert_eq!(
        perhaps("(a; { b; }); ! c; f() { d; }; case x in y) e;; esac; g"),
        [false, false, true, true, true, false]
    );
    let behind = |line| shell::commands(line).iter().map(|command| command.behind).collect::<Vec<_>>();
    assert_eq!(behind("(a && b) | c"), [Behind::And, Behind::Pipe, Behind::Other]);
    assert_eq!(behind("{ a; b; } || c & d"), [Behind::Other, Behind::Or, Behind::Other, Behind::Other]);
    let meant = |line| shell::commands(line)[0].meant().len();
    assert_eq!((meant("env"), meant("command -v x"), meant("env -i A=1 nice -n 5 x y"), meant("time x")), (0, 3, 2, 1));
}

#[test]
fn any_text_is_read_and_a_long_one_takes_as_long_as_its_parts() {
    let marks = [
        "'", "\"", "`", "$(", "${", "(", ")", "{ ", "} ", "<<E\n", "if ", "case x in ", "esac\n", "[[ ", "a)", "\\",
        "\n", "x=(", "#", ";;", "&&", "é",
    ];
    for first in marks {
        for second in marks {
            for third in marks {
                shell::commands(&[first, second, third, "x ", first, third].concat());
            }
        }
    }
    let time = |text: &str, bytes: usize| {
        let text = text.repeat(bytes / text.len());
        let start = busy();
        std::hint::black_box(shell::commands(&text));
        busy() - start
    };
    let all = marks.concat();
    for text in
        ["'a\" ` ", "\"$(", "a `b` ", "{ ", "( ", "${a{", "if x; ", "fi; ( ", "<<E ", "x=( ", "case x in a) ", &all]
    {
        // The shortest times count. Four times as much would take 16 times as long if letters were read again and again.
        let (mut once, mut four) = (f64::MAX, f64::MAX);
        let is_linear = (0..8).any(|_| {
            (once, four) = (once.min(time(text, 1 << 18)), four.min(time(text, 1 << 20)));
            four < once * 8.0 + 0.02
        });
        assert!(is_linear, "{text}: {once:?}, {four:?}");
    }
}

#[test]
fn a_command_is_known_by_what_it_does() {
    for (command, wanted) in [
        ("cargo test --lib", Some((CheckKind::Test, "cargo test"))),
        ("cargo clippy -- -D warnings", Some((CheckKind::Lint, "cargo clippy"))),
        ("RUST_LOG=1 cargo build", Some((CheckKind::Build, "cargo build"))),
        ("npm run test:unit", Some((CheckKind::Test, "test:unit"))),
        ("npm test", Some((CheckKind::Test, "test"))),
        ("yarn lint", Some((CheckKind::Lint, "lint"))),
        ("uv run python -m pytest tests/x.py", Some((CheckKind::Test, "pytest"))),
        ("timeout 60 ./gradlew :app:test", Some((CheckKind::Test, "gradlew :app:test"))),
        ("make", Some((CheckKind::Build, "make"))),
        ("make test", Some((CheckKind::Test, "make test"))),
        ("make docs", Some((CheckKind::Build, "make docs"))),
        ("make clean", None),
        ("./run-tests.sh", Some((CheckKind::Test, "run-tests"))),
        ("mix credo --strict", Some((CheckKind::Lint, "mix credo"))),
        ("test -f x", None),
        ("npm install jest", None),
        ("pip install pytest", None),
        ("bd show test", None),
        ("ls test", None),
        ("gh pr checks", None),
        ("docker run test-image", None),
        ("", None),
    ] {
        assert_eq!(
            shell::commands(command).first().and_then(checks::kind),
            wanted.map(|(kind, name)| (kind, name.to_owned())),
            "{command}"
        );
    }
}

#[test]
fn a_status_is_of_the_command_that_gave_it() {
    let tied = |line: &str| {
        let commands = shell::commands(line);
        checks::tied(&commands, commands.len() - 1)
    };
    assert_eq!(tied("cargo build && cargo test"), [true, true]);
    assert_eq!(tied("cargo test 2>&1 | tail -3"), [false, true]);
    assert_eq!(tied("set -o pipefail; cargo test | tail"), [false, true, true]);
    assert_eq!(tied("cargo test; echo done"), [false, true]);
    assert_eq!(tied("cargo test || true"), [false, false]);
    assert_eq!(tied("false || cargo test"), [false, false]);
    assert_eq!(tied("if x; then cargo test; fi"), [false, false]);
    assert_eq!(tied("(a && b) && x=$(cargo test)"), [true, true, true]);
}
