//! The threads of a command: as many as asked for, no more points at once than there is memory for.

use crate::console::Console;
use crate::error::CommandError;
use flitsim_scenario::{Plan, SeriesPlan, at_once_most};
use flitsim_sweep::threads::Workers;
use flitsim_topology::memory::available_bytes;
use std::num::NonZeroUsize;

/// Does `work` on `jobs` threads, on all cores where `None`.
///
/// # Errors
/// Threads that cannot be started.
pub fn in_pool<T: Send>(
    jobs: Option<NonZeroUsize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, CommandError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.map_or(0, NonZeroUsize::get))
        .build()
        .map_err(|error| {
            CommandError::Failed(format!("cannot start the worker threads: {error}"))
        })?;
    Ok(pool.install(work))
}

/// `workers`, with no more points at once than there is memory for the largest of them.
pub fn with_room(workers: Workers, plan: &Plan, points: usize, console: &Console) -> Workers {
    let bytes = plan.series.iter().map(SeriesPlan::bytes_estimate).max();
    let bytes = bytes.unwrap_or_default();
    let most = at_once_most(bytes, available_bytes());
    let workers = workers.with_room_for(most);
    if workers.is_short_of_room(points) {
        console.note(format_args!(
            "each point takes about {bytes} bytes, so {} at a time",
            most.max(1),
        ));
    }
    workers
}
