//! Random small cases: a network, a router, a relation and its traffic, all from one number.
//!
//! Invariant: a case depends on its number alone, and none can deadlock.

use super::options::{queues, share, stages};
use super::relation::Ordered;
use flitsim_engine::random::below;
use flitsim_engine::routing::{RingClasses, Tie};
use flitsim_engine::{
    Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, InputArbiter, Matching,
    NewPacket, Pipeline, Port, Routing, Selection, VcReallocation,
};
use flitsim_random::mix;
use flitsim_topology::{Ends, Grid, Network, NodeId};

/// The most nodes of a case.
const NODES_LIMIT: u32 = 40;

/// The flits offered to a case are about this many at most: it keeps the cases far past saturation
/// from taking all the time there is.
const FLITS_BUDGET: u64 = 1_500;

/// A case that is not idle by this cycle is stuck.
pub const DRAIN_LIMIT: u64 = 100_000;

/// A source of random numbers: the `n`-th is a hash of the address and `n`.
pub struct Dice {
    address: u64,
    thrown: u64,
}

impl Dice {
    /// The source at `address`.
    pub fn new(address: u64) -> Self {
        let address = mix(address ^ 0x6f72_6163_6c65);
        Self { address, thrown: 0 }
    }

    /// A random word.
    pub fn word(&mut self) -> u64 {
        self.thrown += 1;
        let gamma = 0x9e37_79b9_7f4a_7c15u64;
        mix(self.address.wrapping_add(self.thrown.wrapping_mul(gamma)))
    }

    /// An integer from `low` to `high`, both included.
    pub fn from(&mut self, low: u32, high: u32) -> u32 {
        low + below(self.word(), high - low + 1)
    }

    /// True in `of` cases of a million.
    pub fn chance(&mut self, of: u64) -> bool {
        u64::from(self.from(0, 999_999)) < of
    }

    /// True half the time.
    pub fn coin(&mut self) -> bool {
        self.from(0, 1) == 1
    }

    /// One of `choices`.
    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.from(0, choices.len() as u32 - 1) as usize].clone()
    }
}

/// How a case routes.
#[derive(Clone, Copy, Debug)]
pub enum Relation {
    /// Dimension order.
    DimensionOrder {
        /// Which way round an even ring.
        tie: Tie,
        /// Whether packets that do not wrap use both classes.
        vc_balance: bool,
        /// Whether the relation says of itself that it is deterministic.
        declared: bool,
    },
    /// [`super::relation::Adaptive`].
    Adaptive,
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number.
    pub number: u64,
    /// Nodes of each dimension.
    pub radices: Vec<u32>,
    /// Mesh, torus or directed torus.
    pub ends: Ends,
    /// How packets find their way.
    pub relation: Relation,
    /// The router.
    pub config: EngineConfig,
    /// The engine's seed.
    pub seed: u64,
    /// Lengths of packets, equally likely, in flits.
    pub lengths: Vec<u32>,
    /// Offered load, in flits per node per thousand cycles (while the sources are busy).
    pub load_per_mille: u64,
    /// Packets of a million that go to node 0, whatever the pattern.
    pub hot: u64,
    /// Destination of each source; `None` for uniform destinations, the source included.
    pub permutation: Option<Vec<u32>>,
    /// Cycles in which packets are offered.
    pub cycles: u64,
    /// Sources are busy for the first number of cycles out of every sum of both.
    pub busy_quiet: (u64, u64),
}

impl Case {
    /// The classes of its rings: fixed and drawn ones in a fifth each of those where they are free of deadlock.
    pub fn ring_classes(&self) -> RingClasses {
        match (self.ends, self.number % 5) {
            (Ends::Ring, 0) => RingClasses::Fixed,
            (Ends::Ring, 1) => RingClasses::Drawn,
            _ => RingClasses::Dateline,
        }
    }

    /// Case `number`.
    pub fn new(number: u64) -> Self {
        let mut dice = Dice::new(number);
        let (radices, ends) = shape(&mut dice);
        let grid = Grid::new(&radices, ends).expect("a grid");
        let rings = (0..grid.dimensions()).any(|i| grid.is_ring(i));
        let relation = if ends == Ends::Open && dice.from(0, 2) > 0 {
            Relation::Adaptive
        } else {
            Relation::DimensionOrder {
                tie: dice.pick(&[Tie::Random, Tie::Positive]),
                vc_balance: dice.coin(),
                declared: dice.from(0, 3) > 0,
            }
        };
        let adaptive = matches!(relation, Relation::Adaptive);
        let network = grid.into_network();
        let least_vcs = if rings || adaptive { 2 } else { 1 };
        let mut config = router(&mut dice, least_vcs, network.channels());
        let lengths = lengths(&mut dice);
        let longest = lengths.iter().copied().max().unwrap_or(1);
        if config.flow_control != FlowControl::Wormhole {
            config.buffer_flits = longest + dice.pick(&[0, 0, 1, 2, longest]);
        } else if adaptive {
            config.vc_reallocation = VcReallocation::Atomic;
        }
        let load_per_mille = dice.pick(&[20, 50, 100, 200, 300, 400, 600, 1000, 2000]);
        let offered_per_cycle = u64::from(network.nodes()) * load_per_mille;
        let affordable = FLITS_BUDGET * 1000 / offered_per_cycle;
        let permutation = dice.coin().then(|| {
            let nodes = network.nodes() - 1;
            (0..=nodes).map(|_| dice.from(0, nodes)).collect()
        });
        let mut case = Self {
            number,
            radices,
            ends,
            relation,
            seed: dice.word(),
            lengths,
            load_per_mille,
            hot: dice.pick(&[0, 0, 100_000, 500_000]),
            permutation,
            cycles: u64::from(dice.from(50, 400)).min(affordable.max(50)),
            busy_quiet: dice.pick(&[(1, 0), (1, 0), (1, 20), (10, 30), (20, 100)]),
            config,
        };
        // Drawn last, so that a case is otherwise what it would be were all channels alike.
        if dice.from(0, 5) == 0 {
            let channels = 0..network.channels();
            case.config.channel_periods = channels.map(|_| dice.from(1, 4)).collect();
        }
        if dice.coin() {
            stages(&mut dice, &mut case.config);
        }
        let of = if case.config.is_staged() { 2 } else { 9 };
        if case.config.flow_control == FlowControl::Wormhole && dice.from(1, of) == 1 {
            share(&mut dice, &mut case.config);
        }
        if case.config.is_staged() {
            queues(&mut dice, &mut case.config);
        }
        case
    }

    /// The same, now and then with a channel for a packet to itself: on meshes, where channels alone have an
    /// order.
    pub fn or_alone(mut self) -> Self {
        let config = &mut self.config;
        let is_deterministic = matches!(self.relation, Relation::DimensionOrder { .. });
        let is_taken_one_by_one =
            config.flow_control == FlowControl::Wormhole && config.vc_allocator.is_none();
        if self.ends == Ends::Open && is_deterministic && is_taken_one_by_one {
            config.interleave_flits = Dice::new(self.seed).coin();
        }
        self
    }

    /// The traffic of case `number` through routers that the dice hardly ever or never make: the
    /// default one, whose every shortcut is on, and masks filled to their last bit.
    pub fn corner(number: u64) -> Self {
        let mut case = Self::new(number);
        let plain = EngineConfig {
            vc_reallocation: case.config.vc_reallocation,
            buffer_flits: case.config.buffer_flits,
            ..EngineConfig::default()
        };
        let (radices, ends, vcs, injection_vcs): (&[u32], _, _, _) = match number % 4 {
            // 64 input virtual channels: three channels' and the injection's 16 each.
            0 => (&[2, 2, 2], Ends::Open, 16, 16),
            // Ports of 32, not all of them there.
            1 => (&[6], Ends::DirectedRing, 24, 20),
            // A word and a half: no head parks here.
            2 => (&[4, 3], Ends::Ring, 19, 1),
            _ => (&[4, 4], Ends::Ring, 2, 2),
        };
        case.radices = radices.to_vec();
        case.ends = ends;
        case.permutation = None;
        case.relation = Relation::DimensionOrder {
            tie: Tie::Random,
            vc_balance: number.is_multiple_of(3),
            declared: true,
        };
        case.config = EngineConfig {
            virtual_channels: vcs,
            injection_vcs,
            ..plain
        };
        case
    }

    /// The traffic of case `number` through routers in stages whose switch is allocated on masks, which the dice
    /// hardly ever make; a fourth of them are corners, and a fourth have masks of two words for the most part.
    pub fn on_masks(number: u64) -> Self {
        // Of the corners the first has one word filled, or two, and the third has one and a half.
        let mut case = match number % 8 {
            0 => Self::corner(number),
            4 => Self::corner(number + 2),
            _ => Self::new(number),
        };
        let mut dice = Dice::new(!number);
        let most = [16, 16, 4, 4][number as usize % 4] << u32::from(number.is_multiple_of(16));
        match number % 4 {
            0 if most == 32 => case.config.virtual_channels = most,
            1 => case.config.virtual_channels = dice.from(8, most),
            _ => {}
        }
        let iterations = dice.from(1, 3);
        let matchings = [
            None,
            Some(Matching::SeparableInputFirst),
            Some(Matching::SeparableOutputFirst),
            Some(Matching::Islip { iterations }),
        ];
        case.config = EngineConfig {
            input_arbiter: dice
                .pick(&[InputArbiter::LeastRecentlyServed, InputArbiter::RoundRobin]),
            virtual_channels: case.config.virtual_channels.min(most),
            injection_vcs: case.config.injection_vcs.min(most),
            buffer_flits: case.config.buffer_flits,
            credit_delay: case.config.credit_delay,
            vc_reallocation: match case.relation {
                Relation::Adaptive => VcReallocation::Atomic,
                Relation::DimensionOrder { .. } => case.config.vc_reallocation,
            },
            pipeline: Some(Pipeline {
                routing: dice.from(0, 1),
                vc_allocation: 1,
                switch_allocation: 1,
                traversal: dice.from(0, 1),
            }),
            speculative: dice.coin(),
            vc_allocator: dice.pick(&matchings),
            switch_allocator: dice.pick(&matchings),
            ejection_vcs: dice.from(0, 4),
            injection_buffers: dice.coin(),
            ..EngineConfig::default()
        };
        if dice.coin() {
            share(&mut dice, &mut case.config);
        }
        case.config.hold_switch = dice.from(0, 2) == 0;
        if case.config.injection_buffers && case.config.ejection_vcs > 0 {
            case.config.internal_speedup = dice.from(1, 2);
        }
        case
    }

    /// The case's network.
    pub fn network(&self) -> Network {
        let grid = Grid::new(&self.radices, self.ends).expect("a grid");
        grid.into_network()
    }

    /// The packets offered in each of the case's cycles.
    pub fn offers<R: Routing, const D: bool>(
        &self,
        network: &Network,
        routing: &Ordered<R, D>,
    ) -> Vec<Vec<NewPacket>> {
        let mut dice = Dice::new(self.seed);
        let mut created_by = vec![0; network.terminals() as usize];
        let flits: u64 = self.lengths.iter().copied().map(u64::from).sum();
        // Two throws a node and cycle, so that loads of two one-flit packets can be had.
        let each = self.load_per_mille * 1000 * self.lengths.len() as u64 / flits / 2;
        let (busy, quiet) = self.busy_quiet;
        let mut offers = vec![Vec::new(); self.cycles as usize];
        for (cycle, offered) in offers.iter_mut().enumerate() {
            if cycle as u64 % (busy + quiet) >= busy {
                continue;
            }
            for source in (0..network.terminals()).chain(0..network.terminals()) {
                if !dice.chance(each) {
                    continue;
                }
                let order = &mut created_by[source as usize];
                let source = NodeId(source);
                let destination = self.destination(&mut dice, network, source);
                offered.push(NewPacket {
                    source,
                    destination,
                    flits: dice.pick(&self.lengths),
                    entropy: routing.entropy(source, destination, *order, dice.word()),
                });
                *order += 1;
            }
        }
        offers
    }

    fn destination(&self, dice: &mut Dice, network: &Network, source: NodeId) -> NodeId {
        if dice.chance(self.hot) {
            return NodeId(0);
        }
        match &self.permutation {
            Some(to) => NodeId(to[source.index()]),
            None => NodeId(dice.from(0, network.terminals() - 1)),
        }
    }
}

fn shape(dice: &mut Dice) -> (Vec<u32>, Ends) {
    if dice.from(0, 5) == 0 {
        return (vec![2; dice.from(1, 5) as usize], Ends::Open);
    }
    let ends = dice.pick(&[Ends::Open, Ends::Ring, Ends::DirectedRing]);
    loop {
        let dimensions = dice.from(1, 4) as usize;
        let radices: Vec<u32> = if dice.coin() {
            vec![dice.from(2, 8); dimensions]
        } else {
            (0..dimensions).map(|_| dice.from(2, 8)).collect()
        };
        if radices.iter().product::<u32>() <= NODES_LIMIT {
            return (radices, ends);
        }
    }
}

fn router(dice: &mut Dice, least_vcs: u32, channels: u32) -> EngineConfig {
    let ports = [Port::Channel, Port::Channel, Port::Unlimited];
    let plain = dice.from(0, 2) == 0;
    let slow = |dice: &mut Dice, most| if plain { 1 } else { dice.from(1, most) };
    // Now and then so many virtual channels that a router has more of them than a word has bits.
    let vcs = |dice: &mut Dice, least| match dice.from(0, 15) {
        0 => dice.pick(&[9, 16, 33, 64]),
        _ => dice.from(least, 8),
    };
    EngineConfig {
        virtual_channels: vcs(dice, least_vcs),
        buffer_flits: dice.from(1, 9),
        flow_control: dice.pick(&[
            FlowControl::Wormhole,
            FlowControl::Wormhole,
            FlowControl::VirtualCutThrough,
            FlowControl::StoreAndForward,
        ]),
        vc_reallocation: dice.pick(&[VcReallocation::Atomic, VcReallocation::NonAtomic]),
        delay: slow(dice, 4),
        body_delay: slow(dice, 4),
        credit_delay: slow(dice, 3),
        channel_period: slow(dice, 3),
        allocator: match dice.from(0, 4) {
            0 | 1 => Allocator::RoundRobin,
            2 => Allocator::Islip {
                iterations: dice.from(1, 4),
            },
            3 => Allocator::Random,
            _ => Allocator::OldestFirst,
        },
        selection: dice.pick(&[
            Selection::Random,
            Selection::MostCredits,
            Selection::LeastLoaded,
            Selection::Zigzag,
        ]),
        crossbar: dice.pick(&[Crossbar::Port, Crossbar::Port, Crossbar::Vc]),
        injection_vcs: vcs(dice, 1),
        injection: dice.pick(&ports),
        ejection: dice.pick(&ports),
        channel_delay: match dice.from(0, 12) {
            0..4 => ChannelDelay::Uniform(0),
            4 => ChannelDelay::Uniform(dice.from(5, 70)),
            5..9 => ChannelDelay::Uniform(dice.from(0, 4)),
            _ => ChannelDelay::PerChannel((0..channels).map(|_| dice.from(0, 4)).collect()),
        },
        channel_periods: Vec::new(),
        ..EngineConfig::default()
    }
}

fn lengths(dice: &mut Dice) -> Vec<u32> {
    let longest = dice.pick(&[1, 2, 4, 12]);
    let kinds = dice.from(1, 3);
    (0..kinds).map(|_| dice.from(1, longest)).collect()
}
