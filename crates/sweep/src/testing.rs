//! Plans and rows for the tests of results, sweeps and reports.

use crate::results::Row;
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::Algorithm;
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::point::{Fairness, LatencyBucket, LatencySummary, PointResult, Status};
use flitsim_scenario::plan::{Load, LoadScale};
use flitsim_scenario::{Plan, RoutingChoice, SeriesPlan};
use flitsim_topology::{Ends, Grid};
use flitsim_traffic::TrafficPlan;
use serde_json::json;
use std::sync::Arc;

/// A plan with the given series, each with its loads, on a 4-ary 2-mesh.
pub fn plan(series: &[(&str, &[f64])]) -> Plan {
    Plan {
        scenario: "test".to_owned(),
        path: "some/where/test.toml".into(),
        text: "title = \"<test>\"\n".to_owned(),
        files: Vec::new(),
        title: "A <test> & more".to_owned(),
        seed: 1,
        series: series
            .iter()
            .map(|(name, loads)| one(name, loads))
            .collect(),
        warnings: Vec::new(),
    }
}

fn one(name: &str, loads: &[f64]) -> SeriesPlan {
    let grid = Grid::uniform(4, 2, Ends::Open).expect("a small mesh");
    SeriesPlan {
        name: name.to_owned(),
        topology: "mesh:radix=4,dimensions=2".to_owned(),
        network: Arc::new(grid.into_network()),
        routing: RoutingChoice::from(Algorithm::DimensionOrder),
        is_proved: false,
        routing_tables: Arc::default(),
        routing_place: None,
        vc_reallocation_place: None,
        engine: EngineConfig::default(),
        traffic: TrafficPlan::default(),
        workload: None,
        workload_place: None,
        measure: MeasureSettings::default(),
        energy: None,
        load_unit: "flits/node/cycle".to_owned(),
        load_scale: LoadScale {
            flits_per_unit: 1.0,
            flits_most: 1.0,
        },
        loads_auto: None,
        loads_refused: Vec::new(),
        loads: loads
            .iter()
            .map(|&load| Load {
                in_unit: load,
                flits: load,
            })
            .collect(),
        cycle_time: 1.0,
        width_bits: 32,
        replicas: 1,
        parameters: Vec::new(),
        definition: json!({
            "name": name,
            "router": {
                "virtual_channels": 4, "buffer_flits": 8, "flow_control": "wormhole",
                "delay": 1, "allocator": "round-robin",
            },
            "traffic": {"pattern": "uniform", "process": "bernoulli", "packet_flits": 4},
        }),
    }
}

/// What a simulator might find at `load`: saturated from `saturation` on.
pub fn result(load: f64, zero_load_cycles: f64, saturation: f64) -> PointResult {
    let stable = load < saturation;
    let mean = zero_load_cycles + 0.6 * zero_load_cycles * load / (saturation - load);
    PointResult {
        offered_flits: load,
        accepted_flits: if stable { load } else { 0.93 * saturation },
        accepted_ci95: 0.004,
        latency: stable.then_some(LatencySummary {
            mean,
            sampled: mean,
            ci95: 0.02 * mean,
            p50: mean.floor(),
            p95: (1.5 * mean).floor(),
            p99: (2.0 * mean).floor(),
            max: (4.0 * mean).floor(),
            network_mean: 0.9 * mean,
            hops_mean: 2.5,
        }),
        latency_buckets: match stable {
            true => vec![LatencyBucket {
                low: mean.floor(),
                high: mean.floor(),
                packets: 10_000,
            }],
            false => Vec::new(),
        },
        spans: Vec::new(),
        packets_measured: 10_000,
        warmup_cycles: 500,
        cycles: 20_000,
        status: if stable {
            Status::Converged
        } else {
            Status::Saturated
        },
        flit_hops: 1,
        deadlock: None,
        fairness: stable.then_some(Fairness {
            accepted_min: 0.875 * load,
            index: Some(0.995),
        }),
        details: None,
        workload: None,
    }
}

/// A converged row of `series` with the given mean latency.
pub fn row(series: &str, load: f64, latency_mean: f64) -> Row {
    let plan = plan(&[(series, &[load])]);
    let mut result = result(load, 1.0, f64::INFINITY);
    if let Some(latency) = &mut result.latency {
        latency.mean = latency_mean;
        latency.ci95 = 0.02 * latency_mean;
    }
    Row::new(&plan, &plan.series[0], plan.series[0].loads[0], &result)
}

/// A saturated row of `series`.
pub fn saturated_row(series: &str, load: f64) -> Row {
    let plan = plan(&[(series, &[load])]);
    let result = result(load, 10.0, 0.0);
    Row::new(&plan, &plan.series[0], plan.series[0].loads[0], &result)
}

/// The rows of curves, each a name, a zero-load latency in cycles and a saturation load, at `loads`.
pub fn curves(curves: &[(&str, f64, f64)], loads: &[f64]) -> Vec<Row> {
    let all: Vec<(&str, &[f64])> = curves.iter().map(|c| (c.0, loads)).collect();
    let plan = plan(&all);
    let rows = plan.series.iter().zip(curves).flat_map(|(series, curve)| {
        let plan = &plan;
        series
            .loads
            .iter()
            .map(move |&load| Row::new(plan, series, load, &result(load.flits, curve.1, curve.2)))
    });
    rows.collect()
}
