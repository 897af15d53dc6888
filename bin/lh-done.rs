//! lh-done, see `lh::commands::done`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::done::TOOL)
}
