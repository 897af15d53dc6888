//! lh-find-session, see `lh::commands::find_session`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::find_session::TOOL)
}
