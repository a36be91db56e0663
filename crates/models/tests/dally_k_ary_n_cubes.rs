//! Dally's k-ary n-cubes against numbers computed independently of flitsim, and against the networks.

use flitsim_models::k_ary_n_cube::Cube;
use flitsim_models::k_ary_n_cube::figures::{FIGURE_8_BITS, binary_row_density, figure_8};
use flitsim_models::k_ary_n_cube::latency::{best_dimension, wormhole};
use flitsim_topology::layout::{self, Plane, WireModel, dally};
use flitsim_topology::{Ends, Grid, properties};

/// Figure 8 for a constant wire delay and 150 bits, computed by a separate program.
const FIGURE_8: &str = include_str!("data/dally-figure-8.csv");

#[test]
fn figure_8_is_reproduced() {
    let points = figure_8(FIGURE_8_BITS, WireModel::Constant).unwrap();
    let mut reader = csv::Reader::from_reader(FIGURE_8.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), points.len());
    for (row, point) in rows.iter().zip(points) {
        assert_eq!(&row[0], point.set);
        let found = [
            point.cube.nodes(),
            f64::from(point.cube.dimensions()),
            point.cube.radix(),
            point.cube.channel_width(),
            point.cube.mean_distance(),
            point.aspect_ratio,
            point.latency,
        ];
        for (column, found) in (1..).zip(found) {
            let expected: f64 = row[column].parse().unwrap();
            // 1e-3 is asked for.
            assert!((found / expected - 1.0).abs() < 1e-12, "{row:?}: {found}");
        }
    }
}

/// The minima of figure 8: n = 2: 33.75, n = 4: 47.144, n = 5: 56.25.
#[test]
fn the_minima_of_figure_8() {
    for (nodes, expected) in [
        (256.0, (2, 33.75)),
        (16_384.0, (4, 47.144)),
        (1_048_576.0, (5, 56.25)),
    ] {
        let (n, latency) = best_dimension(nodes, 150.0, WireModel::Constant).unwrap();
        assert_eq!(n, expected.0);
        assert!((latency - expected.1).abs() < 1e-3, "{latency}");
    }
}

/// Longer wires only strengthen the case for low dimensions.
#[test]
fn low_dimensions_win_under_every_wire_delay() {
    for nodes in [256.0, 16_384.0, 1_048_576.0f64] {
        let best = |wires| best_dimension(nodes, 150.0, wires).unwrap().0;
        let constant = best(WireModel::Constant);
        assert!(best(WireModel::Logarithmic) <= constant);
        assert!(best(WireModel::Linear) <= best(WireModel::Logarithmic));
        assert!(constant <= 5 && constant < nodes.log2() as u32);
    }
}

/// Pins a node of 1M nodes: 2048 at n = 2, 128 at n = 4.
#[test]
fn pins() {
    for (n, pins) in [(2, 2048.0), (4, 128.0)] {
        let cube = Cube::of_nodes(1_048_576.0, n).unwrap();
        assert_eq!(cube.pins_per_node(), pins);
    }
}

/// A row of the binary 20-cube: peak 1364, first at cut 341; 1024 in the middle.
#[test]
fn the_row_of_the_binary_20_cube() {
    let row: Vec<u64> = (1..1024)
        .map(|cut| binary_row_density(20, cut).unwrap())
        .collect();
    let peak = *row.iter().max().unwrap();
    let first = row.iter().position(|&wires| wires == peak).unwrap() + 1;
    assert_eq!((peak, first, row[511]), (1364, 341, 1024));
    assert!(peak as f64 * 1024.0 <= Cube::new(2.0, 20).unwrap().density_bound_wires());
    // A torus of as many nodes: two channels of 512 wires, everywhere.
    let torus = Cube::of_nodes(1_048_576.0, 2).unwrap();
    assert_eq!(2.0 * torus.channel_width(), 1024.0);
    assert!(binary_row_density(20, 0).is_err() && binary_row_density(20, 1024).is_err());
    assert!(binary_row_density(19, 1).is_err());
}

#[test]
fn row_densities_are_those_of_the_layout() {
    for dimensions in [2, 4, 6, 10, 12] {
        let radices = vec![2; dimensions as usize];
        let row = Plane::new(&radices, Ends::Open).row_density();
        for (cut, wires) in row.cuts() {
            assert_eq!(
                binary_row_density(dimensions, u64::from(cut)).unwrap(),
                wires
            );
        }
    }
}

/// Widths, bisections, pins, longest wires and bounds against the topology crate.
#[test]
fn closed_forms_are_those_of_the_networks() {
    for (radix, dimensions) in [(4, 2), (8, 2), (4, 4), (6, 2), (2, 4), (2, 6)] {
        let grid = Grid::uniform(radix, dimensions, Ends::DirectedRing).unwrap();
        let cube = Cube::new(f64::from(radix), dimensions).unwrap();
        let distances = properties::grid_distances(&grid);
        assert!((cube.mean_distance() - distances.mean_with_self).abs() < 1e-12);
        // Every row is crossed by so many channels in its middle, and there are √N rows.
        let row = layout::row_density(&grid);
        let rows = cube.nodes().sqrt();
        let middle = rows as u32 / 2;
        let across = rows * row.per_line(middle);
        if radix > 2 {
            assert_eq!(
                cube.bisection_wires(1.0),
                across,
                "{radix}-ary {dimensions}-cube"
            );
        }
        let densest = rows * row.peak_per_line() * cube.channel_width();
        assert!(densest <= cube.density_bound_wires() + 1e-9);
        let (k, nodes) = (cube.radix(), cube.nodes());
        assert_eq!(cube.pins_per_node(), dally::pins_per_node(k, dimensions));
        assert_eq!(
            cube.density_bound_wires(),
            dally::density_bound_wires(nodes, k)
        );
        assert_eq!(
            cube.longest_wire_pitches(),
            dally::longest_wire_pitches(k, dimensions)
        );
        assert_eq!(
            cube.bisection_wires(3.0),
            dally::bisection_wires(nodes, k, 3.0)
        );
        let network = grid.into_network();
        let pins = flitsim_topology::cost::pin_out(&network) as f64 * cube.channel_width();
        assert_eq!(pins / nodes, cube.pins_per_node());
    }
}

/// A directed 16-ary 2-cube, 25 flits: 39.06 hops and flits less 1 to a distinct destination.
#[test]
fn zero_load_of_the_directed_torus() {
    let cube = Cube::new(16.0, 2).unwrap();
    let nodes = cube.nodes();
    let distinct = cube.mean_distance() * nodes / (nodes - 1.0);
    assert!((wormhole(distinct, 25.0) - 1.0 - 39.06).abs() < 0.005);
}
