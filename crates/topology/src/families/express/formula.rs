//! Closed forms of express cubes (Dally, "Express cubes", sections III-C and III-E).
//!
//! The paper's digit formulas lack the carry and the hop through the interchange; its equation 6
//! counts at each level the traffic of the levels below once more. Both are corrected here; the
//! share as printed has its own function, so that the printed example can be compared.

/// Channels from node `from` to node `to` of a line whose interchanges are whole modules, `interval`
/// nodes apart, with `levels` levels.
///
/// Where S < D lie in different blocks of i^l nodes,
/// H = 2 + Σ (i − 1 − s_j) + Σ d_j + (⌊D/i^l⌋ − ⌊S/i^l⌋ − 1), sums over j < l, digits of radix i: to
/// the first interchange and up, along the top level, down again. Within a block, the highest digit
/// in which they differ takes the place of the top level. From D to S it is as far.
///
/// # Panics
/// In debug builds, if `interval` is below 2.
pub fn line_hops(interval: u32, levels: u32, from: u32, to: u32) -> u32 {
    debug_assert!(interval >= 2);
    let (mut low, mut high) = (from.min(to), from.max(to));
    let mut beside = 0;
    let mut level = 0;
    while level < levels && low / interval != high / interval {
        beside += interval - 1 - low % interval + high % interval;
        (low, high) = (low / interval, high / interval);
        level += 1;
    }
    if level == 0 {
        high - low
    } else {
        1 + beside + high - low
    }
}

/// The share of the packets across the middle of a long line that cross it on a channel of level
/// `level`, under uniform traffic: 2i/k on local channels, 2(i^(j+1) − i^j)/k at level j below the
/// top, the rest at the top. Exact where i^l divides half the radix.
pub fn level_share(radix: u32, interval: u32, levels: u32, level: u32) -> f64 {
    let reach = |level: u32| 2.0 * f64::from(interval).powi(level as i32) / f64::from(radix);
    match level {
        0 => reach(1),
        _ if level < levels => reach(level + 1) - reach(level),
        _ => 1.0 - reach(levels),
    }
}

/// The same share as equations 6 and 7 have it, in the form that their worked example uses:
/// f_j = 2 i^(j+1)/k below the top, the rest at the top. It counts too much from level 1 on.
pub fn level_share_printed(radix: u32, interval: u32, levels: u32, level: u32) -> f64 {
    let printed = |level: u32| 2.0 * f64::from(interval).powi(level as i32 + 1) / f64::from(radix);
    if level < levels {
        printed(level)
    } else {
        1.0 - (0..levels).map(printed).sum::<f64>()
    }
}
