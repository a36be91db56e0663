//! The columns of details: of each its name, and its value.
//!
//! Invariant: every number is rounded as it is printed.

use crate::results::{energy, number};
use flitsim_measure::measurement::details::{
    BufferTotal, ClassTotal, GroupTotal, PointDetails, SourceTotal,
};
use flitsim_measure::point::LatencyBucket;
use flitsim_scenario::SeriesPlan;
use flitsim_topology::{ChannelId, Course, Direction, Network, NodeId};
use serde_json::Value;

/// Columns of rows that are made of a `T`: of each its name, and its value.
pub(super) type Columns<T> = [(&'static str, fn(&T) -> Value)];

// Spelt out, each function takes a row of any lifetime.
pub(super) type ClassColumns = [(&'static str, fn(&Class<'_>) -> Value)];
pub(super) type DistanceColumns = [(&'static str, fn(&Distance<'_>) -> Value)];
pub(super) type SourceColumns = [(&'static str, fn(&Source<'_>) -> Value)];
pub(super) type BucketColumns = [(&'static str, fn(&Bucket<'_>) -> Value)];
pub(super) type ChannelColumns = [(&'static str, fn(&Channel<'_>) -> Value)];

pub(super) const CLASSES: &ClassColumns = &[
    ("class", |of| of.number.into()),
    ("name", |of| of.class.name.as_str().into()),
    ("accepted_flits", |of| {
        let nodes = f64::from(of.point.series.network.living_terminals_count());
        let rate = of.point.rate(of.class.accepted_flits);
        real(rate.map(|rate| rate / nodes))
    }),
    ("packets_measured", |of| of.class.group.packets().into()),
    ("latency_mean", |of| of.point.latency_mean(&of.class.group)),
    ("latency_ci95", |of| of.point.latency_ci95(&of.class.group)),
    ("latency_p50", |of| of.percentile(0.50)),
    ("latency_p95", |of| of.percentile(0.95)),
    ("latency_p99", |of| of.percentile(0.99)),
    ("latency_max", |of| of.point.latency_max(&of.class.group)),
    ("network_latency_mean", |of| {
        of.point.network_latency(&of.class.group)
    }),
    ("hops_mean", |of| real(of.class.group.hops_mean())),
];

pub(super) const DISTANCES: &DistanceColumns = &[
    ("hops", |of| of.hops.into()),
    ("packets_measured", |of| of.group.packets().into()),
    ("latency_mean", |of| of.point.latency_mean(of.group)),
    ("latency_ci95", |of| of.point.latency_ci95(of.group)),
    ("latency_max", |of| of.point.latency_max(of.group)),
    ("network_latency_mean", |of| {
        of.point.network_latency(of.group)
    }),
];

pub(super) const SOURCES: &SourceColumns = &[
    ("node", |of| name(&of.point.series.network, of.node)),
    ("created_flits", |of| {
        real(of.point.rate(of.source.created_flits))
    }),
    ("accepted_flits", |of| {
        real(of.point.rate(of.source.accepted_flits))
    }),
    ("received_flits", |of| {
        real(of.point.rate(of.source.received_flits))
    }),
    ("packets_measured", |of| of.source.group.packets().into()),
    ("latency_mean", |of| of.point.latency_mean(&of.source.group)),
    ("latency_ci95", |of| of.point.latency_ci95(&of.source.group)),
    ("latency_max", |of| of.point.latency_max(&of.source.group)),
    ("network_latency_mean", |of| {
        of.point.network_latency(&of.source.group)
    }),
    ("hops_mean", |of| real(of.source.group.hops_mean())),
];

pub(super) const HISTOGRAM: &BucketColumns = &[
    ("latency_low", |of| real(Some(of.bucket.low))),
    ("latency_high", |of| real(Some(of.bucket.high))),
    ("packets", |of| of.bucket.packets.into()),
    ("cumulative", |of| {
        real(Some(of.seen as f64 / of.all as f64))
    }),
];

pub(super) const CHANNELS: &ChannelColumns = &[
    ("channel", |of| of.channel.0.into()),
    ("from", |of| {
        let network = &*of.point.series.network;
        name(network, network.source(of.channel))
    }),
    ("to", |of| {
        let network = &*of.point.series.network;
        name(network, network.target(of.channel))
    }),
    ("dimension", |of| of.course.dimension.into()),
    ("direction", |of| {
        let sign = of.course.direction.map(|direction| match direction {
            Direction::Up => "+",
            Direction::Down => "-",
        });
        sign.into()
    }),
    ("level", |of| of.course.level.into()),
    ("vc", |of| of.vc.into()),
    ("utilisation", |of| real(of.share(of.total.sent_flits))),
    ("busy", |of| {
        let period = f64::from(of.point.series.engine.channel_period_of(of.channel));
        real(of.share(of.total.sent_flits).map(|flits| flits * period))
    }),
    ("occupancy_mean", |of| real(of.share(of.total.flit_cycles))),
    ("occupied", |of| real(of.share(of.total.occupied_cycles))),
];

type Spent<'a> = (&'a Point<'a>, &'a energy::Place);
pub(super) type EnergyColumns = [(&'static str, fn(&Spent<'_>) -> Value)];

/// Of a terminal `to` is empty, of all together `from` as well.
pub(super) const ENERGY: &EnergyColumns = &[
    ("channel", |(_, of)| {
        of.channel.map(|channel| channel.0).into()
    }),
    ("from", |(point, of)| {
        let node = of.node.map(|node| name(&point.series.network, node));
        node.unwrap_or_default()
    }),
    ("to", |(point, of)| {
        let network = &*point.series.network;
        let to = of
            .channel
            .map(|channel| name(network, network.target(channel)));
        to.unwrap_or_default()
    }),
    ("length_pitches", |(point, of)| {
        let length = |channel| f64::from(point.series.network.length_pitches(channel));
        real(of.channel.map(length))
    }),
    ("buffer_writes", |(_, of)| of.actions.buffer_writes.into()),
    ("buffer_reads", |(_, of)| of.actions.buffer_reads.into()),
    ("crossbar_traversals", |(_, of)| {
        of.actions.crossbar_traversals.into()
    }),
    ("link_traversals", |(_, of)| {
        of.actions.link_traversals.into()
    }),
    ("vc_allocations", |(_, of)| of.actions.vc_allocations.into()),
    ("switch_allocations", |(_, of)| {
        of.actions.switch_allocations.into()
    }),
    ("energy_pj", |(_, of)| real(of.picojoules)),
];

pub(super) type Rows = Vec<Vec<Value>>;

/// A row of `columns` for each of `each`.
pub(super) fn rows<T>(columns: &Columns<T>, each: impl Iterator<Item = T>) -> Rows {
    let row = |of: T| columns.iter().map(|(_, value)| value(&of)).collect();
    each.map(row).collect()
}

pub(super) struct Bucket<'a> {
    pub(super) bucket: &'a LatencyBucket,
    /// Packets up to here, and all.
    pub(super) seen: u64,
    pub(super) all: u64,
}

pub(super) struct Point<'a> {
    pub(super) series: &'a SeriesPlan,
    pub(super) details: &'a PointDetails,
    pub(super) has_latency: bool,
}

pub(super) struct Class<'a> {
    pub(super) point: &'a Point<'a>,
    pub(super) number: u64,
    pub(super) class: &'a ClassTotal,
}

impl Class<'_> {
    fn percentile(&self, quantile: f64) -> Value {
        self.point
            .latency(self.class.histogram.percentile(quantile))
    }
}

pub(super) struct Distance<'a> {
    pub(super) point: &'a Point<'a>,
    pub(super) hops: u64,
    pub(super) group: &'a GroupTotal,
}

pub(super) struct Source<'a> {
    pub(super) point: &'a Point<'a>,
    pub(super) node: NodeId,
    pub(super) source: &'a SourceTotal,
}

/// A channel, or one of its virtual channels.
pub(super) struct Channel<'a> {
    pub(super) point: &'a Point<'a>,
    pub(super) channel: ChannelId,
    pub(super) course: Course,
    pub(super) vc: Option<u32>,
    pub(super) total: BufferTotal,
}

impl Channel<'_> {
    /// Of the cycles of the window.
    fn share(&self, sum: u64) -> Option<f64> {
        let cycles = self.point.details.window_cycles as f64;
        (cycles > 0.0).then(|| sum as f64 / cycles)
    }
}

impl Point<'_> {
    /// A latency in simulated cycles, in reference cycles.
    fn latency(&self, cycles: Option<f64>) -> Value {
        let cycles = cycles.filter(|_| self.has_latency);
        real(cycles.map(|cycles| cycles * self.details.cycle_time))
    }

    fn latency_mean(&self, group: &GroupTotal) -> Value {
        self.latency(group.latency_mean())
    }

    fn latency_ci95(&self, group: &GroupTotal) -> Value {
        self.latency(group.latency_ci95())
    }

    fn latency_max(&self, group: &GroupTotal) -> Value {
        let cycles = group.latency_max().filter(|_| self.has_latency);
        let cycles = cycles.map(|cycles| cycles as f64 * self.details.cycle_time);
        cycles
            .and_then(number::counted)
            .map_or(Value::Null, Value::from)
    }

    fn network_latency(&self, group: &GroupTotal) -> Value {
        self.latency(group.network_latency_mean())
    }

    /// Flits in the window, per reference cycle.
    fn rate(&self, flits: u64) -> Option<f64> {
        let cycles = self.details.window_cycles as f64 * self.details.cycle_time;
        (cycles > 0.0).then(|| flits as f64 / cycles)
    }
}

/// A measured number; null where there is none.
fn real(value: Option<f64>) -> Value {
    value
        .and_then(number::rounded)
        .map_or(Value::Null, Value::from)
}

/// A node by its name: a number where it has none.
fn name(network: &Network, node: NodeId) -> Value {
    match network.annotations().and_then(|a| a.names.as_ref()) {
        Some(_) => Value::from(&*network.name(node)),
        None => Value::from(node.0),
    }
}
