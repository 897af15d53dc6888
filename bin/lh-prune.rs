//! lh-prune, see `lh::commands::prune`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::prune::TOOL)
}
