//! lh-detach, see `lh::commands::detach`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::detach::TOOL)
}
