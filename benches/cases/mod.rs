//! The cases by which the kernel's speed is stated: a network, a routing algorithm, a router and a
//! load, with arrivals and all statistics of `flitsim run`.
//!
//! Unless a case says otherwise: uniform traffic without self, 4-flit packets, 2 virtual channels of
//! 8 flits, the default router.

#![allow(
    dead_code,
    reason = "each program that has this file uses a part of it"
)]

use flitsim_engine::routing::{Algorithm, Relation, RoutingChoice, Tables, WithRouting};
use flitsim_engine::{
    DenseEngine, Engine, EngineConfig, Matching, Pipeline, Routing, VcReallocation, Vectors,
};
use flitsim_measure::measurement::recorder::Recorder;
use flitsim_measure::simulate::{Machine, cycle};
use flitsim_topology::{Ends, FatTree, FatTreeKind, Grid, Network, Star};
use flitsim_traffic::{PacketLength, Traffic, TrafficPlan};

/// A network with its routing algorithm.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Radix and dimensions; dimension order.
    Mesh(u32, u32),
    /// Radix, of two dimensions; odd-even.
    OddEven(u32),
    /// Radix and dimensions; dimension order with a dateline.
    Torus(u32, u32),
    /// Radix, of two dimensions; Duato's algorithm.
    Duato(u32),
    /// Dimensions; Duato's algorithm.
    Hypercube(u32),
    /// Symbols; Enhanced-Nbc.
    Star(u32),
    /// Processors of a butterfly fat-tree; nearest common ancestor.
    FatTree(u32),
}

/// A network and its load.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// As tables print it.
    pub name: &'static str,
    /// As the command line names it.
    pub key: &'static str,
    pub shape: Shape,
    pub virtual_channels: u32,
    pub buffer_flits: u32,
    pub packet_flits: u32,
    /// Whether routers are in stages, as BookSim2's are by default.
    pub stages: bool,
    /// Offered, in flits per node per cycle.
    pub load: f64,
    /// Cycles that bring the network to its steady state.
    pub warm_up_cycles: u64,
    /// Cycles of one sample: some hundred thousand flit-hops.
    pub sample_cycles: u64,
}

const fn case(name: &'static str, key: &'static str, shape: Shape, load: f64) -> Case {
    Case {
        name,
        key,
        shape,
        virtual_channels: 2,
        buffer_flits: 8,
        packet_flits: 4,
        stages: false,
        load,
        warm_up_cycles: 2_000,
        sample_cycles: 2_000,
    }
}

const fn router(case: Case, virtual_channels: u32, buffer_flits: u32, packet_flits: u32) -> Case {
    Case {
        virtual_channels,
        buffer_flits,
        packet_flits,
        ..case
    }
}

const fn staged(case: Case) -> Case {
    Case {
        stages: true,
        ..case
    }
}

const fn cycles(case: Case, warm_up_cycles: u64, sample_cycles: u64) -> Case {
    Case {
        warm_up_cycles,
        sample_cycles,
        ..case
    }
}

/// The cases, small networks first. The 8×8 mesh of 2 × 8 flits saturates at about 0.39.
pub const CASES: [Case; 20] = [
    case("8×8 mesh, 0.10", "mesh8-10", Shape::Mesh(8, 2), 0.10),
    case("8×8 mesh, 0.30", "mesh8-30", Shape::Mesh(8, 2), 0.30),
    case("8×8 mesh, 0.36", "mesh8-36", Shape::Mesh(8, 2), 0.36),
    router(
        case(
            "8×8 mesh, 20 flits, 0.25",
            "mesh8-20-flits",
            Shape::Mesh(8, 2),
            0.25,
        ),
        2,
        4,
        20,
    ),
    case(
        "8×8 mesh, odd-even, 0.30",
        "mesh8-odd-even",
        Shape::OddEven(8),
        0.30,
    ),
    case(
        "16-ary 2-cube, 0.05",
        "torus16-05",
        Shape::Torus(16, 2),
        0.05,
    ),
    case(
        "16-ary 2-cube, 0.20",
        "torus16-20",
        Shape::Torus(16, 2),
        0.20,
    ),
    router(
        case(
            "16-ary 2-cube, Duato, 0.20",
            "torus16-duato",
            Shape::Duato(16),
            0.20,
        ),
        3,
        8,
        4,
    ),
    cycles(
        case(
            "32-ary 2-cube, 0.03",
            "torus32-03",
            Shape::Torus(32, 2),
            0.03,
        ),
        2_000,
        1_000,
    ),
    cycles(
        case(
            "32-ary 2-cube, 0.10",
            "torus32-10",
            Shape::Torus(32, 2),
            0.10,
        ),
        1_000,
        500,
    ),
    cycles(
        case("64×64 mesh, 0.01", "mesh64-01", Shape::Mesh(64, 2), 0.01),
        1_000,
        500,
    ),
    cycles(
        case("64×64 mesh, 0.03", "mesh64-03", Shape::Mesh(64, 2), 0.03),
        1_000,
        250,
    ),
    cycles(
        case(
            "16-ary 3-cube, 0.20",
            "torus16-3",
            Shape::Torus(16, 3),
            0.20,
        ),
        300,
        100,
    ),
    router(
        cycles(
            case(
                "binary 10-cube, Duato, 16 flits, 0.20",
                "cube10-duato",
                Shape::Hypercube(10),
                0.20,
            ),
            500,
            250,
        ),
        4,
        8,
        16,
    ),
    router(
        cycles(
            case(
                "S_6, Enhanced-Nbc, 32 flits, 0.20",
                "star6-nbc",
                Shape::Star(6),
                0.20,
            ),
            500,
            250,
        ),
        5,
        8,
        32,
    ),
    cycles(
        case(
            "fat-tree of 1,024, 0.05",
            "tree1024",
            Shape::FatTree(1_024),
            0.05,
        ),
        1_000,
        500,
    ),
    staged(router(
        case(
            "8×8 mesh in stages, 0.20",
            "mesh8-staged",
            Shape::Mesh(8, 2),
            0.20,
        ),
        4,
        8,
        4,
    )),
    staged(router(
        case(
            "8×8 mesh in stages, 1 flit, 0.21",
            "mesh8-staged-1",
            Shape::Mesh(8, 2),
            0.21,
        ),
        4,
        8,
        1,
    )),
    staged(router(
        case(
            "16×16 mesh in stages, 0.10",
            "mesh16-staged",
            Shape::Mesh(16, 2),
            0.10,
        ),
        4,
        8,
        4,
    )),
    staged(router(
        case(
            "16×16 mesh in stages, 1 flit, 0.10",
            "mesh16-staged-1",
            Shape::Mesh(16, 2),
            0.10,
        ),
        4,
        8,
        1,
    )),
];

/// The largest: alone, for it takes a gigabyte and long to warm up.
pub const LARGE: Case = router(
    cycles(
        case(
            "1024-ary 2-cube, 0.002",
            "torus1024",
            Shape::Torus(1_024, 2),
            0.002,
        ),
        400,
        100,
    ),
    2,
    4,
    4,
);

/// A network in motion.
pub trait Running {
    /// Simulates `cycles` cycles.
    fn advance(&mut self, cycles: u64);

    /// Flits moved over router-to-router channels so far.
    fn flit_hops(&self) -> u64;

    /// Packets delivered in the measurement window, their latencies and hops, for whoever compares.
    fn results(&self) -> (u64, u64, u64);
}

struct Loop<M> {
    machine: M,
    traffic: Traffic,
}

impl<M: Machine> Running for Loop<M> {
    fn advance(&mut self, cycles: u64) {
        for _ in 0..cycles {
            cycle(&mut self.machine, &mut self.traffic);
        }
    }

    fn flit_hops(&self) -> u64 {
        self.machine.flit_hops()
    }

    fn results(&self) -> (u64, u64, u64) {
        let tally = self.machine.recorder().tagged();
        (tally.packets(), tally.network_latency_cycles, tally.hops)
    }
}

/// Runs a case with the relation that a program would compile its cycle loop for.
struct Drive<'a> {
    case: &'a Case,
    network: &'a Network,
    visit: &'a mut dyn FnMut(&mut dyn Running),
}

impl WithRouting for Drive<'_> {
    type Output = ();

    fn call<R: Routing + Clone>(self, routing: R) {
        self.case.drive(self.network, routing, self.visit);
    }
}

struct DriveDensely<'a> {
    case: &'a Case,
    network: &'a Network,
    vectors: Vectors,
    visit: &'a mut dyn FnMut(&mut dyn Running),
}

impl WithRouting for DriveDensely<'_> {
    type Output = ();

    fn call<R: Routing + Clone>(self, routing: R) {
        let (network, config) = (self.network, self.case.config(&routing));
        let fit = DenseEngine::<R, Recorder>::fits(network, &config, self.case.packet_flits);
        let fit = fit.expect("routers that fit").with(self.vectors);
        let engine = DenseEngine::new(network, routing, &config, 1, fit, Recorder::new());
        let engine = engine.expect("a legal router");
        self.case.warm_up(network, engine, self.visit);
    }
}

impl Case {
    /// The case named `key` on the command line, under another load and with other virtual channels where
    /// these follow: `KEY@LOAD`, `KEY@LOADxCHANNELS`.
    pub fn of(key: &str) -> Option<Self> {
        let (key, other) = key.split_once('@').unwrap_or((key, ""));
        let mut all = CASES.into_iter().chain([LARGE]);
        let mut case = all.find(|case| case.key == key)?;
        if !other.is_empty() {
            let (load, channels) = match other.split_once('x') {
                Some((load, channels)) => (load, channels.parse().ok()?),
                None => (other, case.virtual_channels),
            };
            case.load = load.parse().ok()?;
            case.virtual_channels = channels;
        }
        Some(case)
    }

    /// The network.
    pub fn network(&self) -> Network {
        let grid = |radix, dimensions, ends| {
            let grid = Grid::uniform(radix, dimensions, ends).expect("a legal radix");
            grid.into_network()
        };
        match self.shape {
            Shape::Mesh(radix, dimensions) => grid(radix, dimensions, Ends::Open),
            Shape::Torus(radix, dimensions) => grid(radix, dimensions, Ends::Ring),
            Shape::OddEven(radix) => grid(radix, 2, Ends::Open),
            Shape::Duato(radix) => grid(radix, 2, Ends::Ring),
            Shape::Hypercube(dimensions) => grid(2, dimensions, Ends::Open),
            Shape::Star(symbols) => Star::new(symbols).expect("a star").into_network(),
            Shape::FatTree(processors) => FatTree::new(processors, FatTreeKind::Butterfly)
                .expect("a power of four")
                .into_network(),
        }
    }

    fn relation<'n>(&self, network: &'n Network) -> Relation<'n> {
        let algorithm = match self.shape {
            Shape::Mesh(..) | Shape::Torus(..) => Algorithm::DimensionOrder,
            Shape::OddEven(_) => Algorithm::OddEven,
            Shape::Duato(_) | Shape::Hypercube(_) => Algorithm::Duato,
            Shape::Star(_) => Algorithm::EnhancedNbc,
            Shape::FatTree(_) => Algorithm::NearestCommonAncestor,
        };
        let (choice, tables) = (RoutingChoice::from(algorithm), Tables::default());
        let relation = choice.relation(network, self.virtual_channels, &tables);
        relation.expect("it fits")
    }

    /// Builds the case on the sparse engine, warms it up, begins the measurement, and hands it to `visit`.
    pub fn run(&self, visit: &mut dyn FnMut(&mut dyn Running)) {
        let network = self.network();
        let drive = Drive {
            case: self,
            network: &network,
            visit,
        };
        self.relation(&network).with(drive);
    }

    /// As [`Case::run`], on the dense engine with `vectors`.
    ///
    /// # Panics
    /// Where it does not offer the case.
    pub fn run_densely(&self, vectors: Vectors, visit: &mut dyn FnMut(&mut dyn Running)) {
        let network = self.network();
        let drive = DriveDensely {
            case: self,
            network: &network,
            vectors,
            visit,
        };
        self.relation(&network).with_plain(drive);
    }

    fn drive<R: Routing>(
        &self,
        network: &Network,
        routing: R,
        visit: &mut dyn FnMut(&mut dyn Running),
    ) {
        let config = self.config(&routing);
        let engine = Engine::new(network, routing, config, 1, Recorder::new());
        self.warm_up(network, engine.expect("a legal router"), visit);
    }

    fn config(&self, routing: &impl Routing) -> EngineConfig {
        let plain = EngineConfig::default();
        let router = match self.stages {
            false => plain,
            true => EngineConfig {
                pipeline: Some(Pipeline {
                    routing: 1,
                    vc_allocation: 1,
                    switch_allocation: 1,
                    traversal: 1,
                }),
                credit_delay: 2,
                vc_allocator: Some(Matching::Islip { iterations: 1 }),
                switch_allocator: Some(Matching::Islip { iterations: 1 }),
                ejection_vcs: self.virtual_channels,
                injection_buffers: true,
                ..plain
            },
        };
        EngineConfig {
            virtual_channels: self.virtual_channels,
            injection_vcs: self.virtual_channels,
            buffer_flits: self.buffer_flits,
            vc_reallocation: match routing.has_escape() {
                true => VcReallocation::Atomic,
                false => VcReallocation::NonAtomic,
            },
            ..router
        }
    }

    fn warm_up<M: Machine>(
        &self,
        network: &Network,
        machine: M,
        visit: &mut dyn FnMut(&mut dyn Running),
    ) {
        let plan = TrafficPlan {
            length: PacketLength::Fixed(self.packet_flits),
            ..TrafficPlan::default()
        };
        let traffic = Traffic::new(&plan, network, self.load, 1).expect("a legal load");
        let mut running = Loop { machine, traffic };
        running.advance(self.warm_up_cycles);
        let start = running.machine.cycle();
        running.machine.recorder_mut().begin_window(start, u64::MAX);
        visit(&mut running);
    }
}
