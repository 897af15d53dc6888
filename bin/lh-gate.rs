//! lh-gate, see `lh::commands::gate`.

fn main() -> std::process::ExitCode {
    lh::base::cli::run(&lh::commands::gate::TOOL)
}
