//! Degrees, distances, fault diameters and bisections (Parhami & Kwai, section 4, theorems 1 to 4 and
//! table 1).

use crate::ModelError;
use crate::error::within;
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{Ends, Grid, SparseTorus, Thinning, TopologyError};

/// One of the four classes of figure 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Torus {
    /// Unpruned, undirected.
    Full,
    /// Pruned, undirected.
    Pruned,
    /// Unpruned, directed: the Manhattan street network.
    Manhattan,
    /// Pruned, directed.
    PrunedManhattan,
}

impl Torus {
    /// In the order of table 1.
    pub const ALL: [Self; 4] = [
        Self::Full,
        Self::Pruned,
        Self::Manhattan,
        Self::PrunedManhattan,
    ];

    /// The name in the figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "torus",
            Self::Pruned => "pruned",
            Self::Manhattan => "directed",
            Self::PrunedManhattan => "pruned-directed",
        }
    }

    /// Whether channels have none the other way.
    pub const fn is_one_way(self) -> bool {
        matches!(self, Self::Manhattan | Self::PrunedManhattan)
    }

    /// d: channels out of a node in `dimensions` = n dimensions: 2n, 4, n, 2.
    pub const fn degree(self, dimensions: u32) -> u32 {
        match self {
            Self::Full => 2 * dimensions,
            Self::Pruned => 4,
            Self::Manhattan => dimensions,
            Self::PrunedManhattan => 2,
        }
    }

    /// D of table 1, n = 3, even k = `radix` of at least 4, as printed: 1.5k, 1.5k, 1.5k + 1,
    /// 1.5k + 3.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for odd radices and those below 4.
    pub fn diameter_printed(self, radix: u32) -> Result<u32, ModelError> {
        even(radix)?;
        let straight = 3 * radix / 2;
        Ok(straight
            + match self {
                Self::Full | Self::Pruned => 0,
                Self::Manhattan => 1,
                Self::PrunedManhattan => 3,
            })
    }

    /// D for n = 3 as it is: one less than printed for the one-way tori where k ≡ 2 mod 4.
    ///
    /// # Errors
    /// As [`Torus::diameter_printed`].
    pub fn diameter(self, radix: u32) -> Result<u32, ModelError> {
        let less = u32::from(self.is_one_way() && radix % 4 == 2);
        Ok(self.diameter_printed(radix)? - less)
    }

    /// Δ of table 1, n = 3, the mean over all k³ destinations: 0.75k, 0.75k + 2/k − 2/k² (theorem 2),
    /// 0.75k + 1 − 4/k³, and about 0.75k + 3.5 − 4/k, a fit for k ≥ 8. For the exact mean of the last
    /// see [`Torus::mean_distance`].
    ///
    /// # Errors
    /// As [`Torus::diameter_printed`].
    pub fn mean_distance_printed(self, radix: u32) -> Result<f64, ModelError> {
        let k = even(radix)?;
        let straight = 0.75 * k;
        Ok(straight
            + match self {
                Self::Full => 0.0,
                Self::Pruned => 2.0 / k - 2.0 / (k * k),
                Self::Manhattan => 1.0 - 4.0 / k.powi(3),
                Self::PrunedManhattan => 3.5 - 4.0 / k,
            })
    }

    /// Δ counted on the network of k = `radix` and n = `dimensions`, the mean over all k^n
    /// destinations, the source among them.
    ///
    /// # Errors
    /// [`ModelError::Network`] for radices that the class does not have.
    pub fn mean_distance(self, radix: u32, dimensions: u32) -> Result<f64, ModelError> {
        let Some(torus) = sparse(self, radix, dimensions)? else {
            let ring = Grid::uniform(radix, 1, Ends::Ring)?;
            return Ok(f64::from(dimensions) * grid_distances(&ring).mean_with_self);
        };
        Ok(torus.distances().mean_with_self)
    }

    /// B of table 1 and theorem 4 in `dimensions` = n, in links, a one-way channel being half of one:
    /// 2k^(n−1) for the full torus, 2k^(n−1)/(n − 1) for the pruned one, half of each for their one-way
    /// forms.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for odd radices and those below 4, and fewer than 2 dimensions.
    pub fn bisection_width(self, radix: u32, dimensions: u32) -> Result<f64, ModelError> {
        let k = even(radix)?;
        let n = dimensions_of(dimensions)?;
        let plane = k.powi(dimensions as i32 - 1);
        Ok(match self {
            Self::Full => 2.0 * plane,
            Self::Pruned => 2.0 * plane / (n - 1.0),
            Self::Manhattan => plane,
            Self::PrunedManhattan => plane / (n - 1.0),
        })
    }

    /// Channels out of every node over those of the full torus in three dimensions, d/6: with as many
    /// pins a node, channels are 6/d times as wide (section 5).
    pub fn width_factor(self) -> f64 {
        6.0 / f64::from(self.degree(3))
    }

    /// F = L/W with 96 pins a node, W = 96/d = 16, 24, 32 and 48 bits: flits of a message of
    /// `message_bits` = L in three dimensions (section 5). Not rounded.
    pub fn flits(self, message_bits: f64) -> f64 {
        message_bits * f64::from(self.degree(3)) / 96.0
    }
}

/// The diameter of the n-dimensional pruned torus (theorem 1): (n − 1) ⌊k/2⌋ + max(2n − 4, ⌊k/2⌋) for
/// k ≥ 2 (n − 1), and (n − 1) ⌊k/2⌋ + max(n − 3 + ⌊k/2⌋, k) for k = n − 1.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless n ≥ 3 and k is a multiple of n − 1; [`ModelError::Network`]
/// never.
pub fn pruned_diameter(radix: u32, dimensions: u32) -> Result<u32, ModelError> {
    let holds = dimensions >= 3;
    within(
        "n, the dimension",
        f64::from(dimensions),
        holds,
        "at least 3",
    )?;
    let n = dimensions;
    let holds = radix >= 3.min(n - 1) && radix.is_multiple_of(n - 1);
    within(
        "k, the radix",
        f64::from(radix),
        holds,
        "a multiple of n - 1",
    )?;
    let half = radix / 2;
    Ok((n - 1) * half
        + if radix >= 2 * (n - 1) {
            half.max(2 * n - 4)
        } else {
            radix.max(n - 3 + half)
        })
}

/// The bound of theorem 3 on the fault diameter of the n-dimensional pruned torus, up to 3 faults:
/// (n − 1) ⌊k/2⌋ + k − n + 2.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless n ≥ 3 and k ≥ 4 (n − 1) is a multiple of n − 1.
pub fn pruned_fault_diameter_bound(radix: u32, dimensions: u32) -> Result<u32, ModelError> {
    let n = dimensions;
    within("n, the dimension", f64::from(n), n >= 3, "at least 3")?;
    let holds = radix >= 4 * (n - 1) && radix.is_multiple_of(n - 1);
    let domain = "a multiple of n - 1, at least 4 (n - 1)";
    within("k, the radix", f64::from(radix), holds, domain)?;
    Ok((n - 1) * (radix / 2) + radix - n + 2)
}

/// The fault diameter of the n-dimensional full torus, up to n − 1 faults: one more than the diameter
/// at most (section 4.C).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for odd radices and those below 4, and fewer than 2 dimensions.
pub fn full_fault_diameter_bound(radix: u32, dimensions: u32) -> Result<u32, ModelError> {
    even(radix)?;
    dimensions_of(dimensions)?;
    Ok(dimensions * (radix / 2) + 1)
}

fn even(radix: u32) -> Result<f64, ModelError> {
    let holds = radix >= 4 && radix.is_multiple_of(2);
    within(
        "k, the radix",
        f64::from(radix),
        holds,
        "even and at least 4",
    )
}

fn dimensions_of(dimensions: u32) -> Result<f64, ModelError> {
    let holds = dimensions >= 2;
    within(
        "n, the dimension",
        f64::from(dimensions),
        holds,
        "at least 2",
    )
}

/// The network of a class; `None` for the full torus, which is a [`Grid`].
///
/// # Errors
/// [`TopologyError`] for radices that the class does not have.
pub fn sparse(
    torus: Torus,
    radix: u32,
    dimensions: u32,
) -> Result<Option<SparseTorus>, TopologyError> {
    let thinning = match torus {
        Torus::Full => return Ok(None),
        Torus::Pruned => Thinning::Pruned,
        Torus::Manhattan => Thinning::Manhattan,
        Torus::PrunedManhattan => Thinning::PrunedManhattan,
    };
    SparseTorus::new(radix, dimensions, thinning).map(Some)
}
