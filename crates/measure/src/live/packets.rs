//! The packets of a simulation whose load may change on the way.

use crate::OperatingPoint;
use crate::measurement::recorder::Recorder;
use crate::simulate::{Machine, Source};
use crate::workload::Feedback;
use flitsim_topology::NodeId;
use flitsim_traffic::{Traffic, TrafficError};

/// Where packets come from.
pub(super) enum Packets<'a> {
    Open(Box<OpenLoop>),
    Workload(Box<Feedback<'a>>),
}

impl Packets<'_> {
    /// Whether there may be none any more: an open loop without load may get one.
    pub(super) fn may_end(&self) -> bool {
        matches!(self, Self::Workload(_))
    }
}

/// Traffic that began in cycle `since`.
pub(super) struct OpenLoop {
    traffic: Traffic,
    since: u64,
}

impl OpenLoop {
    pub(super) fn new(
        point: &OperatingPoint<'_>,
        flits: f64,
        since: u64,
    ) -> Result<Self, TrafficError> {
        Ok(Self {
            traffic: Traffic::new(point.traffic, point.network, flits, point.stream(0))?,
            since,
        })
    }
}

impl Source for Packets<'_> {
    fn listens(&self) -> bool {
        match self {
            Self::Open(_) => false,
            Self::Workload(source) => source.listens(),
        }
    }

    fn sends(&self, node: NodeId) -> bool {
        match self {
            Self::Open(open) => open.traffic.destinations().sends(node),
            Self::Workload(source) => source.sends(node),
        }
    }

    fn next_arrival(&self) -> u64 {
        match self {
            Self::Open(open) => open.since.saturating_add(open.traffic.next_arrival()),
            Self::Workload(source) => source.next_arrival(),
        }
    }

    fn offer<M: Machine>(&mut self, machine: &mut M) {
        match self {
            Self::Open(open) => {
                let cycle = machine.cycle();
                open.traffic.arrivals(cycle - open.since, |packet| {
                    machine.create(packet, cycle);
                });
            }
            Self::Workload(source) => source.offer(machine),
        }
    }

    fn observe(&mut self, recorder: &mut Recorder) {
        if let Self::Workload(source) = self {
            source.observe(recorder);
        }
    }
}
