//! How routers are wired, for the passes.
//!
//! A channel has a [slot](super::slots) at both ends. An input's place in masks is another: ports are in the order of
//! their channels' numbers, as arbiters take them.

use super::block::{Input, Kind, Reach, SLOTS_MAX, Wires};
use super::pass::Inbox;
use super::row::Word;
use super::slots::Slots;
use crate::routing::Way;
use flitsim_topology::{ChannelId, Direction, Network, NodeId};
use std::collections::BTreeMap;
use std::ops::Range;

/// No channel.
const NONE: u32 = u32::MAX;

/// The wiring of a network, whatever the blocks.
#[derive(Debug)]
struct Wiring {
    slots: Slots,
    /// By router: the ports that have a channel, as bits.
    ports: Vec<u16>,
    /// By router and port, injection left out; taken when the routers are built.
    inlets: Vec<Inlet>,
}

/// The wiring of a network, in blocks.
#[derive(Debug)]
pub(super) struct Links<W: Word, const V: usize> {
    wiring: Wiring,
    pub(super) kinds: Vec<Kind<W, V>>,
    /// By block.
    pub(super) kind_of: Vec<u32>,
    /// Where neighbours are at no fixed distances, by block, side and slot, for each of its routers: the place in planes of
    /// who sends there, and of who receives. Else empty.
    ends: Vec<u32>,
    /// By virtual channel its bit of its port, and by bit the virtual channel.
    pub(super) bit_of: [u8; V],
    pub(super) vc_of: [u8; V],
}

/// A channel's end at its receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlet {
    channel: u32,
    pub(super) slot: u32,
}

impl Inlet {
    /// That of an injection port.
    pub(super) fn injection(slots: usize) -> Self {
        Self {
            channel: NONE,
            slot: slots as u32,
        }
    }

    #[inline(always)]
    pub(super) fn channel(self) -> Option<ChannelId> {
        (self.channel != NONE).then_some(ChannelId(self.channel))
    }
}

impl Wiring {
    fn new(network: &Network) -> Self {
        let nodes = network.nodes() as usize;
        let of_all = Slots::of(network);
        let slots = of_all.count;
        let mut inlets = Vec::with_capacity(nodes * slots);
        let mut ports = Vec::with_capacity(nodes);
        let nodes_in_turn = || (0..nodes as u32).map(NodeId);
        let slot_of = |channel: &ChannelId| of_all.of_channel(*channel) as u32;
        // A port without a channel keeps the place that it has elsewhere, so that a slot of a grid has the same at all
        // routers, but where it wraps or has a dimension of two nodes.
        let widest = nodes_in_turn().find(|&node| network.incoming(node).len() == slots);
        let (mut usual, mut own) = ((0..slots as u32).collect(), Vec::new());
        if let Some(node) = widest {
            let incoming = network.incoming(node);
            order_ports(slots, incoming.iter().map(slot_of), &mut usual);
        }
        for node in nodes_in_turn() {
            let incoming = network.incoming(node);
            let place = |slot: u32| usual.iter().position(|&other| other == slot);
            let mut order = &usual;
            if !incoming.is_sorted_by_key(|channel| place(slot_of(channel))) {
                order_ports(slots, incoming.iter().map(slot_of), &mut own);
                order = &own;
            }
            let mut with_channel = 0;
            for (port, &slot) in order.iter().enumerate() {
                let channel = incoming.iter().find(|channel| slot_of(channel) == slot);
                with_channel |= u16::from(channel.is_some()) << port;
                let channel = channel.map_or(NONE, |channel| channel.0);
                inlets.push(Inlet { channel, slot });
            }
            ports.push(with_channel);
        }
        Self {
            slots: of_all,
            ports,
            inlets,
        }
    }

    /// The kinds of blocks of `lanes` routers, and the kind of every block. Of a kind, the wires of a router side by
    /// side.
    fn sorted_blocks(&self, network: &Network, lanes: usize) -> (Vec<Vec<Wire>>, Vec<u32>) {
        let mut known: BTreeMap<Vec<Wire>, u32> = BTreeMap::new();
        let (mut kinds, mut kind_of) = (Vec::new(), Vec::new());
        for first in (0..network.nodes() as usize).step_by(lanes) {
            let slots = 0..self.slots.count;
            let mut wires = Vec::with_capacity(lanes * slots.len());
            for node in first..first + lanes {
                let slots = slots.clone();
                wires.extend(slots.map(|slot| self.wire(network, node, slot)));
            }
            let next = known.len() as u32;
            let kind = *known.entry(wires).or_insert_with_key(|wires| {
                kinds.push(wires.clone());
                next
            });
            kind_of.push(kind);
        }
        (kinds, kind_of)
    }

    fn wire(&self, network: &Network, node: usize, slot: usize) -> Wire {
        if node >= network.nodes() as usize {
            return Wire::default();
        }
        let ports = &self.inlets[node * self.slots.count..][..self.slots.count];
        let rank = ports.iter().position(|inlet| inlet.slot as usize == slot);
        let rank = rank.expect("a port for every slot");
        let incoming = ports[rank].channel();
        // In no grid, where they are does not tell blocks apart.
        if network.grid().is_none() {
            let rank = incoming.map_or(0, |_| rank as u8);
            let (source, target) = (incoming.map(|_| 0), None);
            return Wire {
                source,
                target,
                rank,
            };
        }
        let ahead = |other: NodeId| other.0 as i32 - node as i32;
        let outgoing = network
            .outgoing(NodeId(node as u32))
            .find(|&channel| self.slots.of_channel(ChannelId(channel)) == slot);
        Wire {
            source: incoming.map(|channel| ahead(network.source(channel))),
            target: outgoing.map(|channel| ahead(network.target(ChannelId(channel)))),
            rank: rank as u8,
        }
    }

    /// As [`Links::ends`], of blocks of `lanes` routers. The first place of planes is of no router.
    fn ends(&self, network: &Network, lanes: usize) -> Vec<u32> {
        let (nodes, slots) = (network.nodes() as usize, self.slots.count);
        let each = slots * lanes;
        let mut ends = vec![0; nodes.div_ceil(lanes) * 2 * each];
        let mut set = |node: NodeId, side: usize, slot: usize, other: NodeId| {
            let (block, lane) = (node.index() / lanes, node.index() % lanes);
            let place = (2 * block + side) * each + slot * lanes + lane;
            ends[place] = (other.index() + lanes) as u32;
        };
        for channel in (0..network.channels()).map(ChannelId) {
            let slot = self.slots.of_channel(channel);
            let (source, target) = (network.source(channel), network.target(channel));
            set(target, 0, slot, source);
            set(source, 1, slot, target);
        }
        ends
    }
}

/// The slots of a router's `count` ports in their order, of which those with a channel, `slots`, come first.
fn order_ports(count: usize, slots: impl Iterator<Item = u32>, order: &mut Vec<u32>) {
    order.clear();
    order.extend(slots);
    for slot in 0..count as u32 {
        if !order.contains(&slot) {
            order.push(slot);
        }
    }
}

/// How far the ends of the channels of one slot are, and by lane whether it is the farther way.
struct Span {
    near: i32,
    far: Option<i32>,
    wraps: Vec<bool>,
}

impl Span {
    fn of(ends: &[Option<i32>]) -> Self {
        let mut known = ends.iter().copied().flatten();
        let near = known.next().unwrap_or(0);
        let far = known.find(|&ahead| ahead != near);
        let wraps = ends.iter().map(|end| {
            let ahead = end.unwrap_or(near);
            assert!(ahead == near || Some(ahead) == far, "a slot leads two ways");
            ahead != near
        });
        Self {
            near,
            far,
            wraps: wraps.collect(),
        }
    }
}

impl<W: Word, const V: usize> Links<W, V> {
    /// Those of `network`. Every port has `ways` into the switch, which its virtual channels take in
    /// turn: those of a way stand side by side in masks.
    pub(super) fn new(network: &Network, ways: usize) -> Self {
        let a_way = V / ways;
        let wiring = Wiring::new(network);
        let slots = wiring.slots.count;
        assert!(slots <= SLOTS_MAX && (slots + 1) * V <= 8 * size_of::<W>());
        let (kinds, kind_of) = wiring.sorted_blocks(network, W::LANES);
        let mut links = Self {
            wiring,
            kinds: Vec::new(),
            kind_of,
            ends: Vec::new(),
            bit_of: std::array::from_fn(|vc| (vc % ways * a_way + vc / ways) as u8),
            vc_of: std::array::from_fn(|bit| (bit % a_way * ways + bit / a_way) as u8),
        };
        if network.grid().is_none() {
            links.ends = links.wiring.ends(network, W::LANES);
        }
        links.kinds = kinds.iter().map(|wires| links.kind(ways, wires)).collect();
        links
    }

    /// What the neighbours of `block`, whose first router is at `base` in the `planes`, sent and passed on. In `gathered` where
    /// they are at no fixed distances.
    #[inline(always)]
    pub(super) fn inbox<'a>(
        &self,
        block: usize,
        planes: [&'a [W]; 2],
        base: usize,
        gathered: &'a mut [Vec<W>; 2],
    ) -> Inbox<'a, W> {
        if self.ends.is_empty() {
            let [sent, passed] = planes;
            return Inbox { sent, passed, base };
        }
        self.gather(block, planes, gathered);
        let [sent, passed] = &*gathered;
        Inbox {
            sent,
            passed,
            base: 0,
        }
    }

    #[inline(never)]
    fn gather(&self, block: usize, planes: [&[W]; 2], gathered: &mut [Vec<W>; 2]) {
        let count = self.slots() * W::LANES;
        let sides = self.ends[2 * count * block..].chunks(count);
        for ((words, plane), ends) in gathered.iter_mut().zip(planes).zip(sides) {
            for (word, &end) in words.iter_mut().zip(ends) {
                *word = plane[end as usize];
            }
        }
    }

    /// Room for what [`Links::inbox`] gathers.
    pub(super) fn room(&self) -> [Vec<W>; 2] {
        let count = match self.ends.is_empty() {
            true => 0,
            false => self.slots() * W::LANES,
        };
        [(); 2].map(|()| vec![W::of(0); count])
    }

    /// Channels out of a router, and into it.
    #[inline(always)]
    pub(super) fn slots(&self) -> usize {
        self.wiring.slots.count
    }

    /// Keeps the blocks of `routers` alone, which begin with a block. They, as indices.
    pub(super) fn keep(&mut self, routers: &Range<u32>) -> Range<usize> {
        let routers = routers.start as usize..routers.end as usize;
        assert!(routers.start.is_multiple_of(W::LANES), "a block for itself");
        let blocks = routers.start / W::LANES..routers.end.div_ceil(W::LANES);
        self.kind_of.truncate(blocks.end);
        self.kind_of.drain(..blocks.start);
        let each = 2 * self.slots() * W::LANES;
        self.ends.truncate(blocks.end * each);
        self.ends
            .drain(..(blocks.start * each).min(self.ends.len()));
        self.ends.shrink_to_fit();
        let all = std::mem::take(&mut self.kinds);
        let mut all: Vec<_> = all.into_iter().map(Some).collect();
        let mut places = vec![0; all.len()];
        for kind in &mut self.kind_of {
            let place = &mut places[*kind as usize];
            if let Some(kept) = all[*kind as usize].take() {
                *place = self.kinds.len() as u32;
                self.kinds.push(kept);
            }
            *kind = *place;
        }
        routers
    }

    /// The input virtual channels of `routers` in the order of masks, each made of where its flits come in and its
    /// number. Once.
    pub(super) fn take_ivcs<T: Copy>(
        &mut self,
        routers: &Range<usize>,
        new: impl Fn(Inlet, u8) -> T,
    ) -> Vec<T> {
        let (slots, inlets) = (self.slots(), std::mem::take(&mut self.wiring.inlets));
        let mut ivcs = Vec::with_capacity(routers.len() * (slots + 1) * V);
        for router in routers.clone() {
            for port in 0..=slots {
                let inlet = match port < slots {
                    true => inlets[router * slots + port],
                    false => Inlet::injection(slots),
                };
                for vc in self.vc_of {
                    ivcs.push(new(inlet, vc));
                }
            }
        }
        ivcs
    }

    /// Blocks whose routers have `wires`, those of a router side by side.
    fn kind(&self, ways: usize, wires: &[Wire]) -> Kind<W, V> {
        let bit = |port: usize, vc: usize| (port * V) as u32 + u32::from(self.bit_of[vc]);
        let slot = |slot: usize| {
            let lanes: Vec<Wire> = wires
                .chunks(self.slots())
                .map(|wires| wires[slot])
                .collect();
            let reach = |end| match self.ends.is_empty() {
                true => reach(&lanes, end),
                false => Reach::at(slot * W::LANES),
            };
            Wires {
                source: reach(|wire| wire.source),
                target: reach(|wire| wire.target),
                input: Input::new(ways, |lane, vc| {
                    let wire = lanes[lane];
                    wire.source.map(|_| bit(usize::from(wire.rank), vc))
                }),
            }
        };
        Kind {
            slots: (0..self.slots()).map(slot).collect(),
            injection: Input::new(ways, |_, vc| Some(bit(self.slots(), vc))),
        }
    }

    /// The slot of a way on.
    #[inline(always)]
    pub(super) fn slot_of(&self, way: Way) -> usize {
        let slots = &self.wiring.slots;
        match way {
            Way::Step(dimension, direction) => {
                let slots = slots.by_step[dimension & SLOTS_MAX];
                usize::from(slots[usize::from(direction == Direction::Down)])
            }
            Way::Channel(channel) => slots.of_channel(channel),
        }
    }

    /// The input virtual channel at `bit` of router `node` as draws have it, which know only ports with a channel. Of ports
    /// with one way.
    #[inline(always)]
    pub(super) fn local_of(&self, node: usize, bit: usize) -> usize {
        let before = self.wiring.ports[node] & ((1 << (bit / V)) - 1);
        before.count_ones() as usize * V.next_power_of_two() + bit % V
    }

    /// Bytes of its lists by channel and by router.
    pub(super) fn bytes(&self) -> usize {
        let ends = size_of_val(&*self.ends) + size_of_val(&*self.wiring.ports);
        let kinds =
            self.kinds.len() * (size_of::<Kind<W, V>>() + self.slots() * size_of::<Wires<W, V>>());
        self.wiring.slots.bytes() + ends + kinds
    }

    /// The router that `channel` ends at, and its first input virtual channel in masks.
    pub(super) fn end_of(&self, network: &Network, channel: ChannelId) -> (NodeId, usize) {
        let target = network.target(channel);
        let ports = &self.wiring.inlets[target.index() * self.slots()..][..self.slots()];
        let rank = ports
            .iter()
            .position(|inlet| inlet.channel() == Some(channel));
        (target, rank.expect("every channel ends at a port") * V)
    }
}

fn reach<W: Word>(lanes: &[Wire], end: fn(&Wire) -> Option<i32>) -> Reach<W> {
    let span = Span::of(&lanes.iter().map(end).collect::<Vec<_>>());
    let mut wraps = W::of(0).row();
    for (lane, &is_far) in span.wraps.iter().enumerate() {
        if is_far {
            wraps.set(lane, u64::MAX);
        }
    }
    Reach {
        near: span.near as isize,
        far: span.far.map(|far| far as isize),
        wraps,
    }
}

/// A router's channels of one slot: in a grid how many routers ahead the ends are; else whether there is one into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Wire {
    source: Option<i32>,
    target: Option<i32>,
    rank: u8,
}
