//! Who sends to whom in BookSim2 (`traffic.cpp`), in its numbers of nodes and in ours.
//!
//! Every pattern but `uniform`, `background` and `hotspot` is one permutation, or several that a packet draws from.

use super::knuth::Knuth;

/// The nodes, as BookSim2 lays them out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nodes {
    /// How many there are.
    pub count: u32,
    /// `k`, `n` and `xr`, as they are set: patterns on digits take them for those of any network.
    pub digits: [u32; 3],
    /// Terminals side by side at a router, and routers in a row, where a router has a square of them, and nodes are
    /// counted row by row over the whole network (`cmesh.cpp`, `flatfly_onchip.cpp`).
    pub square: Option<(u32, u32)>,
}

/// What a pattern that draws from permutations is made of.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// How often a packet goes to any node.
    pub uniform: u32,
    /// Permutations in our numbers, by source, and how often each is followed.
    pub permutations: Vec<(u32, Vec<u32>)>,
}

impl Nodes {
    /// Our number of their `node`: terminals of a router are counted one after another.
    pub(super) fn ours(&self, node: u32) -> u32 {
        let Some((side, routers)) = self.square else {
            return node;
        };
        let (x, y) = (node % (side * routers), node / (side * routers));
        let router = x / side + y / side * routers;
        router * side * side + y % side * side + x % side
    }

    /// What leads each node to the `destination` of it, in our numbers; `None` where it is no permutation.
    fn permuted(&self, destination: impl Fn(u64) -> u64) -> Option<Vec<u32>> {
        let mut ours = vec![0; self.count as usize];
        let mut is_reached = vec![false; self.count as usize];
        for node in 0..self.count {
            let to = u32::try_from(destination(node.into())).ok()?;
            if std::mem::replace(is_reached.get_mut(to as usize)?, true) {
                return None;
            }
            ours[self.ours(node) as usize] = self.ours(to);
        }
        Some(ours)
    }

    /// What the pattern `name` with its `parameters` is made of, `seed` being that of permutations; `None` where it
    /// is no mixture of permutations here, or BookSim2 refuses it.
    pub(super) fn parts(&self, name: &str, parameters: &[i64], seed: i64) -> Option<Parts> {
        let count = u64::from(self.count);
        let digits = |index: usize| match parameters.get(index) {
            Some(&given) => u64::try_from(given).ok(),
            None => Some(u64::from(self.digits[index])),
        };
        let width = digits(2)?.checked_mul(digits(0)?)?;
        let each = |shifts: u64, destination: &dyn Fn(u64, u64) -> u64| {
            let all =
                (0..shifts).map(|shift| Some((1, self.permuted(|node| destination(node, shift))?)));
            all.collect::<Option<Vec<_>>>()
        };
        let bits = count.is_power_of_two().then(|| count.trailing_zeros());
        let mut uniform = 0;
        let permutations = match name {
            "tornado" => each(
                1,
                &self.turned(width, digits(1)?, width.div_ceil(2).checked_sub(1)?),
            ),
            "neighbor" => each(1, &self.turned(width, digits(1)?, 1)),
            "transpose" => {
                let half = bits.filter(|bits| bits % 2 == 0)? / 2;
                each(1, &|node, _| (node >> half) | ((node << half) % count))
            }
            "bitcomp" if bits.is_some() => each(1, &|node, _| count - 1 - node),
            "bitrev" => {
                let unused = 64 - bits?;
                each(1, &|node, _| {
                    node.reverse_bits().checked_shr(unused).unwrap_or(0)
                })
            }
            "shuffle" if bits.is_some() => {
                each(1, &|node, _| (node << 1) % count + (node << 1) / count)
            }
            "randperm" => {
                let drawn = drawn(self.count, parameters.first().copied().unwrap_or(seed));
                each(1, &|node, _| drawn[node as usize].into())
            }
            // To the next of all, or to itself twice as often.
            "diagonal" => Some(vec![
                (1, self.permuted(|node| (node + 1) % count)?),
                (2, self.permuted(|node| node)?),
            ]),
            "asymmetric" if count % 2 == 0 => {
                each(2, &|node, half| (node + half * (count / 2)) % count)
            }
            "badperm_yarc" if width.checked_mul(width) == Some(count) => {
                each(width, &|node, shift| {
                    (node + shift) % width * width + node / width
                })
            }
            // A grid of 8 × 8: half of the packets to the nine around, or to any.
            "taper64" if count == 64 => {
                uniform = 9;
                each(9, &|node, shift| {
                    (node + 64 + 8 * (shift / 3) + shift % 3 - 9) % 64
                })
            }
            _ => None,
        };
        Some(Parts {
            uniform,
            permutations: permutations?,
        })
    }

    /// Each of `rings` digits of radix `width` moved on by `step`.
    fn turned(&self, width: u64, rings: u64, step: u64) -> impl Fn(u64, u64) -> u64 {
        move |node, _| {
            let (mut rest, mut place, mut to) = (node, 1u64, 0u64);
            // What is left of a number behind as many digits as there are bits is nothing.
            for _ in 0..rings.min(64) {
                to = to.saturating_add(((rest % width + step) % width).saturating_mul(place));
                place = place.saturating_mul(width);
                rest /= width;
            }
            to
        }
    }
}

/// The destinations of `randperm` (`traffic.cpp`, `randomize`): each destination in turn goes to one of the sources
/// that have none, and that is drawn.
fn drawn(count: u32, seed: i64) -> Vec<u32> {
    let mut random = Knuth::new(seed);
    let mut free: Vec<u32> = (0..count).collect();
    let mut destinations = vec![0; count as usize];
    for destination in 0..count {
        let source = free.remove((random.next() % free.len() as u32) as usize);
        destinations[source as usize] = destination;
    }
    destinations
}
