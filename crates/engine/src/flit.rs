//! A flit is 32 bits: the slot of its packet, and whether it is the head or the tail.

/// Where in its packet a flit stands. A packet of one flit is both head and tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlitKind {
    /// The first flit of its packet: it routes.
    pub head: bool,
    /// The last flit of its packet: it frees what the head claimed.
    pub tail: bool,
}
