//! Parts of a sweep, for machines that share nothing but files, or not even those.

use crate::run::order::{cost, costliest_first};
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::Load;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// One of several parts of a sweep; together they are the whole, each point in one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 0.
    index: usize,
    of: NonZeroUsize,
}

/// What stands for a shard, and does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part is I/N, such as 2/7: the second of seven, counted from 1")]
pub struct ShardError;

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (which, of) = text.split_once('/').ok_or(ShardError)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| ShardError);
        let (which, of) = (number(which)? as usize, number(of)? as usize);
        let of = NonZeroUsize::new(of).ok_or(ShardError)?;
        let index = which.checked_sub(1).ok_or(ShardError)?;
        if index < of.get() {
            Ok(Self { index, of })
        } else {
            Err(ShardError)
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl Shard {
    /// Which of `points` are of this part: the costliest point goes to the part with the least to do so
    /// far, and so on down. It depends on nothing but the points, so every machine finds the same parts.
    pub fn takes(self, points: &[(&SeriesPlan, Load)]) -> Vec<bool> {
        let mut costs: Vec<f64> = vec![0.0; self.of.get()];
        let mut takes = vec![false; points.len()];
        for index in costliest_first(points) {
            let least = costs.iter().copied().enumerate();
            // The first of equals.
            let least = least.min_by(|a, b| a.1.total_cmp(&b.1));
            let (part, _) = least.unwrap_or((0, 0.0));
            costs[part] += cost(points[index]);
            takes[index] = part == self.index;
        }
        takes
    }
}

/// Which points of a plan a call simulates, where the folder does not hold them yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// All.
    #[default]
    All,
    /// Those of a part.
    Part(Shard),
    /// Those that no other part takes first; the folders of parts are side by side.
    Claimed,
    /// None: what is missing stays pending.
    Nothing,
}

impl Share {
    /// Which of `points` are simulated, as far as that is known before.
    pub fn takes(self, points: &[(&SeriesPlan, Load)]) -> Vec<bool> {
        match self {
            Self::All | Self::Claimed => vec![true; points.len()],
            Self::Part(shard) => shard.takes(points),
            Self::Nothing => vec![false; points.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::points_of;
    use crate::testing::plan;

    #[test]
    fn every_point_is_in_one_part_and_parts_have_about_the_same_to_do() {
        let plan = plan(&[("a", &[0.1, 0.2, 0.3, 0.4, 0.5]), ("b", &[0.5, 0.3, 0.1])]);
        let points: Vec<_> = points_of(&plan).collect();
        for of in 1..=10 {
            let mut taken = vec![0; points.len()];
            let mut costs = Vec::new();
            for index in 1..=of {
                let shard: Shard = format!("{index}/{of}").parse().unwrap();
                assert_eq!(shard.to_string(), format!("{index}/{of}"));
                let takes = shard.takes(&points);
                let mine = takes.iter().zip(&points).filter(|(takes, _)| **takes);
                costs.push(mine.map(|(_, point)| cost(*point)).sum::<f64>());
                for (count, takes) in taken.iter_mut().zip(takes) {
                    *count += usize::from(takes);
                }
            }
            assert_eq!(taken, vec![1; points.len()], "{of} parts");
            let most = points.iter().map(|point| cost(*point)).fold(0.0, f64::max);
            let (low, high) = (costs.iter().copied(), costs.iter().copied());
            let apart = high.fold(0.0, f64::max) - low.fold(f64::INFINITY, f64::min);
            assert!(apart <= most, "{of} parts: {costs:?}");
        }
    }

    #[test]
    fn a_part_is_counted_from_one() {
        for wrong in ["", "2", "0/2", "3/2", "1/0", "a/2", "1/2/3", "-1/2", "1/x"] {
            assert_eq!(wrong.parse::<Shard>(), Err(ShardError), "{wrong}");
        }
    }
}
