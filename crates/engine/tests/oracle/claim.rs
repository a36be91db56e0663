//! Routing and virtual channel allocation: the oracle's third phase.

use super::Oracle;
use super::router::{Output, Router};
use crate::common::{mask_of, vcs_of};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{Knowledge, Queues, Undecided};
use flitsim_engine::{
    Arbiter, Candidate, Candidates, FlowControl, Head, Routing, Selection, VcMask, VcReallocation,
};
use flitsim_topology::{ChannelId, NodeId};

/// Flits queued, by channel and virtual channel.
struct Queued {
    vcs: usize,
    flits: Vec<u64>,
}

impl Queued {
    fn add(&mut self, channel: ChannelId, vc: u32, flits: u32) {
        assert!((vc as usize) < self.vcs);
        self.flits[channel.index() * self.vcs + vc as usize] += u64::from(flits);
    }
}

impl Queues for Queued {
    fn flits(&self, channel: ChannelId, vcs: VcMask) -> u64 {
        let of_channel = &self.flits[channel.index() * self.vcs..][..self.vcs];
        let asked = (0..).zip(of_channel).filter(|(vc, _)| vcs >> vc & 1 == 1);
        asked.map(|(_, flits)| flits).sum()
    }
}

/// A head at the front of an input virtual channel that has no output yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub port: usize,
    pub vc: u32,
    pub local: u32,
    pub packet: usize,
}

/// A channel that a head may take, with the virtual channels of it that it may claim now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub channel: ChannelId,
    pub vcs: VcMask,
}

impl Oracle<'_> {
    /// Gives outputs to the waiting heads of a router.
    pub(super) fn claim_outputs(&mut self, router: usize) {
        let node = self.routers[router].node;
        let mut waiting = self.waiting_in_order(router);
        for arrived in waiting.extract_if(.., |w| self.packets[w.packet].destination == node) {
            let input = self.routers[router].vc_mut(arrived.port, arrived.vc);
            input.output = Some(Output::Ejection);
            input.came = None;
        }
        for waiting in waiting {
            match self.choose(router, waiting) {
                Some(open) => self.claim_vc(router, waiting, open.channel, self.choose_vc(&open)),
                None => self.keep(router, waiting),
            }
        }
    }

    /// The waiting heads of a router, in the order in which they are served.
    pub(super) fn waiting_in_order(&mut self, router: usize) -> Vec<Waiting> {
        self.note_who_came(router);
        let mut waiting = self.waiting(router);
        let r = &self.routers[router];
        self.put_in_order(r, &mut waiting);
        waiting
    }

    fn waiting(&self, router: usize) -> Vec<Waiting> {
        let r = &self.routers[router];
        let waits_for_tail = self.config.flow_control == FlowControl::StoreAndForward;
        let mut waiting = Vec::new();
        for (port, vc) in r.input_vcs() {
            let input = r.vc(port, vc);
            let Some(front) = input.front(self.cycle) else {
                continue;
            };
            if front.number != 0 || input.output.is_some() {
                continue;
            }
            if self.cycle < input.front_since() + self.head_start() {
                continue;
            }
            let packet = &self.packets[front.packet];
            let whole = || input.visible_of(front.packet, self.cycle) == packet.flits;
            if waits_for_tail && packet.destination != r.node && !whole() {
                continue;
            }
            waiting.push(Waiting {
                port,
                vc,
                local: r.local(port, vc),
                packet: front.packet,
            });
        }
        waiting
    }

    fn put_in_order(&self, r: &Router, waiting: &mut [Waiting]) {
        match self.arbiter_of(self.config.vc_allocator) {
            Arbiter::RoundRobin | Arbiter::Matrix => {
                waiting.sort_by_key(|w| (r.vc(w.port, w.vc).came, w.local));
            }
            Arbiter::Random => waiting.sort_by_key(|w| {
                let word = draw(self.seed, Purpose::VcOrder, r.node.0, self.cycle, w.local);
                (word, w.local)
            }),
            Arbiter::OldestFirst => waiting.sort_by_key(|w| {
                let identity = self.packets[w.packet].identity;
                (identity.created, identity.source, w.local)
            }),
        }
    }

    /// Packets decide on their initial states when their heads ask for a virtual channel for the first time at
    /// a router where there is something to decide: all by what is queued before anything is given in the cycle.
    pub(super) fn decide(&mut self) {
        let Some(knowledge) = self.looks else {
            return;
        };
        let vcs = self.config.virtual_channels as usize;
        let mut queued = Queued {
            vcs,
            flits: vec![0; self.senders.len() * vcs],
        };
        let mut deciding = Vec::new();
        for router in 0..self.routers.len() {
            let node = self.routers[router].node;
            for waiting in self.waiting(router) {
                let packet = &self.packets[waiting.packet];
                match packet.drawn {
                    _ if packet.destination == node => {}
                    Some(choice) => deciding.push((waiting.packet, node, choice)),
                    None => {
                        let mut all = Candidates::default();
                        self.routing.route(self.head(router, waiting), &mut all);
                        let first = all.as_slice()[0];
                        queued.add(first.channel, first.vcs.trailing_zeros(), packet.flits);
                    }
                }
            }
            for (port, vc) in self.routers[router].input_vcs() {
                let input = self.routers[router].vc(port, vc);
                // With all known, heads behind the front count too, but those that have yet to decide.
                let seen = input.flits.iter().filter(|flit| flit.ready <= self.cycle);
                for flit in seen.skip(1).filter(|flit| flit.number == 0) {
                    let packet = &self.packets[flit.packet];
                    let is_through = packet.destination != node && packet.drawn.is_none();
                    if knowledge == Knowledge::Global && is_through {
                        let head = self.head_of(router, port, vc, flit.packet);
                        let mut all = Candidates::default();
                        self.routing.route(head, &mut all);
                        let first = all.as_slice()[0];
                        queued.add(first.channel, first.vcs.trailing_zeros(), packet.flits);
                    }
                }
                if let Some(Output::Channel(channel, out)) = input.output {
                    let (packet, left) = input.holder;
                    queued.add(channel, out, self.packets[packet].flits - left);
                }
            }
        }
        for (channel, sender) in self.senders.iter().enumerate() {
            for vc in 0..self.config.virtual_channels {
                queued.add(ChannelId(channel as u32), vc, sender.taken(vc));
            }
        }
        for (packet, node, choice) in deciding {
            let p = &mut self.packets[packet];
            let (source, destination) = (NodeId(p.identity.source), p.destination);
            let undecided = Undecided {
                node,
                source,
                destination,
                flits: p.flits,
                choice,
            };
            let mut any = Candidates::default();
            if let Some(choice) = self.routing.decide(undecided, &queued, &mut any) {
                p.state = self.routing.initial(source, destination, choice);
                p.drawn = None;
            }
        }
    }

    /// A head comes in the first cycle in which the router sees it at the front.
    pub(super) fn note_who_came(&mut self, router: usize) {
        for port in &mut self.routers[router].ports {
            for vc in &mut port.vcs {
                let is_head = vc.front(self.cycle).is_some_and(|flit| flit.number == 0);
                if is_head && vc.output.is_none() && vc.came.is_none() {
                    vc.came = Some(self.cycle);
                }
            }
        }
    }

    pub(super) fn head(&self, router: usize, waiting: Waiting) -> Head {
        self.head_of(router, waiting.port, waiting.vc, waiting.packet)
    }

    fn head_of(&self, router: usize, port: usize, vc: u32, packet: usize) -> Head {
        let r = &self.routers[router];
        Head {
            node: r.node,
            arrived: r.ports[port].channel.map(|channel| (channel, vc)),
            destination: self.packets[packet].destination,
            state: self.packets[packet].state,
        }
    }

    /// What a head prefers of its candidates with a virtual channel to claim now.
    pub(super) fn choose(&self, router: usize, waiting: Waiting) -> Option<Open> {
        let mut candidates = Candidates::default();
        self.routing
            .route(self.head(router, waiting), &mut candidates);
        let all = candidates.as_slice().iter();
        let open: Vec<(u8, Open)> = all
            .map(|candidate| (candidate.priority, self.open(candidate, router, waiting)))
            .filter(|(_, open)| open.vcs != 0)
            .collect();
        let first = open.iter().map(|&(class, _)| class).min()?;
        let of_class = open.iter().filter(|&&(class, _)| class == first);
        let of_class: Vec<Open> = of_class.map(|&(_, open)| open).collect();
        // A channel is one candidate of a class.
        assert!((1..of_class.len()).all(|i| {
            let channel = of_class[i].channel;
            of_class[..i].iter().all(|before| before.channel != channel)
        }));
        Some(self.choose_channel(router, waiting.local, &of_class))
    }

    /// A head has virtual channel `claimed` of `channel`.
    pub(super) fn claim_vc(
        &mut self,
        router: usize,
        waiting: Waiting,
        channel: ChannelId,
        claimed: u32,
    ) {
        let head = self.head(router, waiting);
        let input = self.routers[router].vc_mut(waiting.port, waiting.vc);
        input.output = Some(Output::Channel(channel, claimed));
        input.holder = (waiting.packet, 0);
        input.came = None;
        if let Some((channel, vc)) = input.keeps.take() {
            self.senders[channel.index()].kept[vc as usize] = false;
        }
        let sender = &mut self.senders[channel.index()];
        sender.claimed[claimed as usize] = true;
        sender.vc_pointer = claimed + 1;
        self.packets[waiting.packet].state = self.routing.advance(head, channel, claimed);
    }

    /// A head for whose whole packet no free virtual channel has room keeps one of them from
    /// others until it has claimed some: of the last candidate that has one, that with the most
    /// credits. It changes over to one with more.
    pub(super) fn keep(&mut self, router: usize, waiting: Waiting) {
        if self.config.flow_control == FlowControl::Wormhole {
            return;
        }
        let mut candidates = Candidates::default();
        self.routing
            .route(self.head(router, waiting), &mut candidates);
        let mut free = candidates.as_slice().iter().map(|candidate| Open {
            channel: candidate.channel,
            vcs: self.free(candidate),
        });
        let Some(open) = free.rfind(|open| open.vcs != 0) else {
            return;
        };
        let kept = self.choose_vc(&open);
        let before = self.routers[router].vc(waiting.port, waiting.vc).keeps;
        if let Some((channel, vc)) = before {
            let credits = self.senders[open.channel.index()].credits(kept);
            let sender = &mut self.senders[channel.index()];
            if credits <= sender.credits(vc) {
                return;
            }
            sender.kept[vc as usize] = false;
        }
        self.senders[open.channel.index()].kept[kept as usize] = true;
        let input = self.routers[router].vc_mut(waiting.port, waiting.vc);
        input.keeps = Some((open.channel, kept));
    }

    /// The virtual channels of a candidate that nobody holds or keeps.
    fn free(&self, candidate: &Candidate) -> VcMask {
        let sender = &self.senders[candidate.channel.index()];
        if !self.config.interleave_flits && sender.claimed.contains(&true) {
            return 0;
        }
        let is_free = |&vc: &u32| {
            let emptied = match self.config.vc_reallocation {
                VcReallocation::NonAtomic => true,
                VcReallocation::Atomic => sender.taken(vc) == 0,
            };
            !sender.claimed[vc as usize] && !sender.kept[vc as usize] && emptied
        };
        mask_of(vcs_of(candidate.vcs).filter(is_free))
    }

    /// The virtual channels of a candidate that a head could claim now.
    pub(super) fn open(&self, candidate: &Candidate, router: usize, waiting: Waiting) -> Open {
        let channel = candidate.channel;
        let mut vcs = self.free(candidate);
        if let Some((at, vc)) = self.routers[router].vc(waiting.port, waiting.vc).keeps
            && at == channel
        {
            vcs |= candidate.vcs & 1 << vc;
        }
        let flits = self.packets[waiting.packet].flits;
        let sender = &self.senders[channel.index()];
        let has_room = |&vc: &u32| sender.credits(vc) >= flits;
        let vcs = match self.config.flow_control {
            FlowControl::Wormhole => vcs,
            FlowControl::VirtualCutThrough | FlowControl::StoreAndForward => {
                mask_of(vcs_of(vcs).filter(has_room))
            }
        };
        Open { channel, vcs }
    }

    fn choose_channel(&self, router: usize, local: u32, open: &[Open]) -> Open {
        let load_of = |open: &Open| -> u32 {
            let sender = &self.senders[open.channel.index()];
            match self.config.selection {
                Selection::Random | Selection::Zigzag => 0,
                Selection::MostCredits => {
                    u32::MAX - vcs_of(open.vcs).map(|vc| sender.credits(vc)).sum::<u32>()
                }
                Selection::LeastLoaded => self.in_use(open.channel),
            }
        };
        if self.config.selection == Selection::Zigzag {
            return open[0];
        }
        let least = open.iter().map(load_of).min();
        let mut equals = open.iter().filter(|open| Some(load_of(open)) == least);
        let node = self.routers[router].node.0;
        let word = draw(self.seed, Purpose::Selection, node, self.cycle(), local);
        let drawn = below(word, equals.clone().count() as u32);
        *equals.nth(drawn as usize).expect("one of the equals")
    }

    /// The virtual channels of a channel that packets hold or keep, or that must be emptied before
    /// another packet may hold them.
    fn in_use(&self, channel: ChannelId) -> u32 {
        let sender = &self.senders[channel.index()];
        let emptying = |&vc: &usize| {
            self.config.vc_reallocation == VcReallocation::Atomic && sender.taken(vc as u32) > 0
        };
        let all = 0..self.config.virtual_channels as usize;
        all.filter(|vc| sender.claimed[*vc] || sender.kept[*vc] || emptying(vc))
            .count() as u32
    }

    pub(super) fn choose_vc(&self, open: &Open) -> u32 {
        let sender = &self.senders[open.channel.index()];
        let most = vcs_of(open.vcs).map(|vc| sender.credits(vc)).max();
        vcs_of(open.vcs)
            .filter(|&vc| Some(sender.credits(vc)) == most)
            .min_by_key(|&vc| (vc < sender.vc_pointer, vc))
            .expect("an open channel has a virtual channel to claim")
    }
}
