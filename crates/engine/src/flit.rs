//! A flit is 32 bits: the slot of its packet, and whether it is the head or the tail. Buffers count
//! flits and do not store them: what a flit is follows from what the head said.

/// Where in its packet a flit stands. A packet of one flit is both head and tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlitKind {
    /// The first flit of its packet: it routes.
    pub head: bool,
    /// The last flit of its packet: it frees what the head claimed.
    pub tail: bool,
}

impl FlitKind {
    /// A number below four for each kind.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        (self.head as usize) << 1 | self.tail as usize
    }
}

/// A flit that is about to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flit(u32);

/// Packets that can be alive at once: what 30 bits can name.
pub(crate) const PACKETS_MAX: usize = 1 << 30;

impl Flit {
    #[inline]
    pub(crate) const fn new(packet: u32, kind: FlitKind) -> Self {
        debug_assert!((packet as usize) < PACKETS_MAX);
        Self(packet << 2 | kind.index() as u32)
    }

    /// The slot of its packet.
    #[inline]
    pub(crate) const fn packet(self) -> u32 {
        self.0 >> 2
    }

    /// The head of the packet in slot `packet`, of `flits` flits.
    #[inline]
    pub(crate) const fn first_of(packet: u32, flits: u32) -> Self {
        let kind = FlitKind {
            head: true,
            tail: flits == 1,
        };
        Self::new(packet, kind)
    }

    /// The flit behind this one, where `remaining` flits are left, this one excepted.
    #[inline(always)]
    pub(crate) const fn following(self, remaining: u32) -> Self {
        Self(self.0 & !3 | (remaining == 1) as u32)
    }

    #[inline]
    pub(crate) const fn kind(self) -> FlitKind {
        FlitKind {
            head: self.0 & 2 != 0,
            tail: self.0 & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_and_unpacks() {
        for (head, tail) in [(false, false), (true, false), (false, true), (true, true)] {
            let kind = FlitKind { head, tail };
            let flit = Flit::new(PACKETS_MAX as u32 - 1, kind);
            assert_eq!(flit.packet(), PACKETS_MAX as u32 - 1);
            assert_eq!(flit.kind(), kind);
        }
    }
}
