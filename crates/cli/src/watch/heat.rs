//! The heat map on the screen: nodes and channels at their places, by how full and how busy they are.

use super::control::Value;
use super::map::Map;
use super::screen::{Screen, Tone};
use super::view::View;
use flitsim_topology::{ChannelId, NodeId};

/// Draws the full form from the row `top` on, nodes `pitch` columns apart.
pub fn draw_full(map: &Map, screen: &mut Screen, top: u16, pitch: u16, view: &View<'_>) {
    let margin = u16::from(pitch == Map::PITCHES[0]);
    let place = |x: u32, y: u32| (pitch * x as u16 + margin, top + 2 * y as u16);
    for (node, &(x, y)) in (0..).map(NodeId).zip(&map.places) {
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
    for (lane, &used) in map.lanes.iter().flatten().zip(&view.moment.used) {
        let (x, y) = place(lane.x, lane.y);
        let side = u16::from(!lane.is_up);
        let (x, y) = if lane.is_across {
            (x + 2 + margin + side, y)
        } else {
            (x + side, y + 1)
        };
        screen.set(x, y, digit(used), Tone::Heat(step(used)));
    }
}

/// Draws the short form from the row `top` on into `height` rows: the busiest channel of each place,
/// and beside it what is in its nodes. Returns how many nodes a side of a place has.
pub fn draw_short(
    map: &Map,
    screen: &mut Screen,
    (top, height): (u16, u16),
    view: &View<'_>,
) -> u32 {
    let half = u32::from(screen.width().saturating_sub(2) / 2).max(1);
    let block = map.columns.div_ceil(half);
    let block = block.max(map.rows.div_ceil(u32::from(height.max(1))));
    let (columns, rows) = (map.columns.div_ceil(block), map.rows.div_ceil(block));
    // Characters are about twice as high as wide.
    let wide: u16 = if 2 * columns <= half { 2 } else { 1 };
    let mut most = vec![[None::<f32>; 2]; (columns * rows) as usize];
    let place = |node: NodeId| {
        let (x, y) = map.places[node.index()];
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

fn raise(most: &mut Option<f32>, value: f32) {
    *most = Some(most.map_or(value, |most| most.max(value)));
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
fn step(share: f32) -> u8 {
    // A tenth is a tenth, however it was rounded.
    ((share * 10.0 + 1e-4) as u8).min(9)
}

/// The same as a character: tenths, and a dot where there is nothing at all.
fn digit(share: f32) -> char {
    if share > 0.0 {
        char::from(b'0' + step(share))
    } else {
        '·'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_are_rounded_down_and_nothing_is_a_dot() {
        let shown: String = [0.0, 0.001, 0.1, 0.299, 0.3, 0.95, 1.0]
            .map(digit)
            .iter()
            .collect();
        assert_eq!(shown, "·012399");
    }
}
