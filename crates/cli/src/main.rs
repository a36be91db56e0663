//! The program `flitsim`: all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    flitsim::main()
}
