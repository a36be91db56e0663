//! Progress for programs: a line of JSON on standard error for each event (`--progress json`).
//!
//! Every line is an object with `event` and `command`, and tells the whole state: a reader that
//! misses lines misses nothing. `docs/progress.md` has the fields.
//!
//! Invariant: a line is written whole, in one write; a reader that has gone away is no reason to fail.

use serde_json::{Map, Value, json};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two lines that reports of points under way may cause.
pub const LINE_AFTER: Duration = Duration::from_secs(1);

/// Lines of JSON on standard error, or none.
#[derive(Debug)]
pub struct Lines {
    /// The command that they are of; `None` where nobody wants them.
    command: Option<&'static str>,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

impl Lines {
    /// Lines about `command`, time counted from now; none where it is `None`.
    pub fn new(command: Option<&'static str>) -> Self {
        Self {
            command,
            started: Instant::now(),
            last: Mutex::new(None),
        }
    }

    /// Whether anybody wants them.
    pub fn are_wanted(&self) -> bool {
        self.command.is_some()
    }

    /// Writes a line now.
    pub fn write(&self, event: &str, fields: impl FnOnce() -> Value) {
        if !self.are_wanted() {
            return;
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let line = format!("{}\n", self.line(event, fields()));
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    /// Writes a line unless there was one a moment ago.
    pub fn write_now_and_then(&self, event: &str, fields: impl FnOnce() -> Value) {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= LINE_AFTER) {
            self.write(event, fields);
        }
    }

    fn line(&self, event: &str, fields: Value) -> Value {
        let mut line = Map::new();
        line.insert("event".to_owned(), json!(event));
        line.insert("command".to_owned(), json!(self.command));
        line.insert(
            "elapsed_seconds".to_owned(),
            seconds(self.started.elapsed()),
        );
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        Value::Object(line)
    }
}

/// A time in seconds, to the tenth.
pub fn seconds(time: Duration) -> Value {
    json!((time.as_secs_f64() * 10.0).round() / 10.0)
}

/// A point under way, as lines tell it: how far it is, and how narrow its interval.
pub fn point(
    series: &str,
    load: f64,
    under_way: Option<flitsim_measure::simulate::Progress>,
) -> Value {
    let interval = under_way.and_then(|progress| progress.relative_half_width);
    let known = interval.filter(|(now, _)| now.is_finite());
    json!({
        "series": series,
        "load": load,
        "replica": under_way.map(|progress| progress.replica),
        "cycles": under_way.map(|progress| progress.cycles),
        "relative_half_width": known.map(|(now, _)| now),
        "relative_half_width_wanted": interval.map(|(_, wanted)| wanted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_measure::simulate::Progress;

    #[test]
    fn a_line_is_an_object_with_its_event_and_command_first_of_all() {
        let line = Lines::new(Some("sweep")).line("progress", json!({ "done": 3 }));
        assert_eq!(line["event"], "progress");
        assert_eq!(line["command"], "sweep");
        assert_eq!(line["done"], 3);
        assert!(!line.to_string().contains('\n'));
    }

    #[test]
    fn an_interval_that_is_not_known_is_null() {
        let at = |half_width| Progress {
            replica: 0,
            cycles: 1_000,
            relative_half_width: half_width,
        };
        let point = |progress| super::point("a", 0.1, progress);
        assert!(point(None)["cycles"].is_null());
        assert!(point(Some(at(None)))["relative_half_width"].is_null());
        let infinite = point(Some(at(Some((f64::INFINITY, 0.02)))));
        assert!(infinite["relative_half_width"].is_null());
        assert_eq!(infinite["relative_half_width_wanted"], 0.02);
        assert_eq!(
            point(Some(at(Some((0.5, 0.02)))))["relative_half_width"],
            0.5
        );
    }
}
