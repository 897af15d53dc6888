//! lh-dequeue, see `lh::commands::dequeue`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::dequeue::TOOL)
}
