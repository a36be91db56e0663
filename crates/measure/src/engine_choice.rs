//! The two engines: which is wanted, which simulates a point, and why.

use flitsim_engine::Unfit;
use std::fmt::{self, Display, Formatter};

/// Which engine is wanted for a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The one that is expected to be faster.
    #[default]
    Auto,
    /// [`Engine`](flitsim_engine::Engine).
    Sparse,
    /// [`DenseEngine`](flitsim_engine::DenseEngine), where it can simulate the point.
    Dense,
}

/// Which engine simulates a point, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EngineUse {
    /// The sparse engine, as asked for.
    SparseAsked,
    /// The sparse engine: the dense one cannot simulate the point.
    SparseOnly(Unfit),
    /// The sparse engine: the point is not an open loop, or has details.
    SparseNeeded,
    /// The sparse engine: the routing is not proved free of deadlock.
    SparseWatched,
    /// The sparse engine: so few flit-hops per router and cycle are expected.
    SparseIdle(f64),
    /// The dense engine, as asked for.
    DenseAsked,
    /// The dense engine: so many flit-hops per router and cycle are expected.
    DenseBusy(f64),
}

impl EngineUse {
    /// Whether it is the dense engine.
    pub fn is_dense(&self) -> bool {
        matches!(self, Self::DenseAsked | Self::DenseBusy(_))
    }
}

impl Display for EngineUse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::SparseAsked => write!(f, "sparse engine: asked for"),
            Self::SparseOnly(why) => write!(f, "sparse engine: {why}"),
            Self::SparseNeeded => {
                write!(
                    f,
                    "sparse engine: the dense one is for open loops without details"
                )
            }
            Self::SparseWatched => {
                write!(
                    f,
                    "sparse engine: the routing is not proved, and the dense one looks for no deadlock"
                )
            }
            Self::SparseIdle(hops) => {
                write!(
                    f,
                    "sparse engine: {hops:.2} flit-hops a router a cycle are expected"
                )
            }
            Self::DenseAsked => write!(f, "dense engine: asked for"),
            Self::DenseBusy(hops) => {
                write!(
                    f,
                    "dense engine: {hops:.2} flit-hops a router a cycle are expected"
                )
            }
        }
    }
}
