//! The oracle's objects: routers with their input ports and virtual channels, the senders' side of
//! channels, and packets.
//!
//! Invariant: for every virtual channel of a channel, the places that the sender takes for taken are the flits in
//! (or on the wire to) the buffer and the credits on their way back; and those of all come out of what is each
//! one's own and what is shared.

use super::log::Identity;
use flitsim_engine::{BufferSharing, EngineConfig};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// A packet, from its creation on. Packets are never forgotten.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Who it is.
    pub identity: Identity,
    /// The terminal that it goes to.
    pub destination: NodeId,
    /// Its length.
    pub flits: u32,
    /// The cycle in which it entered an injection virtual channel, once it has.
    pub entered: Option<u64>,
    /// What the routing relation carries with it.
    pub state: u64,
    /// The number of the initial state that was drawn, until the packet has decided on one.
    pub drawn: Option<u32>,
    /// Channels that its head has taken.
    pub hops: u32,
}

/// A flit in a buffer, or on the wire that leads to it.
#[derive(Clone, Copy, Debug)]
pub struct Flit {
    /// Index of its packet.
    pub packet: usize,
    /// Its place in the packet: 0 is the head.
    pub number: u32,
    /// The first cycle in which the router sees it.
    pub ready: u64,
}

/// Where the packet at the front of an input virtual channel goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// To the next router.
    Channel(ChannelId, u32),
    /// To the terminal, in turn with any others.
    Ejection,
    /// To the terminal on a virtual channel.
    Terminal(u32),
}

/// A virtual channel at the input of a router.
#[derive(Clone, Debug, Default)]
pub struct InputVc {
    /// What is in the buffer and on the wire that leads to it, in order.
    pub flits: VecDeque<Flit>,
    /// What the packet at the front has claimed, from its head to its tail.
    pub output: Option<Output>,
    /// The packet that claimed a channel last, and its flits that have left since.
    pub holder: (usize, u32),
    /// Since when the head at the front waits for an output.
    pub came: Option<u64>,
    /// When the head at the front came there, and when the output was claimed that it has.
    pub fronted: u64,
    pub claimed: u64,
    /// The first cycle after that in which a flit left last.
    pub left: u64,
    /// Which output virtual channel is first in turn, by the number of the output and its own.
    pub vc_turn: (usize, u32),
    /// The virtual channel that the head at the front keeps from others until it has an output.
    pub keeps: Option<(ChannelId, u32)>,
}

impl InputVc {
    /// The flit at the front, if the router sees it in cycle `now`.
    pub fn front(&self, now: u64) -> Option<Flit> {
        self.flits.front().copied().filter(|f| f.ready <= now)
    }

    /// Since when the flit at the front has been there.
    pub fn front_since(&self) -> u64 {
        let front = self.flits.front().expect("a flit");
        front.ready.max(self.left)
    }

    /// How many flits of `packet` the router sees in cycle `now`.
    pub fn visible_of(&self, packet: usize, now: u64) -> u32 {
        let seen = |f: &&Flit| f.packet == packet && f.ready <= now;
        self.flits.iter().filter(seen).count() as u32
    }
}

/// An input port: a channel's end, or the terminal's way in.
#[derive(Clone, Debug)]
pub struct InputPort {
    /// The channel that ends here; `None` for the injection port.
    pub channel: Option<ChannelId>,
    /// Its virtual channels.
    pub vcs: Vec<InputVc>,
    /// Places that have come free and of which the sender has not been told: the internal cycle, and the virtual channel.
    pub freed: Vec<(u64, u32)>,
    /// The virtual channel that has precedence at this port.
    pub in_pointer: u32,
    /// By virtual channel: the number of the cycle, from 1 on, in which it was served last.
    pub served: Vec<u64>,
    /// By way into the switch: its virtual channel that was served last.
    pub last: BTreeMap<u32, u32>,
}

/// An output of a router.
#[derive(Clone, Debug)]
pub struct OutputPort {
    /// The channel that starts here; `None` for the ejection output.
    pub channel: Option<ChannelId>,
    /// The local input virtual channel that has precedence at this output.
    pub out_pointer: u32,
    /// The same at each of its ways out of the switch.
    pub way_pointers: Vec<u32>,
    /// Flits that have won the switch and wait for the channel, in order: what they wait for, and the internal cycle
    /// in which they have crossed the switch.
    pub queue: VecDeque<(Flit, Output, u64)>,
}

/// A router.
#[derive(Clone, Debug)]
pub struct Router {
    /// Who it is.
    pub node: NodeId,
    /// Incoming channels in ascending order, then the injection port.
    pub ports: Vec<InputPort>,
    /// Outgoing channels in ascending order, then the ejection output.
    pub outputs: Vec<OutputPort>,
    /// VS: local input virtual channels are numbered `port * stride + vc`.
    pub stride: u32,
    /// The way to the terminal, where it has virtual channels.
    pub to_terminal: Sender,
    /// The way from the source, where it has buffers.
    pub from_source: Sender,
    /// The input virtual channels whose packets keep their way through the switch.
    pub held: Vec<(usize, u32)>,
    /// By position of the input of the switch: the output that is first in turn.
    pub turns: Vec<usize>,
    /// Where allocators of heads and of flits begin that move on: how often they did.
    pub begun: std::cell::Cell<[u32; 2]>,
    /// The round of an allocator, from 1 on.
    pub round: u32,
    /// For matrix arbiters, by output and position of the input: the number of the cycle, from 1 on, in which the one last
    /// took the other.
    pub taken: BTreeMap<(usize, u32), u64>,
}

impl Router {
    /// An empty router.
    pub fn new(network: &Network, node: NodeId, config: &EngineConfig) -> Self {
        let port = |channel, vcs| InputPort {
            channel,
            vcs: vec![InputVc::default(); vcs as usize],
            freed: Vec::new(),
            in_pointer: 0,
            served: vec![0; vcs as usize],
            last: BTreeMap::new(),
        };
        let output = |channel| OutputPort {
            channel,
            out_pointer: 0,
            way_pointers: vec![0; config.output_speedup as usize],
            queue: VecDeque::new(),
        };
        let incoming = network.incoming(node);
        let mut ports: Vec<_> = incoming
            .iter()
            .map(|&channel| port(Some(channel), config.virtual_channels))
            .collect();
        let outgoing = network.outgoing(node).map(ChannelId);
        let mut outputs: Vec<_> = outgoing.map(|channel| output(Some(channel))).collect();
        if node.0 < network.terminals() {
            ports.push(port(None, config.injection_vcs));
            outputs.push(output(None));
        }
        let most = config.virtual_channels.max(config.injection_vcs);
        let most = most.max(config.ejection_vcs);
        let stride = most.next_power_of_two();
        let inputs = ports.len() * stride as usize;
        Self {
            node,
            ports,
            outputs,
            stride,
            to_terminal: Sender::new(config, config.ejection_vcs),
            from_source: Sender::new(config, config.injection_vcs),
            held: Vec::new(),
            begun: std::cell::Cell::default(),
            round: 1,
            turns: vec![0; inputs],
            taken: BTreeMap::new(),
        }
    }

    /// The number of an input virtual channel within the router.
    pub fn local(&self, port: usize, vc: u32) -> u32 {
        port as u32 * self.stride + vc
    }

    /// Where `output` is among the outputs.
    pub fn output_index(&self, output: Output) -> usize {
        let channel = match output {
            Output::Channel(channel, _) => Some(channel),
            Output::Ejection | Output::Terminal(_) => None,
        };
        let found = self.outputs.iter().position(|o| o.channel == channel);
        found.expect("an output of this router")
    }

    /// Every input virtual channel, as (port, vc), in ascending order of its local number.
    pub fn input_vcs(&self) -> impl Iterator<Item = (usize, u32)> {
        let vcs_of = |(port, p): (usize, &InputPort)| {
            let count = p.vcs.len() as u32;
            (0..count).map(move |vc| (port, vc))
        };
        self.ports.iter().enumerate().flat_map(vcs_of)
    }

    /// The input virtual channel `vc` of port `port`.
    pub fn vc(&self, port: usize, vc: u32) -> &InputVc {
        &self.ports[port].vcs[vc as usize]
    }

    /// The same, to change.
    pub fn vc_mut(&mut self, port: usize, vc: u32) -> &mut InputVc {
        &mut self.ports[port].vcs[vc as usize]
    }

    /// Whether no flit is in its buffers or on the wires that lead to it.
    pub fn is_empty(&self) -> bool {
        let mut vcs = self.ports.iter().flat_map(|p| &p.vcs);
        vcs.all(|vc| vc.flits.is_empty())
    }
}

/// What the router before a channel knows of it.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Free places in the buffer of each virtual channel that are its own, as far as the sender knows.
    pub own: Vec<u32>,
    /// Places taken of those that the virtual channels share, by each, and those that are free.
    pub borrowed: Vec<u32>,
    pub pool: u32,
    /// Places that each virtual channel has to itself.
    reserve: u32,
    /// Whether a packet holds the virtual channel.
    pub claimed: Vec<bool>,
    /// Whether a head keeps it from others.
    pub kept: Vec<bool>,
    /// The virtual channel that has precedence among equals.
    pub vc_pointer: u32,
    /// The first cycle in which the channel takes a flit again.
    pub next_free: u64,
    /// Credits on their way back: (cycle, virtual channel).
    pub due: Vec<(u64, u32)>,
    /// By virtual channel: which local input virtual channel is first in turn, where heads are matched.
    pub turns: Vec<u32>,
    /// By virtual channel: heads in a row that were to have it and took another.
    pub declined: Vec<u32>,
    /// For matrix arbiters, by virtual channel and local input virtual channel: the number of the cycle, from 1 on, in which
    /// the one last took the other.
    pub taken: BTreeMap<(u32, u32), u64>,
}

impl Sender {
    /// The sender of an empty channel of `vcs` virtual channels.
    pub fn new(config: &EngineConfig, vcs: u32) -> Self {
        let reserve = match config.buffer_sharing {
            BufferSharing::Private => config.buffer_flits,
            // As little as there can be.
            BufferSharing::Shared => 1,
            BufferSharing::Dynamic { reserve } => reserve,
        };
        let pool = vcs * config.buffer_flits - vcs * reserve;
        let vcs = vcs as usize;
        Self {
            own: vec![reserve; vcs],
            borrowed: vec![0; vcs],
            pool,
            reserve,
            claimed: vec![false; vcs],
            kept: vec![false; vcs],
            vc_pointer: 0,
            next_free: 0,
            due: Vec::new(),
            turns: vec![0; vcs],
            declined: vec![0; vcs],
            taken: BTreeMap::new(),
        }
    }

    /// Takes in the credits that are due in cycle `now`.
    pub fn deliver(&mut self, now: u64) {
        for &(due, vc) in &self.due {
            if due == now {
                // What was borrowed goes back first.
                if self.borrowed[vc as usize] > 0 {
                    self.borrowed[vc as usize] -= 1;
                    self.pool += 1;
                } else {
                    self.own[vc as usize] += 1;
                }
            }
        }
        self.due.retain(|&(due, _)| due > now);
    }

    /// Free places that virtual channel `vc` may take, as far as the sender knows.
    pub fn credits(&self, vc: u32) -> u32 {
        self.own[vc as usize] + self.pool
    }

    /// A flit takes one: its own first.
    pub fn take(&mut self, vc: u32) {
        if self.own[vc as usize] > 0 {
            self.own[vc as usize] -= 1;
        } else {
            self.pool -= 1;
            self.borrowed[vc as usize] += 1;
        }
    }

    /// Places that virtual channel `vc` has taken.
    pub fn taken(&self, vc: u32) -> u32 {
        self.reserve - self.own[vc as usize] + self.borrowed[vc as usize]
    }
}
