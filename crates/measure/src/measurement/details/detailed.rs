//! The observer of a run of which details are asked for.

use super::channels::Channels;
use super::classes::Classes;
use super::groups::{Groups, Measured};
use super::kinds::{Detail, Details};
use super::own::{Counting, Happened};
use super::totals::{ClassTotal, PointDetails, SourceTotal};
use super::window::{Counted, Window, take_in};
use crate::measurement::recorder::{Histogram, Recorder};
use flitsim_engine::{Activity, EngineConfig, FlitKind, Packet, Probe};
use flitsim_topology::{ChannelId, Network, NodeId, archived};
use flitsim_traffic::{Arrival, Pattern};

#[derive(Clone, Debug)]
struct ByClass {
    classes: Classes,
    groups: Groups,
    histograms: Vec<[Histogram; 2]>,
    ejected_flits: Vec<Counted>,
}

archived! { ByClass { groups; fixed histograms, ejected_flits; rebuilt classes } }

#[derive(Clone, Debug)]
struct ByNode {
    groups: Groups,
    created_flits: Vec<Counted>,
    received_flits: Vec<Counted>,
}

archived! { ByNode { groups; fixed created_flits, received_flits } }

/// A [`Recorder`], and what is recorded beyond what it needs for its decisions.
#[derive(Clone, Debug)]
pub struct Detailed<'n> {
    recorder: Recorder,
    window: Window,
    by_class: Option<ByClass>,
    by_distance: Option<Groups>,
    by_node: Option<ByNode>,
    histogram: bool,
    channels: Option<Channels>,
    /// Of the window, and after it.
    energy: Option<[Activity; 2]>,
    own: Vec<Counting<'n>>,
}

archived! { Detailed<'_> {
    recorder, window; fixed by_class, by_distance, by_node, channels, energy, own; rebuilt histogram
} }

impl<'n> Detailed<'n> {
    /// An observer from cycle 0 on of `details` of a run of `pattern` on `network`.
    pub fn new(
        details: Details,
        pattern: &Pattern,
        network: &'n Network,
        config: &EngineConfig,
    ) -> Self {
        let terminals = network.terminals() as usize;
        let by_class = || {
            let classes = Classes::of(pattern, network.terminals());
            let count = classes.names().len();
            ByClass {
                classes,
                groups: Groups::new(count),
                histograms: vec![Default::default(); count],
                ejected_flits: vec![Counted::default(); count],
            }
        };
        let by_node = || ByNode {
            groups: Groups::new(terminals),
            created_flits: vec![Counted::default(); terminals],
            received_flits: vec![Counted::default(); terminals],
        };
        let wants = |detail| details.contains(detail);
        Self {
            recorder: Recorder::of_network(network),
            window: Window::NONE,
            by_class: wants(Detail::Classes).then(by_class),
            by_distance: wants(Detail::Distances).then(|| Groups::new(0)),
            by_node: wants(Detail::Sources).then(by_node),
            histogram: wants(Detail::Histogram),
            channels: wants(Detail::Channels).then(|| Channels::new(network, config)),
            energy: wants(Detail::Energy).then(|| [0; 2].map(|_| Activity::new(network))),
            own: details
                .iter()
                .filter_map(|detail| match detail {
                    Detail::Own(which) => Some(Counting::new(which, network)),
                    _ => None,
                })
                .collect(),
        }
    }

    /// About how many bytes `details` of a run on `network` take.
    pub fn bytes_estimate(details: Details, network: &Network, config: &EngineConfig) -> u64 {
        let sources = u64::from(network.terminals()) * Groups::BYTES_EACH;
        let buffers = u64::from(network.channels()) * (u64::from(config.virtual_channels) + 1);
        let asked = |detail, bytes| if details.contains(detail) { bytes } else { 0 };
        let moved = u64::from(network.channels()) + u64::from(network.nodes());
        asked(Detail::Sources, sources)
            + asked(Detail::Channels, buffers * Channels::BYTES_EACH)
            + asked(Detail::Energy, 2 * moved * Activity::BYTES_EACH)
    }

    /// The recorder, which decides.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The recorder, to change it.
    pub fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// A packet was created in cycle `cycle`.
    #[inline]
    pub fn created(&mut self, cycle: u64, packet: &Arrival) {
        self.recorder.created(cycle, packet.flits);
        if let (Some(by_node), Some(side)) = (&mut self.by_node, self.window.side(cycle)) {
            by_node.created_flits[packet.source.index()][side] += u64::from(packet.flits);
        }
    }

    /// Brings the window up to that of the recorder, which may have begun or moved.
    pub fn follow(&mut self) {
        let recorder = &self.recorder;
        let (start, end) = (recorder.window_start(), recorder.window_end());
        let begins = start != self.window.start;
        let moves = end != self.window.end;
        if !begins && !moves {
            return;
        }
        self.window = Window { start, end };
        if let Some(channels) = &mut self.channels {
            channels.set_window(self.window);
        }
        if let Some([inside, later]) = &mut self.energy {
            inside.merge(later);
            later.clear();
        }
        self.own.iter_mut().for_each(Counting::take_in);
        let by_class = self.by_class.as_mut();
        let by_node = self.by_node.as_mut();
        let groups = by_class.map(|c| (&mut c.groups, &mut c.ejected_flits));
        if let Some((groups, ejected)) = groups {
            follow_groups(groups, start, begins);
            take_in(ejected);
        }
        if let Some(ByNode {
            groups,
            created_flits,
            received_flits,
        }) = by_node
        {
            follow_groups(groups, start, begins);
            take_in(created_flits);
            take_in(received_flits);
        }
        if let Some(groups) = &mut self.by_distance {
            follow_groups(groups, start, begins);
        }
        for [tagged, later] in self.by_class.iter_mut().flat_map(|c| &mut c.histograms) {
            tagged.merge(later);
            later.clear();
        }
    }

    /// The details of the run, when the next cycle is `now`.
    pub fn finish(&mut self, now: u64) -> PointDetails {
        let end = self.window.end.min(now);
        let accepted = self.recorder.accepted_by_source();
        let classes = self.by_class.as_ref().map(|by_class| {
            let groups = by_class.groups.totals(end).into_iter();
            let names = by_class.classes.names().iter();
            let flits = by_class.ejected_flits.iter();
            let each = groups.zip(names).zip(&by_class.histograms).zip(flits);
            each.map(|(((group, name), histograms), flits)| ClassTotal {
                name: name.clone(),
                group,
                histogram: histograms[0].clone(),
                accepted_flits: flits[0],
            })
            .collect()
        });
        let sources = self.by_node.as_ref().map(|by_node| {
            let groups = by_node.groups.totals(end).into_iter();
            let flits = by_node.created_flits.iter().zip(&by_node.received_flits);
            let each = groups.zip(accepted).zip(flits);
            each.map(
                |((group, accepted_flits), (created, received))| SourceTotal {
                    group,
                    created_flits: created[0],
                    accepted_flits,
                    received_flits: received[0],
                },
            )
            .collect()
        });
        let distances = self.by_distance.as_ref().map(|groups| groups.totals(end));
        let histogram = (self.histogram).then(|| self.recorder.tagged().latency.clone());
        PointDetails {
            window_cycles: self.window.cycles(now),
            cycle_time: 1.0,
            classes,
            distances,
            sources,
            histogram,
            channels: self.channels.as_mut().map(|channels| channels.totals(now)),
            energy: self.energy.as_ref().map(|[inside, _]| inside.clone()),
            own: self.own.iter().map(Counting::total).collect(),
        }
    }
}

fn follow_groups(groups: &mut Groups, start: u64, begins: bool) {
    match begins {
        true => groups.begin(start),
        false => groups.take_in(),
    }
}

impl Detailed<'_> {
    /// Tells it to other crates.
    #[inline]
    fn tell(&mut self, cycle: u64, happened: Happened<'_>) {
        if self.own.is_empty() {
            return;
        }
        if let Some(side) = self.window.side(cycle) {
            let own = self.own.iter_mut();
            own.for_each(|own| own.count(side == 1, happened));
        }
    }
}

impl Probe for Detailed<'_> {
    #[inline]
    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        self.recorder.packet_entered(cycle, packet);
    }

    #[inline]
    fn flit_sent(
        &mut self,
        cycle: u64,
        channel: ChannelId,
        vc: u32,
        kind: FlitKind,
        packet: &Packet,
    ) {
        self.recorder.flit_sent(cycle, channel, vc, kind, packet);
        if let Some(channels) = &mut self.channels {
            channels.sent(cycle, channel, vc);
        }
        if let (Some(energy), Some(side)) = (&mut self.energy, self.window.side(cycle)) {
            energy[side].flit_sent(cycle, channel, vc, kind, packet);
        }
        let sent = Happened::Sent {
            cycle,
            channel,
            vc,
            kind,
            packet,
        };
        self.tell(cycle, sent);
    }

    #[inline]
    fn flit_unbuffered(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        self.recorder.flit_unbuffered(cycle, channel, vc);
        if let Some(channels) = &mut self.channels {
            channels.left(cycle, channel, vc);
        }
        if let (Some(energy), Some(side)) = (&mut self.energy, self.window.side(cycle)) {
            energy[side].flit_unbuffered(cycle, channel, vc);
        }
    }

    #[inline]
    fn flit_drawn(&mut self, cycle: u64, node: NodeId) {
        if let (Some(energy), Some(side)) = (&mut self.energy, self.window.side(cycle)) {
            energy[side].flit_drawn(cycle, node);
        }
    }

    #[inline]
    fn flit_ejected(&mut self, cycle: u64, node: NodeId, kind: FlitKind, packet: &Packet) {
        self.recorder.flit_ejected(cycle, node, kind, packet);
        let ejected = Happened::Ejected {
            cycle,
            node,
            kind,
            packet,
        };
        self.tell(cycle, ejected);
        let Some(side) = self.window.side(cycle) else {
            return;
        };
        if let Some(energy) = &mut self.energy {
            energy[side].flit_ejected(cycle, node, kind, packet);
        }
        if let Some(by_class) = &mut self.by_class {
            by_class.ejected_flits[by_class.classes.class_of(packet)][side] += 1;
        }
        if let Some(by_node) = &mut self.by_node {
            by_node.received_flits[node.index()][side] += 1;
        }
    }

    #[inline]
    fn packet_retired(&mut self, arrived: u64, packet: &Packet, number: u32) {
        self.recorder.packet_retired(arrived, packet, number);
    }

    #[inline]
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        self.recorder.packet_delivered(arrived, packet);
        self.tell(packet.created, Happened::Delivered { arrived, packet });
        let Some(side) = self.window.side(packet.created) else {
            return;
        };
        let measured = Measured {
            created: packet.created,
            is_later: side == 1,
            latency: arrived - packet.created,
            network: arrived - packet.entered,
            hops: self.recorder.hops(packet),
        };
        if let Some(by_class) = &mut self.by_class {
            let class = by_class.classes.class_of(packet);
            by_class.groups.record(class, measured);
            by_class.histograms[class][side].record(measured.latency);
        }
        if let Some(groups) = &mut self.by_distance {
            groups.record(measured.hops as usize, measured);
        }
        if let Some(by_node) = &mut self.by_node {
            by_node.groups.record(packet.source.index(), measured);
        }
    }
}
