//! Those who watch runs that need not be fast, as one kind: the cycle loop is compiled once for all of them.

mod gauge;
mod lone;

pub use gauge::{Gauge, SLOT_CYCLES, Slot};
pub(crate) use lone::Lone;
pub use lone::Sent;

use crate::measurement::details::{Detailed, PointDetails};
use crate::measurement::recorder::Recorder;
use crate::simulate::Observer;
use flitsim_engine::routing::Relation;
use flitsim_engine::{Engine, FlitKind, Packet, Probe};
use flitsim_topology::archive::Archive;
use flitsim_topology::{ChannelId, NodeId};
use flitsim_traffic::Arrival;

/// What simulates before their eyes.
pub(crate) type WatchedEngine<'n> = Engine<'n, Relation<'n>, Watching<'n>>;

/// One of them.
#[derive(Debug)]
pub(crate) enum Watching<'n> {
    Detailed(Box<Detailed<'n>>),
    Gauge(Gauge),
    Lone(Lone),
}

macro_rules! one {
    ($($kind:ident: $type:ty, $get:ident, $get_mut:ident;)*) => {
        impl<'n> Watching<'n> {$(
            pub(crate) fn $get(&self) -> &$type {
                let Self::$kind(it) = self else { unreachable!("built as one") };
                it
            }

            pub(crate) fn $get_mut(&mut self) -> &mut $type {
                let Self::$kind(it) = self else { unreachable!("built as one") };
                it
            }
        )*}
    };
}

one! {
    Gauge: Gauge, gauge, gauge_mut;
    Lone: Lone, lone, lone_mut;
}

/// Does the same with whoever it is.
macro_rules! with {
    ($watching:expr, $it:ident => $then:expr) => {
        match $watching {
            Watching::Detailed($it) => $then,
            Watching::Gauge($it) => $then,
            Watching::Lone($it) => $then,
        }
    };
}

impl Probe for Watching<'_> {
    #[inline]
    fn packet_entered(&mut self, cycle: u64, packet: &Packet) {
        with!(self, it => it.packet_entered(cycle, packet));
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
        with!(self, it => it.flit_sent(cycle, channel, vc, kind, packet));
    }

    #[inline]
    fn flit_unbuffered(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        with!(self, it => it.flit_unbuffered(cycle, channel, vc));
    }

    #[inline]
    fn flit_drawn(&mut self, cycle: u64, node: NodeId) {
        with!(self, it => it.flit_drawn(cycle, node));
    }

    #[inline]
    fn flit_ejected(&mut self, cycle: u64, node: NodeId, kind: FlitKind, packet: &Packet) {
        with!(self, it => it.flit_ejected(cycle, node, kind, packet));
    }

    #[inline]
    fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
        with!(self, it => it.packet_delivered(arrived, packet));
    }

    #[inline]
    fn packet_retired(&mut self, arrived: u64, packet: &Packet, number: u32) {
        with!(self, it => it.packet_retired(arrived, packet, number));
    }
}

impl Observer for Watching<'_> {
    fn recorder(&self) -> &Recorder {
        with!(self, it => it.recorder())
    }

    fn recorder_mut(&mut self) -> &mut Recorder {
        with!(self, it => it.recorder_mut())
    }

    fn created(&mut self, cycle: u64, packet: &Arrival) {
        with!(self, it => it.created(cycle, packet));
    }

    fn follow(&mut self) {
        with!(self, it => it.follow());
    }

    fn details(&mut self, now: u64) -> Option<PointDetails> {
        with!(self, it => it.details(now))
    }

    fn keep(&mut self, archive: &mut Archive<'_>) {
        with!(self, it => it.keep(archive));
    }
}
