//! How the routers of a network are numbered inside: ports, input virtual channels and output
//! virtual channels.
//!
//! A router's input ports are consecutive: its incoming channels in ascending order, then its
//! terminal's injection port. Each port has a power of two of input virtual channels ("ivc"), so
//! that an index splits by shift and mask, and the ivcs of a port never straddle a 64-bit word.
//! An output virtual channel ("ovc") is named by its channel and virtual channel: it has credits
//! at the sender and the flit buffer at the receiver.

use flitsim_topology::{ChannelId, Network, NodeId};

/// No such thing.
pub(crate) const NONE: u32 = u32::MAX;
/// The output of a packet that has reached its destination.
pub(crate) const EJECT: u32 = u32::MAX - 1;

#[derive(Debug)]
pub(crate) struct Wiring {
    /// log2 of the virtual channels that every port has room for.
    pub(crate) vc_shift: u32,
    /// The first port of each router, and the end of the last.
    port_start: Vec<u32>,
    /// The channel into each port, or [`NONE`] for an injection port.
    port_channel: Vec<u32>,
    /// The router of each port.
    port_router: Vec<u32>,
    /// The port that each channel leads to.
    channel_port: Vec<u32>,
    /// Words that the ivcs of one router take as bits: the same for all.
    pub(crate) words: usize,
    /// The largest number of channels out of a router.
    pub(crate) degree_max: usize,
}

impl Wiring {
    pub(crate) fn new(network: &Network, virtual_channels: u32, injection_vcs: u32) -> Self {
        let vc_shift = virtual_channels
            .max(injection_vcs)
            .next_power_of_two()
            .trailing_zeros();
        let ports = (network.channels() + network.terminals()) as usize;
        let mut wiring = Self {
            vc_shift,
            port_start: Vec::with_capacity(network.nodes() as usize + 1),
            port_channel: Vec::with_capacity(ports),
            port_router: Vec::with_capacity(ports),
            channel_port: vec![NONE; network.channels() as usize],
            words: 0,
            degree_max: 0,
        };
        let mut ports_max = 0;
        for node in (0..network.nodes()).map(NodeId) {
            let start = wiring.port_channel.len() as u32;
            wiring.port_start.push(start);
            for &channel in network.incoming(node) {
                wiring.channel_port[channel.index()] = wiring.port_channel.len() as u32;
                wiring.port_channel.push(channel.0);
            }
            if node.0 < network.terminals() {
                wiring.port_channel.push(NONE);
            }
            wiring.port_router.resize(wiring.port_channel.len(), node.0);
            ports_max = ports_max.max(wiring.port_channel.len() as u32 - start);
            wiring.degree_max = wiring.degree_max.max(network.outgoing(node).len());
        }
        wiring.port_start.push(wiring.port_channel.len() as u32);
        wiring.words = ((ports_max as usize) << vc_shift).div_ceil(64).max(1);
        wiring
    }

    /// Number of input virtual channels of all routers.
    pub(crate) fn ivcs(&self) -> usize {
        self.port_channel.len() << self.vc_shift
    }

    /// Number of input ports of all routers.
    pub(crate) fn ports(&self) -> usize {
        self.port_channel.len()
    }

    /// The mask of one port's input virtual channels, shifted down.
    #[inline]
    pub(crate) fn vc_mask(&self) -> u64 {
        u64::MAX >> (64 - (1u32 << self.vc_shift))
    }

    /// The first ivc of `router`.
    #[inline]
    pub(crate) fn first_ivc(&self, router: u32) -> u32 {
        self.port_start[router as usize] << self.vc_shift
    }

    #[inline]
    pub(crate) fn port_of(&self, ivc: u32) -> u32 {
        ivc >> self.vc_shift
    }

    /// The virtual channel of an ivc or of an ovc.
    #[inline]
    pub(crate) fn vc_of(&self, index: u32) -> u32 {
        index & ((1 << self.vc_shift) - 1)
    }

    #[inline]
    pub(crate) fn channel_of(&self, ovc: u32) -> ChannelId {
        ChannelId(ovc >> self.vc_shift)
    }

    #[inline]
    pub(crate) fn ovc(&self, channel: ChannelId, vc: u32) -> u32 {
        channel.0 << self.vc_shift | vc
    }

    /// The channel into `port`; `None` for an injection port.
    #[inline]
    pub(crate) fn channel_into(&self, port: u32) -> Option<ChannelId> {
        let channel = self.port_channel[port as usize];
        (channel != NONE).then_some(ChannelId(channel))
    }

    #[inline]
    pub(crate) fn router_of(&self, ivc: u32) -> u32 {
        self.port_router[self.port_of(ivc) as usize]
    }

    /// The ivc at the far end of `ovc`.
    #[inline]
    pub(crate) fn downstream(&self, ovc: u32) -> u32 {
        let port = self.channel_port[self.channel_of(ovc).index()];
        port << self.vc_shift | self.vc_of(ovc)
    }

    /// The injection port of terminal `node`: its last port.
    #[inline]
    pub(crate) fn injection_port(&self, node: u32) -> u32 {
        self.port_start[node as usize + 1] - 1
    }
}
