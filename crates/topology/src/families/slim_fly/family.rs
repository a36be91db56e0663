//! What Slim Flies tell of themselves.

use super::SlimFly;
use crate::families::common::picture::circle::circle;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::plan::class;
use crate::families::family::*;
use crate::memory::bytes_of;

impl SlimFly {
    /// Where the routers lie.
    pub(super) fn places(&self) -> Layout {
        let q = self.order();
        let place = |&[half, x, y]: &[u16; 3]| [f32::from(2 * x + half), f32::from(y)];
        let places = self.address.iter().map(place).collect();
        Layout::new([2 * q, q], places, "the columns of the two halves in turn")
    }

    /// The distances between all routers: of the others, as many as the degree are 1 hop away, the rest 2.
    pub fn distances(&self) -> Distances {
        let routers = self.address.len() as f64;
        let sum = 2.0 * (routers - 1.0) - f64::from(self.degree());
        Distances {
            diameter: 2,
            mean_with_self: sum / routers,
            mean_without_self: sum / (routers - 1.0),
        }
    }

    /// A guess that takes (half, x, y) to what `image` says.
    fn guess<'n>(
        &'n self,
        name: String,
        image: impl Fn([u32; 3]) -> [u32; 3] + Sync + 'n,
    ) -> Guess<'n> {
        Guess::new(name, move |node| self.node(image(self.address(node))))
    }
}

impl Family for SlimFly {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        self.field.bytes() + bytes_of(&self.address)
    }

    /// Level 0 within a column, 1 between the halves.
    fn course(&self, _: ChannelId, source: NodeId, target: NodeId) -> Course {
        let halves = [source, target].map(|node| self.address(node)[0]);
        Course {
            level: Some(u32::from(halves[0] != halves[1])),
            ..Course::default()
        }
    }

    /// y = mx + c still holds with c and y raised; with m raised by s and y by sx; with x raised by t and c
    /// lowered by mt; and, halves exchanged, in the field that multiplies by a primitive element.
    fn guesses(&self) -> Vec<Guess<'_>> {
        let field = &self.field;
        let mut guesses = Vec::new();
        for by in field.basis() {
            guesses.push(
                self.guess(format!("shift of the rows by {by}"), move |[half, x, y]| {
                    [half, x, field.sum(y, by)]
                }),
            );
            let name = format!("slope of the first half by {by}");
            guesses.push(self.guess(name, move |[half, x, y]| match half {
                0 => [0, x, field.sum(y, field.product(by, x))],
                _ => [1, field.sum(x, by), y],
            }));
            let name = format!("slope of the second half by {by}");
            guesses.push(self.guess(name, move |[half, x, y]| match half {
                0 => [0, field.sum(x, by), y],
                _ => [1, x, field.sum(y, field.negative(field.product(by, x)))],
            }));
        }
        let (one, two) = (field.powers[1], field.powers[2 % field.powers.len()]);
        guesses.push(
            self.guess("rows times a square".to_owned(), move |[half, x, y]| {
                let x = if half == 0 { x } else { field.product(two, x) };
                [half, x, field.product(two, y)]
            }),
        );
        guesses.push(
            self.guess("exchange of the halves".to_owned(), move |[half, x, y]| {
                let x = if half == 0 {
                    x
                } else {
                    field.negative(field.product(one, x))
                };
                [1 - half, x, field.product(one, y)]
            }),
        );
        guesses
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        let (routers, degree) = (self.address.len() as u64, u64::from(self.degree()));
        Some(
            [1, degree, routers - 1 - degree]
                .map(|count| count * routers)
                .to_vec(),
        )
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn picture(&self, graph: &Graph) -> Plan {
        let mut plan = circle(graph, graph.nodes(), self.order());
        let halves = plan.links.iter().map(|link| [link.source, link.target]);
        let halves = halves.map(|ends| ends.map(|node| self.address(node)[0]));
        plan.class_of = halves.map(|[from, to]| usize::from(from != to)).collect();
        plan.classes = vec![
            class("within a column", Colour::VERMILION),
            class("between the halves", Colour::BLUE),
        ];
        plan
    }
}
