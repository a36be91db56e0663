//! Throughput at equal bisection.
//!
//! The text claims, in its abstract and introduction, that hot-spot throughput falls with the
//! dimension and that the throughput under uniform traffic does not depend on it. The equations for
//! them are not in the text at hand; those here follow from its assumptions: unidirectional channels
//! of width k/2, e-cube routing, messages whose sources and destinations are any nodes alike. They
//! are bounds by the load of channels, without contention.

use super::Cube;
use crate::ModelError;
use crate::error::within;
use flitsim_topology::Ends;

impl Cube {
    /// The most uniform traffic that the channels carry, in flits a node a cycle: n channels a node
    /// share D = n (k − 1)/2 channels a flit, 2/(k − 1).
    pub fn capacity_flits_per_node(&self) -> f64 {
        f64::from(self.dimensions()) / self.mean_distance()
    }

    /// The same in bits at the width of equation 7, k/(k − 1) a node a cycle: between 2 for the
    /// binary n-cube and 1 for long rings, whatever the dimension.
    pub fn capacity_bits_per_node(&self) -> f64 {
        self.capacity_flits_per_node() * self.channel_width()
    }

    /// The most traffic that all other nodes together can send to one, in bits a cycle: under e-cube
    /// routing (k^n − k^(n−1)) of the k^n − 1 others reach it over its channel in the last dimension,
    /// k/2 wires wide. About k²/(2 (k − 1)): it falls with the dimension.
    pub fn hot_spot_bits(&self) -> f64 {
        let nodes = self.nodes();
        let over_last_channel = nodes - nodes / self.radix();
        self.channel_width() * (nodes - 1.0) / over_last_channel
    }
}

/// Flits a cycle over the busiest channel of a dimension of `radix` = k nodes, at 1 flit a node a
/// cycle to any nodes alike, under minimal routing: (k − 1)/2 on one-way rings; k/8 on two-way rings
/// for even k, with packets that go half way round split evenly, and (k² − 1)/(8k) for odd k;
/// ⌊k/2⌋ ⌈k/2⌉ / k in the middle of a line, which two nodes always are.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 2 nodes.
pub fn busiest_channel_load(ends: Ends, radix: u32) -> Result<f64, ModelError> {
    let k = within("k, the radix", f64::from(radix), radix >= 2, "at least 2")?;
    let halves = f64::from(radix / 2) * f64::from(radix.div_ceil(2));
    Ok(match ends {
        Ends::DirectedRing => (k - 1.0) / 2.0,
        Ends::Ring if radix > 2 => halves / (2.0 * k),
        Ends::Ring | Ends::Open => halves / k,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_carry_what_crosses_them() {
        let load = |ends, radix| busiest_channel_load(ends, radix).unwrap();
        assert_eq!(load(Ends::DirectedRing, 16), 7.5);
        assert_eq!((load(Ends::Ring, 8), load(Ends::Ring, 5)), (1.0, 0.6));
        assert_eq!((load(Ends::Open, 8), load(Ends::Open, 5)), (2.0, 1.2));
        for ends in [Ends::DirectedRing, Ends::Ring, Ends::Open] {
            assert_eq!(load(ends, 2), 0.5);
        }
        assert!(busiest_channel_load(Ends::Ring, 1).is_err());
    }

    #[test]
    fn throughput_hardly_depends_on_dimension_and_hot_spot_throughput_does() {
        let cubes: Vec<Cube> = (2..=8).map(|n| Cube::of_nodes(256.0, n).unwrap()).collect();
        let capacities = cubes.iter().map(Cube::capacity_bits_per_node);
        assert!(capacities.clone().all(|bits| (1.0..=2.0).contains(&bits)));
        let hot: Vec<f64> = cubes.iter().map(Cube::hot_spot_bits).collect();
        assert!(hot.is_sorted_by(|a, b| a > b), "{hot:?}");
        // 8 wires, of 255 senders 240 over the one channel; 1 wire, 128 of 255.
        assert_eq!((hot[0], hot[6]), (8.0 * 255.0 / 240.0, 255.0 / 128.0));
    }
}
