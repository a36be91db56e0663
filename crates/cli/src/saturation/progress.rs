//! The progress of searches, on standard error: for each series the load under way and between
//! which loads its saturation is known to lie.
//!
//! Invariant: it observes only; what it draws changes no result.

use super::Watch;
use crate::point::PointResult;
use crate::results::number::brief;
use crate::scenario::SeriesPlan;
use crate::threads::Threads;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Progress of the searches of several series.
#[derive(Debug)]
pub struct SearchBar {
    bar: ProgressBar,
    lines: Mutex<Vec<(String, String)>>,
    threads: Threads,
}

impl SearchBar {
    /// A bar drawn to `target`; one that is no terminal stays silent. Points get the threads that
    /// `threads` says.
    pub fn new(target: ProgressDrawTarget, threads: Threads) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self {
            bar,
            lines: Mutex::new(Vec::new()),
            threads,
        }
    }

    /// The search in `series` begins; it is over when the guard is dropped.
    pub fn start<'s>(&'s self, series: &'s SeriesPlan) -> SeriesProgress<'s> {
        self.lock().push((series.name.clone(), String::new()));
        SeriesProgress { bar: self, series }
    }

    /// Removes the bar: what is printed next starts on a clean line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, String)>> {
        // A panic while drawing leaves the lines usable.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, series: &SeriesPlan, text: Option<String>) {
        let mut lines = self.lock();
        match text {
            Some(text) => {
                for line in lines.iter_mut().filter(|(name, _)| *name == series.name) {
                    line.1.clone_from(&text);
                }
            }
            None => lines.retain(|(name, _)| *name != series.name),
        }
        self.bar.set_message(message(&lines));
    }
}

fn message(lines: &[(String, String)]) -> String {
    let lines: Vec<String> = lines
        .iter()
        .map(|(n, text)| format!("{n} {text}"))
        .collect();
    lines.join("; ")
}

/// The search in one series.
#[derive(Debug)]
pub struct SeriesProgress<'s> {
    bar: &'s SearchBar,
    series: &'s SeriesPlan,
}

impl Watch for SeriesProgress<'_> {
    fn trying(&self, load: f64, low: f64, high: f64) {
        let in_unit = |flits| brief(flits / self.series.load_scale.flits_per_unit, 3);
        let (load, low, high) = (in_unit(load), in_unit(low), in_unit(high));
        let text = format!("trying {load}, saturation in {low} – {high}");
        self.bar.say(self.series, Some(text));
    }

    fn threads(&self) -> NonZeroUsize {
        self.bar.threads.of(self.series)
    }

    fn tried(&self, _: &PointResult) {
        self.bar.bar.inc(1);
    }
}

impl Drop for SeriesProgress<'_> {
    fn drop(&mut self) {
        self.bar.say(self.series, None);
    }
}
