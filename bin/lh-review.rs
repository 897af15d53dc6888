//! lh-review, see `lh::commands::review`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::review::TOOL)
}
