//! What is known of a series before any cycle: its zero-load latency, the load that no router can
//! pass, and how busy each channel then is.
//!
//! Invariant: in reference cycles, as the rows are; shares of time are the channels' own.

use flitsim_engine::routing::Spread;
use flitsim_scenario::dispatch::expected_of;
use flitsim_scenario::{Plan, SeriesPlan};
use flitsim_topology::ChannelId;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most terminals of a network that is walked: the time grows with their square, and beyond it
/// would outlast a point.
const TERMINALS_MOST: u32 = 4096;

/// Expectations of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Prospect {
    /// Mean latency of packets that meet no other, in cycles.
    pub zero_load_cycles: f64,
    /// Offered load at which the first channel or port is always busy, in flits per node per cycle;
    /// `None` where nothing limits.
    pub ideal_flits: Option<f64>,
    /// By channel: the share of its time that it is busy for an accepted load of 1 flit per node per
    /// cycle; above 1 where it cannot carry as much.
    pub busy: Vec<f64>,
    /// Whether `busy` holds at every load: the routing looks at nothing but the packet. That of an
    /// adaptive routing is of an empty network.
    pub is_oblivious: bool,
}

impl Prospect {
    /// That of `series`; `None` where it is too large, or its traffic is no open loop: requests and
    /// replies differ, and a trace or a batch has no load.
    pub fn of(series: &SeriesPlan) -> Option<Self> {
        let network = &*series.network;
        if network.terminals() > TERMINALS_MOST || series.workload.is_some() {
            return None;
        }
        let expected = expected_of(series).ok()?;
        let lengths = series.traffic.length.shares().into_iter();
        let each = lengths.map(|(flits, share)| share * expected.zero_load_latency_mean(flits));
        // Of a damaged network, loads are means over the living nodes, silent ones among them.
        let sending = series.traffic.sending_share(network).ok()?;
        let channels = (0..network.channels()).map(ChannelId);
        let busy = channels.zip(&expected.channel_loads).map(|(id, load)| {
            let period = f64::from(series.engine.channel_period_of(id));
            load * period * series.cycle_time / sending
        });
        let ideal = expected.ideal_throughput / series.cycle_time * sending;
        Some(Self {
            zero_load_cycles: each.sum::<f64>() * series.cycle_time,
            ideal_flits: ideal.is_finite().then_some(ideal),
            busy: busy.collect(),
            is_oblivious: series.routing.spread(network) != Spread::Adaptive,
        })
    }

    /// Those of every series of `plan`, in the threads at hand. `on_progress` is told of how many
    /// they are known, and of how many there are.
    pub fn of_each(plan: &Plan, on_progress: &(dyn Fn(u64, u64) + Sync)) -> Vec<Option<Self>> {
        let known = AtomicU64::new(0);
        let of = |index: usize| {
            let prospect = Self::of(&plan.series[index]);
            on_progress(
                known.fetch_add(1, Ordering::Relaxed) + 1,
                plan.series.len() as u64,
            );
            prospect
        };
        flitsim_topology::parallel::map(plan.series.len(), of)
    }

    /// The latencies without load of `prospects`, where known.
    pub fn zero_loads(prospects: &[Option<Self>]) -> Vec<Option<f64>> {
        let known = prospects.iter().map(Option::as_ref);
        known.map(|p| p.map(|p| p.zero_load_cycles)).collect()
    }
}
