//! One series at one load, cycle by cycle, and what is happening in it, in reference cycles.

use super::moment::Moment;
use flitsim_measure::live::{Live, Slot};
use flitsim_measure::simulate::SimulateError;
use flitsim_scenario::Load;
use flitsim_scenario::proof::ProvedSeries;
use flitsim_sweep::operating_point;
use flitsim_topology::ChannelId;

/// A simulation under way.
pub struct Simulation<'a> {
    series: &'a ProvedSeries<'a>,
    seed: u64,
    live: Live<'a>,
}

impl<'a> Simulation<'a> {
    /// `series` at `load` before its first cycle, from streams addressed by `seed`.
    ///
    /// # Errors
    /// A router or traffic that cannot be built.
    pub fn new(series: &'a ProvedSeries<'a>, load: Load, seed: u64) -> Result<Self, SimulateError> {
        let point = operating_point(series, load, seed);
        let live = Live::new(&point, series.relation()?)?;
        Ok(Self { series, seed, live })
    }

    /// Simulates this many cycles, fewer where it stops.
    pub fn advance(&mut self, cycles: u64) {
        self.live.advance(cycles);
    }

    /// Offers `load` from now on.
    ///
    /// # Errors
    /// A load that the traffic cannot have; what was offered before goes on.
    pub fn set_load(&mut self, load: Load) -> Result<(), SimulateError> {
        let point = operating_point(self.series, load, self.seed);
        self.live.set_load(&point)
    }

    /// Whether it has stopped.
    pub fn is_stopped(&self) -> bool {
        self.live.stopped().is_some()
    }

    /// What is happening.
    pub fn moment(&self) -> Moment {
        let (network, gauge) = (&*self.series.network, self.live.gauge());
        let recent = gauge.recent();
        let (accepted, latency) = self.measured(recent);
        let history = gauge.history().map(|slot| self.measured(slot));
        let (accepted_history, latency_history) = history.unzip();
        let mut buffered = vec![0; network.nodes() as usize];
        let mut used = Vec::with_capacity(network.channels() as usize);
        for channel in (0..network.channels()).map(ChannelId) {
            buffered[network.target(channel).index()] += gauge.held(channel);
            let period = self.series.engine.channel_period_of(channel);
            let busy = f64::from(gauge.sent(channel)) * f64::from(period);
            used.push((busy / recent.cycles.max(1) as f64).min(1.0) as f32);
        }
        let mut queued = gauge.queued().to_vec();
        queued.resize(network.nodes() as usize, 0);
        let nodes = network.living_terminals_count();
        Moment {
            cycle: self.live.cycle(),
            cycles: recent.cycles,
            offered: recent.rate(recent.created_flits, nodes) / self.series.cycle_time,
            accepted,
            latency,
            accepted_history,
            latency_history,
            under_way: self.live.under_way(),
            used,
            buffered,
            queued,
            stopped: self.live.stopped().cloned(),
        }
    }

    /// What `slot` is in reference cycles: accepted load and latency.
    fn measured(&self, slot: Slot) -> (f64, Option<f64>) {
        let cycle_time = self.series.cycle_time;
        let nodes = self.series.network.living_terminals_count();
        let accepted = slot.rate(slot.ejected_flits, nodes) / cycle_time;
        (accepted, slot.latency_mean().map(|mean| mean * cycle_time))
    }
}
