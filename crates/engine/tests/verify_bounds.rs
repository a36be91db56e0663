//! Proofs keep to the memory and the threads that they are given, and say so where the memory is
//! not enough.

use crate::common;
use crate::common::any::verify;

use common::relations::MinimalAdaptive;
use flitsim_analysis::verify::{Extent, Proof, Reason, VerifyOptions};
use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables, Valiant};
use flitsim_engine::{Candidates, EngineConfig, Head, Routing};
use flitsim_topology::{ChannelId, Ends, Grid, HyperX, Network, NodeId};
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::{self, ThreadId};

fn options(virtual_channels: u32, configurations_most: u64) -> VerifyOptions<'static> {
    let config = EngineConfig {
        virtual_channels,
        ..EngineConfig::default()
    };
    VerifyOptions {
        configurations_most,
        extent: Extent::Full,
        ..VerifyOptions::of(&config)
    }
}

fn mesh(radices: &[u32]) -> Network {
    Grid::new(radices, Ends::Open).unwrap().into_network()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon_core::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(work)
}

/// The proof on one thread, with the most bytes that it held at a time.
fn measured(
    network: &Network,
    routing: &impl Routing,
    options: &VerifyOptions<'_>,
) -> (Proof, u64) {
    on_threads(1, || {
        let mut proof = None;
        let allocations = allocation_counter::measure(|| {
            proof = Some(verify(network, routing, options));
        });
        (proof.unwrap(), allocations.bytes_max)
    })
}

#[test]
fn too_many_dependencies_are_refused_before_memory_is_touched() {
    let nodes = 210;
    let network = HyperX::new(&[nodes], &[]).unwrap().into_network();
    let relation =
        RoutingChoice::from(Algorithm::DimensionOrder).relation(&network, 64, &Tables::default());
    let relation = relation.unwrap();
    let (proof, most) = measured(&network, &relation, &options(64, 1 << 20));
    // Behind each channel as many, a bit for each two virtual channels, and 64 bytes for each virtual channel.
    let (nodes, vcs) = (u64::from(nodes), 64);
    let channels = nodes * (nodes - 1);
    let bytes = channels * vcs * ((nodes - 1) * vcs / 8) + channels * vcs * 64;
    let mebibytes = bytes >> 20;
    assert_eq!(
        proof.reason(),
        Some(&Reason::TooManyDependencies { mebibytes })
    );
    assert!(most < 100 << 20, "{most} bytes");
}

#[test]
fn too_many_configurations_are_refused_within_their_memory() {
    let network = mesh(&[24, 24]);
    let routing = Valiant::new(network.grid().unwrap(), 2, true).unwrap();
    for most in [1 << 12, 1 << 16] {
        let (proof, bytes) = measured(&network, &routing, &options(2, most));
        let destination = NodeId(0);
        let reason = Reason::TooManyConfigurations { destination, most };
        assert_eq!(proof.reason(), Some(&reason));
        assert!(proof.cycle().is_empty() && !proof.reaches_every_pair);
        // Behind what every proof on this network takes.
        let least = 1 << 20;
        assert!(bytes < least + 100 * most, "{bytes} for {most}");
    }
}

#[test]
fn too_many_hops_are_refused_within_their_memory() {
    let network = mesh(&[5, 5]);
    let grid = network.grid().unwrap();
    let virtual_channels = 64;
    let routing = MinimalAdaptive {
        grid,
        virtual_channels,
    };
    // 80 channels of 64: more than half of them lead two ways on.
    let most = 5120;
    let (proof, bytes) = measured(&network, &routing, &options(64, most));
    let reason = Reason::TooManyHops {
        destination: NodeId(0),
        most: 16 * most,
    };
    assert_eq!(proof.reason(), Some(&reason));
    let words = reason.describe(&network);
    assert!(words.contains("81920 ways"), "{words}");
    assert!(bytes < (2 << 20) + 200 * most, "{bytes}");
    let enough = verify(&network, &routing, &options(64, 1 << 20));
    assert_eq!(enough.reason(), Some(&Reason::Cycle));
}

#[test]
fn large_explorations_one_after_another_prove_the_same() {
    let network = mesh(&[8, 8]);
    let routing = Valiant::new(network.grid().unwrap(), 2, true).unwrap();
    let at_once = on_threads(3, || verify(&network, &routing, &options(2, 1 << 20)));
    let (proof, _) = measured(&network, &routing, &options(2, 1 << 20));
    assert_eq!(at_once, proof);
    let each = at_once.configurations / 64;
    // All are larger than a sixteenth, and none is too large.
    let most = each + each / 4;
    let turns = on_threads(3, || verify(&network, &routing, &options(2, most)));
    assert_eq!(at_once, turns);
    assert!(at_once.is_free());
}

/// `R`, which notes the threads that ask it.
struct Watched<R>(R, Mutex<HashSet<ThreadId>>);

impl<R: Routing> Routing for Watched<R> {
    const DETERMINISTIC: bool = R::DETERMINISTIC;

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.1.lock().unwrap().insert(thread::current().id());
        self.0.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        self.0.route(head, candidates);
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }
}

#[test]
fn a_proof_runs_on_the_threads_of_its_pool() {
    let network = mesh(&[6, 6]);
    let valiant = Valiant::new(network.grid().unwrap(), 2, true).unwrap();
    for threads in [1, 2] {
        let watched = Watched(valiant.clone(), Mutex::default());
        let own = on_threads(threads, || {
            assert!(verify(&network, &watched, &options(2, 1 << 20)).is_free());
            rayon_core::broadcast(|_| thread::current().id())
        });
        let own: HashSet<_> = own.into_iter().collect();
        assert!(watched.1.into_inner().unwrap().is_subset(&own));
    }
}
