//! A program of one's own: flitsim with two routings, a network and a statistic more. A scenario names them as any
//! others, and every command knows them:
//!
//! ```toml
//! topology = { kind = "ladder", rungs = 16 } # or a mesh of two dimensions, for the routings
//! routing = { algorithm = "ugal-2d" }        # or "romm-2d"
//! measure = { details = ["vc-use"] }
//! ```
//!
//! ```text
//! cargo run --release --example own_program -- verify mine.toml
//! cargo run --release --example own_program -- sweep mine.toml
//! ```
//!
//! ROMM goes by way of a random node of the rectangle between source and destination (Nesson & Johnsson, "ROMM
//! routing on mesh and torus networks", SPAA 1995). UGAL goes straight, or by way of any node where what is queued
//! for the way straight on, times its hops, is more (Singh, "Load-balanced routing in interconnection networks", 2005).

use flitsim::engine::routing::{
    Description, Fit, Needs, Own, OwnRelation, Queues, Spread, Undecided, vc_range,
};
use flitsim::engine::{Candidate, Candidates, ConfigError, Head, Routing, VcMask};
use flitsim::keys::{Description as Described, Key, Values};
use flitsim::measurement::details::{Happened, OwnStatistic};
use flitsim::topology::{
    Channel, ChannelId, Direction, Ends, Grid, Network, NodeId, OwnNetwork, TopologyError,
};
use std::cmp::Ordering;
use std::error::Error;
use std::ops::Range;
use std::process::ExitCode;

/// Registers what it has, and is flitsim.
pub fn main() -> ExitCode {
    if let Err(error) = register() {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    flitsim::main()
}

/// Registers it.
///
/// # Errors
/// A name that is taken.
pub fn register() -> Result<(), Box<dyn Error>> {
    flitsim::register_routing(romm())?;
    flitsim::register_routing(ugal())?;
    flitsim::register_network(LADDER)?;
    flitsim::register_statistic(VC_USE)?;
    Ok(())
}

/// What flitsim is told of ROMM.
pub fn romm() -> Own {
    Own {
        description: description("romm-2d", true, Spread::Fixed),
        build: |site| {
            let (mesh, vcs) = (mesh(site.network)?, halves(site.virtual_channels));
            Ok(OwnRelation::new(Romm(ByWayOf { mesh, vcs })))
        },
    }
}

/// What flitsim is told of UGAL.
pub fn ugal() -> Own {
    Own {
        description: description("ugal-2d", false, Spread::Adaptive),
        build: |site| {
            let (mesh, vcs) = (mesh(site.network)?, halves(site.virtual_channels));
            Ok(OwnRelation::new(Ugal(ByWayOf { mesh, vcs })))
        },
    }
}

fn description(name: &'static str, is_minimal: bool, spread: Spread) -> Description {
    Description {
        name,
        keys: &[],
        fits: |network| match mesh(network) {
            Ok(_) => Fit::Yes,
            Err(_) => Fit::No,
        },
        needs: Needs::Whole,
        // One class to the node on the way, and one from it.
        virtual_channels_min: |_| 2,
        is_minimal,
        spread,
        escape_vcs: None,
    }
}

fn mesh(network: &Network) -> Result<&Grid, ConfigError> {
    let grid = network.grid();
    let is_mesh = |grid: &&Grid| grid.ends() == Ends::Open && grid.dimensions() == 2;
    grid.filter(is_mesh).ok_or_else(|| ConfigError::Routing {
        reason: "it needs a mesh of two dimensions".to_owned(),
    })
}

fn halves(virtual_channels: u32) -> [VcMask; 2] {
    let half = virtual_channels / 2;
    [vc_range(0, half), vc_range(half, virtual_channels)]
}

/// By way of a node, along the rows first to it and from it.
struct ByWayOf<'n> {
    mesh: &'n Grid,
    /// The virtual channels to the node on the way, and those from it.
    vcs: [VcMask; 2],
}

/// In the state of a packet: it has passed the node on the way, which is the rest of the state.
const PASSED: u64 = 1 << 32;

impl ByWayOf<'_> {
    fn has_passed(head: Head) -> bool {
        head.state & PASSED != 0 || head.node.index() as u64 == head.state
    }

    /// How far apart two nodes are along `dimension`, and the lower of their coordinates.
    fn side(&self, one: NodeId, other: NodeId, dimension: usize) -> (u32, u32) {
        let [one, other] = [one, other].map(|node| self.mesh.coordinate(node, dimension));
        (one.abs_diff(other) + 1, one.min(other))
    }

    /// The one way on.
    fn route(&self, head: Head, candidates: &mut Candidates) {
        let passed = Self::has_passed(head);
        let to = match passed {
            true => head.destination,
            false => NodeId(head.state as u32),
        };
        for dimension in [0, 1] {
            let here = self.mesh.coordinate(head.node, dimension);
            let direction = match here.cmp(&self.mesh.coordinate(to, dimension)) {
                Ordering::Equal => continue,
                Ordering::Less => Direction::Up,
                Ordering::Greater => Direction::Down,
            };
            if let Some(channel) = self.mesh.channel(head.node, dimension, direction) {
                candidates.push(Candidate {
                    channel,
                    vcs: self.vcs[usize::from(passed)],
                    priority: 0,
                });
            }
            return;
        }
    }

    fn advance(&self, head: Head) -> u64 {
        match Self::has_passed(head) {
            true => head.state | PASSED,
            false => head.state,
        }
    }

    fn hops(&self, one: NodeId, other: NodeId) -> u32 {
        [0, 1]
            .map(|dimension| self.side(one, other, dimension).0 - 1)
            .iter()
            .sum()
    }
}

struct Romm<'n>(ByWayOf<'n>);

impl Routing for Romm<'_> {
    // Once a packet has drawn the node on its way, there is one way on.
    const DETERMINISTIC: bool = true;

    // Each node of the rectangle is as likely as any other.
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.side(source, destination, 0).0 * self.0.side(source, destination, 1).0
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let (columns, left) = self.0.side(source, destination, 0);
        let (_, bottom) = self.0.side(source, destination, 1);
        let on_the_way = [left + choice % columns, bottom + choice / columns];
        self.0.mesh.node_at(&on_the_way).index() as u64
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        self.0.advance(head)
    }
}

struct Ugal<'n>(ByWayOf<'n>);

impl Ugal<'_> {
    /// What is queued for the first channel of a packet that goes by way of `node`, times the hops of its way.
    fn cost(
        &self,
        packet: Undecided,
        node: u32,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> u64 {
        let (mesh, via) = (&self.0, NodeId(node));
        candidates.clear();
        let head = Head {
            node: packet.node,
            arrived: None,
            destination: packet.destination,
            state: u64::from(node),
        };
        mesh.route(head, candidates);
        let queued = candidates.as_slice().first();
        let queued = queued.map_or(0, |first| queues.flits(first.channel, first.vcs));
        let hops = mesh.hops(packet.source, via) + mesh.hops(via, packet.destination);
        queued * u64::from(hops)
    }
}

impl Routing for Ugal<'_> {
    const DETERMINISTIC: bool = true;
    const LOOKS: bool = true;

    // Any node; by way of the source is straight on.
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        self.0.mesh.radices().iter().product()
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn decide(
        &self,
        packet: Undecided,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<u32> {
        let straight = self.cost(packet, packet.source.0, queues, candidates);
        let by_way = self.cost(packet, packet.choice, queues, candidates);
        Some(if straight <= by_way {
            packet.source.0
        } else {
            packet.choice
        })
    }

    fn at_rest(&self, source: NodeId, _: NodeId) -> Range<u32> {
        source.0..source.0 + 1
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        self.0.advance(head)
    }
}

const RUNGS: Key<u32> = Key::integer("rungs", 2..=10_000, "rungs", "Rungs of the ladder.")
    .needed("add it, such as `rungs = 8`");

const RUNG_KEYS: &[Described] = &[RUNGS.described()];

/// What flitsim is told of ladders: two rows of nodes, each joined to its neighbours and to the one across.
pub const LADDER: OwnNetwork = OwnNetwork {
    name: "ladder",
    about: "Two rows of nodes, each joined to its neighbours and to the node across.",
    keys: RUNG_KEYS,
    example: "rungs=8",
    build: ladder,
};

fn ladder(values: &Values) -> Result<Network, TopologyError> {
    let rungs = values.get(&RUNGS);
    let along = (1..rungs).flat_map(|at| [(at - 1, at), (rungs + at - 1, rungs + at)]);
    let across = (0..rungs).map(|at| (at, rungs + at));
    let links = along.chain(across);
    let channels: Vec<Channel> = links
        .flat_map(|(one, other)| [(one, other), (other, one)])
        .map(|(source, target)| Channel {
            source: NodeId(source),
            target: NodeId(target),
            length_pitches: 1.0,
        })
        .collect();
    Network::from_channels(2 * rungs, 2 * rungs, &channels)
}

/// What flitsim is told of a statistic: by virtual channel, how many flits used it, and how many of them were heads.
pub const VC_USE: OwnStatistic = OwnStatistic {
    name: "vc-use",
    counters: |_| 2 * VCS_MOST,
    count: |_, happened, counters| {
        if let Happened::Sent { vc, kind, .. } = happened {
            counters[2 * vc as usize] += 1;
            counters[2 * vc as usize + 1] += u64::from(kind.head);
        }
    },
    columns: &["vc", "flits_per_cycle", "heads_per_cycle"],
    rows: |_, counters, cycles| {
        let used = (0..VCS_MOST).filter(|vc| counters[2 * vc] > 0);
        used.map(|vc| {
            let rate = |counted: u64| counted as f64 / cycles as f64;
            vec![
                vc as f64,
                rate(counters[2 * vc]),
                rate(counters[2 * vc + 1]),
            ]
        })
        .collect()
    },
};

const VCS_MOST: usize = 64;
