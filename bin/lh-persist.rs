//! lh-persist, see `lh::commands::persist`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::persist::TOOL)
}
