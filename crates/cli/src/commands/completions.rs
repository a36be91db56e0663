//! `flitsim completions`: what shells want.

use super::command_line;
use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use clap::Args;
use clap_complete::Shell;

/// Print completions for a shell
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:
  flitsim completions bash > ~/.local/share/bash-completion/completions/flitsim
  flitsim completions zsh > ~/.zfunc/_flitsim
  flitsim completions fish > ~/.config/fish/completions/flitsim.fish

For zsh, ~/.zfunc must be in fpath before compinit runs. Start a new shell afterwards.")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Prints completions for a shell.
///
/// # Errors
/// An output that cannot be written.
pub fn run(arguments: &Completions, _: &Console) -> Result<(), CommandError> {
    let mut script = Vec::new();
    let mut program = command_line();
    clap_complete::generate(arguments.shell, &mut program, "flitsim", &mut script);
    Ok(print(&script)?)
}
