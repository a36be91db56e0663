//! Which level carries how much, and how many channels each should have (Dally, sections III-B and
//! III-E). All of it is for uniform traffic across the middle of a long line, k ≫ i^l.

use crate::ModelError;
use crate::error::{positive, within};

/// k, i and l, within what the shares are made for.
fn checked(radix: u64, interval: u64, levels: u32) -> Result<(f64, f64), ModelError> {
    let i = within("i", interval as f64, interval >= 2, "at least 2")?;
    let holds = levels >= 1 && 2.0 * i.powi(levels as i32) <= radix as f64;
    let k = within(
        "k, the radix",
        radix as f64,
        holds,
        "at least 2 i^l, with l at least 1",
    )?;
    Ok((k, i))
}

/// f_0 to f_l as equation 6 is printed, 2 i^j / k below the top, and the rest at the top (equation
/// 7, in words).
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2, l ≥ 1 and k ≥ 2 i^l.
pub fn printed(radix: u64, interval: u64, levels: u32) -> Result<Vec<f64>, ModelError> {
    let (k, i) = checked(radix, interval, levels)?;
    Ok(with_rest((0..levels).map(|j| 2.0 * i.powi(j as i32) / k)))
}

/// f_0 to f_l as the worked example has them, 2 i^(j+1) / k below the top, and the rest at the top:
/// 1 − 2 (i^(l+1) − i) / (k (i − 1)). From level 1 on it counts the traffic of the levels below once
/// more.
///
/// # Errors
/// As [`printed`].
pub fn of_example(radix: u64, interval: u64, levels: u32) -> Result<Vec<f64>, ModelError> {
    let (k, i) = checked(radix, interval, levels)?;
    Ok(with_rest(
        (0..levels).map(|j| 2.0 * i.powi(j as i32 + 1) / k),
    ))
}

/// The true f_0 to f_l: 2 i/k, then 2 (i^(j+1) − i^j)/k, and the rest at the top, 1 − 2 i^l/k. Exact
/// where i^l divides k/2. At l = 1 these are section III-B's 2i/k and (k − 2i)/k.
///
/// # Errors
/// As [`printed`].
pub fn share(radix: u64, interval: u64, levels: u32) -> Result<Vec<f64>, ModelError> {
    let (k, i) = checked(radix, interval, levels)?;
    Ok(with_rest((0..levels).map(|j| match j {
        0 => 2.0 * i / k,
        _ => 2.0 * (i.powi(j as i32 + 1) - i.powi(j as i32)) / k,
    })))
}

fn with_rest(below: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut shares: Vec<f64> = below.collect();
    shares.push(1.0 - shares.iter().sum::<f64>());
    shares
}

/// The most uniform traffic that a line carries, in flits a node a cycle, with m_j = `channels`
/// parallel channels at each level: k/4 of a flit a node crosses the middle each way, and level j
/// must carry its true share of that. `channels` has l + 1 numbers.
///
/// # Errors
/// As [`share`], and for another number of levels or a level without channels.
pub fn capacity_flits_per_node(
    radix: u64,
    interval: u64,
    channels: &[u32],
) -> Result<f64, ModelError> {
    let levels = channels.len().saturating_sub(1) as u32;
    let shares = share(radix, interval, levels)?;
    let mut least = f64::INFINITY;
    for (share, &channels) in shares.iter().zip(channels) {
        let channels = positive("channels of a level", f64::from(channels))?;
        if *share > 0.0 {
            least = least.min(channels / share);
        }
    }
    Ok(4.0 * least / radix as f64)
}

/// M: express channels for which there is room besides a local channel, ⌊𝒲/W − 1⌋, where
/// `node_wires` = 𝒲 wires fit through a node and channels are `width` = W wires wide. The paper
/// writes ⌊β − 1⌋ and defines β as W/𝒲, the inverse.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless both are above 0 and the local channel fits.
pub fn express_channels(node_wires: f64, width: f64) -> Result<u32, ModelError> {
    positive("W, in wires", width)?;
    let holds = node_wires >= width;
    within(
        "the wires of a node",
        node_wires,
        holds,
        "at least those of a channel",
    )?;
    Ok((node_wires / width - 1.0).floor() as u32)
}

/// m_0 to m_l: `total` channels given to the levels in proportion to `shares`, at least one each:
/// one after the other to the level with the most traffic a channel, the lower of two alike.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer channels than levels.
pub fn allocate(shares: &[f64], total: u32) -> Result<Vec<u32>, ModelError> {
    let holds = total as usize >= shares.len() && !shares.is_empty();
    within(
        "the number of channels",
        f64::from(total),
        holds,
        "one a level at least",
    )?;
    let mut channels = vec![1; shares.len()];
    for _ in shares.len() as u32..total {
        let load = |level: usize| shares[level] / f64::from(channels[level]);
        let mut busiest = 0;
        for level in 1..shares.len() {
            if load(level) > load(busiest) {
                busiest = level;
            }
        }
        channels[busiest] += 1;
    }
    Ok(channels)
}
