//! The threads of a command: as many as asked for, no more points at once than there is memory for.

use crate::console::Console;
use crate::error::CommandError;
use flitsim_measure::threads;
use flitsim_sweep::threads::Workers;
use std::num::NonZeroUsize;

/// Does `work` on `jobs` threads, on all cores where `None`.
///
/// # Errors
/// Threads that cannot be started.
pub fn in_pool<T: Send>(
    jobs: Option<NonZeroUsize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, CommandError> {
    threads::in_pool(jobs.map_or(0, NonZeroUsize::get), work)
        .map_err(|error| CommandError::Failed(format!("cannot start the worker threads: {error}")))
}

/// Tells that memory lets only `points` points of about `bytes` bytes each run at a time.
pub fn tell_short(console: &Console, points: usize, bytes: u128) {
    console.note(format_args!(
        "each point takes about {bytes} bytes, so {points} at a time"
    ));
}

/// Tells where fewer threads work than were asked for. The same workers.
pub fn tell_capped(console: &Console, workers: Workers) -> Workers {
    if let Some((asked, threads)) = workers.capped() {
        console.detail(format_args!(
            "{threads} threads instead of {asked}: there are no more cores, and results are the same"
        ));
    }
    workers
}
