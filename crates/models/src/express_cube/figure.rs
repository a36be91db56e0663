//! Figure 4: latency against distance (Dally, section III-D).

use super::{Delays, hops};
use crate::ModelError;

/// α of figure 4.
pub const ALPHA: f64 = 64.0;

/// i of its flat express cube.
pub const FLAT_INTERVAL: u64 = 16;

/// i and l of its hierarchical one.
pub const HIERARCHICAL: (u64, u32) = (4, 3);

/// A distance of figure 4 and its four latencies, in units of T_w, without the message's length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// D.
    pub distance: u64,
    /// A wire: D.
    pub wire: f64,
    /// No express channels: (α + 1) D.
    pub conventional: f64,
    /// One level, i = 16.
    pub flat: f64,
    /// i = 4, l = 3.
    pub hierarchical: f64,
}

/// Figure 4 at `distance` = D. The source is midway between interchanges, as the text says: of the
/// flat cube 8 nodes past one; of the hierarchical cube midway on every level, 2 + 2·4 + 2·16 nodes
/// past one of the third.
///
/// # Errors
/// None.
pub fn figure_4(distance: u64) -> Result<Row, ModelError> {
    let delays = Delays::of_ratio(ALPHA)?;
    let (interval, levels) = HIERARCHICAL;
    let midway = |interval: u64, levels: u32| -> u64 {
        (0..levels).map(|j| interval / 2 * interval.pow(j)).sum()
    };
    let of = |interval: u64, levels: u32| -> Result<f64, ModelError> {
        let source = midway(interval, levels);
        let hops = hops::between(source, source + distance, interval, levels)?;
        Ok(delays.latency(hops as f64, distance as f64, 0.0))
    };
    Ok(Row {
        distance,
        wire: distance as f64,
        conventional: delays.conventional(distance as f64, 0.0),
        flat: of(FLAT_INTERVAL, 1)?,
        hierarchical: of(interval, levels)?,
    })
}
