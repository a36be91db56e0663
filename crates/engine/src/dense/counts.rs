//! Counts of a port's virtual channels, side by side in a word, which they share evenly: a byte each at most.

use super::block::{Input, MANY};
use super::row::{On, Unit, Word};
use fearless_simd::{Simd, SimdBase, SimdMask};

/// Bits of a count, of `vcs` side by side in a word of `bytes` bytes.
pub(super) const fn count_bits(bytes: usize, vcs: usize) -> usize {
    match 8 * bytes / vcs {
        bits @ 0..8 => bits,
        _ => 8,
    }
}

/// The most that a count of `bits` bits can be.
pub(super) const fn count_max(bits: usize) -> u64 {
    (1 << bits) - 1
}

/// Bits of a count, of `V` side by side in a word.
pub(super) const fn width<W: Word, const V: usize>() -> usize {
    count_bits(size_of::<W>(), V)
}

/// `count` of each virtual channel.
pub(super) const fn each_count<W: Word, const V: usize>(count: u64) -> u64 {
    let bits = width::<W, V>();
    let of_all = u64::MAX >> (64 - bits * V);
    of_all / count_max(bits) * count
}

/// `count` of virtual channel `vc` alone.
#[inline(always)]
pub(super) fn count_at<W: Word, const V: usize>(count: u64, vc: usize) -> u64 {
    count << (width::<W, V>() * vc)
}

/// The count of virtual channel `vc` in `counts`.
#[inline(always)]
pub(super) fn count_of<W: Word, const V: usize>(counts: u64, vc: usize) -> u64 {
    let bits = width::<W, V>();
    counts >> (bits * vc) & count_max(bits)
}

/// A bit for each virtual channel whose count is not zero, from the lowest up.
#[inline(always)]
pub(super) fn any_each<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    counts: On<W, S>,
) -> On<W, S> {
    let highest = any_highest::<_, W, V>(unit, counts);
    each_one::<_, W, V>(unit, highest >> (width::<W, V>() as u32 - 1))
}

/// As [`any_each`], of counts of at most one.
#[inline(always)]
pub(super) fn each_one<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    ones: On<W, S>,
) -> On<W, S> {
    let width = width::<W, V>();
    let mut bits = ones;
    let mut together = 1;
    while together < V {
        bits |= bits >> ((width - 1) * together) as u32;
        together *= 2;
        // Else what is left behind would come among the others, where counts are so narrow.
        if width < V {
            let group = u64::MAX >> (64 - together);
            bits &= unit.splat::<W>(each_group(width * together, group));
        }
    }
    bits & unit.splat::<W>((1 << V) - 1)
}

/// As [`each_one`], in the order of masks: of two ways into the switch the virtual channels of each side by side.
#[inline(always)]
fn bits_of<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    ways: usize,
    ones: On<W, S>,
) -> On<W, S> {
    if ways == 1 || V < MANY {
        return each_one::<_, W, V>(unit, ones);
    }
    let width = width::<W, V>();
    let apart = (width - V / 2) as u32;
    let mut bits = (ones | ones >> apart) & unit.splat::<W>(each_pair::<W, V>(1));
    let mut pairs = 1;
    while pairs < V / 2 {
        bits |= bits >> ((2 * width - 1) * pairs) as u32;
        pairs *= 2;
    }
    bits & unit.splat::<W>((1 << V) - 1)
}

/// One of each virtual channel that has one of `inputs`, which are in the order of masks.
#[inline(always)]
fn ones_of<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    ways: usize,
    inputs: On<W, S>,
) -> On<W, S> {
    if ways == 1 || V < MANY {
        return one_each::<_, W, V>(unit, inputs, 0);
    }
    let width = width::<W, V>();
    let mut ones = inputs & unit.splat::<W>((1 << V) - 1);
    let mut pairs = V / 4;
    while pairs > 0 {
        let all = unit.splat::<W>(each_pair::<W, V>(pairs));
        ones = (ones | ones << ((2 * width - 1) * pairs) as u32) & all;
        pairs /= 2;
    }
    (ones | ones << (width - V / 2) as u32) & unit.splat::<W>(each_count::<W, V>(1))
}

/// Of two ways of a port the bits of the first `pairs` virtual channels of each, again and again.
const fn each_pair<W: Word, const V: usize>(pairs: usize) -> u64 {
    let of_way = (1 << pairs) - 1;
    each_group(2 * width::<W, V>() * pairs, of_way | of_way << (V / 2))
}

/// The inputs of a port whose counts are not zero.
#[inline(always)]
pub(super) fn with_any<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    counts: On<W, S>,
    input: &Input<W, V>,
) -> On<W, S> {
    if V >= MANY {
        let ones = any_highest::<_, W, V>(unit, counts) >> (width::<W, V>() as u32 - 1);
        let bits = bits_of::<_, W, V>(unit, input.ways, ones);
        let bits = match input.first {
            Some(first) => bits << first,
            None => bits << unit.load(&input.firsts),
        };
        return bits & unit.load(&input.all);
    }
    let mut all = unit.splat::<W>(0);
    for (v, bit) in input.bits.iter().enumerate().take(V) {
        let is_zero = unit.is_zero::<W>(counts & count_mask::<_, W, V>(unit, v));
        all |= unit.unless::<W>(is_zero, unit.load(bit));
    }
    all
}

/// One of each virtual channel of a port that is among `inputs`.
#[inline(always)]
pub(super) fn ones_among<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    inputs: On<W, S>,
    input: &Input<W, V>,
) -> On<W, S> {
    if V >= MANY {
        let bits = inputs & unit.load(&input.all);
        let bits = match input.first {
            Some(first) => bits >> first,
            None => bits >> unit.load(&input.firsts),
        };
        return ones_of::<_, W, V>(unit, input.ways, bits);
    }
    let mut ones = unit.splat::<W>(0);
    for (v, bit) in input.bits.iter().enumerate().take(V) {
        let is_none = unit.is_zero::<W>(inputs & unit.load(bit));
        ones |= unit.unless::<W>(is_none, unit.splat::<W>(count_at::<W, V>(1, v)));
    }
    ones
}

/// All bits of the counts that are one, of counts of at most one.
#[inline(always)]
pub(super) fn whole_counts<S: Simd, W: Word, const V: usize>(ones: On<W, S>) -> On<W, S> {
    (ones << width::<W, V>() as u32) - ones
}

/// Whether no count is zero.
#[inline(always)]
pub(super) fn are_all<S: Simd, W: Word, const V: usize>(unit: Unit<S>, counts: On<W, S>) -> bool {
    let all = unit.splat::<W>(highest::<W, V>());
    any_highest::<_, W, V>(unit, counts).simd_eq(all).all_true()
}

/// The highest bit of each count.
const fn highest<W: Word, const V: usize>() -> u64 {
    each_count::<W, V>(1 << (width::<W, V>() - 1))
}

/// The highest bit of each count that is not zero.
#[inline(always)]
fn any_highest<S: Simd, W: Word, const V: usize>(unit: Unit<S>, counts: On<W, S>) -> On<W, S> {
    // It is there, or what is below carries into it.
    let all = each_count::<W, V>(count_max(width::<W, V>()));
    let below = unit.splat::<W>(all & !highest::<W, V>());
    (((counts & below) + below) | counts) & unit.splat::<W>(highest::<W, V>())
}

/// All bits of the count of virtual channel `vc`.
#[inline(always)]
pub(super) fn count_mask<S: Simd, W: Word, const V: usize>(unit: Unit<S>, vc: usize) -> On<W, S> {
    unit.splat::<W>(count_at::<W, V>(count_max(width::<W, V>()), vc))
}

/// One of each virtual channel that has a bit, of a port whose first bit is `first`.
#[inline(always)]
pub(super) fn one_each<S: Simd, W: Word, const V: usize>(
    unit: Unit<S>,
    inputs: On<W, S>,
    first: usize,
) -> On<W, S> {
    let width = width::<W, V>();
    let mut ones = inputs >> first as u32 & unit.splat::<W>((1 << V) - 1);
    // The upper half of every group of bits moves to where its counts begin.
    let mut half = V.next_power_of_two() / 2;
    while half > 0 {
        let group = u64::MAX >> (64 - half);
        let groups = each_group(width * half, group);
        ones = (ones | ones << ((width - 1) * half) as u32) & unit.splat::<W>(groups);
        half /= 2;
    }
    ones
}

/// `group` again and again, `width` bits apart.
const fn each_group(width: usize, group: u64) -> u64 {
    let mut all = group;
    let mut at = width;
    while at < 64 {
        all |= group << at;
        at += width;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::dispatch::dispatch;
    use crate::dense::pass::along_row;
    use crate::dense::row::Row;
    use crate::random::{Purpose, draw};
    use fearless_simd::Level;

    /// The lowest and the highest bit of each count.
    fn extremes<W: Word, const V: usize>() -> u64 {
        each_count::<W, V>(1) | highest::<W, V>()
    }

    /// The vectors that every processor has, and this machine's: the same as virtual channel by virtual
    /// channel.
    fn check<W: Word, const V: usize>() {
        let draw = |part, round, lane| draw(7, Purpose::Route, part, round, lane as u32);
        for level in [Level::baseline(), Level::new()] {
            for round in 0..200 {
                let mut row = W::of(0).row();
                // Zero, the least, the most and others.
                for lane in 0..W::LANES {
                    let word = draw(0, round as u64, lane) & draw(1, round as u64, lane);
                    let word = match round % 4 {
                        0 => word,
                        1 => word | each_count::<W, V>(1),
                        2 => word & extremes::<W, V>(),
                        _ => !count_at::<W, V>(count_max(width::<W, V>()), lane % V),
                    };
                    row.set(lane, word);
                }
                let first = round % (8 * size_of::<W>() - V + 1);
                dispatch!(level, simd => compare::<_, W, V>(simd, &row, first));
            }
        }
    }

    #[inline(always)]
    fn compare<S: Simd, W: Word, const V: usize>(simd: S, row: &Row<W>, first: usize) {
        let none = W::of(0).row();
        let (mut ones, mut any, mut whole) = (none, none, none);
        let mut all = true;
        along_row::<_, W>(
            simd,
            #[inline(always)]
            |unit| {
                let words = unit.load(row);
                let each = one_each::<_, W, V>(unit, words, first);
                unit.store(&mut ones, each);
                unit.store(&mut whole, whole_counts::<_, W, V>(each));
                unit.store(&mut any, any_each::<_, W, V>(unit, words));
                all &= are_all::<_, W, V>(unit, words);
            },
        );
        let mut all_expected = true;
        for lane in 0..W::LANES {
            let word = row.get(lane);
            let each_bit = |count| {
                (0..V).map(move |vc| count_at::<W, V>((word >> (first + vc) & 1) * count, vc))
            };
            let expected = each_bit(1).sum::<u64>();
            assert_eq!(ones.get(lane), expected, "{word:#x} from {first}");
            let expected = each_bit(count_max(width::<W, V>())).sum::<u64>();
            assert_eq!(whole.get(lane), expected, "{word:#x} from {first}");
            let is_any = |vc: usize| count_of::<W, V>(word, vc) > 0;
            let expected = (0..V).map(|vc| u64::from(is_any(vc)) << vc).sum::<u64>();
            assert_eq!(any.get(lane), expected, "{word:#x}");
            all_expected &= (0..V).all(is_any);
        }
        assert_eq!(all, all_expected);
    }

    /// A port at one place, at one in some routers alone, at two, and at as many as there are.
    fn check_ports<W: Word, const V: usize>(ways: usize) {
        let last = 8 * size_of::<W>() / V - 1;
        let place = |port: usize, vc: usize| (port * V + vc % ways * (V / ways) + vc / ways) as u32;
        let ports: [&dyn Fn(usize) -> Option<usize>; 4] = [
            &|_| Some(last),
            &|lane| (lane % 3 > 0).then_some(1),
            &|lane| Some(lane % 2 * last),
            &|lane| Some(lane % (last + 1)),
        ];
        for (port, round) in ports.into_iter().zip(0..) {
            let bit = |lane: usize, vc: usize| port(lane).map(|port| place(port, vc));
            let ranks: Vec<_> = (0..W::LANES)
                .map(|lane| port(lane).map(|at| at as u8))
                .collect();
            let input = Input::<W, V>::new(ways, &ranks);
            let (mut counts, mut masks) = (W::of(0).row(), W::of(0).row());
            for lane in 0..W::LANES {
                let draw = |part| draw(9, Purpose::Route, part, round, lane as u32);
                counts.set(lane, draw(0) & draw(1) & extremes::<W, V>());
                masks.set(lane, draw(2));
            }
            for level in [Level::baseline(), Level::new()] {
                dispatch!(level, simd => compare_port(simd, &input, &bit, &counts, &masks));
            }
        }
    }

    #[inline(always)]
    fn compare_port<S: Simd, W: Word, const V: usize>(
        simd: S,
        input: &Input<W, V>,
        bit: &dyn Fn(usize, usize) -> Option<u32>,
        counts: &Row<W>,
        masks: &Row<W>,
    ) {
        let (mut any, mut ones) = (W::of(0).row(), W::of(0).row());
        along_row::<_, W>(
            simd,
            #[inline(always)]
            |unit| {
                let with = with_any::<_, W, V>(unit, unit.load(counts), input);
                unit.store(&mut any, with);
                let among = ones_among::<_, W, V>(unit, unit.load(masks), input);
                unit.store(&mut ones, among);
            },
        );
        for lane in 0..W::LANES {
            let bit = |vc: usize| bit(lane, vc).map_or(0, |bit| 1 << bit);
            let filled = (0..V).filter(|&vc| count_of::<W, V>(counts.get(lane), vc) > 0);
            assert_eq!(any.get(lane), filled.map(bit).sum::<u64>());
            let given = (0..V).filter(|&vc| masks.get(lane) & bit(vc) != 0);
            let expected = given.map(|vc| count_at::<W, V>(1, vc)).sum::<u64>();
            assert_eq!(ones.get(lane), expected);
        }
    }

    #[test]
    fn inputs_of_a_port_are_as_one_by_one() {
        for ways in [1, 2] {
            check_ports::<u16, 2>(ways);
            check_ports::<u32, 4>(ways);
            check_ports::<u64, 4>(ways);
            check_ports::<u64, 8>(ways);
        }
        check_ports::<u16, 3>(1);
        check_ports::<u32, 5>(1);
        check_ports::<u32, 6>(1);
        check_ports::<u16, 1>(1);
    }

    #[test]
    fn counts_are_as_one_by_one() {
        check::<u16, 1>();
        check::<u16, 2>();
        check::<u32, 4>();
        check::<u16, 3>();
        check::<u32, 5>();
        check::<u32, 6>();
        check::<u64, 4>();
        check::<u64, 8>();
    }
}
