//! A router in stages, its allocators and the ports of terminals: the options, which of them do not go together,
//! and how long a flit takes.

use super::{Allocator, Crossbar, EngineConfig, FlowControl, Port};
use flitsim_topology::{ChannelId, Network, NodeId};

/// How requests for virtual channels, or for the switch, are matched with what is free (Dally & Towles,
/// sections 19.3 and 19.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Each input puts one request forward, and each output takes one of those put to it.
    SeparableInputFirst,
    /// Each output takes one of the requests for it, and each input accepts one of the outputs that took it.
    SeparableOutputFirst,
    /// Output first, in rounds, always in turn; turns move only with the matches of the first round (iSLIP, McKeown
    /// 1999).
    Islip {
        /// Rounds per cycle, at least 1.
        iterations: u32,
    },
    /// Output first, in rounds, at random as [`PimDraw`] says (parallel iterative matching: Anderson, Owicki, Saxe
    /// and Thacker, "High-speed switch scheduling for local-area networks", ACM Transactions on Computer Systems 11
    /// (4), 1993).
    Pim {
        /// Rounds per cycle, at least 1.
        iterations: u32,
    },
    /// Requests are granted diagonal by diagonal of the matrix of inputs and outputs, beginning as
    /// [`MatchingStart`] says.
    Wavefront,
    /// As many requests as possible are matched, beginning as [`MatchingStart`] says.
    Maximum,
}

/// Which of several requests for one resource is granted (Dally & Towles, section 18.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// The next in turn after the one granted last.
    RoundRobin,
    /// The one granted longest ago.
    Matrix,
    /// That of the packet created first.
    OldestFirst,
    /// Any, uniformly.
    Random,
}

/// Which of an input's virtual channels goes first where several bid for one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputArbiter {
    /// The one served longest ago.
    LeastRecentlyServed,
    /// The next after the one that the input served last, whatever its output. As in BookSim2, two that alternate
    /// between two outputs can hide a third.
    RoundRobin,
}

/// Where an allocator that looks at all requests at once begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchingStart {
    /// At the request that has waited longest.
    LongestWaiting,
    /// One diagonal of a wavefront, or one input of a maximum matching, further in every cycle with a request,
    /// whatever is passed over: as in BookSim2, with its order of ports.
    Rotating,
}

/// The channels of which a head asks for virtual channels, where heads are matched with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VcRequests {
    /// The one that [`Selection`](super::Selection) picks.
    OneChannel,
    /// All that the relation offers, of every priority: the allocator says which of them it gets.
    AllChannels,
}

/// Which request PIM draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PimDraw {
    /// Any, uniformly.
    Uniform,
    /// The first request from a drawn port and virtual channel on, whether or not there is a request at that place:
    /// as in BookSim2, with its order of ports.
    Start,
}

/// Where an allocator begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begins {
    /// As its arbiters say, or with who has waited longest.
    ByItsArbiters,
    /// One diagonal or input further in every cycle with a request.
    OneFurther,
    /// Where each input and each output draws.
    AtDrawnPlaces,
}

/// The stages of a router (Dally & Towles, section 16.1), in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Routing of a head; 0 where the previous router has done it (look-ahead).
    pub routing: u32,
    /// Virtual-channel allocation of a head, at least 1.
    pub vc_allocation: u32,
    /// Switch allocation of a flit, at least 1.
    pub switch_allocation: u32,
    /// Switch traversal of a flit.
    pub traversal: u32,
}

/// Options of a router that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The key whose value is not possible with the other options.
    pub key: &'static str,
    /// Why it is not.
    pub message: &'static str,
    /// What would be right.
    pub help: &'static str,
}

impl Matching {
    /// Whether it looks at all requests at once.
    pub(crate) fn looks_at_all(self) -> bool {
        matches!(self, Self::Wavefront | Self::Maximum)
    }
}

impl EngineConfig {
    /// Whether the router has stages, or allocators, buffers, queues or terminal ports that the ideal router does
    /// not have.
    pub fn is_staged(&self) -> bool {
        let matchings = [self.vc_allocator, self.switch_allocator];
        self.pipeline.is_some()
            || self.ejection_vcs > 0
            || self.injection_buffers
            || self.shares_buffers()
            || self.arbiter.is_some()
            || self.input_arbiter != InputArbiter::LeastRecentlyServed
            || self.input_speedup > 1
            || self.output_speedup > 1
            || self.internal_speedup > 1
            || self.output_queues
            || self.hold_switch
            || !self.interleave_flits
            || matchings.iter().any(Option::is_some)
    }

    /// How flits are matched with the ways through the switch.
    pub(crate) fn switch_matching(&self) -> Matching {
        self.switch_allocator.unwrap_or(match self.allocator {
            Allocator::Islip { iterations } => Matching::Islip { iterations },
            _ => Matching::SeparableInputFirst,
        })
    }

    /// The key, if any, that has `matching` begin by the numbers of ports.
    fn key_of_start(&self, matching: Matching) -> Option<&'static str> {
        let (key, is_by_number) = match matching {
            Matching::Wavefront => ("wavefront", self.wavefront == MatchingStart::Rotating),
            Matching::Maximum => ("maximum", self.maximum == MatchingStart::Rotating),
            Matching::Pim { .. } => ("pim", self.pim == PimDraw::Start),
            _ => return None,
        };
        is_by_number.then_some(key)
    }

    /// Those of both allocators.
    pub(crate) fn keys_of_starts(&self) -> impl Iterator<Item = &'static str> {
        let both = [self.vc_allocator, self.switch_allocator];
        both.into_iter()
            .flatten()
            .filter_map(|own| self.key_of_start(own))
    }

    /// Whether heads ask for virtual channels of all channels that they may take.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.vc_requests == VcRequests::AllChannels
    }

    /// Whether a head that asks for all leaves out channels of a later priority than the first that has a virtual channel
    /// for it: arbiters that take turns would otherwise grant what it declines, and pass over others for ever.
    pub(crate) fn asks_for_first_class(&self) -> bool {
        matches!(
            self.vc_allocator,
            Some(Matching::SeparableInputFirst | Matching::SeparableOutputFirst)
        )
    }

    /// Whether the allocator of virtual channels goes over requests of all heads by their priority: a wavefront that does
    /// not look at who has waited longest.
    pub(crate) fn goes_by_class(&self) -> bool {
        self.vc_allocator == Some(Matching::Wavefront) && self.wavefront == MatchingStart::Rotating
    }

    /// Where `matching` begins.
    pub(crate) fn begins(&self, matching: Option<Matching>) -> Begins {
        match matching.filter(|&own| self.key_of_start(own).is_some()) {
            None => Begins::ByItsArbiters,
            Some(own) if own.looks_at_all() => Begins::OneFurther,
            Some(_) => Begins::AtDrawnPlaces,
        }
    }

    /// The arbiters of an allocator: its own, those asked for, or those of `allocator`. Those that look at
    /// all requests at once have none, and take turns.
    pub(crate) fn arbiter_of(&self, matching: Option<Matching>) -> Arbiter {
        let asked = self.arbiter.unwrap_or(match self.allocator {
            Allocator::RoundRobin | Allocator::Islip { .. } => Arbiter::RoundRobin,
            Allocator::Random => Arbiter::Random,
            Allocator::OldestFirst => Arbiter::OldestFirst,
        });
        match matching {
            Some(Matching::Islip { .. } | Matching::Wavefront | Matching::Maximum) => {
                Arbiter::RoundRobin
            }
            Some(Matching::Pim { .. }) => Arbiter::Random,
            _ => asked,
        }
    }

    /// Cycles that a head spends in a router at zero load: with stages, all of them and one cycle on the channel.
    pub fn head_cycles(&self) -> u32 {
        match self.pipeline {
            None => self.delay,
            Some(stages) => self.router_cycles(self.head_stages(stages), stages),
        }
    }

    /// Internal cycles of the stages that a head goes through before the switch.
    pub fn head_stages(&self, stages: Pipeline) -> u32 {
        stages.routing
            + match self.speculative {
                true => stages.vc_allocation.max(stages.switch_allocation),
                false => stages.vc_allocation + stages.switch_allocation,
            }
    }

    /// As `head_cycles`, for the other flits.
    pub fn body_cycles(&self) -> u32 {
        let of_stages = |stages: Pipeline| self.router_cycles(stages.switch_allocation, stages);
        self.pipeline.map_or(self.body_delay, of_stages)
    }

    /// Cycles that a flit spends in a router in `stages` of which `before` internal ones are before the switch.
    fn router_cycles(&self, before: u32, stages: Pipeline) -> u32 {
        (before - 1 + stages.traversal) / self.internal_speedup + 2
    }

    /// Cycles from one flit of a packet to the next on the fastest channel, where no other packet hinders it.
    pub fn flit_cycles(&self) -> u32 {
        self.flit_cycles_over(self.channel_period_min())
    }

    /// The same on channels of the period `period`.
    pub fn flit_cycles_over(&self, period: u32) -> u32 {
        match self.pipeline {
            Some(stages) if !self.keeps_ways(period) => {
                // No stage of several internal cycles takes more than one of the channel's.
                (stages.switch_allocation / self.internal_speedup).max(period)
            }
            _ => period,
        }
    }

    /// Cycles that a flit spends in a router where it follows others of its packet without a pause, over channels
    /// of the period `period`.
    pub fn stream_cycles(&self, period: u32) -> u32 {
        match self.pipeline {
            // It is there when the one before it goes, and goes after it on the same way.
            Some(stages) if self.keeps_ways(period) => {
                self.router_cycles(stages.switch_allocation.min(2), stages)
            }
            _ => self.body_cycles(),
        }
    }

    /// Whether the flits of a packet on channels of `period` keep their way through the switch.
    fn keeps_ways(&self, period: u32) -> bool {
        self.hold_switch && period == 1
    }

    /// Whether `channel` of `network` leads from a terminal into its port.
    pub fn is_from_port(&self, network: &Network, channel: ChannelId) -> bool {
        self.terminal_ports && network.source(channel).0 < network.terminals()
    }

    /// Whether `channel` of `network` leads out of a port to its terminal.
    pub fn is_to_port(&self, network: &Network, channel: ChannelId) -> bool {
        self.terminal_ports && network.target(channel).0 < network.terminals()
    }

    /// Cycles from the one in which a flit is sent over `channel` of `network` to the first in which it is in the
    /// buffer at the channel's end; `None` where the channel leads out of a port, to no buffer.
    pub fn cycles_to_buffer(&self, network: &Network, channel: ChannelId) -> Option<u32> {
        // From the first internal cycle on, and in no queue.
        let crossing = |stages: Pipeline| stages.traversal / self.internal_speedup + 1;
        let from_switch = 1 + self.pipeline.map_or(0, crossing);
        let wire = self.channel_delay_of(channel);
        match self.is_from_port(network, channel) {
            true => Some(wire),
            false => (!self.is_to_port(network, channel)).then_some(from_switch + wire),
        }
    }

    /// Lists the periods of all channels of `network` one by one where those of ports, which take a flit a cycle,
    /// differ from the rest.
    pub fn set_periods_of_ports(&mut self, network: &Network) {
        if self.terminal_ports && self.channel_period_max() > 1 {
            let period = |channel| {
                let is_port =
                    self.is_from_port(network, channel) || self.is_to_port(network, channel);
                if is_port {
                    1
                } else {
                    self.channel_period_of(channel)
                }
            };
            let channels = (0..network.channels()).map(ChannelId);
            self.channel_periods = channels.map(period).collect();
        }
    }

    /// No wire of a terminal's port takes longer.
    pub(crate) fn port_wire_max(&self) -> u32 {
        if self.terminal_ports {
            self.channel_delay.most()
        } else {
            0
        }
    }

    /// With [`terminal_ports`](Self::terminal_ports), the first terminal of `network` that cannot be a port.
    pub fn first_that_is_no_port(&self, network: &Network) -> Option<NodeId> {
        let is_router = |node: NodeId| node.0 >= network.terminals();
        let is_port = |node: &NodeId| {
            let (out, into) = (network.outgoing(*node), network.incoming(*node));
            out.len() == 1
                && into.len() == 1
                && is_router(network.target(ChannelId(out.start)))
                && is_router(network.source(into[0]))
        };
        let terminals = 0..if self.terminal_ports {
            network.terminals()
        } else {
            0
        };
        terminals.map(NodeId).find(|node| !is_port(node))
    }

    /// All options that do not go together.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let wormhole = self.flow_control == FlowControl::Wormhole;
        let found =
            |wrong: bool, key, message, help| wrong.then_some(Contradiction { key, message, help });
        let all = [
            found(
                self.pipeline.is_some() && self.flow_control == FlowControl::StoreAndForward,
                "pipeline",
                "a router in stages does not store and forward",
                "`flow_control = \"wormhole\"` or `\"virtual-cut-through\"`, or `delay` in place of \
                 `pipeline`",
            ),
            found(
                self.speculative && self.pipeline.is_none(),
                "speculative",
                "a head can bid before it has a virtual channel only where that takes a stage",
                "`pipeline = { routing = 1, vc_allocation = 1, switch_allocation = 1, traversal = 1 }`",
            ),
            found(
                self.vc_allocator.is_some() && !wormhole,
                "vc_allocator",
                "where a head claims room for its whole packet, heads are served one after another",
                "leave `vc_allocator` out, or `flow_control = \"wormhole\"`",
            ),
            found(
                self.input_arbiter == InputArbiter::RoundRobin
                    && self.switch_matching().looks_at_all()
                    && self.begins(self.switch_allocator) != Begins::OneFurther,
                "input_arbiter",
                "an allocator that looks at all bids goes by who has waited longest",
                "leave `input_arbiter` out, or another `switch_allocator`; `wavefront = \"rotating\"` or \
                 `maximum = \"rotating\"` beside that one",
            ),
            found(
                self.keys_of_starts().next().is_some()
                    && (self.crossbar, self.injection, self.ejection)
                        != (Crossbar::Port, Port::Channel, Port::Channel),
                self.keys_of_starts().next().unwrap_or_default(),
                "the ports by whose numbers the allocator begins take a flit a cycle",
                "leave that key, or `crossbar`, `injection` and `ejection` out",
            ),
            found(
                self.input_speedup > 1 && self.crossbar == Crossbar::Vc,
                "input_speedup",
                "each virtual channel has its own way into the switch",
                "leave `input_speedup` out, or `crossbar = \"port\"`",
            ),
            found(
                !self.interleave_flits && !wormhole,
                "interleave_flits",
                "where a head claims room for its whole packet, packets share a channel",
                "leave `interleave_flits` out, or `flow_control = \"wormhole\"`",
            ),
            found(
                !self.interleave_flits && self.vc_allocator.is_some(),
                "interleave_flits",
                "where a packet has a channel to itself, heads are served one after another",
                "leave `interleave_flits` or `vc_allocator` out",
            ),
        ];
        let all = all.into_iter().chain(self.contradictions_of_requests());
        let all = all.chain(self.contradictions_of_terminals());
        let all = all.chain(self.contradictions_of_sharing());
        let all = all.chain(self.contradictions_of_queues());
        all.flatten().collect()
    }

    /// Those of the channels of which a head asks for virtual channels.
    fn contradictions_of_requests(&self) -> [Option<Contradiction>; 2] {
        let found =
            |wrong: bool, key, message, help| wrong.then_some(Contradiction { key, message, help });
        [
            found(
                self.asks_for_all() && self.vc_allocator.is_none(),
                "vc_requests",
                "without `vc_allocator`, heads are served one after another, and each takes the channel that \
                 `selection` picks",
                "add `vc_allocator = \"separable-input-first\"`, or leave `vc_requests` out",
            ),
            found(
                self.asks_for_all() && self.vc_allocator.is_some() && self.speculative,
                "vc_requests",
                "a head that bids for the switch before it has a virtual channel bids for one output",
                "leave `speculative` or `vc_requests` out",
            ),
        ]
    }

    /// Those of the ways to and from terminals.
    fn contradictions_of_terminals(&self) -> [Option<Contradiction>; 6] {
        let found =
            |wrong: bool, key, message, help| wrong.then_some(Contradiction { key, message, help });
        [
            found(
                self.ejection_vcs > 0 && self.ejection == Port::Unlimited,
                "ejection_vcs",
                "a terminal that takes all flits at once has no virtual channels to wait for",
                "leave `ejection_vcs` out, or `ejection = \"channel\"`",
            ),
            found(
                self.injection_buffers && self.injection == Port::Unlimited,
                "injection_buffers",
                "a source that sends flit by flit sends one a cycle",
                "`injection = \"channel\"`, or leave `injection_buffers` out",
            ),
            found(
                self.injection_buffers && self.pipeline.is_none(),
                "injection_buffers",
                "sources with buffers feed routers in stages",
                "add `pipeline = {}`, or leave `injection_buffers` out",
            ),
            found(
                self.terminal_ports && !self.injection_buffers,
                "terminal_ports",
                "a terminal sends flit by flit into its port",
                "add `injection_buffers = true`, or leave `terminal_ports` out",
            ),
            found(
                self.terminal_ports && self.ejection == Port::Unlimited,
                "ejection",
                "a terminal at a port takes one flit a cycle",
                "leave `ejection` or `terminal_ports` out",
            ),
            found(
                self.terminal_ports && self.ejection_vcs > 0,
                "ejection_vcs",
                "the way to a terminal at a port is a channel, with `virtual_channels`",
                "leave `ejection_vcs` or `terminal_ports` out",
            ),
        ]
    }
}
