//! One virtual channel fewer than each algorithm needs, on every family that it claims: traffic comes
//! to the deadlock that the proof foretells. (That with one more the same does not happen, and what
//! the program says of it: `refused.rs`. Algorithms that one virtual channel is enough for: the
//! engine's `twins.rs`.)

use crate::proofs;
use crate::tier;
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim_simulations as simulations;
use proofs::Series;
use proofs::families::{FAMILIES, is_acyclic};
use std::path::Path;

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
    simulations::driven(network, &relation, config)
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
