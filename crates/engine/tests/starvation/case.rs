//! Random small networks under flows that never rest: a case is known by its number.
//!
//! Invariant: a case depends on its number alone, and none can deadlock.

use super::crossing::Crossing;
use super::layers::Layers;
use crate::oracle::case::Dice;
use crate::oracle::options::{allocators, queues, share};
use flitsim_engine::{Allocator, Crossbar, EngineConfig, FlowControl, Port, Selection};
use flitsim_engine::{NewPacket, VcReallocation};
use flitsim_topology::{Ends, NodeId};

/// The network, and how packets find their way.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Dimension order, with a dateline in rings.
    Ordered { radices: Vec<u32>, ends: Ends },
    /// Duato's relation: adaptive, over an escape.
    Duato { radices: Vec<u32>, ends: Ends },
    /// Any channel that leads closer, in one class.
    TurnModel { radices: Vec<u32> },
    /// A butterfly fat-tree, up by any channel.
    Tree,
    /// Layers with a table: each source may take what virtual channels its file says.
    Layers(Layers),
    /// One router, and packets of several kinds.
    Crossing(Crossing),
}

/// Packets from one terminal, as soon as the last ones are in the network, or now and then.
#[derive(Clone, Debug)]
pub struct Flow {
    pub source: NodeId,
    /// In turn.
    pub destinations: Vec<NodeId>,
    pub lengths: Vec<u32>,
    /// In cycles; 1 for always.
    pub every: u64,
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The network.
    pub shape: Shape,
    /// The router.
    pub config: EngineConfig,
    /// The engine's seed.
    pub seed: u64,
    /// What is sent.
    pub flows: Vec<Flow>,
    /// How long.
    pub cycles: u64,
}

impl Case {
    /// Case `number`.
    pub fn new(number: u64) -> Self {
        let mut dice = Dice::new(number ^ 0x7374_6172_7665);
        let shape = shape(&mut dice, number);
        let (least_vcs, is_escape) = match &shape {
            Shape::Ordered { ends, .. } if *ends != Ends::Open => (2, false),
            Shape::Duato { ends, .. } => (if *ends == Ends::Open { 2 } else { 3 }, true),
            _ => (1, false),
        };
        let mut config = router(&mut dice, least_vcs);
        let longest = dice.pick(&[1, 4, 4, 8, 16]);
        if config.flow_control != FlowControl::Wormhole {
            config.buffer_flits = longest + dice.pick(&[0, 0, 1, 3]);
        } else if is_escape {
            config.vc_reallocation = VcReallocation::Atomic;
        }
        let flows = flows(&mut dice, &shape, longest);
        let seed = dice.word();
        // Drawn last, so that a case is otherwise what it would be with the allocators of the ideal router.
        if dice.coin() {
            allocators(&mut dice, &mut config);
            if config.flow_control == FlowControl::Wormhole && dice.coin() {
                share(&mut dice, &mut config);
            }
            queues(&mut dice, &mut config);
        }
        Self {
            shape,
            seed,
            flows,
            cycles: 3_000,
            config,
        }
    }

    /// The virtual channels of a channel over which heads come to `node`.
    pub fn come_over(&self, node: NodeId) -> u32 {
        match self.shape {
            Shape::Crossing(_) if node == NodeId(0) => 1,
            _ => self.config.virtual_channels,
        }
    }

    /// With a period for each of `channels` channels, in cases that have some.
    pub fn with_periods(mut self, channels: u32) -> Self {
        let mut dice = Dice::new(self.seed);
        let most = dice.pick(&[1, 1, 2, 2, 3, 4]);
        match dice.from(0, 2) {
            0 => self.config.channel_period = most,
            _ => self.config.channel_periods = (0..channels).map(|_| dice.from(1, most)).collect(),
        }
        self
    }
}

impl Flow {
    /// The packet to offer in cycle `now`, after `offered`, of which `waiting` are still in the queue.
    pub fn offer(
        &self,
        now: u64,
        [offered, waiting]: [usize; 2],
        dice: &mut Dice,
    ) -> Option<NewPacket> {
        (waiting < 2 && now.is_multiple_of(self.every)).then(|| NewPacket {
            source: self.source,
            destination: self.destinations[offered % self.destinations.len()],
            flits: dice.pick(&self.lengths),
            entropy: dice.word(),
        })
    }
}

fn shape(dice: &mut Dice, number: u64) -> Shape {
    let mesh = |dice: &mut Dice| {
        dice.pick(&[
            vec![5],
            vec![3, 3],
            vec![4, 3],
            vec![2, 2, 2],
            vec![2, 2, 3],
        ])
    };
    let ring = |dice: &mut Dice| match dice.from(0, 3) {
        0 | 1 => vec![dice.from(3, 8)],
        2 => vec![3, 3],
        _ => vec![4, 4],
    };
    match number % 8 {
        0 | 1 => Shape::Ordered {
            radices: ring(dice),
            ends: Ends::DirectedRing,
        },
        2 => Shape::Ordered {
            radices: ring(dice),
            ends: Ends::Ring,
        },
        3 => Shape::Ordered {
            radices: mesh(dice),
            ends: Ends::Open,
        },
        4 => match dice.coin() {
            true => Shape::Duato {
                radices: mesh(dice),
                ends: Ends::Open,
            },
            false => Shape::Duato {
                radices: ring(dice),
                ends: Ends::Ring,
            },
        },
        5 => match dice.from(0, 2) {
            0 => Shape::Tree,
            _ => Shape::TurnModel {
                radices: mesh(dice),
            },
        },
        _ => Shape::Layers(Layers::new(dice)),
    }
}

fn router(dice: &mut Dice, least_vcs: u32) -> EngineConfig {
    let ports = [Port::Channel, Port::Channel, Port::Unlimited];
    EngineConfig {
        virtual_channels: dice.from(least_vcs, 4),
        buffer_flits: dice.from(1, 8),
        flow_control: dice.pick(&[
            FlowControl::Wormhole,
            FlowControl::Wormhole,
            FlowControl::VirtualCutThrough,
            FlowControl::StoreAndForward,
        ]),
        vc_reallocation: dice.pick(&[VcReallocation::Atomic, VcReallocation::NonAtomic]),
        allocator: match dice.from(0, 6) {
            0..3 => Allocator::RoundRobin,
            3 | 4 => Allocator::Islip {
                iterations: dice.from(1, 3),
            },
            5 => Allocator::OldestFirst,
            _ => Allocator::Random,
        },
        selection: dice.pick(&[
            Selection::Random,
            Selection::MostCredits,
            Selection::LeastLoaded,
            Selection::Zigzag,
        ]),
        crossbar: dice.pick(&[Crossbar::Port, Crossbar::Port, Crossbar::Vc]),
        injection_vcs: dice.from(1, 4),
        injection: dice.pick(&ports),
        ejection: dice.pick(&ports),
        ..EngineConfig::default()
    }
}

/// A few flows, most of them to few places and without a pause.
fn flows(dice: &mut Dice, shape: &Shape, longest: u32) -> Vec<Flow> {
    let nodes = match shape {
        Shape::Ordered { radices, .. }
        | Shape::Duato { radices, .. }
        | Shape::TurnModel { radices } => radices.iter().product(),
        Shape::Tree => 16,
        Shape::Layers(layers) => layers.nodes(),
        Shape::Crossing(_) => unreachable!(),
    };
    let favourites = [dice.from(0, nodes - 1), dice.from(0, nodes - 1)];
    let count = dice.from(2, 2 * nodes);
    let flow = |_| {
        let (source, destination) = match shape {
            Shape::Layers(layers) => layers.pair(dice),
            _ => {
                let source = dice.from(0, nodes - 1);
                let anywhere = dice.from(0, nodes - 1);
                let destination = dice.pick(&[favourites[0], favourites[1], anywhere]);
                (source, destination)
            }
        };
        Flow {
            source: NodeId(source),
            destinations: vec![NodeId(destination)],
            lengths: match dice.from(0, 2) {
                0 => vec![1],
                1 => vec![longest],
                _ => vec![1, dice.from(1, longest), longest],
            },
            every: match dice.from(0, 3) {
                0 => u64::from(dice.from(2, 40)),
                _ => 1,
            },
        }
    };
    (0..count).map(flow).collect()
}
