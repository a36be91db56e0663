//! Pools of threads for work that wants some of its own.

use std::panic::resume_unwind;
use std::thread;

/// Does `work` on a pool of `threads` threads of its own, one on each core where 0. The caller, who may
/// be a thread of another pool, waits outside of any: a thread of a pool that waits begins other work of
/// its pool meanwhile, and would pile up one point on another.
///
/// # Errors
/// Threads that the system does not give.
pub fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, rayon_core::ThreadPoolBuildError> {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build()?;
    let outcome = thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
    Ok(outcome.unwrap_or_else(|panic| resume_unwind(panic)))
}
