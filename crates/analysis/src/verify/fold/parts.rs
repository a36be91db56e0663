//! Proofs of relations that are made of others: between routers with several terminals each, and over a
//! terminal between.

use crate::verify::{Coverage, ExtendedDependency, Proof, Reason, Verdict, VerifyOptions, verify};
use flitsim_engine::Head;
use flitsim_engine::Routing;
use flitsim_engine::routing::{Detour, Relation};
use flitsim_topology::{ChannelId, Concentrated, Network, NodeId};

impl Proof {
    /// The proof between the terminals of `family` that this one, between its routers, is: channels of
    /// terminals have nothing before them, or nothing behind them, and are not counted.
    #[must_use]
    pub fn between_terminals(self, family: &Concentrated) -> Self {
        let Verdict::NotFree { reason, cycle } = self.verdict else {
            return self;
        };
        let lift = Lift(family);
        let verdict = Verdict::NotFree {
            reason: lift.reason(reason),
            cycle: lift.cycle(&cycle),
        };
        Self { verdict, ..self }
    }
}

/// From the routers of a network to that with their terminals.
struct Lift<'n>(&'n Concentrated);

impl Lift<'_> {
    fn channel(&self, channel: ChannelId) -> ChannelId {
        let router = self.0.routers().source(channel);
        self.0.channel(router, channel)
    }

    fn cycle(&self, cycle: &[(ChannelId, u32)]) -> Vec<(ChannelId, u32)> {
        let lifted = cycle
            .iter()
            .map(|&(channel, vc)| (self.channel(channel), vc));
        lifted.collect()
    }

    /// The first terminal of a router.
    fn terminal(&self, router: NodeId) -> NodeId {
        NodeId(router.0 * self.0.each())
    }

    fn head(&self, head: Head) -> Head {
        Head {
            node: self.0.node(head.node),
            arrived: head
                .arrived
                .map(|(channel, vc)| (self.channel(channel), vc)),
            destination: self.terminal(head.destination),
            state: head.state,
        }
    }

    fn reason(&self, reason: Reason) -> Reason {
        match reason {
            Reason::ExtendedCycle { dependencies } => {
                let lifted = dependencies
                    .into_iter()
                    .map(|dependency| ExtendedDependency {
                        destination: self.terminal(dependency.destination),
                        via: self.cycle(&dependency.via),
                        ..dependency
                    });
                Reason::ExtendedCycle {
                    dependencies: lifted.collect(),
                }
            }
            Reason::EscapeNotConnected { head } => Reason::EscapeNotConnected {
                head: self.head(head),
            },
            Reason::DeadEnd { head } => Reason::DeadEnd {
                head: self.head(head),
            },
            Reason::Livelock { heads } => Reason::Livelock {
                heads: heads.into_iter().map(|head| self.head(head)).collect(),
            },
            Reason::UnreachablePair { from, to, pairs } => Reason::UnreachablePair {
                from: self.terminal(from),
                to: self.terminal(to),
                pairs,
            },
            Reason::BadCandidate { head, candidate } => Reason::BadCandidate {
                head: self.head(head),
                candidate: candidate.at(self.channel(candidate.channel)),
            },
            Reason::TooManyConfigurations { destination, most } => Reason::TooManyConfigurations {
                destination: self.terminal(destination),
                most,
            },
            Reason::TooManyHops { destination, most } => Reason::TooManyHops {
                destination: self.terminal(destination),
                most,
            },
            other => other,
        }
    }
}

/// The proof of Valiant's routing on `network` leg by leg: a packet of the first leg goes to the terminal
/// between as any packet of that relation does, one of the second leg from there, on virtual channels that
/// the first never takes, and none returns. So the dependencies have a cycle if and only if those of a leg
/// have one. To enumerate it whole takes the cube of the number of terminals; that is done where packets have
/// channels to themselves, for then legs meet on other virtual channels too.
pub fn verify_leg_by_leg(
    network: &Network,
    routing: &Detour<Relation<'_>>,
    options: &VerifyOptions<'_>,
) -> Proof {
    if options.are_alone() {
        return verify(network, routing, options);
    }
    let [first, second] = routing.legs().map(|(leg, first_vc, virtual_channels)| {
        let options = VerifyOptions {
            virtual_channels,
            ..*options
        };
        debug_assert!(!leg.has_escape(), "an escape may lead anywhere");
        let mut proof = verify(network, leg, &options);
        if let Verdict::NotFree { cycle, .. } = &mut proof.verdict {
            cycle.iter_mut().for_each(|(_, vc)| *vc += first_vc);
        }
        proof
    });
    let destinations = |proof: &Proof| match proof.coverage {
        Coverage::BySymmetry { destinations, .. } | Coverage::ByOrbits { destinations, .. } => {
            destinations
        }
        _ => network.living_terminals_count(),
    };
    let both = destinations(&first) + destinations(&second);
    let verdict = match first.is_free() {
        true => second.verdict,
        false => first.verdict,
    };
    Proof {
        verdict,
        method: first.method,
        virtual_channels: options.virtual_channels,
        vertices: first.vertices + second.vertices,
        escape_vertices: 0,
        dependencies: first.dependencies + second.dependencies,
        configurations: first.configurations.saturating_add(second.configurations),
        reaches_every_pair: first.reaches_every_pair && second.reaches_every_pair,
        longest_route_hops: first.longest_route_hops + second.longest_route_hops,
        coverage: Coverage::LegByLeg { destinations: both },
    }
}
