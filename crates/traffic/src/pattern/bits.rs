//! Permutations on the bits of addresses (Dally & Towles, section 3.2, table 3.1): b bits, s the
//! source's, d the destination's, bit 0 the least significant.

use crate::PatternError;
use flitsim_topology::NodeId;

/// d_i = ¬s_i.
pub(super) fn complement(terminals: u32) -> Result<Box<[NodeId]>, PatternError> {
    address_bits("bit-complement", terminals)?;
    Ok(permutation(terminals, |s| terminals - 1 - s))
}

/// d_i = s_{b-1-i}.
pub(super) fn reverse(terminals: u32) -> Result<Box<[NodeId]>, PatternError> {
    let bits = address_bits("bit-reverse", terminals)?;
    // By way of 64 bits, for a shift by all 32 of a word of 32 is none.
    Ok(permutation(terminals, |s| {
        (u64::from(s).reverse_bits() >> (63 - bits) >> 1) as u32
    }))
}

/// d_i = s_{(i-1) mod b}.
pub(super) fn shuffle(terminals: u32) -> Result<Box<[NodeId]>, PatternError> {
    let bits = address_bits("shuffle", terminals)?;
    Ok(permutation(terminals, |s| turn_left(s, 1, bits)))
}

/// d_i = s_{(i + b/2) mod b}, b even.
pub(super) fn transpose(terminals: u32) -> Result<Box<[NodeId]>, PatternError> {
    let bits = address_bits("transpose", terminals)?;
    if bits % 2 == 1 {
        return Err(PatternError::NeedsEvenBits {
            pattern: "transpose",
            terminals,
            bits,
        });
    }
    Ok(permutation(terminals, |s| turn_left(s, bits / 2, bits)))
}

/// The bits of an address: log2 of a power of two.
fn address_bits(pattern: &'static str, terminals: u32) -> Result<u32, PatternError> {
    if terminals.is_power_of_two() {
        Ok(terminals.ilog2())
    } else {
        Err(PatternError::NeedsPowerOfTwo { pattern, terminals })
    }
}

/// The `bits` low bits of `address` turned left by `by` of them.
fn turn_left(address: u32, by: u32, bits: u32) -> u32 {
    if bits == 0 {
        return address;
    }
    let address = u64::from(address);
    let mask = (1u64 << bits) - 1;
    ((address << by | address >> (bits - by)) & mask) as u32
}

fn permutation(terminals: u32, destination: impl Fn(u32) -> u32) -> Box<[NodeId]> {
    (0..terminals).map(|s| NodeId(destination(s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(permutation: impl AsRef<[NodeId]>) -> Vec<u32> {
        permutation.as_ref().iter().map(|node| node.0).collect()
    }

    #[test]
    fn eight_terminals_by_hand() {
        let expected = [0, 4, 2, 6, 1, 5, 3, 7];
        assert_eq!(addresses(reverse(8).unwrap()), expected);
        let expected = [0, 2, 4, 6, 1, 3, 5, 7];
        assert_eq!(addresses(shuffle(8).unwrap()), expected);
        let expected = [7, 6, 5, 4, 3, 2, 1, 0];
        assert_eq!(addresses(complement(8).unwrap()), expected);
    }

    #[test]
    fn sixteen_terminals_are_a_square_matrix() {
        let transposed: Vec<u32> = (0..16).map(|s| s % 4 * 4 + s / 4).collect();
        assert_eq!(addresses(transpose(16).unwrap()), transposed);
    }

    #[test]
    fn the_smallest_networks() {
        for rule in [complement, reverse, shuffle, transpose] {
            assert_eq!(addresses(rule(1).unwrap()), [0]);
        }
        assert_eq!(addresses(reverse(2).unwrap()), [0, 1]);
        assert_eq!(addresses(shuffle(2).unwrap()), [0, 1]);
        assert_eq!(addresses(complement(2).unwrap()), [1, 0]);
        assert!(transpose(2).is_err());
    }

    #[test]
    fn no_power_of_two_no_bits() {
        for terminals in [0, 3, 6, 100] {
            for rule in [complement, reverse, shuffle, transpose] {
                assert!(matches!(
                    rule(terminals),
                    Err(PatternError::NeedsPowerOfTwo { .. })
                ));
            }
        }
    }
}
