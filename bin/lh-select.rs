//! lh-select, see `lh::commands::select`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::select::TOOL)
}
