//! Memory, part by part: what keeps much says how much.
//!
//! Counted is what arrays have room for, used or not; a few words for each structure are not worth
//! counting.

/// Bytes by the name of the part that keeps them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    parts: Vec<(&'static str, u64)>,
}

impl Memory {
    /// Adds `bytes` bytes of `part`, which may have some already.
    pub fn add(&mut self, part: &'static str, bytes: u64) {
        match self.parts.iter_mut().find(|(name, _)| *name == part) {
            Some((_, sum)) => *sum += bytes,
            None => self.parts.push((part, bytes)),
        }
    }

    /// The parts, in the order in which they were first added.
    pub fn parts(&self) -> &[(&'static str, u64)] {
        &self.parts
    }

    /// The bytes of all parts.
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// The bytes that `list` has room for.
pub fn bytes_of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}
