//! Pictures of networks as data: the places and lines that `flitsim topology --format svg` draws, for
//! the page to colour by load; and numbers by channel in little room.
//!
//! Invariant: a channel that is drawn as a straight line from node to node has no path of its own, and
//! of the two channels of a link only the first has one.

use flitsim_topology::draw::{ChannelLine, Drawing, NodeKind, Path, Piece, Point};
use flitsim_topology::{ChannelId, Network, NodeId};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The most channels that a browser colours without a wait.
const CHANNELS_MOST: u32 = 12_000;

/// The most bytes that all pictures of a page take together.
pub const BYTES_MOST: usize = 800_000;

/// The picture of `network`.
///
/// # Errors
/// Why it is not drawn, as the end of a sentence.
pub fn picture(network: &Network, room: usize) -> Result<Value, String> {
    let (nodes, channels) = (network.nodes(), network.channels());
    let size = format!("{nodes} nodes and {channels} channels");
    if channels > CHANNELS_MOST {
        return Err(format!("with {size} it is too large to be told apart"));
    }
    let drawing = Drawing::of(network)
        .map_err(|_| format!("with {size} it is too large to be told apart"))?;
    let value = encode(&drawing);
    if value.to_string().len() <= room {
        Ok(value)
    } else {
        Err("the page has no room for another picture".to_owned())
    }
}

fn encode(drawing: &Drawing) -> Value {
    let nodes = &drawing.nodes;
    let kind = |kind| match kind {
        NodeKind::Terminal => 't',
        NodeKind::Switch => 's',
        NodeKind::Interchange => 'i',
    };
    let kinds: String = nodes.iter().map(|node| kind(node.kind)).collect();
    let numbered = nodes.iter().enumerate();
    let are_numbers = numbered
        .clone()
        .all(|(i, node)| node.label == i.to_string());
    let texts = |of: fn(&flitsim_topology::draw::NodeMark) -> &str| {
        let is_any = nodes.iter().any(|node| !of(node).is_empty());
        is_any.then(|| nodes.iter().map(of).collect::<Vec<_>>())
    };
    let mut paths = Map::new();
    for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
        if line.opposite.is_none_or(|opposite| id < opposite) && !is_straight(drawing, line) {
            paths.insert(id.0.to_string(), data(&line.path).into());
        }
    }
    let end = |of: fn(&ChannelLine) -> NodeId| -> Vec<u32> {
        drawing.channels.iter().map(|line| of(line).0).collect()
    };
    // The other channel of its link, where there is one and it comes later: -1 elsewhere.
    let partner = |(id, line): (ChannelId, &ChannelLine)| match line.opposite {
        Some(opposite) if id < opposite => i64::from(opposite.0),
        _ => -1,
    };
    let partners: Vec<i64> = (0..)
        .map(ChannelId)
        .zip(&drawing.channels)
        .map(partner)
        .collect();
    let captions = drawing.captions.iter();
    let captions = captions.map(|c| json!([tenths(c.place.x), tenths(c.place.y), c.text]));
    json!({
        "width": drawing.width.ceil(),
        "height": drawing.height.ceil(),
        "radius": tenths(drawing.radius),
        "kinds": kinds,
        "x": nodes.iter().map(|n| tenths(n.place.x)).collect::<Vec<_>>(),
        "y": nodes.iter().map(|n| tenths(n.place.y)).collect::<Vec<_>>(),
        "names": (!are_numbers).then(|| texts(|node| &node.label)),
        "places": texts(|node| &node.detail),
        "from": end(|line| line.source),
        "to": end(|line| line.target),
        "partner": partners,
        "paths": paths,
        "captions": captions.collect::<Vec<_>>(),
        "note": drawing.note,
    })
}

fn is_straight(drawing: &Drawing, line: &ChannelLine) -> bool {
    let place = |node: NodeId| drawing.nodes[node.index()].place;
    line.path == Path::line(place(line.source), place(line.target))
}

/// A number of pixels to a tenth of one, as whole numbers where it is.
fn tenths(pixels: f64) -> Value {
    let rounded = (pixels * 10.0).round() / 10.0 + 0.0;
    if rounded.fract() == 0.0 {
        Value::from(rounded as i64)
    } else {
        Value::from(rounded)
    }
}

/// A path in the letters of SVG, with absolute places.
fn data(path: &Path) -> String {
    let mut text = String::new();
    let mut push = |letter: char, points: &[Point]| {
        text.push(letter);
        for (i, point) in points.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{gap}{} {}", tenths(point.x), tenths(point.y));
        }
    };
    push('M', &[path.start]);
    for piece in &path.pieces {
        match piece {
            Piece::Line(end) => push('L', &[*end]),
            Piece::Curve(points) => push('C', points),
        }
    }
    text
}

/// The digits of packed numbers, of which none means anything in HTML or JSON.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The largest packed number: two digits.
const LARGEST: f64 = 4095.0;

/// `values`, none negative, as two digits each, from 0 to `LARGEST` for the largest of them; with it
/// and their mean.
pub fn packed(values: &[f64]) -> Value {
    let (max, mean) = max_and_mean(values);
    let mut text = String::with_capacity(2 * values.len());
    for &value in values {
        let level = if max > 0.0 {
            (value / max * LARGEST).round()
        } else {
            0.0
        };
        let level = level as usize;
        text.push(char::from(DIGITS[level / 64]));
        text.push(char::from(DIGITS[level % 64]));
    }
    json!({ "max": short(max), "mean": short(mean), "packed": text })
}

/// The channels of `network` with the `count` largest of `values`, for a network that is not drawn.
pub fn hottest(network: &Network, values: &[f64], count: usize) -> Value {
    let (max, mean) = max_and_mean(values);
    let mut order: Vec<ChannelId> = (0..network.channels()).map(ChannelId).collect();
    order.sort_by(|a, b| values[b.index()].total_cmp(&values[a.index()]));
    let hottest = order.iter().take(count).map(|&id| {
        let (from, to) = (network.source(id), network.target(id));
        let name = format!("{} → {}", network.name(from), network.name(to));
        json!([name, short(values[id.index()])])
    });
    let hottest: Vec<Value> = hottest.collect();
    json!({ "max": short(max), "mean": short(mean), "hottest": hottest })
}

fn max_and_mean(values: &[f64]) -> (f64, f64) {
    let max = values.iter().copied().fold(0.0, f64::max);
    (max, values.iter().sum::<f64>() / values.len().max(1) as f64)
}

/// A number with the digits of the results.
fn short(value: f64) -> Value {
    flitsim_sweep::results::number::rounded(value).map_or(Value::Null, Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::{Ends, Grid};

    #[test]
    fn meshes_and_folded_tori_need_no_paths() {
        let grid = |ends| Grid::uniform(4, 2, ends).unwrap().into_network();
        let mesh = picture(&grid(Ends::Open), BYTES_MOST).unwrap();
        assert_eq!(mesh["from"].as_array().unwrap().len(), 48);
        assert!(mesh["paths"].as_object().unwrap().is_empty());
        assert_eq!(mesh["names"], Value::Null, "numbers name themselves");
        let torus = picture(&grid(Ends::Ring), BYTES_MOST).unwrap();
        assert!(torus["paths"].as_object().unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_drawn_says_why() {
        let large = Grid::uniform(64, 2, Ends::Ring).unwrap().into_network();
        let why = picture(&large, BYTES_MOST).unwrap_err();
        assert!(why.contains("4096 nodes and 16384 channels"), "{why}");
        let small = Grid::uniform(4, 2, Ends::Ring).unwrap().into_network();
        assert!(picture(&small, 100).unwrap_err().contains("no room"));
    }

    #[test]
    fn packed_numbers_are_levels_of_the_largest() {
        let value = packed(&[0.0, 0.5, 2.0]);
        assert_eq!(value["packed"], "AAQA__");
        assert_eq!(value["max"], 2.0);
        assert_eq!(packed(&[0.0, 0.0])["packed"], "AAAA");
    }

    #[test]
    fn the_hottest_channels_are_named_in_order() {
        let network = Grid::uniform(3, 1, Ends::Open).unwrap().into_network();
        let value = hottest(&network, &[0.1, 0.4, 0.2, 0.4], 3);
        let names: Vec<_> = value["hottest"].as_array().unwrap().iter().collect();
        assert_eq!(names[0], &json!(["1 → 2", 0.4]));
        assert_eq!(names[1], &json!(["2 → 1", 0.4]));
        assert_eq!(names[2], &json!(["1 → 0", 0.2]));
    }
}
