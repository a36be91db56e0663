//! From a plan to a picture in pixels.

use super::marks::{CHARACTER, TEXT_SIZE, text_scale};
use super::{Caption, ChannelLine, Drawing, NodeMark, Path, Point};
use crate::families::common::picture::Plan;
use crate::{ChannelId, Network, NodeId};

/// Networks of at most this many nodes have their names written on the nodes.
pub(super) const NAMED_LIMIT: usize = 64;

/// Pixels from node to node where names are written.
const PITCH_NAMED: f64 = 58.0;
/// And where they are not, at most and at least.
const PITCH_MOST: f64 = 40.0;
const PITCH_LEAST: f64 = 6.0;
/// The width and height that pictures without names aim at.
const SIDE_AIM: f64 = 1_150.0;

/// The picture of `network` in pixels.
pub(super) fn drawing(plan: Plan, network: &Network) -> Drawing {
    assert_eq!(plan.paths.len(), plan.links.len());
    let (low, high) = plan.bounds();
    let size = high - low;
    let scale = if plan.places.len() <= NAMED_LIMIT {
        PITCH_NAMED
    } else {
        (SIDE_AIM / size.x.max(size.y).max(1.0)).clamp(PITCH_LEAST, PITCH_MOST)
    };
    let gutter = gutter(&plan, size, scale);
    let to_pixels = |p: Point| (p - low) * scale + Point::new(gutter, 0.0);
    let nodes = plan.places.iter().zip(&plan.kinds).zip(plan.details);
    let nodes = (0..).map(NodeId).zip(nodes);
    let nodes = nodes.map(|(node, ((&place, &kind), detail))| NodeMark {
        place: to_pixels(place),
        kind,
        label: network.name(node).into_owned(),
        second_label: plan
            .second_labels
            .get(node.index())
            .cloned()
            .unwrap_or_default(),
        detail,
    });
    let nodes: Vec<NodeMark> = nodes.collect();
    let mut channels: Vec<Option<ChannelLine>> = vec![None; network.channels() as usize];
    let lines = plan.links.iter().zip(&plan.paths).zip(&plan.class_of);
    for ((link, path), &class) in lines {
        let path = path.map(to_pixels);
        let mut set = |channel: ChannelId, path: Path, opposite: Option<ChannelId>| {
            channels[channel.index()] = Some(ChannelLine {
                source: network.source(channel),
                target: network.target(channel),
                path,
                class,
                opposite,
            });
        };
        if let Some(opposite) = link.opposite {
            set(opposite, path.reversed(), Some(link.channel));
        }
        set(link.channel, path, link.opposite);
    }
    let caption = |caption: Caption| Caption {
        place: Point::new(gutter - 12.0, to_pixels(caption.place).y),
        ..caption
    };
    let radius = plan.radius * scale;
    Drawing {
        width: size.x * scale + gutter,
        height: size.y * scale,
        radius,
        // Thin as they are in large pictures, lines have to be seen at all.
        line_width: (radius * 0.13)
            .max(0.4 * text_scale(size * scale))
            .min(radius * 0.5)
            .min(2.0),
        nodes,
        // Every channel is on one link: `links` leaves none out.
        channels: channels.into_iter().flatten().collect(),
        classes: plan.classes,
        captions: plan.captions.into_iter().map(caption).collect(),
        note: plan.note,
    }
}

/// Room in pixels for the captions, which stand to the left of everything.
fn gutter(plan: &Plan, size: Point, scale: f64) -> f64 {
    let longest = plan.captions.iter().map(|c| c.text.chars().count()).max();
    let longest = longest.map_or(0.0, |count| count as f64 * CHARACTER * TEXT_SIZE + 20.0);
    // The gutter itself makes the picture wider, and with it the text.
    longest * text_scale(size * scale + Point::new(longest, 0.0)) * 1.1
}
