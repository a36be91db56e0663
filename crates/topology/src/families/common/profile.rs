//! How many channels cross each cut of a layout: the wire density as a function of position (Dally,
//! "Wire-efficient VLSI multiprocessor communication networks", section 5 and figure 6).

/// Channels across the cuts between neighbouring columns, or rows.
///
/// Cut c has c columns before it, so that cuts are numbered 1 to columns − 1. One-way channels are
/// counted: a link is two. Where every channel is one wire wide that is the wires which Dally
/// counts; Greenberg & Guan count a link as one wire, half of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DensityProfile {
    lines: u64,
    /// By cut, from cut 1.
    channels: Vec<u64>,
}

impl DensityProfile {
    pub(crate) fn new(lines: u64, channels: Vec<u64>) -> Self {
        assert!(lines > 0, "a profile of no lines");
        Self { lines, channels }
    }

    /// The rows (or columns) that the cuts go through: 1 for a profile of a single row, which all
    /// others equal; all of them where rows differ.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Every cut with the channels across it, in all [`lines`](Self::lines) together.
    pub fn cuts(&self) -> impl ExactSizeIterator<Item = (u32, u64)> + DoubleEndedIterator {
        let cuts = self.channels.iter().enumerate();
        cuts.map(|(index, &channels)| (index as u32 + 1, channels))
    }

    /// The channels across `cut`, in all lines together; 0 where there is no such cut.
    pub fn across(&self, cut: u32) -> u64 {
        let index = (cut as usize).checked_sub(1);
        let channels = index.and_then(|index| self.channels.get(index));
        channels.copied().unwrap_or(0)
    }

    /// The channels across `cut` in a line, the mean over the lines.
    pub fn per_line(&self, cut: u32) -> f64 {
        self.across(cut) as f64 / self.lines as f64
    }

    /// The first of the cuts that most channels cross, and how many do in all lines together;
    /// `None` where there is a single column.
    pub fn peak(&self) -> Option<(u32, u64)> {
        // Of equal ones the last is the maximum, so from the end.
        self.cuts().rev().max_by_key(|&(_, channels)| channels)
    }

    /// The channels across the densest cut in a line, the mean over the lines; 0 where there is a
    /// single column.
    pub fn peak_per_line(&self) -> f64 {
        self.peak().map_or(0.0, |(cut, _)| self.per_line(cut))
    }
}

/// Counts channels by the cuts between their ends.
pub(crate) struct Counter {
    /// By column: channels that begin there on their way right, less those that have ended.
    changes: Vec<i64>,
}

impl Counter {
    pub(crate) fn new(columns: u32) -> Self {
        Self {
            changes: vec![0; columns as usize],
        }
    }

    /// Counts a channel between two columns.
    pub(crate) fn add(&mut self, a: u32, b: u32) {
        self.changes[a.min(b) as usize] += 1;
        self.changes[a.max(b) as usize] -= 1;
    }

    pub(crate) fn finish(self, lines: u64) -> DensityProfile {
        let mut across = 0;
        let mut channels = Vec::with_capacity(self.changes.len());
        for change in self.changes {
            across += change;
            channels.push(across as u64);
        }
        // Behind the last column there is no cut, and nothing left to cross one.
        assert_eq!(channels.pop().unwrap_or(0), 0);
        DensityProfile::new(lines, channels)
    }
}
