//! Numbers that look random and are the same everywhere.

/// One of the numbers 0..`below`, from a seed and a place: SplitMix64 (Steele, Lea & Flood 2014).
pub(crate) fn draw(seed: u64, place: u64, below: u64) -> u64 {
    let mut z = seed.wrapping_add(place.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for multiplier in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        z = (z ^ z >> 30).wrapping_mul(multiplier);
        z ^= z >> 27;
    }
    z ^= z >> 31;
    ((u128::from(z) * u128::from(below)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn draws_reach_every_number() {
        let drawn: BTreeSet<u64> = (0..200).map(|place| draw(7, place, 10)).collect();
        assert_eq!(drawn, (0..10).collect());
    }
}
