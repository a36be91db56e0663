//! The places of nodes and channels in the heat map of a network of one or two dimensions.
//!
//! In full, a node is a number of two digits, in brackets where there is room for them; the two channels
//! between it and its right neighbour stand to its right, those between it and its lower neighbour
//! below. Where there is not room for that, a place is a node or a block of nodes and shows the
//! busiest channel that leaves it.

use flitsim_topology::{ChannelId, Network, NodeId};

/// Where a channel stands: beside the node at `x`, `y`, in one of the two columns there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub x: u32,
    pub y: u32,
    /// To the right of the node, or else below it.
    pub is_across: bool,
    /// Towards higher coordinates, or round from the last to the first.
    pub is_up: bool,
}

/// Places of nodes and channels.
#[derive(Clone, Debug)]
pub struct Map {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// By node.
    pub(super) places: Vec<(u32, u32)>,
    /// By channel, where all of them join neighbours; `None` where only the short form shows the network.
    pub(super) lanes: Option<Vec<Lane>>,
}

impl Map {
    /// The map of `network`; `None` where it has not one or two dimensions.
    pub fn of(network: &Network) -> Option<Self> {
        let at = |coordinates: &[u16]| {
            let coordinate = |i| coordinates.get(i).copied().map_or(0, u32::from);
            (coordinate(0), coordinate(1))
        };
        let nodes = (0..network.nodes()).map(NodeId);
        // An interchange is drawn with the node above it.
        let places = nodes.map(|node| network.whole().coordinates(node));
        let places = places.map(|place| place.filter(|place| place.len() <= 2).map(at));
        let places: Vec<(u32, u32)> = places.collect::<Option<_>>()?;
        let columns = 1 + places.iter().map(|&(x, _)| x).max()?;
        let rows = 1 + places.iter().map(|&(_, y)| y).max()?;
        let place = |node: NodeId| places[node.index()];
        let lanes = (0..network.channels()).map(ChannelId).map(|channel| {
            let ends = [network.source(channel), network.target(channel)];
            lane(ends.map(place), (columns, rows))
        });
        Some(Self {
            columns,
            rows,
            lanes: lanes.collect(),
            places,
        })
    }

    /// Columns from node to node in the full form: with brackets around nodes, and without.
    pub(super) const PITCHES: [u16; 2] = [6, 4];

    /// The widest form of all that fits `width` columns and `height` rows, as columns from node to node.
    pub fn pitch(&self, width: u16, height: u16) -> Option<u16> {
        let fits = |&pitch: &u16| {
            let size = self.full_size(pitch);
            size.is_some_and(|(w, h)| w <= u32::from(width) && h <= u32::from(height))
        };
        Self::PITCHES.into_iter().find(fits)
    }

    /// Columns and rows of the screen that the full form takes; `None` where there is none.
    fn full_size(&self, pitch: u16) -> Option<(u32, u32)> {
        let lanes = self.lanes.as_ref()?;
        let wraps = |across: bool, last: u32| {
            let mut on_axis = lanes.iter().filter(|lane| lane.is_across == across);
            on_axis.any(|lane| {
                if across {
                    lane.x == last
                } else {
                    lane.y == last
                }
            })
        };
        let ring = if wraps(true, self.columns - 1) { 0 } else { 2 };
        let width = u32::from(pitch) * self.columns - ring;
        let height = 2 * self.rows - u32::from(!wraps(false, self.rows - 1));
        Some((width, height))
    }
}

/// Where a channel between these places stands; `None` where they are not neighbours on a line or round it.
fn lane(ends: [(u32, u32); 2], (columns, rows): (u32, u32)) -> Option<Lane> {
    let [(x, y), (to_x, to_y)] = ends;
    let is_across = match (x == to_x, y == to_y) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let (from, to, length) = if is_across {
        (x, to_x, columns)
    } else {
        (y, to_y, rows)
    };
    let (is_up, lower) = if to == from + 1 || (from + 1 == length && to == 0 && length > 2) {
        (true, from)
    } else if from == to + 1 || (to + 1 == length && from == 0 && length > 2) {
        (false, to)
    } else {
        return None;
    };
    let (x, y) = if is_across { (lower, y) } else { (x, lower) };
    Some(Lane {
        x,
        y,
        is_across,
        is_up,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::{Ends, Grid, Star};

    fn map(radices: &[u32], ends: Ends) -> Option<Map> {
        Map::of(&Grid::new(radices, ends).unwrap().into_network())
    }

    #[test]
    fn every_channel_of_a_grid_has_a_place_of_its_own() {
        for (radices, ends, size) in [
            (vec![8, 8], Ends::Ring, (32, 16)),
            (vec![8, 8], Ends::Open, (30, 15)),
            (vec![5, 3], Ends::DirectedRing, (20, 6)),
            (vec![2, 2], Ends::Ring, (6, 3)),
            (vec![6], Ends::Ring, (24, 1)),
        ] {
            let map = map(&radices, ends).unwrap();
            assert_eq!(map.full_size(4), Some(size), "{radices:?} {ends:?}");
            let (width, height) = (size.0 as u16, size.1 as u16);
            assert_eq!(map.pitch(width, height), Some(4));
            assert_eq!(map.pitch(2 * width, height), Some(6));
            assert_eq!(map.pitch(width - 1, height), None);
            let lanes = map.lanes.unwrap();
            for (i, lane) in lanes.iter().enumerate() {
                assert!(
                    !lanes[..i].contains(lane),
                    "{radices:?} {ends:?}: {lane:?} twice"
                );
            }
        }
    }

    #[test]
    fn three_dimensions_and_stars_have_no_map() {
        assert!(map(&[4, 4, 4], Ends::Ring).is_none());
        assert!(Map::of(&Star::new(4).unwrap().into_network()).is_none());
    }
}
