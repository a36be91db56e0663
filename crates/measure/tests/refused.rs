//! Routers that cannot be built are errors, also where something is laid out by them first.

use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables};
use flitsim_engine::{ChannelDelay, ConfigError, EngineConfig};
use flitsim_measure::alone::alone;
use flitsim_measure::live::Live;
use flitsim_measure::simulate::SimulateError;
use flitsim_measure::{Offered, OperatingPoint};
use flitsim_topology::{Ends, Grid};
use flitsim_traffic::TrafficPlan;

#[test]
fn delays_of_no_channel_are_refused() {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let router = EngineConfig {
        channel_delay: ChannelDelay::PerChannel(Vec::new()),
        ..EngineConfig::default()
    };
    let choice = RoutingChoice::from(Algorithm::DimensionOrder);
    let relation = || choice.relation(&network, 4, &Tables::default()).unwrap();
    let traffic = TrafficPlan::default();
    let point = OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.1));
    let error = Live::new(&point, relation()).err();
    let is_count = |error: &ConfigError| matches!(error, ConfigError::DelayCount { .. });
    assert!(matches!(error, Some(SimulateError::Config(ref error)) if is_count(error)));
    let error = alone(&network, relation(), router, 1, &[(0, 1)]).err();
    assert!(error.is_some_and(|error| is_count(&error)));
}
