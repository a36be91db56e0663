//! Permutations of the nodes that a family's definition suggests: guesses, which are checked.
//!
//! Few are enough: an exchange of two equal dimensions and a rotation of all of them make every
//! permutation; with those, one reflection stands for that of each.

use crate::{Ends, ExpressCube, FatTree, FatTreeKind, Grid, Network, NodeId, Shape, SparseTorus};
use crate::{Star, Thinning, fat_tree::Switch};

/// A permutation of the nodes, which may or may not be an automorphism.
pub(super) struct Guess<'n> {
    /// What it does.
    pub(super) name: String,
    /// The image of a node.
    pub(super) image: Box<dyn Fn(NodeId) -> NodeId + Sync + 'n>,
}

impl<'n> Guess<'n> {
    fn new(name: impl Into<String>, image: impl Fn(NodeId) -> NodeId + Sync + 'n) -> Self {
        Self {
            name: name.into(),
            image: Box::new(image),
        }
    }
}

/// The guesses for a network of this shape; those that keep the order of channels come first.
pub(super) fn guesses(network: &Network) -> Vec<Guess<'_>> {
    match network.shape() {
        Shape::Grid(grid) => of_grid(grid),
        Shape::Star(star) => of_star(star),
        Shape::SparseTorus(torus) => of_sparse_torus(torus),
        Shape::FatTree(tree) => of_fat_tree(tree),
        Shape::ExpressCube(cube) if cube.crossings() == 0 => of_express_cube(cube),
        Shape::ExpressCube(_) => Vec::new(),
        Shape::File | Shape::Damaged(_) => Vec::new(),
    }
}

/// Orders of the dimensions that exchange equal ones: where each dimension goes.
fn exchanges(radices: &[u32]) -> Vec<(String, Vec<usize>)> {
    let mut orders = Vec::new();
    for (first, &radix) in radices.iter().enumerate() {
        if radices[..first].contains(&radix) {
            continue;
        }
        let equal: Vec<usize> = (first..radices.len())
            .filter(|&i| radices[i] == radix)
            .collect();
        let mut order: Vec<usize> = (0..radices.len()).collect();
        if equal.len() >= 2 {
            order.swap(equal[0], equal[1]);
            let name = format!("exchange of dimensions {} and {}", equal[0], equal[1]);
            orders.push((name, order.clone()));
        }
        if equal.len() >= 3 {
            for (place, &dimension) in equal.iter().enumerate() {
                order[dimension] = equal[(place + 1) % equal.len()];
            }
            let name = format!("rotation of the dimensions of radix {radix}");
            orders.push((name, order));
        }
    }
    orders
}

/// What a step in each dimension adds to an address.
fn strides(radices: &[u32]) -> Vec<u32> {
    let mut stride = 1u32;
    let mut next = |&radix: &u32| {
        let this = stride;
        // Past the last dimension it may be too large, and is not used.
        stride = stride.wrapping_mul(radix);
        this
    };
    radices.iter().map(&mut next).collect()
}

/// The address of the node with these coordinates in dimensions of these strides.
fn address(coordinates: &[u16], strides: &[u32]) -> NodeId {
    let products = coordinates.iter().zip(strides);
    NodeId(products.map(|(&a, stride)| u32::from(a) * stride).sum())
}

/// Strides such that dimension i lands where dimension `order[i]` was.
fn reordered(strides: &[u32], order: &[usize]) -> Vec<u32> {
    order.iter().map(|&to| strides[to]).collect()
}

fn of_grid(grid: &Grid) -> Vec<Guess<'_>> {
    let radices = grid.radices();
    let strides = strides(radices);
    let mut guesses = Vec::new();
    for (dimension, (&k, &stride)) in radices.iter().zip(&strides).enumerate() {
        if grid.is_ring(dimension) || k == 2 {
            let name = format!("shift of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                let a = grid.coordinate(node, dimension);
                let next = if a + 1 < k { a + 1 } else { 0 };
                NodeId(node.0 - a * stride + next * stride)
            }));
        }
    }
    for (dimension, (&k, &stride)) in radices.iter().zip(&strides).enumerate() {
        let repeated = radices[..dimension].contains(&k);
        if grid.ends() != Ends::DirectedRing && k > 2 && !repeated {
            let name = format!("reflection of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                let a = grid.coordinate(node, dimension);
                NodeId(node.0 - a * stride + (k - 1 - a) * stride)
            }));
        }
    }
    for (name, order) in exchanges(radices) {
        let strides = reordered(&strides, &order);
        guesses.push(Guess::new(name, move |node| {
            address(grid.coordinates(node), &strides)
        }));
    }
    guesses
}

fn of_star(star: &Star) -> Vec<Guess<'_>> {
    let n = star.symbols();
    let rotated = |from: u32| -> Vec<u32> {
        let turn = |p| if p == n { from } else { p + 1 };
        (1..=n)
            .map(|p| if p < from { p } else { turn(p) })
            .collect()
    };
    let swapped = |a: u32| -> Vec<u32> {
        let mut order: Vec<u32> = (1..=n).collect();
        order.swap(a as usize - 1, a as usize);
        order
    };
    let mut guesses = Vec::new();
    for (name, symbols) in [
        ("exchange of two symbols", swapped(1)),
        ("rotation of the symbols", rotated(1)),
    ] {
        let by = star.node_at(&symbols);
        guesses.push(Guess::new(name, move |node| star.translate(by, node)));
    }
    if n >= 3 {
        for (name, order) in [
            ("exchange of two positions", swapped(2)),
            ("rotation of the positions but the first", rotated(2)),
        ] {
            guesses.push(Guess::new(name, move |node| {
                star.move_positions(&order, node)
            }));
        }
    }
    guesses
}

fn of_sparse_torus(torus: &SparseTorus) -> Vec<Guess<'_>> {
    let (k, n) = (torus.radix(), torus.dimensions());
    let mut guesses = Vec::new();
    // The neighbours of node 0 generate the group that the family is made from (section 3).
    for dimension in 0..n {
        for (first, way) in [(1, "up"), (k - 1, "down")] {
            let mut unit = vec![0; n as usize];
            unit[dimension as usize] = first;
            let by = torus.node_at(&unit);
            let name = format!("shift {way} dimension {dimension}, turned as the definition turns");
            guesses.push(Guess::new(name, move |node| torus.translate(by, node)));
        }
    }
    let radices = vec![k; n as usize];
    let strides = strides(&radices);
    let negated = move |a: u32| if a == 0 { 0 } else { k - a };
    if torus.thinning() == Thinning::Pruned {
        let stride = strides[1];
        guesses.push(Guess::new("reflection of dimension 1", move |node| {
            let a = torus.coordinate(node, 1);
            NodeId(node.0 - a * stride + negated(a) * stride)
        }));
        // Dimension i + 1 has its links where a_0 ≡ i, hence its image where a_0 ≡ −i.
        let pruned = n as usize - 1;
        let mut order = vec![0];
        order.extend((0..pruned).map(|i| 1 + (pruned - i) % pruned));
        let strides = reordered(&strides, &order);
        let name = "reflection of dimension 0, turned as the definition turns";
        guesses.push(Guess::new(name, move |node| {
            let image = address(torus.coordinates(node), &strides);
            let a = torus.coordinate(node, 0);
            NodeId(image.0 - a + negated(a))
        }));
    }
    for (name, order) in exchanges(&radices) {
        let strides = reordered(&strides, &order);
        guesses.push(Guess::new(name, move |node| {
            address(torus.coordinates(node), &strides)
        }));
    }
    guesses
}

/// A permutation of the processors' columns and rows, and of the switches', block by block.
fn of_processors<'n>(
    tree: &'n FatTree,
    name: String,
    image: impl Fn(u32, (u32, u32)) -> (u32, u32) + Sync + 'n,
) -> Guess<'n> {
    Guess::new(name, move |node| match tree.switch(node) {
        None => {
            let (x, y) = image(0, tree.position(node));
            NodeId(x + (y << tree.levels()))
        }
        Some(switch) => {
            let (x, y) = image(switch.level + 1, (switch.x, switch.y));
            tree.node_at(Switch { x, y, ..switch })
        }
    })
}

fn of_fat_tree(tree: &FatTree) -> Vec<Guess<'_>> {
    let levels = tree.levels();
    let last = (1u32 << levels) - 1;
    let masks: Vec<u32> = match tree.kind() {
        FatTreeKind::Butterfly => (0..levels).map(|bit| 1 << bit).collect(),
        FatTreeKind::Pyramid => vec![last],
    };
    let mut guesses = Vec::new();
    for mask in masks {
        let what = format!("columns exchanged by the bits {mask:#b}");
        guesses.push(of_processors(tree, what, move |shift, (x, y)| {
            (x ^ mask >> shift, y)
        }));
        let what = format!("rows exchanged by the bits {mask:#b}");
        guesses.push(of_processors(tree, what, move |shift, (x, y)| {
            (x, y ^ mask >> shift)
        }));
    }
    let what = "exchange of rows and columns".to_owned();
    guesses.push(of_processors(tree, what, |_, (x, y)| (y, x)));
    for below in 0..levels - 1 {
        let name = format!("exchange of the parents of level {below}");
        guesses.push(Guess::new(name, move |node| match tree.switch(node) {
            Some(switch) if switch.level > below => {
                let copy = switch.copy ^ 1 << (switch.level - 1 - below);
                tree.node_at(Switch { copy, ..switch })
            }
            _ => node,
        }));
    }
    guesses
}

fn of_express_cube(cube: &ExpressCube) -> Vec<Guess<'_>> {
    let radices = cube.radices();
    let mut guesses = Vec::new();
    for (dimension, radix) in radices.iter().enumerate() {
        if !radices[..dimension].contains(radix) {
            let name = format!("reflection of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                cube.reflected(node, dimension).unwrap_or(node)
            }));
        }
    }
    for (name, order) in exchanges(radices) {
        guesses.push(Guess::new(name, move |node| cube.exchanged(node, &order)));
    }
    guesses
}
