//! What every main has in common: a table of options that its help is made of, the loop over the
//! arguments, and the one place where a result becomes a status and an error becomes a line.

use crate::base::exit::{Exit, Failure};
use crate::base::{clock, env, log};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// One option.
pub struct Opt {
    /// The letter, or a blank for none.
    pub short: char,
    /// The long name without dashes; [`Args::take`] gives it back.
    pub long: &'static str,
    /// What its value is called, or "" when it takes none.
    pub value: &'static str,
    /// One line of help, lower case, no stop.
    pub help: &'static str,
}

/// One tool: its name, what comes after the options, what it does, its options.
pub struct Tool {
    /// `lh-gate`.
    pub name: &'static str,
    /// The operands as the usage line shows them.
    pub operands: &'static str,
    /// One line, as in the page's NAME.
    pub about: &'static str,
    /// Help and version apart, which every tool has.
    pub options: &'static [Opt],
}

/// One argument as [`Args::take`] gives it.
pub enum Arg {
    /// An option without a value, by its long name.
    Flag(&'static str),
    /// An option with its value.
    Value(&'static str, OsString),
    /// Anything else.
    Operand(OsString),
}

/// The arguments of a running tool.
pub struct Args {
    tool: &'static Tool,
    parser: lexopt::Parser,
}

/// Runs a tool: parses nothing itself, writes an error, and makes the status.
pub fn run(tool: &'static Tool, body: fn(Args) -> Result<Exit, Failure>) -> ExitCode {
    let args = Args { tool, parser: lexopt::Parser::from_env() };
    // A log that its user named wrongly: nothing is done of which nobody would hear.
    let done = env::log_file().and_then(|_| body(args));
    let exit = done.unwrap_or_else(|failure| {
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

/// Status 64 when more than one of these options was given.
pub fn exclusive(options: &[(&str, bool)]) -> Result<(), Failure> {
    let mut given = options.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
    let (one, other) = (given.next(), given.next());
    one.zip(other).map_or(Ok(()), |(one, other)| Err(Args::apart(one, other)))
}

impl Args {
    /// The next argument; help and version are answered here and end the tool.
    pub fn take(&mut self) -> Result<Option<Arg>, Failure> {
        use lexopt::Arg::{Long, Short, Value};
        let usage = |error: lexopt::Error| Failure::usage(format!("{error}; see --help"));
        let (label, name) = match self.parser.next().map_err(usage)? {
            None => return Ok(None),
            // Standard input is what is read anyway.
            Some(Value(operand)) if operand == "-" => return self.take(),
            Some(Value(operand)) => return Ok(Some(Arg::Operand(operand))),
            Some(Long(name)) => (format!("--{name}"), name.to_owned()),
            Some(Short(letter)) => (format!("-{letter}"), self.tool.long_name(letter).to_owned()),
        };
        if name == "help" || name == "version" {
            return Err(self.parser.optional_value().map_or_else(
                || self.tool.answer(&name),
                |_| Failure::usage(format!("option '{label}' takes no value; see --help")),
            ));
        }
        let found = self.tool.options.iter().find(|opt| opt.long == name);
        match found {
            Some(opt) if opt.value.is_empty() => Ok(Some(Arg::Flag(opt.long))),
            Some(opt) => Ok(Some(Arg::Value(opt.long, self.parser.value().map_err(usage)?))),
            None => Err(Failure::usage(format!("unknown option '{label}'; see --help"))),
        }
    }

    /// All that is left, untouched: a command and its arguments.
    pub fn rest(&mut self) -> Result<Vec<OsString>, Failure> {
        let rest = self.parser.raw_args().map_err(|error| Failure::usage(error.to_string()))?;
        Ok(rest.collect())
    }

    /// The tool takes no operand: says so.
    pub fn unexpected(operand: &OsStr) -> Failure {
        Failure::usage(format!("unexpected operand '{}'; see --help", operand.to_string_lossy()))
    }

    /// Two options of which one would silently win: says so.
    pub fn apart(one: &str, other: &str) -> Failure {
        Failure::usage(format!("--{one} and --{other} do not go together; see --help"))
    }

    /// The last of the options that were given, each with what it asks for; they must all be the same one.
    pub fn one<T>(mut given: Vec<(&'static str, T)>) -> Result<Option<(&'static str, T)>, Failure> {
        let other = given.iter().map(|(name, _)| *name).find(|name| given.first().is_some_and(|(one, _)| one != name));
        match (given.first(), other) {
            (Some((one, _)), Some(other)) => Err(Self::apart(one, other)),
            _ => Ok(given.pop()),
        }
    }

    /// With a terminal on standard input there is nothing to read: prints the usage line, status 64.
    pub fn needs_input(&self) -> Result<(), Failure> {
        if std::io::stdin().is_terminal() {
            return Err(Failure::usage(format!("nothing on standard input; {}", self.tool.usage())));
        }
        Ok(())
    }
}

impl Tool {
    /// `usage: lh-gate [options] < records`.
    fn usage(&self) -> String {
        let operands = if self.operands.is_empty() { String::new() } else { format!(" {}", self.operands) };
        format!("usage: {} [options]{operands}", self.name)
    }

    /// The text of `--help`.
    fn help(&self) -> String {
        let mut text = format!("{} - {}\n\n{}\n\n", self.name, self.about, self.usage());
        let own = [
            Opt { short: 'h', long: "help", value: "", help: "print this" },
            Opt { short: 'V', long: "version", value: "", help: "print the version" },
        ];
        for opt in self.options.iter().chain(&own) {
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
            _ => self.options.iter().find(|opt| opt.short == letter).map_or("", |opt| opt.long),
        }
    }

    /// Prints help or version; the "failure" that ends the tool says how that went.
    fn answer(&self, name: &str) -> Failure {
        let version = concat!("(lh) ", env!("CARGO_PKG_VERSION"));
        let text = if name == "help" { self.help() } else { format!("{} {version}\n", self.name) };
        let mut out = std::io::stdout();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Failure::io("standard output", &error),
            _ => Failure::reader_gone(),
        }
    }
}
