//! What goes from one part of a network to the others.

use flitsim_topology::archive::Archived;
use flitsim_topology::archived;

/// Mail, by the part that it goes to, and by the one that it has come from.
#[derive(Debug, Default)]
pub struct Post<M> {
    pub(crate) outgoing: Vec<M>,
    pub(crate) incoming: Vec<M>,
}

// Between two cycles nothing waits to be sent: what is left there is written over.
archived! { Post<M> where [M: Archived] { ; fixed incoming; rebuilt outgoing } }

impl<M: Default> Post<M> {
    /// For `parts` parts, without mail.
    pub(crate) fn of(parts: usize) -> Self {
        let none = || (0..parts).map(|_| M::default()).collect();
        Self {
            outgoing: none(),
            incoming: none(),
        }
    }
}
