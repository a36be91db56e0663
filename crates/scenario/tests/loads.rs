//! Loads as they are offered: ranges, units, limits.

use flitsim_keys::Placed;
use flitsim_scenario::load::{Conversion, Unit};
use flitsim_scenario::{Overrides, Plan};
use std::path::Path;

fn loads(sweep: &str) -> Vec<f64> {
    loads_of(&format!("[sweep]\nload = {sweep}\n"))
}

fn loads_of(rest: &str) -> Vec<f64> {
    let network = "topology = { kind = \"mesh\", radix = 4, dimensions = 2 }\n";
    let text = format!("{network}{rest}");
    let plan = Plan::parse(Path::new("a.toml"), text, Overrides::default()).unwrap();
    let loads = plan.series[0].loads.iter();
    loads.map(|load| load.in_unit).collect()
}

#[test]
fn a_range_has_exact_ends_and_clean_steps() {
    assert_eq!(
        loads("{ from = 0.05, to = 0.95, steps = 10 }"),
        [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95]
    );
    assert_eq!(loads("{ from = 0.3, to = 0.9, steps = 1 }"), [0.3]);
}

/// Nobody wrote them, so they suit what can be offered.
#[test]
fn loads_by_default_can_be_offered() {
    let slow = "[channel]\ncycle_time = 2.0\n";
    assert_eq!(loads_of(slow), [0.05, 0.15, 0.25, 0.35, 0.45]);
    // At most a packet of 4 flits in each of 5 cycles of 505, none of the loads by default.
    let bursts =
        "[traffic]\nprocess = \"on-off\"\nburst_cycles = 5\nidle_cycles = 500\npacket_flits = 4\n";
    let shares = loads_of(bursts);
    assert_eq!(shares.len(), 10);
    assert_eq!((shares[0], shares[9]), (0.00198, 0.03762), "{shares:?}");
}

#[test]
fn loads_convert_and_their_limits_hold() {
    let conversion = Conversion {
        unit: Unit::Packets,
        flits_per_unit: 10.0,
        injection_flits: Some(1.0),
        process_flits: 10.0,
        process: "bernoulli",
        packet_flits: 10.0,
        process_flits_least: 0.001,
        cycle_time: 1.0,
    };
    let load = |x| conversion.load(&Placed::default_of(x), "a load");
    assert_eq!(load(0.05).unwrap().flits, 0.5);
    assert_eq!(load(0.1).unwrap().flits, 1.0);
    for wrong in [0.1001, 0.00009, -0.1, 0.0, f64::NAN, f64::INFINITY] {
        assert!(load(wrong).is_err(), "{wrong}");
    }
}
