//! Work away from Python, and the thread that waits for it.

use crate::error::Failure;
use crate::progress::Told;
use flitsim_measure::threads::in_pool;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often signals are taken and progress is told.
const PERIOD: Duration = Duration::from_millis(50);

/// How long a call that is broken off waits for its work to notice. What does not notice, such as a proof,
/// ends by itself, unheard.
const GRACE: Duration = Duration::from_secs(2);

/// Does `work` on `threads` threads, one on each core where `None`, without Python's lock. They are of this call
/// alone: a process forked later would wait for ever for threads of the global pool, which it does not have.
/// Meanwhile takes signals, and hands what is new of the progress to `callback`, as JSON.
///
/// # Errors
/// Those of the work, of the callback and of signals' handlers: `KeyboardInterrupt`.
pub fn away<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    threads: Option<u16>,
    work: impl FnOnce(&Told) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let told = Arc::new(Told::default());
    let (done, result) = mpsc::channel();
    let of_work = Arc::clone(&told);
    thread::Builder::new().spawn(move || {
        let found = in_pool(threads.map_or(0, usize::from), || work(&of_work));
        // Nobody may be there any more.
        let _ = done.send(found.map_err(Failure::of).and_then(|found| found));
    })?;
    // One thread alone looks at it; the lock is for the compiler.
    let result = Mutex::new(result);
    let wait = |time| {
        let result = result.lock().unwrap_or_else(PoisonError::into_inner);
        result.recv_timeout(time)
    };
    let tell = || match callback.zip(told.news()) {
        Some((callback, news)) => callback.call1((news.to_string(),)).map(drop),
        None => Ok(()),
    };
    loop {
        match py.detach(|| wait(PERIOD)) {
            Ok(found) => {
                tell()?;
                return found.map_err(|failure| failure.raise(py));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = py.check_signals().and_then(|()| tell()) {
                    told.cancel();
                    let _ = py.detach(|| wait(GRACE));
                    return Err(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("flitsim failed unexpectedly"));
            }
        }
    }
}
