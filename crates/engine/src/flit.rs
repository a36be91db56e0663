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

impl Flit {
    /// In a word: an engine has fewer than 2³⁰ packets.
    pub(crate) const fn word(self) -> u32 {
        self.packet << 2 | self.kind.index() as u32
    }

    /// That of a word.
    pub(crate) const fn of_word(word: u32) -> Self {
        Self {
            packet: word >> 2,
            kind: FlitKind {
                head: word & 2 != 0,
                tail: word & 1 != 0,
            },
        }
    }
}

/// Packets that can be alive at once: a lane keeps a bit beside the number of one.
pub(crate) const PACKETS_MAX: usize = 1 << 30;
