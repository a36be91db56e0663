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

    /// Adds all parts of `other`.
    pub fn extend(&mut self, other: &Self) {
        for &(part, bytes) in &other.parts {
            self.add(part, bytes);
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

/// The bytes of memory that programs can still have without others being swapped out, as Linux
/// estimates them (`MemAvailable`); `None` where the system does not tell.
pub fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The bytes that `list` has room for.
pub fn bytes_of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}
