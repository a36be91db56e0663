//! What fat-trees tell of themselves.

use super::{Place, Xgft};
use crate::Direction;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::path::Point;
use crate::families::common::picture::plan::class;
use crate::families::common::raster;
use crate::families::family::*;

impl Xgft {
    /// Where the nodes lie.
    pub(super) fn laid_out(&self) -> Layout {
        let size = raster::near_square(self.terminals());
        let centre = |place: &Place| {
            let span = self.levels[usize::from(place.level)].span;
            let ends = [place.first_terminal, place.first_terminal + span - 1];
            let [a, b] = ends.map(|end| raster::place(size, end));
            [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
        };
        let places = self.places.iter().map(centre).collect();
        let description =
            "terminals row by row, switches half way between the ends of what they stand over";
        Layout::new(size, places, description)
    }

    /// Ordered pairs of terminals by distance, links of terminals included: those whose nearest common
    /// ancestors are of level l are 2l hops apart.
    fn pairs(&self) -> Vec<u64> {
        let terminals = u64::from(self.terminals());
        let mut pairs = vec![terminals];
        for levels in self.levels.windows(2) {
            let more = levels[1].span - levels[0].span;
            pairs.extend([0, terminals * u64::from(more)]);
        }
        while pairs.last() == Some(&0) {
            pairs.pop();
        }
        pairs
    }
}

impl Family for Xgft {
    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn hops_at_terminals(&self) -> u32 {
        2
    }

    /// Links are of the level of their upper end.
    fn course(&self, _: ChannelId, source: NodeId, target: NodeId) -> Course {
        let (from, to) = (self.level(source), self.level(target));
        Course {
            dimension: None,
            direction: Some(Direction::up_if(from < to)),
            level: Some(from.max(to)),
        }
    }

    /// Every digit may be raised by itself: that of the children on the levels below, that of the parents on
    /// those above; with an exchange of two values they make all permutations.
    fn guesses(&self) -> Vec<Guess<'_>> {
        let mut guesses = Vec::new();
        for digit in 0..self.children.len() {
            for (above, radix, what) in [
                (false, self.children[digit], "children"),
                (true, self.parents[digit], "parents"),
            ] {
                for exchanges in [false, true] {
                    if radix < 2 + u32::from(exchanges) {
                        continue;
                    }
                    let way = if exchanges {
                        "exchange of two"
                    } else {
                        "rotation of the"
                    };
                    let name = format!("{way} {what} of level {}", digit + usize::from(!above));
                    guesses.push(Guess::new(name, move |node| {
                        let level = self.level(node) as usize;
                        if (digit < level) != above {
                            return node;
                        }
                        let mut digits = self.digits(node);
                        let old = u32::from(digits[digit]);
                        let new = match exchanges {
                            true if old > 1 => old,
                            true => 1 - old,
                            false => (old + 1) % radix,
                        };
                        digits[digit] = new as u16;
                        self.node_at(level, &digits)
                    }));
                }
            }
        }
        guesses
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        Some(self.pairs())
    }

    /// A k-ary n-tree takes every permutation of its terminals without sharing a link, so between any two
    /// halves there are as many links as half of them; cut through the roots there are no more.
    fn cut(&self) -> Option<Cut> {
        let arity = self.children[0];
        let is_k_ary = self.children.iter().all(|&k| k == arity)
            && self.parents[0] == 1
            && self.parents[1..].iter().all(|&k| k == arity);
        let how = "half of the terminals: it is rearrangeable (Petrini & Vanneschi 1997)";
        (is_k_ary && arity.is_multiple_of(2)).then(|| Cut::least(u64::from(self.terminals()), how))
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.laid_out())
    }

    /// Level over level, each as wide as the widest.
    fn picture(&self, graph: &Graph) -> Plan {
        let mut plan = Plan::new(graph);
        let widest = self
            .levels
            .iter()
            .map(|level| level.nodes)
            .max()
            .unwrap_or(1);
        let height = (f64::from(widest) / 8.0).max(1.5);
        for node in 0..self.nodes() {
            let level = &self.levels[self.level(NodeId(node)) as usize];
            let across = f64::from(node - level.first) + 0.5;
            let x = across * f64::from(widest) / f64::from(level.nodes);
            let y = -height * f64::from(self.level(NodeId(node)));
            plan.places[node as usize] = Point::new(x, y);
        }
        let level = |node| self.level(node) as usize;
        let upper = plan
            .links
            .iter()
            .map(|link| level(link.source).max(level(link.target)));
        plan.class_of = upper.map(|level| level - 1).collect();
        plan.classes = (1..=self.children.len())
            .map(|level| class(format!("to level {level}"), Colour::of_class(level - 1)))
            .collect();
        plan.straight_paths();
        plan
    }
}
