//! The one place where names become types: a routing algorithm chosen at run time calls code that
//! is compiled for it.
//!
//! A new algorithm is one variant of [`RoutingChoice`] and one arm in [`with_routing`].

use crate::point::PointResult;
use crate::scenario::plan::Load;
use crate::scenario::{RoutingChoice, SeriesPlan};
use crate::simulate::{Monitor, SimulateError, simulate};
use flitsim_engine::analysis::{AnalysisError, Expected, expected};
use flitsim_engine::routing::DimensionOrder;
use flitsim_engine::{ConfigError, Routing};
use flitsim_topology::Network;
use flitsim_traffic::TrafficPlan;

/// What to do with a routing algorithm, whatever its type.
pub trait WithRouting {
    /// What comes out.
    type Output;

    /// Does it.
    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output;
}

/// Builds the algorithm `choice` on `network` and hands it to `then`.
///
/// # Errors
/// If the algorithm does not fit the network or the number of virtual channels.
pub fn with_routing<W: WithRouting>(
    choice: &RoutingChoice,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    match *choice {
        RoutingChoice::DimensionOrder { tie, vc_balance } => {
            let Some(grid) = network.grid() else {
                return Err(ConfigError::Routing {
                    reason: "dimension-order needs a torus, a mesh or a hypercube".to_owned(),
                });
            };
            let routing = DimensionOrder::new(grid, virtual_channels, tie, vc_balance)?;
            Ok(then.call(routing))
        }
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
    with_routing(choice, network, virtual_channels, Check)
}

/// What the routing and the traffic of `series` imply before any cycle: channel loads, ideal
/// throughput, mean hops, zero-load latency. Seconds from about 4,096 terminals on.
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

/// Simulates the point of `series` at `load`, from random streams addressed by `seed`.
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
            simulate(
                &self.series.network,
                routing,
                &self.series.engine,
                &self.series.traffic,
                self.load.flits,
                &self.series.measure,
                self.seed,
                self.series.replicas,
                self.monitor,
            )
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
