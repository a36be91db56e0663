//! When the warm-up is over, when the window ends, how a point ends: the decisions of one run.
//!
//! A state machine that knows no engine. It is shown the [`Recorder`] at the cycles that it asks
//! for, and answers until when to go on:
//!
//! ```text
//! warm-up --steady--> window --precise--> converged
//!    |                  |  \--limit-----> max-cycles
//!    \--growing---------+--growing, slow-> overload --accepted known--> saturated
//! ```
//!
//! Invariant: the window begins in the cycle of the decision and each of its ends lies at or after
//! the cycle of the decision, so neither is chosen by the data of the window that follows.
//!
//! Sources: K. Pawlikowski, "Steady-state simulation of queueing processes", ACM Computing Surveys
//! 22(2), 1990 (the rule: half-width over mean at most the wanted error, at growing checkpoints);
//! W. J. Dally, B. Towles, "Principles and Practices of Interconnection Networks", section 24.3
//! (warm-up, tagged packets, drain).

use super::outcome::{Decide, Decision, Outcome, Status};
use super::pace::Pace;
use super::phase::Phase;
use crate::measurement::backlog::growth;
use crate::measurement::controls::Controls;
use crate::measurement::intervals::{
    PACKETS_REPORTED_MIN, accepted_estimate, accepted_of_run, latency_estimate,
};
use crate::measurement::recorder::Recorder;
use crate::measurement::settings::{MeasureSettings, Warmup};
use crate::measurement::statistics::{Correlation, Estimate};
use crate::measurement::warmup::is_warm;
use flitsim_topology::archived;

/// Zero-load traversals before the warm-up is first judged, and that a window lasts at least.
const TRAVERSALS_MIN: u64 = 20;

/// Cycles and packets created before the warm-up is first judged, and in the shortest window. A
/// network near saturation wanders for a long time: a window of few cycles may hold many packets
/// and yet only one of its moods. A run limited to few cycles makes do with fewer.
const CYCLES_MIN: u64 = 2_000;
const PACKETS_MIN: f64 = 2_000.0;

/// Round trips of a closed loop in the same: it takes some until a hot terminal holds what is outstanding.
const ROUNDS_MIN: u64 = 32;

/// The least fraction of the cycle limit that is granted to all but `TRAVERSALS_MIN` (as a divisor).
const SHARE_OF_LIMIT: u64 = 20;

/// Mean waits that a window has to last.
const WAITS_MIN: f64 = 64.0;

/// Windows after whose ends a run that goes on counts as one that waits for its mean to be narrow. Light loads
/// are done by then.
const WINDOWS_FEW: u32 = 4;

/// Packets below which a run does not count as converged.
const PACKETS_CONVERGED_MIN: u64 = 200;

/// Zero-load traversals of backlog that a steadily growing network may hold before it is taken as
/// saturated, where the latency limit is not lower.
const BACKLOG_TRAVERSALS: u64 = 20;

/// Windows are 128 to 256 units long, a multiple of 32, so that they halve into equal batches.
const UNITS_MIN: u64 = 128;
const UNITS_STEP: u64 = 32;

/// The decisions of one run.
#[derive(Clone, Debug)]
pub struct Controller {
    settings: MeasureSettings,
    pace: Pace,
    controls: Option<Controls>,
    phase: Phase,
    /// False where the window began although the run was not known to be steady.
    warm: bool,
    /// Whether the window's end is as late as the limit of cycles allows.
    last_window: bool,
    /// How often the window has ended.
    windows: u32,
    /// The checkpoint at which the backlog was first seen growing, if it did at all since.
    growing_since: Option<u64>,
    relative_half_width: Option<f64>,
    /// Where sources wait for answers, an estimate of the round trip: what is under way is bounded, and does not grow.
    round_cycles: Option<u64>,
}

archived! { Controller {
    phase, warm, last_window, windows, growing_since, relative_half_width; rebuilt settings, pace, controls,
    round_cycles
} }

impl Controller {
    /// The decisions of a run under `settings`.
    ///
    /// # Panics
    /// If the network has no terminals or packets no flits.
    pub fn new(settings: MeasureSettings, pace: Pace) -> Self {
        assert!(pace.terminals >= 1 && pace.packet_flits >= 1.0);
        Self {
            settings,
            pace,
            controls: None,
            phase: Phase::Warmup,
            warm: true,
            last_window: false,
            windows: 0,
            growing_since: None,
            relative_half_width: None,
            round_cycles: None,
        }
    }

    /// The same, where `controls` are known of the packets.
    #[must_use]
    pub fn with_controls(self, controls: Controls) -> Self {
        Self {
            controls: Some(controls),
            ..self
        }
    }

    /// The same for a closed loop: nothing saturates it, neither a backlog that grows nor a latency
    /// above the limit. A round trip takes about `round_cycles`; until it has been made some times, the
    /// queues of hot terminals still fill.
    #[must_use]
    pub fn of_closed_loop(mut self, round_cycles: u64) -> Self {
        self.settings.latency_limit = f64::INFINITY;
        self.round_cycles = Some(round_cycles);
        self
    }

    fn shortest_span(&self) -> u64 {
        let packets = self.pace.cycles_for(PACKETS_MIN);
        let rounds = (self.round_cycles.unwrap_or(0)).saturating_mul(ROUNDS_MIN);
        let granted = packets
            .max(CYCLES_MIN)
            .max(self.pace.settling_cycles())
            .max(rounds)
            .min(self.settings.max_cycles / SHARE_OF_LIMIT);
        (TRAVERSALS_MIN * self.pace.traversal_cycles)
            .max(granted)
            .max(1)
    }

    fn decide_warmup(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        if now >= self.settings.max_cycles {
            return self.finish_without_window(now, recorder);
        }
        if let Warmup::Cycles(cycles) = self.settings.warmup {
            return if now >= cycles {
                self.begin_window(now, recorder)
            } else {
                let until = cycles.min(self.settings.max_cycles);
                Decision::Continue { until }
            };
        }
        if self.is_overloaded(now, recorder) {
            return self.begin_overload(now, recorder);
        }
        if is_warm(recorder.run(), now) {
            return self.begin_window(now, recorder);
        }
        let half = self.settings.max_cycles / 2;
        if now >= half {
            // A mean with its interval tells more than nothing, but it is not called converged.
            self.warm = false;
            return self.begin_window(now, recorder);
        }
        Decision::Continue {
            until: (now + now / 2).max(now + 1).min(half),
        }
    }

    fn begin_window(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        self.phase = Phase::Window;
        let wanted = now.saturating_add(now.max(self.shortest_span()));
        let end = self.end_within_limit(now, now, wanted);
        recorder.begin_window(now, end);
        Decision::Continue { until: end }
    }

    /// The window's end: at least `wanted`, but early enough for its packets to arrive within the
    /// limit of cycles, and at or after `now`.
    fn end_within_limit(&mut self, now: u64, start: u64, wanted: u64) -> u64 {
        let limit = self.settings.max_cycles;
        let reserve = (4 * self.pace.traversal_cycles).min(limit / 10);
        let latest = (limit - reserve).max(now).max(start + 1);
        let end = start.saturating_add(whole_units(wanted - start));
        if end <= latest {
            return end;
        }
        self.last_window = true;
        let whole = start + whole_units_within(latest - start);
        if whole > now { whole } else { latest }
    }

    fn decide_window(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        let (start, end) = (recorder.window_start(), recorder.window_end());
        if now < end {
            return Decision::Continue { until: end };
        }
        if self.is_slow(now, recorder) || self.is_overloaded(now, recorder) {
            return self.begin_overload(now, recorder);
        }
        if !recorder.is_settled(now) {
            return self.wait_for_tagged(now, recorder);
        }
        self.windows += 1;
        let latency = self.latency_to_stop_at(recorder, end);
        self.relative_half_width = latency.map(|estimate| estimate.relative_half_width());
        let growing = self.growing_since.is_some();
        if let Some(estimate) = latency {
            if estimate.trusted && estimate.mean - estimate.half_width > self.settings.latency_limit
            {
                return self.begin_overload(now, recorder);
            }
            if self.is_precise(&estimate, recorder) && !growing {
                if estimate.mean > self.settings.latency_limit || self.pace.is_excessive() {
                    return self.begin_overload(now, recorder);
                }
                return self.finish(now, recorder);
            }
        }
        if self.last_window {
            return self.finish(now, recorder);
        }
        let length = end - start;
        let wanted = start
            .saturating_add(self.next_length(length, latency))
            .max(now + length / 4 + 1);
        let next = self.end_within_limit(now, start, wanted);
        if self.last_window && next < now + length / 16 {
            // Hardly any cycles left: they would change nothing.
            return self.finish(now, recorder);
        }
        recorder.extend_window(now, next);
        Decision::Continue { until: next }
    }

    /// The length of the next window, from what the last says of the precision still missing.
    fn next_length(&self, length: u64, latency: Option<Estimate>) -> u64 {
        let factor = match latency {
            Some(estimate) if estimate.mean > 0.0 => {
                let missing = estimate.relative_half_width() / self.settings.relative_error;
                (1.2 * missing * missing).clamp(1.5, 3.0)
            }
            _ => 3.0,
        };
        (length as f64 * factor).ceil() as u64
    }

    fn is_precise(&self, latency: &Estimate, recorder: &Recorder) -> bool {
        latency.trusted
            && recorder.tagged().packets() >= PACKETS_CONVERGED_MIN
            && latency.relative_half_width() <= self.settings.relative_error
            && self.outlasts_queues(latency, recorder)
    }

    /// Whether the window is long beside the time that packets wait. Near saturation queues take many
    /// times that to fill: what a shorter window sees looks like a steady state.
    fn outlasts_queues(&self, latency: &Estimate, recorder: &Recorder) -> bool {
        let waiting = latency.mean - self.pace.traversal_cycles as f64;
        let length = recorder.window_end() - recorder.window_start();
        length as f64 >= WAITS_MIN * waiting
    }

    /// Past the window's end, while its packets are under way: wait, or move the end if that takes
    /// far longer than the window itself.
    fn wait_for_tagged(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        let (start, end) = (recorder.window_start(), recorder.window_end());
        if now >= self.settings.max_cycles {
            return self.finish_undrained(now, recorder);
        }
        let length = end - start;
        if now >= end + 2 * length && !self.last_window {
            let next = self.end_within_limit(now, start, now + length);
            recorder.extend_window(now, next);
            return Decision::Continue { until: next };
        }
        let pause = (length / 4).max(self.pace.traversal_cycles).max(1);
        Decision::Continue {
            until: (now + pause).min(self.settings.max_cycles),
        }
    }

    /// Whether the packets of the window have taken so long already that their mean is above the
    /// limit whatever comes.
    fn is_slow(&self, now: u64, recorder: &Recorder) -> bool {
        let packets = recorder.tagged().packets() + recorder.tagged_outstanding();
        recorder.tagged_outstanding() > 0
            && packets >= PACKETS_CONVERGED_MIN
            && recorder.latency_bound_cycles(now) as f64
                > self.settings.latency_limit * packets as f64
    }

    /// Whether the backlog has grown, significantly and linearly, at two checkpoints a quarter of
    /// the run apart, and to more than a stable network would hold.
    fn is_overloaded(&mut self, now: u64, recorder: &Recorder) -> bool {
        let growth = growth(recorder.run(), now, self.pace.correlation_cycles)
            .filter(|g| g.significant && self.round_cycles.is_none());
        let Some(growth) = growth else {
            self.growing_since = None;
            return false;
        };
        let since = *self.growing_since.get_or_insert(now);
        let patience = (BACKLOG_TRAVERSALS * self.pace.traversal_cycles) as f64;
        now >= since + since / 4
            && growth.linear
            && growth.backlog_cycles > patience.min(self.settings.latency_limit)
    }

    /// Whether the backlog grows at the end of the run.
    fn is_growing(&self, now: u64, recorder: &Recorder) -> bool {
        // A network that fills grows too.
        let is_long = now >= TRAVERSALS_MIN * self.pace.traversal_cycles;
        let growth = growth(recorder.run(), now, self.pace.correlation_cycles);
        is_long && self.round_cycles.is_none() && growth.is_some_and(|g| g.significant && g.linear)
    }

    fn begin_overload(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        // As long again as it took to find out, within the limit.
        let give_up = now.saturating_mul(4).min(self.settings.max_cycles);
        self.phase = Phase::Overload { give_up };
        self.relative_half_width = None;
        let wanted = now.saturating_add(now.max(self.shortest_span()));
        if recorder.window_start() == u64::MAX {
            recorder.begin_window(now, u64::MAX);
        } else {
            recorder.extend_window(now, u64::MAX);
        }
        let until = recorder.window_start() + whole_units(wanted - recorder.window_start());
        if now >= give_up {
            return self.decide_overload(now, give_up, recorder);
        }
        Decision::Continue {
            until: until.min(give_up),
        }
    }

    fn decide_overload(&mut self, now: u64, give_up: u64, recorder: &mut Recorder) -> Decision {
        let start = recorder.window_start();
        let accepted = accepted_estimate(recorder, self.pace.terminals, now);
        let precise =
            accepted.trusted && accepted.relative_half_width() <= self.settings.relative_error;
        if precise || now >= give_up {
            return self.done(Status::Saturated, now, start, accepted, None);
        }
        let length = now - start;
        let until = start + whole_units(length + length / 2 + 1);
        Decision::Continue {
            until: until.min(give_up).max(now + 1),
        }
    }

    fn latency_estimate(&self, recorder: &Recorder, end: u64) -> Option<Estimate> {
        let controls = self.controls.as_ref();
        latency_estimate(recorder, controls, end, Correlation::Widens)
    }

    /// The same, of a run that ends where it is precise.
    fn latency_to_stop_at(&self, recorder: &Recorder, end: u64) -> Option<Estimate> {
        if self.windows <= WINDOWS_FEW {
            return self.latency_estimate(recorder, end);
        }
        let controls = self.controls.as_ref();
        latency_estimate(recorder, controls, end, Correlation::Awaited)
    }

    fn done(
        &self,
        status: Status,
        cycles: u64,
        warmup_cycles: u64,
        accepted: Estimate,
        latency: Option<Estimate>,
    ) -> Decision {
        Decision::Done(Outcome {
            status,
            warmup_cycles,
            cycles,
            accepted,
            latency,
        })
    }

    /// The run ends with its window settled.
    fn finish(&mut self, now: u64, recorder: &Recorder) -> Decision {
        let (start, end) = (recorder.window_start(), recorder.window_end());
        let awaited = self.latency_to_stop_at(recorder, end);
        let awaited = awaited.filter(|estimate| self.is_precise(estimate, recorder));
        let precise = awaited.is_some();
        // Nobody waited for what the limit of cycles ended.
        let latency = awaited
            .or_else(|| self.latency_estimate(recorder, end))
            .filter(|_| recorder.tagged().packets() >= PACKETS_REPORTED_MIN);
        let accepted = accepted_estimate(recorder, self.pace.terminals, end);
        let growing = self.is_growing(now, recorder);
        let above = latency.is_some_and(|estimate| estimate.mean > self.settings.latency_limit)
            || self.pace.is_excessive();
        let status = match (above || (growing && !precise), precise && self.warm) {
            (true, _) => Status::Saturated,
            (false, true) => Status::Converged,
            (false, false) => Status::MaxCycles,
        };
        let latency = latency.filter(|_| status != Status::Saturated);
        self.done(status, now, start, accepted, latency)
    }

    /// The limit of cycles came while packets of the window are under way. Latencies are those of
    /// the window's beginning, up to the first span of which a packet is missing.
    fn finish_undrained(&mut self, now: u64, recorder: &Recorder) -> Decision {
        let start = recorder.window_start();
        let end = recorder.window_end().min(now);
        let accepted = accepted_estimate(recorder, self.pace.terminals, end);
        let window = recorder.window();
        let bins = window.ended(end);
        let known = bins.iter().take_while(|bin| bin.is_complete()).count();
        let latency = self
            .latency_estimate(recorder, start + known as u64 * window.width())
            .filter(|_| recorder.tagged().packets() >= PACKETS_REPORTED_MIN);
        let growing = self.is_growing(now, recorder);
        let above = latency.is_some_and(|estimate| estimate.mean > self.settings.latency_limit)
            || self.pace.is_excessive();
        let is_long = now >= start + TRAVERSALS_MIN * self.pace.traversal_cycles;
        let lost = is_long && latency.is_none() && recorder.tagged_outstanding() > 1;
        if growing || above || lost && self.round_cycles.is_none() {
            return self.done(Status::Saturated, now, start, accepted, None);
        }
        self.done(Status::MaxCycles, now, start, accepted, latency)
    }

    /// The limit of cycles came in the warm-up.
    fn finish_without_window(&mut self, now: u64, recorder: &Recorder) -> Decision {
        let accepted = accepted_of_run(recorder, self.pace.terminals, now);
        let growing = self.is_growing(now, recorder);
        let status = if growing || self.pace.is_excessive() {
            Status::Saturated
        } else {
            Status::MaxCycles
        };
        self.done(status, now, now, accepted, None)
    }
}

impl Decide for Controller {
    fn relative_half_width(&self) -> Option<f64> {
        self.relative_half_width
    }

    fn first_checkpoint(&self) -> u64 {
        let first = match self.settings.warmup {
            Warmup::Cycles(cycles) => cycles,
            Warmup::Auto => self.shortest_span().min(self.settings.max_cycles / 2),
        };
        first.min(self.settings.max_cycles)
    }

    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision {
        recorder.reach(now);
        match self.phase {
            Phase::Warmup => self.decide_warmup(now, recorder),
            Phase::Window => self.decide_window(now, recorder),
            Phase::Overload { give_up } => self.decide_overload(now, give_up, recorder),
        }
    }

    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome {
        recorder.reach(now);
        let start = recorder.window_start().min(now);
        let (accepted, latency) = if start == now {
            (accepted_of_run(recorder, self.pace.terminals, now), None)
        } else {
            let accepted = accepted_estimate(recorder, self.pace.terminals, now);
            (accepted, self.latency_estimate(recorder, now))
        };
        let measured = recorder.tagged().packets() >= PACKETS_REPORTED_MIN;
        Outcome {
            status,
            warmup_cycles: start,
            cycles: now,
            accepted,
            latency: latency.filter(|_| measured && status != Status::Deadlock),
        }
    }
}

/// `cycles` rounded up to 128 to 256 units of a power of two, a multiple of 32 of them.
fn whole_units(cycles: u64) -> u64 {
    let unit = 1u64 << (cycles / UNITS_MIN).max(1).ilog2();
    cycles
        .div_ceil(unit * UNITS_STEP)
        .saturating_mul(unit * UNITS_STEP)
}

/// `cycles` rounded down likewise; 0 where there are too few.
fn whole_units_within(cycles: u64) -> u64 {
    let unit = 1u64 << (cycles / UNITS_MIN).max(1).ilog2();
    cycles / (unit * UNITS_STEP) * (unit * UNITS_STEP)
}
