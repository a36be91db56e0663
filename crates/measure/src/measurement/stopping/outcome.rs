//! How runs end, and who decides it: a state machine that is shown what was recorded at the cycles
//! that it asks for.

use crate::measurement::recorder::Recorder;
use crate::measurement::statistics::Estimate;
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::archived;
use serde::{Deserialize, Serialize};

/// How a run ended, or a point of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The interval of the mean latency met the wanted relative error.
    Converged,
    /// The cycle limit came first.
    #[default]
    MaxCycles,
    /// The network does not deliver what is offered, or its mean latency is above the limit.
    Saturated,
    /// Packets wait for each other for ever.
    Deadlock,
}

impl Status {
    /// The word in `points.csv`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxCycles => "max-cycles",
            Self::Saturated => "saturated",
            Self::Deadlock => "deadlock",
        }
    }

    /// The status of the word `text`.
    pub fn of_word(text: &str) -> Option<Self> {
        let all = [
            Self::Converged,
            Self::MaxCycles,
            Self::Saturated,
            Self::Deadlock,
        ];
        all.into_iter().find(|status| status.as_str() == text)
    }
}

impl Archived for Status {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut word = self.as_str().to_owned();
        word.archive(archive);
        *self = Self::of_word(&word).unwrap_or_default();
    }
}

/// What a run yields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The cycle in which the window begins; that in which the run ended where there was no window.
    pub warmup_cycles: u64,
    /// Cycles simulated.
    pub cycles: u64,
    /// Accepted load, flits per node per cycle.
    pub accepted: Estimate,
    /// Mean latency of the window's packets, cycles. `None` where saturated or deadlocked, or where
    /// hardly any packet was measured.
    pub latency: Option<Estimate>,
}

archived! { Outcome { status, warmup_cycles, cycles, accepted, latency } }

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// Go on, and ask again when the next cycle is `until`, or as soon as the recorder's window
    /// [is settled](Recorder::is_settled).
    Continue {
        /// The cycle to ask again at.
        until: u64,
    },
    /// The run is over.
    Done(Outcome),
}

/// The decisions of one run.
pub trait Decide: Archived {
    /// The first cycle at which to ask [`Decide::decide`].
    fn first_checkpoint(&self) -> u64;

    /// What to do when the next cycle is `now`.
    fn decide(&mut self, now: u64, recorder: &mut Recorder) -> Decision;

    /// Half-width over mean of the latency as last estimated; `None` where there is no estimate.
    fn relative_half_width(&self) -> Option<f64> {
        None
    }

    /// The outcome of a run that ends by itself when the next cycle is `now`: everything has
    /// arrived and nothing will come any more, or (`Status::Deadlock`) nothing can move.
    fn stop(&mut self, status: Status, now: u64, recorder: &mut Recorder) -> Outcome;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_comes_back_from_its_word() {
        for status in [
            Status::Converged,
            Status::MaxCycles,
            Status::Saturated,
            Status::Deadlock,
        ] {
            assert_eq!(Status::of_word(status.as_str()), Some(status));
        }
        assert_eq!(Status::of_word("dead"), None);
    }
}
