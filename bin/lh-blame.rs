//! lh-blame, see `lh::commands::blame`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::blame::TOOL)
}
