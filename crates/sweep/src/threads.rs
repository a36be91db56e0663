//! How many threads one point gets. Results do not depend on it.

use flitsim_scenario::plan::Plan;
use flitsim_scenario::{SeriesPlan, at_once_most};
use flitsim_topology::memory::available_bytes;
use std::num::NonZeroUsize;

/// Routers from which a point gets several threads without being asked: with fewer, the threads would
/// wait for one another longer than they work.
pub const ROUTERS_LARGE: u32 = 4096;

/// What the user says of the threads of a command.
#[derive(Clone, Copy, Debug)]
pub struct Workers {
    jobs: Option<NonZeroUsize>,
    /// Threads of a point as the user says.
    asked: Option<NonZeroUsize>,
    cores: NonZeroUsize,
    /// Points at once for which there is memory.
    room: NonZeroUsize,
}

impl Workers {
    /// `jobs` points at once (`None`: one on each core), each on `threads` threads (`None`: as the
    /// network wants). Where routings `may_deadlock`, on one: several do not look for deadlocks.
    pub fn new(jobs: Option<u16>, threads: Option<u16>, may_deadlock: bool) -> Self {
        let count = |count: Option<u16>| NonZeroUsize::new(usize::from(count?));
        let threads = if may_deadlock { Some(1) } else { threads };
        Self {
            jobs: count(jobs),
            asked: count(threads),
            cores: cores(),
            room: NonZeroUsize::MAX,
        }
    }

    /// Threads of a point as the user says, but no more than there are cores: with more, those that work
    /// wait in every cycle for those that have no core.
    fn threads(self) -> Option<NonZeroUsize> {
        self.asked.map(|threads| threads.min(self.cores))
    }

    /// The threads asked for and those that a point gets instead, where they are fewer.
    pub fn capped(self) -> Option<(usize, usize)> {
        let (asked, threads) = (self.asked?.get(), self.threads()?.get());
        (threads < asked).then_some((asked, threads))
    }

    /// The same, with no more points at once than there is memory for: `most`, or one. The cores left
    /// over work on those.
    #[must_use]
    pub fn with_room_for(self, most: usize) -> Self {
        let room = NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN);
        Self { room, ..self }
    }

    /// The same, with no more points at once than there is memory for the largest of `plan`. Where that is
    /// fewer than `points` would run at once without, `tell` is told how many, and the bytes of each.
    #[must_use]
    pub fn within_memory(self, plan: &Plan, points: usize, tell: impl FnOnce(usize, u128)) -> Self {
        let bytes = plan.series.iter().map(SeriesPlan::bytes_estimate).max();
        let bytes = bytes.unwrap_or_default();
        let most = at_once_most(bytes, available_bytes());
        let workers = self.with_room_for(most);
        if workers.is_short_of_room(points) {
            tell(most.max(1), bytes);
        }
        workers
    }

    /// Whether memory lets fewer than `points` points run at once than would without.
    pub fn is_short_of_room(self, points: usize) -> bool {
        let free = Self {
            room: NonZeroUsize::MAX,
            ..self
        };
        self.room.get() < free.jobs().unwrap_or_else(cores).get().min(points)
    }

    /// Points at once as the user says, for work that no point does; `None` for one on each core.
    pub fn jobs_asked(self) -> Option<NonZeroUsize> {
        self.jobs
    }

    /// Points at once; `None` for one on each core.
    pub fn jobs(self) -> Option<NonZeroUsize> {
        // Counted, not divided: at `opt-level` 1, rustc 1.95 hoists a division by the smaller of two
        // `NonZero` above the test whether there is one, and the program dies of it.
        let on_all = |threads: NonZeroUsize| {
            let points =
                (1..=cores().get()).take_while(|points| points * threads.get() <= cores().get());
            NonZeroUsize::new(points.count().max(1))
        };
        let jobs = self.jobs.or_else(|| on_all(self.threads()?));
        match self.room < jobs.unwrap_or_else(cores) {
            true => Some(self.room),
            false => jobs,
        }
    }

    /// How the threads are shared out among `points` points.
    pub fn among(self, points: usize) -> Threads {
        let all = self.jobs.unwrap_or_else(cores).get();
        Threads {
            asked: self.threads(),
            share: NonZeroUsize::new(all / points.clamp(1, self.room.get()))
                .unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// The threads that each point gets.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// What the user asked for.
    asked: Option<NonZeroUsize>,
    /// Where nobody asked: what a point of a large network gets.
    share: NonZeroUsize,
}

impl Threads {
    /// One thread for every point.
    pub const ONE: Self = Self {
        asked: Some(NonZeroUsize::MIN),
        share: NonZeroUsize::MIN,
    };

    /// Those that a point of `series` gets.
    pub fn of(self, series: &SeriesPlan) -> NonZeroUsize {
        self.of_routers(series.network.nodes())
    }

    fn of_routers(self, routers: u32) -> NonZeroUsize {
        let is_large = routers >= ROUTERS_LARGE;
        let unasked = if is_large {
            self.share
        } else {
            NonZeroUsize::MIN
        };
        // A thread without a router would only wait.
        let most = NonZeroUsize::new(routers as usize).unwrap_or(NonZeroUsize::MIN);
        self.asked.unwrap_or(unasked).min(most)
    }
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_of_large_networks_share_the_cores() {
        let share = |jobs, points| {
            let threads = Workers::new(Some(jobs), None, false).among(points);
            [ROUTERS_LARGE - 1, ROUTERS_LARGE].map(|routers| threads.of_routers(routers).get())
        };
        assert_eq!(share(8, 1), [1, 8]);
        assert_eq!(share(8, 3), [1, 2]);
        assert_eq!(share(8, 99), [1, 1]);
        assert_eq!(share(4, 0), [1, 4]);
    }

    #[test]
    fn points_that_find_no_room_wait_and_the_others_get_their_cores() {
        let workers = Workers::new(Some(8), None, false).with_room_for(2);
        assert_eq!(workers.jobs(), NonZeroUsize::new(2));
        assert_eq!(workers.among(99).of_routers(ROUTERS_LARGE).get(), 4);
        assert!(workers.is_short_of_room(99) && !workers.is_short_of_room(2));
        assert_eq!(workers.with_room_for(0).jobs(), Some(NonZeroUsize::MIN));
        let ample = workers.with_room_for(usize::MAX);
        assert_eq!(ample.jobs(), NonZeroUsize::new(8));
        assert!(!ample.is_short_of_room(99));
    }

    #[test]
    fn who_asks_gets_and_no_more_points_than_cores_begin() {
        let asked = Workers {
            cores: NonZeroUsize::new(24).unwrap(),
            ..Workers::new(None, Some(1_000), false)
        };
        assert_eq!(asked.among(50).of_routers(2_000).get(), 24);
        assert_eq!(asked.among(50).of_routers(16).get(), 16);
        assert_eq!(asked.jobs(), NonZeroUsize::new(1));
        assert_eq!(asked.capped(), Some((1_000, 24)));
        assert_eq!(Workers::new(None, Some(1), false).capped(), None);
        assert_eq!(
            Workers::new(Some(3), Some(2), false).jobs(),
            NonZeroUsize::new(3)
        );
        assert_eq!(Workers::new(None, None, false).jobs(), None);
        let deadlocking = Workers::new(Some(8), Some(4), true);
        assert_eq!(deadlocking.among(1).of_routers(ROUTERS_LARGE).get(), 1);
    }
}
