//! The program `flitsim`: reads the command line, does what it says, and exits with 0 (done), 1 (a
//! run failed) or 2 (bad input).

use clap::Parser;
use flitsim::{Arguments, Colour, interrupt, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::survive_full_files();
    Colour::of_command_line(std::env::args_os()).set();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.report();
            error.exit_code()
        }
    }
}
