//! A routing algorithm of one's own: O1TURN on a mesh. Each packet goes either along the rows first or
//! along the columns first, at random, each way on half of the virtual channels (Seo, Ali, Lim, Rafique &
//! Thottethodi, "Near-optimal worst-case throughput routing for two-dimensional mesh networks", ISCA 2005).
//!
//! A routing is a relation: where the head is and where it goes, to the virtual channels that it may take.
//! What the verifier proves is what the engine runs.
//!
//! Run it with `cargo run --release --example own_routing`.

use flitsim::measurement::MeasureSettings;
use flitsim::simulate::NoMonitor;
use flitsim::{Offered, OperatingPoint};
use flitsim_analysis::verify::{VerifyOptions, verify};
use flitsim_engine::routing::{DimensionOrder, Tie, vc_range};
use flitsim_engine::{Candidate, Candidates, EngineConfig, Head, Routing, VcMask};
use flitsim_topology::{Direction, Ends, Grid, NodeId};
use flitsim_traffic::{Pattern, TrafficPlan, Transpose};
use std::error::Error;

/// O1TURN on a mesh of two dimensions.
#[derive(Clone, Copy)]
struct OneTurn<'n> {
    mesh: &'n Grid,
    /// The virtual channels of packets that go along dimension 0 first, and of the others.
    vcs: [VcMask; 2],
}

impl Routing for OneTurn<'_> {
    // Once a packet has drawn its order, there is one way on.
    const DETERMINISTIC: bool = true;

    // The engine draws one of two initial states, with equal chances.
    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        2
    }

    // The state is the dimension that comes first.
    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let first = head.state as usize;
        for dimension in [first, 1 - first] {
            let here = self.mesh.coordinate(head.node, dimension);
            let there = self.mesh.coordinate(head.destination, dimension);
            let direction = match here.cmp(&there) {
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Less => Direction::Up,
                std::cmp::Ordering::Greater => Direction::Down,
            };
            if let Some(channel) = self.mesh.channel(head.node, dimension, direction) {
                candidates.push(Candidate {
                    channel,
                    vcs: self.vcs[first],
                    priority: 0,
                });
            }
            return;
        }
    }
}

/// Proves it, shows what the proof is worth, and compares it with dimension order.
///
/// # Errors
/// A network that cannot be built or simulated.
pub fn main() -> Result<(), Box<dyn Error>> {
    let network = Grid::uniform(8, 2, Ends::Open)?.into_network();
    let mesh = network.grid().ok_or("a mesh has coordinates")?;
    let config = EngineConfig::default();
    let vcs = config.virtual_channels;
    let options = VerifyOptions::of(&config);

    let halves = [vc_range(0, vcs / 2), vc_range(vcs / 2, vcs)];
    let one_turn = OneTurn { mesh, vcs: halves };
    let proof = verify(&network, &one_turn, &options);
    assert!(proof.reason().is_none(), "{:?}", proof.reason());
    println!("O1TURN on an 8×8 mesh cannot deadlock: its dependency graph has no cycle.");

    // Were both kinds of packets to share their virtual channels, all turns would be taken.
    let all = vc_range(0, vcs);
    let shared = verify(
        &network,
        &OneTurn {
            mesh,
            vcs: [all; 2],
        },
        &options,
    );
    assert!(shared.reason().is_some(), "the verifier is asleep");
    let cycle = shared.cycle().iter().map(|&(channel, vc)| {
        let (from, to) = (network.source(channel), network.target(channel));
        format!("{from}->{to}#{vc}")
    });
    let cycle: Vec<String> = cycle.collect();
    println!("On shared virtual channels it can: {}", cycle.join(", "));

    let traffic = TrafficPlan {
        pattern: Pattern::Transpose(Transpose),
        ..TrafficPlan::default()
    };
    let settings = MeasureSettings {
        relative_error: 0.1,
        ..MeasureSettings::default()
    };
    println!("Accepted load under transpose traffic, flits/node/cycle:");
    println!("offered  dimension order  O1TURN");
    for load in [0.1, 0.2, 0.3] {
        let ordered = DimensionOrder::new(mesh, vcs, Tie::Random, true)?;
        let point = OperatingPoint {
            settings,
            ..OperatingPoint::new(&network, &config, &traffic, Offered::Flits(load))
        };
        let ordered = point.simulate(&ordered, &NoMonitor)?;
        let turned = point.simulate(&one_turn, &NoMonitor)?;
        println!(
            "{load:7}  {:15.3}  {:6.3}",
            ordered.accepted_flits, turned.accepted_flits
        );
    }
    Ok(())
}
