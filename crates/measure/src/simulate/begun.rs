//! What a keeper has of a point, read back.

use super::keeper::Keeper;
use super::monitor::{Monitor, SimulateError};
use crate::point::replicas::Pool;
use flitsim_topology::archive::{Archive, Archived};
use std::io;

/// What is kept of a point before its replica under way.
#[derive(Default)]
pub(crate) struct Begun<'a> {
    /// The parts of the machine; see [`Machine::parts`](super::Machine::parts).
    parts: u32,
    /// The replica.
    pub(crate) index: u32,
    /// The rest: the replica itself.
    rest: Option<Archive<'a>>,
}

impl<'a> Begun<'a> {
    /// What the keeper of `monitor` has, the replicas that are over put into `pool`.
    pub(crate) fn read(monitor: &'a dyn Monitor, pool: &mut Pool) -> Result<Self, SimulateError> {
        let Some(keeper) = monitor.keeper() else {
            return Ok(Self::default());
        };
        let mut begun = Self {
            rest: keeper.kept().map_err(unfit)?,
            ..Self::default()
        };
        if let Some(archive) = &mut begun.rest {
            begun.parts.archive(archive);
            begun.index.archive(archive);
            pool.archive(archive);
            if begun.index as usize != pool.outcomes().len() {
                return Err(unfit(io::Error::other("replicas are missing")));
            }
        }
        Ok(begun)
    }

    /// The replica itself, for a machine of so many parts; once.
    pub(crate) fn take_rest(&mut self, parts: u32) -> Option<Archive<'a>> {
        let mut rest = self.rest.take()?;
        if parts != self.parts {
            rest.refuse("another engine has made it");
        }
        Some(rest)
    }
}

/// The parts of the machine whose state the keeper of `monitor` has.
pub(crate) fn kept_parts(monitor: &dyn Monitor) -> Result<Option<u32>, SimulateError> {
    let kept = monitor.keeper().map(Keeper::kept).transpose();
    let kept = kept.map_err(unfit)?.flatten();
    Ok(kept.map(|mut archive| {
        let mut parts = 0;
        u32::archive(&mut parts, &mut archive);
        parts
    }))
}

/// A state that cannot be read.
pub(crate) fn unfit(error: io::Error) -> SimulateError {
    SimulateError::Checkpoint(error.to_string())
}
