//! Channels that a message crosses along one dimension of an express cube (Dally, sections III-A and
//! III-C). The source does not count, the destination does.

use crate::ModelError;
use crate::error::within;

/// H = D/i + i: over `distance` = D, a multiple of i = `interval`, with one level (equation 3).
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2 divides D > 0.
pub fn flat(distance: u64, interval: u64) -> Result<u64, ModelError> {
    hierarchical(distance, interval, 1)
}

/// H = D/i^l + (i − 1) l + 1: over `distance` = D, a multiple of i^l, with l = `levels` (equation 5).
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2, l ≥ 1 and i^l divides D > 0.
pub fn hierarchical(distance: u64, interval: u64, levels: u32) -> Result<u64, ModelError> {
    let reach = reach(interval, levels)?;
    let holds = distance > 0 && distance.is_multiple_of(reach);
    within("D, in pitches", distance as f64, holds, "a multiple of i^l")?;
    Ok(distance / reach + (interval - 1) * u64::from(levels) + 1)
}

/// The mean of H over sources as equation 4 is printed, one level: (i + 1)/2 to an interchange,
/// ⌊D/i − 1/2 + 1/(2i)⌋ along express channels, 1 + (D − i/2 − 1/2) mod i from the last.
///
/// # Errors
/// As [`flat_mean`].
pub fn flat_mean_printed(distance: u64, interval: u64) -> Result<f64, ModelError> {
    flat_mean_with(distance, interval, 0.5)
}

/// The same with ⌊D/i − 1/2 − 1/(2i)⌋: as many express channels as fit into what is left after the
/// (i + 1)/2 pitches to the interchange.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2, and D is at least (i + 1)/2: shorter messages stay on
/// local channels.
pub fn flat_mean(distance: u64, interval: u64) -> Result<f64, ModelError> {
    flat_mean_with(distance, interval, -0.5)
}

/// Equation 4, its floor's argument ending in `end`/i.
fn flat_mean_with(distance: u64, interval: u64, end: f64) -> Result<f64, ModelError> {
    reach(interval, 1)?;
    let (d, i) = (distance as f64, interval as f64);
    let to_interchange = (i + 1.0) / 2.0;
    let holds = d >= to_interchange;
    within("D, in pitches", d, holds, "at least (i + 1)/2")?;
    // Over i, so that the quotient is rounded once.
    let express = ((d - i / 2.0 + end) / i).floor();
    let local = 1.0 + (d - i / 2.0 - 0.5).rem_euclid(i);
    Ok(to_interchange + express + local)
}

/// H from node `source` to node `destination` as the digit formulas after equation 5 are printed,
/// digits of radix i = `interval`, l = `levels`: Σ_{j<l} (i − s_j) mod i, then Σ_{j≥l} (d_j − s_j)
/// i^(j−l), then Σ_{j<l} d_j. They lack the carry of the ascent, which may have passed a boundary,
/// and the hop through the interchange.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2, l ≥ 1 and `source` < `destination`.
pub fn by_digits_printed(
    source: u64,
    destination: u64,
    interval: u64,
    levels: u32,
) -> Result<u64, ModelError> {
    let reach = reach(interval, levels)?;
    let holds = source < destination;
    within("the source", source as f64, holds, "below the destination")?;
    let ascent: u64 = digits(source, interval, levels)
        .map(|digit| (interval - digit) % interval)
        .sum();
    let descent: u64 = digits(destination, interval, levels).sum();
    Ok(ascent + destination / reach - source / reach + descent)
}

/// H between the nodes `a` and `b` of a line whose interchanges are whole modules.
///
/// For S < D in different blocks of i^l nodes H = 2 + Σ (i − 1 − s_j) + Σ d_j + (⌊D/i^l⌋ − ⌊S/i^l⌋ − 1),
/// sums over j < l. Within a block the highest digit in which they differ takes the place of l, and
/// within i nodes H = D − S. It is as far either way.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2 and l ≥ 1.
pub fn between(a: u64, b: u64, interval: u64, levels: u32) -> Result<u64, ModelError> {
    reach(interval, levels)?;
    let (source, destination) = (a.min(b), a.max(b));
    // The highest level on which they are not in the same block.
    let mut level = 0;
    let mut block = interval;
    while level < levels && source / block != destination / block {
        level += 1;
        block *= interval;
    }
    let block = block / interval;
    if level == 0 {
        return Ok(destination - source);
    }
    let ascent: u64 = digits(source, interval, level)
        .map(|digit| interval - 1 - digit)
        .sum();
    let descent: u64 = digits(destination, interval, level).sum();
    Ok(2 + ascent + descent + (destination / block - source / block - 1))
}

/// The mean of H over all ordered pairs of `radix` nodes of a line, each with itself included.
///
/// # Errors
/// As [`between`]; and [`ModelError::OutOfDomain`] unless there are 1 to 65,535 nodes.
pub fn mean_of_line(radix: u32, interval: u64, levels: u32) -> Result<f64, ModelError> {
    let holds = (1..=65_535).contains(&radix);
    within("k, the radix", f64::from(radix), holds, "1 to 65535")?;
    reach(interval, levels)?;
    // Twice: there and back.
    let sum = 2 * pair_hops(u64::from(radix), interval, levels);
    Ok(sum as f64 / f64::from(radix).powi(2))
}

/// The sum of H over all pairs a < b of the first `nodes` nodes. In different blocks of i^l nodes H
/// falls apart: into what depends on a, on b, and on the blocks between. Within a block there is a level
/// less, which bounds the recursion.
fn pair_hops(nodes: u64, interval: u64, levels: u32) -> u64 {
    if levels == 0 || nodes <= interval {
        return nodes * (nodes * nodes).saturating_sub(1) / 6;
    }
    let block = interval.saturating_pow(levels);
    if nodes <= block {
        return pair_hops(nodes, interval, levels - 1);
    }
    let (whole, rest) = (nodes / block, nodes % block);
    let within = whole * pair_hops(block, interval, levels - 1);
    let within = within + pair_hops(rest, interval, levels - 1);
    // Of all blocks before the current one: nodes, Σ (i − 1 − s_j), Σ blocks between.
    let (mut before, mut ascents, mut between) = (0, 0, 0);
    let of_whole = u64::from(levels) * (interval - 1) * block / 2;
    let mut across = 0;
    for index in 0..=whole {
        let (count, descents) = if index < whole {
            (block, of_whole)
        } else {
            let digits = (0..rest).map(|b| digits(b, interval, levels).sum::<u64>());
            (rest, digits.sum())
        };
        across += count * (2 * before + ascents + between) + before * descents;
        between += before;
        before += count;
        ascents += of_whole;
    }
    within + across
}

/// The first distance over which a message from a node `past` nodes past an interchange takes an
/// express channel, one level: up to the interchange, and at least i beyond it.
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless i ≥ 2 and `past` is below i.
pub fn first_express_distance(interval: u64, past: u64) -> Result<u64, ModelError> {
    reach(interval, 1)?;
    let holds = past < interval;
    within("nodes past an interchange", past as f64, holds, "below i")?;
    Ok(2 * interval - past)
}

/// i^l.
fn reach(interval: u64, levels: u32) -> Result<u64, ModelError> {
    within("i", interval as f64, interval >= 2, "at least 2")?;
    let reach = interval.checked_pow(levels).filter(|_| levels >= 1);
    let holds = reach.is_some_and(|reach| reach <= 1 << 32);
    within(
        "l",
        f64::from(levels),
        holds,
        "at least 1, with i^l up to 2^32",
    )?;
    Ok(reach.unwrap_or(1))
}

/// The lowest `count` digits of `number` in the radix `interval`.
fn digits(number: u64, interval: u64, count: u32) -> impl Iterator<Item = u64> {
    let mut rest = number;
    (0..count).map(move |_| {
        let digit = rest % interval;
        rest /= interval;
        digit
    })
}
