//! lh-import, see `lh::commands::import`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::import::TOOL)
}
