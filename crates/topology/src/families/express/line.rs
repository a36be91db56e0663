//! One line of an express cube: its nodes, the modules of its interchanges, and the ways out of each.
//!
//! A way out has a limit: the nearest target that it serves without passing it. The first way in its
//! direction whose limit the target reaches is taken; the last serves every target.
//!
//! Invariant: in one direction every way leads forward, from boundary to boundary or along the
//! modules of one boundary in a fixed order, over channels that the other direction does not use.

use super::ExpressParameters;
use super::exit::{Exit, Module};
use super::frame::{Boundaries, Frame};
use super::ring;
use crate::Direction;
use std::ops::Range;

/// The ways out of a node or of an interchange's module.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Targets at or above it are upward.
    pivot: u32,
    /// Where its exits begin: upward ones, then downward ones up to the next element's.
    up: u32,
    down: u32,
}

/// The elements of a line: nodes 0..k, then the modules of the interchanges, by boundary.
#[derive(Clone, Debug)]
pub(super) struct Line {
    radix: u32,
    is_ring: bool,
    elements: Vec<Element>,
    exits: Vec<Exit>,
    modules: Vec<Module>,
}

impl Line {
    pub(super) fn new(radix: u32, parameters: &ExpressParameters) -> Self {
        let boundaries = Boundaries::new(radix, parameters);
        let modules = boundaries.modules();
        let [up, down] = [Direction::Up, Direction::Down].map(|way| match parameters.rings {
            true => ring::ways(radix, parameters, &modules, way),
            false => Frame::new(&boundaries, parameters, way).ways(),
        });
        let mut line = Self {
            radix,
            is_ring: parameters.rings,
            elements: Vec::with_capacity(up.len() + 1),
            exits: Vec::new(),
            modules,
        };
        for (element, (up, down)) in up.into_iter().zip(down).enumerate() {
            let pivot = match element.checked_sub(radix as usize) {
                None => element as u32 + 1,
                Some(module) => line.modules[module].boundary,
            };
            let start = line.exits.len() as u32;
            line.elements.push(Element {
                pivot,
                up: start,
                down: start + up.len() as u32,
            });
            let mut first = 0;
            for mut exit in up.into_iter().chain(down) {
                exit.first = first;
                first += exit.parallel;
                line.exits.push(exit);
            }
        }
        let end = line.exits.len() as u32;
        line.elements.push(Element {
            pivot: radix,
            up: end,
            down: end,
        });
        line
    }

    /// Nodes.
    pub(super) fn radix(&self) -> u32 {
        self.radix
    }

    /// Nodes and modules together.
    pub(super) fn elements(&self) -> u32 {
        self.radix + self.modules.len() as u32
    }

    pub(super) fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The module with the given number at a boundary, counted from the first of the line.
    pub(super) fn module_at(&self, boundary: u32, index: u32) -> Option<u32> {
        let key = |module: &Module| (module.boundary, module.index);
        let found = self.modules.binary_search_by_key(&(boundary, index), key);
        found.ok().map(|module| module as u32)
    }

    /// Ordered pairs of nodes at each distance along shortest paths, each with itself at 0.
    pub(super) fn pairs_by_distance(&self) -> Vec<u64> {
        let mut counts = vec![0u64; self.elements() as usize];
        let mut hops = vec![u32::MAX; self.elements() as usize];
        let mut queue = Vec::with_capacity(hops.len());
        for from in 0..self.radix {
            hops.fill(u32::MAX);
            hops[from as usize] = 0;
            queue.clear();
            queue.push(from);
            let mut next = 0;
            while let Some(&element) = queue.get(next) {
                next += 1;
                let here = hops[element as usize];
                counts[here as usize] += u64::from(element < self.radix);
                for exit in self.exits(element) {
                    let there = &mut hops[exit.to as usize];
                    if *there == u32::MAX {
                        *there = here + 1;
                        queue.push(exit.to);
                    }
                }
            }
        }
        counts
    }

    /// All ways out of `element`, those upward first.
    pub(super) fn exits(&self, element: u32) -> &[Exit] {
        let [this, next] = [element, element + 1].map(|e| self.elements[e as usize].up as usize);
        &self.exits[this..next]
    }

    /// How many of the ways out of `element` lead upward.
    pub(super) fn upward(&self, element: u32) -> usize {
        let here = self.elements[element as usize];
        (here.down - here.up) as usize
    }

    /// Channels out of all elements.
    pub(super) fn channels(&self) -> u64 {
        self.exits.iter().map(|e| u64::from(e.parallel)).sum()
    }

    /// The way out of `element` for a packet that goes to the node at coordinate `target`.
    #[inline]
    pub(super) fn exit(&self, element: u32, target: u32) -> Option<&Exit> {
        self.exits_to(element, target).next()
    }

    /// All ways out of `element` that do not pass the node at coordinate `target`, the highest level first.
    #[inline]
    pub(super) fn exits_to(&self, element: u32, target: u32) -> impl Iterator<Item = &Exit> {
        let here = self.elements[element as usize];
        let (is_up, distance) = match self.is_ring {
            true => self.shorter(element, target),
            false => (target >= here.pivot, 0),
        };
        let is_ring = self.is_ring;
        let exits = match is_up {
            true => here.up..here.down,
            false => here.down..self.elements[element as usize + 1].up,
        };
        let exits = self.exits[exits.start as usize..exits.end as usize].iter();
        exits.filter(move |exit| match is_up {
            _ if is_ring => distance >= exit.limit,
            true => target as i32 >= exit.limit,
            false => target as i32 <= exit.limit,
        })
    }

    /// Round a ring: whether the shorter way from `element` to the node at coordinate `target` is upward, as half
    /// way round is, and how far it is, from a module to the node behind it none.
    fn shorter(&self, element: u32, target: u32) -> (bool, i32) {
        let [up, down] = self.places(element);
        let up = (target + self.radix - up) % self.radix;
        let down = (down + self.radix - target) % self.radix;
        (up <= down, up.min(down) as i32)
    }

    /// Where an element of a ring counts on ways upward, and on ways downward: a module as the node behind it.
    fn places(&self, element: u32) -> [u32; 2] {
        match element.checked_sub(self.radix) {
            None => [element; 2],
            Some(module) => {
                let boundary = self.modules[module as usize].boundary;
                [boundary, (boundary + self.radix - 1) % self.radix]
            }
        }
    }

    /// Whether the way of a packet from `element` to the node at coordinate `target` is still to pass the ends of
    /// the line, which are joined.
    #[inline]
    pub(super) fn wraps(&self, element: u32, target: u32) -> bool {
        if !self.is_ring {
            return false;
        }
        let [up, down] = self.places(element);
        match self.shorter(element, target).0 {
            true => target < up,
            false => target > down,
        }
    }

    /// Channels from element `from` to node `to`.
    pub(super) fn hops(&self, from: u32, to: u32) -> u32 {
        let mut element = from;
        let mut hops = 0;
        while element != to {
            let exit = self.exit(element, to).expect("every target is served");
            element = exit.to;
            hops += 1;
        }
        hops
    }

    /// The most channels from one node to another, and their sum over all ordered pairs.
    pub(super) fn hops_of_all_pairs(&self) -> (u32, u64) {
        let (mut most, mut sum) = (0, 0);
        self.for_each_hops(0..self.radix, |_, _, hops| {
            most = most.max(hops);
            sum += u64::from(hops);
        });
        (most, sum)
    }

    /// Visits the elements `starts` and all nodes with the number of channels between.
    pub(super) fn for_each_hops(&self, starts: Range<u32>, mut visit: impl FnMut(u32, u32, u32)) {
        let mut passed = Vec::new();
        for to in 0..self.radix {
            // Routes to one target join: each element's way there is walked once.
            let mut hops = vec![u32::MAX; self.elements() as usize];
            hops[to as usize] = 0;
            for from in starts.clone() {
                let mut element = from;
                while hops[element as usize] == u32::MAX {
                    passed.push(element);
                    let exit = self.exit(element, to).expect("every target is served");
                    element = exit.to;
                }
                let mut rest = hops[element as usize];
                while let Some(element) = passed.pop() {
                    rest += 1;
                    hops[element as usize] = rest;
                }
                visit(from, to, rest);
            }
        }
    }

    /// The module of a whole interchange at boundary `boundary`, of boundaries `spacing` apart.
    pub(super) fn interchange_at(&self, boundary: u32, spacing: u32) -> u32 {
        self.radix + boundary / spacing - 1
    }

    /// Every way whose ends a straight cut between the nodes `middle - 1` and `middle` parts, by its
    /// element: the cut is below the interchange there.
    pub(super) fn ways_below(&self, middle: u32) -> impl Iterator<Item = (u32, &Exit)> {
        self.ways_across(2 * middle)
    }

    /// The ways across a cut; nodes are at odd places, interchanges at even ones.
    fn ways_across(&self, cut: u32) -> impl Iterator<Item = (u32, &Exit)> {
        let place = |element: u32| match element.checked_sub(self.radix) {
            None => 2 * element + 1,
            Some(module) => 2 * self.modules[module as usize].boundary,
        };
        (0..self.elements())
            .flat_map(|element| self.exits(element).iter().map(move |exit| (element, exit)))
            .filter(move |&(element, exit)| (place(element) < cut) != (place(exit.to) < cut))
    }

    /// The coordinate at which an element counts: its own, or that of the node above it.
    pub(super) fn coordinate(&self, element: u32) -> u32 {
        match element.checked_sub(self.radix) {
            None => element,
            Some(module) => self.modules[module as usize].boundary,
        }
    }

    /// The fewest channels, both ways together, across a straight cut between the nodes
    /// `middle - 1` and `middle`: before or behind the interchange there.
    pub(super) fn channels_across(&self, middle: u32) -> u64 {
        let across = |cut| {
            let ways = self.ways_across(cut);
            ways.map(|(_, exit)| u64::from(exit.parallel)).sum::<u64>()
        };
        across(2 * middle).min(across(2 * middle + 1))
    }
}
