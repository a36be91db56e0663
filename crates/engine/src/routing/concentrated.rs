//! A relation between routers with several terminals each: from a terminal to its router, as the relation
//! says to the router of the destination, and to the terminal there.
//!
//! Channels of terminals close no circle: no packet comes to a terminal and goes on, nor to its router's
//! channel to it. So what is free of deadlock between routers is so between terminals.
//!
//! The channel to a terminal has no classes, unless a packet [keeps](BetweenRouters::keeping) its virtual channel to the
//! end.

use super::options::Knowledge;
use super::queues::{Queues, Undecided};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask, vc_range};
use super::symmetry::Symmetry;
use flitsim_topology::{ChannelId, Concentrated, Network, NodeId};
use std::ops::Range;

/// A relation between routers, on the network of their terminals.
#[derive(Clone, Debug)]
pub struct BetweenRouters<'n, R> {
    network: &'n Network,
    family: &'n Concentrated,
    routers: R,
    all: VcMask,
    keeps_vc: bool,
}

impl<'n, R: Routing> BetweenRouters<'n, R> {
    /// `routers`, a relation on the routers of `network`, with `virtual_channels` virtual channels a
    /// channel; `None` where the network has no terminals apart.
    pub fn new(network: &'n Network, routers: R, virtual_channels: u32) -> Option<Self> {
        Some(Self {
            network,
            family: network.concentration()?,
            routers,
            all: vc_range(0, virtual_channels),
            keeps_vc: false,
        })
    }

    /// The same where a packet goes to its terminal on the virtual channel over which it came from another router,
    /// and on the first if it came from none; with `keeps_vc` false, on any.
    #[must_use]
    pub fn keeping(self, keeps_vc: bool) -> Self {
        Self { keeps_vc, ..self }
    }

    /// The relation between routers.
    pub fn routers(&self) -> &R {
        &self.routers
    }

    /// The only way on that does not lead between routers; else the head as the routers see it.
    #[inline]
    fn between(&self, head: Head) -> Result<Head, Candidate> {
        let family = self.family;
        let own = |channel, vcs| {
            Err(Candidate {
                channel,
                vcs,
                priority: 0,
            })
        };
        if head.node.0 < family.terminals() {
            return own(ChannelId(head.node.0), self.all);
        }
        let node = family.router(head.node);
        let destination = family.router(head.destination);
        if node == destination {
            return own(family.ejection(head.destination), self.to_terminal(head));
        }
        let arrived = head.arrived.and_then(|(channel, vc)| {
            let source = self.network.source(channel);
            let is_between = source.0 >= family.terminals();
            let own = is_between.then(|| family.router(source));
            Some((family.between_routers(own?, channel)?, vc))
        });
        Ok(Head {
            node,
            arrived,
            destination,
            ..head
        })
    }

    /// The virtual channels of the channel to the terminal of `head`, which is at its router.
    #[inline]
    fn to_terminal(&self, head: Head) -> VcMask {
        if !self.keeps_vc {
            return self.all;
        }
        let is_between = |channel| self.network.source(channel).0 >= self.family.terminals();
        let came = head.arrived.filter(|&(channel, _)| is_between(channel));
        1 << came.map_or(0, |(_, vc)| vc)
    }
}

/// What is queued between routers.
struct OfRouters<'a> {
    all: &'a dyn Queues,
    family: &'a Concentrated,
}

impl Queues for OfRouters<'_> {
    fn flits(&self, channel: ChannelId, vcs: VcMask) -> u64 {
        let router = self.family.routers().source(channel);
        self.all.flits(self.family.channel(router, channel), vcs)
    }
}

impl<R: Routing> Routing for BetweenRouters<'_, R> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = R::LOOKS;

    fn is_deterministic(&self) -> bool {
        self.routers.is_deterministic()
    }

    fn looks(&self) -> Option<Knowledge> {
        self.routers.looks()
    }

    /// At the router of the source.
    fn decide(
        &self,
        packet: Undecided,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<u32> {
        let family = self.family;
        if packet.node.0 < family.terminals() {
            return None;
        }
        let [node, source, destination] =
            [packet.node, packet.source, packet.destination].map(|node| family.router(node));
        if source == destination {
            return Some(0);
        }
        let packet = Undecided {
            node,
            source,
            destination,
            ..packet
        };
        let queues = OfRouters {
            all: queues,
            family,
        };
        self.routers.decide(packet, &queues, candidates)
    }

    fn at_rest(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        let [from, to] = [source, destination].map(|node| self.family.router(node));
        if from == to {
            return 0..1;
        }
        self.routers.at_rest(from, to)
    }

    fn has_escape(&self) -> bool {
        self.routers.has_escape()
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        let [from, to] = [source, destination].map(|node| self.family.router(node));
        if from == to {
            return 1;
        }
        self.routers.choices(from, to)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let [from, to] = [source, destination].map(|node| self.family.router(node));
        if from == to {
            return 0;
        }
        self.routers.initial(from, to, choice)
    }

    #[inline]
    fn route(&self, head: Head, candidates: &mut Candidates) {
        match self.between(head) {
            Err(own) => candidates.push(own),
            Ok(head) => {
                // Nothing is around it that has candidates there already.
                self.routers.route(head, candidates);
                candidates.renumber(|channel| self.family.channel(head.node, channel));
            }
        }
    }

    #[inline]
    fn only(&self, head: Head, candidates: &mut Candidates) -> Option<Candidate> {
        match self.between(head) {
            Err(own) => Some(own),
            Ok(head) => {
                let only = self.routers.only(head, candidates)?;
                Some(only.at(self.family.channel(head.node, only.channel)))
            }
        }
    }

    #[inline]
    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        match self.between(head) {
            Err(_) => head.state,
            Ok(between) => match self.family.between_routers(between.node, channel) {
                Some(channel) => self.routers.advance(between, channel, vc),
                None => head.state,
            },
        }
    }

    #[inline]
    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        let Ok(between) = self.between(head) else {
            return candidate.vcs;
        };
        match self.family.between_routers(between.node, candidate.channel) {
            Some(channel) => self.routers.escape_vcs(between, candidate.at(channel)),
            None => candidate.vcs,
        }
    }

    /// An automorphism of the routers moves their terminals with them.
    fn symmetry(&self) -> Symmetry {
        match self.routers.symmetry() {
            Symmetry::Automorphisms => Symmetry::Automorphisms,
            _ => Symmetry::None,
        }
    }
}
