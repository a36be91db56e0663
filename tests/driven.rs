//! One virtual channel fewer than each algorithm needs, on every family that it claims: traffic comes
//! to the deadlock that the proof foretells. (That with one more the same does not happen, and what
//! the program says of it: `refused.rs`. Algorithms that one virtual channel is enough for: the
//! engine's `twins.rs`.)

use crate::proofs;
use crate::tier;

#[path = "../crates/engine/tests/common/dependencies.rs"]
#[allow(dead_code, reason = "the engine's tests use the rest")]
mod dependencies;

use dependencies::Dependencies;
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim_engine::verify::{VerifyOptions, verify};
use flitsim_engine::{Allocator, EngineConfig};
use flitsim_simulations::crowd;
use proofs::Series;
use proofs::families::{FAMILIES, is_acyclic};
use std::path::Path;

/// Cycles that a deadlock has to come within.
const CYCLES: u64 = 3_072;

/// Seeds that are tried for one, in this order: the first come to nearly all, then one that an express cube
/// would be long in coming to.
fn seeds() -> impl Iterator<Item = u64> {
    (1..=8).chain([462]).chain(9..=1_200)
}

/// The series that insists on this algorithm with these virtual channels.
fn insisted(topology: &str, virtual_channels: u32, algorithm: &str) -> SeriesPlan {
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    let text = Series::new(topology, virtual_channels, algorithm).alone();
    let plan = Plan::parse(Path::new("a.toml"), text, overrides);
    let mut plan = plan.unwrap_or_else(|error| panic!("{error}"));
    plan.series.remove(0)
}

/// Drives a series into a deadlock; an error where there is none to be driven into.
fn driven(topology: &str, virtual_channels: u32, algorithm: &str) -> Result<(), &'static str> {
    let series = insisted(topology, virtual_channels, algorithm);
    let (network, config) = (&*series.network, &series.engine);
    let relation = series.relation().expect("it fits");
    let proof = verify(network, &relation, &VerifyOptions::of(config));
    if proof.is_free() || proof.cycle().is_empty() {
        return Err("no cycle");
    }
    // Packets of the cycle that was found, alone or among others, or traffic of every kind.
    let aimed = Dependencies::packets_of(network, &relation, proof.cycle());
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
        crowd(network, relation.clone(), config, seed, CYCLES, aimed)
    };
    let found = seeds().find_map(drive);
    let circle = found.ok_or("no deadlock")?.circle;
    let is_closed = Dependencies::of(network, &relation).closes(&circle);
    is_closed.then_some(()).ok_or("a circle of no dependencies")
}

#[test]
fn one_virtual_channel_fewer_comes_to_a_deadlock() {
    if tier::is_left_out() {
        return;
    }
    let mut wrong = Vec::new();
    for family in &FAMILIES {
        for &(algorithm, least) in family.least.iter().filter(|(_, least)| *least > 1) {
            // Where one fewer leaves no cycle, one in all does, and on trees nothing does.
            let (fewer, expected) = match family.without_cycle.contains(&algorithm) {
                false => (least - 1, Ok(())),
                true if is_acyclic(family.topology) => (1, Err("no cycle")),
                true => (1, Ok(())),
            };
            let found = driven(family.topology, fewer, algorithm);
            if found != expected {
                let name = format!("{algorithm} on {}, {fewer}", family.topology);
                wrong.push((name, found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Shortest paths without an escape.
#[test]
fn minimal_adaptive_alone_comes_to_a_deadlock() {
    for family in &FAMILIES {
        let expected = match is_acyclic(family.topology) {
            true => Err("no cycle"),
            false => Ok(()),
        };
        let found = driven(family.topology, 1, "minimal-adaptive");
        assert_eq!(found, expected, "{}", family.topology);
    }
}
