//! Where a run is between its start and its end.

use flitsim_topology::archive::{Archive, Archived};

/// A state of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Until it is steady.
    Warmup,
    /// Being measured.
    Window,
    /// Saturated: only the accepted load is still wanted, at latest at cycle `give_up`.
    Overload {
        /// The last cycle to ask at.
        give_up: u64,
    },
}

/// By the cycle to give up at: 0 and 1 are none.
impl Archived for Phase {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut word = match *self {
            Self::Warmup => 0,
            Self::Window => 1,
            Self::Overload { give_up } => give_up + 2,
        };
        word.archive(archive);
        *self = match word {
            0 => Self::Warmup,
            1 => Self::Window,
            word => Self::Overload { give_up: word - 2 },
        };
    }
}
