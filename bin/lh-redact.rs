//! lh-redact, see `lh::commands::redact`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::redact::TOOL)
}
