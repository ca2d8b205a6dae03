//! The quillgate program.

use std::process::ExitCode;

fn main() -> ExitCode {
    quillgate::run()
}
