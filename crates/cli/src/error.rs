//! How a command fails, and what the program then says and returns.

use crate::diagnostic;
use crate::stderr::{Style, say, shown, styled};
use flitsim_scenario::ScenarioError;
use flitsim_sweep::results::file::is_full;
use std::io;
use std::path::Path;

/// How a command fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The scenario cannot be run: exit code 2.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario is well-formed, and the routing of some series does not hold on its network:
    /// exit code 1.
    #[error("{failed}")]
    Unroutable {
        /// What is wrong with each of these series.
        errors: Vec<ScenarioError>,
        /// Which series fail, for whatever reason.
        failed: String,
    },
    /// Other input is at fault: exit code 2.
    #[error("{0}")]
    Input(String),
    /// The input is good and the run failed: exit code 1.
    #[error("{0}")]
    Failed(String),
    /// Standard output does not take what is printed: exit code 1, and 0 where whoever read it has
    /// seen enough.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// A file named with `-o` that cannot be written: where there is no room, no fault of the name.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        if is_full(error) {
            Self::Failed(format!(
                "cannot write {path}: {error}; no part of it is left: make room and give the same \
                 command again, or choose another place with -o FILE"
            ))
        } else {
            Self::Input(format!(
                "cannot write {path}: {error}; choose another place with -o FILE"
            ))
        }
    }

    /// 2 where the user's input is at fault, 1 where a run failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Scenario(_) | Self::Input(_) => 2,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Unroutable { .. } | Self::Failed(_) | Self::Output(_) => 1,
        }
    }

    /// Tells the user, on standard error.
    pub fn report(&self) {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            // The stream takes the colours out where they are not wanted.
            Self::Scenario(error) => say(diagnostic::render(error, true)),
            Self::Unroutable { errors, failed } => {
                errors
                    .iter()
                    .for_each(|error| say(diagnostic::render(error, true)));
                say(format_args!("{}: {failed}", styled("error", Style::Error)));
            }
            other => say(format_args!(
                "{}: {}",
                styled("error", Style::Error),
                shown(other)
            )),
        }
    }
}
