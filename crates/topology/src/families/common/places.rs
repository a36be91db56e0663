//! The layout of any network of a family: the place of every node in the plane, and what crosses
//! the cuts between columns and between rows.
//!
//! Invariant: a channel is as long as its ends are apart along the axes, but for express cubes of
//! three dimensions and more, whose lengths are those of a layout in as many directions.

use super::plane::Plane;
use super::profile::{Counter, DensityProfile};
use crate::{ChannelId, Graph, NodeId};

/// Where the nodes of a network lie in the plane, in pitches.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    columns: u32,
    rows: u32,
    places_pitches: Vec<[f32; 2]>,
    description: &'static str,
}

impl Layout {
    /// Places in `plane`, by node.
    pub(crate) fn in_plane(
        plane: &Plane,
        places: impl Iterator<Item = (u32, u32)>,
        description: &'static str,
    ) -> Self {
        let size = [plane.columns() as u32, plane.rows() as u32];
        let places = places.map(|(x, y)| [x as f32, y as f32]);
        Self::new(size, places.collect(), description)
    }

    /// Places in a rectangle of so many columns and rows, by node.
    pub(crate) fn new(
        [columns, rows]: [u32; 2],
        places_pitches: Vec<[f32; 2]>,
        description: &'static str,
    ) -> Self {
        Self {
            columns,
            rows,
            places_pitches,
            description,
        }
    }

    /// Number of columns of terminals, a pitch apart.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Number of rows of terminals, a pitch apart.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The place of every node, x to the right and y downward, from 0.
    pub fn places_pitches(&self) -> &[[f32; 2]] {
        &self.places_pitches
    }

    /// What the layout is, in words.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// The channels of `graph`, whose layout this is, across each cut between two neighbouring
    /// columns, in all rows together: so it counts wires that change rows on their way, wherever
    /// they do. A switch that stands on a cut counts as behind it.
    ///
    /// For grids, [`Plane::row_density`] says the same of a single row, and at once.
    ///
    /// # Panics
    /// If the graph has other nodes than the layout.
    pub fn row_density(&self, graph: &Graph) -> DensityProfile {
        self.density(0, ends(graph))
    }

    /// The channels across each cut between two neighbouring rows, in all columns together; else as
    /// [`Layout::row_density`].
    ///
    /// # Panics
    /// If the graph has other nodes than the layout.
    pub fn column_density(&self, graph: &Graph) -> DensityProfile {
        self.density(1, ends(graph))
    }

    fn density(
        &self,
        axis: usize,
        channels: impl Iterator<Item = (NodeId, NodeId)>,
    ) -> DensityProfile {
        let mut counter = self.counter(axis);
        for (source, target) in channels {
            counter.add(self.passed(source, axis), self.passed(target, axis));
        }
        self.finish(axis, counter)
    }

    /// Row and column density of channels given by their ends, in one go.
    pub(crate) fn densities(
        &self,
        channels: impl Iterator<Item = (NodeId, NodeId)>,
    ) -> (DensityProfile, DensityProfile) {
        let (mut x, mut y) = (self.counter(0), self.counter(1));
        for (source, target) in channels {
            x.add(self.passed(source, 0), self.passed(target, 0));
            y.add(self.passed(source, 1), self.passed(target, 1));
        }
        (self.finish(0, x), self.finish(1, y))
    }

    /// The cuts before a node, or where it stands: cut c is at c − 1/2, so ⌊x + 1/2⌋ of them.
    fn passed(&self, node: NodeId, axis: usize) -> u32 {
        (self.places_pitches[node.index()][axis] + 0.5) as u32
    }

    fn counter(&self, axis: usize) -> Counter {
        Counter::new([self.columns, self.rows][axis])
    }

    fn finish(&self, axis: usize, counter: Counter) -> DensityProfile {
        counter.finish(u64::from([self.rows, self.columns][axis]))
    }
}

pub(crate) fn ends(graph: &Graph) -> impl Iterator<Item = (NodeId, NodeId)> {
    let channels = (0..graph.channels()).map(ChannelId);
    channels.map(|channel| (graph.source(channel), graph.target(channel)))
}
