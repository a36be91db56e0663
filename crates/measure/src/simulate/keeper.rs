//! Points that go on where an earlier run was killed.
//!
//! Invariant: a point that went on any number of times gives the same result as one that nothing happened
//! to. State is taken between two cycles, where nothing is decided and nothing is under way in a phase.

use flitsim_topology::archive::Archive;
use std::io;

/// Keeps the state of one point. What tells the point from others, and this program from other versions of
/// it, is the keeper's to write and to check.
pub trait Keeper: Sync {
    /// Whether it is time to keep the state, when the next cycle is `cycle`; `is_last` where the point is
    /// being given up. Asked every few hundred cycles.
    fn is_due(&self, cycle: u64, is_last: bool) -> bool;

    /// Keeps what `save` writes.
    fn keep(&self, save: &mut dyn FnMut(&mut Archive<'_>));

    /// What was kept, from where `save` began; `None` where the point begins anew.
    ///
    /// # Errors
    /// What the system says.
    fn kept(&self) -> io::Result<Option<Archive<'_>>>;
}
