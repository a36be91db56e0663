//! The progress of one point, on standard error: its cycles and its precision.

use super::Shown;
use super::clock::Clock;
use super::lines::{Lines, point};
use crate::interrupt;
use flitsim_measure::EngineUse;
use flitsim_measure::simulate::{Keeper, Monitor, Progress};
use flitsim_sweep::checkpoint::Checkpoint;
use flitsim_topology::memory::Memory;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;

/// The cycles and the precision of the point under way, and what it kept.
pub struct Spinner<'c> {
    bar: ProgressBar,
    kept: Mutex<Memory>,
    engine: Mutex<Option<EngineUse>>,
    lines: Lines,
    clock: Clock,
    series: String,
    load: f64,
    checkpoint: Option<Checkpoint<'c>>,
}

impl<'c> Spinner<'c> {
    /// For the point of `series` at `load`, which is kept where there is a `checkpoint`.
    pub fn new(shown: Shown, series: &str, load: f64, checkpoint: Option<Checkpoint<'c>>) -> Self {
        let bar = ProgressBar::with_draw_target(None, shown.target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(series.to_owned());
        shown.clock.set(|stage| series.clone_into(&mut stage.title));
        Self {
            bar,
            lines: shown.lines,
            clock: shown.clock,
            series: series.to_owned(),
            load,
            checkpoint,
            kept: Mutex::default(),
            engine: Mutex::default(),
        }
    }

    /// Which engine simulates the point, and why.
    pub fn engine(&self) -> Option<EngineUse> {
        self.engine.lock().ok().and_then(|engine| *engine)
    }

    /// Takes it off the screen. Returns what the point kept in memory.
    pub fn finish(self) -> Memory {
        self.clock.stop();
        self.bar.finish_and_clear();
        self.kept.into_inner().unwrap_or_default()
    }
}

impl Monitor for Spinner<'_> {
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.checkpoint.as_ref().map(|checkpoint| checkpoint as _)
    }

    /// What is not kept ends at once with the program.
    fn is_cancelled(&self) -> bool {
        interrupt::is_asked_for()
    }

    fn engine(&self, engine: &EngineUse) {
        if let Ok(mut used) = self.engine.lock() {
            *used = Some(*engine);
        }
    }

    fn progress(&self, progress: Progress) {
        let precision = progress
            .relative_half_width
            .map_or_else(String::new, |(now, wanted)| {
                format!(", ± {:.1} % of {:.1} %", now * 100.0, wanted * 100.0)
            });
        let message = format!("cycle {}{precision}", progress.cycles);
        self.clock.set(|stage| stage.name.clone_from(&message));
        self.bar.set_message(message);
        self.bar.tick();
        self.lines.write_now_and_then("progress", || {
            let point = point(&self.series, self.load, Some(progress));
            serde_json::json!({ "points": [point] })
        });
    }

    /// Of several replicas, the last.
    fn memory(&self, memory: &Memory) {
        if let Ok(mut kept) = self.kept.lock() {
            kept.clone_from(memory);
        }
    }
}
