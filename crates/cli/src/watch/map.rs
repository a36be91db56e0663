//! The heat map of a network of one or two dimensions: where nodes and channels stand on the screen.
//!
//! In full, a node is a number of two digits, in brackets where there is room for them, with the channels
//! to its right neighbour and back to its right, those to its lower neighbour and back below. Where there is not room for that, a place is a node, or a
//! block of nodes, and shows the busiest channel that leaves it.

use super::control::Value;
use super::render::View;
use super::screen::{Screen, Tone};
use flitsim_topology::{ChannelId, Network, NodeId};

/// Where a channel stands: beside the node at `x`, `y`, in one of the two columns there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lane {
    x: u32,
    y: u32,
    /// To the right of the node, or else below it.
    is_across: bool,
    /// Towards higher coordinates, or round from the last to the first.
    is_up: bool,
}

/// Places of nodes and channels.
#[derive(Clone, Debug)]
pub struct Map {
    columns: u32,
    rows: u32,
    /// By node.
    places: Vec<(u32, u32)>,
    /// By channel, where all of them join neighbours; `None` where only the short form shows the network.
    lanes: Option<Vec<Lane>>,
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
    const PITCHES: [u16; 2] = [6, 4];

    /// The widest form of all that fits `width` columns and `height` rows, as columns from node to node.
    pub(super) fn pitch(&self, width: u16, height: u16) -> Option<u16> {
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

    /// Draws the full form from the row `top` on, nodes `pitch` columns apart.
    pub(super) fn draw_full(&self, screen: &mut Screen, top: u16, pitch: u16, view: &View<'_>) {
        let margin = u16::from(pitch == Self::PITCHES[0]);
        let place = |x: u32, y: u32| (pitch * x as u16 + margin, top + 2 * y as u16);
        for (node, &(x, y)) in (0..).map(NodeId).zip(&self.places) {
            let (amount, share) = node_value(view, node);
            let text = match amount {
                0 => " ·".to_owned(),
                1..=99 => format!("{amount:2}"),
                _ => "++".to_owned(),
            };
            let (x, y) = place(x, y);
            if margin > 0 {
                screen.set(x - 1, y, '[', Tone::Plain);
                screen.set(x + 2, y, ']', Tone::Plain);
            }
            screen.text(x, y, &text, Tone::Heat(step(share)));
        }
        for (lane, &used) in self.lanes.iter().flatten().zip(&view.moment.used) {
            let (x, y) = place(lane.x, lane.y);
            let side = u16::from(!lane.is_up);
            let (x, y) = match lane.is_across {
                true => (x + 2 + margin + side, y),
                false => (x + side, y + 1),
            };
            screen.set(x, y, digit(used), Tone::Heat(step(used)));
        }
    }

    /// Draws the short form from the row `top` on into `height` rows: the busiest channel of each place,
    /// and beside it what is in its nodes. Returns how many nodes a side of a place has.
    pub(super) fn draw_short(
        &self,
        screen: &mut Screen,
        (top, height): (u16, u16),
        view: &View<'_>,
    ) -> u32 {
        let half = u32::from(screen.width().saturating_sub(2) / 2).max(1);
        let block = self.columns.div_ceil(half);
        let block = block.max(self.rows.div_ceil(u32::from(height.max(1))));
        let (columns, rows) = (self.columns.div_ceil(block), self.rows.div_ceil(block));
        // Characters are about twice as high as wide.
        let wide: u16 = if 2 * columns <= half { 2 } else { 1 };
        let mut most = vec![[None::<f32>; 2]; (columns * rows) as usize];
        let place = |node: NodeId| {
            let (x, y) = self.places[node.index()];
            (y / block * columns + x / block) as usize
        };
        let network = view.network;
        for (channel, &used) in (0..).map(ChannelId).zip(&view.moment.used) {
            raise(&mut most[place(network.source(channel))][0], used);
        }
        for node in (0..network.nodes()).map(NodeId) {
            raise(&mut most[place(node)][1], node_value(view, node).1);
        }
        let second = columns as u16 * wide + 2;
        for (i, values) in most.iter().enumerate() {
            let (x, y) = (i as u32 % columns, i as u32 / columns);
            for (share, left) in values.iter().zip([0, second]) {
                let Some(share) = *share else { continue };
                let x = left + x as u16 * wide;
                for column in 0..wide {
                    let character = if column == 0 { digit(share) } else { ' ' };
                    screen.set(
                        x + column,
                        top + y as u16,
                        character,
                        Tone::Heat(step(share)),
                    );
                }
            }
        }
        block
    }
}

fn raise(most: &mut Option<f32>, value: f32) {
    *most = Some(most.map_or(value, |most| most.max(value)));
}

/// Where a channel between these places stands; `None` where they are not neighbours on a line or round it.
fn lane(ends: [(u32, u32); 2], (columns, rows): (u32, u32)) -> Option<Lane> {
    let [(x, y), (to_x, to_y)] = ends;
    let is_across = match (x == to_x, y == to_y) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let (from, to, length) = match is_across {
        true => (x, to_x, columns),
        false => (y, to_y, rows),
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

/// What a node shows, and its share of the scale.
fn node_value(view: &View<'_>, node: NodeId) -> (u32, f32) {
    match view.control.value {
        Value::Buffers => {
            let flits = view.moment.buffered[node.index()];
            let room = view.room_flits(node).max(1);
            (flits, (flits as f32 / room as f32).min(1.0))
        }
        // A queue has no end: each step of the scale is twice the one before.
        Value::Queues => {
            let packets = view.moment.queued[node.index()];
            let steps = u32::BITS - packets.leading_zeros();
            (packets, (steps as f32 / 10.0).min(1.0))
        }
    }
}

/// The step of the scale of heat of a share.
pub(super) fn step(share: f32) -> u8 {
    // A tenth is a tenth, however it was rounded.
    ((share * 10.0 + 1e-4) as u8).min(9)
}

/// The same as a character: tenths, and a dot where there is nothing at all.
fn digit(share: f32) -> char {
    match share > 0.0 {
        true => char::from(b'0' + step(share)),
        false => '·',
    }
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

    #[test]
    fn tenths_are_rounded_down_and_nothing_is_a_dot() {
        let shown: String = [0.0, 0.001, 0.1, 0.299, 0.3, 0.95, 1.0]
            .map(digit)
            .iter()
            .collect();
        assert_eq!(shown, "·012399");
    }
}
