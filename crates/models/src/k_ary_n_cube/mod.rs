//! Unidirectional k-ary n-cubes at equal wire bisection (W. J. Dally, "Wire-efficient VLSI
//! multiprocessor communication networks", 1987).
//!
//! [`Cube`] has the network: equations 1, 6 to 9, 11 and 13. [`latency`] has equations 2 to 5, 10 and
//! 12, [`throughput`] what the text says of throughput, [`figures`] figures 6 to 8. Widths are wires
//! of a channel, lengths node pitches, times channel cycles T_c unless stated otherwise.
//!
//! The radix is a real number, as in the paper's figures: k = N^(1/n) where no integer fits.
//! Assumptions: the network lies in the plane, half of its dimensions along each axis; every network
//! has as many wires across its middle as the binary n-cube with channels one wire wide, B = N;
//! wormhole routing without contention.

pub mod figures;
pub mod latency;
pub mod throughput;

use crate::ModelError;
use crate::error::{positive, within};

/// The most dimensions.
const DIMENSIONS_MOST: u32 = 63;

/// A k-ary n-cube.
///
/// ```
/// use flitsim_models::k_ary_n_cube::Cube;
///
/// let cube = Cube::of_nodes(1_048_576.0, 4)?;
/// assert_eq!((cube.radix(), cube.channel_width(), cube.pins_per_node()), (32.0, 16.0, 128.0));
/// # Ok::<(), flitsim_models::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cube {
    radix: f64,
    dimensions: u32,
}

impl Cube {
    /// The cube of radix k = `radix`, at least 2 and not always whole, and n = `dimensions`, 1 to 63.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn new(radix: f64, dimensions: u32) -> Result<Self, ModelError> {
        let in_range = (1..=DIMENSIONS_MOST).contains(&dimensions);
        within(
            "n, the dimension",
            f64::from(dimensions),
            in_range,
            "1 to 63",
        )?;
        within("k, the radix", radix, radix >= 2.0, "at least 2")?;
        Ok(Self { radix, dimensions })
    }

    /// The cube of `nodes` = N nodes in n = `dimensions`: k = N^(1/n) (equation 1).
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`], also for fewer than 2^n nodes.
    pub fn of_nodes(nodes: f64, dimensions: u32) -> Result<Self, ModelError> {
        positive("N, the number of nodes", nodes)?;
        let root = nodes.powf(1.0 / f64::from(dimensions.max(1)));
        // The root is not exact: a whole radix is taken where it gives exactly as many nodes.
        let whole = root.round();
        let is_whole = whole.powi(dimensions as i32) == nodes;
        Self::new(if is_whole { whole } else { root }, dimensions)
    }

    /// k.
    pub fn radix(&self) -> f64 {
        self.radix
    }

    /// n.
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// N = k^n (equation 1).
    pub fn nodes(&self) -> f64 {
        self.radix.powi(self.dimensions as i32)
    }

    /// B = 2 W N / k: wires across the middle, channels being `width` = W wires wide (equation 6).
    /// Both ways together: in each of the √N rows k^(n/2 − 1) each way.
    pub fn bisection_wires(&self, width: f64) -> f64 {
        2.0 * width * self.nodes() / self.radix
    }

    /// W = k/2: the channel width at which B = N (equation 7).
    pub fn channel_width(&self) -> f64 {
        self.radix / 2.0
    }

    /// D_max: what the wires across any cut between columns are bounded by, over all √N rows, at the
    /// width of equation 7: 2 W √N Σ_{i < n/2} k^i = k √N (√N − 1) / (k − 1) (equation 8). A
    /// dimension of stretch k^i has at most k^i channels each way across any place of a row.
    pub fn density_bound_wires(&self) -> f64 {
        let row = self.nodes().sqrt();
        self.radix * row * (row - 1.0) / (self.radix - 1.0)
    }

    /// k/(k − 1) B, B = N: the simpler bound that equation 8 ends in.
    pub fn density_bound_of_bisection_wires(&self) -> f64 {
        self.radix / (self.radix - 1.0) * self.nodes()
    }

    /// N_p = n k: pins of a node, 2n channels of k/2 wires (equation 9).
    pub fn pins_per_node(&self) -> f64 {
        f64::from(self.dimensions) * self.radix
    }

    /// D = n (k − 1) / 2: channels between two nodes picked at random, the same one twice included
    /// (equation 11).
    pub fn mean_distance(&self) -> f64 {
        f64::from(self.dimensions) * (self.radix - 1.0) / 2.0
    }

    /// l = k^(n/2 − 1): the longest wire, in pitches (equation 13): the stretch of the highest
    /// dimension along its axis. Folding doubles it, which the paper leaves out.
    pub fn longest_wire_pitches(&self) -> f64 {
        self.radix.powf(f64::from(self.dimensions) / 2.0 - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_radix_is_whole_where_it_can_be() {
        assert_eq!(Cube::of_nodes(1_048_576.0, 5).unwrap().radix(), 16.0);
        assert_eq!(Cube::of_nodes(16_384.0, 7).unwrap().radix(), 4.0);
        let cube = Cube::of_nodes(256.0, 3).unwrap();
        assert!((cube.radix() - 6.349_604).abs() < 1e-6);
        assert!((cube.nodes() - 256.0).abs() < 1e-9);
    }

    #[test]
    fn what_the_model_is_not_made_for_is_refused() {
        for wrong in [
            Cube::new(1.5, 2),
            Cube::new(f64::NAN, 2),
            Cube::new(4.0, 0),
            Cube::new(4.0, 64),
            Cube::of_nodes(256.0, 9),
            Cube::of_nodes(256.0, 0),
            Cube::of_nodes(-1.0, 2),
        ] {
            assert!(
                matches!(wrong, Err(ModelError::OutOfDomain { .. })),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn the_width_makes_all_bisections_n() {
        for n in 2..=8 {
            let cube = Cube::of_nodes(256.0, n).unwrap();
            let wires = cube.bisection_wires(cube.channel_width());
            assert!((wires - 256.0).abs() < 1e-9, "{n}: {wires}");
            assert!(cube.density_bound_wires() < cube.density_bound_of_bisection_wires());
        }
    }
}
