//! A flit: its packet, and whether it is the head or the tail. Buffers count flits and do not store
//! them: a packet is split into flits wherever these leave, by `Lane::take_next`.

/// Where in its packet a flit stands. A packet of one flit is both head and tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlitKind {
    /// The first flit of its packet: it routes.
    pub head: bool,
    /// The last flit of its packet: it frees what the head claimed.
    pub tail: bool,
}

flitsim_topology::archived! { FlitKind { head, tail } }

impl FlitKind {
    /// A number below four for each kind.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        (self.head as usize) << 1 | self.tail as usize
    }
}

/// A flit that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flit {
    /// The slot of its packet.
    pub(crate) packet: u32,
    pub(crate) kind: FlitKind,
}

/// Packets that can be alive at once: a lane keeps a bit beside the number of one.
pub(crate) const PACKETS_MAX: usize = 1 << 30;
