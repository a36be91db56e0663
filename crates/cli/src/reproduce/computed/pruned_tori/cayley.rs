//! Section 3: the four classes as Cayley digraphs, b = a + M(a) g, beside the networks that the adjacency
//! rules of section 2 give.

use super::super::super::table::{Table, row};
use super::super::formula::{Computed, Parameters};
use super::graphs::network;
use flitsim_models::pruned_torus::parameters::Torus;
use flitsim_topology::{ChannelId, NodeId};

type Matrix = [[i32; 3]; 3];

/// The matrix of a node's coordinates.
type Rule = fn([i32; 3]) -> Matrix;

/// Ψ^a0: the lower two rows swapped where a0 is odd (section 3.B).
fn pruning(a: [i32; 3]) -> Matrix {
    let odd = a[0] % 2;
    [[1, 0, 0], [0, 1 - odd, odd], [0, odd, 1 - odd]]
}

/// Π Φ_i^(a_i), Φ_i being -1 but for a 1 in place i (section 3.C); example 2 has it multiplied out.
fn orientation(a: [i32; 3]) -> Matrix {
    let mut product = pruning([0; 3]);
    for (i, at) in a.into_iter().enumerate() {
        for j in (0..3).filter(|&j| j != i && at % 2 == 1) {
            product[j][j] = -product[j][j];
        }
    }
    product
}

/// Example 2 as printed.
fn example_2(a: [i32; 3]) -> Matrix {
    let sign = |of: i32| 1 - 2 * (of % 2);
    [
        [sign(a[1] + a[2]), 0, 0],
        [0, sign(a[0] + a[2]), 0],
        [0, 0, sign(a[0] + a[1])],
    ]
}

/// Example 3 as printed.
fn example_3(a: [i32; 3]) -> Matrix {
    let sign = |of: i32| 1 - 2 * (of % 2);
    let [odd, even] = [a[0] % 2, 1 - a[0] % 2];
    let [first, second] = [sign(a[0] + a[1]), sign(a[0] + a[2])];
    [
        [sign(a[1] + a[2]), 0, 0],
        [0, first * even, second * odd],
        [0, first * odd, second * even],
    ]
}

fn product(a: Matrix, b: Matrix) -> Matrix {
    let cell = |i: usize, j: usize| (0..3).map(|l| a[i][l] * b[l][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| cell(i, j)))
}

/// The nodes whose neighbours by the matrices are not those of the network; `M` is section 3's
/// definition, an example as printed, or, of the last, the factors the other way round.
pub fn cayley(parameters: &Parameters) -> Computed {
    let rules: [(&str, Torus, Rule); 8] = [
        ("definition", Torus::Full, |_| pruning([0; 3])),
        ("definition", Torus::Pruned, pruning),
        ("example 1", Torus::Pruned, |a| {
            let [off, on] = [a[0] % 2, (a[0] + 1) % 2];
            [[1, 0, 0], [0, on, off], [0, off, on]]
        }),
        ("definition", Torus::Manhattan, orientation),
        ("example 2", Torus::Manhattan, example_2),
        ("definition", Torus::PrunedManhattan, |a| {
            product(pruning(a), orientation(a))
        }),
        ("example 3", Torus::PrunedManhattan, example_3),
        ("factors swapped", Torus::PrunedManhattan, |a| {
            product(orientation(a), pruning(a))
        }),
    ];
    let mut table = Table::default();
    for radix in parameters.numbers("radices")? {
        let k = radix as i32;
        for (matrix, torus, rule) in rules {
            let network = network(torus, radix as u32)?;
            let wrong = (0..network.nodes()).filter(|&node| {
                let at = [1, k, k * k].map(|place| node as i32 / place % k);
                let matrix = rule(at);
                // The columns that the generators pick, and their inverses where links have both ways.
                let columns = if torus == Torus::Full || torus == Torus::Manhattan {
                    3
                } else {
                    2
                };
                let signs: &[i32] = if torus.is_one_way() { &[1] } else { &[1, -1] };
                let moved = |g: usize, sign: i32, i: usize| {
                    (at[i] + sign * matrix[i][g]).rem_euclid(k) * k.pow(i as u32)
                };
                let step = |g: usize, sign: i32| (0..3).map(|i| moved(g, sign, i)).sum::<i32>();
                let pairs = (0..columns).flat_map(|g| signs.iter().map(move |&sign| (g, sign)));
                let mut found: Vec<_> = pairs.map(|(g, sign)| step(g, sign) as u32).collect();
                let channels = network.outgoing(NodeId(node));
                let targets = channels.map(|c| network.target(ChannelId(c)).0);
                let mut wanted: Vec<_> = targets.collect();
                found.sort_unstable();
                wanted.sort_unstable();
                found != wanted
            });
            row! { table;
                "network" => torus.name(),
                "matrix" => matrix,
                "k" => radix,
                "nodes" => network.nodes(),
                "wrong" => wrong.count(),
            }
        }
    }
    Ok(table)
}
