//! Routers in stages, and the allocators and terminals' ports of the field: the oracle's third phase
//! for them, from the sentences of `docs/flow.md`.

use super::Oracle;
use super::at_once::{Cell, Wave, choose};
use super::claim::{Open, Waiting};
use super::router::Output;
use crate::common::{mask_of, vcs_of};
use flitsim_engine::random::{Purpose, draw};
use flitsim_engine::routing::VcMask;
use flitsim_engine::{
    Allocator, Arbiter, Candidate, Candidates, EngineConfig, Matching, MatchingStart, Routing,
    VcReallocation, VcRequests,
};
use flitsim_topology::ChannelId;
use std::collections::BTreeSet;

/// A head with what it could claim: virtual channels of a channel, or of the way to the terminal.
#[derive(Clone, Debug)]
struct Request {
    waiting: Waiting,
    channel: Option<ChannelId>,
    /// The output, and of it the virtual channels.
    output: usize,
    vcs: VcMask,
    /// How late the relation names them.
    priority: u8,
}

/// A head that bids for an output before it has a virtual channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub port: usize,
    pub vc: u32,
    pub output: usize,
}

impl Oracle<'_> {
    /// The arbiters of an allocator: iSLIP takes turns, PIM draws; the others as asked for, or as
    /// `allocator` says.
    pub(super) fn arbiter_of(&self, matching: Option<Matching>) -> Arbiter {
        match (matching, self.config.arbiter, self.config.allocator) {
            (Some(Matching::Islip { .. }), ..) => Arbiter::RoundRobin,
            (Some(Matching::Wavefront | Matching::Maximum), ..) => Arbiter::RoundRobin,
            (Some(Matching::Pim { .. }), ..) => Arbiter::Random,
            (_, Some(arbiter), _) => arbiter,
            (_, None, Allocator::RoundRobin | Allocator::Islip { .. }) => Arbiter::RoundRobin,
            (_, None, Allocator::Random) => Arbiter::Random,
            (_, None, Allocator::OldestFirst) => Arbiter::OldestFirst,
        }
    }

    /// Cycles after the one in which a head comes to the front until it may get a virtual channel.
    pub(super) fn head_start(&self) -> u64 {
        let stages = self.config.pipeline;
        stages.map_or(0, |s| u64::from(s.routing + s.vc_allocation) - 1)
    }

    /// Heads get virtual channels. Those that bid for the switch at the same time come back.
    pub(super) fn claim_in_stages(&mut self, router: usize) -> Vec<Guess> {
        let mut guesses = Vec::new();
        let mut requests = Vec::new();
        for waiting in self.waiting_in_order(router) {
            if self.config.vc_requests == VcRequests::AllChannels
                && self.packets[waiting.packet].destination != self.routers[router].node
            {
                requests.extend(self.requests_for_all(router, waiting));
                continue;
            }
            let Some(request) = self.request(router, waiting) else {
                continue;
            };
            if self.guesses(router, &request) {
                guesses.push(Guess {
                    port: waiting.port,
                    vc: waiting.vc,
                    output: request.output,
                });
            }
            match self.config.vc_allocator {
                Some(_) => requests.push(request),
                None => {
                    let vc = self.most_room(router, &request);
                    self.give(router, &request, vc);
                }
            }
        }
        if let Some(matching @ (Matching::Wavefront | Matching::Maximum)) = self.config.vc_allocator
        {
            self.match_heads_at_once(router, &requests, matching);
        } else if let Some(matching) = self.config.vc_allocator {
            self.match_heads(router, requests, matching);
        }
        guesses
    }

    /// What a head asks for; `None` where nothing is free for it, or nothing needs to be asked.
    fn request(&mut self, router: usize, waiting: Waiting) -> Option<Request> {
        let node = self.routers[router].node;
        if self.packets[waiting.packet].destination == node {
            let output = self.routers[router].output_index(Output::Ejection);
            if self.config.ejection_vcs == 0 {
                self.has_output(router, waiting, Output::Ejection);
                return None;
            }
            let sender = &self.routers[router].to_terminal;
            let is_taken = !self.config.interleave_flits && sender.claimed.contains(&true);
            let is_free = |&vc: &u32| {
                let emptied = self.config.vc_reallocation == VcReallocation::NonAtomic
                    || sender.taken(vc) == 0;
                !sender.claimed[vc as usize] && emptied && !is_taken
            };
            let vcs = mask_of((0..self.config.ejection_vcs).filter(is_free));
            return (vcs != 0).then_some(Request {
                waiting,
                channel: None,
                output,
                vcs,
                priority: 0,
            });
        }
        let Some(Open { channel, vcs }) = self.choose(router, waiting) else {
            self.keep(router, waiting);
            return None;
        };
        let output = self.routers[router].output_index(Output::Channel(channel, 0));
        Some(Request {
            waiting,
            channel: Some(channel),
            output,
            vcs,
            priority: 0,
        })
    }

    /// What a head asks for that asks for all that the relation offers.
    fn requests_for_all(&self, router: usize, waiting: Waiting) -> Vec<Request> {
        let mut candidates = Candidates::default();
        self.routing
            .route(self.head(router, waiting), &mut candidates);
        let request = |candidate: &Candidate| {
            let Open { channel, vcs } = self.open(candidate, router, waiting);
            Request {
                waiting,
                channel: Some(channel),
                output: self.routers[router].output_index(Output::Channel(channel, 0)),
                vcs,
                priority: candidate.priority,
            }
        };
        let all = candidates.as_slice().iter().map(request);
        let mut free: Vec<Request> = all.filter(|request| request.vcs != 0).collect();
        if let Some(Matching::SeparableInputFirst | Matching::SeparableOutputFirst) =
            self.config.vc_allocator
        {
            let first = free.iter().map(|request| request.priority).min();
            free.retain(|request| Some(request.priority) == first);
        }
        free
    }

    /// A wavefront that passes by who has waited goes over what relations name first before all else.
    fn lateness(&self, request: &Request) -> u8 {
        let passes_by = self.config.wavefront == MatchingStart::Rotating;
        match self.config.vc_allocator {
            Some(Matching::Wavefront) if passes_by => request.priority,
            _ => 0,
        }
    }

    pub(super) fn credits(&self, router: usize, channel: Option<ChannelId>, vc: u32) -> u32 {
        let sender = match channel {
            Some(channel) => &self.senders[channel.index()],
            None => &self.routers[router].to_terminal,
        };
        sender.credits(vc)
    }

    /// Speculative: a head bids while it asks, once that stage may be over, if there is room for it.
    fn guesses(&self, router: usize, request: &Request) -> bool {
        let Some(stages) = self.config.pipeline.filter(|_| self.config.speculative) else {
            return false;
        };
        let Waiting { port, vc, .. } = request.waiting;
        let came = self.routers[router].vc(port, vc).front_since();
        let mut room = vcs_of(request.vcs).map(|vc| self.credits(router, request.channel, vc));
        self.cycle + 1 >= came + u64::from(stages.routing + stages.switch_allocation)
            && room.any(|credits| credits > 0)
    }

    /// The virtual channel with the most credits; among equals the next in turn.
    fn most_room(&self, router: usize, request: &Request) -> u32 {
        let turn = match request.channel {
            Some(channel) => self.senders[channel.index()].vc_pointer,
            None => self.routers[router].to_terminal.vc_pointer,
        };
        let key = |&vc: &u32| {
            let credits = self.credits(router, request.channel, vc);
            (u32::MAX - credits, vc < turn, vc)
        };
        let best = vcs_of(request.vcs).min_by_key(key);
        best.expect("a virtual channel")
    }

    /// A head gets `vc` of what it asked for.
    fn give(&mut self, router: usize, request: &Request, vc: u32) {
        let waiting = request.waiting;
        match request.channel {
            Some(channel) => {
                self.claim_vc(router, waiting, channel, vc);
                self.has_output(router, waiting, Output::Channel(channel, vc));
            }
            None => {
                let sender = &mut self.routers[router].to_terminal;
                assert!(!sender.claimed[vc as usize]);
                sender.claimed[vc as usize] = true;
                sender.vc_pointer = vc + 1;
                self.has_output(router, waiting, Output::Terminal(vc));
            }
        }
    }

    fn has_output(&mut self, router: usize, waiting: Waiting, output: Output) {
        let input = self.routers[router].vc_mut(waiting.port, waiting.vc);
        input.fronted = input.front_since();
        input.output = Some(output);
        input.came = None;
        input.claimed = self.cycle;
    }

    /// Heads, who came first before others, and for each virtual channels in turn.
    fn match_heads_at_once(&mut self, router: usize, asking: &[Request], matching: Matching) {
        let r = &self.routers[router];
        let is_rotated = self.is_rotated(matching);
        let mut cells = Vec::new();
        let mut who = Vec::new();
        for request in asking {
            let waiting = request.waiting;
            let came = r.vc(waiting.port, waiting.vc).front_since();
            for vc in vcs_of(request.vcs) {
                let (is_passed, output, vc) = self.order_at_head(router, request, vc);
                let turn = is_passed << 32 | (output as u64) << 8 | u64::from(vc);
                cells.push(Cell {
                    age: (came, u64::from(waiting.local), turn),
                    is_guess: false,
                    lateness: self.lateness(request),
                    row: waiting.local,
                    column: request.output as u32 * r.stride + vc,
                    numbers: match is_rotated {
                        false => (waiting.local, request.output as u32 * r.stride + vc),
                        true => self.numbers_of_vcs(router, request, vc),
                    },
                    is_shared: false,
                });
                who.push((request, vc));
            }
        }
        let side = self.ports_at(router) * r.stride;
        let wave = match cells.is_empty() {
            true => None,
            false => self.rotated(router, matching, 0, self.vcs_a_port()),
        };
        let wave = wave.unwrap_or(Wave::FromOldest { side });
        for cell in choose(&cells, matching, wave, false) {
            let (request, vc) = who[cell];
            self.give(router, request, vc);
            self.turn_vcs(router, request, vc);
        }
    }

    fn vcs_a_port(&self) -> u32 {
        let EngineConfig {
            virtual_channels,
            injection_vcs,
            ejection_vcs,
            ..
        } = self.config;
        virtual_channels.max(injection_vcs).max(ejection_vcs)
    }

    fn numbers_of_vcs(&self, router: usize, request: &Request, vc: u32) -> (u32, u32) {
        let (waiting, vcs) = (request.waiting, self.vcs_a_port());
        (
            self.number_in(router, waiting.port) * vcs + waiting.vc,
            self.number_out(router, request.output) * vcs + vc,
        )
    }

    /// Ports of a router, a terminal's counted: ways in or ways out, whichever are more.
    pub(super) fn ports_at(&self, router: usize) -> u32 {
        let node = self.routers[router].node;
        let into = self.network.incoming(node).len();
        into.max(self.network.outgoing(node).len()) as u32 + 1
    }

    /// Rounds in which virtual channels take heads, and heads virtual channels.
    fn match_heads(&mut self, router: usize, mut asking: Vec<Request>, matching: Matching) {
        let rounds = match matching {
            Matching::Islip { iterations } | Matching::Pim { iterations } => iterations,
            _ => 1,
        };
        let heads: BTreeSet<u32> = asking.iter().map(|request| request.waiting.local).collect();
        let contested = contested(&asking);
        for round in 1..=rounds {
            self.routers[router].round = round;
            // Output, virtual channel and request.
            let mut put: Vec<(usize, u32, usize)> = Vec::new();
            for &head in &heads {
                let requests = asking.iter().enumerate();
                let own = requests.filter(|(_, request)| request.waiting.local == head);
                let of_head = own.flat_map(|(index, request)| {
                    vcs_of(request.vcs).map(move |vc| (request.output, vc, index))
                });
                if matching == Matching::SeparableInputFirst {
                    let order = |&(_, vc, index): &(_, u32, usize)| {
                        self.order_at_head(router, &asking[index], vc)
                    };
                    put.extend(of_head.min_by_key(order));
                } else {
                    put.extend(of_head);
                }
            }
            put.sort_unstable();
            // Head, request and virtual channel.
            let mut granted: Vec<(u32, usize, u32)> = Vec::new();
            for of_vc in put.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let vc = of_vc[0].1;
                let heads = of_vc.iter().map(|&(.., index)| index);
                let order = |&index: &usize| self.order_at_vc(router, &asking[index], vc);
                let first = heads.min_by_key(order).expect("a head");
                granted.push((asking[first].waiting.local, first, vc));
            }
            granted.sort_unstable();
            for of_head in granted.chunk_by(|a, b| a.0 == b.0) {
                let order = |&&(_, index, vc): &&(u32, usize, u32)| {
                    self.order_at_head(router, &asking[index], vc)
                };
                let &(_, index, vc) = of_head.iter().min_by_key(order).expect("a grant");
                self.give(router, &asking[index], vc);
                if round == 1 {
                    self.turn_vcs(router, &asking[index], vc);
                    let is_other = |grant: &&(u32, usize, u32)| (grant.1, grant.2) != (index, vc);
                    for &(_, index, vc) in of_head.iter().filter(is_other) {
                        let request = &asking[index];
                        if contested.contains(&request.output) {
                            self.decline(router, request, vc);
                        }
                    }
                }
            }
            asking.retain(|request| {
                let head = request.waiting.local;
                granted.iter().all(|&(served, ..)| served != head)
            });
            for request in &mut asking {
                let claimed = match request.channel {
                    Some(channel) => &self.senders[channel.index()].claimed,
                    None => &self.routers[router].to_terminal.claimed,
                };
                request.vcs = mask_of(vcs_of(request.vcs).filter(|&vc| !claimed[vc as usize]));
            }
        }
        // As many rounds as heads leave nobody beside a virtual channel that is free for it.
        let is_served = |request: &Request| request.vcs == 0;
        assert!((rounds as usize) < heads.len() || asking.iter().all(is_served));
    }

    fn turn_vcs(&mut self, router: usize, request: &Request, vc: u32) {
        let local = request.waiting.local;
        let now = self.cycle + 1;
        let is_matrix = self.arbiter_of(self.config.vc_allocator) == Arbiter::Matrix;
        let (port, in_vc) = (request.waiting.port, request.waiting.vc);
        self.routers[router].vc_mut(port, in_vc).vc_turn = (request.output, vc + 1);
        let sender = match request.channel {
            Some(channel) => &mut self.senders[channel.index()],
            None => &mut self.routers[router].to_terminal,
        };
        sender.declined[vc as usize] = 0;
        sender.turns[vc as usize] = local + 1;
        if is_matrix {
            sender.taken.insert((vc, local), now);
        }
    }

    /// A head that was to have `vc` takes another. When so many in a row have, it is the turn of those behind.
    fn decline(&mut self, router: usize, request: &Request, vc: u32) {
        let sender = match request.channel {
            Some(channel) => &mut self.senders[channel.index()],
            None => &mut self.routers[router].to_terminal,
        };
        let declined = &mut sender.declined[vc as usize];
        *declined += 1;
        if *declined == 16 {
            *declined = 0;
            sender.turns[vc as usize] = request.waiting.local + 1;
        }
    }

    fn order_at_head(&self, router: usize, request: &Request, vc: u32) -> (u64, usize, u32) {
        let r = &self.routers[router];
        let sender = match request.channel {
            Some(channel) => &self.senders[channel.index()],
            None => &r.to_terminal,
        };
        let Waiting {
            port,
            vc: in_vc,
            local,
            ..
        } = request.waiting;
        let place = (request.output, vc);
        let first = match self.arbiter_of(self.config.vc_allocator) {
            Arbiter::Random if self.draws_places(self.config.vc_allocator) => {
                let (_, number) = self.numbers_of_vcs(router, request, vc);
                let who = (Purpose::VcInput, local);
                let (is_passed, number) = self.drawn_turn(router, who, number, self.vcs_a_port());
                u64::from(is_passed) << 32 | u64::from(number)
            }
            Arbiter::Random => {
                let number = request.output as u32 * r.stride + vc;
                let index = local | number << 16;
                draw(self.seed, Purpose::VcInput, r.node.0, self.cycle, index)
            }
            Arbiter::Matrix => sender.taken.get(&(vc, local)).copied().unwrap_or(0),
            Arbiter::RoundRobin | Arbiter::OldestFirst => {
                u64::from(place < r.vc(port, in_vc).vc_turn)
            }
        };
        (first, place.0, place.1)
    }

    fn order_at_vc(&self, router: usize, request: &Request, vc: u32) -> (u64, u32, u32) {
        let r = &self.routers[router];
        let local = request.waiting.local;
        let sender = match request.channel {
            Some(channel) => &self.senders[channel.index()],
            None => &r.to_terminal,
        };
        match self.arbiter_of(self.config.vc_allocator) {
            Arbiter::RoundRobin => (u64::from(local < sender.turns[vc as usize]), local, 0),
            Arbiter::Matrix => (
                sender.taken.get(&(vc, local)).copied().unwrap_or(0),
                local,
                0,
            ),
            Arbiter::OldestFirst => {
                let identity = self.packets[request.waiting.packet].identity;
                (identity.created, identity.source, local)
            }
            Arbiter::Random if self.draws_places(self.config.vc_allocator) => {
                let (number, _) = self.numbers_of_vcs(router, request, vc);
                let who = (Purpose::VcOrder, request.output as u32 * r.stride + vc);
                let (is_passed, number) = self.drawn_turn(router, who, number, self.vcs_a_port());
                (u64::from(is_passed), number, 0)
            }
            Arbiter::Random => {
                let index = local | (request.output as u32 * r.stride + vc) << 16;
                let word = draw(self.seed, Purpose::VcOrder, r.node.0, self.cycle, index);
                (word, local, 0)
            }
        }
    }
}

/// Outputs where a grant that is declined counts: those that several heads ask for; all, where a head asks for several.
fn contested(asking: &[Request]) -> BTreeSet<usize> {
    let heads: BTreeSet<u32> = asking.iter().map(|request| request.waiting.local).collect();
    let has_choice = heads.len() < asking.len();
    let is_contested = |&output: &usize| {
        has_choice
            || asking
                .iter()
                .filter(|request| request.output == output)
                .count()
                > 1
    };
    (asking.iter().map(|request| request.output))
        .filter(is_contested)
        .collect()
}
