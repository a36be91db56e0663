//! What a routing's own file says of it: everything that others ask, but the relation.

use super::options::{OptionKey, Options};
use super::tables::{Table, Tables};
use crate::ConfigError;
use flitsim_topology::properties::{two_colouring, unpaired_channel};
use flitsim_topology::{
    Distances, Ends, FatTreeKind, Grid, MinimalPaths, MinimalTable, MinimalTableError, Network,
    Paths, Shape,
};

/// What is known of a routing beside its relation.
#[derive(Debug)]
pub struct Description {
    /// The name in scenario files and results.
    pub name: &'static str,
    /// The keys that it takes beside `algorithm`.
    pub keys: &'static [OptionKey],
    /// Whether it fits a network, which may have faults, and comes first there.
    pub fits: fn(&Network) -> Fit,
    /// What it needs of a network with faults.
    pub needs: Needs,
    /// The fewest virtual channels on a network that it fits.
    pub virtual_channels_min: fn(&Site<'_, '_>) -> u32,
    /// Whether every packet takes a shortest path.
    pub is_minimal: bool,
    /// How packets choose among channels.
    pub spread: Spread,
    /// For routings that may be the escape of another: the virtual channels that it then takes;
    /// `None` on networks where it cannot be one.
    pub escape_vcs: Option<fn(&Network) -> Option<u32>>,
}

/// Whether a routing fits a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It does not.
    No,
    /// It does, and comes after others.
    Last,
    /// It does.
    Yes,
    /// It does, and is the default there, before those that come earlier in the registry.
    Default,
}

impl Fit {
    pub(super) const fn yes_if(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

/// What a routing needs of a network where something has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A way between any two terminals.
    Paths,
    /// Links: no channel without one back.
    Links,
    /// Two colours of nodes, with every channel between them.
    TwoColours,
    /// That nothing has failed.
    Whole,
}

/// How packets spread over channels, as against what the analysis of channel loads assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// They have no choice: loads are what the analysis says.
    Fixed,
    /// Evenly over what the relation offers, as the analysis assumes.
    Even,
    /// By what is free: they may spread better than the analysis says.
    Adaptive,
}

/// Where a routing is built.
#[derive(Clone, Copy, Debug)]
pub struct Site<'n, 't> {
    /// The network.
    pub network: &'n Network,
    /// The virtual channels of each channel.
    pub virtual_channels: u32,
    /// What the routing was told.
    pub options: &'t Options,
    /// The tables of the network.
    pub tables: &'t Tables,
}

impl Table for Distances {
    fn bytes(&self) -> u64 {
        Self::bytes(self)
    }
}

impl<'n> Site<'n, '_> {
    /// The same with `virtual_channels` virtual channels a channel.
    pub(super) fn with(&self, virtual_channels: u32) -> Self {
        Self {
            virtual_channels,
            ..*self
        }
    }

    /// The shortest paths of the network, for `algorithm`: in closed form, or by a table.
    pub(super) fn paths(&self, algorithm: &'static str) -> Result<Paths<'n>, ConfigError> {
        self.shortest_paths().map_err(|error| match error {
            MinimalTableError::TooLarge {
                terminals,
                nodes,
                mebibytes,
                limit_mebibytes,
            } => ConfigError::TablesTooLarge {
                algorithm,
                terminals,
                nodes,
                mebibytes,
                limit_mebibytes,
            },
            MinimalTableError::NoPath { from, to } => ConfigError::NoPath {
                algorithm,
                from,
                to,
            },
            error => ConfigError::routing(format!("{algorithm} cannot be used here: {error}")),
        })
    }

    fn shortest_paths(&self) -> Result<Paths<'n>, MinimalTableError> {
        if let Some(paths) = Paths::in_closed_form(self.network) {
            return Ok(paths);
        }
        let build = || {
            let table = MinimalTable::new(self.network)?.into_distances();
            Ok(std::sync::Arc::unwrap_or_clone(table))
        };
        let distances = self.tables.get(0, build)?;
        Ok(Paths::Table(MinimalTable::with(self.network, distances)))
    }

    /// The largest distance between two terminals; 0 where there is no telling.
    pub(super) fn diameter(&self) -> u32 {
        self.shortest_paths().map_or(0, |paths| paths.diameter())
    }
}

/// What `algorithm` must know of the family `family` of networks.
pub(super) fn of_family<T>(
    found: Option<T>,
    algorithm: &str,
    family: &str,
) -> Result<T, ConfigError> {
    found.ok_or_else(|| ConfigError::routing(format!("{algorithm} needs {family}")))
}

/// The torus, mesh or hypercube that `algorithm` needs.
pub(super) fn of_grid<'n>(site: &Site<'n, '_>, algorithm: &str) -> Result<&'n Grid, ConfigError> {
    of_family(site.network.grid(), algorithm, "a torus, mesh or hypercube")
}

/// For routings that know nothing of a network but its graph.
pub(super) fn fits_any(network: &Network) -> Fit {
    match network.damage() {
        Some(_) => Fit::Yes,
        None => Fit::Last,
    }
}

/// Whether there are no channels without one back. Express cubes say why not when the routing is built.
pub(super) fn has_links(network: &Network) -> bool {
    match network.shape() {
        Shape::Grid(grid) => grid.ends() != Ends::DirectedRing,
        Shape::SparseTorus(torus) => !torus.thinning().is_one_way(),
        Shape::Butterfly(_) => false,
        Shape::File(_) => unpaired_channel(network).is_none(),
        Shape::ExpressCube(_)
        | Shape::FatTree(_)
        | Shape::Star(_)
        | Shape::HyperX(_)
        | Shape::Dragonfly(_)
        | Shape::SlimFly(_)
        | Shape::RandomRegular(_)
        | Shape::Xgft(_)
        | Shape::Concentrated(_) => true,
    }
}

/// For routings that need two colours. Of express cubes and files it is seen when they are built.
pub(super) fn fits_two_colours(network: &Network) -> Fit {
    let fits = match network.shape() {
        Shape::Grid(grid) => grid.is_bipartite(),
        Shape::SparseTorus(torus) => torus.radix().is_multiple_of(2),
        Shape::FatTree(tree) => tree.kind() == FatTreeKind::Butterfly,
        Shape::HyperX(hyperx) => hyperx.is_bipartite(),
        Shape::Dragonfly(_) | Shape::SlimFly(_) | Shape::RandomRegular(_) | Shape::Butterfly(_) => {
            false
        }
        Shape::File(_) if network.damage().is_some() => two_colouring(network).is_some(),
        Shape::ExpressCube(_)
        | Shape::Star(_)
        | Shape::Xgft(_)
        | Shape::Concentrated(_)
        | Shape::File(_) => true,
    };
    match network.damage() {
        Some(_) if fits => Fit::Last,
        _ => Fit::yes_if(fits),
    }
}

/// For routings that a file says: whatever the network, the file may be for it.
pub(super) fn fits_last(_: &Network) -> Fit {
    Fit::Last
}

/// Whether a grid has a dimension whose ends are joined.
pub(super) fn has_rings(grid: &Grid) -> bool {
    (0..grid.dimensions()).any(|i| grid.is_ring(i))
}

/// For routings that one virtual channel suffices for.
pub(super) fn one(_: &Site<'_, '_>) -> u32 {
    1
}
