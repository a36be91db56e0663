//! Terminals as ports, from the sentences of `docs/flow.md`.

use super::log::{Event, What};
use super::router::Flit;
use super::{Feed, Leaving, Oracle};
use flitsim_engine::VcReallocation;
use flitsim_engine::routing::{Candidates, Head, Routing};
use flitsim_topology::{ChannelId, NodeId};

impl Oracle<'_> {
    /// What the relation says of `packet` at its terminal, unless it goes to that, or has yet to decide.
    fn head_at_terminal(&self, packet: usize) -> Option<Head> {
        let p = &self.packets[packet];
        let node = NodeId(p.identity.source);
        (p.destination != node && p.drawn.is_none()).then_some(Head {
            node,
            arrived: None,
            destination: p.destination,
            state: p.state,
        })
    }

    /// The source sends a flit over its channel: a head on the virtual channel after the one taken last, going
    /// round those that the relation offers, that has room.
    pub(super) fn feed_port(&mut self, source: usize) {
        let mut outgoing = self.network.outgoing(NodeId(source as u32)).map(ChannelId);
        let channel = outgoing.next().expect("a channel to a router");
        assert!(outgoing.next().is_none());
        let mut feed = self.feeds[source];
        if feed.packet.is_none() {
            let Some(&first) = self.queues[source].front() else {
                return;
            };
            let mut offered = Candidates::default();
            let head = self.head_at_terminal(first);
            if let Some(head) = head {
                self.routing.route(head, &mut offered);
            }
            let offers = |vc: &u32| {
                let all = offered.as_slice();
                head.is_none() || all.iter().any(|way| way.vcs >> vc & 1 == 1)
            };
            let keeps_apart = self.config.vc_reallocation == VcReallocation::Atomic;
            let sender = &self.senders[channel.index()];
            let has_room =
                |vc: &u32| sender.credits(*vc) > 0 && !(keeps_apart && sender.taken(*vc) > 0);
            let vcs = self.config.virtual_channels;
            let mut in_turn = (feed.vc + 1..vcs).chain(0..=feed.vc);
            let Some(vc) = in_turn.find(|vc| offers(vc) && has_room(vc)) else {
                return;
            };
            self.queues[source].pop_front();
            feed = Feed {
                packet: Some(first),
                sent: 0,
                vc,
            };
            if let Some(head) = head {
                self.packets[first].state = self.routing.advance(head, channel, vc);
            }
            self.packets[first].entered = Some(self.cycle());
            self.packets[first].hops = 1;
            self.totals.packets_entered += 1;
            self.log_of(first, What::Entered);
        }
        let packet = feed.packet.expect("a packet");
        let sender = &mut self.senders[channel.index()];
        if sender.credits(feed.vc) == 0 {
            return;
        }
        sender.take(feed.vc);
        let (number, last) = (feed.sent, feed.sent + 1 == self.packets[packet].flits);
        let wire = u64::from(self.config.channel_delay_of(channel));
        let ready = self.cycle + wire * self.internal();
        let router = &mut self.routers[self.network.target(channel).index()];
        let port = router.ports.iter().position(|p| p.channel == Some(channel));
        let buffer = router.vc_mut(port.expect("the channel's end"), feed.vc);
        buffer.flits.push_back(Flit {
            packet,
            number,
            ready,
        });
        self.sent(packet, channel, feed.vc, number == 0, last);
        feed.sent += 1;
        if last {
            feed.packet = None;
        }
        self.feeds[source] = feed;
    }

    /// A flit leaves for its terminal, which takes it at once and returns the credit.
    pub(super) fn send_out_of_port(
        &mut self,
        packet: usize,
        channel: ChannelId,
        vc: u32,
        head: bool,
        tail: bool,
    ) {
        let wire = u64::from(self.config.channel_delay_of(channel));
        let arrives = self.cycle() + self.way_out() + wire;
        let back = arrives + 1 + u64::from(self.config.credit_delay) + wire;
        let sender = &mut self.senders[channel.index()];
        sender.due.push((back, vc));
        let flit = Leaving {
            router: self.network.target(channel).index(),
            packet,
            head,
            tail,
        };
        self.leaving.push((arrives, flit));
    }

    /// A flit is sent: in routers, it has won the switch.
    pub(super) fn sent(
        &mut self,
        packet: usize,
        channel: ChannelId,
        vc: u32,
        head: bool,
        tail: bool,
    ) {
        self.totals.flit_hops += 1;
        let what = What::Sent {
            channel: channel.0,
            vc,
            head,
            tail,
        };
        self.log_of(packet, what);
    }

    fn log_of(&mut self, packet: usize, what: What) {
        self.log.push(Event {
            cycle: self.cycle(),
            what,
            packet: self.packets[packet].identity,
        });
    }
}
