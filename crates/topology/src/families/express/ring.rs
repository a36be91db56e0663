//! How the elements of a ring are joined: as those of a line are, round and round, by whole modules.
//!
//! The limit of a way is here the least distance, in its direction, of a target that it serves: from a module, to
//! the node behind it none.

use super::ExpressParameters;
use super::exit::{Exit, ExpressChannel, Module};
use crate::Direction;

/// Length of the channel from one node to the next, in node pitches: that of a folded ring.
const PITCHES: u32 = 2;

/// The ways out of every element, one direction at a time.
pub(super) fn ways(
    radix: u32,
    parameters: &ExpressParameters,
    modules: &[Module],
    way: Direction,
) -> Vec<Vec<Exit>> {
    let i = parameters.interval;
    let module = |boundary: u32| radix + boundary % radix / i;
    let exit = |reach: u32, to: u32, length_pitches: u32, level: u32| Exit {
        limit: reach as i32,
        first: 0,
        parallel: parameters.parallel(level as usize),
        to,
        length_pitches,
        kind: match level {
            0 => ExpressChannel::Local,
            level => ExpressChannel::Express(level),
        },
    };
    let mut ways = Vec::with_capacity(radix as usize + modules.len());
    for a in 0..radix {
        let (boundary, next) = match way {
            Direction::Up => (a + 1, (a + 1) % radix),
            Direction::Down => (a, (a + radix - 1) % radix),
        };
        // The interchange is at the node above it: a pitch from the one below.
        ways.push(vec![match boundary.is_multiple_of(i) {
            true => exit(
                0,
                module(boundary),
                PITCHES * u32::from(way == Direction::Up),
                0,
            ),
            false => exit(0, next, PITCHES, 0),
        }]);
    }
    for &Module {
        boundary, level, ..
    } in modules
    {
        let express = (1..=level).rev().map(|level| {
            let reach = i.pow(level);
            let next = match way {
                Direction::Up => boundary + reach,
                Direction::Down => boundary + radix - reach,
            };
            exit(reach, module(next), PITCHES * reach, level)
        });
        let local = match way {
            Direction::Up => exit(0, boundary, 0, 0),
            Direction::Down => exit(0, (boundary + radix - 1) % radix, PITCHES, 0),
        };
        ways.push(express.chain([local]).collect());
    }
    ways
}
