//! How the routers of a grid are wired, for the passes.
//!
//! A *slot* is a way in which channels lead, a dimension and a direction; where a dimension has two
//! nodes and a link, both directions are one slot. A channel has the same slot at both ends. An input's
//! place in masks is another: ports are in the order of their channels' numbers, as arbiters take them.

use super::block::{Input, Kind, Reach, SLOTS_MAX, Wires};
use super::row::Word;
use crate::routing::Way;
use flitsim_topology::{ChannelId, Direction, Ends, Grid, Network, NodeId};
use std::collections::BTreeMap;
use std::ops::Range;

/// No channel.
const NONE: u32 = u32::MAX;

/// The wiring of a network, whatever the blocks.
#[derive(Debug)]
struct Wiring {
    /// Channels out of a router, and into it.
    slots: usize,
    /// By dimension, upward and downward, and by channel: the slot.
    by_step: [[u8; 2]; SLOTS_MAX + 1],
    by_channel: Vec<u8>,
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

/// The slots of a grid: by dimension, upward and downward.
fn slots_of(grid: &Grid) -> impl Iterator<Item = [u8; 2]> {
    let mut next = 0;
    (0..grid.dimensions()).map(move |dimension| {
        let up = next;
        let is_pair = grid.ends() != Ends::DirectedRing && grid.radices()[dimension] > 2;
        let down = up + u8::from(is_pair);
        next = down + 1;
        [up, down]
    })
}

/// How many slots the routers of `grid` have.
pub(super) fn slots(grid: &Grid) -> usize {
    let last = slots_of(grid).last();
    last.map_or(0, |[_, down]| usize::from(down) + 1)
}

impl Wiring {
    fn new(network: &Network, grid: &Grid) -> Self {
        let slots = slots(grid);
        let nodes = network.nodes() as usize;
        let mut by_step = [[0; 2]; SLOTS_MAX + 1];
        for (place, slots) in by_step.iter_mut().zip(slots_of(grid)) {
            *place = slots;
        }
        let channels = (0..network.channels()).map(ChannelId);
        let by_channel = channels.map(|channel| {
            let step = grid.step(channel);
            let down = usize::from(step.direction == Direction::Down);
            by_step[step.dimension as usize][down]
        });
        let by_channel: Vec<u8> = by_channel.collect();
        let mut inlets = Vec::with_capacity(nodes * slots);
        let mut ports = Vec::with_capacity(nodes);
        let nodes_in_turn = || (0..nodes as u32).map(NodeId);
        let slot_of = |channel: &ChannelId| u32::from(by_channel[channel.index()]);
        // A port without a channel keeps the place that it has elsewhere, so that a slot has the same at all routers, but
        // where the grid wraps or has a dimension of two nodes.
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
            slots,
            by_step,
            by_channel,
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
            let mut wires = Vec::with_capacity(lanes * self.slots);
            for node in first..first + lanes {
                let slots = 0..self.slots;
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
        let ahead = |other: NodeId| other.0 as i32 - node as i32;
        let ports = &self.inlets[node * self.slots..][..self.slots];
        let rank = ports.iter().position(|inlet| inlet.slot as usize == slot);
        let rank = rank.expect("a port for every slot");
        let incoming = ports[rank].channel();
        let outgoing = network
            .outgoing(NodeId(node as u32))
            .find(|&channel| usize::from(self.by_channel[channel as usize]) == slot);
        Wire {
            source: incoming.map(|channel| ahead(network.source(channel))),
            target: outgoing.map(|channel| ahead(network.target(ChannelId(channel)))),
            rank: rank as u8,
        }
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
    /// Those of `network`, which is `grid`. Every port has `ways` into the switch, which its virtual channels take in
    /// turn: those of a way stand side by side in masks.
    pub(super) fn new(network: &Network, grid: &Grid, ways: usize) -> Self {
        let a_way = V / ways;
        let wiring = Wiring::new(network, grid);
        let slots = wiring.slots;
        assert!(slots <= SLOTS_MAX && (slots + 1) * V <= 8 * size_of::<W>());
        let (kinds, kind_of) = wiring.sorted_blocks(network, W::LANES);
        let mut links = Self {
            wiring,
            kinds: Vec::new(),
            kind_of,
            bit_of: std::array::from_fn(|vc| (vc % ways * a_way + vc / ways) as u8),
            vc_of: std::array::from_fn(|bit| (bit % a_way * ways + bit / a_way) as u8),
        };
        links.kinds = kinds.iter().map(|wires| links.kind(ways, wires)).collect();
        links
    }

    /// Channels out of a router, and into it.
    #[inline(always)]
    pub(super) fn slots(&self) -> usize {
        self.wiring.slots
    }

    /// Keeps the blocks of `routers` alone, which begin with a block. They, as indices.
    pub(super) fn keep(&mut self, routers: &Range<u32>) -> Range<usize> {
        let routers = routers.start as usize..routers.end as usize;
        assert!(routers.start.is_multiple_of(W::LANES), "a block for itself");
        self.kind_of.truncate(routers.end.div_ceil(W::LANES));
        self.kind_of.drain(..routers.start / W::LANES);
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
            Wires {
                source: reach(&lanes, |wire| wire.source),
                target: reach(&lanes, |wire| wire.target),
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
        usize::from(match way {
            Way::Step(dimension, direction) => {
                self.wiring.by_step[dimension & SLOTS_MAX]
                    [usize::from(direction == Direction::Down)]
            }
            Way::Channel(channel) => self.wiring.by_channel[channel.index()],
        })
    }

    /// The input virtual channel at `bit` of router `node` as draws have it, which know only ports with a channel. Of ports
    /// with one way.
    #[inline(always)]
    pub(super) fn local_of(&self, node: usize, bit: usize) -> usize {
        let before = self.wiring.ports[node] & ((1 << (bit / V)) - 1);
        before.count_ones() as usize * V + bit % V
    }

    /// Bytes of its lists by channel and by router.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.wiring.by_channel) + size_of_val(&*self.wiring.ports)
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

/// A router's channels of one slot: how many routers ahead the ends are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Wire {
    source: Option<i32>,
    target: Option<i32>,
    rank: u8,
}
