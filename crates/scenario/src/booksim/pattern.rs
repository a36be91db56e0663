//! Who sends to whom in BookSim2 (`traffic.cpp`), in its numbers of nodes and in ours.
//!
//! Every pattern but `uniform`, `background` and `hotspot` is one permutation, or several that a packet draws from.

use super::knuth::Knuth;

/// Why a pattern cannot be said, and what would be right.
pub(super) type Refusal = (&'static str, &'static str);

/// The most nodes whose destinations are listed, and the most destinations of all lists.
pub(super) const NODES_MOST: u32 = 1 << 16;
const LISTED_MOST: u64 = 1 << 18;

pub(super) const TOO_MANY: Refusal = (
    "up to 65,536 nodes are listed with their destinations, and 262,144 destinations in all",
    "fewer nodes, or a pattern with a rule: `uniform`, `bitcomp`, `bitrev`, `shuffle`",
);

const MANY_TO_ONE: Refusal = (
    "several nodes send to one, or some to none that is there",
    "`k`, `n` and `xr`, or its parameters, with (xr · k)^n nodes: those of the network",
);

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

    /// What leads each node to the `destination` of it, in our numbers.
    fn permuted(&self, destination: impl Fn(u64) -> u64) -> Result<Vec<u32>, Refusal> {
        let mut ours = vec![0; self.count as usize];
        let mut is_reached = vec![false; self.count as usize];
        for node in 0..self.count {
            let to = u32::try_from(destination(node.into())).unwrap_or(u32::MAX);
            let is_first = is_reached.get_mut(to as usize);
            if is_first.is_none_or(|is_reached| std::mem::replace(is_reached, true)) {
                return Err(MANY_TO_ONE);
            }
            ours[self.ours(node) as usize] = self.ours(to);
        }
        Ok(ours)
    }

    /// `k`, `n` and `xr`, of which a pattern on digits may have others as its parameters.
    fn rings(&self, parameters: &[i32]) -> Result<(u64, u64), Refusal> {
        let of = |index: usize| match parameters.get(index) {
            Some(&given) => u64::try_from(given).unwrap_or(0),
            None => u64::from(self.digits[index]),
        };
        match of(0) * of(2) {
            0 => Err(MANY_TO_ONE),
            width => Ok((width, of(1))),
        }
    }

    /// Bits of a number.
    ///
    /// # Errors
    /// Where the numbers of nodes are not all those of so many bits.
    pub(super) fn bits(&self) -> Result<u32, Refusal> {
        let why = "it takes a power of two of nodes";
        let is_power = self
            .count
            .is_power_of_two()
            .then(|| self.count.trailing_zeros());
        is_power.ok_or((
            why,
            "as many, or `traffic = uniform;`: BookSim2 refuses it, too",
        ))
    }

    /// The permutations that lead each node to the `destination` of it and of a number below `count`.
    fn each(
        &self,
        count: u64,
        destination: impl Fn(u64, u64) -> u64,
    ) -> Result<Vec<Vec<u32>>, Refusal> {
        if self.count > NODES_MOST || u64::from(self.count) * count > LISTED_MOST {
            return Err(TOO_MANY);
        }
        let all = 0..count;
        all.map(|number| self.permuted(|node| destination(node, number)))
            .collect()
    }

    /// The permutation `name` with its `parameters`, `seed` being that of random ones.
    fn permutation(&self, name: &str, parameters: &[i32], seed: i32) -> Result<Vec<u32>, Refusal> {
        let count = u64::from(self.count);
        let one = |destination: &dyn Fn(u64) -> u64| {
            self.each(1, |node, _| destination(node))
                .map(|mut all| all.remove(0))
        };
        let turned = |step: &dyn Fn(u64) -> u64| {
            let (width, rings) = self.rings(parameters)?;
            one(&turned(width, rings, step(width)))
        };
        match name {
            "tornado" => turned(&|width| width.div_ceil(2) - 1),
            "neighbor" => turned(&|_| 1),
            "bitcomp" => self.bits().and_then(|_| one(&|node| count - 1 - node)),
            "bitrev" => {
                let unused = 64 - self.bits()?;
                one(&|node| node.reverse_bits().checked_shr(unused).unwrap_or(0))
            }
            "shuffle" => {
                self.bits()?;
                one(&|node| (node << 1) % count + (node << 1) / count)
            }
            "transpose" => match self.bits()? {
                bits if bits % 2 == 0 => {
                    one(&|node| (node >> (bits / 2)) | ((node << (bits / 2)) % count))
                }
                _ => Err((
                    "it takes an even power of two of nodes",
                    "as many: BookSim2 refuses it, too",
                )),
            },
            _ if self.count > NODES_MOST => Err(TOO_MANY),
            _ => {
                let drawn = drawn(self.count, parameters.first().copied().unwrap_or(seed));
                one(&|node| drawn[node as usize].into())
            }
        }
    }

    /// What the pattern `name` with its `parameters` is made of, `seed` being that of random permutations.
    ///
    /// # Errors
    /// Where it is no mixture of permutations here, or BookSim2 refuses it.
    pub(super) fn parts(
        &self,
        name: &str,
        parameters: &[i32],
        seed: i32,
    ) -> Result<Parts, Refusal> {
        let count = u64::from(self.count);
        let (mut uniform, mut last) = (0, 1);
        let permutations = match name {
            // To the next of all, or to itself twice as often.
            "diagonal" => {
                last = 2;
                self.each(2, |node, still| (node + 1 - still) % count)?
            }
            "asymmetric" if count % 2 == 0 => {
                self.each(2, |node, half| (node + half * (count / 2)) % count)?
            }
            "asymmetric" => return Err(MANY_TO_ONE),
            "badperm_yarc" => {
                let (width, _) = self.rings(parameters)?;
                if width.checked_mul(width) != Some(count) {
                    return Err(MANY_TO_ONE);
                }
                self.each(width, |node, shift| {
                    (node + shift) % width * width + node / width
                })?
            }
            // A grid of 8 × 8: half of the packets to the nine around, or to any.
            "taper64" if count == 64 => {
                uniform = 9;
                self.each(9, |node, shift| {
                    (node + 64 + 8 * (shift / 3) + shift % 3 - 9) % 64
                })?
            }
            "taper64" => {
                let help = "as many, or `traffic = uniform;`: BookSim2 refuses it, too";
                return Err(("it takes 64 nodes", help));
            }
            "bad_dragon" => {
                return Err((
                    "it is for dragonflies here, and has no parameters",
                    "`topology = dragonflynew;`, or `pattern = \"next-group\"`, by hand",
                ));
            }
            _ => vec![self.permutation(name, parameters, seed)?],
        };
        let mut permutations: Vec<_> = permutations.into_iter().map(|part| (1, part)).collect();
        permutations
            .iter_mut()
            .skip(1)
            .for_each(|part| part.0 = last);
        Ok(Parts {
            uniform,
            permutations,
        })
    }
}

/// Each of `rings` digits of radix `width` moved on by `step`.
fn turned(width: u64, rings: u64, step: u64) -> impl Fn(u64) -> u64 {
    move |node| {
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

/// The destinations of `randperm` (`traffic.cpp`, `randomize`): each destination in turn goes to one of the sources
/// that have none, and that is drawn.
fn drawn(count: u32, seed: i32) -> Vec<u32> {
    let mut random = Knuth::new(seed.into());
    let mut free: Vec<u32> = (0..count).collect();
    let mut destinations = vec![0; count as usize];
    for destination in 0..count {
        let source = free.remove((random.next() % free.len() as u32) as usize);
        destinations[source as usize] = destination;
    }
    destinations
}
