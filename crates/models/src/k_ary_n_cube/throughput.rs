//! Throughput at equal bisection.
//!
//! The text claims, in its abstract and introduction, that hot-spot throughput falls with the
//! dimension and that the throughput under uniform traffic does not depend on it. The equations for
//! them are not in the text at hand; those here follow from its assumptions: unidirectional channels
//! of width k/2, e-cube routing, messages whose sources and destinations are any nodes alike. They
//! are bounds by the load of channels, without contention.

use super::Cube;

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

#[cfg(test)]
mod tests {
    use super::*;

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
