//! Loops on the threads of the rayon pool that they are called in. Results come in the order of the indices, whatever
//! thread each is made on.
//!
//! Rayon's own iterators do all of this and more, but what they make of a loop is compiled for each loop anew: a
//! quarter of the code of proofs and analyses. Here that is done once.
//!
//! A thread that waits for the others begins other work of its pool meanwhile: no lock may be held around a loop.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Blocks of indices a thread, on average: so many that a long one does not keep the other threads waiting.
const BLOCKS_PER_THREAD: usize = 64;

/// What `of` makes of each of `0..count`, in that order.
pub fn map<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_with(count, || (), |(), index| of(index))
}

/// What `of` makes of each of `0..count`, in that order. Each thread has a state of its own, which `init` makes.
pub fn map_with<S, T: Send>(
    count: usize,
    init: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let blocks = Blocks::of(count);
    let made: Vec<Mutex<Vec<T>>> = (0..blocks.number).map(|_| Mutex::default()).collect();
    blocks.on_threads(&|blocks| {
        let mut state = None;
        for (block, indices) in blocks {
            let state = state.get_or_insert_with(&init);
            let of_block = indices.map(|index| of(state, index)).collect();
            // Nobody else has this block; what a panic leaves behind is not looked at.
            *made[block].lock().unwrap_or_else(PoisonError::into_inner) = of_block;
        }
    });
    let mut all = Vec::with_capacity(count);
    for of_block in made {
        all.append(
            &mut of_block
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        );
    }
    all
}

/// As [`map`], until one fails: those not begun by then are left out.
///
/// # Errors
/// Of those that failed, the first in the order of the indices.
pub fn try_map<T: Send, E: Send>(
    count: usize,
    of: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_with(count, || (), |(), index| of(index))
}

/// As [`map_with`], until one fails, like [`try_map`].
///
/// # Errors
/// As [`try_map`].
pub fn try_map_with<S, T: Send, E: Send>(
    count: usize,
    init: impl Fn() -> S + Sync,
    of: impl Fn(&mut S, usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let failed = AtomicBool::new(false);
    let made = map_with(count, init, |state, index| {
        let begins = !failed.load(Relaxed);
        begins.then(|| of(state, index).inspect_err(|_| failed.store(true, Relaxed)))
    });
    made.into_iter().flatten().collect()
}

/// Whether `holds` says yes to each of `0..count`. Not all are asked where one says no.
pub fn all(count: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    let failed = AtomicBool::new(false);
    Blocks::of(count).on_threads(&|blocks| {
        for (_, mut indices) in blocks {
            if failed.load(Relaxed) {
                return;
            }
            if !indices.all(&holds) {
                failed.store(true, Relaxed);
            }
        }
    });
    !failed.into_inner()
}

/// Does `work` with each of `items`, on as many threads as there are items if the pool has them. Nothing is allocated:
/// for what is done every cycle.
pub fn for_each<T: Send>(items: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
    match items {
        [] => {}
        [item] => work(item),
        items => {
            let (first, last) = items.split_at_mut(items.len() / 2);
            rayon_core::join(|| for_each(first, work), || for_each(last, work));
        }
    }
}

/// The indices `0..count` in blocks, which threads take one by one.
struct Blocks {
    count: usize,
    number: usize,
    threads: usize,
    next: AtomicUsize,
}

/// What a thread does with the blocks that it gets: the number of each, and its indices.
type OfThread<'a> = dyn Fn(&mut dyn Iterator<Item = (usize, Range<usize>)>) + Sync + 'a;

impl Blocks {
    fn of(count: usize) -> Self {
        let threads = match count {
            0 | 1 => count,
            _ => rayon_core::current_num_threads(),
        };
        let number = count.min(threads * BLOCKS_PER_THREAD);
        Self {
            count,
            number,
            threads: threads.min(number),
            next: AtomicUsize::new(0),
        }
    }

    fn on_threads(&self, work: &OfThread<'_>) {
        // In 128 bits: the product may not fit in 64.
        let start =
            |block: usize| (block as u128 * self.count as u128 / self.number as u128) as usize;
        let take = || {
            let block = self.next.fetch_add(1, Relaxed);
            (block < self.number).then(|| (block, start(block)..start(block + 1)))
        };
        several(self.threads, &|| work(&mut std::iter::from_fn(take)));
    }
}

/// Does `work` `times` times, side by side.
fn several(times: usize, work: &(dyn Fn() + Sync)) {
    match times {
        0 => {}
        1 => work(),
        _ => {
            let first = times / 2;
            rayon_core::join(|| several(first, work), || several(times - first, work));
        }
    }
}
