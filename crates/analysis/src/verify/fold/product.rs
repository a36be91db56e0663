//! Dimension order on large grids: ring by ring, and the order of the dimensions.
//!
//! A packet corrects one dimension after another, all in one order, and in each of them goes as a
//! packet on that ring alone would: its way depends on the coordinate and the way in this dimension
//! only, and a virtual channel of another dimension counts for no more than a source. So a cycle of
//! dependencies, which never lead back to a dimension before, lies in one ring; and a packet
//! arrives if it arrives in each ring. One ring of each radix is [enumerated](super::ring).
//!
//! That packets go as on the ring alone is tried on packets drawn at random, with the very relation
//! that the engine calls, on the whole grid: see [`is_followed`].
//!
//! What is counted follows too, for the coordinates of different dimensions are independent. In a
//! grid of N nodes there are N / k_i rings of dimension i, each with the vertices and dependencies
//! of one. Where dimension i comes before j, a packet may hold any virtual channel on which packets end
//! in ring i, and ask for any on which packets start in ring j at that node.

use super::ring::{self, Ring};
use crate::verify::{Coverage, Method, Proof, Reason, Verdict, VerifyOptions};
use flitsim_engine::routing::{DimensionOrder, Folded, Order};
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_random::Pcg64Mcg;
use flitsim_topology::{ChannelId, Direction, Grid, Network, NodeId};
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Packets drawn at random.
const PACKETS_TRIED: u32 = 256;

/// The most hops of theirs.
const HOPS_TRIED_MOST: u32 = 1 << 17;

/// A relation in dimension order, on some of the virtual channels.
#[derive(Clone)]
pub(super) struct Leg<'n> {
    pub order: DimensionOrder<'n>,
    /// The first of its virtual channels.
    pub first_vc: u32,
    /// How many there are; where it needs more, the last and those after it fall together.
    pub virtual_channels: u32,
}

/// A leg with its rings, by radix.
pub(super) struct Product<'n> {
    leg: Leg<'n>,
    rings: BTreeMap<u32, (Network, Ring)>,
}

/// A leg as it goes on rings, by radix.
struct OnRings<'p> {
    leg: &'p Leg<'p>,
    orders: BTreeMap<u32, DimensionOrder<'p>>,
}

/// As [`verify`](crate::verify::verify()), for dimension order on a grid however large; where `routing` needs
/// more virtual channels than the options give, the last and those after it fall together. `None`
/// where packets do not go as on rings alone, do not arrive, or have channels to themselves: enumerate in full.
pub fn verify_by_product(
    routing: &DimensionOrder<'_>,
    options: &VerifyOptions<'_>,
) -> Option<Proof> {
    if options.are_alone() {
        return None;
    }
    let leg = Leg {
        order: routing.clone(),
        first_vc: 0,
        virtual_channels: options.virtual_channels,
    };
    let product = Product::of(leg, options)?;
    let products = [&product];
    let ways = |state| state;
    let folded = Folded::new(routing, options.virtual_channels);
    if !is_followed(&folded, &products, |_| NodeId(0), ways) {
        return None;
    }
    let (rings, destinations, nodes) = product.enumerated();
    let coverage = Coverage::ByProduct {
        rings,
        destinations,
        nodes,
    };
    Some(product.proof(options, coverage))
}

impl Leg<'_> {
    fn enumerate(&self, network: &Network, options: &VerifyOptions<'_>) -> Option<Ring> {
        let options = VerifyOptions {
            virtual_channels: self.virtual_channels,
            ..*options
        };
        let order = self.order.on(network.grid()?);
        ring::enumerate(
            network,
            &Folded::new(&order, self.virtual_channels),
            &options,
        )
    }
}

impl<'n> Product<'n> {
    /// One ring of each radix; `None` where packets may fail to arrive on one.
    pub fn of(leg: Leg<'n>, options: &VerifyOptions<'_>) -> Option<Self> {
        let grid = leg.order.grid();
        let mut rings = BTreeMap::new();
        for &radix in grid.radices() {
            if let Entry::Vacant(entry) = rings.entry(radix) {
                let network = Grid::new(&[radix], grid.ends()).ok()?.into_network();
                let ring = leg.enumerate(&network, options)?;
                entry.insert((network, ring));
            }
        }
        Some(Self { leg, rings })
    }

    pub fn grid(&self) -> &'n Grid {
        self.leg.order.grid()
    }

    fn on_rings(&self) -> OnRings<'_> {
        let grids = (self.rings.iter()).filter_map(|(&k, (network, _))| Some((k, network.grid()?)));
        OnRings {
            leg: &self.leg,
            orders: grids
                .map(|(k, ring)| (k, self.leg.order.on(ring)))
                .collect(),
        }
    }

    /// The ring of dimension `i`.
    pub fn ring(&self, i: usize) -> &Ring {
        &self.rings[&self.grid().radices()[i]].1
    }

    /// How many rings, their destinations that were enumerated, and those that there are.
    pub fn enumerated(&self) -> (u32, u32, u32) {
        let destinations = self.rings.values().map(|(_, ring)| ring.destinations);
        let nodes = self.rings.keys().sum();
        (self.rings.len() as u32, destinations.sum(), nodes)
    }

    /// The virtual channels that some packet may take, of any channel.
    pub fn taken(&self) -> u64 {
        let all = self
            .rings
            .values()
            .fold(0, |all, (_, ring)| all | ring.taken);
        all << self.leg.first_vc
    }

    /// A shortest cycle of dependencies, on the grid; empty where there is none.
    pub fn cycle(&self) -> Vec<(ChannelId, u32)> {
        let grid = self.grid();
        let rings = (0..grid.dimensions()).map(|i| (i, &self.rings[&grid.radices()[i]]));
        let cyclic = rings.filter(|(_, (_, ring))| !ring.cycle.is_empty());
        let Some((i, (network, ring))) = cyclic.min_by_key(|(_, (_, ring))| ring.cycle.len())
        else {
            return Vec::new();
        };
        let lift = |&(channel, vc): &(ChannelId, u32)| {
            let mut place = vec![0; grid.dimensions()];
            place[i] = network.source(channel).0;
            let direction = network.grid()?.step(channel).direction;
            let lifted = grid.channel(grid.node_at(&place), i, direction)?;
            Some((lifted, vc + self.leg.first_vc))
        };
        ring.cycle.iter().filter_map(lift).collect()
    }

    /// The proof that this is of the leg as a relation of its own.
    pub fn proof(&self, options: &VerifyOptions<'_>, coverage: Coverage) -> Proof {
        let radices = self.grid().radices();
        let ring = |&k: &u32| (u64::from(k), &self.rings[&k].1);
        let mut all: Vec<(u64, &Ring)> = radices.iter().map(ring).collect();
        if self.leg.order.order() == Order::HighestFirst {
            all.reverse();
        }
        let nodes: u64 = all.iter().map(|&(k, _)| k).product();
        let (mut vertices, mut dependencies, mut configurations) = (0, 0, 0u64);
        for (i, &(k, ring)) in all.iter().enumerate() {
            vertices += ring.vertices * (nodes / k);
            dependencies += ring.dependencies * (nodes / k);
            for &(other, later) in &all[i + 1..] {
                dependencies += ring.ends * later.starts * (nodes / k / other);
            }
            // Dimensions before are done, those behind are as at the source.
            let before = all[..i].iter().map(|(_, ring)| ring.states);
            let behind = all[i + 1..].iter().map(|(_, ring)| ring.pairs);
            let others = before.chain(behind).fold(1u64, u64::saturating_mul);
            let own = ring.configurations.saturating_mul(others);
            configurations = configurations.saturating_add(own);
        }
        let method = Method::AcyclicCdg;
        let cycle = self.cycle();
        let verdict = match cycle.is_empty() {
            true => Verdict::Free { method },
            false => Verdict::NotFree {
                reason: Reason::Cycle,
                cycle,
            },
        };
        Proof {
            verdict,
            method,
            virtual_channels: options.virtual_channels,
            vertices,
            escape_vertices: 0,
            dependencies,
            configurations,
            reaches_every_pair: true,
            longest_route_hops: all.iter().map(|(_, ring)| ring.longest_route_hops).sum(),
            coverage,
        }
    }
}

impl OnRings<'_> {
    /// The answer to `head`, a packet of this leg, by the ring of the first dimension in which it is
    /// not at its destination: channels of the grid with their virtual channels, in `answer`.
    fn answer(
        &self,
        head: Head,
        candidates: &mut Candidates,
        answer: &mut Vec<(ChannelId, u64)>,
    ) -> Option<()> {
        let grid = self.leg.order.grid();
        let (here, there) = (
            grid.coordinates(head.node),
            grid.coordinates(head.destination),
        );
        let mut differing = (0..here.len()).filter(|&i| here[i] != there[i]);
        let i = match self.leg.order.order() {
            Order::LowestFirst => differing.next(),
            Order::HighestFirst => differing.next_back(),
        }?;
        let order = self.orders.get(&grid.radices()[i])?;
        let ring = order.grid();
        let own = |&(channel, _): &(ChannelId, u32)| grid.step(channel).dimension == i as u32;
        let arrived = head.arrived.filter(own).and_then(|(channel, vc)| {
            let direction = grid.step(channel).direction;
            let k = grid.radices()[i];
            let from = match direction {
                Direction::Up => (u32::from(here[i]) + k - 1) % k,
                Direction::Down => (u32::from(here[i]) + 1) % k,
            };
            Some((
                ring.channel(NodeId(from), 0, direction)?,
                vc - self.leg.first_vc,
            ))
        });
        let on_ring = Head {
            node: NodeId(u32::from(here[i])),
            arrived,
            destination: NodeId(u32::from(there[i])),
            state: head.state >> i & 1,
        };
        candidates.clear();
        Folded::new(order, self.leg.virtual_channels).route(on_ring, candidates);
        answer.clear();
        for candidate in candidates.as_slice() {
            let direction = ring.step(candidate.channel).direction;
            let channel = grid.channel(head.node, i, direction)?;
            answer.push((channel, candidate.vcs << self.leg.first_vc));
        }
        Some(())
    }
}

/// Whether packets drawn at random, from source to destination under `routing` on the grid, go as the
/// rings of `legs` say: along all but the last to the terminal that `between` finds in a state, and
/// along the last to their destination. `ways` finds in a state what the leg's dimension order drew.
pub(super) fn is_followed<R: Routing>(
    routing: &R,
    legs: &[&Product<'_>],
    between: impl Fn(u64) -> NodeId,
    ways: impl Fn(u64) -> u64,
) -> bool {
    let nodes = legs[0].grid().radices().iter().product();
    let mut walk = Walk {
        routing,
        legs: legs.iter().map(|leg| leg.on_rings()).collect(),
        between,
        ways,
        rng: Pcg64Mcg::seed_from_u64(0),
        candidates: Candidates::default(),
        own: Candidates::default(),
        answer: Vec::new(),
    };
    let mut hops = 0;
    for _ in 0..PACKETS_TRIED {
        let (source, destination) = (NodeId(walk.draw(nodes)), NodeId(walk.draw(nodes)));
        let choice = walk.draw(routing.choices(source, destination));
        let head = Head {
            node: source,
            arrived: None,
            destination,
            state: routing.initial(source, destination, choice),
        };
        match walk.hops(head) {
            Some(more) => hops += more,
            None => return false,
        }
        if hops > HOPS_TRIED_MOST {
            break;
        }
    }
    true
}

/// Packets on their way, and what they are compared with.
struct Walk<'w, R, B, W> {
    routing: &'w R,
    legs: Vec<OnRings<'w>>,
    between: B,
    ways: W,
    rng: Pcg64Mcg,
    candidates: Candidates,
    own: Candidates,
    answer: Vec<(ChannelId, u64)>,
}

impl<R: Routing, B: Fn(u64) -> NodeId, W: Fn(u64) -> u64> Walk<'_, R, B, W> {
    fn draw(&mut self, bound: u32) -> u32 {
        self.rng.random_range(..bound)
    }

    /// How many hops the packet of `head` takes from its source; `None` where it leaves the legs.
    fn hops(&mut self, mut head: Head) -> Option<u32> {
        let grid = self.legs[0].leg.order.grid();
        let last = self.legs.len() - 1;
        let most = 2 * grid.radices().iter().sum::<u32>();
        let (mut leg, mut of_leg, mut hops) = (0, None, 0);
        while head.node != head.destination {
            if leg < last && head.node == (self.between)(head.state) {
                (leg, of_leg) = (leg + 1, None);
            }
            let on_leg = Head {
                arrived: of_leg,
                destination: match leg < last {
                    true => (self.between)(head.state),
                    false => head.destination,
                },
                state: (self.ways)(head.state),
                ..head
            };
            self.candidates.clear();
            self.routing.route(head, &mut self.candidates);
            let found = self.candidates.as_slice();
            self.legs[leg].answer(on_leg, &mut self.own, &mut self.answer)?;
            let answer = self.answer.iter().copied();
            let is_same = found.iter().map(|c| (c.channel, c.vcs)).eq(answer);
            if !is_same || found.is_empty() || hops == most {
                return None;
            }
            let (channel, vc) = self.claim();
            of_leg = Some((channel, vc));
            head = Head {
                node: target(grid, head.node, channel),
                arrived: of_leg,
                state: self.routing.advance(head, channel, vc),
                ..head
            };
            hops += 1;
        }
        Some(hops)
    }

    /// A virtual channel of the candidates.
    fn claim(&mut self) -> (ChannelId, u32) {
        let candidates = self.candidates.as_slice();
        let ways = candidates
            .iter()
            .map(|candidate| candidate.vcs.count_ones());
        let mut left = self.rng.random_range(..ways.sum());
        for candidate in candidates {
            let ways = candidate.vcs.count_ones();
            if left < ways {
                let from = (0..left).fold(candidate.vcs, |vcs, _| vcs & (vcs - 1));
                return (candidate.channel, from.trailing_zeros());
            }
            left -= ways;
        }
        unreachable!("one of the ways that were counted")
    }
}

/// Where `channel` leads, which leaves `node`.
fn target(grid: &Grid, node: NodeId, channel: ChannelId) -> NodeId {
    let step = grid.step(channel);
    let (dimension, k) = (
        step.dimension as usize,
        grid.radices()[step.dimension as usize],
    );
    let stride: u32 = grid.radices()[..dimension].iter().product();
    let from = grid.coordinate(node, dimension);
    let to = match step.direction {
        Direction::Up => (from + 1) % k,
        Direction::Down => (from + k - 1) % k,
    };
    NodeId(node.0 - from * stride + to * stride)
}
