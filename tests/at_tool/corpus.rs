//! Twenty projects of five sessions, made from the kinds of error in errors.txt: a hundred errors that come back, and a
//! hundred that only look so. It was written before the rule was.

use super::{Project, Use, remember, session};
use crate::home::Home;
use std::collections::HashSet;

const KINDS: &str = include_str!("errors.txt");
const WORDS: [&str; 24] = [
    "orders", "ledger", "invoice", "parser", "router", "mailer", "cursor", "widget", "tokens", "basket", "search",
    "upload", "report", "cache", "signup", "billing", "avatar", "folder", "import", "export", "badge", "quota",
    "thread", "digest",
];

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    /// A line of errors.txt with what is new at its place; `word` and `own` are those of the place and of the project.
    fn fill(&mut self, line: &str, word: &str, own: &str) -> String {
        let mut text = line.replace("<w>", word).replace("<k>", own).replace("\\n", "\n").replace("\\t", "\t");
        while let Some(at) = text.find("<n>") {
            text.replace_range(at..at + 3, &(self.below(8) + 2).to_string());
        }
        while let Some(at) = text.find("<h>") {
            let hash = format!("{:x}", 0x1000_0000 + self.below(0x0fff_ffff));
            text.replace_range(at..at + 3, &hash);
        }
        text
    }
}

/// One kind of error.
#[derive(Default)]
struct Kind {
    name: String,
    failed: String,
    error: String,
    tried: Vec<String>,
    passed: Vec<String>,
    again: String,
    /// Commands that only look like it, and what these print.
    decoys: Vec<(String, String)>,
}

fn kinds() -> Vec<Kind> {
    let mut all: Vec<Kind> = Vec::new();
    for line in KINDS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        if line.starts_with('[') {
            all.push(Kind { name: line.to_owned(), ..Kind::default() });
            continue;
        }
        let kind = all.last_mut().unwrap();
        let (sign, text) = (line.chars().next().unwrap(), line.get(2..).unwrap().to_owned());
        match sign {
            'F' => (kind.failed, kind.again) = (text.clone(), text),
            'E' => kind.error = text,
            'T' => kind.tried.push(text),
            'P' => kind.passed.push(text),
            'A' => kind.again = text,
            'D' => kind.decoys.push((text, String::new())),
            'O' => kind.decoys.last_mut().unwrap().1 = text,
            sign => panic!("{sign}: {line}"),
        }
    }
    all
}

/// What is wanted at a use of a tool.
#[derive(Clone)]
enum Wanted {
    Nothing,
    /// What is told has these words.
    Told(HashSet<String>, String),
}

struct Made<'a> {
    numbers: Numbers,
    own: &'a str,
    uses: Vec<(Use, Wanted)>,
}

fn status(error: &str) -> String {
    format!("Exit code 1\n{error}")
}

fn words(text: &str) -> HashSet<String> {
    let plain = text.replace(['`', ';', ','], " ");
    plain.split_whitespace().map(|word| word.trim_end_matches('.').to_owned()).collect()
}

impl Made<'_> {
    fn word(&mut self) -> &'static str {
        WORDS[self.numbers.below(WORDS.len())]
    }

    fn add(&mut self, one: Use) {
        self.uses.push((one, Wanted::Nothing));
    }

    /// What is done besides.
    fn noise(&mut self) {
        for _ in 0..=self.numbers.below(4) {
            let (word, number) = (self.word(), self.numbers.below(90) + 2);
            match self.numbers.below(8) {
                0 | 1 => self.add(Use::Read),
                2 => self.add(Use::Edit(format!("src/{word}.rs"))),
                3 => self.add(Use::Passed(format!("grep -rn {word} src"), format!("src/{word}.rs:{number}: {word}"))),
                4 => self.add(Use::Passed("git status --short".to_owned(), format!(" M src/{word}.rs"))),
                5 => self.add(Use::Passed("ls -la".to_owned(), "total 8".to_owned())),
                6 => self.add(Use::Passed(
                    format!("git add src/{word}.rs && git commit -m {word}"),
                    "[main 1f2e3d4]".to_owned(),
                )),
                // The work is at fault, and an edit mends it.
                _ => {
                    let (command, error) = match self.numbers.below(3) {
                        0 => (
                            format!("cargo check -p {}", self.own),
                            format!(
                                "error[E0425]: cannot find value `{word}` in this scope\n --> src/{word}.rs:{number}:9"
                            ),
                        ),
                        1 => (
                            "npm run typecheck".to_owned(),
                            format!("src/{word}.ts({number},7): error TS2304: Cannot find name '{word}'."),
                        ),
                        _ => (
                            "ruff check .".to_owned(),
                            format!("src/{word}.py:{number}:1: F401 `{word}` imported but unused\nFound 1 error."),
                        ),
                    };
                    self.add(Use::Failed(command.clone(), status(&error)));
                    self.add(Use::Edit(format!("src/{word}.rs")));
                    self.add(Use::Passed(command, "ok".to_owned()));
                }
            }
        }
    }

    fn fails(&mut self, kind: &Kind, command: &str, wanted: Wanted) -> (&'static str, String) {
        let word = self.word();
        let failed = self.numbers.fill(command, word, self.own);
        let error = self.numbers.fill(&kind.error, word, self.own);
        self.uses.push((Use::Failed(failed.clone(), status(&error)), wanted));
        (word, failed)
    }

    /// It fails and is mended; gives the words of what passed that what failed does not have.
    fn origin(&mut self, kind: &Kind) -> (HashSet<String>, String) {
        let (word, failed) = self.fails(kind, &kind.failed, Wanted::Nothing);
        for tried in &kind.tried {
            let tried = self.numbers.fill(tried, word, self.own);
            self.add(Use::Passed(tried, "so".to_owned()));
        }
        let passed: Vec<String> = kind.passed.iter().map(|line| self.numbers.fill(line, word, self.own)).collect();
        for line in &passed {
            self.add(Use::Passed(line.clone(), "ok".to_owned()));
        }
        let told = if passed.len() > 1 { &passed[..passed.len() - 1] } else { &passed[..] };
        let told: HashSet<String> = told.iter().flat_map(|line| words(line)).collect();
        (told.difference(&words(&failed)).cloned().collect(), kind.name.clone())
    }

    fn again(&mut self, kind: &Kind, wanted: &(HashSet<String>, String)) {
        let (word, _) = self.fails(kind, &kind.again, Wanted::Told(wanted.0.clone(), wanted.1.clone()));
        for line in &kind.passed {
            let line = self.numbers.fill(line, word, self.own);
            self.add(Use::Passed(line, "ok".to_owned()));
        }
    }

    fn decoy(&mut self, (command, printed): &(String, String)) {
        let word = self.word();
        let (command, printed) =
            (self.numbers.fill(command, word, self.own), self.numbers.fill(printed, word, self.own));
        self.add(Use::Failed(command, status(&printed)));
        if self.numbers.below(2) == 0 {
            self.add(Use::Edit(format!("src/{word}.rs")));
        }
    }
}

#[test]
fn what_passed_is_told_when_an_error_comes_back_and_not_when_it_only_looks_so() {
    let kinds = kinds();
    assert!(kinds.len() >= 20 && kinds.iter().all(|kind| kind.decoys.len() == 2 && !kind.passed.is_empty()));
    let mut home = Home::new();
    home.write(".config/lazy-harness/config.toml", "[memory]\nat_tool = true\n");
    let (mut uses, mut back, mut told, mut decoys) = (0, 0, 0, 0);
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    let mut all_mended: Vec<Vec<(HashSet<String>, String)>> = vec![vec![Default::default(); 5]; 20];
    // Day by day, so that one process distils what was done on a day in all projects.
    for day in 0..5 {
        let mut transcripts = Vec::new();
        for number in 0..20 {
            let own = WORDS[number];
            let project = Project::of(home, own);
            let own_kinds: Vec<&Kind> = (0..5).map(|at| &kinds[(number * 5 + at) % kinds.len()]).collect();
            let mended = &mut all_mended[number];
            let seed = 0x9e37_79b9_7f4a_7c15 ^ u64::try_from(number * 31 + day + 1).unwrap();
            let mut made = Made { numbers: Numbers(seed), own, uses: Vec::new() };
            made.numbers.below(2);
            for (at, kind) in own_kinds.iter().enumerate() {
                made.noise();
                if day == at % 2 {
                    mended[at] = made.origin(kind);
                } else if day == 2 + at % 3 {
                    back += 1;
                    made.again(kind, &mended[at].clone());
                }
                if day == 2 + (at + 1) % 3 {
                    decoys += 1;
                    made.noise();
                    made.decoy(&kind.decoys[(number + at) % 2]);
                }
            }
            made.noise();
            let id = format!("{own}-{day}");
            for (one, wanted) in &made.uses {
                uses += 1;
                let (says, at) = match one {
                    Use::Edit(file) => (project.edit(&id, &project.cwd.join(file).to_string_lossy()), file.clone()),
                    Use::Failed(command, error) => (project.fails(&id, command, error), format!("{command} | {error}")),
                    Use::Read | Use::Passed(..) => continue,
                };
                match wanted {
                    Wanted::Nothing if says.is_empty() => {}
                    Wanted::Nothing => wrong.push(format!("{at}: {says}")),
                    Wanted::Told(words_of, _) if words_of.is_subset(&words(&says)) => told += 1,
                    Wanted::Told(words_of, name) if says.is_empty() => missed.push(format!("{name} {at} {words_of:?}")),
                    Wanted::Told(words_of, name) => wrong.push(format!("{name} {at}: {says} {words_of:?}")),
                }
            }
            let done: Vec<Use> = made.uses.into_iter().map(|(one, _)| one).collect();
            session(&project, &id, 1 + number % 4 * 6 + day, &done);
            transcripts.push(project.transcript(&id));
            home = project.home;
        }
        remember(&home, &transcripts);
    }
    let figures = format!("{told} of {back} told, {} wrong of {uses} uses, {decoys} decoys", wrong.len());
    if std::env::var_os("LH_SHOW").is_some() {
        use std::io::Write;
        writeln!(std::io::stderr(), "{figures}\nMISSED\n{}\nWRONG\n{}", missed.join("\n"), wrong.join("\n")).unwrap();
    }
    assert_eq!((back, decoys), (100, 100));
    assert!(told >= 60 && wrong.len() * 100 < uses, "{figures}\nmissed: {missed:#?}\nwrong: {wrong:#?}");
}
