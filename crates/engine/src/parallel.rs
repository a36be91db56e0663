//! Work on all threads. What rayon makes of it is compiled here once; instantiated for every relation, it was a
//! quarter of the code of proofs and analyses.

use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const ONCE: &str = "each is made once";

/// What `of` makes of each of `0..count`, in that order, whatever thread it is made on. Each thread has a state
/// of its own, which `init` makes.
pub(crate) fn map<S, T: Send>(
    count: usize,
    init: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let made: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    on_threads(count, &|| {
        let mut state = None;
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(made) = made.get(index) else { return };
            let value = of(state.get_or_insert_with(&init), index);
            *made.lock().expect(ONCE) = Some(value);
        }
    });
    let value = |made: Mutex<Option<T>>| made.into_inner().expect(ONCE).expect(ONCE);
    made.into_iter().map(value).collect()
}

fn on_threads(most: usize, work: &(dyn Fn() + Sync)) {
    let threads = rayon::current_num_threads().min(most);
    (0..threads).into_par_iter().for_each(|_| work());
}
