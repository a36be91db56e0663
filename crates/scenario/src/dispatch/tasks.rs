//! What is done with the algorithm of a series: the analysis of its traffic.

use super::{WithRouting, with_any_routing};
use crate::{RoutingChoice, SeriesPlan};
use flitsim_engine::analysis::{AnalysisError, Expected, expected};
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::{ChannelId, Network};
use flitsim_traffic::{Pattern, TrafficPlan, Uniform};

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
            let Ok(uniform) = Pattern::Uniform(Uniform { include_self }).compile(network) else {
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
