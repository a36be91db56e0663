//! How routers are wired, for the passes.

use super::block::{Input, Kind, Reach, SLOTS_MAX, Wires};
use super::pass::Inbox;
use super::row::Word;
use super::wiring::{Inlet, OutputChannel, Port, Wiring};
use crate::routing::Way;
use flitsim_topology::{Direction, Network};
use std::ops::Range;

/// The wiring of routers, in blocks.
#[derive(Debug)]
pub(super) struct Links<W: Word, const V: usize> {
    /// Of the network.
    wiring: Wiring,
    pub(super) kinds: Vec<Kind<W, V>>,
    /// By block.
    pub(super) kind_of: Vec<u32>,
    /// Where neighbours are gathered, their places in planes: see [`Wiring::ends`].
    ends: Vec<u32>,
    /// By virtual channel its bit of its port, and by bit the virtual channel.
    pub(super) bit_of: [u8; V],
    pub(super) vc_of: [u8; V],
}

impl<W: Word, const V: usize> Links<W, V> {
    /// Those of the `routers` of `network`, which begin with a block. Every port has `ways` into the switch, which its
    /// virtual channels take in turn: those of a way stand side by side in masks.
    pub(super) fn new(network: &Network, ways: usize, routers: &Range<u32>) -> Self {
        let a_way = V / ways;
        let wiring = Wiring::new(network);
        let slots = wiring.slots.count;
        assert!(slots <= SLOTS_MAX && (slots + 1) * V <= 8 * size_of::<W>());
        assert!(
            routers.start.is_multiple_of(W::LANES as u32),
            "a block for itself"
        );
        let (kinds, kind_of) = wiring.sorted_blocks(network, routers, W::LANES);
        let kinds = kinds.iter().map(|ports| Self::kind(ways, ports));
        Self {
            kinds: kinds.collect(),
            kind_of,
            ends: wiring.ends(network, routers, W::LANES),
            wiring,
            bit_of: std::array::from_fn(|vc| (vc % ways * a_way + vc / ways) as u8),
            vc_of: std::array::from_fn(|bit| (bit % a_way * ways + bit / a_way) as u8),
        }
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

    /// The input virtual channels of `routers` in the order of masks, each made of where its flits come in and its number.
    /// Once.
    pub(super) fn take_ivcs<T>(
        &mut self,
        routers: &Range<u32>,
        new: impl Fn(Inlet, u8) -> T,
    ) -> Vec<T> {
        self.wiring.take_ivcs(routers, &self.vc_of, new)
    }

    /// The channels out of `routers`.
    pub(super) fn outputs<'a>(
        &'a self,
        network: &'a Network,
        routers: &Range<u32>,
    ) -> impl Iterator<Item = OutputChannel> + 'a {
        self.wiring.outputs(network, routers)
    }

    /// Blocks whose routers have such `ports`.
    #[inline(never)]
    fn kind(ways: usize, ports: &[Port]) -> Kind<W, V> {
        let slot = |port: &Port| Wires {
            source: Reach::new(&port.source),
            target: Reach::new(&port.target),
            input: Input::new(ways, &port.ranks),
        };
        let injection = vec![Some(ports.len() as u8); W::LANES];
        Kind {
            slots: ports.iter().map(slot).collect(),
            injection: Input::new(ways, &injection),
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
}
