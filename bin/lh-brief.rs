//! lh-brief, see `lh::commands::brief`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::brief::TOOL)
}
