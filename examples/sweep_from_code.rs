//! A sweep from code: how many virtual channels does an 8×8 mesh need under transpose traffic?
//!
//! A scenario is text, whether it comes from a file or from `format!`. It becomes a plan, the plan is
//! proved free of deadlock, and one call sweeps it into a folder, on every core; who watches is told of
//! each point.
//!
//! Run it with `cargo run --release --example sweep_from_code`.

use flitsim::proof::ProvedPlan;
use flitsim::results::Existing;
use flitsim::scenario::{Load, Overrides, Plan, SeriesPlan};
use flitsim::simulate::{Monitor, NoMonitor};
use flitsim::sweep::{Options, SweepProgress, into_folder};
use std::error::Error;
use std::path::Path;

/// Tells which point begins.
struct Told;

impl SweepProgress for Told {
    fn started<'s>(&'s self, series: &SeriesPlan, load: Load) -> Box<dyn Monitor + 's> {
        eprintln!("{} virtual channels, load {}", series.name, load.in_unit);
        Box::new(NoMonitor)
    }
}

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

/// Sweeps and prints a table.
///
/// # Errors
/// A scenario that cannot be run, a folder that cannot be written to.
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

    let options = Options {
        // `Resume` would simulate only what an earlier run has not finished.
        existing: Existing::Replace,
        ..Options::default()
    };
    let folder = std::env::temp_dir().join("flitsim-virtual-channels");
    let swept = into_folder(plan, &folder, options, &Told)?;

    println!("mean latency in cycles; accepted load where a network is saturated");
    print!("{:16}", "virtual channels");
    for load in &swept.plan.series[0].loads {
        print!("{:>16}", format!("load {}", load.in_unit));
    }
    println!();
    for series in &swept.plan.series {
        print!("{:16}", series.name);
        let rows = swept.outcome.rows.iter();
        for row in rows.filter(|row| row.series == series.name) {
            let cell = match (row.latency_mean, row.latency_ci95, row.accepted_flits) {
                (Some(mean), Some(ci95), _) => format!("{mean:.1} ± {ci95:.1}"),
                (.., accepted) => format!("({:.3})", accepted.unwrap_or_default()),
            };
            print!("{cell:>16}");
        }
        println!();
    }
    eprintln!("points.csv and manifest.json are in {}", folder.display());
    Ok(())
}
