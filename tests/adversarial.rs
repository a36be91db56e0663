//! UGAL on a dragonfly (Kim, Dally, Scott & Abts 2008, figures 8 and 9), by `scenarios/adversarial.toml`: where
//! each group sends to the next, minimal routing saturates at 1/(a·p), Valiant's and UGAL near one half; under
//! uniform traffic UGAL goes as minimal routing does.

use crate::tier;

use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Load, Overrides, Plan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::path::Path;

/// The series `name` of the scenario at `flits` flits a terminal a cycle.
fn point(name: &str, flits: f64) -> PointResult {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/adversarial.toml");
    let plan = Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
    let series = plan.series.iter().find(|series| series.name == name);
    let proved = ProvedSeries::prove(series.expect(name), false).expect("free of deadlock");
    let load = Load {
        in_unit: flits,
        flits,
    };
    simulate_point(&proved, load, 5, &NoMonitor).expect("a resolved plan runs")
}

fn is_stable(name: &str, flits: f64) -> bool {
    point(name, flits).status == Status::Converged
}

#[test]
fn minimal_routing_collapses_where_each_group_sends_to_the_next_and_ugal_does_not() {
    if tier::is_left_out() {
        return;
    }
    assert!(is_stable("minimal", 0.11));
    let saturated = point("minimal", 0.3);
    assert_eq!(saturated.status, Status::Saturated);
    let bound = 1.0 / 8.0;
    assert!((saturated.accepted_flits / bound - 1.0).abs() < 0.01);
    for (name, load) in [("UGAL", 0.38), ("UGAL, all queues known", 0.44)] {
        assert!(is_stable(name, load), "{name}");
    }
    assert!(is_stable("Valiant", 0.45));
    assert!(!is_stable("UGAL", 0.5));
}

/// Kim, Dally & Abts 2007 (flattened butterfly), section 3: where the terminals of a router send to those of the next,
/// minimal routing carries 1/k, others slightly less than one half. Ahn et al. 2009, section 4: DAL is one of these.
#[test]
fn dal_carries_nearly_one_half_where_minimal_routing_carries_the_share_of_one_channel() {
    let minimal = point("flattened butterfly, minimal", 0.3);
    assert!((minimal.accepted_flits - 1.0 / 8.0).abs() < 0.001);
    assert!(is_stable("flattened butterfly, DAL", 0.4));
    let dal = point("flattened butterfly, DAL", 0.6);
    assert_eq!(dal.status, Status::Saturated);
    assert!((0.44..0.5).contains(&dal.accepted_flits));
    assert!(is_stable("flattened butterfly, DAL, uniform", 0.6));
}

#[test]
fn under_uniform_traffic_ugal_follows_minimal_routing() {
    let [minimal, ugal] = ["minimal, uniform", "UGAL, uniform"].map(|name| {
        let point = point(name, 0.3);
        assert_eq!(point.status, Status::Converged, "{name}");
        point.latency.expect("a latency")
    });
    let valiant = point("Valiant", 0.3).latency.expect("a latency");
    assert!(ugal.hops_mean < 1.1 * minimal.hops_mean);
    assert!(ugal.hops_mean - minimal.hops_mean < 0.1 * (valiant.hops_mean - minimal.hops_mean));
}
