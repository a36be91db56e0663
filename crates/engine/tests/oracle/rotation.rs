//! Allocators that begin one diagonal or input further in every cycle with a request, and the numbers of ports.

use super::Oracle;
use super::at_once::Wave;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::{Matching, MatchingStart, PimDraw};
use flitsim_topology::{ChannelId, Direction, NodeId};

impl Oracle<'_> {
    pub(super) fn is_rotated(&self, matching: Matching) -> bool {
        let start = match matching {
            Matching::Wavefront => self.config.wavefront,
            Matching::Maximum => self.config.maximum,
            _ => return false,
        };
        start == MatchingStart::Rotating
    }

    /// Whether PIM draws places.
    pub(super) fn draws_places(&self, matching: Option<Matching>) -> bool {
        matches!(matching, Some(Matching::Pim { .. })) && self.config.pim == PimDraw::Start
    }

    /// Whether `number` is passed by where the looking begins that `who` draws, of `each` places a port, and the number.
    pub(super) fn drawn_turn(
        &self,
        router: usize,
        (purpose, who): (Purpose, u32),
        number: u32,
        each: u32,
    ) -> (bool, u32) {
        let node = self.routers[router].node.0;
        let who = who + (self.routers[router].round - 1) * (1 << 22);
        let word = draw(self.seed, purpose, node, self.cycle, who);
        let first = below(word, self.ports_counted(router) * each);
        (number < first, number)
    }

    /// Where allocator `which` of a router begins that has a request, if it moves on; it does so here. With `each` rows or
    /// columns a port.
    pub(super) fn rotated(
        &self,
        router: usize,
        matching: Matching,
        which: usize,
        each: u32,
    ) -> Option<Wave> {
        if !self.is_rotated(matching) {
            return None;
        }
        let side = self.ports_counted(router) * each;
        let mut all = self.routers[router].begun.get();
        let first = all[which] % side;
        all[which] += 1;
        self.routers[router].begun.set(all);
        Some(Wave::From { first, side })
    }

    fn has_own_terminal(&self, router: usize) -> bool {
        !self.config.terminal_ports && self.routers[router].node.0 < self.network.terminals()
    }

    /// The other end of a channel, if that is a terminal at a port.
    fn terminal(&self, neighbour: NodeId) -> Option<u32> {
        let each = self.network.concentration()?.each();
        let terminals = self.network.terminals();
        (neighbour.0 < terminals).then_some(neighbour.0 % each)
    }

    fn terminals_first(&self, router: usize) -> u32 {
        let own = self.has_own_terminal(router) && self.network.routers().hyperx().is_some();
        self.network
            .concentration()
            .map_or(u32::from(own), |c| c.each())
    }

    /// What stands on the sides of a router's square.
    fn ports_counted(&self, router: usize) -> u32 {
        let node = self.routers[router].node;
        let own = u32::from(self.has_own_terminal(router));
        let between = self.network.routers();
        let is_between =
            self.network.concentration().is_none() || node.0 >= self.network.terminals();
        match (between.grid(), between.hyperx()) {
            (Some(grid), _) if is_between => {
                self.terminals_first(router) + 2 * grid.dimensions() as u32 + own
            }
            _ => {
                let into = self.network.incoming(node).len();
                into.max(self.network.outgoing(node).len()) as u32 + own
            }
        }
    }

    /// The number of an input port.
    pub(super) fn number_in(&self, router: usize, port: usize) -> u32 {
        let into = self.network.incoming(self.routers[router].node);
        let channel = self.routers[router].ports[port].channel;
        let others: Vec<NodeId> = into
            .iter()
            .map(|&channel| self.network.source(channel))
            .collect();
        let is_below = |channel| self.network.course(channel).direction == Some(Direction::Up);
        let end = channel.map(|channel| (channel, self.network.source(channel), is_below(channel)));
        self.number(router, port, end, &others)
    }

    /// The number of an output.
    pub(super) fn number_out(&self, router: usize, output: usize) -> u32 {
        let out = self
            .network
            .outgoing(self.routers[router].node)
            .map(ChannelId);
        let channel = self.routers[router].outputs[output].channel;
        let others: Vec<NodeId> = out.map(|channel| self.network.target(channel)).collect();
        let is_below = |channel| self.network.course(channel).direction == Some(Direction::Down);
        let end = channel.map(|channel| (channel, self.network.target(channel), is_below(channel)));
        self.number(router, output, end, &others)
    }

    /// That of the port at `place`, at whose channel's `end` a neighbour is, below in its dimension or not; the
    /// neighbours of all channels are `others`.
    fn number(
        &self,
        router: usize,
        place: usize,
        end: Option<(ChannelId, NodeId, bool)>,
        others: &[NodeId],
    ) -> u32 {
        let between = self.network.routers();
        let first = self.terminals_first(router);
        let node = self.routers[router].node;
        let is_terminal =
            self.network.concentration().is_some() && node.0 < self.network.terminals();
        let Some((channel, neighbour, is_below)) = end else {
            // The terminal's own way.
            return match (between.grid(), between.hyperx()) {
                _ if is_terminal => place as u32,
                (Some(grid), _) => 2 * grid.dimensions() as u32,
                (_, Some(_)) => 0,
                _ => place as u32,
            };
        };
        if is_terminal || between.grid().is_none() && between.hyperx().is_none() {
            return place as u32;
        }
        if let Some(terminal) = self.terminal(neighbour) {
            return terminal;
        }
        if between.grid().is_some() {
            let dimension = self.network.course(channel).dimension.expect("a grid's");
            return first + 2 * dimension + u32::from(is_below);
        }
        // A HyperX: by dimension, then by coordinate there.
        let key = |other: &NodeId| {
            let [of, own] = [*other, node]
                .map(|node| self.network.coordinates(node).expect("a lattice").to_vec());
            let differs = std::iter::zip(&of, &own).position(|(a, b)| a != b);
            differs.map(|dimension| (dimension, of[dimension]))
        };
        let ends = others.iter().enumerate();
        let ends = ends.filter(|(_, other)| self.terminal(**other).is_none());
        let ahead = ends.filter(|(other, end)| (key(end), *other) < (key(&neighbour), place));
        first + ahead.count() as u32
    }
}
