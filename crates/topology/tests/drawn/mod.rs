//! The networks that pictures are tested on: all families, and the shapes that they are drawn in.

use crate::networks::high_radix;
use flitsim_topology::express::{Decomposition, Interchanges};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{
    Ends, ExpressCube, ExpressParameters, FatTree, Grid, Network, SparseTorus, Star, Thinning,
};

/// Networks of every family, small ones of each that are drawn in ways of their own.
pub fn families() -> Vec<(String, Network)> {
    let mut all: Vec<(String, Network)> = Vec::new();
    let mut add = |name: String, network| all.push((name, network));
    for (radices, ends) in grids() {
        let network = Grid::new(&radices, ends).expect("a grid").into_network();
        add(format!("{ends:?} {radices:?}"), network);
    }
    for (name, parameters) in express_cubes() {
        let cube = ExpressCube::new(parameters).expect("an express cube");
        add(name.to_owned(), cube.into_network());
    }
    for processors in [4, 16, 64] {
        let tree = FatTree::butterfly(processors).expect("a fat-tree");
        add(format!("butterfly {processors}"), tree.into_network());
        let tree = FatTree::pyramid(processors).expect("a fat-pyramid");
        add(format!("pyramid {processors}"), tree.into_network());
    }
    for symbols in 2..=5 {
        let star = Star::new(symbols).expect("a star graph");
        add(format!("star {symbols}"), star.into_network());
    }
    let tori = [
        (4, 2, Thinning::Pruned),
        (4, 3, Thinning::Pruned),
        (3, 4, Thinning::Pruned),
        (2, 2, Thinning::Manhattan),
        (8, 2, Thinning::Manhattan),
        (4, 3, Thinning::Manhattan),
        (4, 3, Thinning::PrunedManhattan),
    ];
    for (radix, dimensions, thinning) in tori {
        let torus = SparseTorus::new(radix, dimensions, thinning).expect("a torus");
        let name = format!("{} {radix}^{dimensions}", thinning.name());
        add(name, torus.into_network());
    }
    for (name, network) in high_radix() {
        add(name, network);
    }
    add("file with places".to_owned(), from_list(true));
    add("file without places".to_owned(), from_list(false));
    all
}

fn grids() -> Vec<(Vec<u32>, Ends)> {
    let mut grids = vec![
        (vec![8], Ends::Open),
        (vec![8, 8], Ends::Open),
        (vec![5, 3], Ends::Open),
        (vec![4, 3, 2], Ends::Open),
        (vec![3, 2, 4, 2], Ends::Open),
        (vec![8], Ends::Ring),
        (vec![2], Ends::Ring),
        (vec![4, 4], Ends::Ring),
        (vec![8, 5], Ends::Ring),
        (vec![3, 2], Ends::Ring),
        (vec![4, 4, 4], Ends::Ring),
        (vec![3, 3, 3, 3], Ends::Ring),
        (vec![8], Ends::DirectedRing),
        (vec![4, 4], Ends::DirectedRing),
        (vec![2, 2], Ends::DirectedRing),
        (vec![3, 3, 3], Ends::DirectedRing),
    ];
    grids.extend((1..=7).map(|n| (vec![2; n], Ends::Open)));
    grids
}

fn express_cubes() -> Vec<(&'static str, ExpressParameters)> {
    let new = ExpressParameters::new;
    let parallel = ExpressParameters {
        channels_per_level: vec![2, 3],
        ..new(16, 1, 4, 1)
    };
    let interleaved = ExpressParameters {
        interleaved: 4,
        ..new(16, 1, 4, 1)
    };
    let turning = |radix, dimensions| ExpressParameters {
        interchanges: Interchanges::Interleaved,
        ..new(radix, dimensions, 2, 1)
    };
    let decomposed = |decomposition| ExpressParameters {
        decomposition,
        ..new(16, 1, 2, 3)
    };
    vec![
        ("express 16, i = 4", new(16, 1, 4, 1)),
        ("express 16, i = 2, l = 3", new(16, 1, 2, 3)),
        ("express, parallel", parallel),
        ("express, interleaved", interleaved),
        ("express, level-one", decomposed(Decomposition::LevelOne)),
        (
            "express, no ascending",
            decomposed(Decomposition::WithoutAscending),
        ),
        ("express, top only", decomposed(Decomposition::TopOnly)),
        ("express 16^2", new(16, 2, 4, 2)),
        ("express 4^3", new(4, 3, 2, 1)),
        ("express 5^3", new(5, 3, 2, 2)),
        ("express 6^2, turning", turning(6, 2)),
        ("express 5^3, turning", turning(5, 3)),
        ("express 3^4, turning", turning(3, 4)),
    ]
}

/// Two hosts on a ring of three switches, with or without places.
pub fn from_list(placed: bool) -> Network {
    let channels = "from,to\nalice,s1\ns1,alice\nbob,s2\ns2,bob\ns1,s2\ns2,s3\ns3,s1\n\n";
    let nodes = match placed {
        true => {
            "node,kind,x,y\nalice,terminal,0,0\nbob,terminal,2,0\ns1,switch,0,1\ns2,switch,2,1\n\
             s3,switch,1,2\n"
        }
        false => "node,kind\nalice,terminal\nbob,terminal\ns1,switch\ns2,switch\ns3,switch\n",
    };
    let text = format!("{channels}{nodes}");
    let source = Source {
        file: "list.csv",
        text: &text,
    };
    parse_csv(source, None).expect("a network")
}
