//! What arbiters compare, and the best of several.

/// What arbiters compare: the least is taken.
pub(super) type Key = [u64; 4];

/// The best of several so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) key: Key,
    pub(super) place: u32,
    pub(super) target: u32,
}

impl Best {
    pub(super) const NONE: Self = Self {
        key: [u64::MAX; 4],
        place: u32::MAX,
        target: 0,
    };

    /// Whether nothing was there before `other` came.
    pub(super) fn offer(&mut self, other: Self) -> bool {
        let is_first = self.place == u32::MAX;
        if is_first || other.key < self.key {
            *self = other;
        }
        is_first
    }
}
