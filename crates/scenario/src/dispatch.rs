//! The one place where names become types: a routing algorithm chosen at run time calls code that
//! is compiled for it.
//!
//! A new algorithm is one variant of [`RoutingChoice`] and one arm in [`with_routing`].

mod compose;
mod tasks;

use crate::text_file::source;
pub use flitsim_engine::routing::WithRouting;
pub use tasks::{expected_of, uniform_load_max};

use crate::{Escape, RoutingChoice};
use compose::{with_escape, with_minimal_adaptive};
use flitsim_engine::routing::{
    DimensionOrder, Duato, ECube, EnhancedNbc, Erased, Express, FatPyramid, FewestDescents, Folded,
    HopClass, Nbc, NearestCommonAncestor, NegativeHop, OddEven, Order, PrunedOrder, SourceRoutes,
    Table, TableError, TurnModel, UpDown, Valiant,
};
use flitsim_engine::{ConfigError, Routing};
use flitsim_topology::{MinimalPaths, MinimalTableError, Network, Paths, Shape};

/// Builds the algorithm `choice` on `network` and hands it to `then`. Where it needs more than
/// `virtual_channels`, it goes without the escape that it was given, or is folded onto those that
/// there are, and so is not free of deadlock.
///
/// # Errors
/// If the algorithm does not fit the network.
pub fn with_routing<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    if let Some((classes, surplus)) = escape_classes_short(choice, network, virtual_channels) {
        let whole = RoutingChoice::EnhancedNbc {
            escape_classes: Some(classes + surplus),
        };
        // The escape classes come first.
        let first = classes - 1;
        let folded = Fold {
            first,
            surplus,
            then,
        };
        return with_whole_routing(&whole, network, virtual_channels + surplus, folded);
    }
    let wanted = virtual_channels_min(choice, network);
    if virtual_channels < wanted
        && let Some(alone) = choice.without_escape()
    {
        return with_routing(&alone, network, virtual_channels, then);
    }
    if (1..wanted).contains(&virtual_channels) && wanted <= 64 {
        let folded = Fold {
            first: virtual_channels - 1,
            surplus: wanted - virtual_channels,
            then,
        };
        return with_whole_routing(choice, network, wanted, folded);
    }
    with_whole_routing(choice, network, virtual_channels, then)
}

/// Where `choice` names fewer escape classes than suffice: how many, and how many more would.
pub fn escape_classes_short(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
) -> Option<(u32, u32)> {
    let RoutingChoice::EnhancedNbc {
        escape_classes: Some(classes),
    } = *choice
    else {
        return None;
    };
    let least = Paths::of(network).ok()?.diameter() / 2 + 1;
    let surplus = least.checked_sub(classes).filter(|&more| more > 0)?;
    let fits = classes < virtual_channels && virtual_channels + surplus <= 64;
    fits.then_some((classes, surplus))
}

/// As [`with_routing`], for what is not worth compiling for every algorithm: `then` gets a relation
/// without its type, twice as slow and always the same.
///
/// # Errors
/// As [`with_routing`].
pub fn with_any_routing<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    with_routing(choice, network, virtual_channels, Erase(then))
}

/// Hands a relation on to `then` without its type.
struct Erase<W>(W);

impl<W: WithRouting> WithRouting for Erase<W> {
    type Output = W::Output;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        match R::ESCAPE {
            true => self.0.call(Erased::<true>::new(&routing)),
            false => self.0.call(Erased::<false>::new(&routing)),
        }
    }
}

/// Hands a relation on to `then` with fewer virtual channels than it needs.
struct Fold<W> {
    first: u32,
    surplus: u32,
    then: W,
}

impl<W: WithRouting> WithRouting for Fold<W> {
    type Output = W::Output;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        match R::ESCAPE {
            true => {
                let folded = Folded::<true>::at(&routing, self.first, self.surplus);
                self.then.call(folded)
            }
            false => {
                let folded = Folded::<false>::at(&routing, self.first, self.surplus);
                self.then.call(folded)
            }
        }
    }
}

/// As [`with_routing`], and too few virtual channels are an error.
fn with_whole_routing<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    match choice {
        RoutingChoice::OverEscape { algorithm, escape } => {
            with_escape(algorithm, *escape, network, virtual_channels, then)
        }
        choice => with_routing_alone(choice, network, virtual_channels, then),
    }
}

/// As [`with_whole_routing`], for an algorithm that is not composed of two.
fn with_routing_alone<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    let vcs = virtual_channels;
    match choice {
        RoutingChoice::DimensionOrder {
            tie,
            order,
            vc_balance,
        } => {
            if let Some(torus) = network.sparse_torus()
                && *order == Order::LowestFirst
            {
                return Ok(then.call(PrunedOrder::new(torus, vcs, *tie, *vc_balance)?));
            }
            let grid = shape(
                network.grid(),
                "dimension-order",
                "a torus, mesh or hypercube",
            )?;
            let routing = DimensionOrder::new(grid, vcs, *tie, *vc_balance)?;
            Ok(then.call(routing.with_order(*order)))
        }
        RoutingChoice::TurnModel { rule } => {
            let grid = shape(network.grid(), rule.name(), "a mesh or hypercube")?;
            Ok(then.call(TurnModel::new(grid, vcs, *rule)?))
        }
        RoutingChoice::OddEven => {
            let grid = shape(network.grid(), "odd-even", "a mesh of two dimensions")?;
            Ok(then.call(OddEven::new(grid, vcs)?))
        }
        RoutingChoice::Duato => {
            let grid = shape(network.grid(), "duato", "a torus, mesh or hypercube")?;
            Ok(then.call(Duato::new(grid, vcs)?))
        }
        RoutingChoice::MinimalAdaptive { escape } => {
            with_minimal_adaptive(*escape, network, vcs, then)
        }
        RoutingChoice::Valiant { vc_balance } => {
            let grid = shape(network.grid(), "valiant", "a torus, mesh or hypercube")?;
            Ok(then.call(Valiant::new(grid, vcs, *vc_balance)?))
        }
        RoutingChoice::Express => {
            let cube = shape(network.express_cube(), "express", "an express cube")?;
            Ok(then.call(Express::new(cube, vcs)?))
        }
        RoutingChoice::NearestCommonAncestor => {
            let tree = shape(network.fat_tree(), "nearest-common-ancestor", "a fat-tree")?;
            Ok(then.call(NearestCommonAncestor::new(tree, vcs)?))
        }
        RoutingChoice::FatPyramid { slack } => {
            let tree = shape(network.fat_tree(), "fat-pyramid", "a fat-pyramid")?;
            Ok(then.call(FatPyramid::new(tree, vcs, *slack)?))
        }
        RoutingChoice::NegativeHop => {
            let paths = shortest_paths(choice, network)?;
            Ok(then.call(NegativeHop::new(&paths, vcs)?))
        }
        RoutingChoice::Nbc => {
            let paths = shortest_paths(choice, network)?;
            Ok(then.call(Nbc::new(&paths, vcs)?))
        }
        RoutingChoice::EnhancedNbc { escape_classes } => {
            let paths = shortest_paths(choice, network)?;
            Ok(then.call(EnhancedNbc::new(&paths, vcs, *escape_classes)?))
        }
        RoutingChoice::HopClass => {
            let paths = shortest_paths(choice, network)?;
            Ok(then.call(HopClass::new(&paths, vcs)?))
        }
        // The tables of these are large: lent, not copied.
        RoutingChoice::FewestDescents => Ok(then.call(&FewestDescents::new(network, vcs)?)),
        RoutingChoice::UpDown => Ok(then.call(&UpDown::new(network, vcs, None)?)),
        RoutingChoice::Table { file } => {
            let table = Table::parse(network, source(file), vcs).map_err(of_file)?;
            Ok(then.call(&table))
        }
        RoutingChoice::Source { file } => {
            let routes = SourceRoutes::parse(network, source(file), vcs).map_err(of_file)?;
            Ok(then.call(&routes))
        }
        RoutingChoice::OverEscape { .. } => Err(ConfigError::Routing {
            reason: "an algorithm has one escape at most".to_owned(),
        }),
    }
}

/// What is wrong with the file of an algorithm.
fn of_file(error: TableError) -> ConfigError {
    match error {
        TableError::Config(error) => error,
        error => ConfigError::Routing {
            reason: error.to_string(),
        },
    }
}

/// Whether the file of the algorithm `choice` is well-formed, and leads some packet to where there is
/// no way on, or round for ever.
pub fn leads_astray(choice: &RoutingChoice, network: &Network, virtual_channels: u32) -> bool {
    let error = match choice {
        RoutingChoice::Table { file } => {
            Table::parse(network, source(file), virtual_channels).err()
        }
        RoutingChoice::Source { file } => {
            SourceRoutes::parse(network, source(file), virtual_channels).err()
        }
        RoutingChoice::OverEscape { algorithm, escape } => {
            let lower = escape_virtual_channels(*escape, network);
            return leads_astray(algorithm, network, virtual_channels.saturating_sub(lower));
        }
        _ => None,
    };
    matches!(error, Some(TableError::Table { problem, .. }) if problem.leads_astray())
}

/// The shortest paths of `network`, for the algorithm `choice`: in closed form, or by a table.
fn shortest_paths<'n>(
    choice: &RoutingChoice,
    network: &'n Network,
) -> Result<Paths<'n>, ConfigError> {
    let algorithm = choice.name();
    Paths::of(network).map_err(|error| match error {
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
        error => ConfigError::Routing {
            reason: format!("{algorithm} cannot be used here: {error}"),
        },
    })
}

/// What `algorithm` knows of its family of networks.
fn shape<T>(found: Option<T>, algorithm: &str, family: &str) -> Result<T, ConfigError> {
    found.ok_or_else(|| needs(algorithm, family))
}

fn needs(algorithm: &str, family: &str) -> ConfigError {
    ConfigError::Routing {
        reason: format!("{algorithm} needs {family}"),
    }
}

/// The fewest virtual channels with which the algorithm `choice` runs on `network`, a network that
/// it fits.
pub fn virtual_channels_min(choice: &RoutingChoice, network: &Network) -> u32 {
    let diameter = || Paths::of(network).map_or(0, |paths| paths.diameter());
    match choice {
        RoutingChoice::NegativeHop | RoutingChoice::Nbc => diameter() / 2 + 1,
        RoutingChoice::EnhancedNbc { escape_classes } => {
            let least = diameter() / 2 + 1;
            escape_classes.map_or(least, |classes| classes.max(least)) + 1
        }
        RoutingChoice::FewestDescents => FewestDescents::virtual_channels_min(network).unwrap_or(1),
        RoutingChoice::HopClass => diameter(),
        RoutingChoice::DimensionOrder { .. } => match network.shape() {
            Shape::Grid(grid) => 1 + u32::from((0..grid.dimensions()).any(|i| grid.is_ring(i))),
            Shape::SparseTorus(torus) if torus.radix() > 2 => 4,
            _ => 2,
        },
        RoutingChoice::Duato => 1 + network.grid().map_or(1, ECube::virtual_channels_min),
        RoutingChoice::MinimalAdaptive { escape } => {
            1 + escape.map_or(0, |escape| escape_virtual_channels(escape, network))
        }
        RoutingChoice::OverEscape { algorithm, escape } => {
            escape_virtual_channels(*escape, network) + virtual_channels_min(algorithm, network)
        }
        RoutingChoice::Valiant { .. } => network.grid().map_or(2, Valiant::virtual_channels_min),
        _ => 1,
    }
}

/// The virtual channels that `escape` keeps to itself on `network`, a network that it fits.
pub fn escape_virtual_channels(escape: Escape, network: &Network) -> u32 {
    match escape {
        Escape::DimensionOrder => network.grid().map_or(1, ECube::virtual_channels_min),
        Escape::TurnModel(_) | Escape::UpDown => 1,
    }
}

/// Whether the algorithm `choice`, which must fit `network` and the number of virtual channels,
/// relies on an escape.
///
/// # Errors
/// Why it does not fit.
pub fn check_routing(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
) -> Result<bool, ConfigError> {
    struct Check;
    impl WithRouting for Check {
        type Output = bool;
        fn call<R: Routing + Clone>(self, _: R) -> bool {
            R::ESCAPE
        }
    }
    with_whole_routing(choice, network, virtual_channels, Check)
}
