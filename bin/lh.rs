//! lh: all tools in one program. Its own name says which tool it is; under another name it is the command `lh`.

include!("../share/lh/inside.rs");
fn main() -> std::process::ExitCode {
    lh::commands::main(FILES)
}
