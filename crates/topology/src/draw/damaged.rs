//! What is left of a network: the picture of the whole one, without the channels that have failed.

use super::{ChannelLine, DrawError, Drawing};
use crate::{ChannelId, Damage};

/// The most faults that are named under a picture.
const NAMED_MOST: usize = 8;

/// The picture of what `damage` leaves.
///
/// # Errors
/// As [`Drawing::of`] the whole network.
pub(super) fn drawing(damage: &Damage) -> Result<Drawing, DrawError> {
    let whole = damage.whole();
    let mut drawing = Drawing::of(whole)?;
    let failed = damage.failed_channels();
    // By channel of the whole network: how many of those before it are left.
    let mut number = vec![None; whole.channels() as usize];
    let left = (0..whole.channels()).map(ChannelId);
    let left = left.filter(|channel| failed.binary_search(channel).is_err());
    for (place, channel) in (0..).map(ChannelId).zip(left) {
        number[channel.index()] = Some(place);
    }
    let lines = std::mem::take(&mut drawing.channels).into_iter();
    let lines = lines.zip(&number).filter(|(_, number)| number.is_some());
    let lines = lines.map(|(line, _)| ChannelLine {
        opposite: line.opposite.and_then(|opposite| number[opposite.index()]),
        ..line
    });
    drawing.channels = lines.collect();
    for node in damage.failed_nodes() {
        let detail = &mut drawing.nodes[node.index()].detail;
        *detail = if detail.is_empty() {
            "failed".to_owned()
        } else {
            format!("{detail}; failed")
        };
    }
    if !drawing.note.is_empty() {
        drawing.note.push(' ');
    }
    drawing.note.push_str(&note(damage));
    Ok(drawing)
}

fn note(damage: &Damage) -> String {
    let whole = damage.whole();
    let nodes: Vec<_> = damage.failed_nodes().map(|node| whole.name(node)).collect();
    let named = nodes.len().min(NAMED_MOST);
    let mut words = format!("Failed: {} channels", damage.failed_channels().len());
    if let [first, rest @ ..] = &nodes[..named] {
        words.push_str(&format!(", those of the nodes {first}"));
        words.extend(rest.iter().map(|name| format!(", {name}")));
        if nodes.len() > named {
            words.push_str(&format!(" and {} more", nodes.len() - named));
        }
        words.push_str(" included");
    }
    words.push('.');
    words
}
