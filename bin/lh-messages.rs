//! lh-messages, see `lh::commands::messages`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::messages::TOOL)
}
