//! What is done with the algorithm of a series: the analysis of its traffic, and the simulation of a
//! point.

use super::{WithRouting, with_any_routing, with_routing};
use crate::measurement::MeasureSettings;
use crate::point::PointResult;
use crate::proof::ProvedSeries;
use crate::scenario::plan::Load;
use crate::scenario::{RoutingChoice, SeriesPlan};
use crate::simulate::{Monitor, SimulateError, simulate};
use flitsim_engine::analysis::{AnalysisError, Expected, expected};
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::{ChannelId, Network};
use flitsim_traffic::{Pattern, TrafficPlan};

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
    with_any_routing(&series.routing, &series.network, vcs, Expect(series))?
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
    with_any_routing(choice, network, config.virtual_channels, load_max)?
}

/// Simulates the point of `series` at `load`, from random streams addressed by `seed`. Loads and
/// latencies of the result are in reference cycles: those simulated are `cycle_time` long.
///
/// # Errors
/// As [`simulate`], and if the algorithm does not fit; none for a series of a resolved plan.
pub fn simulate_point(
    series: &ProvedSeries<'_>,
    load: Load,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<PointResult, SimulateError> {
    struct Point<'a> {
        series: &'a SeriesPlan,
        load: Load,
        seed: u64,
        monitor: &'a dyn Monitor,
    }
    impl WithRouting for Point<'_> {
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
            let share = series.traffic.sending_share(&series.network)?;
            Ok(PointResult {
                offered_flits: self.load.flits * share,
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
