//! lh-distill, see `lh::commands::distill`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::distill::TOOL)
}
