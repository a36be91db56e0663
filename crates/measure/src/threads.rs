//! Thread pools for work that needs threads of its own.

use std::panic::resume_unwind;
use std::thread;

/// Does `work` on a pool of its own with `threads` threads; 0 stands for one on each core. The caller,
/// which may be a thread of another pool, waits outside any pool: a pool's thread that waits begins
/// other work of its pool, and points would pile up.
///
/// # Errors
/// The system does not give the threads.
pub fn in_pool<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, rayon_core::ThreadPoolBuildError> {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build()?;
    let outcome = thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
    Ok(outcome.unwrap_or_else(|panic| resume_unwind(panic)))
}
