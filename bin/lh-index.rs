//! lh-index, see `lh::commands::index`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::index::TOOL)
}
