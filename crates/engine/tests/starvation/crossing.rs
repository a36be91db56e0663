//! One router where packets of several kinds meet, of which each may take what its kind says: virtual channels of
//! several channels, in two priorities. Flows send kinds in turn.

use super::case::{Case, Flow, Shape};
use crate::oracle::case::Dice;
use flitsim_engine::{
    Arbiter, Candidate, Candidates, EngineConfig, Head, Matching, Routing, VcMask, VcReallocation,
    VcRequests,
};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::cmp::Ordering;

/// Sources lead to node 0, and that over each of the ways out to a sink for each kind.
#[derive(Clone, Debug)]
pub struct Crossing {
    sources: u32,
    kinds: [Kind; 3],
}

/// What heads of a kind may take at node 0: a way out, virtual channels, priority.
type Kind = &'static [(u32, VcMask, u8)];

/// Ways out of node 0.
const WAYS: u32 = 3;

impl Crossing {
    fn nodes(&self) -> u32 {
        1 + self.sources + WAYS + self.kinds.len() as u32
    }

    fn sinks(&self) -> std::ops::Range<u32> {
        self.nodes() - self.kinds.len() as u32..self.nodes()
    }

    /// The network.
    pub fn network(&self) -> Network {
        let sources = 1..=self.sources;
        let middle = self.sources + 1..self.sources + 1 + WAYS;
        let mut links: Vec<(u32, u32)> = sources.clone().map(|source| (source, 0)).collect();
        links.extend(middle.clone().map(|way| (0, way)));
        links.extend(middle.flat_map(|way| self.sinks().map(move |sink| (way, sink))));
        // A file wants a path from everywhere to everywhere.
        links.extend((self.sinks()).flat_map(|sink| sources.clone().map(move |to| (sink, to))));
        let lines = links.iter().map(|(a, b)| format!("{a},{b}\n"));
        let text = format!("from,to\n{}", lines.collect::<String>());
        let source = Source {
            file: "crossing.csv",
            text: &text,
        };
        parse_csv(source, None).expect("a crossing")
    }

    /// The relation.
    pub fn routing<'n>(&'n self, network: &'n Network) -> Kinds<'n> {
        Kinds {
            crossing: self,
            network,
        }
    }
}

/// Heads go as their kinds say.
#[derive(Clone, Copy)]
pub struct Kinds<'n> {
    crossing: &'n Crossing,
    network: &'n Network,
}

impl Kinds<'_> {
    fn channel(&self, from: NodeId, to: u32) -> ChannelId {
        let mut all = self.network.outgoing(from).map(ChannelId);
        let found = all.find(|&channel| self.network.target(channel).0 == to);
        found.expect("a channel")
    }
}

impl Routing for Kinds<'_> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Crossing { sources, kinds } = self.crossing;
        match head.node.0 {
            0 => {
                let kind = (head.destination.0 - self.crossing.sinks().start) as usize;
                for &(way, vcs, priority) in kinds[kind] {
                    let channel = self.channel(head.node, sources + 1 + way);
                    candidates.push(Candidate {
                        channel,
                        vcs,
                        priority,
                    });
                }
            }
            source if source <= *sources => candidates.add(self.channel(head.node, 0), 1),
            way if way <= sources + WAYS => {
                candidates.add(self.channel(head.node, head.destination.0), 1);
            }
            sink => unreachable!("{sink}"),
        }
    }
}

/// One kind may take one virtual channel alone; the next has that among others, in its own priority, before them or behind
/// them; the last may take neither.
const KINDS: [[Kind; 3]; 5] = [
    [&[(0, 2, 0)], &[(0, 3, 0)], &[(2, 3, 0)]],
    [&[(1, 2, 0)], &[(0, 1, 0), (1, 2, 0)], &[(2, 1, 0)]],
    [&[(1, 1, 1)], &[(0, 2, 0), (1, 1, 1)], &[(2, 2, 0)]],
    [
        &[(0, 1, 1)],
        &[(0, 2, 0), (2, 2, 0), (0, 1, 1)],
        &[(1, 1, 1)],
    ],
    [&[(0, 2, 0)], &[(0, 2, 0), (1, 1, 1)], &[(2, 1, 1)]],
];

/// The kinds that rivals of the first send in turn, most of them in step.
const TURNS: [&[&[u32]]; 5] = [
    &[&[1]],
    &[&[1, 2], &[0]],
    &[&[1, 2], &[2, 1]],
    &[&[1, 2, 2], &[2, 1, 2], &[2, 2, 1]],
    &[&[1, 2], &[0, 1], &[2, 0], &[2]],
];

/// How many cases there are.
pub const CASES: u64 = 5_600;

/// Case `number`: each of those kinds, turns, places of the one that waits, allocators and arbiters.
pub fn case(number: u64) -> Case {
    // So that some are of all sorts.
    let mut left = number * 2_003 % CASES;
    let mut next = |of: usize| {
        let digit = left % of as u64;
        left /= of as u64;
        digit as usize
    };
    let (kinds, turns) = (KINDS[next(KINDS.len())], TURNS[next(TURNS.len())]);
    let crossing = Crossing {
        sources: 1 + turns.len() as u32,
        kinds,
    };
    let waits = 1 + (next(4) % (1 + turns.len())) as u32;
    let sorts = [next(2), next(7), next(4)];
    assert_eq!(left, 0);
    let mut dice = Dice::new(number ^ 0x6372_6f73_7369_6e67);
    let length = dice.pick(&[1, 1, 1, 2]);
    let flow = |source: u32| {
        let kinds = match source.cmp(&waits) {
            Ordering::Less => turns[source as usize - 1],
            Ordering::Equal => &[0],
            Ordering::Greater => turns[source as usize - 2],
        };
        let destinations = kinds
            .iter()
            .map(|kind| NodeId(crossing.sinks().start + kind));
        Flow {
            source: NodeId(source),
            destinations: destinations.collect(),
            lengths: vec![length],
            every: 1,
        }
    };
    let flows = (1..=crossing.sources).map(flow).collect();
    Case {
        config: router(&mut dice, sorts),
        shape: Shape::Crossing(crossing),
        seed: dice.word(),
        flows,
        cycles: 800,
    }
}

fn router(dice: &mut Dice, [requests, vc_allocator, arbiter]: [usize; 3]) -> EngineConfig {
    let iterations = dice.from(1, 3);
    let matchings = [
        Matching::SeparableInputFirst,
        Matching::SeparableOutputFirst,
        Matching::Islip { iterations: 1 },
        Matching::Islip {
            iterations: 1 + iterations,
        },
        Matching::Pim { iterations },
        Matching::Wavefront,
        Matching::Maximum,
    ];
    let arbiters = [
        Arbiter::RoundRobin,
        Arbiter::Matrix,
        Arbiter::OldestFirst,
        Arbiter::Random,
    ];
    EngineConfig {
        virtual_channels: 2,
        buffer_flits: dice.pick(&[2, 4, 8]),
        vc_reallocation: match dice.from(0, 3) {
            0 => VcReallocation::Atomic,
            _ => VcReallocation::NonAtomic,
        },
        injection_vcs: 1,
        vc_allocator: Some(matchings[vc_allocator]),
        vc_requests: [VcRequests::OneChannel, VcRequests::AllChannels][requests],
        switch_allocator: dice.coin().then(|| dice.pick(&matchings)),
        arbiter: Some(arbiters[arbiter]),
        ..EngineConfig::default()
    }
}
