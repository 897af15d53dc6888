//! lh-export, see `lh::commands::export`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::export::TOOL)
}
