//! The progress of searches, on standard error: for each series the load under way and between
//! which loads its saturation is known to lie; as a bar, or as lines of JSON.
//!
//! Invariant: it observes only; what it draws changes no result.

use super::clock::Clock;
use super::{Lines, Shown};
use crate::interrupt::{self, Haste};
use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;
use flitsim_sweep::results::number::brief;
use flitsim_sweep::saturation::{Searches, Watch};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Progress of the searches of several series.
pub struct SearchBar {
    bar: ProgressBar,
    lines: Lines,
    clock: Clock,
    series_all: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    searches: Vec<Search>,
    series_done: usize,
}

/// A search under way.
#[derive(Debug)]
struct Search {
    series: String,
    /// The load being tried, and between which the saturation lies, in the series' unit.
    trying: Option<[f64; 3]>,
    loads_tried: u64,
    /// Cycles of the load being tried.
    cycles: u64,
}

impl SearchBar {
    /// A bar, or lines, of the searches of `series_all` series.
    pub fn new(shown: Shown, series_all: usize) -> Self {
        let bar = ProgressBar::with_draw_target(None, shown.target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self {
            bar,
            lines: shown.lines,
            clock: shown.clock,
            series_all,
            state: Mutex::default(),
        }
    }

    /// The search in `series` begins; it is over when the guard is dropped.
    pub fn start<'s>(&'s self, series: &'s SeriesPlan) -> SeriesProgress<'s> {
        let mut state = self.lock();
        state.searches.push(Search {
            series: series.name.clone(),
            trying: None,
            loads_tried: 0,
            cycles: 0,
        });
        self.tell(&state);
        drop(state);
        SeriesProgress { bar: self, series }
    }

    /// Removes the bar: what is printed next starts on a clean line.
    pub fn finish(&self) {
        self.clock.stop();
        self.bar.finish_and_clear();
        self.lines.write("end", || self.to_json(&self.lock()));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic while drawing leaves the numbers usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what happened to the search in `series`, and tells it.
    fn note(&self, series: &SeriesPlan, note: impl Fn(&mut Search)) {
        let mut state = self.lock();
        let searches = state.searches.iter_mut();
        searches
            .filter(|search| search.series == series.name)
            .for_each(note);
        self.tell(&state);
    }

    fn tell(&self, state: &State) {
        let message = message(&state.searches);
        let done = Some((state.series_done as u64, self.series_all as u64));
        self.clock
            .set(|stage| (stage.name, stage.done) = (message.clone(), done));
        self.bar.set_message(message);
        self.lines.write("progress", || self.to_json(state));
    }

    fn to_json(&self, state: &State) -> Value {
        let searches = state.searches.iter().map(|search| {
            let load = |at: usize| search.trying.map(|loads| loads[at]);
            let known = |at: usize| load(at).filter(|load| load.is_finite());
            json!({
                "series": search.series,
                "load": load(0),
                "low": known(1),
                "high": known(2),
                "loads_tried": search.loads_tried,
                "cycles": search.cycles,
            })
        });
        json!({
            "done": state.series_done,
            "running": state.searches.len(),
            "total": self.series_all,
            // How many loads a search takes is known when it is over.
            "eta_seconds": null,
            "searches": searches.collect::<Vec<_>>(),
        })
    }
}

fn message(searches: &[Search]) -> String {
    let texts = searches.iter().map(|search| match search.trying {
        None => format!("{} channel loads", search.series),
        Some(loads) => {
            let [load, low, high] = loads.map(|load| brief(load, 3));
            let series = &search.series;
            format!("{series} trying {load}, saturation in {low} – {high}")
        }
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The search in one series.
pub struct SeriesProgress<'s> {
    bar: &'s SearchBar,
    series: &'s SeriesPlan,
}

impl Searches for SearchBar {
    fn started<'s>(&'s self, series: &'s SeriesPlan) -> Box<dyn Watch + 's> {
        Box::new(self.start(series))
    }
}

impl Watch for SeriesProgress<'_> {
    fn trying(&self, load: f64, low: f64, high: f64) {
        let in_unit = |flits: f64| flits / self.series.load_scale.flits_per_unit;
        let loads = [load, low, high].map(in_unit);
        self.bar.note(self.series, |search| {
            search.trying = Some(loads);
            search.cycles = 0;
        });
    }

    fn cycles(&self, cycles: u64) {
        let lines = &self.bar.lines;
        if !lines.are_wanted() {
            return;
        }
        let mut state = self.bar.lock();
        let searches = state.searches.iter_mut();
        for search in searches.filter(|search| search.series == self.series.name) {
            search.cycles = cycles;
        }
        lines.write_now_and_then("progress", || self.bar.to_json(&state));
    }

    fn tried(&self, _: &PointResult) {
        self.bar.bar.inc(1);
        self.bar.note(self.series, |search| search.loads_tried += 1);
    }

    fn is_cancelled(&self) -> bool {
        interrupt::is_asked_for()
    }
}

impl Drop for SeriesProgress<'_> {
    fn drop(&mut self) {
        let mut state = self.bar.lock();
        let name = &self.series.name;
        state.searches.retain(|search| search.series != *name);
        if !self.is_cancelled() {
            state.series_done += 1;
            // What is found must be kept.
            interrupt::end(Haste::Never);
        }
        self.bar.tell(&state);
    }
}
