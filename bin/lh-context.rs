//! lh-context, see `lh::commands::context`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::context::TOOL)
}
