//! A network surveyed: everything that `flitsim topology` says of it, found once, printed in any
//! form.

mod gather;
mod json;
mod subject;
pub mod table;
mod throughput;
mod words;

pub use gather::Survey;
pub use subject::{Subject, choose};
pub use throughput::{IdealThroughput, ThroughputMethod};

/// How much is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What a comparison of many networks shows: all but what faults do.
    Brief,
    /// Everything.
    Whole,
}

/// Who is told what is being found: networks of a million nodes take seconds.
pub trait Stages: Sync {
    /// What is being found now, in a word or two.
    fn stage(&self, name: &str);

    /// How much of it is done, in any unit.
    fn done(&self, done: u64, of: u64);
}

/// Nobody is told.
impl Stages for () {
    fn stage(&self, _: &str) {}

    fn done(&self, _: u64, _: u64) {}
}
