//! Proof that a routing relation cannot deadlock on its network, by enumeration of the very
//! relation that the engine calls.
//!
//! For every destination, every virtual channel that a packet may hold is visited with every state that the packet
//! may carry there. This shows whether each packet arrives whatever way it takes, without a dead end or an endless
//! round. The dependencies between virtual channels, over all destinations, form one graph. The relation is then free
//! of deadlock if one of these holds:
//!
//! 1. *The channel dependency graph has no cycle* (Dally & Seitz 1987). Its vertices are virtual
//!    channels of channels, and there is an edge from a to b where some packet that holds a may ask
//!    for b next.
//!
//! 2. *Duato's condition* (1993, 1995) on the escape subrelation R1 of the relation R, for relations that name one:
//!    R1 is connected, and its extended dependency graph has no cycle. Connected means that R1 has a way on from
//!    every place and state that R may bring a packet to; as R has no endless rounds, hops of R1 alone then lead to
//!    the destination. The vertices of the extended graph are C1, the virtual channels that R1 ever offers to any
//!    packet. There is an edge from a ∈ C1 to b where a packet that holds a goes on over any number of hops of R that
//!    are not of R1 *for it*, and may then ask for b in R1. Where a was an escape for that very packet, the
//!    dependency is *direct* if no hops lie between, else *indirect*. Where a was not (R1 offers a only to others, or
//!    elsewhere), it is *direct-cross* or *indirect-cross*.
//!
//!    Why this suffices: suppose there is a deadlock. Of the virtual channels of C1 that blocked packets hold, take
//!    the last one, a, in an order of the extended graph. Of a and those that its packet holds after a, let a′ be the
//!    last that the packet took as an escape, or a if there is none. So a′ is a, or after a by edges of this packet.
//!    Its head is blocked, and R1 offers it some b. There is an edge from a′ to b, so b is after a. But b is held by
//!    a blocked packet too, and a was the last.
//!
//!    The condition needs atomic reallocation: a virtual channel holds flits of one packet only, so that every
//!    blocked packet's head is seen. Under virtual cut-through and store-and-forward, blocked packets are in one
//!    buffer each, whose first packet sees its escape. So either reallocation will do, and only direct and
//!    direct-cross dependencies count (Duato 1996).
//!
//! With `interleave_flits = false` a packet has a channel to itself from head to tail, whatever virtual channel it is
//! on. A packet that waits for one virtual channel then waits for the holder of any. So the virtual channels of a
//! channel are one vertex, and 1 is asked of that graph, in full. It suffices that the graph is acyclic: of the
//! channels that blocked packets hold, take the last in an order of the graph. The head that is blocked behind it
//! asks for a later one, whose holder is not blocked.
//!
//! Networks too large to enumerate every destination are proved by [symmetry](flitsim_engine::routing::Symmetry)
//! where the relation respects one. One destination of each class is enumerated, and virtual channels that an
//! automorphism takes to each other are one vertex. A cycle of the classes lifts to one of the network, because a
//! walk along it never ends there; a cycle of the network shows among the classes. So both graphs have cycles or
//! neither has. Where automorphisms keep the destination and move channels, as in star graphs, what they take to each
//! other is enumerated once.
//!
//! Invariant: the proof is the same for any number of threads.

pub(crate) mod alike;
mod cycle;
mod dependencies;
mod explore;
mod extended;
mod fold;
mod proof;
mod reason;
mod symmetry;
mod trial;
mod witness;

pub use fold::{verify_by_legs, verify_by_product, verify_leg_by_leg};
pub use proof::{Coverage, Method, Proof, Verdict};
pub use reason::{DependencyKind, ExtendedDependency, Reason};
pub(crate) use symmetry::Group;

use dependencies::{Dependencies, Frame};
use explore::{Explorer, Found};
use flitsim_engine::routing::{Relation, Symmetry};
use flitsim_engine::{EngineConfig, FlowControl, Routing, VcReallocation};
use flitsim_topology::properties::Automorphisms;
use flitsim_topology::{Network, NodeId};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Terminals × channels × virtual channels from which on symmetry is used.
const WORK_FOR_SYMMETRY: u64 = 1 << 22;

/// States of packets to all destinations from which on it is used too: some seconds' worth.
const STATES_FOR_SYMMETRY: u64 = 1 << 21;

/// Terminals × channels × virtual channels up to which what is refused by automorphisms is enumerated in whole
/// for a witness.
const WORK_FOR_WITNESS: u64 = 1 << 31;

/// How much is enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything; on large networks whose symmetry the relation respects, one destination of each class.
    Auto,
    /// Everything.
    Full,
    /// One destination of each class wherever the relation respects a symmetry.
    Symmetric,
}

/// The options of a proof.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'p> {
    /// Virtual channels of each channel, 1 to 64.
    pub virtual_channels: u32,
    /// When a virtual channel may be claimed again.
    pub vc_reallocation: VcReallocation,
    /// When a packet may advance.
    pub flow_control: FlowControl,
    /// Whether packets share a channel; if not, its virtual channels are one vertex.
    pub interleaves: bool,
    /// How much is enumerated.
    pub extent: Extent,
    /// The most configurations of packets to one destination that are kept, one of each orbit where automorphisms
    /// keep it. With more there is no proof, nor with more than 16 hops for each. A configuration takes 50 to 90
    /// bytes, and 4 for each that may follow it. Of destinations with more than a sixteenth of them, one is in memory
    /// at a time, whatever the number of threads.
    pub configurations_most: u64,
    /// Called with the number of destinations done and that of all; may start again from the beginning.
    pub progress: Option<&'p (dyn Fn(u64, u64) + Sync)>,
}

impl VerifyOptions<'_> {
    /// The options of a proof for routers of `config`.
    pub fn of(config: &EngineConfig) -> Self {
        Self {
            virtual_channels: config.virtual_channels,
            vc_reallocation: config.vc_reallocation,
            flow_control: config.flow_control,
            interleaves: config.interleave_flits,
            extent: Extent::Auto,
            configurations_most: 1 << 24,
            progress: None,
        }
    }

    /// Whether packets are alone on channels that have several virtual channels.
    pub fn are_alone(&self) -> bool {
        !self.interleaves && self.virtual_channels > 1
    }

    /// Every channel its own class, its virtual channels one vertex where packets are alone on it.
    fn full_frame<'n>(&self, network: &'n Network) -> Frame<'n> {
        let vcs = if self.are_alone() {
            1
        } else {
            self.virtual_channels
        };
        Frame::full(network, vcs).of_channels(self.are_alone())
    }
}

/// What all parts of a proof share.
struct Task<'a, R> {
    network: &'a Network,
    routing: &'a R,
    options: &'a VerifyOptions<'a>,
    frame: Frame<'a>,
    destinations: Vec<NodeId>,
    /// The automorphisms that are made use of.
    group: Option<Group<'a>>,
    /// Those that were checked on the network, where no family names its own.
    alike: Option<&'a Automorphisms>,
}

/// Proves `routing` free of deadlock on `network`, or finds why it is not. Runs on the threads of
/// the rayon pool that it is called in.
///
/// # Panics
/// Unless there are 1 to 64 virtual channels.
pub fn verify<R: Routing>(network: &Network, routing: &R, options: &VerifyOptions<'_>) -> Proof {
    let vcs = options.virtual_channels;
    assert!((1..=64).contains(&vcs), "{vcs} virtual channels");
    let work = u64::from(network.terminals()) * u64::from(network.channels()) * u64::from(vcs);
    let is_wanted = match options.extent {
        Extent::Full => false,
        Extent::Symmetric => true,
        Extent::Auto => {
            work >= WORK_FOR_SYMMETRY || states(network, routing, options) >= STATES_FOR_SYMMETRY
        }
    };
    let is_whole = !options.are_alone();
    let symmetry = match is_wanted && is_whole {
        true => routing.symmetry(),
        false => Symmetry::None,
    };
    let groups: Vec<_> = Group::all_of(network, symmetry).collect();
    for &group in &groups {
        if !group.is_respected(routing, options) {
            continue;
        }
        let task = Task {
            network,
            routing,
            options,
            frame: Frame::of(group, vcs),
            destinations: group.representatives(),
            group: Some(group),
            alike: None,
        };
        let proof = task.prove();
        // Without witness: what is wrong is shown by translations, where that can be done.
        let each = proof.configurations / u64::from(network.terminals().max(1));
        if proof.is_free() || task.has_witnesses() || each > options.configurations_most {
            return proof;
        }
    }
    // A relation that breaks its word about the translations of a family is taken at no other.
    let automorphisms = match groups.is_empty() && is_whole {
        true => alike::of(network, routing, symmetry, vcs),
        false => None,
    };
    if let Some(automorphisms) = &automorphisms {
        let terminals = automorphisms.terminals().iter();
        let task = Task {
            network,
            routing,
            options,
            frame: Frame::alike(network, automorphisms, vcs),
            destinations: terminals.map(|orbit| orbit.representative).collect(),
            group: None,
            alike: Some(automorphisms),
        };
        let proof = task.prove();
        if proof.is_free() || work > WORK_FOR_WITNESS {
            return proof;
        }
    }
    let task = Task {
        network,
        routing,
        options,
        frame: options.full_frame(network),
        destinations: network.living_terminals().collect(),
        group: None,
        alike: None,
    };
    task.prove()
}

/// As [`verify`], for a relation that the registry knows: compiled here, once, for speed.
///
/// # Panics
/// As [`verify`].
pub fn verify_relation(
    network: &Network,
    relation: &Relation<'_>,
    options: &VerifyOptions<'_>,
) -> Proof {
    verify(network, relation, options)
}

/// States of packets to all destinations, as if all had as many as the first.
fn states<R: Routing>(network: &Network, routing: &R, options: &VerifyOptions<'_>) -> u64 {
    let (vcs, most) = (options.virtual_channels, options.configurations_most);
    let mut explorer = Explorer::new(network, routing, vcs, most, None);
    let first = network.living_terminals().next();
    let found = first.map(|first| explorer.explore(first, None));
    found.map_or(0, |found| found.configurations) * u64::from(network.terminals())
}

impl<'a, R: Routing> Task<'a, R> {
    fn coverage(&self) -> Coverage {
        match (&self.group, self.alike) {
            (Some(group), _) => group.coverage(),
            (None, Some(alike)) => Coverage::ByOrbits {
                destinations: self.destinations.len() as u32,
                generators: alike.images().len() as u32,
            },
            (None, None) => Coverage::Full,
        }
    }

    /// Whether heads and channels of the enumeration are those that follow one another in the network,
    /// and not just images of them.
    fn has_witnesses(&self) -> bool {
        let is_real = |group: Group<'_>| group.orbits().is_none() && group.tree().is_none();
        self.alike.is_none() && self.group.is_none_or(is_real)
    }

    fn explorer(&self) -> Explorer<'a, R> {
        let options = self.options;
        Explorer::new(
            self.network,
            self.routing,
            options.virtual_channels,
            options.configurations_most,
            self.group.and_then(|group| group.orbits()),
        )
    }

    /// What `each` makes of every one of `destinations`, in their order, on all threads.
    fn map<T: Send>(
        &self,
        destinations: &[NodeId],
        done_before: u64,
        each: impl Fn(&mut Explorer<'a, R>, NodeId) -> T + Sync,
    ) -> Vec<T> {
        let done = AtomicU64::new(done_before);
        if let Some(progress) = self.options.progress {
            progress(done_before, self.destinations.len() as u64);
        }
        let of = |explorer: &mut Explorer<'a, R>, index: usize| {
            let made = each(explorer, destinations[index]);
            explorer.rest();
            if let Some(progress) = self.options.progress {
                progress(
                    done.fetch_add(1, Relaxed) + 1,
                    self.destinations.len() as u64,
                );
            }
            made
        };
        flitsim_topology::parallel::map_with(destinations.len(), || self.explorer(), of)
    }

    fn prove(&self) -> Proof {
        let dependencies = match Dependencies::new(&self.frame) {
            Ok(dependencies) => dependencies,
            Err(bytes) => return self.too_large(bytes),
        };
        // Behind a destination that has too many configurations nothing matters any more; what is
        // before it is explored all the same, so that the reason is the same for any number of
        // threads.
        let given_up_from = AtomicU32::new(u32::MAX);
        let found = self.map(&self.destinations, 0, |explorer, destination| {
            if destination.0 > given_up_from.load(Relaxed) {
                return Found::default();
            }
            let found = explorer.explore(destination, Some(&dependencies));
            if let Some(Reason::TooManyConfigurations { .. } | Reason::TooManyHops { .. }) =
                found.reason
            {
                given_up_from.fetch_min(destination.0, Relaxed);
            }
            found
        });
        let mut proof = self.counted(&dependencies, &found);
        if given_up_from.into_inner() != u32::MAX {
            // How much was seen before it was given up is chance.
            (proof.vertices, proof.escape_vertices) = (0, 0);
            (proof.dependencies, proof.configurations) = (0, 0);
        }
        if let Some(mut reason) = first_reason(&found) {
            if let Reason::UnreachablePair { pairs, .. } = &mut reason {
                *pairs *= self.destinations_each();
            }
            if let Reason::Livelock { heads } = &mut reason
                && self.has_witnesses()
            {
                // Only now: a shortest one takes long to find.
                let mut explorer = self.explorer();
                explorer.explore(heads[0].destination, None);
                *heads = explorer.round();
            }
            if reason.is_of_connection() {
                proof.reaches_every_pair = false;
                proof.longest_route_hops = 0;
            }
            let cycle = match &reason {
                Reason::Livelock { heads } if self.has_witnesses() => {
                    heads.iter().filter_map(|head| head.arrived).collect()
                }
                _ => Vec::new(),
            };
            proof.verdict = Verdict::NotFree { reason, cycle };
            return proof;
        }
        if !cycle::exists(&dependencies) {
            return proof;
        }
        proof.verdict = if !self.routing.has_escape() || self.options.are_alone() {
            self.refuse(Reason::Cycle, &dependencies)
        } else {
            proof.method = Method::AcyclicExtendedCdg;
            if self.is_non_atomic() {
                self.refuse(Reason::NonAtomicReallocation, &dependencies)
            } else {
                self.prove_escape()
            }
        };
        proof
    }

    fn is_non_atomic(&self) -> bool {
        self.options.flow_control == FlowControl::Wormhole
            && self.options.vc_reallocation == VcReallocation::NonAtomic
    }

    /// Whether packets hold what they have passed while they wait: not where they wait in one
    /// buffer.
    fn has_indirect(&self) -> bool {
        self.options.flow_control == FlowControl::Wormhole
    }

    fn prove_escape(&self) -> Verdict {
        let Err(cycle) = extended::settle(self) else {
            let method = Method::AcyclicExtendedCdg;
            return Verdict::Free { method };
        };
        if !self.has_witnesses() {
            let (dependencies, cycle) = (Vec::new(), Vec::new());
            let reason = Reason::ExtendedCycle { dependencies };
            return Verdict::NotFree { reason, cycle };
        }
        let cycle = witness::shorten(self, cycle);
        let (cycle, dependencies) = witness::explain(self, &cycle);
        let reason = Reason::ExtendedCycle { dependencies };
        Verdict::NotFree { reason, cycle }
    }

    /// The verdict with the shortest cycle of dependencies in the network.
    fn refuse(&self, reason: Reason, dependencies: &Dependencies<'_>) -> Verdict {
        if !self.has_witnesses() {
            let cycle = Vec::new();
            return Verdict::NotFree { reason, cycle };
        }
        let full = self.options.full_frame(self.network);
        let cycle = if self.group.is_none() {
            cycle::shortest(dependencies, cycle::EDGES_MOST)
        } else {
            // Classes are not virtual channels of the network: without room for those, no witness.
            let unfolded = dependencies.unfold(&full).ok();
            unfolded.and_then(|graph| cycle::shortest(&graph, cycle::EDGES_MOST))
        };
        let cycle = cycle.unwrap_or_default();
        Verdict::NotFree {
            reason,
            cycle: cycle.iter().map(|&v| full.virtual_channel(v)).collect(),
        }
    }

    /// The destinations for which each one that is enumerated stands.
    fn destinations_each(&self) -> u64 {
        self.group.map_or(1, |group| group.nodes_of_class())
    }

    fn counted(&self, dependencies: &Dependencies<'_>, found: &[Found]) -> Proof {
        let orbits = self.alike.map_or(&[][..], Automorphisms::terminals);
        let sizes = orbits.iter().map(|orbit| u64::from(orbit.size));
        let sizes = sizes.chain(std::iter::repeat(self.destinations_each()));
        let configurations = found
            .iter()
            .zip(sizes)
            .map(|(f, each)| f.configurations * each);
        let configurations: u64 = configurations.sum();
        let longest = found.iter().map(|f| f.longest_route_hops).max();
        let method = Method::AcyclicCdg;
        Proof {
            verdict: Verdict::Free { method },
            method,
            virtual_channels: self.options.virtual_channels,
            vertices: dependencies.vertices(),
            escape_vertices: if self.routing.has_escape() {
                dependencies.escapes()
            } else {
                0
            },
            dependencies: dependencies.edges(),
            configurations,
            reaches_every_pair: true,
            longest_route_hops: longest.unwrap_or(0),
            coverage: self.coverage(),
        }
    }

    fn too_large(&self, bytes: u64) -> Proof {
        let mebibytes = bytes >> 20;
        let reason = Reason::TooManyDependencies { mebibytes };
        Proof {
            verdict: Verdict::NotFree {
                reason,
                cycle: Vec::new(),
            },
            method: Method::AcyclicCdg,
            virtual_channels: self.options.virtual_channels,
            vertices: 0,
            escape_vertices: 0,
            dependencies: 0,
            configurations: 0,
            reaches_every_pair: false,
            longest_route_hops: 0,
            coverage: self.coverage(),
        }
    }
}

/// What is wrong with the first destination to which packets may fail to arrive, or else with the
/// first that anything is wrong with.
fn first_reason(found: &[Found]) -> Option<Reason> {
    let reasons = || found.iter().filter_map(|f| f.reason.as_ref());
    let of_connection = reasons().find(|reason| reason.is_of_connection());
    let mut reason = of_connection.or_else(|| reasons().next())?.clone();
    if let Reason::UnreachablePair { pairs, .. } = &mut reason {
        *pairs = found.iter().map(|f| f.pairs_unreachable).sum();
    }
    Some(reason)
}
