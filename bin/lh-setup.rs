//! lh-setup, see `lh::commands::setup`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::setup::TOOL)
}
