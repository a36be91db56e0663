//! Small questions on 64-bit masks that the arbiters ask.

/// The set bits of `mask`, lowest first.
#[inline(always)]
pub(crate) fn ones(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        Some(bit)
    })
}

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

/// How far `position` is ahead of `pointer`, going round: smaller comes first.
#[inline]
pub(crate) fn cyclic_distance(pointer: u32, position: u32) -> u32 {
    const ROUND: u32 = 1 << 16;
    if position >= pointer {
        position - pointer
    } else {
        position + ROUND - pointer
    }
}

/// The virtual channels of a word's ports, as arbiters see them: 64 input virtual channels in groups
/// of equally many, a group a port.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    /// log2 of the virtual channels of a port, and their mask, shifted down.
    vc_shift: u32,
    port_mask: u64,
    /// The first bit of every port, and the last.
    firsts: u64,
    lasts: u64,
    /// By bit: all other ports; and of its own port the bits after it.
    others: [u64; 64],
    after: [u64; 64],
}

impl Ports {
    /// Ports of 2^`vc_shift` virtual channels, 1 to 64.
    pub(crate) fn new(vc_shift: u32) -> Self {
        let port_mask = u64::MAX >> (64 - (1u32 << vc_shift));
        let firsts = (0..64u32 >> vc_shift).fold(0, |bits, port| bits | 1 << (port << vc_shift));
        let port_of = |bit: usize| port_mask << (bit >> vc_shift << vc_shift);
        Self {
            vc_shift,
            port_mask,
            firsts,
            lasts: firsts << ((1u32 << vc_shift) - 1),
            others: std::array::from_fn(|bit| !port_of(bit)),
            after: std::array::from_fn(|bit| port_of(bit) & u64::MAX << bit << 1),
        }
    }

    /// Of every port, all bits but the first that is set. To force a port's last bit keeps the
    /// subtraction from borrowing of the next port.
    #[inline]
    pub(crate) fn beyond_first(&self, bits: u64) -> u64 {
        bits & ((bits | self.lasts) - self.firsts)
    }

    /// Of every port, the first bit of `bits` that `ahead` has too; where it has none, the first.
    #[inline]
    pub(crate) fn one_each(&self, bits: u64, ahead: u64) -> u64 {
        let preferred = bits & ahead;
        // The last bit of every port with a preferred bit, then all of its bits.
        let flags = (((preferred | self.lasts) - self.firsts) | preferred) & self.lasts;
        let ports = (flags >> ((1u32 << self.vc_shift) - 1)).wrapping_mul(self.port_mask);
        let rest = preferred | bits & !ports;
        rest & !self.beyond_first(rest)
    }

    /// The bits of the port that `bit` belongs to.
    #[inline]
    pub(crate) fn of(&self, bit: u32) -> u64 {
        !self.others[bit as usize & 63]
    }

    /// `ahead` once `bit` has had its turn: those after it in its port come before the others.
    #[inline]
    pub(crate) fn after_turn(&self, ahead: u64, bit: u32) -> u64 {
        let bit = bit as usize & 63;
        ahead & self.others[bit] | self.after[bit]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::mix;

    /// The masks against a pointer for each port.
    #[test]
    fn ports_take_turns() {
        for vc_shift in 0..=6 {
            let (ports, vcs) = (Ports::new(vc_shift), 1u32 << vc_shift);
            let mut ahead = u64::MAX;
            let mut pointers = vec![0; 64 >> vc_shift];
            for round in 0..2_000u64 {
                let requests = mix(round) & mix(round << 20 | 7);
                let mut expected = 0;
                for (port, pointer) in pointers.iter().enumerate() {
                    let first = (port as u32) << vc_shift;
                    let own = requests >> first & (u64::MAX >> (64 - vcs));
                    if own != 0 {
                        expected |= 1 << (first + first_from(own, *pointer));
                    }
                }
                assert_eq!(
                    ports.one_each(requests, ahead),
                    expected,
                    "{vcs}, {requests:b}"
                );
                assert_eq!(ports.beyond_first(expected), 0);
                // Some of them have their turn.
                let mut winners = expected & mix(round ^ 99);
                while winners != 0 {
                    let bit = winners.trailing_zeros();
                    winners &= winners - 1;
                    pointers[(bit >> vc_shift) as usize] = (bit + 1) % vcs;
                    ahead = ports.after_turn(ahead, bit);
                }
            }
        }
    }

    #[test]
    fn first_from_wraps() {
        assert_eq!(first_from(0b1010, 0), 1);
        assert_eq!(first_from(0b1010, 2), 3);
        assert_eq!(first_from(0b1010, 4), 1);
        assert_eq!(first_from(1 << 63, after_vc(63).into()), 63);
    }
}
