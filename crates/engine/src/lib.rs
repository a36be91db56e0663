//! The cycle-accurate kernel: flits, virtual channels, credits, and the routers that move them.
//!
//! The caller owns the loop: it [offers](Engine::offer) packets, [steps](Engine::step) one cycle at
//! a time, and observes through a [`Probe`]. `docs/flow.md` says what a cycle means.

mod activity;
pub mod config;
mod dense;
pub mod flit;
mod kernel;
pub mod packet;
mod post;
pub mod probe;
pub mod random;
pub mod routing;
mod selection;
mod team;
pub mod watchdog;

pub use activity::{Actions, Activity};
pub use config::{
    Allocator, Arbiter, BufferSharing, ChannelDelay, ConfigError, Contradiction, Crossbar,
    EngineConfig, FlowControl, InputArbiter, Matching, MatchingStart, PimDraw, Pipeline, Port,
    Selection, VcReallocation, VcRequests,
};
pub use dense::{DenseEngine, Fit, Unfit, Vectors};
pub use flit::FlitKind;
pub use kernel::{Counters, Engine};
pub use packet::{NewPacket, Packet};
pub use probe::{NoProbe, Probe};
pub use routing::{Candidate, Candidates, Head, Routing, VcMask};
pub use team::{DenseTeam, Member, SparseTeam, Team};
pub use watchdog::{Deadlock, StuckPacket, WaitFor, Watchdog};
