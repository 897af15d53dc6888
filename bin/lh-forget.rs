//! lh-forget, see `lh::commands::forget`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::forget::TOOL)
}
