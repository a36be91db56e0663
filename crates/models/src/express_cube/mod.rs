//! Express cubes: k-ary n-cubes with express channels (W. J. Dally, "Express cubes: improving the
//! performance of k-ary n-cube interconnection networks", 1991).
//!
//! [`Delays`] has equations 1 and 2; [`hops`] the hops that equations 3 to 5 are made of, [`mixed`]
//! those of hierarchies of several radices, [`shares`] equations 6 and 7 and the allocation of channels,
//! [`figure`] figure 4. Distances D are node
//! pitches along one dimension, i is the number of nodes between interchanges, l the levels.
//! Interchanges add no distance. There is no contention.
//!
//! | printed | what is wrong | here |
//! | --- | --- | --- |
//! | equation 4 | the floor's argument ends in + 1/(2i) instead of − 1/(2i) | [`hops::flat_mean_printed`], [`hops::flat_mean`] |
//! | the digits after equation 5 | no carry, and no hop through the interchange | [`hops::by_digits_printed`], [`hops::between`] |
//! | equation 6 | i^j for i^(j+1), which its worked example uses; and even so it counts lower levels again | [`shares::printed`], [`shares::of_example`], [`shares::share`] |
//! | equation 7 | damaged in the scan; the worked example has the rest of equation 6 | [`shares::of_example`] |
//! | M = ⌊β − 1⌋ | β is defined as the inverse of what this needs | [`shares::express_channels`] |

pub mod figure;
pub mod hops;
pub mod mixed;
pub mod shares;

use crate::ModelError;
use crate::error::{not_negative, positive, within};

/// T_n, T_w and T_p, in any one unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delays {
    /// T_n: the latency of a node or interchange.
    pub node: f64,
    /// T_w: the latency of a wire one pitch long.
    pub wire: f64,
    /// T_p: the time in which a channel takes a phit.
    pub period: f64,
}

impl Delays {
    /// α = T_n/T_w in units of T_w, with a period of T_w.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] unless `alpha` is above 0.
    pub fn of_ratio(alpha: f64) -> Result<Self, ModelError> {
        Ok(Self {
            node: positive("alpha", alpha)?,
            wire: 1.0,
            period: 1.0,
        })
    }

    /// T_a = H T_n + D T_w + (L/W) T_p (equation 1).
    pub fn latency(&self, hops: f64, distance: f64, phits: f64) -> f64 {
        hops * self.node + distance * self.wire + phits * self.period
    }

    /// T_a = (T_n + T_w) D + (L/W) T_p: without express channels, H = D (equation 2).
    pub fn conventional(&self, distance: f64, phits: f64) -> f64 {
        self.latency(distance, distance, phits)
    }

    /// T_b = (D/i + i) T_n + T_w D + (L/W) T_p: one level of express channels (equation 3).
    ///
    /// # Errors
    /// As [`hops::flat`].
    pub fn flat(&self, distance: u64, interval: u64, phits: f64) -> Result<f64, ModelError> {
        let hops = hops::flat(distance, interval)?;
        Ok(self.latency(hops as f64, distance as f64, phits))
    }

    /// T_b for any D, the mean over sources (equation 4, corrected).
    ///
    /// # Errors
    /// As [`hops::flat_mean`].
    pub fn flat_mean(&self, distance: u64, interval: u64, phits: f64) -> Result<f64, ModelError> {
        let hops = hops::flat_mean(distance, interval)?;
        Ok(self.latency(hops, distance as f64, phits))
    }

    /// T_b for any D as equation 4 is printed.
    ///
    /// # Errors
    /// As [`hops::flat_mean_printed`].
    pub fn flat_mean_printed(
        &self,
        distance: u64,
        interval: u64,
        phits: f64,
    ) -> Result<f64, ModelError> {
        let hops = hops::flat_mean_printed(distance, interval)?;
        Ok(self.latency(hops, distance as f64, phits))
    }

    /// T_c = (D/i^l + (i − 1) l + 1) T_n + T_w D + (L/W) T_p: l levels (equation 5).
    ///
    /// # Errors
    /// As [`hops::hierarchical`].
    pub fn hierarchical(
        &self,
        distance: u64,
        interval: u64,
        levels: u32,
        phits: f64,
    ) -> Result<f64, ModelError> {
        let hops = hops::hierarchical(distance, interval, levels)?;
        Ok(self.latency(hops as f64, distance as f64, phits))
    }
}

/// The interval of least latency over a distance D, one level: D/i + i is least, 2 √D, at i = √D
/// (section III-A). The paper gives T_D ≈ 2 (√D − 1) T_n.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless `distance` is above 0.
pub fn best_interval(distance: f64) -> Result<f64, ModelError> {
    Ok(positive("D, in pitches", distance)?.sqrt())
}

/// D′ = α i log_i α: from there on the latency of a hierarchical express cube is within three times
/// that of a wire (section V and figure 4).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for an interval below 2 or an α not above 1.
pub fn crossover_distance(alpha: f64, interval: u64) -> Result<f64, ModelError> {
    let i = within("i", interval as f64, interval >= 2, "at least 2")?;
    within("alpha", alpha, alpha > 1.0, "above 1")?;
    Ok(alpha * i * alpha.log(i))
}

/// (i − 1) log_i D: what the hops over short distances D < α grow like (section III-D).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for an interval below 2 or a distance below 1.
pub fn short_distance_hops(distance: f64, interval: u64) -> Result<f64, ModelError> {
    let i = within("i", interval as f64, interval >= 2, "at least 2")?;
    within("D, in pitches", distance, distance >= 1.0, "at least 1")?;
    Ok((i - 1.0) * distance.log(i))
}

/// The latency that a local message pays for every interchange that it crosses, T_n: the paper
/// writes T_n + T_w, but its interchanges add no distance.
pub fn crossing_cost(delays: &Delays) -> f64 {
    delays.node
}

/// The share of a wire's delay that the distance-related latency is, far away: 1 + α/i^l of T_w D
/// (section III-D); with i^l = j α, 1 + 1/j (footnote 3).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for an interval below 2 or a negative α.
pub fn asymptotic_slope(alpha: f64, interval: u64, levels: u32) -> Result<f64, ModelError> {
    let i = within("i", interval as f64, interval >= 2, "at least 2")?;
    Ok(1.0 + not_negative("alpha", alpha)? / i.powi(levels as i32))
}
