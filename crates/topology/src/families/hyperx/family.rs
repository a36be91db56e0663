//! What HyperX networks tell of themselves.

use super::HyperX;
use crate::families::common::guess::{address, exchanges, reordered, strides};
use crate::families::common::pairs::convolved;
use crate::families::common::picture::circle::circle;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::lattice::{Axis, Lattice, Side};
use crate::families::common::picture::plan::class;
use crate::families::common::plane::Plane;
use crate::families::family::*;
use crate::{Direction, Ends, MinimalPaths};

impl HyperX {
    /// Where the routers lie.
    pub(super) fn places(&self) -> Layout {
        let plane = Plane::new(self.sizes(), Ends::Open);
        let nodes = (0..self.coordinates.nodes()).map(NodeId);
        let places = nodes.map(|node| plane.place(self.coordinates(node)));
        Layout::in_plane(&plane, places, "half of the dimensions along each axis")
    }

    /// The distances between all routers: 1 − 1/S_i hops in dimension i in the mean, each with itself
    /// included.
    pub fn distances(&self) -> Distances {
        let nodes = f64::from(self.coordinates.nodes());
        let share = |&size: &u32| 1.0 - 1.0 / f64::from(size);
        let mean: f64 = self.sizes().iter().map(share).sum();
        Distances {
            diameter: self.diameter(),
            mean_with_self: mean,
            mean_without_self: mean * nodes / (nodes - 1.0),
        }
    }
}

impl Family for HyperX {
    fn hops_at_terminals(&self) -> u32 {
        0
    }

    fn bytes(&self) -> u64 {
        self.coordinates.bytes()
    }

    fn coordinates(&self, node: NodeId) -> Option<&[u16]> {
        Some(self.coordinates.of(node))
    }

    fn course(&self, channel: ChannelId, source: NodeId, target: NodeId) -> Course {
        Course {
            dimension: Some(self.dimension(source, channel) as u32),
            direction: Some(Direction::up_if(source < target)),
            level: None,
        }
    }

    fn guesses(&self) -> Vec<Guess<'_>> {
        let sizes = self.sizes();
        let strides = strides(sizes);
        let mut guesses = Vec::new();
        for (dimension, &size) in sizes.iter().enumerate() {
            let name = format!("shift of dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                let next = (self.coordinates.at(node, dimension) + 1) % size;
                self.coordinates.moved(node, dimension, next)
            }));
        }
        for (dimension, &size) in sizes.iter().enumerate().filter(|&(_, &size)| size > 2) {
            let name = format!("exchange of the first two of {size} in dimension {dimension}");
            guesses.push(Guess::new(name, move |node| {
                match self.coordinates.at(node, dimension) {
                    a @ (0 | 1) => self.coordinates.moved(node, dimension, 1 - a),
                    _ => node,
                }
            }));
        }
        for (name, order) in exchanges(sizes) {
            let strides = reordered(&strides, &order);
            guesses.push(Guess::new(name, move |node| {
                address(self.coordinates(node), &strides)
            }));
        }
        guesses
    }

    fn pairs_by_distance(&self) -> Option<Vec<u64>> {
        let nodes = u64::from(self.coordinates.nodes());
        let of_dimension = |&size: &u32| [1, u64::from(size - 1)];
        let all = self.sizes().iter().map(of_dimension);
        let from_one = all.fold(vec![1], |sums, one| convolved(&sums, &one));
        Some(from_one.into_iter().map(|count| count * nodes).collect())
    }

    fn route_distances(&self) -> Option<Distances> {
        Some(self.distances())
    }

    /// A cut through a dimension of size S has K · S/4 links for each router on it. Where K is the same
    /// in all, none has fewer than one through the smallest, if its size is even (Lindsey 1964).
    fn cut(&self) -> Option<Cut> {
        let nodes = u64::from(self.coordinates.nodes());
        let smallest = *self.sizes().iter().min()?;
        let parallel = u64::from(self.parallel[0]);
        let is_known =
            smallest.is_multiple_of(2) && self.parallel.iter().all(|&k| k == self.parallel[0]);
        let channels = nodes * parallel * u64::from(smallest) / 2;
        let how = "a cut through the smallest dimension, of even size (Lindsey 1964)";
        is_known.then(|| Cut::least(channels, how))
    }

    fn layout(&self) -> Option<Layout> {
        Some(self.places())
    }

    fn picture(&self, graph: &Graph) -> Plan {
        if self.sizes().len() == 1 {
            return circle(graph, graph.nodes(), 1);
        }
        let mut plan = Plan::new(graph);
        let layout = self.places();
        let cell = |place: &[f32; 2]| place.map(|a| a as usize);
        plan.classify(|link| self.dimension(link.source, link.channel));
        plan.classes = (0..self.sizes().len())
            .map(|i| class(format!("dimension {i}"), Colour::of_class(i)))
            .collect();
        let sides: Vec<Side> = plan
            .class_of
            .iter()
            .map(|dimension| match dimension % 2 {
                0 => Side::Before,
                _ => Side::Behind,
            })
            .collect();
        let lattice = Lattice {
            cells: layout.places_pitches().iter().map(cell).collect(),
            axes: [layout.columns(), layout.rows()].map(|count| Axis::even(count as usize)),
            side: |link: usize| sides[link],
            first_height: 0.45,
            track_height: 0.16,
        };
        lattice.draw(&mut plan);
        plan
    }
}
