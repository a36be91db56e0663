//! Local traffic: destinations near the source, by hops along shortest paths.
//!
//! Two laws. Within a radius, all terminals are alike. With a mean distance m, the distance h is
//! drawn first, with a probability in proportion to ρ^h among the distances at which the source has
//! terminals, and then one of the terminals there, all alike: a geometric law, cut off at the
//! farthest terminal. Each source has a ρ of its own, from 0 to 1, that makes its mean distance
//! exactly m, whether it is in a corner or in the middle (cf. Dally & Towles, section 3.2, on
//! locality).
//!
//! Invariant: the places around a centre are in ascending order of distance, and of nodes within a
//! distance. A grid that looks alike from every node (each dimension a ring, or of radix 2) stores
//! those around node 0 only, and adds coordinates; other networks store those around every terminal.

use super::law::{Context, Kind, Law};
use crate::PatternError;
use crate::thresholds::shares;
use flitsim_keys::{Description, Fault, Key, Rule, Values, Within};
use flitsim_random::Draw;
use flitsim_topology::{ChannelId, Network, NodeId};
use rand::Rng;
use std::collections::BTreeMap;

/// The most places stored: 256 MiB.
const PLACES_LIMIT: usize = 1 << 26;

/// Terminals near the source, by hops along shortest paths; on any network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// How near.
    pub reach: Reach,
    /// Whether the source, at distance 0, is one of its own destinations.
    pub include_self: bool,
}

/// How near local destinations are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Within so many hops, all terminals alike.
    Radius(u32),
    /// At a distance h with a probability in proportion to ρ^h, among the distances at which the
    /// source has terminals, and there all terminals alike; ρ, from 0 to 1, gives each source this
    /// mean distance.
    MeanDistance(f64),
}

const RADIUS: Key<Option<u32>> = Key::integer(
    "radius",
    1..=1 << 20,
    "hops",
    "local: the most hops to a destination; not with `mean_distance`.",
)
.optional();

const MEAN_DISTANCE: Key<Option<f64>> = Key::number(
    "mean_distance",
    Within::at_least(0.0),
    "hops",
    "local: the mean number of hops to a destination; not with `radius`.",
)
.optional();

impl Kind for Local {
    const KEYS: &'static [Description] = &const { [RADIUS.described(), MEAN_DISTANCE.described()] };

    const RULES: &'static [Rule] = &[
        Rule::Either {
            one: &["radius"],
            other: &["mean_distance"],
            help: "`radius` reaches all terminals within so many hops alike, `mean_distance` prefers the \
                   nearer ones",
        },
        Rule::OneOf {
            groups: &[&["radius"], &["mean_distance"]],
            help: "write `radius = 2` or `mean_distance = 2.5`, in hops",
        },
    ];

    type Law = Near;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        Ok(Self {
            reach: match values.get(&MEAN_DISTANCE) {
                // Whether a network has it is seen there.
                Some(mean) => Reach::MeanDistance(mean),
                None => Reach::Radius(values.get(&RADIUS).unwrap_or(1)),
            },
            include_self: context.include_self,
        })
    }

    fn compile(&self, network: &Network) -> Result<Near, PatternError> {
        Near::new(self.reach, self.include_self, network)
    }

    fn remedy(&self, error: &PatternError) -> Option<String> {
        match error {
            PatternError::NobodyNear { nearest, .. } => {
                Some(format!("`radius = {nearest}` or more"))
            }
            PatternError::MeanDistance {
                mean_distance,
                low,
                high,
                ..
            } => Some(format!(
                "`mean_distance = {}`: every source has this mean, and from the middle of a mesh the \
                 farthest is nearer than from a corner",
                mean_distance.clamp(*low, *high)
            )),
            PatternError::LocalTooLarge { .. } => Some("a small `radius`, or `uniform`".to_owned()),
            _ => None,
        }
    }
}

/// Local traffic on a network.
#[derive(Clone, Debug)]
pub(super) struct Near {
    /// The terminals around each centre, and where they begin.
    starts: Box<[usize]>,
    places: Box<[NodeId]>,
    /// By centre: its distances, where the law depends on them.
    by_distance: Option<ByDistance>,
    /// The radices of a grid whose only centre is node 0.
    radices: Option<Box<[u32]>>,
}

/// What a mean distance makes of the places.
#[derive(Clone, Debug)]
struct ByDistance {
    /// The ends of the distances among a centre's places, and where they begin.
    starts: Box<[usize]>,
    ends: Box<[u32]>,
    /// Which of the laws each centre has.
    law_of: Box<[u32]>,
    /// P(a nearer distance), in units of 2^-64, for each distance with a share; ascends from 0.
    laws: Vec<Box<[u64]>>,
}

impl Near {
    fn new(reach: Reach, include_self: bool, network: &Network) -> Result<Self, PatternError> {
        let radices = network.grid().and_then(|grid| {
            let alike = (0..grid.dimensions()).all(|i| grid.is_ring(i) || grid.radices()[i] == 2);
            alike.then(|| grid.radices().into())
        });
        let terminals = network.terminals();
        if terminals < 2 {
            let pattern = "local";
            return Err(PatternError::TooFewTerminals { pattern, terminals });
        }
        let centres = if radices.is_some() { 1 } else { terminals };
        let limit = PLACES_LIMIT;
        // Under a mean distance every terminal is some terminal's destination.
        let all = u64::from(centres) * u64::from(terminals - 1);
        if matches!(reach, Reach::MeanDistance(_)) && all > limit as u64 {
            return Err(PatternError::LocalTooLarge { limit });
        }
        let mut around = Around::new(network, reach, include_self);
        let (mut starts, mut places) = (vec![0], Vec::new());
        let mut distances = Distances::default();
        for centre in (0..centres).map(NodeId) {
            around.search(centre, &mut places)?;
            starts.push(places.len());
            if let Reach::MeanDistance(mean) = reach {
                distances.add(centre, mean, &around.ends)?;
            }
            if places.len() > limit {
                return Err(PatternError::LocalTooLarge { limit });
            }
        }
        Ok(Self {
            starts: starts.into(),
            places: places.into(),
            by_distance: matches!(reach, Reach::MeanDistance(_)).then(|| distances.finish()),
            radices,
        })
    }

    /// The centre whose places are those of `source`.
    #[inline]
    fn centre(&self, source: NodeId) -> usize {
        match self.radices {
            Some(_) => 0,
            None => source.index(),
        }
    }

    /// The place around the centre as a place around `source`.
    #[inline]
    fn moved(&self, place: NodeId, source: NodeId) -> NodeId {
        let Some(radices) = &self.radices else {
            return place;
        };
        let (mut from, mut by, mut stride, mut to) = (source.0, place.0, 1, 0);
        for &radix in radices {
            let sum = from % radix + by % radix;
            to += stride * if sum >= radix { sum - radix } else { sum };
            (from, by) = (from / radix, by / radix);
            stride = stride.wrapping_mul(radix);
        }
        NodeId(to)
    }
}

impl Law for Near {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        let centre = self.centre(source);
        let mut range = self.starts[centre]..self.starts[centre + 1];
        if let Some(by_distance) = &self.by_distance {
            let law = by_distance.law(centre);
            let word = rng.next_u64();
            let distance = law.partition_point(|&nearer| nearer <= word) - 1;
            range = by_distance.range(centre, distance, range.start);
        }
        let count = (range.end - range.start) as u32;
        let place = self.places[range.start + rng.below(count) as usize];
        self.moved(place, source)
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let centre = self.centre(source);
        let all = self.starts[centre]..self.starts[centre + 1];
        let mut demand: Vec<(NodeId, f64)> = Vec::new();
        let mut add = |range: std::ops::Range<usize>, share: f64| {
            let probability = share / range.len() as f64;
            let places = self.places[range].iter();
            demand.extend(places.map(|&place| (self.moved(place, source), probability)));
        };
        match &self.by_distance {
            None => add(all, 1.0),
            Some(by_distance) => {
                let law = by_distance.law(centre);
                for (distance, &nearer) in law.iter().enumerate() {
                    let next = law.get(distance + 1).map_or(1 << 64, |&n| u128::from(n));
                    let share = (next - u128::from(nearer)) as f64 / (1u128 << 64) as f64;
                    add(by_distance.range(centre, distance, all.start), share);
                }
            }
        }
        demand.sort_unstable_by_key(|(node, _)| *node);
        demand.into_iter().for_each(|(node, p)| visit(node, p));
    }
}

impl ByDistance {
    #[inline]
    fn law(&self, centre: usize) -> &[u64] {
        &self.laws[self.law_of[centre] as usize]
    }

    /// The places at the centre's distance of that index; its places begin at `start`.
    #[inline]
    fn range(&self, centre: usize, distance: usize, start: usize) -> std::ops::Range<usize> {
        let ends = &self.ends[self.starts[centre]..];
        let from = match distance {
            0 => 0,
            _ => ends[distance - 1],
        };
        start + from as usize..start + ends[distance] as usize
    }
}

/// The distances of all centres so far, with the law of each.
#[derive(Default)]
struct Distances {
    starts: Vec<usize>,
    ends: Vec<u32>,
    law_of: Vec<u32>,
    laws: Vec<Box<[u64]>>,
    /// The law of centres that have terminals at just these distances.
    known: BTreeMap<Vec<u32>, u32>,
}

impl Distances {
    fn add(&mut self, centre: NodeId, mean: f64, ends: &[(u32, u32)]) -> Result<(), PatternError> {
        self.starts.push(self.ends.len());
        self.ends.extend(ends.iter().map(|(_, end)| *end));
        let hops: Vec<u32> = ends.iter().map(|(hops, _)| *hops).collect();
        let law = match self.known.get(&hops) {
            Some(&law) => law,
            None => {
                self.laws.push(law(&hops, mean, centre)?);
                let law = (self.laws.len() - 1) as u32;
                self.known.insert(hops, law);
                law
            }
        };
        self.law_of.push(law);
        Ok(())
    }

    fn finish(self) -> ByDistance {
        ByDistance {
            starts: self.starts.into(),
            ends: self.ends.into(),
            law_of: self.law_of.into(),
            laws: self.laws,
        }
    }
}

/// A weight too small to be drawn, beside that of the nearest, by far: 2^-64 is about 5e-20.
const WEIGHT_LEAST: f64 = 1e-25;

/// The weights ρ^h of the ascending distances `hops`, the first taken as 1, as far as they count.
fn weights(hops: &[u32], ratio: f64) -> Vec<f64> {
    let mut weight = 1.0;
    let mut last = hops[0];
    let all = hops.iter().map(|&h| {
        for _ in last..h {
            weight *= ratio;
        }
        last = h;
        weight
    });
    all.take_while(|&weight| weight >= WEIGHT_LEAST).collect()
}

/// The geometric law over the ascending distances `hops` with the mean `mean`, as P(nearer).
fn law(hops: &[u32], mean: f64, centre: NodeId) -> Result<Box<[u64]>, PatternError> {
    let mean_of = |ratio: f64| {
        let weights = weights(hops, ratio);
        let sum: f64 = weights.iter().sum();
        let parts = weights.iter().zip(hops);
        parts.map(|(weight, &h)| weight * f64::from(h)).sum::<f64>() / sum
    };
    let (low, high) = (f64::from(hops[0]), mean_of(1.0));
    if !(low..=high).contains(&mean) {
        return Err(PatternError::MeanDistance {
            mean_distance: mean,
            origin: centre.0,
            low,
            high,
        });
    }
    let (mut below, mut above) = (0.0, 1.0);
    // Each step halves: after these the two are neighbours or the mean no longer tells.
    for _ in 0..80 {
        let middle = (below + above) / 2.0;
        match mean_of(middle) < mean {
            true => below = middle,
            false => above = middle,
        }
    }
    let ratio = match mean {
        mean if mean <= low => 0.0,
        mean if mean >= high => 1.0,
        _ => above,
    };
    let mut sum = 0u128;
    let mut nearer = Vec::new();
    // Weights descend: once a share is 0, all that follow are.
    for share in shares(&weights(hops, ratio)) {
        if share > 0 {
            nearer.push(sum as u64);
            sum += share;
        }
    }
    Ok(nearer.into())
}

/// A search from one centre after the other, no farther than the reach.
struct Around<'n> {
    network: &'n Network,
    radius: u32,
    include_self: bool,
    /// The last centre that met each node, plus 1.
    met: Vec<u32>,
    layer: Vec<NodeId>,
    next: Vec<NodeId>,
    /// Of the centre searched last: each distance with terminals, and the end of its places.
    ends: Vec<(u32, u32)>,
}

impl<'n> Around<'n> {
    fn new(network: &'n Network, reach: Reach, include_self: bool) -> Self {
        Self {
            network,
            radius: match reach {
                Reach::Radius(radius) => radius,
                Reach::MeanDistance(_) => u32::MAX,
            },
            include_self,
            met: vec![0; network.nodes() as usize],
            layer: Vec::new(),
            next: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Appends the terminals around `centre`.
    fn search(&mut self, centre: NodeId, places: &mut Vec<NodeId>) -> Result<(), PatternError> {
        let terminals = self.network.terminals();
        let start = places.len();
        self.ends.clear();
        if self.include_self {
            places.push(centre);
            self.ends.push((0, 1));
        }
        self.layer.clear();
        self.layer.push(centre);
        self.met[centre.index()] = centre.0 + 1;
        let mut found = 0;
        for steps in 1u32.. {
            let hops = steps.saturating_sub(self.network.hops_at_terminals());
            self.step(centre);
            let here = self.layer.iter().filter(|node| node.0 < terminals);
            let before = places.len();
            if hops <= self.radius {
                places.extend(here);
                places[before..].sort_unstable();
                found += places.len() - before;
            } else if self.layer.is_empty() {
                break;
            } else if here.count() > 0 {
                return Err(PatternError::NobodyNear {
                    origin: centre.0,
                    radius: self.radius,
                    nearest: hops,
                });
            }
            if places.len() > before {
                self.ends.pop_if(|&mut (nearer, _)| nearer == hops);
                self.ends.push((hops, (places.len() - start) as u32));
            }
            if self.layer.is_empty() || hops == self.radius && found > 0 {
                break;
            }
        }
        match found {
            0 => Err(PatternError::NobodyReachable { origin: centre.0 }),
            _ => Ok(()),
        }
    }

    /// From a layer to the next, which is empty behind the last.
    fn step(&mut self, centre: NodeId) {
        self.next.clear();
        for &node in &self.layer {
            for channel in self.network.outgoing(node).map(ChannelId) {
                let target = self.network.target(channel);
                if self.met[target.index()] != centre.0 + 1 {
                    self.met[target.index()] = centre.0 + 1;
                    self.next.push(target);
                }
            }
        }
        std::mem::swap(&mut self.layer, &mut self.next);
    }
}
