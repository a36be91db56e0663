//! A picture in the units of its family's layout.
//!
//! In a plan, neighbouring nodes are about 1 apart, and a terminal's mark has a radius of
//! [`Plan::radius`].

use super::colour::Colour;
use super::path::{Path, Point};
use crate::links::{Link, links};
use crate::{Graph, NodeId};

/// What a node is, as it is told apart by its mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A router with a terminal: a circle.
    Terminal,
    /// A router without one: a square.
    Switch,
    /// A switch between the nodes of an express cube: a diamond.
    Interchange,
}

impl NodeKind {
    /// Radius of its mark, where that of a terminal's is `radius`.
    pub(crate) fn radius(self, radius: f64) -> f64 {
        match self {
            Self::Terminal | Self::Switch => radius,
            Self::Interchange => radius * 0.85,
        }
    }
}

/// Channels of a kind, which have a colour in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelClass {
    /// What they are, for the key.
    pub name: String,
    /// Their colour where the style gives none.
    pub colour: Colour,
    /// Whether they are drawn fainter: those that matter less to the eye.
    pub faint: bool,
}

/// A line of text to the left of what it speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// The end of its base line.
    pub place: Point,
    /// What it says.
    pub text: String,
}

/// A picture before it is scaled.
#[derive(Debug)]
pub(crate) struct Plan {
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
    pub(crate) fn new(graph: &Graph) -> Self {
        let nodes = graph.nodes() as usize;
        let kind = |node| {
            if node < graph.terminals() {
                NodeKind::Terminal
            } else {
                NodeKind::Switch
            }
        };
        let links = links(graph);
        Self {
            places: vec![Point::default(); nodes],
            kinds: (0..graph.nodes()).map(kind).collect(),
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
    pub(crate) fn place(&self, node: NodeId) -> Point {
        self.places[node.index()]
    }

    /// Each link in the class that `class` says.
    pub(crate) fn classify(&mut self, class: impl FnMut(&Link) -> usize) {
        self.class_of = self.links.iter().map(class).collect();
    }

    /// Draws every link as a straight line; where several join the same two nodes, as bows side by
    /// side.
    pub(crate) fn straight_paths(&mut self) {
        let path = |link: &Link| straight(link, self.place(link.source), self.place(link.target));
        self.paths = self.links.iter().map(path).collect();
    }

    /// The least and the greatest coordinates of anything, with room for the marks.
    pub(crate) fn bounds(&self) -> (Point, Point) {
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
pub(crate) fn class(name: impl Into<String>, colour: Colour) -> ChannelClass {
    ChannelClass {
        name: name.into(),
        colour,
        faint: false,
    }
}

/// A class of channels that are drawn faintly.
pub(crate) fn faint(name: impl Into<String>, colour: Colour) -> ChannelClass {
    ChannelClass {
        faint: true,
        ..class(name, colour)
    }
}

/// The line of a link between `from` and `to`: straight, or a bow where there are several.
pub(crate) fn straight(link: &Link, from: Point, to: Point) -> Path {
    const APART: f64 = 0.2;
    Path::bow(from, to, link.set_off() * APART)
}
