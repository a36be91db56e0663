//! Small networks of every family, for what must hold on all of them.

use flitsim_topology::express::Decomposition;
use flitsim_topology::{
    Ends, ExpressCube, ExpressParameters, FatTree, Grid, Network, SparseTorus, Star, Thinning,
};

/// A mesh with express channels.
pub fn express(radices: &[u32], interval: u32, levels: u32) -> Network {
    let mut parameters = ExpressParameters::new(2, 1, interval, levels);
    parameters.radices = radices.to_vec();
    ExpressCube::new(parameters).unwrap().into_network()
}

/// A torus, mesh or hypercube.
pub fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

/// A torus with fewer channels.
pub fn sparse(radix: u32, dimensions: u32, thinning: Thinning) -> Network {
    SparseTorus::new(radix, dimensions, thinning)
        .unwrap()
        .into_network()
}

/// A star graph.
pub fn star(symbols: u32) -> Network {
    Star::new(symbols).unwrap().into_network()
}

/// Up to a few hundred nodes each, with a name for messages.
pub fn small() -> Vec<(String, Network)> {
    let mut all = Vec::new();
    for radices in [
        &[5][..],
        &[4, 4],
        &[5, 5],
        &[4, 3],
        &[2, 2, 2],
        &[3, 4, 3],
        &[2, 5, 2],
    ] {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            all.push((format!("grid {radices:?} {ends:?}"), grid(radices, ends)));
        }
    }
    for symbols in 2..=5 {
        all.push((format!("star {symbols}"), star(symbols)));
    }
    for thinning in [
        Thinning::Pruned,
        Thinning::Manhattan,
        Thinning::PrunedManhattan,
    ] {
        for (radix, dimensions) in [
            (2, 2),
            (4, 2),
            (3, 2),
            (4, 3),
            (6, 3),
            (3, 4),
            (6, 4),
            (4, 5),
        ] {
            if let Ok(torus) = SparseTorus::new(radix, dimensions, thinning) {
                let name = format!("{} {radix} {dimensions}", thinning.name());
                all.push((name, torus.into_network()));
            }
        }
    }
    for processors in [4, 16, 64, 256] {
        let trees = [FatTree::butterfly(processors), FatTree::pyramid(processors)];
        for tree in trees.map(Result::unwrap) {
            let name = format!("{:?} {processors}", tree.kind());
            all.push((name, tree.into_network()));
        }
    }
    for (radices, interval, levels) in [
        (&[16][..], 4, 2),
        (&[9, 9], 3, 1),
        (&[8, 8], 2, 2),
        (&[7, 5], 3, 1),
        (&[8, 3, 8], 2, 3),
    ] {
        let name = format!("express {radices:?} {interval} {levels}");
        all.push((name, express(radices, interval, levels)));
    }
    for decomposition in [
        Decomposition::LevelOne,
        Decomposition::WithoutAscending,
        Decomposition::TopOnly,
    ] {
        let mut parameters = ExpressParameters::new(16, 2, 2, 3);
        parameters.decomposition = decomposition;
        let cube = ExpressCube::new(parameters).unwrap();
        all.push((format!("express {decomposition:?}"), cube.into_network()));
    }
    let mut interleaved = ExpressParameters::new(16, 1, 4, 1);
    interleaved.interleaved = 2;
    interleaved.channels_per_level = vec![1, 2];
    let cube = ExpressCube::new(interleaved).unwrap();
    all.push(("express interleaved".to_owned(), cube.into_network()));
    all
}
