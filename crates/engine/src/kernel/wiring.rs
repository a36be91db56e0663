//! How the routers of a network are numbered inside: ports, input virtual channels and output
//! virtual channels.
//!
//! A router's input ports are its incoming channels in ascending order, then its terminal's
//! injection port. Every port has room for the same power of two of input virtual channels
//! ("ivc"), and every router for the same power of two of them, so that an index splits into
//! router, port and virtual channel by shifts, and the ivcs of a port never straddle a 64-bit word.
//! An output virtual channel ("ovc") is named by its channel and virtual channel: it has credits
//! at the sender and the flit buffer at the receiver.

use crate::EngineConfig;
use flitsim_topology::{ChannelId, Network, NodeId};
use std::ops::Range;

/// No such thing.
pub(crate) const NONE: u32 = u32::MAX;
/// The output of a packet that has reached its destination.
pub(crate) const EJECT: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wiring {
    /// log2 of the virtual channels that every port has room for.
    pub(crate) vc_shift: u32,
    /// log2 of the ivcs that every router has room for, and how many that are: a product takes fewer
    /// instructions than a shift by what is not known.
    pub(crate) router_shift: u32,
    router_ivcs: u32,
    /// 64-bit words that the ivcs of one router take as bits: a power of two.
    pub(crate) words: usize,
    /// log2 of the ivcs that share a word.
    word_shift: u32,
    /// The largest number of channels out of a router.
    pub(crate) degree_max: usize,
    /// The bits of an index that name the virtual channel, and the place within the router.
    vc_bits: u32,
    local_bits: u32,
    /// The mask of one port's input virtual channels, shifted down.
    pub(crate) port_mask: u64,
    /// The first lane of an injection port.
    pub(crate) first_injection: u32,
    /// The first lane to a terminal, [`EJECT`] where flits of any packets leave in turn.
    pub(crate) first_ejection: u32,
}

impl Wiring {
    /// That of the routers `nodes` of `network`, with `channels` channels out of them and into them.
    pub(crate) fn new(
        network: &Network,
        nodes: Range<u32>,
        channels: u32,
        config: &EngineConfig,
    ) -> Self {
        let nodes = nodes.map(NodeId);
        let vc_shift = config.room_vcs().trailing_zeros();
        let terminals = nodes.clone().filter(|node| node.0 < network.terminals());
        let first_ejection = match config.ejection_vcs {
            0 => EJECT,
            _ => (channels + terminals.count() as u32) << vc_shift,
        };
        let ports_max = nodes
            .clone()
            .map(|node| network.in_degree(node) + usize::from(node.0 < network.terminals()))
            .max()
            .unwrap_or(1);
        let router_shift = vc_shift + ports_max.next_power_of_two().trailing_zeros();
        Self {
            vc_shift,
            router_shift,
            router_ivcs: 1 << router_shift,
            words: (1usize << router_shift).div_ceil(64),
            word_shift: router_shift.min(6),
            degree_max: nodes
                .map(|node| network.outgoing(node).len())
                .max()
                .unwrap_or(0),
            vc_bits: (1 << vc_shift) - 1,
            local_bits: (1 << router_shift) - 1,
            port_mask: u64::MAX >> (64 - (1u32 << vc_shift)),
            first_injection: channels << vc_shift,
            first_ejection,
        }
    }

    /// Whether the local outputs of every router, the ejection included, fit a word as bits.
    pub(crate) const fn outputs_fit_word(self) -> bool {
        self.degree_max < 64
    }

    /// Whether `lane` is an injection virtual channel.
    #[inline(always)]
    pub(crate) const fn is_injection(self, lane: u32) -> bool {
        lane >= self.first_injection
    }

    /// Whether `output` is a lane to a terminal.
    #[inline]
    pub(crate) const fn is_ejection(self, output: u32) -> bool {
        output >= self.first_ejection && output < EJECT
    }

    /// The ways to the terminal of `router`, as a channel; `None` where flits of any packets leave in turn.
    #[inline(always)]
    pub(crate) fn ejection_of(self, router: u32) -> Option<ChannelId> {
        let has_vcs = self.first_ejection != EJECT;
        has_vcs.then(|| ChannelId(self.channel_of(self.first_ejection).0 + router))
    }

    /// Places for input virtual channels that `nodes` routers take.
    pub(crate) const fn ivcs(self, nodes: u32) -> usize {
        (nodes as usize) << self.router_shift
    }

    /// Virtual channels that every port has room for.
    #[inline]
    pub(crate) const fn vcs(self) -> u32 {
        self.vc_bits + 1
    }

    #[inline]
    pub(crate) const fn first_ivc(self, router: u32) -> u32 {
        router * self.router_ivcs
    }

    #[inline]
    pub(crate) const fn router_of(self, ivc: u32) -> u32 {
        ivc >> self.router_shift
    }

    /// The index of an ivc within its router.
    #[inline]
    pub(crate) const fn local_of(self, ivc: u32) -> u32 {
        ivc & self.local_bits
    }

    /// The word that `ivc` is a bit of, among those of all routers, and the bit.
    #[inline(always)]
    pub(crate) const fn word_of(self, ivc: u32) -> (usize, u64) {
        let bit = ivc & ((1 << self.word_shift) - 1);
        ((ivc >> self.word_shift) as usize, 1 << bit)
    }

    #[inline]
    pub(crate) const fn port_of(self, ivc: u32) -> u32 {
        ivc >> self.vc_shift
    }

    /// The virtual channel of an ivc or of an ovc.
    #[inline]
    pub(crate) const fn vc_of(self, index: u32) -> u32 {
        index & self.vc_bits
    }

    #[inline]
    pub(crate) const fn channel_of(self, ovc: u32) -> ChannelId {
        ChannelId(ovc >> self.vc_shift)
    }

    #[inline]
    pub(crate) const fn ovc(self, channel: ChannelId, vc: u32) -> u32 {
        (channel.0 << self.vc_shift) + vc
    }

    /// Where it is kept when local ivc `local` was last given output virtual channel `ovc`.
    pub(crate) const fn taken(self, ovc: u32, local: u32) -> usize {
        ((ovc as usize) << self.router_shift) + local as usize
    }
}
