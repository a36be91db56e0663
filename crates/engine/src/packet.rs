//! Packets: what a terminal offers, and what the network remembers of each while it is alive.

use crate::{Candidate, VcMask};
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, NodeId, archived};

/// A packet that a terminal hands to the network in the current cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewPacket {
    /// The terminal that sends it.
    pub source: NodeId,
    /// The terminal that receives it; it may be the source.
    pub destination: NodeId,
    /// Its length, at least 1.
    pub flits: u32,
    /// A random word from the source's own stream: it decides what the routing algorithm leaves
    /// to chance at the source.
    pub entropy: u64,
}

/// A packet in the source queue or in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The cycle in which the source created it.
    pub created: u64,
    /// The cycle in which its head flit entered the source router's injection buffer; `u64::MAX`
    /// while it waits in the source queue.
    pub entered: u64,
    /// The state that the routing algorithm carries with it.
    pub state: u64,
    /// The terminal that sent it.
    pub source: NodeId,
    /// The terminal that receives it.
    pub destination: NodeId,
    /// Its length.
    pub flits: u32,
    /// Router-to-router channels that its head has taken so far.
    pub hops: u32,
    /// The caller's own word, as given to [`Engine::offer_tagged`](crate::Engine::offer_tagged):
    /// the engine only hands it back.
    pub tag: u32,
}

archived! { Packet { created, entered, state, source, destination, flits, hops, tag } }

const NONE: u32 = u32::MAX;

/// A packet, and what the engine keeps beside it: 64 bytes, a line of the cache.
#[derive(Debug, Default)]
struct Slot {
    packet: Packet,
    /// Where the relation is deterministic, what the head wants where it waits; without virtual
    /// channels where the relation has not been asked yet. Of a head parked at its channel, the
    /// input virtual channel takes the place of the channel.
    wanted_vcs: VcMask,
    wanted_channel: ChannelId,
    /// The next packet in the same queue: of a source, or parked at a channel; or the next free slot.
    next: u32,
}

archived! { Slot { packet, wanted_vcs, wanted_channel, next } }

/// The packets that are alive, in slots that are used again, linked into lists where they wait.
#[derive(Debug)]
pub(crate) struct Packets {
    slots: Vec<Slot>,
    free: u32,
}

archived! { Packets { slots, free } }

impl Packets {
    /// Room for `capacity` packets before the first growth.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            slots: Vec::with_capacity(capacity),
            free: NONE,
        }
    }

    /// Puts `packet` into a free slot.
    ///
    /// # Panics
    /// If more than [`PACKETS_MAX`](crate::flit::PACKETS_MAX) packets are alive.
    pub(crate) fn insert(&mut self, packet: Packet) -> u32 {
        let slot = self.free;
        if let Some(place) = self.slots.get_mut(slot as usize) {
            self.free = place.next;
            place.packet = packet;
            return slot;
        }
        assert!(
            self.slots.len() < crate::flit::PACKETS_MAX,
            "more than {} packets alive",
            crate::flit::PACKETS_MAX
        );
        if self.slots.len() == self.slots.capacity() {
            self.grow();
        }
        self.slots.push(Slot {
            packet,
            wanted_vcs: 0,
            wanted_channel: ChannelId(NONE),
            next: NONE,
        });
        self.slots.len() as u32 - 1
    }

    /// Room for a quarter more: of large networks, twice as much would be hundreds of megabytes.
    #[cold]
    fn grow(&mut self) {
        self.slots.reserve_exact(64 + self.slots.len() / 4);
    }

    /// Bytes that the slots take.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_of(&self.slots)
    }

    /// Frees `slot`.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) {
        self.slots[slot as usize].next = self.free;
        self.free = slot;
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &Packet {
        &self.slots[slot as usize].packet
    }

    /// The packet in `slot`, for a probe that may not want it: no panic where there is none, so
    /// that nothing is left where nothing is done with it.
    #[inline]
    pub(crate) fn peek(&self, slot: u32) -> Option<&Packet> {
        self.slots.get(slot as usize).map(|slot| &slot.packet)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.slots[slot as usize].packet
    }

    /// The channel and virtual channels that the head of the packet in `slot` wants where it waits;
    /// no virtual channels where that has not been asked yet.
    #[inline]
    pub(crate) fn wanted(&self, slot: u32) -> Candidate {
        let slot = &self.slots[slot as usize];
        Candidate {
            channel: slot.wanted_channel,
            vcs: slot.wanted_vcs,
            priority: 0,
        }
    }

    #[inline]
    pub(crate) fn set_wanted(&mut self, slot: u32, wanted: Candidate) {
        let slot = &mut self.slots[slot as usize];
        slot.wanted_channel = wanted.channel;
        slot.wanted_vcs = wanted.vcs;
    }

    /// The head of the packet in `slot` waits no more.
    #[inline]
    pub(crate) fn clear_wanted(&mut self, slot: u32) {
        self.slots[slot as usize].wanted_vcs = 0;
    }

    /// The head of the packet in `slot`, at the front of `ivc`, parks at the end of `queue`, for one
    /// of the virtual channels `vcs`.
    #[inline(always)]
    pub(crate) fn park(&mut self, queue: &mut Queue, slot: u32, ivc: u32, vcs: VcMask) {
        let place = &mut self.slots[slot as usize];
        place.wanted_vcs = vcs;
        place.wanted_channel = ChannelId(ivc);
        self.enqueue(queue, slot);
    }

    /// The parked head at `at`, if there is one.
    #[inline(always)]
    pub(crate) fn parked(&self, at: Place) -> Option<Parked> {
        let slot = self.slots.get(at.slot as usize)?;
        Some(Parked {
            ivc: slot.wanted_channel.0,
            vcs: slot.wanted_vcs,
            next: Place {
                slot: slot.next,
                before: at.slot,
            },
        })
    }

    /// Takes the packet at `at` out of `queue`. The place where the next one is now.
    #[inline(always)]
    pub(crate) fn unpark(&mut self, queue: &mut Queue, at: Place) -> Place {
        let next = self.slots[at.slot as usize].next;
        match self.slots.get_mut(at.before as usize) {
            Some(before) => before.next = next,
            None => queue.first = next,
        }
        if queue.last == at.slot {
            queue.last = at.before;
        }
        Place { slot: next, ..at }
    }

    /// Appends `slot` to `queue`.
    pub(crate) fn enqueue(&mut self, queue: &mut Queue, slot: u32) {
        self.slots[slot as usize].next = NONE;
        if queue.first == NONE {
            queue.first = slot;
        } else {
            self.slots[queue.last as usize].next = slot;
        }
        queue.last = slot;
    }

    /// Takes the first packet of `queue`, which is not empty.
    #[inline]
    pub(crate) fn take_first(&self, queue: &mut Queue) -> (u32, &Packet) {
        let slot = queue.first;
        let first = &self.slots[slot as usize];
        queue.first = first.next;
        (slot, &first.packet)
    }

    /// Appends `slot` to `queue`, one hop further.
    #[inline]
    pub(crate) fn pass_on(&mut self, queue: &mut Queue, slot: u32) {
        let passed = &mut self.slots[slot as usize];
        passed.packet.hops += 1;
        passed.next = NONE;
        if queue.first == NONE {
            queue.first = slot;
        } else {
            self.slots[queue.last as usize].next = slot;
        }
        queue.last = slot;
    }

    /// The packets of `queue`, first to last.
    pub(crate) fn iter_queue(&self, queue: &Queue) -> impl Iterator<Item = u32> {
        let mut slot = queue.first;
        std::iter::from_fn(move || {
            let this = slot;
            (this != NONE).then(|| {
                slot = self.slots[this as usize].next;
                this
            })
        })
    }

    /// Takes the first packet of `queue`.
    pub(crate) fn dequeue(&mut self, queue: &mut Queue) -> Option<u32> {
        let slot = queue.first;
        if slot == NONE {
            return None;
        }
        queue.first = self.slots[slot as usize].next;
        Some(slot)
    }
}

/// A list of packets, first in first out, linked through [`Packets`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    first: u32,
    last: u32,
}

archived! { Queue { first, last } }

/// A head that waits at its channel: where it stands, what it may take, and who comes after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parked {
    pub(crate) ivc: u32,
    pub(crate) vcs: VcMask,
    pub(crate) next: Place,
}

/// A place in a queue: a packet, and the one before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) slot: u32,
    before: u32,
}

impl Queue {
    /// The first place.
    #[inline(always)]
    pub(crate) const fn front(self) -> Place {
        Place {
            slot: self.first,
            before: NONE,
        }
    }

    pub(crate) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    /// That of the packet in `slot` alone, to be taken before anything is put behind it.
    pub(crate) const fn of(slot: u32) -> Self {
        Self {
            first: slot,
            last: slot,
        }
    }

    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.first == NONE
    }
}
