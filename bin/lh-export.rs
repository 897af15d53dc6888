//! Exports sessions as markdown.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::config::Config;
use lh::base::exit::{Exit, Failure};
use lh::base::stream::{self, Output};
use lh::redact;
use lh::tool::export::{self, Exporter, Format, Tally};
use std::path::PathBuf;
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'e', long: "enabled", value: "", help: "do nothing when [knowledge.sessions] enabled = false" },
    Opt {
        short: 'f',
        long: "force",
        value: "",
        help: "also what is short or not a person's; write again what is there",
    },
    Opt { short: ' ', long: "format", value: "NAME", help: "what --output gets: markdown or json" },
    Opt { short: 'o', long: "output", value: "FILE", help: "write one session to FILE (- is standard output) instead" },
    Opt { short: 'v', long: "verbose", value: "", help: "say which sessions get no page, and why" },
];
const TOOL: Tool = Tool {
    name: "lh-export",
    operands: "< session records",
    about: "export sessions to the knowledge folder as markdown",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let (mut enabled, mut force, mut verbose, mut format, mut output) = (false, false, false, None, None);
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("enabled") => enabled = true,
            Arg::Flag("force") => force = true,
            Arg::Flag(_) => verbose = true,
            Arg::Value("format", name) => format = Some(Format::of(&name.to_string_lossy())?),
            Arg::Value(_, path) => output = Some(PathBuf::from(path)),
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    cli::exclusive(&[("enabled", enabled), ("output", output.is_some())])?;
    cli::exclusive(&[("enabled", enabled), ("format", format.is_some())])?;
    args.needs_input()?;
    let config = Config::load()?;
    if enabled && !config.knowledge.sessions.enabled {
        return Ok(Exit::Done);
    }
    redact::mask_log(&config.privacy)?;
    let exporter = Exporter::new(&config, force)?;
    // A format is for looking at: it needs no file.
    let output = output.or_else(|| format.map(|_| PathBuf::from("-")));
    let format = format.unwrap_or(Format::Markdown);
    let mut out = if output.is_some() { Output::filter() } else { Output::receipts() };
    let mut tally = Tally::new(TOOL.name, verbose, output.is_some());
    let exit = stream::each(TOOL.name, &["session", "task"], &mut out, |record, _, out| {
        let done = match output.as_deref() {
            None => exporter.export(record),
            Some(path) if path.as_os_str() == "-" => exporter.print(record, format, out),
            Some(_) if tally.all() > 0 => Err(Failure::usage("--output FILE takes one session: use -o - for several")),
            Some(path) => exporter.save(record, format, path),
        };
        let done = tally.count(record, done)?;
        if output.is_none() { out.masked(&exporter.receipt(record, &done)) } else { Ok(()) }
    })?;
    let end = tally.end();
    if output.is_none() {
        export::refresh_index(tally.written)?;
    }
    out.flush().map(|()| if exit == Exit::Done { end } else { exit })
}
