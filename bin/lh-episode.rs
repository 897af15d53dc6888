//! lh-episode, see `lh::commands::episode`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::episode::TOOL)
}
