//! Express cubes whose packets may take any level, and those of rings: where they go, and what has no cycle.

use crate::common::dependencies::Dependencies;
use crate::common::routes::hops_of_all_routes;
use crate::express::{express, line, network, variants};

use flitsim_engine::routing::{Algorithm, Express, Levels, Relation, RoutingChoice, Tables};
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::express::{ExpressChannel, line_hops};
use flitsim_topology::{Direction, ExpressCube, ExpressParameters, Network, NodeId};
use std::collections::BTreeSet;

fn any_level(network: &Network, virtual_channels: u32) -> Relation<'_> {
    let mut choice = RoutingChoice::from(Algorithm::Express);
    choice.options.levels = Levels::Any;
    let relation = choice.relation(network, virtual_channels, &Tables::default());
    relation.unwrap()
}

/// Over any level: packets arrive whatever levels they take, the highest alone among the ways, and no cycle closes.
#[test]
fn any_level_leads_there_and_closes_no_cycle() {
    for parameters in variants() {
        let network = network(parameters.clone());
        let cube = network.express_cube().unwrap();
        let routing = any_level(&network, 1);
        assert!(
            Dependencies::of(&network, &routing).is_acyclic(),
            "{parameters:?}"
        );
        for source in (0..network.terminals()).map(NodeId) {
            let destination = NodeId(network.terminals() - 1 - source.0);
            let taken = hops_of_all_routes(&network, &routing, (source, destination), 0);
            assert!(
                taken.contains(&cube.hops(source, destination)),
                "{parameters:?}"
            );
        }
    }
}

/// "Messages are never routed past their destinations" (section III-A): of the channels of all levels out of an
/// interchange those that do not, those of higher levels first.
#[test]
fn any_level_is_any_that_does_not_pass_the_destination() {
    let (k, interval) = (40, 2u32);
    let network = line(k, interval, 4);
    let cube = network.express_cube().unwrap();
    let routing = any_level(&network, 1);
    for switch in (k..network.nodes()).map(NodeId) {
        let at = cube.interchange(switch).unwrap();
        for destination in 0..k {
            let is_up = destination >= at.boundary;
            let mut expected = Vec::new();
            for level in (1..=at.level).rev() {
                let reach = interval.pow(level);
                let serves = match is_up {
                    true => at.boundary + reach <= destination,
                    false => at
                        .boundary
                        .checked_sub(reach)
                        .is_some_and(|next| destination < next),
                };
                expected.extend(serves.then_some(ExpressChannel::Express(level)));
            }
            expected.push(ExpressChannel::Local);
            let mut candidates = Candidates::default();
            let head = Head {
                node: switch,
                arrived: None,
                destination: NodeId(destination),
                state: 0,
            };
            routing.route(head, &mut candidates);
            let found = candidates.as_slice().iter().map(|candidate| {
                let (kind, way) = cube.channel(switch, candidate.channel).unwrap();
                assert_eq!(way == Direction::Up, is_up);
                kind
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{at:?} {destination}");
        }
    }
}

/// On rings: the shorter way round, as far as on a line of which the ring is unrolled; two classes close no cycle,
/// over the highest levels or any, and one does.
#[test]
fn rings_take_the_shorter_way_and_two_classes() {
    for (k, dimensions, i, l) in [
        (12, 1, 2, 2),
        (6, 2, 2, 1),
        (16, 1, 4, 1),
        (9, 1, 3, 1),
        (27, 1, 3, 2),
    ] {
        let network = network(ExpressParameters {
            rings: true,
            ..ExpressParameters::new(k, dimensions, i, l)
        });
        let cube = network.express_cube().unwrap();
        // Of each level q as many channels as boundaries that i^q divides, both ways; nodes and interchanges in a row.
        let lines = dimensions * k.pow(dimensions - 1);
        let of_ring = k + k / i + (1..=l).map(|q| k / i.pow(q)).sum::<u32>();
        assert_eq!(network.nodes() - network.terminals(), lines * k / i);
        assert_eq!(network.channels(), 2 * lines * of_ring);
        assert!(Express::new(cube, 1).is_err());
        let highest = express(&network, 2);
        let any = any_level(&network, 2);
        for source in (0..network.terminals()).map(NodeId) {
            for destination in (0..network.terminals()).map(NodeId) {
                let hops = (0..dimensions as usize).map(|d| {
                    let (a, b) = (cube.coordinate(source, d), cube.coordinate(destination, d));
                    let up = (b + k - a) % k;
                    match up <= k - up {
                        true => line_hops(i, l, a, a + up),
                        false => line_hops(i, l, b, b + k - up),
                    }
                });
                let hops = hops.sum::<u32>();
                let pair = (source, destination);
                let taken = hops_of_all_routes(&network, &highest, pair, 0);
                assert_eq!(taken, BTreeSet::from([hops]), "{k} {i} {l}: {pair:?}");
                assert_eq!(cube.hops(source, destination), hops);
                assert!(hops_of_all_routes(&network, &any, pair, 0).contains(&hops));
            }
        }
        assert!(Dependencies::of(&network, &highest).is_acyclic());
        assert!(Dependencies::of(&network, &any).is_acyclic());
        let choice = RoutingChoice::from(Algorithm::Express);
        let merged = choice.relation_merged(&network, 1, &Tables::default());
        assert!(!Dependencies::of(&network, &merged.unwrap()).is_acyclic());
    }
    for (k, i, l) in [(16, 4, 2), (10, 4, 1), (8, 4, 1)] {
        let parameters = ExpressParameters {
            rings: true,
            ..ExpressParameters::new(k, 1, i, l)
        };
        assert!(ExpressCube::new(parameters).is_err(), "{k} {i} {l}");
    }
}
