//! A network of one's own: a chordal ring, whose nodes have a link to their neighbours and one to the
//! node three, four, five, … places on. Which chord is best?
//!
//! A network is a list of channels. Its properties, a routing that fits any network, the proof, the ideal
//! throughput and a simulation follow from that.
//!
//! Run it with `cargo run --release --example own_topology`.

use flitsim::measurement::MeasureSettings;
use flitsim::simulate::NoMonitor;
use flitsim::{Offered, OperatingPoint};
use flitsim_analysis::verify::{VerifyOptions, verify};
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::HopClass;
use flitsim_topology::{Channel, Network, NodeId, Paths, TopologyError, properties};
use flitsim_traffic::TrafficPlan;
use std::error::Error;

const NODES: u32 = 24;

/// The ring of `NODES` nodes with chords over `chord` places.
fn chordal_ring(chord: u32) -> Result<Network, TopologyError> {
    let steps = [1, NODES - 1, chord, NODES - chord];
    let channels: Vec<Channel> = (0..NODES)
        .flat_map(|node| {
            steps.map(|step| Channel {
                source: NodeId(node),
                target: NodeId((node + step) % NODES),
                length_pitches: step.min(NODES - step) as f32,
            })
        })
        .collect();
    // Every node has a terminal.
    Network::from_channels(NODES, NODES, &channels)
}

/// Builds, measures, proves and simulates each.
///
/// # Errors
/// A network that cannot be built or simulated.
pub fn main() -> Result<(), Box<dyn Error>> {
    println!("chord  diameter  mean distance  ideal throughput  latency at load 0.3");
    for chord in [3, 5, 7, 10] {
        let network = chordal_ring(chord)?;
        let distances = properties::distances(&network).ok_or("a network in parts")?;

        // Shortest paths, adaptive, and the hops taken as the class of virtual channels: it goes on any
        // network, and needs as many virtual channels as the diameter.
        let paths = Paths::of(&network)?;
        let config = EngineConfig {
            virtual_channels: distances.diameter,
            injection_vcs: distances.diameter,
            ..EngineConfig::default()
        };
        let routing = HopClass::new(&paths, config.virtual_channels)?;
        let proof = verify(&network, &routing, &VerifyOptions::of(&config));
        assert!(proof.reason().is_none(), "{:?}", proof.reason());

        // To every other node alike.
        let uniform = |source: NodeId, tell: &mut dyn FnMut(NodeId, f64)| {
            let others = (0..NODES).map(NodeId).filter(|&node| node != source);
            others.for_each(|node| tell(node, 1.0 / f64::from(NODES - 1)));
        };
        let expected = flitsim_analysis::expected(&network, &routing, &config, uniform)?;
        let settings = MeasureSettings {
            relative_error: 0.05,
            ..MeasureSettings::default()
        };
        let traffic = TrafficPlan::default();
        let point = OperatingPoint {
            settings,
            ..OperatingPoint::new(&network, &config, &traffic, Offered::Flits(0.3))
        };
        let point = point.simulate(&routing, &NoMonitor)?;
        let latency = point.latency.map_or("saturated".to_owned(), |latency| {
            format!("{:.1} ± {:.1}", latency.mean, latency.ci95)
        });
        println!(
            "{chord:5}  {:8}  {:13.3}  {:16.3}  {latency:>19}",
            distances.diameter, distances.mean_without_self, expected.ideal_throughput
        );
    }
    Ok(())
}
