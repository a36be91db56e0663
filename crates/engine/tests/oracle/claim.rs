//! Routing and virtual channel allocation: the oracle's third phase.

use super::Oracle;
use super::router::{Output, Packet};
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::{
    Allocator, Candidate, Candidates, FlowControl, Head, Routing, Selection, VcReallocation,
};
use flitsim_topology::ChannelId;
use std::collections::BTreeSet;

/// A head at the front of an input virtual channel that has no output yet.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    port: usize,
    vc: u32,
    local: u32,
    packet: usize,
}

/// A channel that a head may take, with the virtual channels of it that it may claim now.
#[derive(Clone, Debug)]
struct Open {
    channel: ChannelId,
    vcs: Vec<u32>,
}

impl<R: Routing> Oracle<'_, R> {
    /// Serves the waiting heads of a router, one after another.
    pub(super) fn claim_outputs(&mut self, router: usize) {
        if self.routers[router].is_empty() {
            return;
        }
        let mut first = None;
        for waiting in self.waiting_in_order(router) {
            let node = self.routers[router].node;
            if self.packets[waiting.packet].destination == node {
                let input = self.routers[router].vc_mut(waiting.port, waiting.vc);
                input.output = Some(Output::Ejection);
            } else if self.serve(router, waiting) && first.is_none() {
                first = Some(waiting.local);
            }
        }
        let in_turn = matches!(
            self.config.allocator,
            Allocator::RoundRobin | Allocator::Islip { .. }
        );
        if let (true, Some(local)) = (in_turn, first) {
            self.routers[router].va_pointer = local + 1;
        }
    }

    fn waiting_in_order(&self, router: usize) -> Vec<Waiting> {
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
            let packet = &self.packets[front.packet];
            let whole = input.visible_of(front.packet, self.cycle) == packet.flits;
            if waits_for_tail && packet.destination != r.node && !whole {
                continue;
            }
            waiting.push(Waiting {
                port,
                vc,
                local: r.local(port, vc),
                packet: front.packet,
            });
        }
        match self.config.allocator {
            Allocator::RoundRobin | Allocator::Islip { .. } => {
                waiting.sort_by_key(|w| (w.local < r.va_pointer, w.local));
            }
            Allocator::Random => waiting.sort_by_key(|w| {
                let word = draw(self.seed, Purpose::VcOrder, r.node.0, self.cycle, w.local);
                (word, w.local)
            }),
            Allocator::OldestFirst => waiting.sort_by_key(|w| {
                let identity = self.packets[w.packet].identity;
                (identity.created, identity.source, w.local)
            }),
        }
        waiting
    }

    /// Claims a virtual channel for one head, if there is one; says whether there was.
    fn serve(&mut self, router: usize, waiting: Waiting) -> bool {
        let Waiting {
            port, vc, packet, ..
        } = waiting;
        let r = &self.routers[router];
        let head = Head {
            node: r.node,
            arrived: r.ports[port].channel.map(|channel| (channel, vc)),
            destination: self.packets[packet].destination,
            state: self.packets[packet].state,
        };
        let mut candidates = Candidates::default();
        self.routing.route(head, &mut candidates);
        let classes: BTreeSet<u8> = candidates.as_slice().iter().map(|c| c.priority).collect();
        for class in classes {
            let of_class = candidates.as_slice().iter().filter(|c| c.priority == class);
            let open: Vec<Open> = of_class
                .map(|candidate| self.open(candidate, &self.packets[packet]))
                .filter(|open| !open.vcs.is_empty())
                .collect();
            if open.is_empty() {
                continue;
            }
            let chosen = self.choose_channel(router, waiting.local, &open);
            let claimed = self.choose_vc(chosen);
            let sender = &mut self.senders[chosen.channel.index()];
            sender.claimed[claimed as usize] = true;
            sender.vc_pointer = claimed + 1;
            self.packets[packet].state = self.routing.advance(head, chosen.channel, claimed);
            self.routers[router].vc_mut(port, vc).output =
                Some(Output::Channel(chosen.channel, claimed));
            return true;
        }
        false
    }

    /// The virtual channels of a candidate that `packet` could claim now.
    fn open(&self, candidate: &Candidate, packet: &Packet) -> Open {
        let sender = &self.senders[candidate.channel.index()];
        let claimable = |&vc: &u32| {
            let credits = sender.credits[vc as usize];
            let emptied = match self.config.vc_reallocation {
                VcReallocation::NonAtomic => true,
                VcReallocation::Atomic => credits == self.config.buffer_flits,
            };
            let fits = match self.config.flow_control {
                FlowControl::Wormhole => true,
                FlowControl::VirtualCutThrough | FlowControl::StoreAndForward => {
                    credits >= packet.flits
                }
            };
            !sender.claimed[vc as usize] && emptied && fits
        };
        let asked = (0..64).filter(|vc| candidate.vcs >> vc & 1 == 1);
        Open {
            channel: candidate.channel,
            vcs: asked.filter(claimable).collect(),
        }
    }

    fn choose_channel<'o>(&self, router: usize, local: u32, open: &'o [Open]) -> &'o Open {
        let credits_of = |open: &Open| -> u32 {
            let credits = &self.senders[open.channel.index()].credits;
            open.vcs.iter().map(|&vc| credits[vc as usize]).sum()
        };
        let equals: Vec<&Open> = match self.config.selection {
            Selection::Random => open.iter().collect(),
            Selection::MostCredits => {
                let most = open.iter().map(credits_of).max();
                let best = |open: &&Open| Some(credits_of(open)) == most;
                open.iter().filter(best).collect()
            }
        };
        let node = self.routers[router].node.0;
        let word = draw(self.seed, Purpose::Selection, node, self.cycle, local);
        equals[below(word, equals.len() as u32) as usize]
    }

    fn choose_vc(&self, open: &Open) -> u32 {
        let sender = &self.senders[open.channel.index()];
        let most = open.vcs.iter().map(|&vc| sender.credits[vc as usize]).max();
        let equals = open.vcs.iter().copied();
        equals
            .filter(|&vc| Some(sender.credits[vc as usize]) == most)
            .min_by_key(|&vc| (vc < sender.vc_pointer, vc))
            .expect("an open channel has a virtual channel to claim")
    }
}
