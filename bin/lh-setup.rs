//! Puts the hooks into the client's settings, and takes them out again.

use lh::base::cli::{self, Arg, Args, Opt, Tool};
use lh::base::exit::{Exit, Failure};
use lh::tool::setup::{self, Wish};
use std::process::ExitCode;

const OPTIONS: &[Opt] = &[
    Opt { short: 'm', long: "migrate", value: "", help: "take lazy-harness's hooks out" },
    Opt { short: 'n', long: "dry-run", value: "", help: "show what would change, change nothing" },
    Opt { short: 'p', long: "project", value: "", help: "in the settings of this folder's checkout, not the user's" },
    Opt { short: 's', long: "schedule", value: "", help: "run lh-weekly once a week, by systemd or cron" },
    Opt { short: 'u', long: "uninstall", value: "", help: "take hooks and timer out; say what data stays" },
    Opt { short: 'y', long: "yes", value: "", help: "ask nothing" },
];
const TOOL: Tool = Tool {
    name: "lh-setup",
    operands: "",
    about: "put the hooks into the client's settings, or take them out",
    options: OPTIONS,
};

fn main() -> ExitCode {
    cli::run(&TOOL, run)
}

fn run(mut args: Args) -> Result<Exit, Failure> {
    let mut wish = Wish::default();
    while let Some(arg) = args.take()? {
        match arg {
            Arg::Flag("migrate") => wish.migrate = true,
            Arg::Flag("dry-run") => wish.dry_run = true,
            Arg::Flag("project") => wish.project = true,
            Arg::Flag("schedule") => wish.schedule = true,
            Arg::Flag("uninstall") => wish.uninstall = true,
            Arg::Flag(_) | Arg::Value(..) => wish.yes = true,
            Arg::Operand(operand) => return Err(Args::unexpected(&operand)),
        }
    }
    setup::run(TOOL.name, wish)
}
