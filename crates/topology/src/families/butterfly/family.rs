//! What butterflies tell of themselves.

use super::Butterfly;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::path::Point;
use crate::families::common::picture::plan::class;
use crate::families::common::raster;
use crate::families::family::*;
use std::f64::consts::TAU;

impl Butterfly {
    /// Where the nodes lie.
    pub(super) fn places(&self) -> Layout {
        let size = raster::near_square(self.terminals());
        let terminals = (0..self.terminals()).map(|node| raster::place(size, node));
        let switches = (0..self.stages() * self.switches()).map(|switch| {
            let first = switch % self.switches() * self.arity();
            let [a, b] = [first, first + self.arity() - 1].map(|end| raster::place(size, end));
            [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
        });
        let description = "terminals row by row, and each switch at those of its number";
        Layout::new(size, terminals.chain(switches).collect(), description)
    }
}

impl Family for Butterfly {
    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn hops_at_terminals(&self) -> u32 {
        2
    }

    /// The level is the stage that it leads to, and the number of stages back to the terminals.
    fn course(&self, _: ChannelId, _: NodeId, target: NodeId) -> Course {
        let stage = self
            .switch(target)
            .map_or(self.stages(), |(stage, _)| stage);
        Course {
            level: Some(stage),
            ..Course::default()
        }
    }

    /// Raising a digit of all terminals raises it in the switches that have it.
    fn guesses(&self) -> Vec<Guess<'_>> {
        let raise = move |number: u32, digit: usize| {
            let stride = self.digits.stride(digit);
            match number / stride % self.arity + 1 {
                next if next < self.arity => number + stride,
                next => number + stride - next * stride,
            }
        };
        let of_digit = |digit: usize| {
            Guess::new(format!("rotation of digit {digit}"), move |node| {
                match (self.switch(node), digit) {
                    (None, _) => NodeId(raise(node.0, digit)),
                    (Some(_), 0) => node,
                    (Some((stage, number)), _) => self.node_at(stage, raise(number, digit - 1)),
                }
            })
        };
        (0..self.stages() as usize).map(of_digit).collect()
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        let terminals = u64::from(self.terminals());
        let mut pairs = vec![0; self.stages() as usize + 2];
        pairs[0] = terminals;
        *pairs.last_mut()? = terminals * (terminals - 1);
        Some(pairs)
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    /// The terminals and each stage on a ray of their own, so that what leads from one stage to the next
    /// turns round the middle.
    fn picture(&self, graph: &Graph) -> Plan {
        let mut plan = Plan::new(graph);
        let rays = f64::from(self.stages() + 1);
        for node in (0..graph.nodes()).map(NodeId) {
            let (ray, across) = match self.switch(node) {
                None => (0.0, f64::from(node.0) + 0.5),
                Some((stage, number)) => {
                    let across = (f64::from(number) + 0.5) * f64::from(self.arity);
                    (f64::from(stage + 1), across)
                }
            };
            let radius = rays / 3.0 + across;
            plan.places[node.index()] = match self.stages() {
                // Two rays are opposite sides.
                1 => Point::new(across, ray * 1.5),
                _ => Point::polar(radius, TAU * (ray / rays - 0.5)),
            };
        }
        let targets = plan.links.iter().map(|link| self.switch(link.target));
        plan.class_of = targets
            .map(|switch| switch.map_or(self.stages(), |(stage, _)| stage) as usize)
            .collect();
        let stages = (0..self.stages() as usize)
            .map(|s| class(format!("to stage {s}"), Colour::of_class(s)));
        let back = class("to terminals", Colour::of_class(self.stages() as usize));
        plan.classes = stages.chain([back]).collect();
        plan.straight_paths();
        plan
    }
}
