//! What the routers remember, as flat arrays.
//!
//! An input virtual channel (ivc) is read by its own router alone. An output virtual channel (ovc)
//! is kept by the sender: who holds it, its credits, and where the next flit goes in the buffer at
//! its far end. Nothing else of one router is touched by another within a cycle, so the order in
//! which routers are visited does not matter.

use crate::flit::Flit;
use crate::packet::Queue;
use crate::routing::{Candidate, VcMask, vc_range};
use crate::wiring::{NONE, Wiring};
use crate::{Candidates, EngineConfig};
use flitsim_topology::{ChannelId, Network, NodeId};

/// The reader's end of an input virtual channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    /// The ovc that the packet at the front holds, [`crate::wiring::EJECT`], or [`NONE`].
    pub(crate) output: u32,
    /// Flits that are ready. At an injection port: 1 while its packet has flits left and is ready.
    pub(crate) ready: u16,
    /// Where the front flit stands in the buffer.
    pub(crate) front: u16,
}

/// The sender's end of a virtual channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// The ivc whose packet holds it, or [`NONE`].
    pub(crate) owner: u32,
    /// Free places in the buffer at the far end, as far as the sender knows.
    pub(crate) credits: u16,
    /// Where the next flit goes in that buffer.
    pub(crate) back: u16,
}

/// A packet on its way out of an injection virtual channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Injecting {
    pub(crate) packet: u32,
    /// Flits that have not left yet.
    pub(crate) remaining: u32,
}

/// A terminal's source queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) queue: Queue,
    /// The injection virtual channels that hold no packet.
    pub(crate) free: u64,
}

/// The receiver's end of a channel, or a terminal's way in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPort {
    /// The channel that leads here, or [`NONE`] at an injection port.
    pub(crate) channel: u32,
    /// The virtual channel that a round-robin arbiter puts forward first.
    pub(crate) pointer: u8,
}

/// The sender's end of a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The virtual channels that may be claimed.
    pub(crate) free_vcs: VcMask,
    /// The first ivc at the far end.
    pub(crate) downstream: u32,
    /// The local ivc that a round-robin arbiter takes first.
    pub(crate) pointer: u16,
    /// The local ivc whose head claims first.
    pub(crate) claim_pointer: u16,
    /// The virtual channel preferred among equals.
    pub(crate) vc_pointer: u8,
}

/// What a router has of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Router {
    /// Its first channel out, and how many there are.
    pub(crate) first_channel: u32,
    pub(crate) channels: u16,
    /// The local ivc whose flit a round-robin ejection takes first.
    pub(crate) eject_pointer: u16,
}

/// 64 ivcs of a router, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masks {
    /// The front flit is a head without an output.
    pub(crate) waiting: u64,
    /// There is a flit, an output, and a credit.
    pub(crate) bidding: u64,
}

#[derive(Debug)]
pub(crate) struct State {
    /// By ivc.
    pub(crate) inputs: Vec<Input>,
    /// By ivc without its virtual channel.
    pub(crate) ports: Vec<InputPort>,
    /// By ovc.
    pub(crate) outputs: Vec<Output>,
    /// By channel.
    pub(crate) links: Vec<Link>,
    /// By ovc, a power of two of places each: the buffer at its far end.
    pub(crate) flits: Vec<Flit>,
    buffer_shift: u32,
    place_bits: u16,
    pub(crate) routers: Vec<Router>,
    /// By router, `words` each.
    pub(crate) masks: Vec<Masks>,
    /// By terminal.
    pub(crate) sources: Vec<Source>,
    /// By terminal and injection virtual channel.
    pub(crate) injecting: Vec<Injecting>,
    /// By ivc, where the relation is deterministic: the candidate of the head that waits there.
    /// A candidate without virtual channels has not been asked for yet.
    pub(crate) wanted: Vec<Candidate>,
    /// By channel: the cycle from which it takes the next flit; empty where every cycle will do.
    pub(crate) next_free: Vec<u64>,
    /// By ovc: the cycle in which its last flit becomes ready; empty where flits cannot overtake.
    pub(crate) last_ready: Vec<u64>,
    /// By ivc (a port's first stands for the port): the local output that iSLIP accepts first.
    /// Empty for the other allocators.
    pub(crate) accept_pointers: Vec<u16>,
}

impl State {
    pub(crate) fn new(
        network: &Network,
        wiring: Wiring,
        config: &EngineConfig,
        deterministic: bool,
    ) -> Self {
        let ivcs = wiring.ivcs(network.nodes());
        let channels = network.channels() as usize;
        let ovcs = channels << wiring.vc_shift;
        let terminals = network.terminals() as usize;
        let buffer_shift = config.buffer_flits.next_power_of_two().trailing_zeros();
        let islip = matches!(config.allocator, crate::Allocator::Islip { .. });
        let or_empty = |wanted: bool, len: usize| if wanted { len } else { 0 };
        let (ports, links) = wire_up(network, wiring, config.virtual_channels);
        let input = Input {
            output: NONE,
            ready: 0,
            front: 0,
        };
        let output = Output {
            owner: NONE,
            credits: config.buffer_flits as u16,
            back: 0,
        };
        let source = Source {
            queue: Queue::EMPTY,
            free: vc_range(0, config.injection_vcs),
        };
        let injecting = Injecting {
            packet: NONE,
            remaining: 0,
        };
        let unasked = Candidate {
            channel: ChannelId(NONE),
            vcs: 0,
            priority: 0,
        };
        let router = |node| {
            let out = network.outgoing(NodeId(node));
            Router {
                first_channel: out.start,
                channels: out.len() as u16,
                eject_pointer: 0,
            }
        };
        Self {
            inputs: vec![input; ivcs],
            ports,
            outputs: vec![output; ovcs],
            links,
            flits: vec![Flit::default(); ovcs << buffer_shift],
            buffer_shift,
            place_bits: ((1u32 << buffer_shift) - 1) as u16,
            routers: (0..network.nodes()).map(router).collect(),
            masks: vec![Masks::default(); network.nodes() as usize * wiring.words],
            sources: vec![source; terminals],
            injecting: vec![injecting; terminals << wiring.vc_shift],
            wanted: vec![unasked; or_empty(deterministic, ivcs)],
            next_free: vec![0; or_empty(config.channel_period_max() > 1, channels)],
            last_ready: vec![0; or_empty(config.delay != config.body_delay, ovcs)],
            accept_pointers: vec![0; or_empty(islip, ivcs)],
        }
    }

    /// Where place `place` of the buffer at the far end of `ovc` stands in `flits`.
    #[inline]
    pub(crate) fn place(&self, ovc: u32, place: u16) -> usize {
        (ovc as usize) << self.buffer_shift | place as usize
    }

    /// The place after `place`, cyclic.
    #[inline]
    pub(crate) fn after(&self, place: u16) -> u16 {
        (place + 1) & self.place_bits
    }
}

/// The two ends of every channel.
fn wire_up(network: &Network, wiring: Wiring, vcs: u32) -> (Vec<InputPort>, Vec<Link>) {
    let free = InputPort {
        channel: NONE,
        pointer: 0,
    };
    let link = Link {
        free_vcs: vc_range(0, vcs),
        downstream: NONE,
        pointer: 0,
        claim_pointer: 0,
        vc_pointer: 0,
    };
    let mut ports = vec![free; wiring.ivcs(network.nodes()) >> wiring.vc_shift];
    let mut links = vec![link; network.channels() as usize];
    for node in (0..network.nodes()).map(NodeId) {
        let first_port = wiring.port_of(wiring.first_ivc(node.0));
        for (port, &channel) in (first_port..).zip(network.incoming(node)) {
            ports[port as usize].channel = channel.0;
            links[channel.index()].downstream = port << wiring.vc_shift;
        }
    }
    (ports, links)
}

/// Buffers that a cycle uses and leaves empty, so that it never allocates.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) events: Vec<u32>,
    pub(crate) candidates: Candidates,
    /// Heads in the order in which they claim, with what orders them.
    pub(crate) heads: Vec<(Key, u32)>,
    /// Ivcs whose front flit leaves.
    pub(crate) moves: Vec<u32>,
    pub(crate) switch: SwitchScratch,
}

/// What random and oldest-first arbiters compare: the least wins.
pub(crate) type Key = (u64, u64);

/// What one router's switch allocation remembers while it runs.
#[derive(Debug)]
pub(crate) struct SwitchScratch {
    /// By local output: the first bid after a round-robin pointer so far.
    pub(crate) nearest: Vec<Nearest>,
    /// By local output: the best request so far.
    pub(crate) best: Vec<Request>,
    /// The outputs that have a request.
    pub(crate) touched: Vec<u16>,
    /// iSLIP: the bids whose input and output are not matched.
    pub(crate) bids: Vec<Request>,
    /// iSLIP: by the position of an input, the grant that it would accept.
    pub(crate) grants: Vec<Request>,
    /// iSLIP: the inputs, by position, that have a grant.
    pub(crate) granted: Vec<u16>,
}

/// A bid for an output before a round-robin arbiter, in one word: how far the input is ahead of the
/// pointer, the local ivc, and where the next input stands. The least is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nearest(u64);

impl Nearest {
    pub(crate) const NONE: Self = Self(u64::MAX);

    #[inline]
    pub(crate) const fn new(distance: u32, local: u32, next: u32) -> Self {
        Self((distance as u64) << 32 | (local as u64) << 16 | next as u64)
    }

    #[inline]
    pub(crate) const fn local(self) -> u32 {
        (self.0 >> 16) as u16 as u32
    }

    #[inline]
    pub(crate) const fn next(self) -> u16 {
        self.0 as u16
    }
}

/// An input's request for an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: Key,
    /// The local ivc whose flit it is.
    pub(crate) local: u32,
    pub(crate) output: u32,
    /// Where the input stands for round-robin: its first local ivc.
    pub(crate) position: u32,
    /// Where the next input stands: where a round-robin output looks first once it took this one.
    pub(crate) next: u32,
}

impl Request {
    pub(crate) const NONE: Self = Self {
        key: (u64::MAX, u64::MAX),
        local: NONE,
        output: NONE,
        position: NONE,
        next: NONE,
    };
}

impl Scratch {
    pub(crate) fn new(wiring: Wiring) -> Self {
        let ivcs = 1 << wiring.router_shift;
        let outputs = wiring.degree_max + 1;
        Self {
            events: Vec::new(),
            candidates: Candidates::with_degree(wiring.degree_max),
            heads: Vec::with_capacity(ivcs),
            moves: Vec::with_capacity(ivcs),
            switch: SwitchScratch {
                nearest: vec![Nearest::NONE; outputs],
                best: vec![Request::NONE; outputs],
                touched: Vec::with_capacity(outputs),
                bids: Vec::with_capacity(ivcs),
                grants: vec![Request::NONE; ivcs],
                granted: Vec::with_capacity(ivcs),
            },
        }
    }
}
