//! What the graphs give: distances, fault diameters, cuts, room, and other ways to prune.

use super::super::super::table::{Table, row};
use super::super::formula::{Computed, Failure, Formula, Parameters};
use flitsim_models::pruned_torus::parameters::{
    Torus, full_fault_diameter_bound, pruned_diameter, pruned_fault_diameter_bound, sparse,
};
use flitsim_topology::layout::parhami_kwai::{
    room_share, room_share_at_equal_pins, torus_volume, volume, width_factor,
};
use flitsim_topology::properties::{FaultDiameter, FaultMethod, Symmetry};
use flitsim_topology::{ChannelId, Ends, Grid, Network, SparseTorus, Thinning};
use std::collections::VecDeque;

/// The tables by name.
pub const TABLES: &[(&str, Formula)] = &[
    ("distances", distances),
    ("higher-dimensions", higher_dimensions),
    ("fault-diameters", fault_diameters),
    ("cuts", cuts),
    ("room", room),
    ("other-prunings", other_prunings),
];

/// Table 1 and figure 4: what is counted on the 3-D networks, and what is printed.
fn distances(parameters: &Parameters) -> Computed {
    let mut table = Table::default();
    for torus in Torus::ALL {
        for radix in parameters.numbers("radices")? {
            let k = radix as u32;
            let mean = torus.mean_distance(k, 3)?;
            let printed = torus.mean_distance_printed(k)?;
            let nodes = radix.powi(3);
            row! { table;
                "network" => torus.name(),
                "k" => radix,
                "degree" => torus.degree(3),
                "diameter" => torus.diameter(k)?,
                "diameter_printed" => torus.diameter_printed(k)?,
                "distance" => mean,
                "distance_printed" => printed,
                "distance_off" => (printed / mean - 1.0).abs(),
                "distance_others" => mean * nodes / (nodes - 1.0),
                "bisection" => torus.bisection_width(k, 3)?,
            }
        }
    }
    Ok(table)
}

/// Figure 5 and theorem 1: full and pruned tori of more dimensions, at the radices that pruning
/// leaves, multiples of n − 1.
fn higher_dimensions(parameters: &Parameters) -> Computed {
    let mut table = Table::default();
    let most = parameters.number("nodes_most")?;
    for n in 3..=5_u32 {
        for torus in [Torus::Full, Torus::Pruned] {
            let unit = n - 1;
            for k in (1..).map(|i| i * unit) {
                if f64::from(k).powi(n as i32) > most {
                    break;
                }
                if k % 2 == 1 || k < 4 {
                    continue;
                }
                let full = Torus::Full.mean_distance(k, n)?;
                let mean = torus.mean_distance(k, n)?;
                let theorem = pruned_diameter(k, n)?;
                let found = match sparse(torus, k, n)? {
                    Some(network) => network.distances().diameter,
                    None => n * (k / 2),
                };
                row! { table;
                    "network" => torus.name(),
                    "n" => n,
                    "k" => k,
                    "distance" => mean,
                    "over_full" => mean / full,
                    "diameter" => found,
                    "diameter_theorem" => (torus == Torus::Pruned).then_some(theorem),
                    "bisection" => torus.bisection_width(k, n)?,
                }
            }
        }
    }
    Ok(table)
}

/// The 3-D network of a class.
pub fn network(torus: Torus, radix: u32) -> Result<Network, Failure> {
    Ok(match sparse(torus, radix, 3)? {
        Some(network) => network.into_network(),
        None => Grid::uniform(radix, 3, Ends::Ring)?.into_network(),
    })
}

/// Section 4.C: the largest diameter that failing nodes leave, and the bounds.
fn fault_diameters(parameters: &Parameters) -> Computed {
    let mut table = Table::default();
    for radix in parameters.numbers("radices")? {
        let k = radix as u32;
        for torus in Torus::ALL {
            let network = network(torus, k)?;
            let symmetry = Symmetry::of(&network);
            // Fewer than the connectivity, which is the degree.
            let faults = torus.degree(3) - 1;
            let bound = match torus {
                Torus::Full => full_fault_diameter_bound(k, 3).ok(),
                Torus::Pruned => pruned_fault_diameter_bound(k, 3).ok(),
                _ => None,
            };
            let found = FaultDiameter::of(&network, &symmetry, faults, &|_, _| {});
            let diameter = torus.diameter(k)?;
            let fault_diameter = found.and_then(|found| found.diameter);
            row! { table;
                "network" => torus.name(),
                "k" => radix,
                "faults" => faults,
                "diameter" => diameter,
                "fault_diameter" => fault_diameter,
                "more" => fault_diameter.map(|most| most - diameter),
                "bound" => bound,
                "method" => found.map(|found| method(found.method)),
            }
        }
    }
    Ok(table)
}

fn method(method: FaultMethod) -> &'static str {
    match method {
        FaultMethod::Exhaustive => "exhaustive",
        FaultMethod::Sampled { .. } => "sampled",
    }
}

/// Section 4.E: links of the pruned torus across a cut of both ends of a slice, by the dimension
/// across which it is sliced.
fn cuts(parameters: &Parameters) -> Computed {
    let k = parameters.whole("radix")?;
    let torus = SparseTorus::new(k, 3, Thinning::Pruned)?;
    let mut channels = [0_u32; 3];
    for channel in 0..torus.nodes() * torus.degree() {
        channels[torus.step(ChannelId(channel)).dimension as usize] += 1;
    }
    let mut table = Table::default();
    for (dimension, channels) in (0_u32..).zip(channels) {
        // Half as many links as channels, evenly over k places, of which a slice has two.
        row! { table;
            "dimension" => dimension,
            "links" => channels / k,
        }
    }
    Ok(table)
}

/// Section 4.E and figure 6: the room of folded layouts.
fn room(parameters: &Parameters) -> Computed {
    let k = parameters.whole("radix")?;
    let mut table = Table::default();
    row! { table;
        "network" => "torus",
        "points" => torus_volume(k),
        "share" => 1.0,
        "wider" => 1.0,
        "share_wider" => 1.0,
        "share_wider_both" => 1.0,
    }
    let pruned = Thinning::Pruned;
    row! { table;
        "network" => "pruned",
        "points" => volume(pruned, k),
        "share" => room_share(pruned),
        "wider" => width_factor(pruned),
        "share_wider" => room_share_at_equal_pins(pruned, 1),
        "share_wider_both" => room_share_at_equal_pins(pruned, 2),
    }
    Ok(table)
}

/// A way to prune: the dimensions of a node that have both links, and those that have the one upward
/// where the sum of the coordinates is even, downward where it is odd.
type Pruning = fn(&[u32]) -> (Vec<usize>, Vec<usize>);

/// Sections 3.E and 7: pruning by other rules, 3-D to degree 4 and 4-D to degrees 4 and 6.
const PRUNINGS: [(&str, u32, Pruning); 7] = [
    ("3-D torus", 3, |_| (vec![0, 1, 2], vec![])),
    ("pruned by a0", 3, |a| {
        (vec![0, 1 + a[0] as usize % 2], vec![])
    }),
    // Four neighbours of the other parity: the brick wall of honeycombs, in space.
    ("pruned by a0 + a1 + a2 (diamond)", 3, |_| {
        (vec![0], vec![1, 2])
    }),
    ("4-D torus", 4, |_| (vec![0, 1, 2, 3], vec![])),
    ("4-D pruned to degree 6, by a0", 4, |a| {
        (vec![0, 1, 2 + a[0] as usize % 2], vec![])
    }),
    ("4-D pruned to degree 6, by a0 + a1", 4, |a| {
        (vec![0, 1, 2 + (a[0] + a[1]) as usize % 2], vec![])
    }),
    ("4-D pruned to degree 4", 4, |a| {
        (vec![0, 1 + a[0] as usize % 3], vec![])
    }),
];

/// Diameters and mean distances, over all destinations and all sources, of [`PRUNINGS`].
fn other_prunings(parameters: &Parameters) -> Computed {
    let mut table = Table::default();
    for (name, n, pruning) in PRUNINGS {
        for radix in parameters.numbers("radices")? {
            let k = radix as u32;
            let is_third = name.ends_with("degree 4");
            if (n == 4 && k > 6) || (is_third && !k.is_multiple_of(3)) {
                continue;
            }
            let found = Pruned { k, n, pruning }.measured();
            row! { table;
                "network" => name,
                "n" => n,
                "k" => radix,
                "degree" => found.degree,
                "diameter" => found.diameter,
                "distance" => found.mean,
                "alike" => if found.is_alike { "yes" } else { "no" },
                "degree_distance" => f64::from(found.degree) * found.mean,
            }
        }
    }
    Ok(table)
}

/// A torus of radix k in n dimensions, pruned.
struct Pruned {
    k: u32,
    n: u32,
    pruning: Pruning,
}

/// What was measured of a [`Pruned`].
struct Measured {
    degree: u32,
    diameter: u32,
    mean: f64,
    /// Whether every node sees as many others at every distance.
    is_alike: bool,
}

impl Pruned {
    fn neighbours(&self, node: usize) -> Vec<usize> {
        let k = self.k as usize;
        let place = |i: usize| k.pow(i as u32);
        let at: Vec<u32> = (0..self.n as usize)
            .map(|i| (node / place(i) % k) as u32)
            .collect();
        let step = |i: usize, by: usize| {
            let a = at[i] as usize;
            node - a * place(i) + (a + by) % k * place(i)
        };
        let (both, one) = (self.pruning)(&at);
        let is_even = at.iter().sum::<u32>().is_multiple_of(2);
        let single = if is_even { 1 } else { k - 1 };
        let both = both.into_iter().flat_map(|i| [step(i, 1), step(i, k - 1)]);
        both.chain(one.into_iter().map(|i| step(i, single)))
            .collect()
    }

    fn measured(&self) -> Measured {
        let nodes = (self.k as usize).pow(self.n);
        let neighbours: Vec<_> = (0..nodes).map(|node| self.neighbours(node)).collect();
        let mut sum = 0;
        let mut profiles: Vec<Vec<u64>> = Vec::new();
        for from in 0..nodes {
            let counts = profile(&neighbours, from);
            sum += (0_u64..).zip(&counts).map(|(d, c)| d * c).sum::<u64>();
            if !profiles.contains(&counts) {
                profiles.push(counts);
            }
        }
        Measured {
            degree: neighbours[0].len() as u32,
            diameter: profiles.iter().map(Vec::len).max().unwrap_or(1) as u32 - 1,
            mean: sum as f64 / (nodes as f64).powi(2),
            is_alike: profiles.len() == 1,
        }
    }
}

/// How many nodes are at each distance from `from`.
fn profile(neighbours: &[Vec<usize>], from: usize) -> Vec<u64> {
    let mut hops = vec![usize::MAX; neighbours.len()];
    hops[from] = 0;
    let mut queue = VecDeque::from([from]);
    let mut counts = Vec::new();
    while let Some(node) = queue.pop_front() {
        let distance = hops[node];
        if counts.len() == distance {
            counts.push(0);
        }
        counts[distance] += 1;
        for &next in &neighbours[node] {
            if hops[next] == usize::MAX {
                hops[next] = distance + 1;
                queue.push_back(next);
            }
        }
    }
    counts
}
