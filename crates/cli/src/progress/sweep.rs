//! The progress of a sweep, on standard error: points done, time left, points under way with their loads
//! and how narrow their intervals are by now; as a bar, or as lines of JSON.
//!
//! Invariant: it observes only; what it draws changes no result.

use super::Shown;
use super::clock::Clock;
use super::lines::{self, Lines};
use crate::interrupt;
use flitsim_measure::simulate::{Monitor, Progress};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Plan};
use flitsim_sweep::SweepProgress;
use flitsim_sweep::order::cost;
use flitsim_sweep::results::number::brief;
use flitsim_sweep::results::points_of;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two drawings that reports of points may cause.
const REDRAW_AFTER: Duration = Duration::from_millis(100);

/// Progress of a whole sweep.
pub struct SweepBar {
    bar: ProgressBar,
    lines: Lines,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    started: Instant,
    drawn: Instant,
    in_flight: Vec<Flight>,
    points_done: u64,
    points_all: u64,
    next_id: u64,
    cost_done: f64,
    cost_all: f64,
    several_series: bool,
}

/// A point that is being simulated.
#[derive(Debug)]
struct Flight {
    id: u64,
    series: String,
    load: f64,
    cost: f64,
    /// How far it is, as last told.
    progress: Option<Progress>,
}

impl Flight {
    /// The share of its work that is done: the half-width shrinks with the root of the sample.
    fn share_done(&self) -> f64 {
        self.relative_half_width().map_or(0.0, |(now, wanted)| {
            let ratio = wanted / now;
            (ratio * ratio).clamp(0.0, 0.95)
        })
    }

    /// The half-width of the mean latency's interval over the mean, and the one wanted.
    fn relative_half_width(&self) -> Option<(f64, f64)> {
        let known = |&(now, _): &(f64, f64)| now.is_finite() && now > 0.0;
        self.progress?.relative_half_width.filter(known)
    }
}

impl SweepBar {
    /// A bar, or lines, for the points of `plan`.
    pub fn new(plan: &Plan, shown: Shown) -> Self {
        let points = points_of(plan).count() as u64;
        let bar = ProgressBar::with_draw_target(Some(points), shown.target);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} points  {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("━╸─"));
        let now = Instant::now();
        Self {
            bar,
            lines: shown.lines,
            clock: shown.clock,
            state: Mutex::new(State {
                started: now,
                drawn: now,
                in_flight: Vec::new(),
                points_done: 0,
                points_all: points,
                next_id: 0,
                cost_done: 0.0,
                cost_all: points_of(plan).map(cost).sum(),
                several_series: plan.series.len() > 1,
            }),
        }
    }

    /// Removes the bar: what is printed next starts on a clean line.
    pub fn finish(&self) {
        self.clock.stop();
        self.bar.finish_and_clear();
        self.lines.write("end", || self.lock().to_json());
    }

    /// Takes the bar away while `print` prints a line of its own.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// `, ETA 5m` once something is known of it, and nothing before.
    pub fn time_left_text(&self) -> String {
        let left = self.lock().time_left();
        left.map_or_else(String::new, |left| {
            format!(", ETA {:#}", HumanDuration(left))
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while drawing leaves the numbers usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, state: &State) {
        self.lines.write("progress", || state.to_json());
    }

    fn draw(&self, state: &mut State) {
        state.drawn = Instant::now();
        let message = state.message();
        let done = Some((state.points_done, state.points_all));
        self.clock
            .set(|stage| (stage.name, stage.done) = (message.clone(), done));
        self.bar.set_message(message);
    }
}

impl SweepProgress for SweepBar {
    fn restored(&self, series: &SeriesPlan, load: Load) {
        let mut state = self.lock();
        state.cost_all -= cost((series, load));
        state.points_done += 1;
        self.bar.inc(1);
    }

    fn started<'s>(&'s self, series: &SeriesPlan, load: Load) -> Box<dyn Monitor + 's> {
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.in_flight.push(Flight {
            id,
            series: series.name.clone(),
            load: load.in_unit,
            cost: cost((series, load)),
            progress: None,
        });
        self.draw(&mut state);
        self.tell(&state);
        Box::new(PointProgress { bar: self, id })
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_asked_for()
    }
}

impl State {
    fn message(&self) -> String {
        let time = self.time_left().map_or_else(String::new, |left| {
            format!("ETA {:#}  ", HumanDuration(left))
        });
        let points: Vec<String> = self.in_flight.iter().map(|f| self.flight_text(f)).collect();
        match points.len() {
            0 => time,
            running => format!("{time}{running} running: {}", points.join(", ")),
        }
    }

    fn to_json(&self) -> Value {
        let points = self.in_flight.iter();
        let points: Vec<Value> = points
            .map(|flight| lines::point(&flight.series, flight.load, flight.progress))
            .collect();
        json!({
            "done": self.points_done,
            "running": points.len(),
            "total": self.points_all,
            "eta_seconds": self.time_left().map(lines::seconds),
            "points": points,
        })
    }

    fn flight_text(&self, flight: &Flight) -> String {
        let mut text = String::new();
        if self.several_series {
            text.push_str(&flight.series);
            text.push(' ');
        }
        text.push_str(&brief(flight.load, 4));
        if let Some((now, _)) = flight.relative_half_width() {
            text.push_str(&format!(" (±{} %)", brief(100.0 * now, 2)));
        }
        text
    }

    /// Time left if the rest of the cost takes as long as what is done did.
    fn time_left(&self) -> Option<Duration> {
        let in_flight: f64 = self.in_flight.iter().map(|f| f.cost * f.share_done()).sum();
        let done = self.cost_done + in_flight;
        let elapsed = self.started.elapsed();
        if done <= 0.0 || elapsed < Duration::from_secs(1) {
            return None;
        }
        let left = elapsed.as_secs_f64() * (self.cost_all - done).max(0.0) / done;
        Duration::try_from_secs_f64(left.ceil()).ok()
    }
}

/// A point that is being simulated: its monitor, and the guard that marks its end.
pub struct PointProgress<'p> {
    bar: &'p SweepBar,
    id: u64,
}

impl Monitor for PointProgress<'_> {
    fn progress(&self, progress: Progress) {
        let mut state = self.bar.lock();
        if let Some(flight) = state.in_flight.iter_mut().find(|f| f.id == self.id) {
            flight.progress = Some(progress);
        }
        self.bar
            .lines
            .write_now_and_then("progress", || state.to_json());
        if state.drawn.elapsed() >= REDRAW_AFTER {
            self.bar.draw(&mut state);
        }
    }
}

impl Drop for PointProgress<'_> {
    fn drop(&mut self) {
        let mut state = self.bar.lock();
        if let Some(at) = state.in_flight.iter().position(|f| f.id == self.id) {
            let flight = state.in_flight.remove(at);
            state.cost_done += flight.cost;
        }
        state.points_done += u64::from(!self.bar.is_cancelled());
        self.bar.bar.inc(1);
        self.bar.draw(&mut state);
        self.bar.tell(&state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_sweep::testing::plan;
    use indicatif::ProgressDrawTarget;

    fn at(half_width: Option<f64>) -> Progress {
        Progress {
            replica: 0,
            cycles: 1000,
            relative_half_width: half_width.map(|now| (now, 0.02)),
        }
    }

    #[test]
    fn the_message_names_the_points_in_flight() {
        let plan = plan(&[("wormhole", &[0.1, 0.2]), ("cut-through", &[0.1])]);
        let shown = Shown {
            target: ProgressDrawTarget::hidden(),
            lines: Lines::new(None),
            clock: Clock::default(),
        };
        let bar = SweepBar::new(&plan, shown);
        let mut points = points_of(&plan);
        let (series, load) = points.next().unwrap();
        let first = bar.started(series, load);
        let (series, load) = points.next().unwrap();
        let second = bar.started(series, load);
        first.progress(at(Some(0.041)));
        second.progress(at(None));
        assert_eq!(
            bar.lock().message(),
            "2 running: wormhole 0.1 (±4.1 %), wormhole 0.2"
        );
        drop(first);
        assert_eq!(bar.lock().message(), "1 running: wormhole 0.2");
        assert!(bar.lock().cost_done > 0.0);
    }

    #[test]
    fn a_point_is_nearly_done_when_its_interval_is_narrow() {
        let mut flight = Flight {
            id: 0,
            series: String::new(),
            load: 0.1,
            cost: 1.0,
            progress: None,
        };
        assert_eq!(flight.share_done(), 0.0);
        flight.progress = Some(at(Some(0.04)));
        assert_eq!(flight.share_done(), 0.25);
        flight.progress = Some(at(Some(0.001)));
        assert_eq!(flight.share_done(), 0.95);
    }
}
