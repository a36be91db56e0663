//! Names that a program gives to what it registers: of routings, networks and patterns of its own.

use std::error::Error;
use std::fmt;

/// Why a name is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameRefused {
    /// There is one of this name already.
    Taken {
        /// What it names: a routing, a network, a pattern.
        what: &'static str,
        /// The name.
        name: &'static str,
    },
    /// It has something else than small letters, digits and hyphens, such as the colon behind which keys follow in one
    /// word, or is empty.
    NoName {
        /// What it would name.
        what: &'static str,
        /// What was given.
        name: &'static str,
    },
}

impl NameRefused {
    /// Refuses `name` for a `what`, unless it is a plain word that is not taken.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(what: &'static str, name: &'static str, is_taken: bool) -> Result<(), Self> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(Self::NoName { what, name });
        }
        match is_taken {
            true => Err(Self::Taken { what, name }),
            false => Ok(()),
        }
    }
}

impl fmt::Display for NameRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { what, name } => write!(f, "there is a {what} named \"{name}\" already"),
            Self::NoName { what, name } => write!(
                f,
                "\"{name}\" is no name of a {what}: small letters, digits and hyphens"
            ),
        }
    }
}

impl Error for NameRefused {}
