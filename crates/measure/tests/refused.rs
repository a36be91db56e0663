//! Routers that cannot be built are errors, also where something is laid out by them first; and so are points that
//! cannot be measured.

use flitsim_engine::routing::{Algorithm, DimensionOrder, RoutingChoice, Tables, Tie};
use flitsim_engine::{ChannelDelay, ConfigError, EngineConfig, FlowControl};
use flitsim_measure::alone::alone;
use flitsim_measure::live::Live;
use flitsim_measure::measurement::{MeasureSettings, Warmup};
use flitsim_measure::simulate::{NoMonitor, SimulateError};
use flitsim_measure::{Offered, OperatingPoint};
use flitsim_topology::{Ends, Grid};
use flitsim_traffic::{PacketLength, TrafficPlan};

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

/// Why a point at a low load on a small mesh is not simulated.
fn refused(
    router: &EngineConfig,
    traffic: &TrafficPlan,
    settings: MeasureSettings,
) -> Option<SimulateError> {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, 4, Tie::Random, true).unwrap();
    let point = OperatingPoint {
        settings,
        ..OperatingPoint::new(&network, router, traffic, Offered::Flits(0.1))
    };
    point.simulate(&routing, &NoMonitor).err()
}

#[test]
fn packets_that_fit_no_buffer_are_refused_where_whole_ones_move() {
    let traffic = TrafficPlan {
        length: PacketLength::Fixed(16),
        ..TrafficPlan::default()
    };
    for flow_control in [FlowControl::VirtualCutThrough, FlowControl::StoreAndForward] {
        let router = EngineConfig {
            flow_control,
            buffer_flits: 15,
            ..EngineConfig::default()
        };
        let expected = SimulateError::PacketsDoNotFit {
            buffer_flits: 15,
            packet_flits: 16,
        };
        let error = refused(&router, &traffic, MeasureSettings::default());
        assert_eq!(error, Some(expected));
    }
}

#[test]
fn settings_out_of_their_range_are_refused() {
    let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
    let set = |change: &dyn Fn(&mut MeasureSettings)| {
        let mut settings = MeasureSettings::default();
        change(&mut settings);
        match refused(&router, &traffic, settings) {
            Some(SimulateError::Setting { name, .. }) => name,
            other => panic!("{settings:?}: {other:?}"),
        }
    };
    for value in [-1.0, f64::NAN] {
        assert_eq!(set(&|all| all.relative_error = value), "relative_error");
    }
    for value in [-5.0, 0.0, f64::NAN] {
        assert_eq!(set(&|all| all.latency_limit = value), "latency_limit");
    }
    assert_eq!(set(&|all| all.max_cycles = 0), "max_cycles");
    assert_eq!(set(&|all| all.warmup = Warmup::Cycles(1_000_000)), "warmup");
}
