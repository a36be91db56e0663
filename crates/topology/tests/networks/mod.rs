//! Small networks of every family, for what must hold on all of them.

use flitsim_topology::express::Decomposition;
use flitsim_topology::{
    Arrangement, Butterfly, Dragonfly, Ends, ExpressCube, ExpressParameters, FatTree, Grid, HyperX,
    Network, RandomRegular, SlimFly, SparseTorus, Star, Thinning, Xgft,
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
    all.extend(high_radix());
    all
}

/// Networks of routers with many channels, with one terminal at each and with several, and trees and
/// butterflies.
pub fn high_radix() -> Vec<(String, Network)> {
    let mut all = Vec::new();
    for (sizes, parallel) in [
        (&[5][..], &[][..]),
        (&[4, 4], &[]),
        (&[2, 3, 4], &[1, 2, 1]),
        (&[3, 3, 3], &[2, 2, 2]),
    ] {
        let network = HyperX::new(sizes, parallel).unwrap();
        all.push((
            format!("hyperx {sizes:?} {parallel:?}"),
            network.into_network(),
        ));
    }
    for arrangement in [
        Arrangement::Absolute,
        Arrangement::Relative,
        Arrangement::Circulant,
    ] {
        for (routers, global, groups) in [(4, 2, 9), (4, 1, 4), (3, 2, 4), (2, 2, 2), (1, 4, 5)] {
            let network = Dragonfly::new(routers, global, groups, arrangement).unwrap();
            let name = format!("dragonfly {routers} {global} {groups} {arrangement:?}");
            all.push((name, network.into_network()));
        }
    }
    for order in [3, 4, 5, 7, 8, 9] {
        let network = SlimFly::new(order).unwrap().into_network();
        all.push((format!("slim fly {order}"), network));
    }
    for (routers, degree) in [(5, 2), (10, 3), (12, 5), (4, 3)] {
        let network = RandomRegular::new(routers, degree, 7).unwrap();
        all.push((format!("random {routers} {degree}"), network.into_network()));
    }
    for (children, parents) in [
        (&[4][..], &[1][..]),
        (&[2, 2, 2], &[1, 2, 2]),
        (&[3, 3], &[1, 3]),
        (&[4, 3], &[2, 2]),
        (&[2, 4, 3], &[1, 2, 1]),
    ] {
        let tree = Xgft::new(children, parents).unwrap().into_network();
        all.push((format!("xgft {children:?} {parents:?}"), tree));
    }
    for (arity, stages) in [(4, 1), (2, 2), (2, 4), (3, 3)] {
        let network = Butterfly::new(arity, stages).unwrap().into_network();
        all.push((format!("{arity}-ary {stages}-fly"), network));
    }
    let concentrated = [
        (grid(&[4, 4], Ends::Open), 4),
        (grid(&[3, 4], Ends::Ring), 2),
        (star(4), 3),
        (sparse(4, 2, Thinning::Manhattan), 2),
        (HyperX::new(&[3, 3], &[]).unwrap().into_network(), 3),
        (SlimFly::new(5).unwrap().into_network(), 4),
    ];
    for (network, each) in concentrated {
        let network = network.concentrated(each).unwrap();
        all.push((
            format!("{each} terminals at each of {}", network.nodes()),
            network,
        ));
    }
    all
}
