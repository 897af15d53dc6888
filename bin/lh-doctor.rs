//! lh-doctor, see `lh::commands::doctor`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::doctor::TOOL)
}
