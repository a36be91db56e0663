//! Who watches a point while it is simulated.

use super::keeper::Keeper;
use crate::engine_choice::EngineUse;
use flitsim_engine::ConfigError;
use flitsim_topology::memory::Memory;
use flitsim_traffic::TrafficError;

/// How far the simulation of a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The replica under way, from 0.
    pub replica: u32,
    /// Cycles simulated in it.
    pub cycles: u64,
    /// Half-width over mean of its latency as last estimated, and the value at which the replica is
    /// done; `None` before the first estimate and past saturation.
    pub relative_half_width: Option<(f64, f64)>,
}

/// Watches a point while it is simulated, from any thread.
pub trait Monitor: Sync {
    /// Called at the start: which engine simulates the point, and why.
    fn engine(&self, _engine: &EngineUse) {}

    /// Called every few hundred cycles, more often where many flits move.
    fn progress(&self, _progress: Progress) {}

    /// Whether to give the point up.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Who keeps the state of the point, so that a run that is killed can go on from there.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }

    /// The bytes that a replica kept, part by part, at its end: the engine, its traffic and what
    /// observed it. The network is shared and not among them.
    fn memory(&self, _memory: &Memory) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMonitor;

impl Monitor for NoMonitor {}

/// Why a point could not be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The router cannot be built.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The traffic cannot be made at this load.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// Only whole packets move, and the longest fits no buffer.
    #[error(
        "a packet of {packet_flits} flits fits no buffer of {buffer_flits}, and would never move: larger buffers, \
         shorter packets or wormhole flow control"
    )]
    PacketsDoNotFit {
        /// What a buffer holds, in flits.
        buffer_flits: u32,
        /// The longest packet, in flits.
        packet_flits: u32,
    },
    /// A setting of the measurement out of its range.
    #[error("`{name}` is {value}, and should be {range}")]
    Setting {
        /// The field of [`MeasureSettings`](crate::measurement::MeasureSettings).
        name: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        range: &'static str,
    },
    /// The monitor gave the point up.
    #[error("the point was cancelled")]
    Cancelled,
    /// The threads could not be started.
    #[error("cannot start {threads} threads for one point: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
    /// Source queues grew beyond what memory holds, before the run was due to be judged.
    #[error(
        "{packets} packets were in source queues and network in cycle {cycle}, and there is no memory for \
         more: the load is above saturation; a lower load, or a shorter `warmup` or `measure`, ends before"
    )]
    TooManyPackets {
        /// Packets alive.
        packets: u64,
        /// The cycle in which they were counted.
        cycle: u64,
    },
    /// The state to go on from is that of another simulation.
    #[error("the checkpoint does not fit: {0}")]
    Checkpoint(String),
    /// Traces, batches and closed loops offer no load of their own.
    #[error("only an open loop offers a load that a network delivers or not")]
    NotAnOpenLoop,
}
