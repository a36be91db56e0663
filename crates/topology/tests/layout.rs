//! Where nodes and wires lie: the closed forms of folded grids against counts over the built network,
//! the papers' densities, pins and areas, and the invariant that a wire is as long as its ends are
//! apart.

use crate::networks::high_radix;
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::layout::{
    DensityProfile, DensitySource, Layout, Plane, ThompsonArea, WireLengths, column_density, dally,
    layout_density, parhami_kwai, row_density,
};
use flitsim_topology::{
    ChannelId, Ends, ExpressCube, ExpressParameters, FatTree, Grid, Network, NodeId, SparseTorus,
    Star, Thinning,
};
use std::collections::BTreeSet;

const ENDS: [Ends; 3] = [Ends::Open, Ends::Ring, Ends::DirectedRing];

/// Odd and even radices, mixed ones, one to five dimensions.
const RADICES: [&[u32]; 11] = [
    &[2],
    &[7],
    &[8],
    &[5, 5],
    &[6, 4],
    &[3, 2, 4],
    &[4, 4, 4],
    &[5, 3, 2, 4],
    &[2; 5],
    &[2; 6],
    &[3, 2, 5, 2, 2],
];

fn grid(radices: &[u32], ends: Ends) -> Grid {
    Grid::new(radices, ends).unwrap()
}

fn sparse_torus(radix: u32, dimensions: u32, thinning: Thinning) -> Network {
    let torus = SparseTorus::new(radix, dimensions, thinning).unwrap();
    torus.into_network()
}

fn express_cube(radix: u32, dimensions: u32, interval: u32, levels: u32) -> Network {
    let parameters = ExpressParameters::new(radix, dimensions, interval, levels);
    ExpressCube::new(parameters).unwrap().into_network()
}

/// A few networks of every family.
fn every_family() -> Vec<Network> {
    let mut networks = Vec::new();
    for radices in RADICES {
        networks.extend(ENDS.map(|ends| grid(radices, ends).into_network()));
    }
    networks.extend([
        sparse_torus(4, 2, Thinning::Manhattan),
        sparse_torus(4, 3, Thinning::Pruned),
        sparse_torus(2, 3, Thinning::Pruned),
        sparse_torus(6, 3, Thinning::PrunedManhattan),
        sparse_torus(6, 4, Thinning::Pruned),
        express_cube(16, 1, 4, 2),
        express_cube(9, 2, 2, 3),
        FatTree::butterfly(4).unwrap().into_network(),
        FatTree::butterfly(256).unwrap().into_network(),
        FatTree::pyramid(256).unwrap().into_network(),
    ]);
    networks.extend(high_radix().into_iter().map(|(_, network)| network));
    networks.extend((2..=6).map(|symbols| Star::new(symbols).unwrap().into_network()));
    networks
}

/// Channels of `network` across the line at cut − 1/2 of an axis, by looking at each.
fn channels_across(network: &Network, layout: &Layout, axis: usize, cut: u32) -> u64 {
    let line = cut as f32 - 0.5;
    let behind = |node: NodeId| layout.places_pitches()[node.index()][axis] >= line;
    let channels = (0..network.channels()).map(ChannelId);
    let crossing = channels.filter(|&c| behind(network.source(c)) != behind(network.target(c)));
    crossing.count() as u64
}

#[test]
fn a_wire_is_as_long_as_its_ends_are_apart() {
    for network in every_family() {
        let layout = Layout::of(&network).unwrap();
        let places = layout.places_pitches();
        assert_eq!(places.len(), network.nodes() as usize);
        for channel in (0..network.channels()).map(ChannelId) {
            let [a, b] = places[network.source(channel).index()];
            let [c, d] = places[network.target(channel).index()];
            let apart = (a - c).abs() + (b - d).abs();
            assert_eq!(network.length_pitches(channel), apart);
        }
    }
}

#[test]
fn terminals_fill_the_rows_and_columns() {
    for network in every_family() {
        let layout = Layout::of(&network).unwrap();
        let (columns, rows) = (layout.columns(), layout.rows());
        assert_eq!(columns * rows, network.terminals());
        let places = &layout.places_pitches()[..network.terminals() as usize];
        let taken: BTreeSet<[u32; 2]> = places.iter().map(|p| p.map(|a| a as u32)).collect();
        assert_eq!(taken.len() as u32, network.terminals());
        assert!(taken.iter().all(|&[x, y]| x < columns && y < rows));
        assert!(!layout.description().is_empty());
    }
}

#[test]
fn profiles_count_what_crosses_every_cut() {
    for network in every_family() {
        let layout = Layout::of(&network).unwrap();
        let profiles = [
            layout.row_density(&network),
            layout.column_density(&network),
        ];
        let lines = [layout.rows(), layout.columns()];
        for (axis, profile) in profiles.iter().enumerate() {
            assert_eq!(profile.lines(), u64::from(lines[axis]));
            assert_eq!(profile.cuts().len() as u32, lines[1 - axis] - 1);
            let mut peak = None;
            for (cut, across) in profile.cuts() {
                assert_eq!(across, channels_across(&network, &layout, axis, cut));
                assert_eq!(across, profile.across(cut));
                if peak.is_none_or(|(_, most)| across > most) {
                    peak = Some((cut, across));
                }
            }
            assert_eq!(profile.peak(), peak);
            assert_eq!((profile.across(0), profile.across(lines[1 - axis])), (0, 0));
        }
    }
}

#[test]
fn every_row_of_a_grid_has_the_density_of_the_closed_form() {
    let times = |profile: &DensityProfile, lines: u64| -> Vec<(u32, u64)> {
        let cuts = profile.cuts();
        cuts.map(|(cut, channels)| (cut, channels * lines))
            .collect()
    };
    for radices in RADICES {
        for ends in ENDS {
            let grid = grid(radices, ends);
            let (of_row, of_column) = (row_density(&grid), column_density(&grid));
            let plane = Plane::of(&grid);
            let network = grid.into_network();
            let layout = Layout::of(&network).unwrap();
            let rows = layout.row_density(&network);
            assert!(
                rows.cuts().eq(times(&of_row, plane.rows())),
                "{radices:?} {ends:?}"
            );
            let columns = layout.column_density(&network);
            let expected = times(&of_column, plane.columns());
            assert!(columns.cuts().eq(expected), "{radices:?} {ends:?}");
            // Not only together: the first row by itself.
            for (cut, across) in of_row.cuts() {
                let line = cut as f32 - 0.5;
                let place = |node: NodeId| layout.places_pitches()[node.index()];
                let found = (0..network.channels()).map(ChannelId).filter(|&c| {
                    let (a, b) = (place(network.source(c)), place(network.target(c)));
                    (a[1], b[1]) == (0.0, 0.0) && (a[0] < line) != (b[0] < line)
                });
                assert_eq!(found.count() as u64, across);
            }
        }
    }
}

/// Dally, section 5 and figure 6.
#[test]
fn a_row_of_the_binary_20_cube_is_as_dense_as_in_the_paper() {
    for ends in ENDS {
        let plane = Plane::new(&[2; 20], ends);
        assert_eq!((plane.columns(), plane.rows()), (1024, 1024));
        let row = plane.row_density();
        assert_eq!(row.peak(), Some((341, 1364)));
        assert_eq!(row.across(512), 1024);
        assert_eq!((row.across(1), row.across(1023)), (20, 20));
        assert_eq!(plane.column_density(), row);
        // Greenberg & Guan's formula counts links: n = 4^10, (2^12 − 1 − 3) / 6.
        assert_eq!(row.peak_per_line() / 2.0, 682.0);
    }
}

/// Dally, section 5: "a two-dimensional torus has a wire density of 1024 independent of position".
#[test]
fn a_torus_of_as_many_nodes_is_as_dense_everywhere() {
    let row = Plane::new(&[1024; 2], Ends::DirectedRing).row_density();
    let width = dally::channel_width(1024.0);
    assert_eq!(row.cuts().len(), 1023);
    assert!(
        row.cuts()
            .all(|(_, channels)| channels as f64 * width == 1024.0)
    );
    let two_way = Plane::new(&[1024; 2], Ends::Ring).row_density();
    assert!(two_way.cuts().all(|(_, channels)| channels == 4));
    let mesh = Plane::new(&[1024; 2], Ends::Open).row_density();
    assert!(mesh.cuts().all(|(_, channels)| channels == 2));
}

/// Dally, equations 6, 7, 8, 9 and 13, with a million nodes.
#[test]
fn equal_bisection_is_the_arithmetic_of_the_paper() {
    let nodes = f64::from(1 << 20);
    for (dimensions, pins) in [(2, 2048.0), (4, 128.0), (10, 40.0), (20, 40.0)] {
        let radix = dally::radix(nodes, dimensions);
        assert_eq!(radix.powi(dimensions as i32), nodes);
        assert_eq!(dally::pins_per_node(radix, dimensions), pins);
        let width = dally::channel_width(radix);
        assert_eq!(dally::bisection_wires(nodes, radix, width), nodes);

        let radices = vec![radix as u32; dimensions as usize];
        let plane = Plane::new(&radices, Ends::DirectedRing);
        let rows = plane.rows() as f64;
        let row = plane.row_density();
        let middle = row.across(plane.columns() as u32 / 2) as f64;
        assert_eq!(
            middle * rows * width,
            nodes,
            "the bisection is what the layout has"
        );
        let densest = row.peak_per_line() * rows * width;
        let bound = dally::density_bound_wires(nodes, radix);
        assert!(densest <= bound && bound < radix / (radix - 1.0) * nodes);

        let highest = dimensions as usize / 2 - 1;
        let stretch = f64::from(plane.wire_pitches(highest, 0, 1))
            / dally::longest_wire_pitches(radix, dimensions);
        assert_eq!(stretch, if radix > 2.0 { 2.0 } else { 1.0 });
    }
    // A radix that is not whole, as for n = 5 in figure 8.
    let radix = dally::radix(nodes, 3);
    assert!((radix.powi(3) - nodes).abs() < 1e-6 * nodes && radix.fract() != 0.0);
}

#[test]
fn rings_are_folded_and_higher_dimensions_stretched() {
    // 0 1 2 3 4 stand as 0 4 1 3 2.
    let ring = grid(&[5], Ends::Ring).into_network();
    let columns: Vec<f32> = Layout::of(&ring)
        .unwrap()
        .places_pitches()
        .iter()
        .map(|p| p[0])
        .collect();
    assert_eq!(columns, [0.0, 2.0, 4.0, 3.0, 1.0]);

    let counts =
        |radices: &[u32], ends| WireLengths::of(&grid(radices, ends).into_network()).counts;
    assert_eq!(counts(&[8, 8], Ends::Open), [(1.0, 224)]);
    // Dimension 1 lies along x too, beyond dimension 0; dimension 2 lies along y alone.
    assert_eq!(counts(&[4, 4, 4], Ends::Open), [(1.0, 192), (4.0, 96)]);
    // Of eight links of a ring two are one place long: where it turns.
    assert_eq!(counts(&[8, 8], Ends::Ring), [(1.0, 64), (2.0, 192)]);
    assert_eq!(counts(&[8, 8], Ends::DirectedRing), [(1.0, 32), (2.0, 96)]);
    let of_each = 64;
    let cube = counts(&[2; 6], Ends::Open);
    assert_eq!(
        cube,
        [(1.0, 2 * of_each), (2.0, 2 * of_each), (4.0, 2 * of_each)]
    );
    assert_eq!(counts(&[2; 6], Ends::Ring), cube);
}

#[test]
fn a_thinned_out_torus_has_the_wires_of_the_full_one_that_it_keeps() {
    for (thinning, share) in [
        (Thinning::Pruned, 0.5),
        (Thinning::Manhattan, 0.5),
        (Thinning::PrunedManhattan, 0.25),
    ] {
        let full = grid(&[8, 8, 8], Ends::Ring).into_network();
        let thin = sparse_torus(8, 3, thinning);
        let (of_full, of_thin) = (Layout::of(&full).unwrap(), Layout::of(&thin).unwrap());
        assert_eq!(of_full.places_pitches(), of_thin.places_pitches());
        for channel in (0..thin.channels()).map(ChannelId) {
            let (source, target) = (thin.source(channel), thin.target(channel));
            let same = full
                .outgoing(source)
                .map(ChannelId)
                .find(|&c| full.target(c) == target);
            assert_eq!(
                thin.length_pitches(channel),
                full.length_pitches(same.unwrap())
            );
        }
        // In the middle only the highest dimension of the axis crosses, which thinning cuts down as
        // it does the bisection (table 1 of the paper).
        let middles = [
            (of_full.row_density(&full), of_thin.row_density(&thin), 32),
            (
                of_full.column_density(&full),
                of_thin.column_density(&thin),
                4,
            ),
        ];
        for (of_full, of_thin, cut) in middles {
            assert_eq!(of_full.across(cut), 256);
            assert_eq!(of_thin.across(cut) as f64, share * 256.0);
        }
    }
}

#[test]
fn lengths_are_summed_up() {
    let text = "from,to,length\n0,1,0.5\n1,0,-0\n1,2,3\n2,1,3\n2,0,100000\n0,2,4096.25\n";
    let network = parse_csv(
        Source {
            file: "net.csv",
            text,
        },
        None,
    )
    .unwrap();
    let lengths = WireLengths::of(&network);
    let counts = [(0.0, 1), (0.5, 1), (3.0, 2), (4096.25, 1), (100_000.0, 1)];
    assert_eq!(lengths.counts, counts);
    assert_eq!((lengths.min_pitches, lengths.max_pitches), (0.0, 100_000.0));
    assert_eq!(lengths.total_pitches, 104_102.75);
    assert_eq!(lengths.mean_pitches, 104_102.75 / 6.0);
    assert_eq!(Layout::of(&network), None);
    assert_eq!(ThompsonArea::of(&network), None);
    assert_eq!(layout_density(&network), None);

    let pyramid = FatTree::pyramid(256).unwrap().into_network();
    let lengths = WireLengths::of(&pyramid);
    let (total, channels) = lengths
        .counts
        .iter()
        .fold((0.0, 0), |(total, channels), &(l, n)| {
            (total + f64::from(l) * n as f64, channels + n)
        });
    assert_eq!(
        (total, channels),
        (lengths.total_pitches, u64::from(pyramid.channels()))
    );
}

/// The cut in the middle is the bisection of the closed forms (Greenberg & Guan, section 3.1).
#[test]
fn the_middle_cut_of_a_tree_is_its_bisection() {
    for tree in [FatTree::butterfly(256), FatTree::pyramid(256)] {
        let network = tree.unwrap().into_network();
        let tree = network.fat_tree().unwrap();
        let layout = Layout::of(&network).unwrap();
        let middle = layout.columns() / 2;
        assert_eq!(
            layout.row_density(&network).across(middle),
            tree.bisection_channels()
        );
        assert_eq!(
            layout.column_density(&network).across(middle),
            tree.bisection_channels()
        );
    }
}

/// Greenberg & Guan, section 3.3.
#[test]
fn the_densities_that_papers_give_are_those_of_the_layout() {
    for levels in 1..=6 {
        let row = 1u32 << levels;
        let mesh = grid(&[row, row], Ends::Open).into_network();
        let cube = Grid::hypercube(2 * levels).unwrap().into_network();
        let source = match row {
            2 => DensitySource::Hypercube,
            _ => DensitySource::Mesh,
        };
        for (network, source) in [(mesh, source), (cube, DensitySource::Hypercube)] {
            let density = layout_density(&network).unwrap();
            assert_eq!(density.source, source);
            let area = ThompsonArea::of(&network).unwrap();
            assert_eq!(area, ThompsonArea::of_layout(&network).unwrap());
            assert_eq!(area.side(), f64::from(row) * density.wires);
            assert_eq!(area.area(), area.side() * area.side());
        }
    }
    let torus = layout_density(&grid(&[6, 6], Ends::Ring).into_network()).unwrap();
    assert_eq!(
        (torus.wires, torus.source),
        (2.0, DensitySource::FoldedCube)
    );
    let one_way = layout_density(&grid(&[6, 6], Ends::DirectedRing).into_network()).unwrap();
    assert_eq!(one_way.wires, 1.0);
    let tree = FatTree::butterfly(1024).unwrap().into_network();
    assert_eq!(layout_density(&tree).unwrap().wires, 5.0);
    assert_eq!(ThompsonArea::of(&tree).unwrap().side(), 32.0 * 5.0);
    let pyramid = FatTree::pyramid(1024).unwrap().into_network();
    assert_eq!(layout_density(&pyramid).unwrap().wires, 7.5);
    assert!(
        layout_density(&pyramid)
            .unwrap()
            .source
            .text()
            .contains("3/2 log4 n")
    );
}

#[test]
fn no_paper_gives_the_density_of_other_networks() {
    let none = [
        grid(&[4, 8], Ends::Open).into_network(),
        grid(&[4, 4, 4, 4], Ends::Open).into_network(),
        grid(&[4, 4, 4], Ends::Ring).into_network(),
        grid(&[2; 5], Ends::Open).into_network(),
        sparse_torus(4, 3, Thinning::Pruned),
        express_cube(8, 2, 2, 1),
        Star::new(4).unwrap().into_network(),
    ];
    for network in none {
        assert_eq!(layout_density(&network), None);
        assert!(ThompsonArea::of(&network).unwrap().area() > 0.0);
    }
}

#[test]
fn an_area_is_as_wide_and_high_as_the_densest_cuts_ask_for() {
    let sides = |network: Network| {
        let area = ThompsonArea::of(&network).unwrap();
        (area.width_wire_pitches, area.height_wire_pitches)
    };
    // Rows of 8 nodes hold 5 links, columns of 4 nodes 2.
    assert_eq!(
        sides(grid(&[2; 5], Ends::Open).into_network()),
        (16.0, 20.0)
    );
    assert_eq!(
        sides(grid(&[16, 4], Ends::Open).into_network()),
        (16.0, 4.0)
    );
    // A row by itself is as wide as its nodes are many.
    assert_eq!(sides(grid(&[9], Ends::Ring).into_network()), (9.0, 2.0));
    // A line of 16 nodes with level-1 express channels: two links across a cut.
    assert_eq!(sides(express_cube(16, 1, 4, 1)), (16.0, 2.0));
}

/// Parhami & Kwai, section 4.E and figure 6.
#[test]
fn pruning_saves_more_room_than_wider_links_take() {
    assert_eq!(parhami_kwai::torus_volume(4), 512.0);
    let pruned = Thinning::Pruned;
    assert_eq!(
        parhami_kwai::room_share(pruned),
        Some(1.0 / (2.0 * 4.0 / 3.0))
    );
    assert_eq!(parhami_kwai::volume(pruned, 4), Some(192.0));
    assert_eq!(parhami_kwai::width_factor(pruned), Some(1.5));
    assert_eq!(
        parhami_kwai::room_share_at_equal_pins(pruned, 1),
        Some(9.0 / 16.0)
    );
    assert_eq!(
        parhami_kwai::room_share_at_equal_pins(pruned, 2),
        Some(27.0 / 32.0)
    );
    for one_way in [Thinning::Manhattan, Thinning::PrunedManhattan] {
        assert_eq!(parhami_kwai::room_share(one_way), None);
        assert_eq!(parhami_kwai::volume(one_way, 4), None);
        assert_eq!(parhami_kwai::room_share_at_equal_pins(one_way, 2), None);
    }
}

#[test]
fn express_cubes_of_three_dimensions_keep_the_lengths_of_three_directions() {
    let network = express_cube(4, 3, 2, 1);
    let lengths = WireLengths::of(&network);
    assert_eq!((lengths.min_pitches, lengths.max_pitches), (0.0, 1.0));
    let layout = Layout::of(&network).unwrap();
    assert_eq!((layout.columns(), layout.rows()), (16, 4));
}

#[test]
#[should_panic(expected = "no grid has the radices")]
fn a_plane_beyond_all_networks_is_refused() {
    Plane::new(&[2; 32], Ends::Open);
}
