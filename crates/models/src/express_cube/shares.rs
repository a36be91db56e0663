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

/// Flits a cycle over the busiest channel of each level, local channels first, at 1 flit a node a
/// cycle to any of the k = `radix` nodes of a line alike.
///
/// The paper looks at the middle, where the top level carries most. The levels below carry more near
/// the ends, where all of the first block's traffic goes up, and all of the last one's comes down. From
/// the boundary b on, a channel of level j carries b (k − b − i^j)/k, in the first block, b < i^(j+1), or
/// anywhere at the top; the local one that b nodes lead to, b (k − b)/k. Levels that a line has no room
/// for carry nothing.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2, l is from 1 to 16 and k from 3.
pub fn busiest_loads(radix: u64, interval: u64, levels: u32) -> Result<Vec<f64>, ModelError> {
    within("i", interval as f64, interval >= 2, "at least 2")?;
    within(
        "l",
        f64::from(levels),
        (1..=16).contains(&levels),
        "1 to 16",
    )?;
    let k = within("k, the radix", radix as f64, radix >= 3, "at least 3")?;
    let mut loads = vec![0.0; levels as usize + 1];
    let mut below = 1u64;
    for (level, load) in (0..=levels).zip(&mut loads) {
        // `below` = i^j nodes lie between the boundaries that channels of this level join.
        let is_top = level == levels || below.saturating_mul(interval) >= radix;
        let block = if is_top { radix } else { below * interval };
        // Of the local channels the last leads to the block's boundary and no further.
        let skipped = if level == 0 { 0 } else { below };
        let starts = (1..)
            .map(|c| c * below)
            .take_while(|&b| b + skipped <= block && b < radix);
        let over = starts.map(|b| b as f64 * radix.saturating_sub(b + skipped) as f64 / k);
        *load = over.fold(0.0, f64::max);
        if is_top {
            break;
        }
        below *= interval;
    }
    Ok(loads)
}

/// The most uniform traffic that a line carries, in flits a node a cycle, with m_j = `channels`
/// parallel channels at each level: until the busiest of [`busiest_loads`] is full. `channels` has
/// l + 1 numbers.
///
/// # Errors
/// As [`busiest_loads`], and for a level without channels.
pub fn capacity_flits_per_node(
    radix: u64,
    interval: u64,
    channels: &[u32],
) -> Result<f64, ModelError> {
    let levels = channels.len().saturating_sub(1) as u32;
    let loads = busiest_loads(radix, interval, levels)?;
    let mut most = 0.0f64;
    for (load, &channels) in loads.iter().zip(channels) {
        most = most.max(load / positive("channels of a level", f64::from(channels))?);
    }
    Ok(1.0 / most)
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
