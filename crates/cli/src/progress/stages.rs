//! The progress of a survey or a proof, on standard error: the stage by name, and how much of it is done;
//! as a bar, or as lines of JSON.

use super::clock::{Clock, Stage};
use super::{Lines, Shown};
use crate::survey::Stages;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::time::Duration;

/// The progress of a survey or a proof.
pub struct StageBar {
    bar: ProgressBar,
    lines: Lines,
    clock: Clock,
}

impl StageBar {
    /// A bar, or lines.
    pub fn new(shown: Shown) -> Self {
        let stages = Self {
            bar: ProgressBar::with_draw_target(None, shown.target),
            lines: shown.lines,
            clock: shown.clock,
        };
        // Before the first tick, which would draw another.
        stages.style("{spinner} {prefix} {msg}");
        stages.bar.enable_steady_tick(Duration::from_millis(100));
        stages
    }

    /// Names the network at work.
    pub fn title(&self, title: &str) {
        self.bar.set_prefix(title.to_owned());
        self.clock.set(|stage| title.clone_into(&mut stage.title));
    }

    /// Where time is over, what is `known` is printed.
    pub fn keep(&self, known: impl Fn() -> String + Send + 'static) {
        self.clock.keep(known);
    }

    /// Takes the bar off the screen; time does not matter any more.
    pub fn finish(&self) {
        self.clock.stop();
        self.bar.finish_and_clear();
    }

    fn to_json(&self) -> Value {
        let Stage { title, name, done } = self.clock.stage();
        let (done, of) = done.unzip();
        json!({ "of": title, "stage": name, "done": done, "total": of })
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
        self.clock
            .set(|stage| (stage.name, stage.done) = (name.to_owned(), None));
        self.lines.write("stage", || self.to_json());
    }

    fn done(&self, done: u64, of: u64) {
        self.clock.set(|stage| stage.done = Some((done, of)));
        self.lines.write_now_and_then("stage", || self.to_json());
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
