//! What every main has in common: a table of options that its help is made of and its arguments are checked
//! against, and the one place where a result becomes a status and an error becomes a line. A main asks for
//! each option by its long name.

use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, log, text};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt::{Display, Write as _};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// What comes behind a name in the answer to `--version`.
pub const VERSION: &str = concat!("(lh) ", env!("CARGO_PKG_VERSION"));

/// One option. The rules on which options go together are here, so that one place keeps all of them.
#[derive(Clone, Copy)]
#[must_use]
pub struct Opt {
    /// The letter, or a blank for none.
    pub short: char,
    /// A letter that meant it once: it is still taken, but not shown. A blank for none.
    old: char,
    /// The long name without dashes.
    pub long: &'static str,
    /// What its value is called, or "" when it takes none.
    pub value: &'static str,
    /// One line of help, lower case, no stop.
    pub help: &'static str,
    /// The options that it cannot be given with; it is enough when one of two names the other.
    apart: &'static [&'static str],
    /// The option that it cannot be given without, or "".
    needs: &'static str,
}

/// One of the two options of each tool that prints records, which say in which form; lh(7) has the rule.
pub const TEXT: Opt = Opt::flag(' ', "text", "lines for people, also in a pipe");
/// Records, also on a terminal; see [`TEXT`].
pub const JSON: Opt = Opt::flag(' ', "json", "records, also on a terminal").apart(&["text"]);

/// What may come after the options, each with how the usage line shows it.
pub enum Operands {
    /// Nothing: records come on standard input, or nothing is read.
    None(&'static str),
    /// Any number of words.
    Any(&'static str),
    /// A command, whose own options are not looked at.
    Command(&'static str),
}

/// One tool: its name, what comes after the options, what it does, its options.
pub struct Tool {
    /// `lh-gate`.
    pub name: &'static str,
    /// What comes after the options.
    pub operands: Operands,
    /// One line, as in the page's NAME.
    pub about: &'static str,
    /// All but help and version, which every tool has.
    pub options: &'static [Opt],
    /// What it does with what it was given.
    pub run: fn(&Given) -> Result<Exit, Failure>,
}

/// What a tool was called with, checked against its table of options.
pub struct Given {
    tool: &'static Tool,
    options: Vec<(&'static str, OsString)>,
    /// What came after the options.
    pub operands: Vec<OsString>,
    /// An operand was `-`.
    pub asks_for_input: bool,
}

/// Runs a tool: reads its options, writes an error, and makes the status.
pub fn run(tool: &'static Tool) -> ExitCode {
    run_with(tool, env::command_line().skip(1))
}

/// The same with these words behind its name.
pub fn run_with(tool: &'static Tool, words: impl Iterator<Item = OsString>) -> ExitCode {
    // A log that its user named wrongly: nothing is done that would not be heard of.
    let given = env::log_file().and_then(|_| Given::read(tool, lexopt::Parser::from_args(words)));
    let exit = given.and_then(|given| (tool.run)(&given)).unwrap_or_else(|failure| {
        if !failure.message.is_empty() {
            log::say(tool.name, &failure.message);
        }
        failure.exit
    });
    if let Some(what) = clock::unknown_zone() {
        log::say(tool.name, &what);
    }
    ExitCode::from(exit.status())
}

/// Status 64, with where to look.
fn usage(what: impl Display) -> Failure {
    Failure::usage(format!("{what}; see --help"))
}

impl Opt {
    /// An option without a value; a blank for no letter.
    pub const fn flag(short: char, long: &'static str, help: &'static str) -> Self {
        Self::value(short, long, "", help)
    }

    /// An option with a value.
    pub const fn value(short: char, long: &'static str, value: &'static str, help: &'static str) -> Self {
        Self { short, old: ' ', long, value, help, apart: &[], needs: "" }
    }

    /// With a letter that it had once.
    pub const fn once(self, old: char) -> Self {
        Self { old, ..self }
    }

    /// Without these beside it: one of two would silently win.
    pub const fn apart(self, apart: &'static [&'static str]) -> Self {
        Self { apart, ..self }
    }

    /// Only with this one beside it.
    pub const fn needs(self, needs: &'static str) -> Self {
        Self { needs, ..self }
    }
}

impl Given {
    /// Reads all arguments; help and version are answered here and end the tool.
    fn read(tool: &'static Tool, mut parser: lexopt::Parser) -> Result<Self, Failure> {
        use lexopt::Arg::{Long, Short, Value};
        let mut given = Self { tool, options: Vec::new(), operands: Vec::new(), asks_for_input: false };
        while let Some(arg) = parser.next().map_err(wrong)? {
            let (label, name) = match arg {
                // Most tools read standard input anyway.
                Value(operand) if operand == "-" => {
                    given.asks_for_input = true;
                    continue;
                }
                Value(operand) => {
                    if let Operands::None(_) = tool.operands {
                        return Err(Self::unexpected(&operand));
                    }
                    given.operands.push(operand);
                    if let Operands::Command(_) = tool.operands {
                        given.operands.extend(parser.raw_args().map_err(wrong)?);
                    }
                    continue;
                }
                Long(name) => (format!("--{name}"), name.to_owned()),
                Short(letter) => (format!("-{letter}"), tool.long_name(letter).to_owned()),
            };
            if name == "help" || name == "version" {
                return Err(parser
                    .optional_value()
                    .map_or_else(|| tool.answer(&name), |_| usage(format!("option '{label}' takes no value"))));
            }
            let Some(opt) = tool.options.iter().find(|opt| opt.long == name) else {
                let names = tool.options.iter().map(|opt| opt.long).chain(["help", "version"]);
                let hint = text::did_you_mean(&name, names, "--");
                return Err(usage(format!("unknown option '{label}'{hint}")));
            };
            let value = if opt.value.is_empty() { OsString::new() } else { parser.value().map_err(wrong)? };
            given.options.push((opt.long, value));
        }
        given.agree().map(|()| given)
    }

    /// Status 64 for options that do not go together.
    fn agree(&self) -> Result<(), Failure> {
        for opt in self.tool.options.iter().filter(|opt| self.has(opt.long)) {
            if let Some(other) = opt.apart.iter().find(|other| self.has(other)) {
                return Err(usage(format!("--{} and --{other} do not go together", opt.long)));
            }
            if !opt.needs.is_empty() && !self.has(opt.needs) {
                return Err(usage(format!("--{} goes with --{}", opt.long, opt.needs)));
            }
        }
        Ok(())
    }

    /// Whether an option was given. It must be in the table.
    pub fn has(&self, long: &str) -> bool {
        self.value(long).is_some()
    }

    /// Whether lines for people are printed, and no records: [`TEXT`] and [`JSON`] say so, else whether standard output
    /// is a terminal does.
    pub fn for_people(&self) -> bool {
        self.has(TEXT.long) || std::io::stdout().is_terminal() && !self.has(JSON.long)
    }

    /// The last value that an option was given.
    pub fn value(&self, long: &str) -> Option<&OsStr> {
        self.values(long).last()
    }

    /// The same as text.
    pub fn text(&self, long: &str) -> Option<Cow<'_, str>> {
        self.value(long).map(OsStr::to_string_lossy)
    }

    /// All values that an option was given, in order.
    pub fn values(&self, long: &str) -> impl Iterator<Item = &OsStr> {
        debug_assert!(self.tool.options.iter().any(|opt| opt.long == long), "no option '{long}'");
        self.options.iter().filter(move |(name, _)| *name == long).map(|(_, value)| value.as_os_str())
    }

    /// An operand that has no meaning here: says so.
    pub fn unexpected(operand: &OsStr) -> Failure {
        usage(format!("unexpected operand '{}'", operand.to_string_lossy()))
    }

    /// With a terminal on standard input there is nothing to read: prints the usage line, status 64.
    pub fn needs_input(&self) -> Result<(), Failure> {
        if std::io::stdin().is_terminal() {
            return Err(Failure::usage(format!("nothing on standard input; {}", self.tool.usage())));
        }
        Ok(())
    }
}

/// What lexopt found wrong, in our words.
fn wrong(error: lexopt::Error) -> Failure {
    usage(match error {
        lexopt::Error::MissingValue { option: Some(option) } => format!("option '{option}' needs a value"),
        lexopt::Error::UnexpectedValue { option, .. } => format!("option '{option}' takes no value"),
        other => other.to_string(),
    })
}

impl Tool {
    /// Its options, and those that every tool has.
    pub fn all_options(&self) -> impl Iterator<Item = &Opt> {
        const OWN: [Opt; 2] = [Opt::flag('h', "help", "print this"), Opt::flag('V', "version", "print the version")];
        self.options.iter().chain(&OWN)
    }

    /// `usage: lh-gate [options] < records`.
    fn usage(&self) -> String {
        let (Operands::None(operands) | Operands::Any(operands) | Operands::Command(operands)) = self.operands;
        format!("usage: {} [options] {operands}", self.name).trim_end().to_owned()
    }

    /// The text of `--help`.
    fn help(&self) -> String {
        let mut text = format!("{} - {}\n\n{}\n\n", self.name, self.about, self.usage());
        for opt in self.all_options() {
            let letter = if opt.short == ' ' { "   ".to_owned() } else { format!("-{},", opt.short) };
            let value = if opt.value.is_empty() { String::new() } else { format!(" {}", opt.value) };
            let _ = writeln!(text, "  {letter} {:24} {}", format!("--{}{value}", opt.long), opt.help);
        }
        let _ = writeln!(text, "\nsee {}(1) and lh(7)", self.name);
        text
    }

    /// The long name of an option's letter, "" for none.
    fn long_name(&self, letter: char) -> &'static str {
        match letter {
            'h' => "help",
            'V' => "version",
            _ => self.options.iter().find(|opt| [opt.short, opt.old].contains(&letter)).map_or("", |opt| opt.long),
        }
    }

    /// Prints help or version; the "failure" that ends the tool says how that went.
    fn answer(&self, name: &str) -> Failure {
        let text = if name == "help" { self.help() } else { format!("{} {VERSION}\n", self.name) };
        let mut out = std::io::stdout();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Failure::io("standard output", &error),
            _ => Failure::reader_gone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[Opt] = &[
        Opt::flag('a', "all", "everything").apart(&["count"]),
        Opt::flag(' ', "count", "totals").once('c'),
        Opt::value('o', "output", "FILE", "into FILE").needs("all"),
    ];
    const FILTER: Tool =
        Tool { name: "x", operands: Operands::None("< y"), about: "z", options: OPTIONS, run: |_| Ok(Exit::Done) };
    const READER: Tool = Tool { operands: Operands::Any("[y ...]"), ..FILTER };
    const RUNNER: Tool = Tool { operands: Operands::Command("-- y"), ..FILTER };

    fn read(tool: &'static Tool, line: &str) -> Result<Given, String> {
        Given::read(tool, lexopt::Parser::from_args(line.split_whitespace())).map_err(|failure| failure.message)
    }

    #[test]
    fn what_was_given_is_known_by_its_long_name() {
        let given = read(&READER, "-ao one b --output=two - -- --c").unwrap();
        assert!(given.has("all") && !given.has("count"));
        assert_eq!(given.text("output").as_deref(), Some("two"));
        assert_eq!(given.values("output").collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(given.operands, ["b", "--c"]);
        assert!(read(&FILTER, "-c").unwrap().has("count"));
        let command = read(&RUNNER, "-a run -a --no -- x").unwrap();
        assert_eq!(command.operands, ["run", "-a", "--no", "--", "x"]);
        assert!(!read(&RUNNER, "run -a").unwrap().has("all"));
    }

    #[test]
    fn help_shows_today_s_letters() {
        let help = FILTER.help();
        assert!(help.starts_with("x - z\n\nusage: x [options] < y\n\n  -a, --all "), "{help}");
        assert!(help.contains("\n      --count ") && help.contains("\n  -o, --output FILE "), "{help}");
    }
}
