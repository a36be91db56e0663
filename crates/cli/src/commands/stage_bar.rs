//! What is being found of a network, on standard error: a stage by name, and how much of it is done.

use super::Console;
use crate::survey::Stages;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// What is being found, on standard error.
pub(super) struct StageBar(ProgressBar);

impl StageBar {
    pub(super) fn new(console: &Console) -> Self {
        let bar = ProgressBar::with_draw_target(None, console.progress());
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// What it is found of.
    pub(super) fn title(&self, title: &str) {
        self.0.set_prefix(title.to_owned());
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style.progress_chars("━╸─"));
        }
    }
}

impl Stages for StageBar {
    fn stage(&self, name: &str) {
        self.style("{spinner} {prefix} {msg}");
        self.0.set_message(name.to_owned());
    }

    fn done(&self, done: u64, of: u64) {
        if self.0.length() != Some(of) {
            self.0.set_length(of);
            self.0.reset_eta();
            self.style("{spinner} {prefix} {msg} {bar:20} {percent} %, {eta} left");
        }
        self.0.set_position(done);
    }
}

/// However a command ends, nothing of the bar is left.
impl Drop for StageBar {
    fn drop(&mut self) {
        self.finish();
    }
}
