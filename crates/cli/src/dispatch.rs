//! The one place where names become types: a routing algorithm chosen at run time calls code that
//! is compiled for it.
//!
//! A new algorithm is one variant of [`RoutingChoice`] and one arm in [`with_routing`].

use crate::measurement::MeasureSettings;
use crate::point::PointResult;
use crate::scenario::plan::Load;
use crate::scenario::{RoutingChoice, SeriesPlan};
use crate::simulate::{Monitor, SimulateError, simulate};
use flitsim_engine::analysis::{AnalysisError, Expected, expected};
use flitsim_engine::routing::{
    DimensionOrder, Express, FatPyramid, Folded, HopClass, NearestCommonAncestor, NegativeHop,
    PrunedOrder, Table, TableError, UpDown,
};
use flitsim_engine::{ConfigError, EngineConfig, Routing};
use flitsim_topology::{ChannelId, MinimalPaths, Network, Shape};
use flitsim_traffic::{Pattern, TrafficPlan};

/// What to do with a routing algorithm, whatever its type.
pub trait WithRouting {
    /// What comes out.
    type Output;

    /// Does it.
    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output;
}

/// Builds the algorithm `choice` on `network` and hands it to `then`: folded onto
/// `virtual_channels`, and so not free of deadlock, where it needs more.
///
/// # Errors
/// If the algorithm does not fit the network.
pub fn with_routing<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    let wanted = virtual_channels_min(choice, network);
    if (1..wanted).contains(&virtual_channels) && wanted <= 64 {
        let folded = Fold {
            virtual_channels,
            then,
        };
        return with_whole_routing(choice, network, wanted, folded);
    }
    with_whole_routing(choice, network, virtual_channels, then)
}

/// Hands a relation on to `then` with fewer virtual channels than it needs.
struct Fold<W> {
    virtual_channels: u32,
    then: W,
}

impl<W: WithRouting> WithRouting for Fold<W> {
    type Output = W::Output;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        match R::ESCAPE {
            true => {
                let folded = Folded::<true>::new(&routing, self.virtual_channels);
                self.then.call(folded)
            }
            false => {
                let folded = Folded::<false>::new(&routing, self.virtual_channels);
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
    let vcs = virtual_channels;
    match choice {
        RoutingChoice::DimensionOrder { tie, vc_balance } => {
            if let Some(torus) = network.sparse_torus() {
                return Ok(then.call(PrunedOrder::new(torus, vcs, *tie, *vc_balance)?));
            }
            let grid = shape(
                network.grid(),
                "dimension-order",
                "a torus, mesh or hypercube",
            )?;
            Ok(then.call(DimensionOrder::new(grid, vcs, *tie, *vc_balance)?))
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
        RoutingChoice::NegativeHop => match network.shape() {
            Shape::Grid(grid) => Ok(then.call(NegativeHop::new(grid, vcs)?)),
            Shape::Star(star) => Ok(then.call(NegativeHop::new(star, vcs)?)),
            Shape::SparseTorus(torus) => Ok(then.call(NegativeHop::new(torus, vcs)?)),
            _ => Err(needs("nhop", "a network whose shortest paths are known")),
        },
        RoutingChoice::HopClass => match network.shape() {
            Shape::Grid(grid) => Ok(then.call(HopClass::new(grid, vcs)?)),
            Shape::Star(star) => Ok(then.call(HopClass::new(star, vcs)?)),
            Shape::SparseTorus(torus) => Ok(then.call(HopClass::new(torus, vcs)?)),
            _ => Err(needs(
                "hop-class",
                "a network whose shortest paths are known",
            )),
        },
        // The tables of these two are large: lent, not copied.
        RoutingChoice::UpDown => Ok(then.call(&UpDown::new(network, vcs, None)?)),
        RoutingChoice::Table { file } => match Table::parse(network, file.source(), vcs) {
            Ok(table) => Ok(then.call(&table)),
            Err(TableError::Config(error)) => Err(error),
            Err(error) => Err(ConfigError::Routing {
                reason: error.to_string(),
            }),
        },
    }
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
    let diameter = minimal_diameter(network).unwrap_or(0);
    match choice {
        RoutingChoice::NegativeHop => diameter / 2 + 1,
        RoutingChoice::HopClass => diameter,
        RoutingChoice::DimensionOrder { .. } => match network.shape() {
            Shape::Grid(grid) => 1 + u32::from((0..grid.dimensions()).any(|i| grid.is_ring(i))),
            Shape::SparseTorus(torus) if torus.radix() > 2 => 4,
            _ => 2,
        },
        _ => 1,
    }
}

fn minimal_diameter(network: &Network) -> Option<u32> {
    match network.shape() {
        Shape::Grid(grid) => Some(MinimalPaths::diameter(grid)),
        Shape::Star(star) => Some(MinimalPaths::diameter(star)),
        Shape::SparseTorus(torus) => Some(MinimalPaths::diameter(torus)),
        _ => None,
    }
}

/// Whether the algorithm `choice` fits `network` and the number of virtual channels.
///
/// # Errors
/// Why it does not.
pub fn check_routing(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
) -> Result<(), ConfigError> {
    struct Check;
    impl WithRouting for Check {
        type Output = ();
        fn call<R: Routing + Clone>(self, _: R) {}
    }
    with_whole_routing(choice, network, virtual_channels, Check)
}

/// What the routing and the traffic of `series` imply before any cycle: channel loads, ideal
/// throughput, mean hops, zero-load latency, all in the series' own cycles, whatever its
/// `cycle_time`. Seconds from about 4,096 terminals on.
///
/// # Errors
/// [`AnalysisError`]; none for a series of a resolved plan.
pub fn expected_of(series: &SeriesPlan) -> Result<Expected, AnalysisError> {
    struct Expect<'s>(&'s SeriesPlan);
    impl WithRouting for Expect<'_> {
        type Output = Result<Expected, AnalysisError>;
        fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
            let SeriesPlan {
                network,
                engine,
                traffic: TrafficPlan { pattern, .. },
                ..
            } = self.0;
            let Ok(destinations) = pattern.compile(network) else {
                return Err(AnalysisError::NoTraffic);
            };
            expected(network, &routing, engine, |source, visit| {
                destinations.demand(source, visit);
            })
        }
    }
    let vcs = series.engine.virtual_channels;
    with_routing(&series.routing, &series.network, vcs, Expect(series))?
}

/// The share of its time that the busiest channel passes flits under uniform traffic of 1 flit per
/// node per cycle: its load times its period, above 1 where it cannot pass all.
///
/// # Errors
/// As [`expected_of`].
pub fn uniform_load_max(
    choice: &RoutingChoice,
    network: &Network,
    config: &EngineConfig,
    include_self: bool,
) -> Result<f64, AnalysisError> {
    struct LoadMax<'a>(&'a Network, &'a EngineConfig, bool);
    impl WithRouting for LoadMax<'_> {
        type Output = Result<f64, AnalysisError>;
        fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
            let Self(network, config, include_self) = self;
            let Ok(uniform) = (Pattern::Uniform { include_self }).compile(network) else {
                return Err(AnalysisError::NoTraffic);
            };
            let expected = expected(network, &routing, config, |source, visit| {
                uniform.demand(source, visit);
            })?;
            let busy = (0..).map(ChannelId).zip(&expected.channel_loads);
            let busy = busy.map(|(id, load)| load * f64::from(config.channel_period_of(id)));
            Ok(busy.fold(0.0, f64::max))
        }
    }
    let load_max = LoadMax(network, config, include_self);
    with_routing(choice, network, config.virtual_channels, load_max)?
}

/// Simulates the point of `series` at `load`, from random streams addressed by `seed`. Loads and
/// latencies of the result are in reference cycles: those simulated are `cycle_time` long.
///
/// # Errors
/// As [`simulate`], and if the algorithm does not fit; none for a series of a resolved plan.
pub fn simulate_point(
    series: &SeriesPlan,
    load: Load,
    seed: u64,
    monitor: &impl Monitor,
) -> Result<PointResult, SimulateError> {
    struct Point<'a, M> {
        series: &'a SeriesPlan,
        load: Load,
        seed: u64,
        monitor: &'a M,
    }
    impl<M: Monitor> WithRouting for Point<'_, M> {
        type Output = Result<PointResult, SimulateError>;
        fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
            let series = self.series;
            // A load that meets the limit of the process may have been rounded past it.
            let flits = self.load.flits * series.cycle_time;
            let settings = MeasureSettings {
                latency_limit: series.measure.latency_limit / series.cycle_time,
                ..series.measure
            };
            let result = simulate(
                &series.network,
                routing,
                &series.engine,
                &series.traffic,
                flits.min(series.traffic.load_most()),
                &settings,
                self.seed,
                series.replicas,
                self.monitor,
            )?;
            Ok(PointResult {
                offered_flits: self.load.flits,
                ..result.in_cycles_of(series.cycle_time)
            })
        }
    }
    let point = Point {
        series,
        load,
        seed,
        monitor,
    };
    let vcs = series.engine.virtual_channels;
    with_routing(&series.routing, &series.network, vcs, point)?
}
