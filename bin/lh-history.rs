//! lh-history, see `lh::commands::history`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::history::TOOL)
}
