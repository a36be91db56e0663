//! Pictures in rows and columns: the tracks of bridges within a row, and where columns and rows are.

use flitsim_topology::draw::Drawing;
use flitsim_topology::{ChannelId, Ends, HyperX, Network, NodeId};

use crate::networks::grid;

/// The bridges over the first row of a HyperX of two dimensions: their ends, and how many tracks are below.
fn tracks(sizes: [u32; 2], parallel: &[u32]) -> Vec<([u32; 2], u32)> {
    let hyperx = HyperX::new(&sizes, parallel).unwrap();
    let drawing = Drawing::of(&hyperx.into_network()).unwrap();
    let place = |node: u32| drawing.nodes[node as usize].place;
    let pitch = place(1).x - place(0).x;
    let mut tracks = Vec::new();
    for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
        let [low, high] = [line.source.0, line.target.0];
        // Neighbours need no bridge; the other way is the same line.
        let is_once = line.opposite.is_none_or(|back| id < back);
        if high >= sizes[0] || low.abs_diff(high) < 2 || !is_once {
            continue;
        }
        let points = line.path.points().into_iter();
        let top = points.map(|point| place(0).y - point.y).fold(0.0, f64::max);
        let track = (top / pitch - 0.45) / 0.16;
        assert!((track - track.round()).abs() < 1e-6, "{track}");
        tracks.push(([low.min(high), low.max(high)], track.round() as u32));
    }
    tracks.sort_unstable();
    tracks
}

/// Those of seven nodes in a row, each joined to each.
fn track_of(ends: [u32; 2]) -> u32 {
    let all = tracks([7, 2], &[]);
    let found = all.iter().find(|(of, _)| *of == ends);
    found.expect("a bridge with these ends").1
}

#[test]
fn bridges_that_only_meet_share_a_track() {
    assert_eq!([[0, 2], [2, 4], [4, 6]].map(track_of), [0, 0, 0]);
}

#[test]
fn bridges_that_would_cross_have_tracks_of_their_own() {
    assert_eq!([[0, 2], [1, 3]].map(track_of), [0, 1]);
    // Over those within them; the last meets the first.
    assert_eq!([[0, 3], [1, 4], [2, 5], [3, 6]].map(track_of), [2, 3, 4, 2]);
    let all = tracks([7, 2], &[]);
    for (i, &([low, high], track)) in all.iter().enumerate() {
        for &([other_low, other_high], other) in &all[i + 1..] {
            let overlap = low < other_high && other_low < high;
            assert!(!overlap || track != other, "{low} {high} {other_low}");
        }
    }
}

#[test]
fn longer_bridges_are_over_shorter_ones() {
    let all = tracks([7, 2], &[]);
    assert_eq!(all.len(), 15);
    for &([low, high], track) in &all {
        let within = all.iter().filter(|&&([other_low, other_high], _)| {
            low <= other_low && other_high <= high && other_high - other_low < high - low
        });
        let highest = within.map(|&(_, other)| other).max();
        assert!(highest.is_none_or(|other| other < track), "{low} {high}");
    }
}

#[test]
fn parallel_bridges_are_side_by_side() {
    assert_eq!(
        tracks([3, 2], &[3, 1]),
        [([0, 2], 0), ([0, 2], 1), ([0, 2], 2)]
    );
}

/// Where the nodes in which only the dimensions from `first` on, every second one, are not 0 stand along an
/// axis, in order: their coordinates in these as one number, the lowest dimension's last, and their places.
fn along(network: &Network, first: usize) -> Vec<(usize, f64)> {
    let drawing = Drawing::of(network).unwrap();
    let grid = network.grid().unwrap();
    let mut places = Vec::new();
    for node in (0..network.nodes()).map(NodeId) {
        let a = grid.coordinates(node);
        if a.iter().skip(1 - first).step_by(2).any(|&a| a > 0) {
            continue;
        }
        let own = (first..a.len()).step_by(2).rev();
        let index = own.fold(0, |index, i| {
            index * grid.radices()[i] as usize + usize::from(a[i])
        });
        let place = drawing.nodes[node.index()].place;
        places.push((index, [place.x, place.y][first]));
    }
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    places
}

/// From each to the next, in pitches.
fn gaps(network: &Network, first: usize) -> Vec<f64> {
    const PITCH: f64 = 58.0;
    let places = along(network, first);
    let gaps = places
        .windows(2)
        .map(|pair| (pair[1].1 - pair[0].1) / PITCH);
    gaps.map(|gap| (gap * 1e6).round() / 1e6).collect()
}

#[test]
fn rows_and_columns_of_hypercubes_count_in_gray_code() {
    for dimensions in 5..=10 {
        let cube = grid(&vec![2; dimensions], Ends::Open);
        for first in [0, 1] {
            for (rank, (code, _)) in along(&cube, first).into_iter().enumerate() {
                assert_eq!(code, rank ^ (rank >> 1), "{dimensions}");
            }
        }
    }
}

#[test]
fn blocks_are_set_apart() {
    // Columns of three in four blocks, rows of two in two; bridges need more than a pitch.
    let four = grid(&[3, 2, 4, 2], Ends::Open);
    let block = [1.07, 1.07, 1.6];
    assert_eq!(gaps(&four, 0), block.repeat(4)[..11]);
    assert_eq!(gaps(&four, 1), [1.27, 1.6, 1.27]);
    let mesh = grid(&[5, 3], Ends::Open);
    assert_eq!(
        (gaps(&mesh, 0), gaps(&mesh, 1)),
        (vec![1.0; 4], vec![1.0; 2])
    );
    let line = grid(&[5], Ends::Open);
    assert_eq!((gaps(&line, 0), gaps(&line, 1)), (vec![1.0; 4], vec![]));
}
