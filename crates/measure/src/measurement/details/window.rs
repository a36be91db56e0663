//! The measurement window as details count it.

/// A measurement window: the cycles from `start` on and before `end`. The end may be moved later, at
/// or after the cycle at hand, so what comes after it is counted apart, and taken in when it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) start: u64,
    pub(super) end: u64,
}

flitsim_topology::archived! { Window { start, end } }

/// Something counted in a window, and after its end.
pub(super) type Counted = [u64; 2];

impl Window {
    /// A window that has not begun.
    pub(super) const NONE: Self = Self {
        start: u64::MAX,
        end: u64::MAX,
    };

    /// Where in a [`Counted`] what happens in cycle `cycle` belongs; `None` before the window.
    #[inline]
    pub(super) const fn side(self, cycle: u64) -> Option<usize> {
        if cycle < self.start {
            None
        } else {
            Some((cycle >= self.end) as usize)
        }
    }

    /// Cycles of the window before the start of cycle `now`.
    pub(super) fn cycles(self, now: u64) -> u64 {
        self.end.min(now).saturating_sub(self.start)
    }
}

/// The end has moved: what was counted after it is inside.
pub(super) fn take_in(counted: &mut [Counted]) {
    for [inside, later] in counted {
        *inside += std::mem::take(later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_the_end_waits_until_it_moves() {
        let mut window = Window { start: 10, end: 20 };
        let mut counted: [Counted; 1] = [[0; 2]];
        for cycle in 0..25 {
            if let Some(side) = window.side(cycle) {
                counted[0][side] += 1;
            }
        }
        assert_eq!((counted[0], window.cycles(25)), ([10, 5], 10));
        window.end = 25;
        take_in(&mut counted);
        assert_eq!((counted[0], window.cycles(25)), ([15, 0], 15));
        assert_eq!(Window::NONE.side(1 << 60), None);
        assert_eq!(Window::NONE.cycles(100), 0);
    }
}
