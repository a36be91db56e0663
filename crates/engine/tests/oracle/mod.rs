//! The oracle: a slow simulator with an object for each router, which follows the definition of a
//! cycle in `docs/flow.md` word for word. The engine must equal it, flit for flit.
//!
//! It shares with the engine the definitions of a configuration, of routing relations and of
//! random draws, and nothing of how a cycle is computed.

#![allow(dead_code, reason = "each test uses a part")]

use crate::common::any::Any;
use flitsim_engine::random::below;
use flitsim_engine::routing::Knowledge;
use flitsim_engine::{EngineConfig, FlowControl, NewPacket, Routing, VcReallocation};
use flitsim_topology::{ChannelId, Network, NodeId};
use log::{Event, Identity, What};
use router::{Flit, Output, Packet, Router, Sender};
use std::collections::VecDeque;
use switch::Move;

mod at_once;
pub mod case;
mod claim;
pub mod log;
pub mod options;
mod ports;
mod queues;
pub mod relation;
mod rotation;
mod router;
mod self_tests;
mod stages;
mod stages_switch;
mod switch;

/// Totals since cycle 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Packets that terminals created.
    pub packets_offered: u64,
    /// Packets that entered an injection virtual channel.
    pub packets_entered: u64,
    /// Packets whose tail left for its terminal.
    pub packets_delivered: u64,
    /// Flits of the packets that terminals created.
    pub flits_offered: u64,
    /// Flits that left for their terminal.
    pub flits_ejected: u64,
    /// Flits that left over a channel.
    pub flit_hops: u64,
}

/// A source that sends flit by flit.
#[derive(Clone, Copy, Debug, Default)]
struct Feed {
    packet: Option<usize>,
    sent: u32,
    vc: u32,
}

/// A flit on its way to a terminal.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    router: usize,
    packet: usize,
    head: bool,
    tail: bool,
}

/// The simulator.
pub struct Oracle<'n> {
    network: &'n Network,
    routing: Any<'n, false, true>,
    /// What it knows of queues, if it is one that looks at them.
    looks: Option<Knowledge>,
    config: EngineConfig,
    /// Whether a channel takes a flit in some cycles only.
    has_slow_channels: bool,
    seed: u64,
    /// The internal cycle of routers, of which `internal_speedup` are a cycle of channels, sources and terminals.
    cycle: u64,
    routers: Vec<Router>,
    senders: Vec<Sender>,
    /// What each source is sending, flit by flit, and the virtual channel it took last.
    feeds: Vec<Feed>,
    /// Flits on their way to terminals: the cycle in which they leave for them, and what they are.
    leaving: Vec<(u64, Leaving)>,
    queues: Vec<VecDeque<usize>>,
    created_by: Vec<u32>,
    packets: Vec<Packet>,
    totals: Totals,
    log: Vec<Event>,
}

impl<'n> Oracle<'n> {
    /// An empty network before cycle 0.
    pub fn new<R: Routing>(
        network: &'n Network,
        routing: &'n R,
        config: EngineConfig,
        seed: u64,
    ) -> Self {
        config.validate(network).expect("a valid configuration");
        let nodes = (0..network.nodes()).map(NodeId);
        let sources = network.terminals() as usize;
        let mut channels = (0..network.channels()).map(ChannelId);
        let has_slow_channels = channels.any(|channel| config.channel_period_of(channel) > 1);
        Self {
            network,
            routing: Any::new(routing),
            looks: routing.looks().filter(|_| R::LOOKS),
            has_slow_channels,
            seed,
            cycle: 0,
            routers: nodes.map(|n| Router::new(network, n, &config)).collect(),
            senders: vec![
                Sender::new(&config, config.virtual_channels);
                network.channels() as usize
            ],
            feeds: vec![Feed::default(); sources],
            leaving: Vec::new(),
            queues: vec![VecDeque::new(); sources],
            created_by: vec![0; sources],
            packets: Vec::new(),
            totals: Totals::default(),
            log: Vec::new(),
            config,
        }
    }

    /// The cycle that the next step simulates.
    pub fn cycle(&self) -> u64 {
        self.cycle / self.internal()
    }

    fn internal(&self) -> u64 {
        u64::from(self.config.internal_speedup)
    }

    /// Totals since cycle 0.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// What happened so far.
    pub fn log(&self) -> &[Event] {
        &self.log
    }

    /// Whether every packet created has left for its terminal.
    pub fn is_idle(&self) -> bool {
        self.totals.packets_delivered == self.totals.packets_offered
    }

    /// Simulates one cycle, in which the packets `offers` are created.
    pub fn step(&mut self, offers: &[NewPacket]) {
        self.deliver_credits();
        for offer in offers {
            self.create(offer);
        }
        self.reach_terminals();
        for source in 0..self.queues.len() {
            match self.config.injection_buffers {
                false => self.inject(source),
                true if self.config.terminal_ports => self.feed_port(source),
                true => self.feed(source),
            }
        }
        for _ in 0..self.internal() {
            self.step_of_routers();
        }
    }

    /// Simulates one internal cycle.
    fn step_of_routers(&mut self) {
        self.decide();
        let mut moves = Vec::new();
        // A router with no flit at its inputs, or on the way to them, claims and moves nothing.
        let all = 0..self.routers.len();
        let busy: Vec<usize> = all.filter(|&r| !self.routers[r].is_empty()).collect();
        if self.config.is_staged() {
            let guesses = busy.iter().map(|&router| self.claim_in_stages(router));
            let guesses: Vec<_> = guesses.collect();
            for (&router, guesses) in busy.iter().zip(&guesses) {
                moves.extend(self.switch_in_stages(router, guesses));
            }
        } else {
            for &router in &busy {
                self.claim_outputs(router);
            }
            for &router in &busy {
                moves.extend(self.allocate_switch(router));
            }
        }
        for flit in moves {
            if self.has_room_left(&flit) {
                self.traverse(flit);
            } else if flit.is_guess {
                self.has_its_turn(&flit);
            }
        }
        if (self.cycle + 1).is_multiple_of(self.internal()) {
            self.send_credits();
            self.take_from_queues();
        }
        self.cycle += 1;
    }

    /// Flits need no delivery: each carries the cycle from which it is seen.
    fn deliver_credits(&mut self) {
        let now = self.cycle();
        for sender in &mut self.senders {
            sender.deliver(now);
        }
        for router in &mut self.routers {
            router.to_terminal.deliver(now);
            router.from_source.deliver(now);
        }
    }

    /// Flits that are at the end of the way to their terminal.
    fn reach_terminals(&mut self) {
        let all = std::mem::take(&mut self.leaving);
        for (cycle, flit) in all {
            match cycle == self.cycle() {
                true => self.eject(flit),
                false => self.leaving.push((cycle, flit)),
            }
        }
    }

    fn create(&mut self, new: &NewPacket) {
        let (source, destination) = (new.source, new.destination);
        let choices = self.routing.choices(source, destination);
        let choice = below(new.entropy, choices);
        let looks = self.looks.is_some();
        let created = self.cycle();
        let order = &mut self.created_by[source.index()];
        let identity = Identity {
            source: source.0,
            created,
            order: *order,
        };
        *order += 1;
        self.queues[source.index()].push_back(self.packets.len());
        self.packets.push(Packet {
            identity,
            destination,
            flits: new.flits,
            entered: None,
            state: match looks {
                true => 0,
                false => self.routing.initial(source, destination, choice),
            },
            drawn: looks.then_some(choice),
            hops: 0,
        });
        self.totals.packets_offered += 1;
        self.totals.flits_offered += u64::from(new.flits);
    }

    /// Moves packets from the queue of `source` into free injection virtual channels.
    fn inject(&mut self, source: usize) {
        let injection = self.routers[source].ports.last_mut().expect("a terminal");
        assert!(injection.channel.is_none());
        for vc in &mut injection.vcs {
            if !vc.flits.is_empty() {
                continue;
            }
            let Some(packet) = self.queues[source].pop_front() else {
                return;
            };
            let p = &mut self.packets[packet];
            p.entered = Some(self.cycle);
            let routed = p.identity.created + u64::from(self.config.delay) - 1;
            // In stages a head's time begins at the front.
            let ready = match self.config.pipeline {
                None => routed.max(self.cycle),
                Some(_) => self.cycle,
            };
            vc.flits.extend((0..p.flits).map(|number| Flit {
                packet,
                number,
                ready,
            }));
            self.totals.packets_entered += 1;
            self.log.push(Event {
                cycle: self.cycle,
                what: What::Entered,
                packet: p.identity,
            });
        }
    }

    /// The source sends the next flit of the packet that it is sending, or the head of the first in its
    /// queue: on the virtual channel after the one taken last that has room, going round.
    fn feed(&mut self, source: usize) {
        let vcs = self.config.injection_vcs;
        let now = self.cycle();
        let router = &mut self.routers[source];
        let has_room = |vc: &u32| router.from_source.credits(*vc) > 0;
        let keeps_apart = self.config.vc_reallocation == VcReallocation::Atomic;
        let may_start =
            |vc: &u32| has_room(vc) && !(keeps_apart && router.from_source.taken(*vc) > 0);
        let mut feed = self.feeds[source];
        let packet = match feed.packet {
            Some(packet) if has_room(&feed.vc) => packet,
            Some(_) => return,
            None => {
                let mut in_turn = (1..=vcs).map(|n| (feed.vc + n) % vcs);
                let (Some(&first), Some(vc)) =
                    (self.queues[source].front(), in_turn.find(may_start))
                else {
                    return;
                };
                self.queues[source].pop_front();
                feed = Feed {
                    packet: Some(first),
                    sent: 0,
                    vc,
                };
                first
            }
        };
        let p = &mut self.packets[packet];
        if feed.sent == 0 {
            p.entered = Some(now);
            self.totals.packets_entered += 1;
            self.log.push(Event {
                cycle: now,
                what: What::Entered,
                packet: p.identity,
            });
        }
        router.from_source.take(feed.vc);
        let port = router.ports.len() - 1;
        router.vc_mut(port, feed.vc).flits.push_back(Flit {
            packet,
            number: feed.sent,
            ready: self.cycle,
        });
        feed.sent += 1;
        if feed.sent == p.flits {
            feed.packet = None;
        }
        self.feeds[source] = feed;
    }

    /// Whether the channel has a terminal at that end which is a port.
    fn is_port(&self, node: NodeId) -> bool {
        self.config.terminal_ports && node.0 < self.network.terminals()
    }

    /// Cycles from the switch to the last on the way to a terminal; with internal cycles from behind the switch.
    fn way_out(&self) -> u64 {
        match (self.config.pipeline, self.internal()) {
            (None, _) => 0,
            (Some(stages), 1) => u64::from(stages.traversal) + 1,
            _ => 1,
        }
    }

    fn traverse(&mut self, flit: Move) {
        if self.config.is_staged() {
            self.has_its_turn(&flit);
        }
        let Move {
            router, port, vc, ..
        } = flit;
        let input = self.routers[router].vc_mut(port, vc);
        let flit = input.flits.pop_front().expect("a flit to move");
        let output = input.output.expect("an output to move to");
        let flits = self.packets[flit.packet].flits;
        let (head, tail) = (flit.number == 0, flit.number + 1 == flits);
        input.left = self.cycle + 1;
        input.holder.1 = flit.number + 1;
        let has_next = input.front(self.cycle).is_some() && !tail;
        if tail {
            input.output = None;
        }
        if self.config.hold_switch && has_next {
            self.routers[router].held.push((port, vc));
        }
        let is_injection = self.routers[router].ports[port].channel.is_none();
        if !is_injection || self.config.injection_buffers {
            let freed = (self.cycle, vc);
            self.routers[router].ports[port].freed.push(freed);
        }
        match output {
            Output::Channel(channel, vc) => {
                let sender = &mut self.senders[channel.index()];
                sender.take(vc);
                sender.claimed[vc as usize] &= !tail;
                self.packets[flit.packet].hops += u32::from(head);
                self.sent(flit.packet, channel, vc, head, tail);
            }
            Output::Terminal(vc) => {
                let sender = &mut self.routers[router].to_terminal;
                sender.take(vc);
                sender.claimed[vc as usize] &= !tail;
            }
            Output::Ejection => {}
        }
        match self.has_queues() && output != Output::Ejection {
            true => self.queue_up(router, flit, output),
            false => self.set_off(router, flit, output),
        }
    }

    /// A flit that has won the switch is on its way.
    fn set_off(&mut self, router: usize, flit: Flit, output: Output) {
        let packet = flit.packet;
        let (head, tail) = (
            flit.number == 0,
            flit.number + 1 == self.packets[packet].flits,
        );
        match output {
            Output::Channel(channel, vc) if self.is_port(self.network.target(channel)) => {
                self.send_out_of_port(packet, channel, vc, head, tail);
            }
            Output::Channel(channel, vc) => self.send(flit, channel, vc, head, tail),
            Output::Ejection | Output::Terminal(_) => {
                let way_out = self.way_out();
                let flit = Leaving {
                    router,
                    packet,
                    head,
                    tail,
                };
                if let Output::Terminal(vc) = output {
                    let due = self.cycle() + way_out + 1 + u64::from(self.config.credit_delay);
                    self.routers[router].to_terminal.due.push((due, vc));
                }
                match way_out {
                    0 => self.eject(flit),
                    _ => self.leaving.push((self.cycle() + way_out, flit)),
                }
            }
        }
    }

    fn send(&mut self, mut flit: Flit, channel: ChannelId, vc: u32, head: bool, tail: bool) {
        let (now, way_out, internal) = (self.cycle(), self.way_out(), self.internal());
        let config = &self.config;
        let sender = &mut self.senders[channel.index()];
        assert!(sender.next_free <= now);
        sender.next_free = now + u64::from(config.channel_period_of(channel));
        let waits_for_tail = config.flow_control == FlowControl::StoreAndForward;
        let in_router = if head || (tail && waits_for_tail) {
            config.delay
        } else {
            config.body_delay
        };
        let on_wire = config.channel_delay_of(channel);
        flit.ready = match config.pipeline {
            None => now + 1 + u64::from(on_wire + in_router - 1),
            // Through the switch, and a cycle on the channel.
            Some(_) => (now + 1 + way_out + u64::from(on_wire)) * internal,
        };
        let next = &mut self.routers[self.network.target(channel).index()];
        let port = next.ports.iter().position(|p| p.channel == Some(channel));
        let buffer = next.vc_mut(port.expect("the channel's end"), vc);
        if let Some(before) = buffer.flits.back() {
            flit.ready = flit.ready.max(before.ready);
        }
        buffer.flits.push_back(flit);
        let port = &next.ports[port.expect("the channel's end")];
        let held: usize = port.vcs.iter().map(|vc| vc.flits.len()).sum();
        assert!(held <= port.vcs.len() * config.buffer_flits as usize);
    }

    fn eject(&mut self, flit: Leaving) {
        let Leaving {
            router,
            packet,
            head,
            tail,
        } = flit;
        let packet = &self.packets[packet];
        assert_eq!(packet.destination.index(), router);
        self.totals.flits_ejected += 1;
        let node = router as u32;
        self.log.push(Event {
            cycle: self.cycle(),
            what: What::Ejected { node, head, tail },
            packet: packet.identity,
        });
        if tail {
            let arrived = self.cycle() + 1;
            self.totals.packets_delivered += 1;
            self.log.push(Event {
                cycle: arrived,
                what: What::Delivered {
                    latency: arrived - packet.identity.created,
                    network_latency: arrived - packet.entered.expect("an entered packet"),
                    hops: packet.hops,
                },
                packet: packet.identity,
            });
        }
    }
}
