//! Valiant's routing on large grids: leg by leg.
//!
//! A packet carries the terminal between as its state, so to enumerate all that packets may come to
//! takes the cube of the number of terminals. But either leg is dimension order on virtual channels
//! of its own: to the terminal between, and from there as from a source. So the dependency graph is
//! the first leg's, the second's, and edges from the one to the other at terminals between; no edge
//! leads back. It has no cycle if and only if neither leg's has one, as long as no virtual channel
//! is of both. Every terminal may be one between, and each leg is free to start and end anywhere, so
//! the legs' graphs are those of dimension order in whole: each is proved
//! [ring by ring](super::product). A packet arrives if it arrives on each leg.
//!
//! That packets go so is tried on packets drawn at random, with the very relation that the engine
//! calls: ring by ring as the first leg's dimension order says to the terminal between, and on from
//! there as the second's says, never back.
//!
//! A packet that comes by its destination on the first leg is taken there. Here it goes on, so what
//! is counted is at most too much: each dependency of a leg is one of some packet's whose terminal
//! between is its destination, but where a second leg turns back from the first in its last
//! dimension, some destinations lie on the way. `configurations` are those of both legs, without the
//! states that tell terminals between apart.

use super::product::{Leg, Product, is_followed};
use super::ring;
use crate::verify::{Coverage, Method, Proof, Verdict, VerifyOptions};
use flitsim_engine::Routing;
use flitsim_engine::routing::{Folded, Valiant};
use flitsim_topology::NodeId;

/// As [`verify`](crate::verify::verify()), for Valiant's routing on a grid however large; where `routing` needs
/// more virtual channels than the options give, the last and those after it fall together.
///
/// The dependencies and the longest route counted are the most that there may be; where the legs
/// share virtual channels and one of them has a cycle, what is counted is that leg's. `None` where
/// packets do not go leg by leg or have channels to themselves, or the legs share virtual channels and
/// neither has a cycle: enumerate in full.
pub fn verify_by_legs(routing: &Valiant<'_>, options: &VerifyOptions<'_>) -> Option<Proof> {
    if options.are_alone() {
        return None;
    }
    let all = options.virtual_channels;
    let legs = routing.legs().map(|(order, first)| {
        let first_vc = first.min(all - 1);
        Leg {
            virtual_channels: order.virtual_channels().min(all - first_vc),
            order,
            first_vc,
        }
    });
    let between = |state| routing.between(state);
    if legs[1].first_vc + legs[1].virtual_channels < all {
        return None;
    }
    prove(&Folded::new(routing, all), legs, between, options)
}

/// The proof of `routing`, said to go by `legs` to the terminal that `between` finds in a state and
/// from there.
fn prove<R: Routing>(
    routing: &R,
    legs: [Leg<'_>; 2],
    between: impl Fn(u64) -> NodeId,
    options: &VerifyOptions<'_>,
) -> Option<Proof> {
    let [first, second] = legs;
    let (first, second) = (Product::of(first, options)?, Product::of(second, options)?);
    // Behind the bit that says which leg it is.
    let ways = |state: u64| state >> 1;
    if !is_followed(routing, &[&first, &second], between, ways) {
        return None;
    }
    let [found, others] = [first.enumerated(), second.enumerated()];
    let coverage = Coverage::ByLegs {
        rings: found.0 + others.0,
        destinations: found.1 + others.1,
        nodes: found.2 + others.2,
    };
    let [one, other] = [&first, &second].map(|leg| leg.proof(options, coverage));
    if first.taken() & second.taken() != 0 {
        return [one, other].into_iter().find(|leg| !leg.is_free());
    }
    let method = Method::AcyclicCdg;
    let refused = [one.verdict, other.verdict]
        .into_iter()
        .find(|verdict| matches!(verdict, Verdict::NotFree { .. }));
    Some(Proof {
        verdict: refused.unwrap_or(Verdict::Free { method }),
        method,
        virtual_channels: options.virtual_channels,
        vertices: one.vertices + other.vertices,
        escape_vertices: 0,
        dependencies: one.dependencies + other.dependencies + changes(&first, &second),
        configurations: one.configurations.saturating_add(other.configurations),
        reaches_every_pair: true,
        longest_route_hops: one.longest_route_hops + other.longest_route_hops,
        coverage,
    })
}

/// Dependencies of the second leg on the first, at terminals between.
fn changes(first: &Product<'_>, second: &Product<'_>) -> u64 {
    let radices = first.grid().radices();
    let nodes: u64 = radices.iter().map(|&k| u64::from(k)).product();
    let mut sum = 0;
    for (i, &k) in radices.iter().enumerate() {
        for (j, &other) in radices.iter().enumerate() {
            let (from, to) = (first.ring(i), second.ring(j));
            sum += if i == j {
                let starts_at = |node: u32| to.starts_at[node as usize];
                ring::sum(&from.ends_at, starts_at) * (nodes / u64::from(k))
            } else {
                from.ends * to.starts * (nodes / u64::from(k) / u64::from(other))
            };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::{Extent, Reason, verify};
    use flitsim_engine::routing::{Candidate, Candidates};
    use flitsim_engine::{EngineConfig, Head};
    use flitsim_topology::{ChannelId, Ends, Grid, Network};

    fn options(virtual_channels: u32) -> VerifyOptions<'static> {
        let config = EngineConfig {
            virtual_channels,
            ..EngineConfig::default()
        };
        VerifyOptions {
            extent: Extent::Full,
            ..VerifyOptions::of(&config)
        }
    }

    /// What is wrong with Valiant's routing.
    #[derive(Clone, Copy, Debug)]
    enum Fault {
        /// The second leg is this many virtual channels lower.
        Lower(u32),
        /// The second leg goes on as the first at this node.
        Returns(u32),
        /// The second leg corrects the highest dimension first.
        Turned,
        /// The second leg begins at this node, wherever the terminal between is.
        Early(u32),
    }

    struct Faulty<'n> {
        valiant: Valiant<'n>,
        fault: Fault,
    }

    impl Faulty<'_> {
        fn legs(&self) -> [Leg<'_>; 2] {
            let mut legs = self.valiant.legs().map(|(order, first_vc)| Leg {
                virtual_channels: order.virtual_channels(),
                order,
                first_vc,
            });
            if let Fault::Lower(by) = self.fault {
                legs[1].first_vc -= by;
            }
            legs
        }
    }

    impl Routing for Faulty<'_> {
        const DETERMINISTIC: bool = true;

        fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
            self.valiant.choices(source, destination)
        }

        fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
            self.valiant.initial(source, destination, choice)
        }

        fn route(&self, head: Head, candidates: &mut Candidates) {
            let [_, (second, lower)] = self.valiant.legs();
            let between = self.valiant.between(head.state);
            let is_second = head.state & 1 == 1 || head.node == between;
            let on_leg = |head| {
                let mut found = Candidates::default();
                self.valiant.route(head, &mut found);
                found.as_slice()[0]
            };
            let found = match self.fault {
                Fault::Lower(by) if is_second => {
                    let up =
                        |(c, vc): (ChannelId, u32)| (head.state & 1 == 1).then_some((c, vc + by));
                    let found = on_leg(Head {
                        arrived: head.arrived.and_then(up),
                        ..head
                    });
                    Candidate {
                        vcs: found.vcs >> by,
                        ..found
                    }
                }
                Fault::Returns(node) if is_second && head.node == NodeId(node) => {
                    let found = on_leg(head);
                    Candidate {
                        vcs: found.vcs >> lower,
                        ..found
                    }
                }
                Fault::Turned if is_second => {
                    let mut found = Candidates::default();
                    let arrived = head.arrived.filter(|&(_, vc)| vc >= lower);
                    let head = Head {
                        arrived: arrived.map(|(c, vc)| (c, vc - lower)),
                        state: head.state >> 1,
                        ..head
                    };
                    second
                        .with_order(flitsim_engine::routing::Order::HighestFirst)
                        .route(head, &mut found);
                    let found = found.as_slice()[0];
                    Candidate {
                        vcs: found.vcs << lower,
                        ..found
                    }
                }
                Fault::Early(node) if head.node == NodeId(node) => on_leg(Head {
                    state: head.state | 1,
                    ..head
                }),
                _ => on_leg(head),
            };
            candidates.push(found);
        }

        fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
            match self.fault {
                Fault::Early(node) if head.node == NodeId(node) => head.state | 1,
                _ => self.valiant.advance(head, channel, vc),
            }
        }
    }

    fn proofs(network: &Network, vcs: u32, fault: Fault) -> (Proof, Option<Proof>) {
        let valiant = Valiant::new(network.grid().unwrap(), vcs, true).unwrap();
        let faulty = Faulty { valiant, fault };
        let between = |state| faulty.valiant.between(state);
        let by_legs = prove(&faulty, faulty.legs(), between, &options(vcs));
        (verify(network, &faulty, &options(vcs)), by_legs)
    }

    #[test]
    fn legs_that_share_virtual_channels_are_not_proved() {
        for (radices, ends, vcs) in [
            (&[5][..], Ends::Open, 2),
            (&[4, 4], Ends::Open, 2),
            (&[2; 3], Ends::Open, 4),
            (&[5, 4], Ends::Ring, 4),
        ] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            for by in 1..=vcs / 2 {
                let (full, by_legs) = proofs(&network, vcs, Fault::Lower(by));
                assert_eq!(full.reason(), Some(&Reason::Cycle), "{radices:?} {by}");
                assert_eq!(by_legs, None, "{radices:?} {by}");
            }
        }
    }

    #[test]
    fn packets_that_do_not_go_leg_by_leg_are_not_proved() {
        for (radices, ends, vcs) in [(&[4, 4][..], Ends::Open, 2), (&[5, 4], Ends::Ring, 4)] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            for fault in [Fault::Returns(5), Fault::Turned, Fault::Early(6)] {
                let (full, by_legs) = proofs(&network, vcs, fault);
                assert_eq!(by_legs, None, "{radices:?} {fault:?}");
                assert!(full.reaches_every_pair);
                // Only the return closes a cycle.
                let returns = matches!(fault, Fault::Returns(_));
                assert_eq!(full.is_free(), !returns, "{radices:?} {fault:?}");
            }
        }
    }
}
