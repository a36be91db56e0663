//! What the routing and the traffic of a series imply before any cycle.

use crate::SeriesPlan;
use flitsim_analysis::{AnalysisError, Expected};
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::{RoutingChoice, Tables};
use flitsim_topology::{ChannelId, Network};
use flitsim_traffic::{Pattern, TrafficPlan, Uniform};

/// What the routing and the traffic of `series` imply before any cycle: channel loads, ideal
/// throughput, mean hops, zero-load latency, all in the series' own cycles, whatever its
/// `cycle_time`. Seconds from about 4,096 terminals on.
///
/// # Errors
/// [`AnalysisError`]; none for a series of a resolved plan.
pub fn expected_of(series: &SeriesPlan) -> Result<Expected, AnalysisError> {
    let TrafficPlan { pattern, .. } = &series.traffic;
    let Ok(destinations) = pattern.compile(&series.network) else {
        return Err(AnalysisError::NoTraffic);
    };
    let choice = series.routing.with_all_ways();
    let vcs = series.engine.virtual_channels;
    let relation = choice.relation_merged(&series.network, vcs, &series.routing_tables)?;
    flitsim_analysis::expected_of_relation(
        &series.network,
        &relation,
        &series.engine,
        |source, visit| {
            destinations.demand(source, visit);
        },
    )
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
    tables: &Tables,
    include_self: bool,
) -> Result<f64, AnalysisError> {
    let choice = choice.with_all_ways();
    let relation = choice.relation_merged(network, config.virtual_channels, tables)?;
    let Ok(uniform) = Pattern::Uniform(Uniform { include_self }).compile(network) else {
        return Err(AnalysisError::NoTraffic);
    };
    let expected =
        flitsim_analysis::expected_of_relation(network, &relation, config, |source, visit| {
            uniform.demand(source, visit);
        })?;
    let busy = (0..).map(ChannelId).zip(&expected.channel_loads);
    let busy = busy.map(|(id, load)| load * f64::from(config.channel_period_of(id)));
    Ok(busy.fold(0.0, f64::max))
}
