//! The progress of a survey or a proof, on standard error: the stage by name, and how much of it is done;
//! as a bar, or as lines of JSON.

use super::lines::Lines;
use crate::survey::Stages;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The progress of a survey or a proof.
#[derive(Debug)]
pub struct StageBar {
    bar: ProgressBar,
    lines: Lines,
    stage: Mutex<(String, String)>,
}

impl StageBar {
    /// A bar on `target`, and lines of JSON.
    pub fn new(target: ProgressDrawTarget, lines: Lines) -> Self {
        let stages = Self {
            bar: ProgressBar::with_draw_target(None, target),
            lines,
            stage: Mutex::default(),
        };
        // Before the first tick, which would draw another.
        stages.style("{spinner} {prefix} {msg}");
        stages.bar.enable_steady_tick(Duration::from_millis(100));
        stages
    }

    /// Names the network at work.
    pub fn title(&self, title: &str) {
        self.bar.set_prefix(title.to_owned());
        self.lock().0 = title.to_owned();
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn lock(&self) -> MutexGuard<'_, (String, String)> {
        // A panic while drawing leaves the names usable.
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_json(&self, done: Option<u64>, of: Option<u64>) -> Value {
        let (title, stage) = &*self.lock();
        json!({ "of": title, "stage": stage, "done": done, "total": of })
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.progress_chars("━╸─"));
        }
    }
}

impl Stages for StageBar {
    fn stage(&self, name: &str) {
        self.style("{spinner} {prefix} {msg}");
        self.bar.set_message(name.to_owned());
        self.lock().1 = name.to_owned();
        self.lines.write("stage", || self.to_json(None, None));
    }

    fn done(&self, done: u64, of: u64) {
        self.lines
            .write_now_and_then("stage", || self.to_json(Some(done), Some(of)));
        if self.bar.length() != Some(of) {
            self.bar.set_length(of);
            self.bar.reset_eta();
            self.style("{spinner} {prefix} {msg} {bar:20} {percent} %, {eta} left");
        }
        self.bar.set_position(done);
    }
}

/// However a command ends, nothing of the bar is left.
impl Drop for StageBar {
    fn drop(&mut self) {
        self.finish();
    }
}
