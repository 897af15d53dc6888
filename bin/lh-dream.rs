//! lh-dream, see `lh::commands::dream`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::dream::TOOL)
}
