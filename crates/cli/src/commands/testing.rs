//! Commands for tests, in this process.

use super::Arguments;
use crate::console::Console;
use clap::Parser;
use std::path::Path;

/// Two points of some milliseconds.
pub const TWO_POINTS: &str = "topology = { kind = \"mesh\", radix = 4, dimensions = 2 }\n\
    [measure]\nrelative_error = 0.2\n[sweep]\nload = [0.1, 0.2]\n";

/// What comes of the command `line`, with `here` in place of each `{}`: its exit code, and what it says.
pub fn tried(here: &Path, line: &str) -> Result<(), (u8, String)> {
    let here = here.to_str().expect("a name");
    let words = line.split(' ').map(|word| word.replace("{}", here));
    let words = ["flitsim".to_owned(), "--quiet".to_owned()]
        .into_iter()
        .chain(words);
    let arguments = Arguments::try_parse_from(words).expect("a command");
    let console = Console::new(arguments.globals, arguments.command.name());
    let done = arguments.command.run(&console);
    done.map_err(|error| (error.exit_code(), error.to_string()))
}

/// The exit code of the command `line`, which fails, and what it says.
pub fn failed(here: &Path, line: &str) -> (u8, String) {
    tried(here, line).expect_err(line)
}
