//! Patterns beyond the classic ones: local, from files, and mixtures, each against a count by hand
//! or by brute force.

use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::distances_from;
use flitsim_topology::{Ends, FatTree, FatTreeKind, Grid, Network, NodeId, Star};
use flitsim_traffic::{
    Destinations, Hotspot, Local, Matrix, MixPart, Pattern, PatternError, Purpose, Reach, Streams,
    Transpose, Uniform, parse_permutation,
};
use std::sync::Arc;

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).unwrap().into_network()
}

fn within(radius: u32) -> Pattern {
    Pattern::Local(Local {
        reach: Reach::Radius(radius),
        include_self: false,
    })
}

fn mean_distance(mean: f64) -> Pattern {
    Pattern::Local(Local {
        reach: Reach::MeanDistance(mean),
        include_self: false,
    })
}

fn demand(destinations: &Destinations, source: u32) -> Vec<(u32, f64)> {
    let mut demand = Vec::new();
    destinations.demand(NodeId(source), &mut |node, p| demand.push((node.0, p)));
    demand
}

/// The draws of a source against its demand: all in it, and a chi-square that is not far off.
fn check_draws(destinations: &Destinations, source: u32, what: &str) {
    let demand = demand(destinations, source);
    assert!(demand.is_sorted_by(|a, b| a.0 < b.0), "{what}");
    let sum: f64 = demand.iter().map(|(_, p)| p).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{what}: {sum}");
    let draws = 20_000;
    let mut counts = vec![0.0; demand.len()];
    let streams = Streams::new(12);
    for cycle in 0..draws {
        let mut rng = streams.event(Purpose::Packets, source, cycle);
        let to = destinations.draw(NodeId(source), &mut rng);
        let class = demand.binary_search_by_key(&to.0, |(node, _)| *node);
        counts[class.unwrap_or_else(|_| panic!("{what}: {source} to {to}"))] += 1.0;
    }
    // Rare classes together.
    let (mut chi_square, mut classes, mut rare) = (0.0, 0.0, (0.0, 0.0));
    for (count, (_, p)) in counts.iter().zip(&demand) {
        let expected = draws as f64 * p;
        if expected < 10.0 {
            rare = (rare.0 + count, rare.1 + expected);
            continue;
        }
        chi_square += (count - expected).powi(2) / expected;
        classes += 1.0;
    }
    if rare.1 >= 10.0 {
        chi_square += (rare.0 - rare.1).powi(2) / rare.1;
        classes += 1.0;
    }
    let freedom: f64 = classes - 1.0;
    let limit = freedom + 5.0 * (2.0 * freedom).sqrt() + 10.0;
    assert!(
        chi_square <= limit,
        "{what} from {source}: {chi_square} of {freedom}"
    );
}

fn networks() -> Vec<Network> {
    vec![
        grid(&[5, 4], Ends::Ring),
        grid(&[4, 4], Ends::DirectedRing),
        grid(&[4, 3, 2], Ends::Open),
        grid(&[2, 2, 2, 2], Ends::Open),
        Star::new(4).unwrap().into_network(),
        FatTree::new(16, FatTreeKind::Butterfly)
            .unwrap()
            .into_network(),
        grid(&[9, 4], Ends::Ring).concentrated(2).unwrap(),
    ]
}

/// By node, the hops from `source`: those between routers.
fn hops_from(network: &Network, source: u32) -> Vec<u32> {
    let channels = distances_from(network, NodeId(source)).into_iter();
    let hops = |channels: u32| channels.saturating_sub(network.hops_at_terminals());
    channels.map(hops).collect()
}

#[test]
fn a_radius_reaches_all_that_is_near_and_nothing_else() {
    for network in networks() {
        for radius in 2..6 {
            let local = within(radius).compile(&network).unwrap();
            for source in 0..network.terminals() {
                let hops = hops_from(&network, source);
                let near: Vec<u32> = (0..network.terminals())
                    .filter(|&node| node != source && hops[node as usize] <= radius)
                    .collect();
                let expected: Vec<(u32, f64)> = near
                    .iter()
                    .map(|&node| (node, 1.0 / near.len() as f64))
                    .collect();
                assert_eq!(demand(&local, source), expected);
            }
            check_draws(&local, network.terminals() / 2, "radius");
        }
    }
}

#[test]
fn a_mean_distance_is_that_of_every_source_and_the_law_is_geometric() {
    for network in networks() {
        for mean in [2.0, 2.2] {
            let local = mean_distance(mean).compile(&network).unwrap();
            for source in 0..network.terminals() {
                let hops = hops_from(&network, source);
                let (mut found, mut at) = (0.0, vec![0.0; 20]);
                for (node, p) in demand(&local, source) {
                    found += p * f64::from(hops[node as usize]);
                    at[hops[node as usize] as usize] += p;
                }
                assert!((found - mean).abs() < 1e-9, "{found}, not {mean}");
                // Each step of the same number of hops divides by the same ratio.
                let present: Vec<usize> = (0..20).filter(|&h| at[h] > 0.0).collect();
                for w in present.windows(3) {
                    if w[1] - w[0] == w[2] - w[1] {
                        let (first, second) = (at[w[1]] / at[w[0]], at[w[2]] / at[w[1]]);
                        assert!((first - second).abs() < 1e-9, "{at:?}");
                    }
                }
            }
            check_draws(&local, network.terminals() - 1, "mean distance");
        }
    }
}

#[test]
fn the_ends_of_mean_distances() {
    // On a mesh of 4 × 4 the middle reaches 4 hops: distances 1 to 4 alike are 2.5 in the mean.
    let mesh = grid(&[4, 4], Ends::Open);
    let nearest = mean_distance(1.0).compile(&mesh).unwrap();
    assert_eq!(demand(&nearest, 0), [(1, 0.5), (4, 0.5)]);
    let flat = mean_distance(2.5).compile(&mesh).unwrap();
    assert!(demand(&flat, 5).contains(&(15, 0.25)));
    assert_eq!(
        mean_distance(2.6).compile(&mesh).unwrap_err(),
        PatternError::MeanDistance {
            mean_distance: 2.6,
            origin: 5,
            low: 1.0,
            high: 2.5
        }
    );
    assert!(mean_distance(0.9).compile(&mesh).is_err());
    assert!(mean_distance(f64::NAN).compile(&mesh).is_err());
    // With the source itself at distance 0.
    let own = Pattern::Local(Local {
        reach: Reach::MeanDistance(0.0),
        include_self: true,
    });
    assert_eq!(demand(&own.compile(&mesh).unwrap(), 7), [(7, 1.0)]);
}

#[test]
fn nobody_near_is_refused_with_the_nearest() {
    // Processors of a tree are two hops apart: up to the leaf switch, and down.
    let tree = FatTree::new(16, FatTreeKind::Butterfly)
        .unwrap()
        .into_network();
    let refused = PatternError::NobodyNear {
        origin: 0,
        radius: 1,
        nearest: 2,
    };
    assert_eq!(within(1).compile(&tree).unwrap_err(), refused);
    assert_eq!(demand(&within(2).compile(&tree).unwrap(), 0).len(), 3);
}

#[test]
fn a_large_torus_stores_one_neighbourhood() {
    let torus = grid(&[1024, 1024], Ends::Ring);
    let local = mean_distance(3.0).compile(&torus).unwrap();
    let mut rng = Streams::new(1).event(Purpose::Packets, 5, 5);
    let to = local.draw(NodeId(1023), &mut rng);
    assert!(torus.grid().unwrap().distance(NodeId(1023), to) > 0);
    // All pairs would be 10^12.
    let refused = mean_distance(3.0).compile(&grid(&[1 << 14], Ends::Open));
    assert!(matches!(refused, Err(PatternError::LocalTooLarge { .. })));
}

const SWITCHED: &str = "from,to\na,s\ns,a\nb,s\ns,b\nc,s\ns,c\n\nnode,kind\na,terminal\nb,terminal\nc,terminal\ns,switch\n";

fn switched() -> Network {
    let source = Source {
        file: "net.csv",
        text: SWITCHED,
    };
    parse_csv(source, None).unwrap()
}

#[test]
fn a_permutation_is_read_by_name() {
    let network = switched();
    let parse = |text: &str| {
        let source = Source {
            file: "p.csv",
            text,
        };
        parse_permutation(&network, source).map_err(|error| error.to_string())
    };
    let to = parse("# ring\nsource,destination\na,b\nb,c\nc,a\n").unwrap();
    assert_eq!(*to, [1, 2, 0].map(NodeId));
    let pattern = Pattern::Permutation(to.into());
    let compiled = pattern.compile(&network).unwrap();
    assert_eq!(demand(&compiled, 1), [(2, 1.0)]);
    assert_eq!(compiled.permutation().unwrap()[2], NodeId(0));
    for (text, message) in [
        (
            "source,destination\na,b\nb,x\n",
            "p.csv:3:3: there is no node `x`",
        ),
        (
            "source,destination\na,s\n",
            "p.csv:2:3: `s` is a switch: only terminals send and receive",
        ),
        (
            "source,destination\na,b\nb,c\na,a\n",
            "p.csv:4:1: `a` is a source here again; it is in line 2 already",
        ),
        (
            "source,destination\na,b\nb,a\nc,b\n",
            "p.csv:4:3: `b` is a destination here again; it is in line 2 already (the pattern \
             `matrix` allows that)",
        ),
        (
            "source,destination\na,b\nb,a\n",
            "p.csv: no row has the source `c`: all 3 terminals send, each the same load",
        ),
        (
            "source,to\na,b\n",
            "p.csv:1:8: the permutation has no column `to`; its columns are source, destination",
        ),
        (
            "",
            "p.csv: the file is empty; expected the header `source,destination`",
        ),
    ] {
        assert_eq!(parse(text).unwrap_err(), message);
    }
    let other = pattern.compile(&grid(&[4], Ends::Ring)).unwrap_err();
    assert_eq!(
        other.to_string(),
        "the pattern `permutation` is for 3 terminals; there are 4"
    );
    for bad in [[0, 0, 1], [0, 1, 3]] {
        let pattern = Pattern::Permutation(bad.map(NodeId).to_vec().into());
        assert!(matches!(
            pattern.compile(&network),
            Err(PatternError::NotAPermutation { .. })
        ));
    }
}

#[test]
fn a_matrix_is_read_by_name_and_drawn_as_it_stands() {
    let network = switched();
    let parse = |text: &str| {
        let source = Source {
            file: "m.csv",
            text,
        };
        Matrix::parse(&network, source).map_err(|error| error.to_string())
    };
    let header = "source,destination,weight\n";
    let text = format!("{header}c,a,0.5\na,b,0.75\nb,a,1\na,c,0.25\nc,c,0.5\nc,b,0\n");
    let matrix = parse(&text).unwrap();
    let compiled = Pattern::Matrix(Arc::new(matrix)).compile(&network).unwrap();
    assert_eq!(demand(&compiled, 0), [(1, 0.75), (2, 0.25)]);
    assert_eq!(demand(&compiled, 1), [(0, 1.0)]);
    assert_eq!(demand(&compiled, 2), [(0, 0.5), (2, 0.5)]);
    check_draws(&compiled, 0, "matrix");
    check_draws(&compiled, 1, "matrix");
    // Off by less than the tolerance: normalised.
    assert!(parse(&format!("{header}a,b,1\nb,a,0.9999999\nc,a,1\n")).is_ok());
    for (rows, message) in [
        (
            "a,b,-1\n",
            "m.csv:2:5: `-1` is no weight: expected a number, 0 or more",
        ),
        (
            "a,b,inf\n",
            "m.csv:2:5: `inf` is no weight: expected a number, 0 or more",
        ),
        ("a,b,1\nb,d,1\n", "m.csv:3:3: there is no node `d`"),
        (
            "a,b,0.5\nb,a,1\na,b,0.5\nc,a,1\n",
            "m.csv:4:1: the traffic from `a` to `b` stands here again; it is in line 2 already",
        ),
        (
            "b,a,1\nc,a,0.3\na,b,1\nc,b,0.3\n",
            "m.csv:3:1: the weights of source `c` sum to 0.6, not to 1",
        ),
        (
            "b,a,1\nc,b,1\n",
            "m.csv: no row has the source `a`: all 3 terminals send, each the same load",
        ),
        ("a,b\n", "m.csv:2:1: this row has 2 cells; the header has 3"),
    ] {
        assert_eq!(parse(&format!("{header}{rows}")).unwrap_err(), message);
    }
}

#[test]
fn a_matrix_of_many_uneven_weights_follows_its_demand() {
    let rows: Vec<Vec<(NodeId, f64)>> = (0..40u32)
        .map(|s| {
            let weight = |d: u32| f64::from((s * 7 + d * d) % 23);
            let sum: f64 = (0..40).map(weight).sum();
            (0..40)
                .rev()
                .map(|d| (NodeId(d), weight(d) / sum))
                .collect()
        })
        .collect();
    let matrix = Matrix::new(rows.clone()).unwrap();
    assert_eq!(matrix.terminals(), 40);
    let compiled = Pattern::Matrix(Arc::new(matrix))
        .compile(&grid(&[40], Ends::Ring))
        .unwrap();
    for source in [0, 1, 13, 39] {
        check_draws(&compiled, source, "uneven matrix");
        for (node, p) in demand(&compiled, source) {
            let asked = rows[source as usize][39 - node as usize].1;
            assert!((p - asked).abs() < 1e-15);
        }
    }
    let uneven = Matrix::new(vec![vec![(NodeId(0), 0.5)]]).unwrap_err();
    assert_eq!(
        uneven,
        PatternError::MatrixRow {
            origin: 0,
            sum: 0.5
        }
    );
    assert!(Matrix::new(vec![vec![(NodeId(0), 2.0), (NodeId(0), -1.0)]]).is_err());
    assert!(Matrix::new(vec![vec![(NodeId(1), 1.0)]]).is_err());
}

#[test]
fn a_mixture_sums_its_parts() {
    let network = grid(&[4, 4], Ends::Ring);
    let part = |pattern, weight| MixPart { pattern, weight };
    let hotspot = Pattern::Hotspot(Hotspot {
        nodes: vec![NodeId(5)],
        rates: Vec::new(),
        fraction: 1.0,
        include_self: false,
    });
    let uniform = Pattern::Uniform(Uniform { include_self: true });
    let mix = Pattern::Mix(vec![
        part(uniform, 8.0),
        part(hotspot, 1.0),
        part(Pattern::Transpose(Transpose), 1.0),
    ]);
    let compiled = mix.compile(&network).unwrap();
    // From node 1, at (1, 0): 0.8/16 everywhere, 0.1 more to the hotspot and to (0, 1).
    for (node, p) in demand(&compiled, 1) {
        let expected = 0.05 + if node == 5 || node == 4 { 0.1 } else { 0.0 };
        assert!((p - expected).abs() < 1e-15, "{node}: {p}");
    }
    for source in [1, 5, 15] {
        check_draws(&compiled, source, "mix");
    }
    assert_eq!(compiled.permutation(), None);
    let refusal = |parts: Vec<MixPart>| Pattern::Mix(parts).compile(&network).unwrap_err();
    assert_eq!(refusal(Vec::new()), PatternError::NoParts);
    assert_eq!(
        refusal(vec![part(mix.clone(), 1.0)]),
        PatternError::NestedMix
    );
    for weight in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(
            refusal(vec![part(Pattern::Transpose(Transpose), weight)]),
            PatternError::PartWeight { weight }
        );
    }
}
