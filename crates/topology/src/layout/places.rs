//! The layout of any network of a family: the place of every node in the plane, and what crosses
//! the cuts between columns and between rows.
//!
//! Invariant: a channel is as long as its ends are apart along the axes, but for express cubes of
//! three dimensions and more, whose lengths are those of a layout in as many directions.

use super::profile::Counter;
use super::{DensityProfile, Plane};
use crate::{
    ChannelId, Ends, ExpressCube, FatTree, Grid, Network, NodeId, Shape, SparseTorus, Star,
};

/// Where the nodes of a network lie in the plane, in pitches.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    columns: u32,
    rows: u32,
    places_pitches: Vec<[f32; 2]>,
    description: &'static str,
}

impl Layout {
    /// The layout of a network of a family; `None` for a network from a file, whose places, where
    /// it has any, are for drawing and in no known unit.
    ///
    /// | family | layout |
    /// | --- | --- |
    /// | torus, mesh, hypercube, thinned-out tori | [`Plane`]: half of the dimensions along each axis, rings folded |
    /// | express cube | its mesh, in the [`Plane`]; an interchange in the place of the node above it |
    /// | butterfly fat-tree, fat-pyramid | processors in a square, every switch in the middle of its block |
    /// | star | copies of the next smaller star side by side, or one above the other, in turn |
    pub fn of(network: &Network) -> Option<Self> {
        match network.shape() {
            Shape::Grid(grid) => Some(Self::of_grid(grid)),
            Shape::SparseTorus(torus) => Some(Self::of_sparse_torus(torus)),
            Shape::ExpressCube(cube) => Some(Self::of_express_cube(cube, network.nodes())),
            Shape::FatTree(tree) => Some(Self::of_fat_tree(tree)),
            Shape::Star(star) => Some(Self::of_star(star)),
            Shape::Damaged(damage) => Self::of(damage.whole()),
            Shape::File => None,
        }
    }

    fn of_grid(grid: &Grid) -> Self {
        let plane = Plane::of(grid);
        let nodes = (0..plane.columns() * plane.rows()).map(|node| NodeId(node as u32));
        let description = match grid.ends() {
            Ends::Open => "half of the dimensions along each axis",
            Ends::Ring | Ends::DirectedRing => "half of the dimensions along each axis, folded",
        };
        let places = nodes.map(|node| plane.place(grid.coordinates(node)));
        Self::in_plane(&plane, places, description)
    }

    fn of_sparse_torus(torus: &SparseTorus) -> Self {
        let plane = torus.plane();
        let nodes = (0..torus.nodes()).map(NodeId);
        let places = nodes.map(|node| plane.place(torus.coordinates(node)));
        let description = "half of the dimensions along each axis, folded";
        Self::in_plane(&plane, places, description)
    }

    fn of_express_cube(cube: &ExpressCube, routers: u32) -> Self {
        let plane = Plane::new(cube.radices(), Ends::Open);
        let places = (0..routers).map(NodeId).map(|router| {
            let node = cube.interchange(router).map_or(router, |at| at.node);
            plane.place(cube.coordinates(node))
        });
        let description = "a mesh, each interchange in the place of the node above it";
        Self::in_plane(&plane, places, description)
    }

    fn in_plane(
        plane: &Plane,
        places: impl Iterator<Item = (u32, u32)>,
        description: &'static str,
    ) -> Self {
        Self {
            columns: plane.columns() as u32,
            rows: plane.rows() as u32,
            places_pitches: places.map(|(x, y)| [x as f32, y as f32]).collect(),
            description,
        }
    }

    fn of_fat_tree(tree: &FatTree) -> Self {
        let row = 1 << tree.levels();
        let places = (0..tree.nodes()).map(|node| tree.place_pitches(NodeId(node)));
        Self {
            columns: row,
            rows: row,
            places_pitches: places.map(|(x, y)| [x, y]).collect(),
            description: "processors in a square, every switch in the middle of its block",
        }
    }

    /// Beside [`Layout::of`] for a star graph without its network.
    pub(crate) fn of_star(star: &Star) -> Self {
        let places = (0..star.nodes()).map(|node| star.place_pitches(NodeId(node)));
        let along = |parity| (2..=star.symbols()).filter(move |radix| radix % 2 == parity);
        Self {
            columns: along(0).product(),
            rows: along(1).product(),
            places_pitches: places.map(|(x, y)| [x as f32, y as f32]).collect(),
            description: "copies of the next smaller star side by side and one above the other, \
                          in turn",
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

    /// The channels of `network`, whose layout this is, across each cut between two neighbouring
    /// columns, in all rows together: so it counts wires that change rows on their way, wherever
    /// they do. A switch that stands on a cut counts as behind it.
    ///
    /// For grids, [`Plane::row_density`] says the same of a single row, and at once.
    ///
    /// # Panics
    /// If the network has other nodes than the layout.
    pub fn row_density(&self, network: &Network) -> DensityProfile {
        self.density(0, ends(network))
    }

    /// The channels across each cut between two neighbouring rows, in all columns together; else as
    /// [`Layout::row_density`].
    ///
    /// # Panics
    /// If the network has other nodes than the layout.
    pub fn column_density(&self, network: &Network) -> DensityProfile {
        self.density(1, ends(network))
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

pub(crate) fn ends(network: &Network) -> impl Iterator<Item = (NodeId, NodeId)> {
    let channels = (0..network.channels()).map(ChannelId);
    channels.map(|channel| (network.source(channel), network.target(channel)))
}
