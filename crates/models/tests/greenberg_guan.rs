//! Greenberg & Guan's widths and zero-load latencies against numbers computed independently of
//! flitsim, and against the networks.

use flitsim_models::area_universal::*;
use flitsim_topology::cost::{self, UnitCost, pin_out_of_graph};
use flitsim_topology::{FatTree, Grid, properties};

/// Tables 1 to 3, recomputed by a separate program beside what is printed.
const TABLES: &str = include_str!("data/greenberg-guan-tables-1-to-3.csv");

#[test]
fn tables_1_to_3_are_reproduced() {
    let entries = tables().unwrap();
    let mut reader = csv::Reader::from_reader(TABLES.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), entries.len());
    let mut broken = Vec::new();
    for row in &rows {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        let entry = entries.iter().find(|entry| {
            let (table, processors) = (number(0) as u32, number(1) as u32);
            (entry.table, entry.processors, entry.family.name()) == (table, processors, &row[2])
        });
        let entry = entry.unwrap_or_else(|| panic!("{row:?}"));
        assert_eq!((entry.cost, entry.cost), (number(3), number(4)), "{row:?}");
        assert!(
            (entry.exact_width / number(5) - 1.0).abs() < 1e-12,
            "{row:?}"
        );
        assert_eq!(f64::from(entry.nearest_width), number(6), "{row:?}");
        assert_eq!(f64::from(entry.printed_width), number(8), "{row:?}");
        let differs = entry.nearest_width != entry.printed_width;
        assert_eq!(&row[10] != "OK", differs, "{row:?}");
        if differs {
            broken.push((entry.table, entry.family, entry.processors));
        }
    }
    broken.sort_by_key(|&(table, _, processors)| (table, processors));
    assert_eq!(
        broken,
        [
            (2, Family::Hypercube, 4096),
            (3, Family::FatPyramid, 16),
            (3, Family::FatTree, 64),
        ]
    );
}

/// Equal bisection, 320 bits, n = 1024: fat-tree 19.34, mesh 31.33, fat-pyramid at the level of least
/// cost 38.01, hypercube 165.00; ± 0.05.
#[test]
fn zero_load_latencies_at_equal_bisection() {
    for (family, expected) in [
        (Family::FatTree, 19.34),
        (Family::Mesh, 31.33),
        (Family::FatPyramid, 38.01),
        (Family::Hypercube, 165.00),
    ] {
        let width = family.printed_width(Constraint::Bisection, 1024).unwrap();
        let found = zero_load_cycles(family, 1024, MESSAGE_BITS, width).unwrap();
        assert!((found - expected).abs() < 0.05, "{family:?}: {found}");
    }
}

/// 1,024 processors: 496 switches, 1984 links of the fat-tree, 2816 of the fat-pyramid; and the pins
/// that the formulas count too many.
#[test]
fn pins_are_twice_the_links_but_for_the_roots() {
    let tree = FatTree::butterfly(1024).unwrap();
    assert_eq!(tree.switches(), 496);
    for (family, tree, links) in [
        (Family::FatTree, tree, 1984),
        (Family::FatPyramid, FatTree::pyramid(1024).unwrap(), 2816),
    ] {
        assert_eq!(tree.channels(), 2 * links);
        let network = tree.into_network();
        let pins = family.pin_out(1024).unwrap();
        assert_eq!(pins, pin_out_of_graph(&network) as f64 + 32.0);
        assert_eq!(pins, cost::pin_out(&network) as f64);
    } // √n at every size: two ports at each of √n/2 roots.
    for processors in [16u32, 64, 256, 4096] {
        for (family, tree) in [
            (Family::FatTree, FatTree::butterfly(processors).unwrap()),
            (Family::FatPyramid, FatTree::pyramid(processors).unwrap()),
        ] {
            let counted = pin_out_of_graph(&tree.into_network()) as f64;
            let unconnected = family.pin_out(processors).unwrap() - counted;
            assert_eq!(unconnected, f64::from(processors).sqrt(), "{family:?}");
        }
    }
}

/// Every formula against the topology crate, which counts on the graphs.
#[test]
fn closed_forms_are_those_of_the_networks() {
    for processors in [16u32, 64, 256] {
        for family in Family::ALL {
            let side = f64::from(processors).sqrt() as u32;
            let unit = match family {
                Family::Mesh => {
                    let grid = Grid::uniform(side, 2, flitsim_topology::Ends::Open).unwrap();
                    let across = properties::grid_bisection_channels(&grid).unwrap();
                    UnitCost::of(&grid.into_network(), across)
                }
                Family::Hypercube => {
                    let grid = Grid::hypercube(processors.ilog2()).unwrap();
                    let across = properties::grid_bisection_channels(&grid).unwrap();
                    UnitCost::of(&grid.into_network(), across)
                }
                Family::FatTree | Family::FatPyramid => {
                    let tree = match family {
                        Family::FatTree => FatTree::butterfly(processors).unwrap(),
                        _ => FatTree::pyramid(processors).unwrap(),
                    };
                    let across = tree.bisection_channels();
                    UnitCost::of(&tree.into_network(), across)
                }
            };
            assert_eq!(
                family.bisection(processors).unwrap(),
                unit.bisection,
                "{family:?}"
            );
            assert_eq!(
                family.pin_out(processors).unwrap(),
                unit.pin_out,
                "{family:?}"
            );
            assert_eq!(
                family.density(processors).unwrap(),
                unit.density,
                "{family:?}"
            );
        }
    }
}

/// Mean distances by a search on the networks.
#[test]
fn distances_are_those_of_the_networks() {
    for family in Family::ALL {
        let network = match family {
            Family::Mesh => Grid::uniform(8, 2, flitsim_topology::Ends::Open)
                .unwrap()
                .into_network(),
            Family::Hypercube => Grid::hypercube(6).unwrap().into_network(),
            Family::FatTree => FatTree::butterfly(64).unwrap().into_network(),
            Family::FatPyramid => FatTree::pyramid(64).unwrap().into_network(),
        };
        let searched = properties::distances(&network).unwrap().mean_without_self;
        let found = family.mean_distance(64).unwrap();
        assert!(
            (found - searched).abs() < 1e-12,
            "{family:?}: {found} {searched}"
        );
    }
}

/// The bisection's bound on throughput, equal by construction where widths were not rounded.
#[test]
fn the_bisection_bounds_all_alike_at_equal_bisection() {
    let bound = |family: Family| {
        let width = family.exact_width(Constraint::Bisection, 1024).unwrap();
        bisection_bound_bits(family, 1024, width).unwrap()
    };
    for family in Family::ALL {
        assert!((bound(family) - 32.0 * 32.0 * 4.0 * 1023.0 / 1048576.0).abs() < 1e-9);
    }
}
