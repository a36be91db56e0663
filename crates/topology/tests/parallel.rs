//! Loops on threads: every index once, in order, whatever the number of threads.

use flitsim_topology::parallel::{all, for_each, map, map_with, try_map};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn on_threads(work: impl Fn() + Sync) {
    for threads in 1..=3 {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(&work);
    }
}

#[test]
fn each_index_once_and_in_order() {
    on_threads(|| {
        for count in [0, 1, 2, 63, 64, 65, 1000] {
            let asked = AtomicUsize::new(0);
            let of_thread = |state: &mut usize, index: usize| {
                *state += 1;
                asked.fetch_add(1, Relaxed);
                map(index % 3, |inner| inner + index)
            };
            let expected = |index| (0..index % 3).map(|inner| inner + index).collect();
            let expected: Vec<Vec<usize>> = (0..count).map(expected).collect();
            assert_eq!(map_with(count, || 0, of_thread), expected);
            assert_eq!(asked.into_inner(), count);
        }
    });
}

#[test]
fn the_first_error_in_order_is_told() {
    on_threads(|| {
        let fails_from = |least: usize| {
            try_map(500, move |index| match index < least {
                true => Ok(index),
                false => Err(index),
            })
        };
        assert_eq!(fails_from(500), Ok((0..500).collect()));
        // Every index before it is done, or begun after another failed.
        assert!(fails_from(123).unwrap_err() >= 123);
    });
}

#[test]
fn all_finds_the_one_that_does_not_hold() {
    on_threads(|| {
        assert!(all(1000, |index| index < 1000));
        assert!(
            (0..1000)
                .step_by(37)
                .all(|odd| !all(1000, |index| index != odd))
        );
        assert!(all(0, |_| false));
    });
}

#[test]
fn every_item_is_worked_on() {
    on_threads(|| {
        let mut items: Vec<u32> = (0..10).collect();
        for_each(&mut items, &|item| *item *= 2);
        assert!(items.into_iter().eq((0..20).step_by(2)));
    });
}

#[test]
#[should_panic = "number 77"]
fn a_panic_is_the_callers() {
    map(100, |index| assert!(index != 77, "number {index}"));
}
