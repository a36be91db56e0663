//! Queues between the switch and the channels, of flits and of credits, from the sentences of `docs/flow.md`.

use super::Oracle;
use super::router::{Flit, Output};
use super::switch::Move;

impl Oracle<'_> {
    /// Whether outputs of the switch have queues.
    pub(super) fn has_queues(&self) -> bool {
        let speedup = self.config.output_speedup.max(self.config.internal_speedup);
        self.config.output_queues || speedup > 1
    }

    /// Whether no flit that won another way of the same output has just taken the last place that both could.
    pub(super) fn has_room_left(&self, flit: &Move) -> bool {
        match self.routers[flit.router].vc(flit.port, flit.vc).output {
            Some(Output::Channel(channel, vc)) => self.credits(flit.router, Some(channel), vc) > 0,
            Some(Output::Terminal(vc)) => self.credits(flit.router, None, vc) > 0,
            _ => true,
        }
    }

    /// A flit has won the switch: it stands behind all others for its output.
    pub(super) fn queue_up(&mut self, router: usize, flit: Flit, output: Output) {
        let index = self.routers[router].output_index(output);
        let crossed = self.cycle + self.crossing();
        let queue = &mut self.routers[router].outputs[index].queue;
        queue.push_back((flit, output, crossed));
        let most = self.config.virtual_channels.max(self.config.ejection_vcs);
        assert!(queue.len() <= (most * self.config.buffer_flits) as usize);
    }

    /// Channels, and the ways to terminals, take the first flit of their queue, if they are free and it has crossed
    /// the switch.
    pub(super) fn take_from_queues(&mut self) {
        if !self.has_queues() {
            return;
        }
        let now = self.cycle();
        for router in 0..self.routers.len() {
            for index in 0..self.routers[router].outputs.len() {
                let output = &mut self.routers[router].outputs[index];
                let next_free = match output.channel {
                    Some(channel) => self.senders[channel.index()].next_free,
                    None => 0,
                };
                let has_crossed = |&(_, _, crossed): &(Flit, Output, u64)| crossed <= self.cycle;
                if next_free <= now
                    && output.queue.front().is_some_and(has_crossed)
                    && let Some((flit, to, _)) = output.queue.pop_front()
                {
                    self.set_off(router, flit, to);
                }
            }
        }
    }

    /// Flits in the queue before `output`, of those that wait for it.
    pub(super) fn queued(&self, router: usize, output: Output) -> usize {
        let r = &self.routers[router];
        let queue = &r.outputs[r.output_index(output)].queue;
        queue.iter().filter(|&&(_, to, _)| to == output).count()
    }

    /// Flits in all queues.
    pub(super) fn queued_in_all(&self) -> usize {
        let outputs = self.routers.iter().flat_map(|router| &router.outputs);
        outputs.map(|output| output.queue.len()).sum()
    }

    /// Internal cycles, where there are any, from the switch to behind it.
    fn crossing(&self) -> u64 {
        match (self.config.pipeline, self.internal()) {
            (None, _) | (_, 1) => 0,
            (Some(stages), _) => u64::from(stages.traversal),
        }
    }

    /// Every port sends what came free in one internal cycle, the first in which something did.
    pub(super) fn send_credits(&mut self) {
        let now = self.cycle();
        let way_in = if self.internal() > 1 {
            2
        } else {
            self.way_out()
        };
        let credit = u64::from(self.config.credit_delay);
        for router in 0..self.routers.len() {
            for port in 0..self.routers[router].ports.len() {
                let input = &mut self.routers[router].ports[port];
                if input.freed.is_empty() {
                    continue;
                }
                let mut sent = std::mem::take(&mut input.freed);
                let later = sent.partition_point(|&(cycle, _)| cycle == sent[0].0);
                input.freed = sent.split_off(later);
                let (from_terminal, wire) = match input.channel {
                    None => (true, 0),
                    Some(channel) => (
                        self.is_port(self.network.source(channel)),
                        u64::from(self.config.channel_delay_of(channel)),
                    ),
                };
                let delay = match from_terminal {
                    true => credit.min(2) + way_in,
                    false => credit,
                };
                let channel = self.routers[router].ports[port].channel;
                let sender = match channel {
                    None => &mut self.routers[router].from_source,
                    Some(channel) => &mut self.senders[channel.index()],
                };
                let due = now + delay + wire;
                sender.due.extend(sent.iter().map(|&(_, vc)| (due, vc)));
            }
        }
    }
}
