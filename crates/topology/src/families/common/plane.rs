//! Grids in the plane: half of the dimensions across, half of them down, rings folded (Dally,
//! "Wire-efficient VLSI multiprocessor communication networks", section 5 and figure 5).
//!
//! Of n dimensions the first ⌈n/2⌉ lie along x and the others along y. Along an axis the lowest of
//! its dimensions has neighbours nearest, and each further one is stretched by the size of those
//! below it. A ring is folded: its nodes 0, 1, 2, .. stand in every second place and the others come
//! back between them, so that neighbours are two places apart at most and no wire leads back from
//! end to end. Lines with open ends stay as they are.
//!
//! Everything here follows from radices and ends alone; no network is built.

use super::coordinates::Ends;
use super::profile::DensityProfile;

/// The layout of a torus, mesh or hypercube in the plane.
///
/// ```
/// use flitsim_topology::{Ends, layout::Plane};
///
/// // Dally's figure 6: one row of the binary 20-cube, 1024 nodes in each of 1024 rows.
/// let row = Plane::new(&[2; 20], Ends::Open).row_density();
/// assert_eq!(row.peak(), Some((341, 1364)));
/// assert_eq!(row.across(512), 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    x: Axis,
    y: Axis,
}

/// The dimensions that lie along one axis, the lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Axis {
    radices: Vec<u32>,
    ends: Ends,
}

impl Plane {
    /// The layout of a grid with the given radices, dimension 0 first.
    ///
    /// # Panics
    /// If a radix is 0, or a grid of these radices would have 2^32 nodes or more.
    pub fn new(radices: &[u32], ends: Ends) -> Self {
        let nodes = radices.iter().try_fold(1u32, |product, &k| {
            product.checked_mul(k).filter(|&product| product > 0)
        });
        assert!(nodes.is_some(), "no grid has the radices {radices:?}");
        let (x, y) = radices.split_at(radices.len().div_ceil(2));
        let axis = |radices: &[u32]| Axis {
            radices: radices.to_vec(),
            ends,
        };
        Self {
            x: axis(x),
            y: axis(y),
        }
    }

    /// Number of columns: nodes in a row.
    pub fn columns(&self) -> u64 {
        self.x.places()
    }

    /// Number of rows: nodes in a column.
    pub fn rows(&self) -> u64 {
        self.y.places()
    }

    /// Column and row of the node with the given coordinates, dimension 0 first, from 0.
    pub fn place(&self, coordinates: &[u16]) -> (u32, u32) {
        let (x, y) = coordinates.split_at(self.x.radices.len().min(coordinates.len()));
        (self.x.place(x), self.y.place(y))
    }

    /// The length of a wire between coordinates `a` and `b` of `dimension`, all others equal, in
    /// pitches.
    ///
    /// # Panics
    /// If there is no such dimension.
    pub fn wire_pitches(&self, dimension: usize, a: u32, b: u32) -> u32 {
        match dimension.checked_sub(self.x.radices.len()) {
            None => self.x.wire_pitches(dimension, a, b),
            Some(dimension) => self.y.wire_pitches(dimension, a, b),
        }
    }

    /// By coordinate of `dimension`, the length of the wire to the next one, in pitches; the last one
    /// is next to coordinate 0. For builders, which ask for many.
    pub(crate) fn step_pitches(&self, dimension: usize) -> Vec<f32> {
        let k = match dimension.checked_sub(self.x.radices.len()) {
            None => self.x.radices[dimension],
            Some(dimension) => self.y.radices[dimension],
        };
        let next = |a| self.wire_pitches(dimension, a, (a + 1) % k) as f32;
        (0..k).map(next).collect()
    }

    /// The channels, both ways, that cross each cut between two neighbouring columns in one row: in
    /// every row the same. In time of columns × dimensions.
    pub fn row_density(&self) -> DensityProfile {
        self.x.density()
    }

    /// The channels, both ways, that cross each cut between two neighbouring rows in one column.
    pub fn column_density(&self) -> DensityProfile {
        self.y.density()
    }
}

impl Axis {
    fn places(&self) -> u64 {
        self.radices.iter().map(|&k| u64::from(k)).product()
    }

    /// Whether the dimension of radix `k` is a ring: between two nodes there is nothing to fold.
    fn is_ring(&self, k: u32) -> bool {
        self.ends != Ends::Open && k > 2
    }

    /// The place of coordinate `a` in a line or folded ring of radix `k`.
    fn slot(&self, k: u32, a: u32) -> u32 {
        if !self.is_ring(k) {
            a
        } else if 2 * a < k {
            2 * a
        } else {
            2 * (k - a) - 1
        }
    }

    fn place(&self, coordinates: &[u16]) -> u32 {
        let (mut place, mut stride) = (0, 1);
        for (&k, &a) in self.radices.iter().zip(coordinates) {
            place += stride * self.slot(k, u32::from(a));
            stride *= k;
        }
        place
    }

    fn wire_pitches(&self, dimension: usize, a: u32, b: u32) -> u32 {
        let stride: u32 = self.radices[..dimension].iter().product();
        let k = self.radices[dimension];
        stride * self.slot(k, a).abs_diff(self.slot(k, b))
    }

    /// The channels of one line or ring of radix `k` that cross a cut after `slots` of its places.
    fn channels_after(&self, k: u32, slots: u64) -> u64 {
        if slots == 0 || slots >= u64::from(k) {
            return 0;
        }
        match self.ends {
            // One wire there and one back, whether or not the ring is folded.
            Ends::DirectedRing => 2,
            // Two links where a ring is folded, each two channels.
            Ends::Ring if self.is_ring(k) => 4,
            Ends::Ring | Ends::Open => 2,
        }
    }

    fn density(&self) -> DensityProfile {
        let cuts = 1..self.places().max(1);
        DensityProfile::new(1, cuts.map(|cut| self.channels_across(cut)).collect())
    }

    /// A dimension above others is as many lines side by side as those have places. A cut at
    /// remainder r of its block has passed ⌈r/stride⌉ places of some of the lines, ⌊r/stride⌋ of
    /// the others.
    fn channels_across(&self, cut: u64) -> u64 {
        let mut stride = 1;
        let mut channels = 0;
        for &k in &self.radices {
            let block = stride * u64::from(k);
            let (slots, further) = (cut % block / stride, cut % stride);
            channels += further * self.channels_after(k, slots + 1)
                + (stride - further) * self.channels_after(k, slots);
            stride = block;
        }
        channels
    }
}
