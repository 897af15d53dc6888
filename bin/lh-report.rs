//! lh-report, see `lh::commands::report`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::report::TOOL)
}
