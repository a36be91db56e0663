//! The random streams of a replica.

use flitsim_engine::random::mix;

/// The seed of a replica's random streams: a hash of the scenario's seed, the load and the replica,
/// so that a point is the same whether it is run alone or in a sweep, and the series of a sweep
/// share their arrivals.
pub fn stream_seed(seed: u64, offered_flits: f64, replica: u32) -> u64 {
    let word = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    mix(mix(word ^ offered_flits.to_bits()).wrapping_add(u64::from(replica)))
}
