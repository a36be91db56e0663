//! The program `flitsim`: reads the command line, does what it says, and exits with 0 (done), 1 (a
//! run failed) or 2 (bad input).

use clap::Parser;
use flitsim::args::Arguments;
use flitsim::commands;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.report();
            error.exit_code()
        }
    }
}
