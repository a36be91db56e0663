//! What the routers remember, as flat arrays.
//!
//! An input virtual channel (ivc) is read by its own router alone. An output virtual channel (ovc)
//! is kept by the sender: who holds it, its credits, and where the next flit goes in the buffer at
//! its far end. Nothing else of one router is touched by another within a cycle, so the order in
//! which routers are visited does not matter.

use crate::flit::Flit;
use crate::packet::Queue;
use crate::routing::{Candidate, vc_range};
use crate::wiring::{NONE, Wiring};
use crate::{Candidates, EngineConfig};
use flitsim_topology::{ChannelId, Network};

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

#[derive(Debug)]
pub(crate) struct State {
    /// By ivc.
    pub(crate) inputs: Vec<Input>,
    /// By ovc.
    pub(crate) outputs: Vec<Output>,
    /// By ovc, `buffer_stride` places each: the buffer at its far end.
    pub(crate) flits: Vec<Flit>,
    buffer_shift: u32,
    /// By channel: the virtual channels that may be claimed.
    pub(crate) free_vcs: Vec<u64>,
    /// By terminal.
    pub(crate) sources: Vec<Source>,
    /// By terminal and injection virtual channel.
    pub(crate) injecting: Vec<Injecting>,
    /// By ivc, where the relation is deterministic: the candidate of the head that waits there.
    /// A candidate without virtual channels has not been asked for yet.
    pub(crate) wanted: Vec<Candidate>,
    /// By router, `words` each: ivcs whose front flit is a head without an output.
    pub(crate) waiting: Vec<u64>,
    /// By router, `words` each: ivcs that have a flit, an output, and a credit.
    pub(crate) bidding: Vec<u64>,
    /// By channel: the cycle from which it takes the next flit; empty where every cycle will do.
    pub(crate) next_free: Vec<u64>,
    /// By ovc: the cycle in which its last flit becomes ready; empty where flits cannot overtake.
    pub(crate) last_ready: Vec<u64>,
    pub(crate) pointers: Pointers,
}

/// Where the round-robin arbiters look first. All start at 0.
#[derive(Debug)]
pub(crate) struct Pointers {
    /// By router: the local ivc that claims a virtual channel first.
    pub(crate) heads: Vec<u16>,
    /// By channel: the virtual channel preferred among equals.
    pub(crate) vcs: Vec<u8>,
    /// By port: the virtual channel put forward first.
    pub(crate) inputs: Vec<u8>,
    /// By output (a router's channels, then its ejection): the local ivc that is taken first.
    pub(crate) outputs: Vec<u16>,
    /// By ivc (a port's first stands for the port): the local output that is accepted first.
    /// Empty but for iSLIP.
    pub(crate) accepts: Vec<u16>,
}

impl State {
    pub(crate) fn new(
        network: &Network,
        wiring: &Wiring,
        config: &EngineConfig,
        deterministic: bool,
    ) -> Self {
        let ivcs = wiring.ivcs();
        let channels = network.channels() as usize;
        let ovcs = channels << wiring.vc_shift;
        let terminals = network.terminals() as usize;
        let nodes = network.nodes() as usize;
        let buffer_shift = config.buffer_flits.next_power_of_two().trailing_zeros();
        let islip = matches!(config.allocator, crate::Allocator::Islip { .. });
        let or_empty = |wanted: bool, len: usize| if wanted { len } else { 0 };
        let unasked = Candidate {
            channel: ChannelId(NONE),
            vcs: 0,
            priority: 0,
        };
        Self {
            inputs: vec![
                Input {
                    output: NONE,
                    ready: 0,
                    front: 0,
                };
                ivcs
            ],
            outputs: vec![
                Output {
                    owner: NONE,
                    credits: config.buffer_flits as u16,
                    back: 0,
                };
                ovcs
            ],
            flits: vec![Flit::default(); ovcs << buffer_shift],
            buffer_shift,
            free_vcs: vec![vc_range(0, config.virtual_channels); channels],
            sources: vec![
                Source {
                    queue: Queue::EMPTY,
                    free: vc_range(0, config.injection_vcs),
                };
                terminals
            ],
            injecting: vec![
                Injecting {
                    packet: NONE,
                    remaining: 0,
                };
                terminals << wiring.vc_shift
            ],
            wanted: vec![unasked; or_empty(deterministic, ivcs)],
            waiting: vec![0; nodes * wiring.words],
            bidding: vec![0; nodes * wiring.words],
            next_free: vec![0; or_empty(config.channel_period > 1, channels)],
            last_ready: vec![0; or_empty(config.delay != config.body_delay, ovcs)],
            pointers: Pointers {
                heads: vec![0; nodes],
                vcs: vec![0; channels],
                inputs: vec![0; wiring.ports()],
                outputs: vec![0; channels + nodes],
                accepts: vec![0; or_empty(islip, ivcs)],
            },
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
        (place + 1) & ((1 << self.buffer_shift) - 1)
    }
}

/// Buffers that a cycle uses and leaves empty, so that it never allocates.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) events: Vec<u32>,
    pub(crate) candidates: Candidates,
    /// Heads in the order in which they claim, with their keys.
    pub(crate) heads: Vec<(Key, u32)>,
    /// Local ivcs whose front flit leaves.
    pub(crate) moves: Vec<u32>,
    pub(crate) switch: SwitchScratch,
}

/// What random and oldest-first arbiters compare: the least wins.
pub(crate) type Key = (u64, u64);

/// What one router's switch allocation remembers while it runs.
#[derive(Debug)]
pub(crate) struct SwitchScratch {
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

/// An input's request for an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: Key,
    /// The local ivc whose flit it is.
    pub(crate) ivc: u32,
    pub(crate) output: u32,
    /// Where the input stands for round-robin: its first local ivc.
    pub(crate) position: u32,
    /// Where the next input stands: where a round-robin output looks first once it took this one.
    pub(crate) next: u32,
}

impl Request {
    pub(crate) const NONE: Self = Self {
        key: (u64::MAX, u64::MAX),
        ivc: NONE,
        output: NONE,
        position: NONE,
        next: NONE,
    };
}

impl Scratch {
    pub(crate) fn new(wiring: &Wiring) -> Self {
        let ivcs = wiring.words * 64;
        let outputs = wiring.degree_max + 1;
        Self {
            events: Vec::new(),
            candidates: Candidates::with_degree(wiring.degree_max),
            heads: Vec::with_capacity(ivcs),
            moves: Vec::with_capacity(ivcs),
            switch: SwitchScratch {
                best: vec![Request::NONE; outputs],
                touched: Vec::with_capacity(outputs),
                bids: Vec::with_capacity(ivcs),
                grants: vec![Request::NONE; ivcs],
                granted: Vec::with_capacity(ivcs),
            },
        }
    }
}
