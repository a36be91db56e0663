//! From the proof that a relation is not free of deadlock to traffic that shows one.

use crate::census::Census;
use crate::crowd::crowd;
use crate::dependencies::Dependencies;
use flitsim_analysis::verify::{VerifyOptions, verify};
use flitsim_engine::routing::Relation;
use flitsim_engine::{Allocator, EngineConfig};
use flitsim_topology::Network;

/// Cycles that a deadlock has to come within.
const CYCLES: u64 = 3_072;

/// Seeds that are tried for one, in this order: the first come to nearly all, then two that a few would
/// be long in coming to.
fn seeds() -> impl Iterator<Item = u64> {
    (1..=8).chain([462, 72]).chain(9..=1_200)
}

/// Drives the network into a deadlock under one of some seeds; an error where there is none to be driven into.
///
/// # Errors
/// What there is instead.
pub fn driven(
    network: &Network,
    relation: &Relation<'_>,
    config: &EngineConfig,
) -> Result<(), &'static str> {
    let proof = verify(network, relation, &VerifyOptions::of(config));
    if proof.is_free() || proof.cycle().is_empty() {
        return Err("no cycle");
    }
    // Packets of the cycle that was found, alone or among others, or traffic of every kind.
    let aimed = Dependencies::packets_of(network, relation, proof.cycle());
    // Who is served first decides nothing of what can happen, but how soon it does: first come, first
    // served seldom lets all the packets of a cycle come to stand.
    let drive = |seed| {
        let config = EngineConfig {
            allocator: match seed / 6 % 2 {
                0 => Allocator::RoundRobin,
                _ => Allocator::Random,
            },
            ..config.clone()
        };
        let aimed: &[_] = if seed / 12 % 2 == 0 { &aimed } else { &[] };
        crowd::<Census, _>(network, relation, config, seed, CYCLES, aimed)
    };
    let found = seeds().find_map(drive);
    let circle = found.ok_or("no deadlock")?.circle;
    let is_closed = Dependencies::of(network, relation).closes(&circle);
    is_closed.then_some(()).ok_or("a circle of no dependencies")
}
