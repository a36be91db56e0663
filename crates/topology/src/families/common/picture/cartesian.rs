//! Meshes, tori and hypercubes, and the tori with fewer channels: nodes at the places of their
//! coordinates.
//!
//! One dimension is a line, or a circle where it is a ring. Two are columns and rows. Three are
//! drawn in oblique projection. More are grids of grids: dimensions 0, 2, 4, .. lie to the right,
//! 1, 3, 5, .. downward, the higher ones around the lower. Hypercubes of four dimensions are a cube
//! within a cube; those of more dimensions count in Gray code along rows and columns, so that most
//! links join neighbours.

use super::colour::Colour;
use super::lattice::{Axis, Lattice, Side};
use super::oblique;
use super::path::{Path, Point};
use super::plan::{ChannelClass, Plan, class, faint, straight};
use crate::families::common::coordinates::Step;
use crate::links::Link;
use crate::{ChannelId, Graph, NodeId};

/// Nodes in lines along dimensions.
pub(crate) struct Cartesian<'a> {
    /// Nodes of each dimension.
    pub(crate) radices: &'a [u32],
    /// The coordinates of a node.
    pub(crate) coordinates: &'a dyn Fn(NodeId) -> &'a [u16],
    /// What a channel does to them.
    pub(crate) step: &'a dyn Fn(ChannelId) -> Step,
    /// Whether rings of two dimensions are pressed flat.
    pub(crate) folds: bool,
}

impl<'a> Cartesian<'a> {
    /// The picture of `graph`, whose nodes these are.
    pub(crate) fn plan(&self, graph: &Graph) -> Plan {
        let mut plan = Plan::new(graph);
        let steps = plan.links.iter().map(|l| (self.step)(l.channel)).collect();
        Sketch { nodes: self, steps }.draw(&mut plan);
        plan
    }
}

/// A picture on its way.
struct Sketch<'s, 'a> {
    nodes: &'s Cartesian<'a>,
    /// By link.
    steps: Vec<Step>,
}

impl Sketch<'_, '_> {
    fn draw(&self, plan: &mut Plan) {
        self.describe(plan);
        let wraps = self.steps.iter().any(|step| step.wraps);
        let binary = self.nodes.radices.iter().all(|&k| k == 2) && !wraps;
        match self.nodes.radices.len() {
            1 if wraps && self.nodes.radices[0] > 2 => self.draw_circle(plan),
            3 => self.draw_oblique(plan),
            4 if binary => self.draw_tesseract(plan),
            _ if self.nodes.folds => self.draw_folded(plan),
            _ => self.draw_lattice(plan, binary),
        }
    }

    /// Coordinates, and the classes of the links.
    fn describe(&self, plan: &mut Plan) {
        for (node, detail) in (0..).map(NodeId).zip(&mut plan.details) {
            let list: Vec<String> = (self.nodes.coordinates)(node)
                .iter()
                .map(u16::to_string)
                .collect();
            *detail = format!("({})", list.join(", "));
        }
        let wraps = self.steps.iter().any(|step| step.wraps);
        let dimensions = self.nodes.radices.len();
        if dimensions <= 2 {
            if wraps && dimensions == 2 {
                plan.classes = vec![
                    class("channel between neighbours", Colour::BLUE),
                    class("wrap-around channel", Colour::VERMILION),
                ];
                plan.class_of = self.steps.iter().map(|s| usize::from(s.wraps)).collect();
            }
            return;
        }
        let of_dimension = |make: fn(String, Colour) -> ChannelClass, what: &str| {
            let make = |d| make(format!("dimension {d}{what}"), Colour::of_class(d));
            (0..dimensions).map(make).collect::<Vec<_>>()
        };
        plan.classes = of_dimension(class, "");
        plan.classes
            .extend(of_dimension(faint, ", wrapping around"));
        let class_of = |step: &Step| {
            let wraps = if step.wraps { dimensions } else { 0 };
            wraps + step.dimension as usize
        };
        plan.class_of = self.steps.iter().map(class_of).collect();
    }

    fn draw_circle(&self, plan: &mut Plan) {
        let count = plan.places.len() as f64;
        let radius = 1.15 * count / std::f64::consts::TAU;
        for (i, place) in plan.places.iter_mut().enumerate() {
            let angle = std::f64::consts::TAU * (i as f64 / count - 0.25);
            *place = Point::polar(radius.max(0.9), angle);
        }
        plan.straight_paths();
    }

    fn draw_oblique(&self, plan: &mut Plan) {
        let directions = oblique::directions(f64::from(self.nodes.radices[2]));
        for (node, place) in (0..).map(NodeId).zip(&mut plan.places) {
            for (&a, &direction) in (self.nodes.coordinates)(node).iter().zip(&directions) {
                *place = *place + direction * f64::from(a);
            }
        }
        plan.radius = 0.22;
        let path = |(link, step): (&Link, &Step)| {
            let (from, to) = (plan.place(link.source), plan.place(link.target));
            if step.wraps && self.nodes.radices[step.dimension as usize] > 2 {
                let (up, height) = oblique::bridge(step.dimension as usize);
                return Path::bridge(from, to, up, height(0));
            }
            straight(link, from, to)
        };
        plan.paths = plan.links.iter().zip(&self.steps).map(path).collect();
    }

    /// A cube within a cube: dimension 3 leads from the outer to the inner one.
    fn draw_tesseract(&self, plan: &mut Plan) {
        for (node, place) in (0..).map(NodeId).zip(&mut plan.places) {
            let a: Vec<f64> = (self.nodes.coordinates)(node)
                .iter()
                .map(|&a| f64::from(a) * 2.0 - 1.0)
                .collect();
            let scale = if a[3] > 0.0 { 0.85 } else { 2.7 };
            *place = Point::new(a[0] + a[2] * 0.72, a[1] - a[2] * 0.25) * scale;
        }
        plan.straight_paths();
    }

    /// Rings of both dimensions pressed flat: every wire is as long as two pitches at most.
    fn draw_folded(&self, plan: &mut Plan) {
        const SHIFT: f64 = 0.2;
        let fold = |a: u32, k: u32| {
            if 2 * a < k {
                2 * a
            } else {
                2 * (k - 1 - a) + 1
            }
        };
        let shifted = |k: u32| {
            let shift = |i: u32| match (k > 2, i % 2) {
                (false, _) => 0.0,
                (true, 0) => -SHIFT,
                (true, _) => SHIFT,
            };
            Axis {
                gaps: vec![1.0; k as usize],
                shifts: (0..k).map(shift).collect(),
            }
        };
        let cell = |node| {
            let a = (self.nodes.coordinates)(node);
            [0, 1].map(|i| fold(u32::from(a[i]), self.nodes.radices[i]) as usize)
        };
        let lattice = Lattice {
            cells: (0..plan.places.len() as u32)
                .map(NodeId)
                .map(cell)
                .collect(),
            axes: [0, 1].map(|i| shifted(self.nodes.radices[i])),
            side: |_| Side::Before,
            first_height: 0.45,
            track_height: 0.2,
        };
        plan.radius = 0.24;
        lattice.draw(plan);
        plan.note = "Drawn folded: each ring goes out over every other node and comes back over \
                     the rest, so that no wire is longer than two pitches."
            .to_owned();
    }

    fn draw_lattice(&self, plan: &mut Plan, binary: bool) {
        let axis = |first: usize| {
            let of_axis = self.nodes.radices.iter().copied().skip(first).step_by(2);
            Axis {
                gaps: gaps(&of_axis.collect::<Vec<_>>(), binary),
                ..Axis::even(0)
            }
        };
        let cell = |node| {
            let a = (self.nodes.coordinates)(node);
            [0, 1].map(|first| {
                let mut index = 0;
                for i in (first..a.len()).step_by(2).rev() {
                    index = index * self.nodes.radices[i] as usize + usize::from(a[i]);
                }
                if binary { gray_rank(index) } else { index }
            })
        };
        let mut axes = [axis(0), axis(1)];
        for axis in &mut axes {
            axis.shifts = vec![0.0; axis.gaps.len()];
        }
        let lattice = Lattice {
            cells: (0..plan.places.len() as u32)
                .map(NodeId)
                .map(cell)
                .collect(),
            axes,
            side: |link: usize| match self.steps[link].dimension / 2 % 2 {
                0 => Side::Before,
                _ => Side::Behind,
            },
            first_height: 0.45,
            track_height: 0.2,
        };
        lattice.draw(plan);
    }
}

/// Distances between the columns of dimensions of the given radices, the first the innermost: a
/// little more where an outer one changes.
fn gaps(radices: &[u32], binary: bool) -> Vec<f64> {
    let count = radices.iter().product::<u32>().max(1);
    let gap = |index: u32| {
        let mut block = 1;
        let mut gap = 1.0;
        for &radix in radices {
            block *= radix;
            if index.is_multiple_of(block) && !binary {
                gap += 0.6;
            }
        }
        gap
    };
    (0..count).map(gap).collect()
}

/// The place of `code` in the reflected Gray code.
fn gray_rank(code: usize) -> usize {
    let mut rank = code;
    let mut shift = 1;
    while shift < usize::BITS {
        rank ^= rank >> shift;
        shift *= 2;
    }
    rank
}
