//! lh-summarize, see `lh::commands::summarize`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::summarize::TOOL)
}
