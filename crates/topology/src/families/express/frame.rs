//! How a line's elements are joined, one direction at a time.
//!
//! Both directions are built by one piece of code, in a *frame* in which travel is upward: going
//! down, boundary b is at k − b and node a at k − 1 − a.

use super::exit::{Exit, ExpressChannel, Module};
use super::{Decomposition, ExpressParameters};
use crate::Direction;

/// The interchanges of a line, in ascending order.
pub(super) struct Boundaries {
    radix: u32,
    /// Nodes from one boundary to the next: i, or i/m where m interchanges share a group.
    spacing: u32,
    /// The number of the first.
    first: u32,
    levels: Vec<u32>,
    /// The first module of each, counted from the first of all, and the end.
    module_start: Vec<u32>,
}

impl Boundaries {
    pub(super) fn new(radix: u32, parameters: &ExpressParameters) -> Self {
        let spacing = parameters.spacing();
        let mut levels = Vec::with_capacity(((radix - 1) / spacing) as usize);
        let mut module_start = vec![0];
        let mut modules = 0;
        // Of a ring, the first is between its last node and its first.
        let first = u32::from(!parameters.rings);
        for index in first..=(radix - 1) / spacing {
            // What is left of the boundary's address: several levels exclude interleaving.
            let mut rest = index;
            let mut level = 1;
            while level < parameters.levels && rest.is_multiple_of(parameters.interval) {
                rest /= parameters.interval;
                level += 1;
            }
            levels.push(level);
            modules += parameters.decomposition.modules(level);
            module_start.push(modules);
        }
        Self {
            radix,
            spacing,
            first,
            levels,
            module_start,
        }
    }

    pub(super) fn modules(&self) -> Vec<Module> {
        let ends = self.module_start.windows(2);
        ends.zip(&self.levels)
            .zip(self.first..)
            .flat_map(|((ends, &level), number)| {
                (0..ends[1] - ends[0]).map(move |index| Module {
                    boundary: number * self.spacing,
                    level,
                    index,
                })
            })
            .collect()
    }
}

/// The boundaries as a packet meets them that travels in one direction.
pub(super) struct Frame<'a> {
    boundaries: &'a Boundaries,
    parameters: &'a ExpressParameters,
    way: Direction,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        boundaries: &'a Boundaries,
        parameters: &'a ExpressParameters,
        way: Direction,
    ) -> Self {
        Self {
            boundaries,
            parameters,
            way,
        }
    }

    /// The ways out of every element, by element.
    pub(super) fn ways(&self) -> Vec<Vec<Exit>> {
        let radix = self.boundaries.radix;
        let modules = *self.boundaries.module_start.last().unwrap_or(&0);
        let mut ways = vec![Vec::new(); (radix + modules) as usize];
        for a in 0..radix - 1 {
            ways[self.node(a) as usize].push(self.way_from_node(a));
        }
        for number in 0..self.count() {
            let level = self.level(number);
            for index in 0..self.parameters.decomposition.modules(level) {
                let element = self.module(number, index);
                ways[element as usize] = self.ways_from_module(number, level, index);
            }
        }
        ways
    }

    fn count(&self) -> u32 {
        self.boundaries.levels.len() as u32
    }

    /// The boundary met as the `number`-th, counted from the line's lower end.
    fn mirrored(&self, number: u32) -> u32 {
        match self.way {
            Direction::Up => number,
            Direction::Down => self.count() - 1 - number,
        }
    }

    fn level(&self, number: u32) -> u32 {
        self.boundaries.levels[self.mirrored(number) as usize]
    }

    /// The place of a boundary: the node behind it has this coordinate.
    fn place(&self, number: u32) -> u32 {
        let place = (self.mirrored(number) + 1) * self.boundaries.spacing;
        match self.way {
            Direction::Up => place,
            Direction::Down => self.boundaries.radix - place,
        }
    }

    /// The boundary just behind node `a`, if there is one.
    fn boundary_behind(&self, a: u32) -> Option<u32> {
        if self.count() == 0 {
            return None;
        }
        let ahead = (a + 1).checked_sub(self.place(0))?;
        let number = ahead / self.boundaries.spacing;
        (ahead.is_multiple_of(self.boundaries.spacing) && number < self.count()).then_some(number)
    }

    /// The element of the node at coordinate `a` of the frame.
    fn node(&self, a: u32) -> u32 {
        match self.way {
            Direction::Up => a,
            Direction::Down => self.boundaries.radix - 1 - a,
        }
    }

    /// The element of a boundary's module, counted in the order in which packets pass: the
    /// ascending modules of one direction are the descending ones of the other.
    fn module(&self, number: u32, index: u32) -> u32 {
        let start = self.boundaries.module_start[self.mirrored(number) as usize];
        let level_one = self.parameters.decomposition == Decomposition::LevelOne;
        let index = match self.way {
            Direction::Down if level_one => 2 * self.level(number) - 2 - index,
            _ => index,
        };
        self.boundaries.radix + start + index
    }

    /// A way that serves targets at coordinate `limit` of the frame, and beyond.
    fn exit(&self, limit: u32, to: u32, length_pitches: u32, kind: ExpressChannel) -> Exit {
        // At or beyond the line's end: no target is served, and -1 is below every coordinate.
        let limit = limit.min(self.boundaries.radix) as i32;
        let level = match kind {
            ExpressChannel::Local => Some(0),
            ExpressChannel::Express(level) => Some(level as usize),
            ExpressChannel::Internal => None,
        };
        Exit {
            limit: match self.way {
                Direction::Up => limit,
                Direction::Down => self.boundaries.radix as i32 - 1 - limit,
            },
            first: 0,
            parallel: level.map_or(1, |level| self.parameters.parallel(level)),
            to,
            length_pitches,
            kind,
        }
    }

    /// The way from the node at coordinate `a` of the frame to what is behind it.
    fn way_from_node(&self, a: u32) -> Exit {
        match self.boundary_behind(a) {
            Some(number) if self.stops(number, 0) => {
                // The interchange is one pitch above the node below it, none below the other.
                let pitches = u32::from(self.way == Direction::Up);
                self.exit(0, self.entry(number, 0), pitches, ExpressChannel::Local)
            }
            _ => self.exit(0, self.node(a + 1), 1, ExpressChannel::Local),
        }
    }

    /// The ways out of a module, those that serve the fewest targets first.
    fn ways_from_module(&self, number: u32, level: u32, index: u32) -> Vec<Exit> {
        let mut ways = Vec::new();
        let express = |q| self.express(number, q, |next| self.place(next));
        let internal = |limit, index| {
            let to = self.module(number, index);
            self.exit(limit, to, 0, ExpressChannel::Internal)
        };
        match self.parameters.decomposition {
            Decomposition::Module => {
                ways.extend((1..=level).rev().filter_map(express));
                ways.push(self.to_node(number));
            }
            Decomposition::LevelOne if index + 1 < level => {
                // Ascending: on for targets of a higher level, across for the rest.
                let reach = self.parameters.interval.pow(index + 2);
                ways.push(internal(self.place(number) + reach, index + 1));
                ways.push(internal(0, 2 * level - 2 - index));
            }
            Decomposition::LevelOne | Decomposition::WithoutAscending => {
                let q = match self.parameters.decomposition {
                    Decomposition::LevelOne => 2 * level - 1 - index,
                    _ => level - index,
                };
                ways.extend(express(q));
                ways.push(match q {
                    1 => self.to_node(number),
                    _ => internal(0, index + 1),
                });
            }
            Decomposition::TopOnly => {
                ways.extend(self.express(number, level, |_| self.way_down(number, level)));
                match level {
                    1 => ways.push(self.to_node(number)),
                    _ => ways.extend(self.express(number, level - 1, |_| 0)),
                }
            }
        }
        ways
    }

    /// The local channel to the node behind the boundary.
    fn to_node(&self, number: u32) -> Exit {
        let pitches = u32::from(self.way == Direction::Down);
        let to = self.node(self.place(number));
        self.exit(0, to, pitches, ExpressChannel::Local)
    }

    /// The express channel of level `q` out of a boundary, if the line has room for it.
    fn express(&self, number: u32, q: u32, limit: impl Fn(u32) -> u32) -> Option<Exit> {
        let next = self.next_stop(number, q)?;
        let pitches = self.place(next) - self.place(number);
        let to = self.entry(next, q);
        Some(self.exit(limit(next), to, pitches, ExpressChannel::Express(q)))
    }

    /// Whether channels of level `q` stop at this boundary, where they could.
    fn stops(&self, number: u32, q: u32) -> bool {
        let level = self.level(number);
        match self.parameters.decomposition {
            Decomposition::TopOnly => level == q || level == q + 1,
            _ => level >= q,
        }
    }

    /// The boundary where channels of level `q` that leave this one end.
    fn next_stop(&self, number: u32, q: u32) -> Option<u32> {
        let step = self.parameters.interval.pow(q) / self.boundaries.spacing;
        let mut next = number + step;
        while next < self.count() {
            if self.stops(next, q) {
                return Some(next);
            }
            next += step;
        }
        None
    }

    /// The module where channels of level `q` enter a boundary.
    fn entry(&self, number: u32, q: u32) -> u32 {
        let index = match self.parameters.decomposition {
            Decomposition::Module | Decomposition::TopOnly => 0,
            Decomposition::LevelOne => q.max(1) - 1,
            Decomposition::WithoutAscending => self.level(number).saturating_sub(q + 1),
        };
        self.module(number, index)
    }

    /// Where a packet that takes level `q` here can be back on local channels, if it leaves each
    /// level at the first boundary where it may; the line's end if it cannot.
    fn way_down(&self, number: u32, q: u32) -> u32 {
        let mut at = number;
        for level in (1..=q).rev() {
            loop {
                match self.next_stop(at, level) {
                    Some(next) => at = next,
                    None => return self.boundaries.radix,
                }
                if self.level(at) == level {
                    break;
                }
            }
        }
        self.place(at)
    }
}
