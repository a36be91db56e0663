//! Small questions on 64-bit masks that the arbiters ask.

/// The first set bit of `mask` at or after `start`, cyclic.
///
/// # Panics
/// In debug builds, if `mask` is empty or `start` is above 63.
#[inline]
pub(crate) fn first_from(mask: u64, start: u32) -> u32 {
    debug_assert!(mask != 0 && start < 64);
    let ahead = mask & (!0 << (start & 63));
    (if ahead != 0 { ahead } else { mask }).trailing_zeros()
}

/// The virtual channel after `vc` for a round-robin pointer: one past the last stands for the first.
#[inline]
pub(crate) const fn after_vc(vc: u32) -> u8 {
    ((vc + 1) & 63) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_from_wraps() {
        assert_eq!(first_from(0b1010, 0), 1);
        assert_eq!(first_from(0b1010, 2), 3);
        assert_eq!(first_from(0b1010, 4), 1);
        assert_eq!(first_from(1 << 63, after_vc(63).into()), 63);
    }
}
