//! How routers are wired, whatever the width of their rows.
//!
//! A channel has a [slot](super::slots) at both ends. An input's place in masks is another: ports are in the order of
//! their channels' numbers, as arbiters take them.

use super::block::Span;
use super::slots::Slots;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::BTreeMap;
use std::ops::Range;

/// No channel.
const NONE: u32 = u32::MAX;

/// The wiring of a network, whatever the blocks.
#[derive(Debug)]
pub(super) struct Wiring {
    pub(super) slots: Slots,
    /// By router: the ports that have a channel, as bits.
    pub(super) ports: Vec<u16>,
    /// By router and port, injection left out; taken when the routers are built.
    inlets: Vec<Inlet>,
}

/// A channel's end at its receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inlet {
    channel: u32,
    pub(super) slot: u32,
}

impl Inlet {
    /// That of an injection port.
    fn injection(slots: usize) -> Self {
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

/// A channel out of a router.
pub(super) struct OutputChannel {
    /// The router, among those simulated, and the slot.
    pub(super) router: usize,
    pub(super) slot: usize,
    pub(super) channel: ChannelId,
    /// Where it ends: the router, and the port's place in masks.
    pub(super) target: NodeId,
    pub(super) rank: usize,
}

impl Wiring {
    pub(super) fn new(network: &Network) -> Self {
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

    /// The kinds of blocks of `lanes` of the `routers`, by slot, and the kind of every block.
    pub(super) fn sorted_blocks(
        &self,
        network: &Network,
        routers: &Range<u32>,
        lanes: usize,
    ) -> (Vec<Vec<Port>>, Vec<u32>) {
        let mut known: BTreeMap<Vec<Wire>, u32> = BTreeMap::new();
        let (mut kinds, mut kind_of) = (Vec::new(), Vec::new());
        for first in (routers.start as usize..routers.end as usize).step_by(lanes) {
            let slots = 0..self.slots.count;
            let mut wires = Vec::with_capacity(lanes * slots.len());
            for node in first..first + lanes {
                let slots = slots.clone();
                wires.extend(slots.map(|slot| self.wire(network, lanes, node, slot)));
            }
            let next = known.len() as u32;
            let kind = *known.entry(wires).or_insert_with_key(|wires| {
                let ports =
                    slots.map(|slot| Port::of(wires[slot..].iter().step_by(self.slots.count)));
                kinds.push(ports.collect());
                next
            });
            kind_of.push(kind);
        }
        (kinds, kind_of)
    }

    fn wire(&self, network: &Network, lanes: usize, node: usize, slot: usize) -> Wire {
        if node >= network.nodes() as usize {
            return Wire::default();
        }
        let ports = &self.inlets[node * self.slots.count..][..self.slots.count];
        let rank = ports.iter().position(|inlet| inlet.slot as usize == slot);
        let rank = rank.expect("a port for every slot");
        let incoming = ports[rank].channel();
        let rank = incoming.map(|_| rank as u8);
        // In no grid both are gathered, slot after slot.
        if network.grid().is_none() {
            let gathered = Some((slot * lanes) as i32);
            return Wire {
                source: gathered,
                target: gathered,
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
            rank,
        }
    }

    /// Where neighbours are at no fixed distances, by block of `lanes` of the `routers`, side and slot, for each of its
    /// routers: the place in planes of who sends there, and of who receives. Else empty. The first place of planes is of no
    /// router.
    pub(super) fn ends(&self, network: &Network, routers: &Range<u32>, lanes: usize) -> Vec<u32> {
        if network.grid().is_some() {
            return Vec::new();
        }
        let each = self.slots.count * lanes;
        let mut ends = vec![0; routers.len().div_ceil(lanes) * 2 * each];
        let mut set = |node: NodeId, side: usize, slot: usize, other: NodeId| {
            if routers.contains(&node.0) {
                let router = (node.0 - routers.start) as usize;
                let (block, lane) = (router / lanes, router % lanes);
                let place = (2 * block + side) * each + slot * lanes + lane;
                ends[place] = (other.index() + lanes) as u32;
            }
        };
        for channel in (0..network.channels()).map(ChannelId) {
            let slot = self.slots.of_channel(channel);
            let (source, target) = (network.source(channel), network.target(channel));
            set(target, 0, slot, source);
            set(source, 1, slot, target);
        }
        ends
    }

    /// The channels out of the `routers`.
    pub(super) fn outputs<'a>(
        &'a self,
        network: &'a Network,
        routers: &Range<u32>,
    ) -> impl Iterator<Item = OutputChannel> + 'a {
        let nodes = routers.clone().map(NodeId).enumerate();
        let channels = nodes.flat_map(|(router, node)| {
            let channels = network.outgoing(node).map(ChannelId);
            channels.map(move |channel| (router, channel))
        });
        channels.map(|(router, channel)| self.output(network, router, channel))
    }

    #[inline(never)]
    fn output(&self, network: &Network, router: usize, channel: ChannelId) -> OutputChannel {
        let target = network.target(channel);
        let inlets = &self.inlets[target.index() * self.slots.count..][..self.slots.count];
        let mut inlets = inlets.iter();
        let rank = inlets.position(|inlet| inlet.channel() == Some(channel));
        OutputChannel {
            router,
            slot: self.slots.of_channel(channel),
            channel,
            target,
            rank: rank.expect("every channel ends at a port"),
        }
    }

    /// The input virtual channels of the `routers` in the order of masks, those of a port as in `vcs`, each made of where
    /// its flits come in and its number. Once.
    pub(super) fn take_ivcs<T>(
        &mut self,
        routers: &Range<u32>,
        vcs: &[u8],
        new: impl Fn(Inlet, u8) -> T,
    ) -> Vec<T> {
        let (slots, inlets) = (self.slots.count, std::mem::take(&mut self.inlets));
        let mut ivcs = Vec::with_capacity(routers.len() * (slots + 1) * vcs.len());
        for router in routers.clone() {
            let inlets = inlets[router as usize * slots..][..slots].iter().copied();
            for inlet in inlets.chain([Inlet::injection(slots)]) {
                ivcs.extend(vcs.iter().map(|&vc| new(inlet, vc)));
            }
        }
        ivcs
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

/// A slot of blocks whose routers are wired alike.
pub(super) struct Port {
    pub(super) source: Span,
    pub(super) target: Span,
    /// By lane the port's place in masks; none where no channel comes in.
    pub(super) ranks: Vec<Option<u8>>,
}

impl Port {
    /// That of routers with such `wires`.
    fn of<'a>(wires: impl Iterator<Item = &'a Wire>) -> Self {
        let wires: Vec<Wire> = wires.copied().collect();
        Self {
            source: Span::of(wires.iter().map(|wire| wire.source)),
            target: Span::of(wires.iter().map(|wire| wire.target)),
            ranks: wires.iter().map(|wire| wire.rank).collect(),
        }
    }
}

/// A router's channels of one slot: how far ahead in planes, or in what is gathered, the ends are; and the place in masks
/// of the port that has the one into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Wire {
    source: Option<i32>,
    target: Option<i32>,
    rank: Option<u8>,
}
