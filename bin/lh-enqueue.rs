//! lh-enqueue, see `lh::commands::enqueue`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::enqueue::TOOL)
}
