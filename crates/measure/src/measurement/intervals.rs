//! The estimates of one run: its bins are summed into batches, to which the method of batch means is
//! applied.

use super::controls::Controls;
use super::recorder::{Bin, Recorder};
use super::statistics::{
    Correlation, Estimate, controlled_ratio_by_batch_means, ratio_by_batch_means,
};

/// With fewer packets than this, a run reports no latency.
pub const PACKETS_REPORTED_MIN: u64 = 10;

/// Sums of up to 256 equal batches of the bins before cycle `end`.
pub(super) fn batches(bins: &[Bin]) -> Vec<Bin> {
    chunks(bins).map(Bin::sum).collect()
}

fn chunks(bins: &[Bin]) -> impl Iterator<Item = &[Bin]> {
    let each = bins.len().div_ceil(256).max(1);
    let each = (each..2 * each)
        .find(|each| bins.len().is_multiple_of(*each))
        .unwrap_or(each);
    bins.chunks(each)
}

/// The mean latency of the packets created in the window before cycle `end`, all of which are delivered,
/// corrected by `controls`.
pub fn latency_estimate(
    recorder: &Recorder,
    controls: Option<&Controls>,
    end: u64,
    correlation: Correlation,
) -> Option<Estimate> {
    let window = recorder.window();
    let bins = window.ended(end);
    let batches = batches(bins);
    let latencies: Vec<f64> = batches.iter().map(|b| b.latency_cycles as f64).collect();
    let packets: Vec<f64> = batches.iter().map(|b| b.delivered_packets as f64).collect();
    let cycles = chunks(bins).map(|chunk| chunk.len() as u64 * window.width());
    let cycles: Vec<u64> = cycles.collect();
    let controls = controls.map(|controls| controls.of_batches(&batches, &cycles));
    let controls = controls.unwrap_or_default();
    controlled_ratio_by_batch_means(&latencies, &packets, &controls, correlation)
}

/// The load accepted in the window before cycle `end`, flits per terminal per cycle.
pub fn accepted_estimate(recorder: &Recorder, terminals: u32, end: u64) -> Estimate {
    let window = recorder.window();
    accepted(window.ended(end), window.width(), terminals)
}

/// The load accepted in the whole run, where there is no window.
pub fn accepted_of_run(recorder: &Recorder, terminals: u32, now: u64) -> Estimate {
    accepted(recorder.run().ended(now), recorder.run().width(), terminals)
}

/// The load accepted in the second half of the run so far, where there is no window.
pub fn accepted_of_second_half(recorder: &Recorder, terminals: u32, now: u64) -> Estimate {
    let bins = recorder.run().ended(now);
    accepted(&bins[bins.len() / 2..], recorder.run().width(), terminals)
}

fn accepted(bins: &[Bin], width: u64, terminals: u32) -> Estimate {
    let batches = batches(bins);
    let each = bins.len() as f64 / batches.len().max(1) as f64;
    let flits: Vec<f64> = batches.iter().map(|b| b.ejected_flits as f64).collect();
    let node_cycles = each * width as f64 * f64::from(terminals);
    ratio_by_batch_means(&flits, &vec![node_cycles; flits.len()], Correlation::Tested).unwrap_or(
        Estimate {
            mean: 0.0,
            sampled: 0.0,
            half_width: 0.0,
            batches: 0,
            trusted: false,
        },
    )
}
