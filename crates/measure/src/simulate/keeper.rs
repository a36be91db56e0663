//! Points that go on where an earlier run was killed.
//!
//! Invariant: a point that was interrupted any number of times gives the same result as one that never
//! was. State is taken between two cycles, when nothing is decided and no phase is under way.

use flitsim_topology::archive::Archive;
use std::io;

/// Keeps the state of one point. The keeper itself writes and checks what tells the point from others,
/// and this program from other versions of it.
pub trait Keeper: Sync {
    /// Whether it is time to keep the state, when the next cycle is `cycle`; `is_last` where the point is
    /// being given up. Asked every few hundred cycles.
    fn is_due(&self, cycle: u64, is_last: bool) -> bool;

    /// Keeps what `save` writes.
    fn keep(&self, save: &mut dyn FnMut(&mut Archive<'_>));

    /// What was kept, from where `save` began; `None` where the point begins anew.
    ///
    /// # Errors
    /// The system's error.
    fn kept(&self) -> io::Result<Option<Archive<'_>>>;
}
