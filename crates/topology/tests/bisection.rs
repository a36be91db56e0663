//! Bisection widths against every halving of small networks, and the papers' values.

use flitsim_topology::properties::{Bisection, BisectionMethod};
use flitsim_topology::{ChannelId, Ends, FatTree, HyperX, Network, Thinning, Xgft};
use networks::{express, grid, small, sparse, star};

use crate::networks;

/// The fewest channels across any halving of the terminals, with the switches anywhere.
fn by_enumeration(network: &Network) -> u64 {
    let (nodes, terminals) = (network.nodes(), network.terminals());
    let of_terminals = (1u32 << terminals) - 1;
    let halves = |sides: &u32| {
        let ones = (sides & of_terminals).count_ones();
        ones.abs_diff(terminals - ones) <= terminals % 2
    };
    let pairs: Vec<(u32, u32)> = (0..network.channels())
        .map(ChannelId)
        .map(|channel| (network.source(channel).0, network.target(channel).0))
        .collect();
    let across = |sides: u32| {
        let crossing = pairs
            .iter()
            .filter(|(a, b)| (sides >> a ^ sides >> b) & 1 == 1);
        crossing.count() as u64
    };
    let all = (0u32..1 << (nodes - 1)).filter(halves);
    all.map(across).min().unwrap()
}

#[test]
fn searches_and_formulas_find_the_least_of_all_halvings() {
    let mut tried = 0;
    let mut more = vec![
        ("grid 3x3".to_owned(), grid(&[3, 3], Ends::Ring)),
        ("mesh 3x3".to_owned(), grid(&[3, 3], Ends::Open)),
        ("mesh 5x3".to_owned(), grid(&[5, 3], Ends::Open)),
        ("mesh 7x2".to_owned(), grid(&[7, 2], Ends::Open)),
        ("torus 5x3".to_owned(), grid(&[5, 3], Ends::Ring)),
        (
            "one-way torus 5x3".to_owned(),
            grid(&[5, 3], Ends::DirectedRing),
        ),
        ("express".to_owned(), express(&[3, 3], 2, 1)),
        ("express line".to_owned(), express(&[9], 2, 2)),
    ];
    more.extend(small());
    for (name, network) in more {
        if network.nodes() > 17 {
            continue;
        }
        let least = by_enumeration(&network);
        let searched = Bisection::searched(&network);
        assert_eq!(searched.channels, least, "{name}");
        assert_eq!(searched.method, BisectionMethod::Exact, "{name}");
        assert_eq!(Bisection::of(&network).channels, least, "{name}");
        tried += 1;
    }
    assert!(tried >= 30, "{tried}");
}

fn hyperx(sizes: &[u32], parallel: &[u32]) -> Network {
    HyperX::new(sizes, parallel).unwrap().into_network()
}

fn k_ary_tree(arity: u32, levels: u32) -> Network {
    Xgft::k_ary_n_tree(arity, levels).unwrap().into_network()
}

#[test]
fn formulas_hold_where_a_search_of_all_halvings_can_tell() {
    for network in [
        grid(&[5, 5], Ends::Open),
        grid(&[3, 3, 3], Ends::Open),
        grid(&[4, 4, 2], Ends::Ring),
        grid(&[6, 4], Ends::Ring),
        grid(&[2; 4], Ends::Open),
        FatTree::butterfly(16).unwrap().into_network(),
        FatTree::pyramid(16).unwrap().into_network(),
        hyperx(&[6], &[]),
        hyperx(&[8], &[3]),
        hyperx(&[2, 3], &[]),
        hyperx(&[4, 4], &[]),
        hyperx(&[4, 5], &[2, 2]),
        hyperx(&[2, 2, 3], &[]),
        k_ary_tree(2, 2),
        k_ary_tree(2, 3),
        k_ary_tree(4, 1),
        k_ary_tree(4, 2),
    ] {
        let formula = Bisection::of(&network);
        assert_eq!(formula.method, BisectionMethod::Formula);
        let searched = Bisection::searched(&network);
        assert_eq!(searched.channels, formula.channels, "{}", formula.how);
        assert_eq!(searched.method, BisectionMethod::Exact, "{}", formula.how);
    }
}

#[test]
fn no_descent_contradicts_a_formula() {
    for network in [
        grid(&[8, 8], Ends::Ring),
        grid(&[7, 7], Ends::Open),
        grid(&[5, 5, 5], Ends::Open),
        grid(&[2; 7], Ends::Open),
        FatTree::butterfly(64).unwrap().into_network(),
        FatTree::pyramid(64).unwrap().into_network(),
    ] {
        let formula = Bisection::of(&network);
        assert_eq!(formula.method, BisectionMethod::Formula);
        let searched = Bisection::searched(&network);
        assert_eq!(searched.channels, formula.channels, "{}", formula.how);
    }
}

/// Equation 5 of Kiasari & Sarbazi-Azad is an upper bound for odd n: S_3 has a cut of 2 links, not
/// 3, and S_5 one of 40, not 44. A link is two channels.
#[test]
fn star_graphs_of_odd_degree_have_smaller_cuts_than_equation_5() {
    let found = |symbols| {
        let found = Bisection::of(&star(symbols));
        (found.channels / 2, found.method)
    };
    assert_eq!(found(3), (2, BisectionMethod::Exact));
    assert_eq!(found(4), (8, BisectionMethod::Exact));
    assert_eq!(found(5), (40, BisectionMethod::Bound));
    let printed = |symbols| star(symbols).star().unwrap().bisection_channels() / 2;
    assert_eq!((printed(4), printed(5)), (8, 44));
    // Even n: no descent goes below the equation.
    assert_eq!(found(6), (216, BisectionMethod::Bound));
}

/// Parhami & Kwai, table 1: k², k² and k²/2 links of the pruned, the Manhattan and the pruned
/// Manhattan torus; no smaller cut is found.
#[test]
fn sparse_tori_have_the_cuts_of_table_1() {
    for (radix, thinning, channels) in [
        (4, Thinning::Pruned, 32),
        (4, Thinning::Manhattan, 32),
        (4, Thinning::PrunedManhattan, 16),
        (8, Thinning::Pruned, 128),
        (8, Thinning::Manhattan, 128),
        (8, Thinning::PrunedManhattan, 64),
    ] {
        let torus = sparse(radix, 3, thinning);
        let given = Bisection::of(&torus);
        assert_eq!(
            (given.channels, given.method),
            (channels, BisectionMethod::Formula)
        );
        assert_eq!(
            Bisection::searched(&torus).channels,
            channels,
            "{thinning:?}"
        );
    }
}

#[test]
fn express_cubes_are_cut_through_the_middle() {
    for (radices, interval, levels) in [(&[16][..], 4, 2), (&[8, 8], 2, 2), (&[16, 16], 4, 1)] {
        let network = express(radices, interval, levels);
        let straight = network.express_cube().unwrap().bisection_channels();
        assert!(Bisection::of(&network).channels <= straight.unwrap());
    }
}

/// Beyond the reach of descents, straight cuts: a number, its method, and no long wait.
#[test]
fn large_networks_are_cut_straight() {
    let torus = Bisection::of(&grid(&[151, 151], Ends::Ring));
    assert_eq!(torus.method, BisectionMethod::Bound);
    // Two layers, and the step in the middle one: 2 · (151 + 1) links, of two channels each.
    assert_eq!(torus.channels, 2 * 2 * (151 + 1));
    let star = Bisection::of(&star(8));
    assert_eq!(star.method, BisectionMethod::Bound);
    assert_eq!(star.channels, 2 * 40_320 * 8 / (4 * 7));
}
