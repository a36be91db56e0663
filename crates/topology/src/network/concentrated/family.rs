//! What concentrated networks tell of themselves: what their routers do, and of their terminals.

use super::Concentrated;
use crate::families::common::picture::circle::circle;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::plan::faint;
use crate::families::common::raster;
use crate::families::family::*;

impl Concentrated {
    /// Where the nodes lie.
    pub(super) fn places(&self) -> Layout {
        let block = raster::near_square(self.each());
        let [width, height] = block.map(|size| size as f32);
        // A network without a layout has its routers row by row.
        let row = raster::near_square(self.routers().nodes());
        let layout = self.routers().family().layout();
        let (size, at): ([u32; 2], Vec<[f32; 2]>) = match &layout {
            Some(layout) => (
                [layout.columns(), layout.rows()],
                layout.places_pitches().to_vec(),
            ),
            None => (
                row,
                (0..self.routers().nodes())
                    .map(|i| raster::place(row, i))
                    .collect(),
            ),
        };
        let corner = |router: NodeId| {
            let [x, y] = at[router.index()];
            [x * width, y * height]
        };
        let terminals = (0..self.terminals()).map(NodeId).map(|terminal| {
            let [x, y] = corner(self.router(terminal));
            let [column, row] = raster::place(block, terminal.0 % self.each());
            [x + column, y + row]
        });
        let routers = (0..self.routers().nodes()).map(NodeId).map(|router| {
            let [x, y] = corner(router);
            [x + (width - 1.0) / 2.0, y + (height - 1.0) / 2.0]
        });
        let size = [size[0] * block[0], size[1] * block[1]];
        let description = "that of the routers, each in the middle of a block of its terminals";
        Layout::new(size, terminals.chain(routers).collect(), description)
    }
}

impl Family for Concentrated {
    fn bytes(&self) -> u64 {
        self.bytes()
    }

    fn hops_at_terminals(&self) -> u32 {
        2
    }

    fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        self.routers().coordinates(self.router(node))
    }

    /// Links of terminals have none.
    fn course(&self, channel: ChannelId, source: NodeId, _: NodeId) -> Course {
        let between = source.0.checked_sub(self.terminals()).map(NodeId);
        let between = between.and_then(|router| self.between_routers(router, channel));
        between.map_or(Course::default(), |channel| self.routers().course(channel))
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        let lifted = self.routers().family().guesses().into_iter().map(|guess| {
            let (name, image) = (guess.name, guess.image);
            Guess::new(name, move |node: NodeId| {
                let router = image(self.router(node));
                match node.0 < self.terminals() {
                    true => NodeId(router.0 * self.each() + node.0 % self.each()),
                    false => self.node(router),
                }
            })
        });
        let mut guesses: Vec<Guess<'_>> = lifted.collect();
        guesses.push(Guess::new(
            "rotation of the terminals of each router",
            |node| match node.0 < self.terminals() {
                true => {
                    let router = node.0 / self.each();
                    NodeId(router * self.each() + (node.0 + 1) % self.each())
                }
                false => node,
            },
        ));
        guesses
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        let pairs = self.routers().family().pairs_by_distance()?;
        let each = u64::from(self.each());
        let terminals = u64::from(self.terminals());
        let mut all = vec![terminals, 0, terminals * (each - 1)];
        all.extend(pairs[1..].iter().map(|pairs| pairs * each * each));
        Some(all)
    }

    /// Halves of the routers are halves of the terminals; others could be less, where routers are halved.
    fn cut(&self) -> Option<Cut> {
        let cut = self.routers().family().cut()?;
        let is_even = self.routers().nodes().is_multiple_of(2);
        is_even.then(|| Cut::bound(cut.channels, cut.how))
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    /// The routers on a circle, their terminals outside, coloured as the network is.
    fn picture(&self, graph: &Graph) -> Plan {
        let routers = self.routers();
        let own = routers.family().picture(routers);
        let mut plan = circle(graph, routers.nodes(), 1);
        let classes = own.classes.len();
        // The lines between routers come in the order of theirs, among those of terminals.
        let mut of_routers = own.class_of.into_iter();
        plan.classify(|link| match link.source.0 < self.terminals() {
            true => classes,
            false => of_routers.next().unwrap_or(0),
        });
        plan.classes = own.classes;
        plan.classes.push(faint("to a terminal", Colour::GREY));
        plan
    }
}
