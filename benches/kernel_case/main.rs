//! Runs one case of the benchmark `kernel` for a number of cycles and prints its flit-hops: what
//! `benches/instructions.sh` counts the instructions of.
//!
//! ```sh
//! cargo run --release -p flitsim-kernel-case -- mesh8-30 2000
//! cargo run --release -p flitsim-kernel-case -- mesh8-30 2000 dense
//! cargo run --release -p flitsim-kernel-case -- mesh8-30@0.05x4 2000 dense
//! ```
//!
//! Prints the cycles after the warm-up, the flit-hops in them, the packets delivered in them with
//! their network latencies and hops added up (equal before and after any change that keeps results),
//! and the flit-hops per second of wall-clock time. `@0.05x4` sets another load, and other virtual channels. Without arguments it lists the cases. With `dense`
//! (or `avx2`, `baseline`, for vectors no wider) it is the dense engine that runs.

#[path = "../cases/mod.rs"]
mod cases;

use cases::{CASES, Case, LARGE, Running};
use flitsim_engine::Vectors;
use std::time::Instant;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let Some(key) = arguments.next() else {
        for case in CASES.iter().chain([&LARGE]) {
            println!("{}\t{}\t{}", case.key, case.sample_cycles, case.name);
        }
        return Ok(());
    };
    let case = Case::of(&key).ok_or_else(|| format!("no case is called {key}"))?;
    let cycles = match arguments.next() {
        Some(cycles) => cycles.parse().map_err(|_| "cycles are a whole number")?,
        None => case.sample_cycles,
    };
    let vectors = match arguments.next().as_deref() {
        None | Some("sparse") => None,
        Some("dense") => Some(Vectors::Widest),
        Some("avx2") => Some(Vectors::Avx2),
        Some("baseline") => Some(Vectors::Baseline),
        Some(other) => return Err(format!("no engine is called {other}")),
    };
    let visit = &mut |running: &mut dyn Running| {
        let before = running.flit_hops();
        let start = Instant::now();
        running.advance(cycles);
        let seconds = start.elapsed().as_secs_f64();
        let flit_hops = running.flit_hops() - before;
        let (packets, latency_cycles, hops) = running.results();
        println!(
            "{cycles} cycles, {flit_hops} flit-hops, {packets} packets, {latency_cycles} cycles, \
             {hops} hops, {:.0} flit-hops/s",
            flit_hops as f64 / seconds
        );
    };
    match vectors {
        None => case.run(visit),
        Some(vectors) => case.run_densely(vectors, visit),
    }
    Ok(())
}
