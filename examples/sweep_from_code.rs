//! A sweep from code: how many virtual channels does an 8×8 mesh need under transpose traffic?
//!
//! A scenario is text, whether it comes from a file or from `format!`. It becomes a plan, the plan is
//! proved free of deadlock, and every point of it can be simulated.
//!
//! Run it with `cargo run --release --example sweep_from_code`.

use flitsim::proof::ProvedPlan;
use flitsim::scenario::{Overrides, Plan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use std::error::Error;
use std::path::Path;

/// The scenario, with a series for each number of virtual channels, of the same buffers in all.
fn scenario(virtual_channels: &[u32]) -> String {
    let mut text = r#"
        [topology]
        kind = "mesh"
        radix = 8
        dimensions = 2
        [traffic]
        pattern = "transpose"
        packet_flits = 8
        [measure]
        relative_error = 0.1
        [sweep]
        load = [0.05, 0.10, 0.15, 0.20]
    "#
    .to_owned();
    for vcs in virtual_channels {
        text += &format!(
            "[[series]]\nname = \"{vcs}\"\nrouter.virtual_channels = {vcs}\nrouter.buffer_flits = {}\n",
            16 / vcs
        );
    }
    text
}

/// Simulates every point and prints a table.
///
/// # Errors
/// A scenario that cannot be run.
pub fn main() -> Result<(), Box<dyn Error>> {
    // The path names the scenario in messages; files that it names would be found from there.
    let text = scenario(&[1, 2, 4]);
    let plan = Plan::parse(
        Path::new("virtual-channels.toml"),
        text,
        Overrides::default(),
    )?;
    // What cannot be proved cannot be simulated.
    let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |warning| eprintln!("{warning}"))?;

    println!("mean latency in cycles; accepted load where a network is saturated");
    print!("{:16}", "virtual channels");
    for load in &plan.series[0].loads {
        print!("{:>16}", format!("load {}", load.in_unit));
    }
    println!();
    for series in plan.proved_series() {
        print!("{:16}", series.name);
        for &load in &series.loads {
            let point = simulate_point(&series, load, plan.seed, &NoMonitor)?;
            let cell = match point.latency {
                Some(latency) => format!("{:.1} ± {:.1}", latency.mean, latency.ci95),
                None => format!("({:.3})", point.accepted_flits),
            };
            print!("{cell:>16}");
        }
        println!();
    }
    Ok(())
}
