//! Which of a network's routers an engine moves: all of them, or a part that shares the work with
//! others ([`Team`](crate::Team)).
//!
//! An engine numbers its routers, and the channels out of them, from 0, in the network's order. In a
//! part, the channels that come in from other parts follow: of these it has the reader's end, and of a
//! channel that leaves the part the sender's end. What crosses goes by [`Mailbox`] and is read at the start
//! of the next cycle, when it first matters: see the README beside the phases.
//!
//! Invariant: what an engine does depends on the network's numbers only; its own are places in arrays.

use crate::kernel::wiring::Wiring;
use crate::post::Post;
use crate::{FlitKind, Packet};
use flitsim_topology::archive::Archived;
use flitsim_topology::{ChannelId, Network, NodeId, archived};
use std::ops::Range;

/// The routers that an engine moves, with what is on its way to them from others. Nothing of it is left in
/// the engine of a whole network.
pub trait Partition: Archived {
    /// Whether there are routers in other hands.
    const IS_PART: bool;

    /// The network's number of a router.
    fn node(&self, router: u32) -> NodeId;

    /// The engine's number of a router that the engine moves.
    fn router(&self, node: NodeId) -> u32;

    /// The network's number of a channel.
    fn global_id(&self, channel: ChannelId) -> ChannelId;

    /// The engine's number of a channel that leaves a router of the engine.
    fn local_id(&self, channel: ChannelId) -> ChannelId;

    /// Where it borders on others.
    ///
    /// # Panics
    /// If it has all routers.
    fn border(&mut self) -> &mut Border;

    /// How many routers there are.
    fn routers(&self, network: &Network) -> u32;

    /// How many of them, the first, have a terminal.
    fn terminals(&self, network: &Network) -> u32;

    /// How many channels there are, those that come in from other parts included.
    fn channels(&self, network: &Network) -> u32;

    /// The engine's numbers of the channels out of a router.
    fn outgoing(&self, network: &Network, router: u32) -> Range<u32>;

    /// The engine's number of a channel into a router.
    fn entering(&self, channel: ChannelId) -> u32;
}

/// All routers of the network.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

archived! { Whole {} }

impl Partition for Whole {
    const IS_PART: bool = false;

    #[inline(always)]
    fn node(&self, router: u32) -> NodeId {
        NodeId(router)
    }

    #[inline(always)]
    fn router(&self, node: NodeId) -> u32 {
        node.0
    }

    #[inline(always)]
    fn global_id(&self, channel: ChannelId) -> ChannelId {
        channel
    }

    #[inline(always)]
    fn local_id(&self, channel: ChannelId) -> ChannelId {
        channel
    }

    fn border(&mut self) -> &mut Border {
        unreachable!("a whole network has no border")
    }

    fn routers(&self, network: &Network) -> u32 {
        network.nodes()
    }

    fn terminals(&self, network: &Network) -> u32 {
        network.terminals()
    }

    fn channels(&self, network: &Network) -> u32 {
        network.channels()
    }

    fn outgoing(&self, network: &Network, router: u32) -> Range<u32> {
        network.outgoing(NodeId(router))
    }

    fn entering(&self, channel: ChannelId) -> u32 {
        channel.0
    }
}

/// Consecutive routers of the network.
#[derive(Debug)]
pub struct Part {
    routers: Range<u32>,
    /// The channels out of them.
    channels: Range<u32>,
    /// The channels into them from other parts, ascending.
    entries: Vec<ChannelId>,
    border: Border,
}

archived! { Part { border; rebuilt routers, channels, entries } }

impl Part {
    /// The routers `routers` of `network`.
    pub(crate) fn new(network: &Network, routers: Range<u32>) -> Self {
        let first = network.outgoing(NodeId(routers.start)).start;
        let end = network.outgoing(NodeId(routers.end - 1)).end;
        let nodes = routers.clone().map(NodeId);
        let incoming = nodes.flat_map(|node| network.incoming(node).to_vec());
        let from_others = incoming.filter(|channel| !(first..end).contains(&channel.0));
        let mut entries: Vec<_> = from_others.collect();
        entries.sort_unstable();
        Self {
            routers,
            channels: first..end,
            entries,
            border: Border::default(),
        }
    }

    /// The network's numbers of the routers.
    pub(crate) fn range(&self) -> &Range<u32> {
        &self.routers
    }

    /// The lanes of flits that have come from other parts and are not taken in yet.
    pub(crate) fn flits_incoming(&self) -> impl Iterator<Item = u32> + '_ {
        let mailboxes = self.border.post.incoming.iter();
        mailboxes.flat_map(|mailbox| mailbox.flits.iter().map(|flit| flit.lane))
    }

    /// The lanes of credits that have come from other parts and are not taken in yet.
    pub(crate) fn credits_incoming(&self) -> impl Iterator<Item = u32> + '_ {
        let mailboxes = self.border.post.incoming.iter();
        mailboxes.flat_map(|mailbox| mailbox.credits.iter().map(|&(lane, _)| lane))
    }

    /// The far ends of the channels that come in, as [`Self::entries`].
    pub(crate) fn origins(&self) -> &[Far] {
        &self.border.origins
    }

    /// The channels that come in from other parts, by the order of their own numbers.
    pub(crate) fn entries(&self) -> &[ChannelId] {
        &self.entries
    }
}

impl Partition for Part {
    const IS_PART: bool = true;

    #[inline(always)]
    fn node(&self, router: u32) -> NodeId {
        NodeId(self.routers.start + router)
    }

    #[inline(always)]
    fn router(&self, node: NodeId) -> u32 {
        // A node of another part gives a number that no router has.
        node.0.wrapping_sub(self.routers.start)
    }

    #[inline(always)]
    fn global_id(&self, channel: ChannelId) -> ChannelId {
        let own = self.channels.end - self.channels.start;
        match channel.0.checked_sub(own) {
            None => ChannelId(self.channels.start + channel.0),
            // Not indexed: a panic would keep the number alive for probes that do not look at it.
            Some(entry) => {
                let entry = self.entries.get(entry as usize);
                entry.copied().unwrap_or(ChannelId(u32::MAX))
            }
        }
    }

    #[inline(always)]
    fn local_id(&self, channel: ChannelId) -> ChannelId {
        debug_assert!(self.channels.contains(&channel.0));
        ChannelId(channel.0 - self.channels.start)
    }

    #[inline(always)]
    fn border(&mut self) -> &mut Border {
        &mut self.border
    }

    fn routers(&self, _: &Network) -> u32 {
        self.routers.end - self.routers.start
    }

    fn terminals(&self, network: &Network) -> u32 {
        network
            .terminals()
            .clamp(self.routers.start, self.routers.end)
            - self.routers.start
    }

    fn channels(&self, _: &Network) -> u32 {
        self.channels.end - self.channels.start + self.entries.len() as u32
    }

    fn outgoing(&self, network: &Network, router: u32) -> Range<u32> {
        let channels = network.outgoing(self.node(router));
        channels.start - self.channels.start..channels.end - self.channels.start
    }

    fn entering(&self, channel: ChannelId) -> u32 {
        if self.channels.contains(&channel.0) {
            return channel.0 - self.channels.start;
        }
        let entry = self.entries.binary_search(&channel).expect("it leads here");
        self.channels.end - self.channels.start + entry as u32
    }
}

/// The far end of a channel between two parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Far {
    /// The part that has it.
    pub(crate) part: u32,
    /// The first of its lanes there.
    pub(crate) lane: u32,
}

/// A flit on its way into another part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RemoteFlit {
    /// Its lane, as the part numbers it that it goes to.
    pub(crate) lane: u32,
    /// Its place in the buffer.
    pub(crate) place: u16,
    pub(crate) kind: FlitKind,
    /// When it becomes ready.
    pub(crate) due: u64,
}

archived! { RemoteFlit { lane, place, kind, due } }

/// What one part sends another in a cycle.
#[derive(Debug, Default)]
pub struct Mailbox {
    pub(crate) flits: Vec<RemoteFlit>,
    /// The packets of those that are heads, in their order.
    pub(crate) packets: Vec<Packet>,
    /// The lanes that get a credit, as the receiving part numbers them, and when.
    pub(crate) credits: Vec<(u32, u64)>,
}

archived! { Mailbox { flits, packets, credits } }

impl Mailbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.flits.is_empty() && self.credits.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.flits.clear();
        self.packets.clear();
        self.credits.clear();
    }
}

/// Marks the channels that end in another part: the rest of their place in
/// [`State::ends`](crate::kernel::state::State) is the number of the exit.
pub(crate) const REMOTE: u32 = 1 << 31;

/// Where a part borders on others.
#[derive(Debug, Default)]
pub struct Border {
    /// The far ends of the channels that leave the part, by their marks.
    exits: Vec<Far>,
    /// The far ends of the channels that come in, in the order of their own numbers.
    origins: Vec<Far>,
    /// The first of those lanes.
    first_entry: u32,
    pub(crate) post: Post<Mailbox>,
}

archived! { Border { post; rebuilt exits, origins, first_entry } }

impl Border {
    /// The border of one of `parts` parts: `exits` and `origins` as the fields say, in lanes.
    pub(crate) fn set(&mut self, parts: usize, exits: Vec<Far>, origins: Vec<Far>, wiring: Wiring) {
        let entries = origins.len() << wiring.vc_shift;
        self.first_entry = wiring.first_injection - entries as u32;
        self.exits = exits;
        self.origins = origins;
        self.post = Post::of(parts);
    }

    /// Whether `lane`, not of an injection port, has its sender in another part.
    #[inline(always)]
    pub(crate) fn comes_in(&self, lane: u32) -> bool {
        lane >= self.first_entry
    }

    /// The place in `lane`, which comes in from another part, goes back to its sender.
    #[inline]
    pub(crate) fn return_credit(&mut self, lane: u32, wiring: Wiring, due: u64) {
        let far = self.origins[((lane - self.first_entry) >> wiring.vc_shift) as usize];
        let there = far.lane + wiring.vc_of(lane);
        self.post.outgoing[far.part as usize]
            .credits
            .push((there, due));
    }

    /// A flit crosses over virtual channel `vc` of the exit that `mark` says, with its packet where it
    /// is a head.
    #[inline]
    pub(crate) fn send(&mut self, mark: u32, vc: u32, flit: RemoteFlit, packet: Option<Packet>) {
        let far = self.exits[(mark & !REMOTE) as usize];
        let mailbox = &mut self.post.outgoing[far.part as usize];
        mailbox.packets.extend(packet);
        mailbox.flits.push(RemoteFlit {
            lane: far.lane + vc,
            ..flit
        });
    }
}
