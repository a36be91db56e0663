//! The random streams of a replica.

use flitsim_random::Address;

/// The seed of a replica's random streams: a hash of the scenario's seed, the load and the replica,
/// so that a point is the same whether it is run alone or in a sweep, and the series of a sweep
/// share their arrivals.
pub fn stream_seed(seed: u64, offered_flits: f64, replica: u32) -> u64 {
    let load = Address::new(seed).with(offered_flits.to_bits());
    load.with(u64::from(replica)).word()
}
