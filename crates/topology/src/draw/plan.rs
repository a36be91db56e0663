//! A picture in the units of its family's layout, and its scaling to pixels.
//!
//! In a plan, neighbouring nodes are about 1 apart, and a terminal's mark has a radius of
//! [`Plan::radius`].

use super::key::{CHARACTER, TEXT_SIZE};
use super::links::{Link, links};
use super::{Caption, ChannelClass, ChannelLine, Colour, Drawing, NodeKind, NodeMark, Path, Point};
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

/// A picture before it is scaled.
#[derive(Debug)]
pub(super) struct Plan {
    /// By node.
    pub places: Vec<Point>,
    /// By node.
    pub kinds: Vec<NodeKind>,
    /// By node: what is known of it beside its name.
    pub details: Vec<String>,
    /// By node, or empty: a second name.
    pub second_labels: Vec<String>,
    /// The lines.
    pub links: Vec<Link>,
    /// By link, from its source to its target.
    pub paths: Vec<Path>,
    /// By link: an index into `classes`.
    pub class_of: Vec<usize>,
    pub classes: Vec<ChannelClass>,
    pub captions: Vec<Caption>,
    pub note: String,
    /// Radius of a terminal's mark.
    pub radius: f64,
}

impl Plan {
    /// A plan in which all nodes are in one place, and channels are straight lines.
    pub(super) fn new(network: &Network) -> Self {
        let nodes = network.nodes() as usize;
        let kind = |node| match node < network.terminals() {
            true => NodeKind::Terminal,
            false => NodeKind::Switch,
        };
        let links = links(network);
        Self {
            places: vec![Point::default(); nodes],
            kinds: (0..network.nodes()).map(kind).collect(),
            details: vec![String::new(); nodes],
            second_labels: Vec::new(),
            paths: Vec::new(),
            class_of: vec![0; links.len()],
            links,
            classes: vec![class("channel", Colour::BLUE)],
            captions: Vec::new(),
            note: String::new(),
            radius: 0.27,
        }
    }

    /// Where `node` is.
    pub(super) fn place(&self, node: NodeId) -> Point {
        self.places[node.index()]
    }

    /// Draws every link as a straight line; where several join the same two nodes, as bows side by
    /// side.
    pub(super) fn straight_paths(&mut self) {
        let path = |link: &Link| straight(link, self.place(link.source), self.place(link.target));
        self.paths = self.links.iter().map(path).collect();
    }

    /// The picture in pixels.
    pub(super) fn into_drawing(self, network: &Network) -> Drawing {
        assert_eq!(self.paths.len(), self.links.len());
        let (low, high) = self.bounds();
        let size = high - low;
        let scale = if self.places.len() <= NAMED_LIMIT {
            PITCH_NAMED
        } else {
            (SIDE_AIM / size.x.max(size.y).max(1.0)).clamp(PITCH_LEAST, PITCH_MOST)
        };
        let gutter = self.gutter(size, scale);
        let to_pixels = |p: Point| (p - low) * scale + Point::new(gutter, 0.0);
        let nodes = self.places.iter().zip(&self.kinds).zip(self.details);
        let nodes = (0..).map(NodeId).zip(nodes);
        let nodes = nodes.map(|(node, ((&place, &kind), detail))| NodeMark {
            place: to_pixels(place),
            kind,
            label: network.name(node).into_owned(),
            second_label: self
                .second_labels
                .get(node.index())
                .cloned()
                .unwrap_or_default(),
            detail,
        });
        let nodes: Vec<NodeMark> = nodes.collect();
        let mut channels: Vec<Option<ChannelLine>> = vec![None; network.channels() as usize];
        let lines = self.links.iter().zip(&self.paths).zip(&self.class_of);
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
        let radius = self.radius * scale;
        Drawing {
            width: size.x * scale + gutter,
            height: size.y * scale,
            radius,
            // Thin as they are in large pictures, lines have to be seen at all.
            line_width: (radius * 0.13)
                .max(0.4 * super::svg::text_scale(size * scale))
                .min(radius * 0.5)
                .min(2.0),
            nodes,
            // Every channel is on one link: `links` leaves none out.
            channels: channels.into_iter().flatten().collect(),
            classes: self.classes,
            captions: self.captions.into_iter().map(caption).collect(),
            note: self.note,
        }
    }

    /// Room in pixels for the captions, which stand to the left of everything.
    fn gutter(&self, size: Point, scale: f64) -> f64 {
        let longest = self.captions.iter().map(|c| c.text.chars().count()).max();
        let longest = longest.map_or(0.0, |count| count as f64 * CHARACTER * TEXT_SIZE + 20.0);
        // The gutter itself makes the picture wider, and with it the text.
        longest * super::svg::text_scale(size * scale + Point::new(longest, 0.0)) * 1.1
    }

    /// The least and the greatest coordinates of anything, with room for the marks.
    fn bounds(&self) -> (Point, Point) {
        let room = self.radius * 1.3;
        let mut low = Point::new(f64::INFINITY, f64::INFINITY);
        let mut high = Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut cover = |p: Point, x: f64, y: f64| {
            low = Point::new(low.x.min(p.x - x), low.y.min(p.y - y));
            high = Point::new(high.x.max(p.x + x), high.y.max(p.y + y));
        };
        for &place in &self.places {
            cover(place, room, room);
        }
        for point in self.paths.iter().flat_map(Path::points) {
            cover(point, 0.05, 0.05);
        }
        (low, high)
    }
}

/// A class of channels that are drawn in full strength.
pub(super) fn class(name: impl Into<String>, colour: Colour) -> ChannelClass {
    ChannelClass {
        name: name.into(),
        colour,
        faint: false,
    }
}

/// A class of channels that are drawn faintly.
pub(super) fn faint(name: impl Into<String>, colour: Colour) -> ChannelClass {
    ChannelClass {
        faint: true,
        ..class(name, colour)
    }
}

/// The line of a link between `from` and `to`: straight, or a bow where there are several.
pub(super) fn straight(link: &Link, from: Point, to: Point) -> Path {
    const APART: f64 = 0.2;
    Path::bow(from, to, link.set_off() * APART)
}

/// Radius of a mark, where that of a terminal's is `radius`.
pub(super) fn radius(kind: NodeKind, radius: f64) -> f64 {
    match kind {
        NodeKind::Terminal | NodeKind::Switch => radius,
        NodeKind::Interchange => radius * 0.85,
    }
}
