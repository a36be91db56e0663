//! What a command is at, told where no bar is seen, and its end where its time is over.
//!
//! Invariant: the work itself knows nothing of it. So it holds for whatever takes long.

use crate::output::print;
use crate::stderr::{Style, say, styled};
use flitsim_sweep::checkpoint::Every;
use std::process::exit;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long before something is said, and then again after twice as long.
const SAID_AFTER: Duration = Duration::from_secs(5);

/// The longest that `verify`, `topology` and `new` take where nobody says how long.
pub const TIME_LIMIT: &str = "5min";

/// Reads a time.
///
/// # Errors
/// What would be right.
pub fn time(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(Every::Time(time)) => Ok(time),
        _ => Err("a time such as 60s, 10min or 2h".to_owned()),
    }
}

/// What is being done.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The network or the series.
    pub title: String,
    /// What is simulated or found out about it.
    pub name: String,
    /// How much of it is done, and how much there is.
    pub done: Option<(u64, u64)>,
}

impl Stage {
    fn to_words(&self) -> String {
        let colon = if self.title.is_empty() { "" } else { ": " };
        let done = self.done.map(|(done, of)| format!(", {done} of {of}"));
        format!(
            "{}{colon}{}{}",
            self.title,
            self.name,
            done.unwrap_or_default()
        )
    }
}

/// Whom a stage is told to.
#[derive(Clone, Default)]
pub struct Clock(Arc<(Mutex<Work>, Condvar)>);

#[derive(Default)]
struct Work {
    stage: Stage,
    /// What is known when time is over.
    known: Option<Box<dyn Fn() -> String + Send>>,
    limit: Option<Duration>,
}

impl Clock {
    /// Begins. Where `is_told`, a line says now and then what is being done.
    pub fn start(is_told: bool) -> Self {
        let clock = Self::default();
        let watch = clock.clone();
        // Where there is no room for a thread, all works without.
        let _ = Builder::new().spawn(move || watch.run(is_told));
        clock
    }

    fn run(&self, is_told: bool) -> ! {
        let (begun, mut next) = (Instant::now(), SAID_AFTER);
        let mut work = self.lock();
        loop {
            let gone = begun.elapsed();
            if work.limit.is_some_and(|limit| gone >= limit) {
                end(&work, gone);
            }
            if gone >= next {
                next = 2 * gone;
                if is_told && !work.stage.name.is_empty() {
                    say(format_args!(
                        "{} s: {}",
                        gone.as_secs(),
                        work.stage.to_words()
                    ));
                }
            }
            let until = work.limit.map_or(next, |limit| limit.min(next));
            let waited = self.0.1.wait_timeout(work, until.saturating_sub(gone));
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        // A panic elsewhere leaves the words usable.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is being done now.
    pub fn stage(&self) -> Stage {
        self.lock().stage.clone()
    }

    /// Something else is being done.
    pub fn set(&self, change: impl FnOnce(&mut Stage)) {
        change(&mut self.lock().stage);
    }

    /// The program ends with exit code 1 when the command has taken as long as `limit`.
    pub fn set_limit(&self, limit: Duration) {
        self.lock().limit = Some(limit);
        self.0.1.notify_all();
    }

    /// Where time is over, what is `known` is printed.
    pub fn keep(&self, known: impl Fn() -> String + Send + 'static) {
        self.lock().known = Some(Box::new(known));
    }

    /// Nothing is being done, and time does not matter any more.
    pub fn stop(&self) {
        *self.lock() = Work::default();
    }
}

/// What several threads look at.
pub type Shared<T> = Arc<Mutex<Vec<T>>>;

/// What is in `shared`.
pub fn look<T>(shared: &Shared<T>) -> MutexGuard<'_, Vec<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints what is known, and how far the rest is.
fn end(work: &Work, gone: Duration) -> ! {
    // Where it cannot be printed, the exit code is the same.
    let known = work.known.as_ref().map(|known| known());
    let _ = print(known.unwrap_or_default().as_bytes());
    say(format_args!(
        "{}: not settled within {} s: {}; `--time-limit` gives it longer",
        styled("error", Style::Error),
        gone.as_secs(),
        work.stage.to_words(),
    ));
    exit(1);
}
