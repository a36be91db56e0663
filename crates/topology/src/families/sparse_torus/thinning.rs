//! Which channels of a torus are left out, and the radices that each way asks for (Parhami & Kwai,
//! section 3.D).

use crate::TopologyError;
use crate::error::{check_size, refused};
use crate::families::common::coordinates::{check_radices, nodes_of, uniform};

/// Which channels of an n-dimensional torus of radix k are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinning {
    /// All links of dimension i ≥ 1 but those where a_0 ≡ i − 1 mod (n − 1); k a multiple of n − 1.
    Pruned,
    /// One way of every link: up where the sum of the other coordinates is even, else down; k even.
    Manhattan,
    /// Both rules; k a multiple of both 2 and n − 1.
    PrunedManhattan,
}

impl Thinning {
    /// Whether links of the dimensions above 0 are missing.
    #[inline]
    pub const fn is_pruned(self) -> bool {
        !matches!(self, Self::Manhattan)
    }

    /// Whether links have one way only.
    #[inline]
    pub const fn is_one_way(self) -> bool {
        !matches!(self, Self::Pruned)
    }

    /// What the network is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pruned => "pruned torus",
            Self::Manhattan => "Manhattan torus",
            Self::PrunedManhattan => "pruned Manhattan torus",
        }
    }

    /// The number that the radix must be a multiple of in `dimensions` dimensions, at least 2.
    pub fn radix_unit(self, dimensions: u32) -> u64 {
        let pruned = dimensions as u64 - 1;
        match self {
            Self::Pruned => pruned,
            Self::Manhattan => 2,
            Self::PrunedManhattan if pruned.is_multiple_of(2) => pruned,
            Self::PrunedManhattan => 2 * pruned,
        }
    }

    /// The channels out of each node.
    pub const fn degree(self, radix: u32, dimensions: u32) -> u32 {
        match self {
            Self::Pruned if radix == 2 => 2,
            Self::Pruned => 4,
            Self::Manhattan => dimensions,
            Self::PrunedManhattan => 2,
        }
    }

    /// The channels out of each node, if there is such a network and it would fit.
    pub(super) fn check(self, radix: u32, dimensions: u32) -> Result<u32, TopologyError> {
        let kind = self.name();
        if dimensions < 2 {
            let message =
                format!("a {kind} of {dimensions} dimensions does not exist; it needs at least 2");
            return Err(refused("dimensions", "too few", "`dimensions = 2`", message).into());
        }
        check_radices(&[radix])?;
        let unit = self.radix_unit(dimensions);
        if !u64::from(radix).is_multiple_of(unit) {
            // The nearest multiple of the unit, but not 0 or 1; the lower of two.
            let units = (u64::from(radix) + (unit - 1) / 2) / unit;
            let nearest = (units.max(1) * unit).max(2);
            let message = format!(
                "the radix of a {kind} of {dimensions} dimensions must be a multiple of {unit}; \
                 {radix} is not, {nearest} is"
            );
            let label = format!("not a multiple of {unit}");
            let remedy = format!("`radix = {nearest}`");
            return Err(refused("radix", &label, remedy, message).into());
        }
        let nodes = nodes_of(&uniform(radix, dimensions));
        let degree = self.degree(radix, dimensions);
        let channels = nodes.saturating_mul(u128::from(degree));
        check_size(nodes, channels, "fewer dimensions or smaller radices")?;
        Ok(degree)
    }
}
