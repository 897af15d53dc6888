//! lh-backfill, see `lh::commands::backfill`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::backfill::TOOL)
}
