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

/// The bytes of memory that this program can still have: without others being swapped out, as Linux
/// estimates it (`MemAvailable`), within the limit of its addresses (`ulimit -v`), and within that of its
/// control group, such as a batch system sets; `None` where the system tells none of them.
pub fn available_bytes() -> Option<u64> {
    [system_bytes(), address_bytes(), group_bytes()]
        .into_iter()
        .flatten()
        .min()
}

fn system_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(kibibytes(&text, "MemAvailable:")? * 1024)
}

/// Those that a line of `text` gives after `name`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn address_bytes() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(kibibytes(&status, "VmSize:")? * 1024))
}

/// The least that this program's control group, or one above it, leaves.
fn group_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let number = |folder: &std::path::Path, name: &str| -> Option<u64> {
        std::fs::read_to_string(folder.join(name))
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let folder = std::path::Path::new("/sys/fs/cgroup").join(own);
    let folders = folder
        .ancestors()
        .take_while(|folder| folder.starts_with("/sys/fs/cgroup"));
    let left = folders.filter_map(|folder| {
        let used = number(folder, "memory.current")?;
        // What is kept of files gives way.
        let parts = std::fs::read_to_string(folder.join("memory.stat")).ok()?;
        let parts = parts.lines().filter_map(|line| line.split_once(' '));
        let files = parts.filter(|(name, _)| ["inactive_file", "active_file"].contains(name));
        let files: u64 = files
            .filter_map(|(_, bytes)| bytes.parse::<u64>().ok())
            .sum();
        Some(number(folder, "memory.max")?.saturating_sub(used.saturating_sub(files)))
    });
    left.min()
}

/// The bytes that `list` has room for.
pub fn bytes_of<T>(list: &Vec<T>) -> u64 {
    (list.capacity() * size_of::<T>()) as u64
}
