//! Addressed randomness: a draw is a hash of what it is for, so that it depends on nothing that
//! happened elsewhere, whatever the order in which routers are visited.

use flitsim_random::mix;

/// What a draw decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Which of the routing algorithm's initial states a packet starts in.
    Route = 1,
    /// The order in which heads claim virtual channels.
    VcOrder = 2,
    /// Which of several equal channels a head takes.
    Selection = 3,
    /// Which virtual channel an input port puts forward.
    SwitchInput = 4,
    /// Which input an output takes.
    SwitchOutput = 5,
    /// Which virtual channel a head asks for, or takes of those that grant themselves to it.
    VcInput = 6,
}

/// A random word for `purpose` at `router`, in cycle `cycle`, for the input `index` there.
#[inline]
pub const fn draw(seed: u64, purpose: Purpose, router: u32, cycle: u64, index: u32) -> u64 {
    let place = mix(seed ^ ((purpose as u64) << 56)) ^ ((router as u64) << 32 | index as u64);
    mix(mix(place.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ cycle)
}

/// An integer below `n`, uniform to within n / 2^32, from the high half of `word`.
#[inline]
pub const fn below(word: u64, n: u32) -> u32 {
    (((word >> 32) * n as u64) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_is_uniform() {
        let mut counts = [0u32; 7];
        for index in 0..70_000 {
            counts[below(draw(1, Purpose::Route, 5, 9, index), 7) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&c| c.abs_diff(10_000) < 500),
            "{counts:?}"
        );
    }
}
