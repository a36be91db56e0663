//! Where allocators begin that go by the numbers of ports, as BookSim2's do: the numbers of what asks and of what is asked
//! for, and how far they are behind the places that PIM draws (`pim.cpp`).

use crate::Probe;
use crate::config::Matching;
use crate::kernel::ask::Ask;
use crate::kernel::engine::Here;
use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::{Bid, Stages};
use crate::random::{Purpose, below, draw};

/// An ivc, or a way of one of 2^16 outputs, fits so many bits; 64 rounds go before.
const INDEX_BITS: u32 = 22;

/// The number of what asks or is asked for, and how many there are.
type Place = [u32; 2];

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// The numbers of the input virtual channel of `ask` and of virtual channel `vc` of its output.
    pub(super) fn numbers_of_vcs(
        &self,
        stages: &Stages,
        here: Here,
        ask: &Ask,
        vc: u32,
    ) -> [u32; 2] {
        let pointer = here.first_pointer + ask.out;
        let ports = stages
            .rotation
            .numbers(self.wiring, here.ivc(ask.local), pointer);
        let vcs = self.config.most_vcs();
        let [into, out] = ports.map(|port| port * vcs);
        [into + self.wiring.vc_of(ask.local), out + vc]
    }

    /// How far `vc` is behind the place that the head of `ask` draws in `round`, and that head behind the one that `vc` draws.
    pub(super) fn vcs_behind_drawn(
        &self,
        stages: &Stages,
        here: Here,
        ask: &Ask,
        vc: u32,
        round: u32,
    ) -> [u64; 2] {
        let side = stages.rotation.side(here.router, self.config.most_vcs());
        let [number, number_out] = self.numbers_of_vcs(stages, here, ask, vc);
        let behind = |purpose, index, number| {
            self.behind_drawn(stages, here, purpose, [index, round], [number, side])
        };
        [
            behind(Purpose::VcInput, ask.local, number_out),
            behind(Purpose::VcOrder, ask.target(vc, self.wiring), number),
        ]
    }

    /// Ways of a port into the switch, also if it has no virtual channel for some, and out of it.
    fn ways_a_port(&self) -> [u32; 2] {
        [self.config.input_speedup, self.config.output_speedup]
    }

    /// Places of a port at which a switch allocator may begin: rows or columns in the square of a wavefront, whatever are
    /// more, and inputs of a maximum matching.
    pub(super) fn rows_a_port(&self) -> u32 {
        let [ways, ways_out] = self.ways_a_port();
        match self.config.switch_allocator {
            Some(Matching::Maximum) => ways,
            _ => ways.max(ways_out),
        }
    }

    /// The numbers of the ways into the switch and out of it that `bid` is for.
    pub(super) fn numbers_of_ways(&self, stages: &Stages, here: Here, bid: &Bid) -> [u32; 2] {
        let pointer = here.first_pointer + bid.output;
        let [into, out] = stages
            .rotation
            .numbers(self.wiring, here.ivc(bid.local), pointer);
        let [ways, ways_out] = self.ways_a_port();
        let way = self.wiring.vc_of(bid.position);
        let way_out = bid.way_out - bid.output * ways_out;
        [into * ways + way, out * ways_out + way_out]
    }

    /// How far the way out of `bid` is behind the place that its way in draws in `round`, and that way in behind the one that
    /// the way out draws.
    pub(super) fn ways_behind_drawn(
        &self,
        stages: &Stages,
        here: Here,
        bid: &Bid,
        round: u32,
    ) -> [u64; 2] {
        let [number, number_out] = self.numbers_of_ways(stages, here, bid);
        let each = self.ways_a_port();
        let [side, side_out] = each.map(|each| stages.rotation.side(here.router, each));
        let behind =
            |purpose, index, place| self.behind_drawn(stages, here, purpose, [index, round], place);
        [
            behind(Purpose::SwitchInput, bid.position, [number_out, side_out]),
            behind(Purpose::SwitchOutput, bid.way_out, [number, side]),
        ]
    }

    fn behind_drawn(
        &self,
        stages: &Stages,
        here: Here,
        purpose: Purpose,
        [index, round]: [u32; 2],
        [number, side]: Place,
    ) -> u64 {
        debug_assert!(number < side && index >> INDEX_BITS == 0);
        let router = self.partition.node(here.router).0;
        let index = index | round << INDEX_BITS;
        let first = below(draw(self.seed, purpose, router, stages.now, index), side);
        u64::from((number + side - first) % side)
    }
}
