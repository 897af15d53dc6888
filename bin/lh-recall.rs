//! lh-recall, see `lh::commands::recall`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::recall::TOOL)
}
