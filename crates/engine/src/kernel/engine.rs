//! The engine: one network's routers, and the phases of a cycle in their order.

use crate::config::VcReallocation;
use crate::kernel::active::{ActiveSet, for_each_member};
use crate::kernel::bits::Ports;
use crate::kernel::fast_paths::{FastPaths, Way};
use crate::kernel::partition::{Partition, Whole};
use crate::kernel::staged::Stages;
use crate::kernel::start::Start;
use crate::kernel::state::{Router, Scratch, State};
use crate::kernel::wheel::{NextCycle, Wheel};
use crate::kernel::wiring::Wiring;
use crate::packet::Packets;
use crate::routing::undecided;
use crate::{ConfigError, EngineConfig, FlowControl, NewPacket, Probe, Routing};
use flitsim_topology::{Network, archived};

/// Totals since cycle 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that terminals created.
    pub packets_offered: u64,
    /// Packets whose head left the source queue for an injection buffer. A packet that takes the
    /// place of one whose tail has just left is counted with that tail, a cycle early.
    pub packets_entered: u64,
    /// Packets whose tail was consumed.
    pub packets_delivered: u64,
    /// Flits of the packets offered.
    pub flits_offered: u64,
    /// Flits consumed by terminals.
    pub flits_ejected: u64,
    /// Flits moved over router-to-router channels.
    pub flit_hops: u64,
}

archived! { Counters {
    packets_offered, packets_entered, packets_delivered, flits_offered, flits_ejected, flit_hops
} }

impl std::iter::Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(counters: I) -> Self {
        counters.fold(Self::default(), |sum, part| Self {
            packets_offered: sum.packets_offered + part.packets_offered,
            packets_entered: sum.packets_entered + part.packets_entered,
            packets_delivered: sum.packets_delivered + part.packets_delivered,
            flits_offered: sum.flits_offered + part.flits_offered,
            flits_ejected: sum.flits_ejected + part.flits_ejected,
            flit_hops: sum.flit_hops + part.flit_hops,
        })
    }
}

/// A network of routers in motion.
///
/// ```
/// use flitsim_engine::routing::{DimensionOrder, Tie};
/// use flitsim_engine::{Engine, EngineConfig, NewPacket, NoProbe};
/// use flitsim_topology::{Ends, Grid, NodeId};
///
/// let network = Grid::uniform(4, 2, Ends::Open)?.into_network();
/// let config = EngineConfig::default();
/// let grid = network.grid().expect("a mesh has coordinates");
/// let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
/// let mut engine = Engine::new(&network, routing, config, 1, NoProbe)?;
///
/// // Corner to corner of a 4 × 4 mesh: H = 6 channels; a packet of F = 16 flits takes H + F cycles.
/// engine.offer(NewPacket {
///     source: NodeId(0),
///     destination: NodeId(15),
///     flits: 16,
///     entropy: 0,
/// });
/// while !engine.is_idle() {
///     engine.step();
/// }
/// assert_eq!(engine.cycle(), 6 + 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine<'n, R, P, E = Whole> {
    pub(crate) network: &'n Network,
    /// Which of the routers it moves.
    pub(crate) partition: E,
    pub(crate) routing: R,
    pub(crate) config: EngineConfig,
    pub(crate) seed: u64,
    pub(crate) cycle: u64,
    pub(crate) wiring: Wiring,
    pub(crate) state: State,
    pub(crate) packets: Packets,
    /// Lanes in which a flit becomes ready.
    pub(crate) flits_due: Wheel,
    /// Lanes that get a credit back.
    pub(crate) credits_due: Wheel,
    /// Ivcs that wait for an output from the next cycle on.
    pub(crate) waits_next: NextCycle,
    /// Ivcs that request from the next cycle on.
    pub(crate) requests_next: NextCycle,
    /// The routers where heads wait.
    pub(crate) waiting: ActiveSet,
    /// The routers where flits request.
    pub(crate) requesting: ActiveSet,
    pub(crate) scratch: Scratch,
    pub(crate) counters: Counters,
    /// Cycles in a router, by [`FlitKind::index`](crate::FlitKind).
    pub(crate) router_cycles: [u64; 4],
    /// Fast paths enabled for this configuration.
    pub(crate) fast_paths: FastPaths,
    /// Cycles from a packet's creation until its head, in an injection buffer, is ready.
    pub(crate) source_cycles: u64,
    /// What routers in stages remember; their cycle has phases of its own.
    pub(crate) stages: Option<Box<Stages>>,
    /// The ports of a router as groups of bits.
    pub(crate) ports: Ports,
    /// Whether the last cycle moved a flit, claimed a virtual channel, or waited for a channel's
    /// period.
    pub(crate) progress: bool,
    pub(crate) probe: P,
}

// Between two cycles. What the probe saw is for its owner to keep.
archived! { Engine<'_, R, P, E> where [R, P, E: Partition] {
    cycle, state, packets, flits_due, credits_due, waits_next, requests_next, waiting, requesting, counters,
    progress, partition; fixed stages; rebuilt network, routing, config, seed, wiring, scratch,
    router_cycles, fast_paths, source_cycles, ports, probe
} }

/// The router whose turn it is, and where its parts of the flat arrays begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub(crate) router: u32,
    pub(crate) first_ivc: u32,
    pub(crate) first_word: usize,
    /// Words of its masks.
    pub(crate) words: usize,
    pub(crate) first_channel: u32,
    /// Where its outputs' pointers begin.
    pub(crate) first_pointer: u32,
    /// Its ejection as a local output: it follows the channels.
    pub(crate) ejection: u32,
}

impl Here {
    #[inline(always)]
    pub(crate) fn new(router: u32, first_word: usize, wiring: Wiring, state: &Router) -> Self {
        Self {
            router,
            first_ivc: wiring.first_ivc(router),
            first_word,
            words: 1,
            first_channel: state.first_channel,
            first_pointer: state.first_channel + router,
            ejection: state.channels,
        }
    }

    /// Router `router`, of however many words its masks are.
    #[inline]
    pub(crate) fn of(router: u32, wiring: Wiring, routers: &[Router], words_of: &[u16]) -> Self {
        let first_word = router as usize * wiring.words;
        let words = words_of.get(router as usize);
        Self {
            words: words.map_or(1, |&words| usize::from(words)),
            ..Self::new(router, first_word, wiring, &routers[first_word])
        }
    }

    /// Its words among those of all routers.
    #[inline(always)]
    pub(crate) fn own_words(self) -> std::ops::Range<usize> {
        self.first_word..self.first_word + self.words
    }

    /// Its input virtual channel `local`.
    #[inline(always)]
    pub(crate) fn ivc(self, local: u32) -> u32 {
        self.first_ivc + local
    }
}

impl<'n, R: Routing, P: Probe> Engine<'n, R, P> {
    /// The routers of `network`, all empty, at cycle 0. `seed` decides what is left to chance.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    pub fn new(
        network: &'n Network,
        routing: R,
        config: EngineConfig,
        seed: u64,
        probe: P,
    ) -> Result<Self, ConfigError> {
        config.validate(network)?;
        Ok(Self::of(network, Whole, routing, config, seed, probe))
    }
}

impl<'n, R: Routing, P: Probe, E: Partition> Engine<'n, R, P, E> {
    /// The routers that `partition` says, with a legal `config`.
    pub(crate) fn of(
        network: &'n Network,
        partition: E,
        routing: R,
        config: EngineConfig,
        seed: u64,
        probe: P,
    ) -> Self {
        let looks = routing.looks().filter(|_| R::LOOKS);
        let start = Start::new(
            network,
            &partition,
            &config,
            R::DETERMINISTIC && !R::LOOKS,
            looks,
        );
        Self {
            network,
            seed,
            cycle: 0,
            state: start.state,
            packets: start.packets,
            flits_due: start.flits_due,
            credits_due: start.credits_due,
            waits_next: start.waits_next,
            requests_next: start.requests_next,
            waiting: start.waiting,
            requesting: start.requesting,
            scratch: start.scratch,
            wiring: start.wiring,
            counters: Counters::default(),
            router_cycles: start.router_cycles,
            source_cycles: start.source_cycles,
            stages: start.stages,
            fast_paths: start.fast_paths,
            ports: start.ports,
            progress: true,
            routing,
            config,
            probe,
            partition,
        }
    }

    /// The cycle that the next [`Engine::step`] simulates.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Totals since cycle 0.
    #[inline]
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The observer.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// The observer, to change.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }

    /// Whether no packet is queued or in the network.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.counters.packets_offered == self.counters.packets_delivered
    }

    /// Whether packets are in the network and nothing can ever move again: they wait on one
    /// another in a cycle, a deadlock.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.counters.packets_entered > self.counters.packets_delivered && self.is_still()
    }

    /// Whether nothing moved in the last cycle, and nothing is under way.
    #[inline]
    pub(crate) fn is_still(&self) -> bool {
        !self.progress
            && self.waits_next.as_slice().is_empty()
            && self.requests_next.as_slice().is_empty()
            && self.flits_due.pending() == 0
            && self.credits_due.pending() == 0
            && !self.stages.as_ref().is_some_and(|stages| stages.is_busy())
    }

    /// Lets empty cycles pass, up to `cycle`, at once.
    ///
    /// # Panics
    /// In debug builds, if a packet is queued or in the network.
    pub fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle(), "only empty cycles can be skipped");
        while self.cycle < cycle && self.credits_due.pending() > 0 {
            self.step();
        }
        self.cycle = self.cycle.max(cycle);
    }

    /// Creates a packet in the current cycle, at the end of its source's queue. Returns a number that
    /// no other packet alive has, by which [`Probe::packet_retired`] tells of its delivery.
    ///
    /// # Panics
    /// In debug builds, if the packet is empty, an end of it is not a terminal, or it does not fit
    /// a buffer where it must (virtual cut-through and store-and-forward).
    #[inline]
    pub fn offer(&mut self, new: NewPacket) -> u32 {
        self.offer_tagged(new, 0)
    }

    /// As [`Engine::offer`], and the packet carries `tag` for the probe to see.
    ///
    /// # Panics
    /// As [`Engine::offer`].
    pub fn offer_tagged(&mut self, new: NewPacket, tag: u32) -> u32 {
        let terminals = self.network.terminals();
        debug_assert!(new.source.0 < terminals && new.destination.0 < terminals);
        debug_assert!(new.flits >= 1);
        debug_assert!(
            self.config.flow_control == FlowControl::Wormhole
                || new.flits <= self.config.buffer_flits,
            "the packet does not fit a buffer"
        );
        // What moves in the next cycle is not frozen now.
        self.progress = true;
        self.counters.packets_offered += 1;
        self.counters.flits_offered += u64::from(new.flits);
        let choices = self.routing.choices(new.source, new.destination);
        let choice = crate::random::below(new.entropy, choices);
        let state = if R::LOOKS && !self.scratch.looks.asking.is_empty() {
            undecided(choice)
        } else {
            self.routing.initial(new.source, new.destination, choice)
        };
        let slot = self.packets.insert(crate::Packet {
            created: self.cycle,
            entered: u64::MAX,
            state,
            source: new.source,
            destination: new.destination,
            flits: new.flits,
            hops: 0,
            tag,
        });
        let router = self.partition.router(new.source);
        let source = &mut self.state.sources[router as usize];
        self.packets.enqueue(&mut source.queue, slot);
        if source.free != 0 {
            self.fill_injection(router, self.cycle);
        }
        slot
    }

    /// Simulates the current cycle.
    pub fn step(&mut self) {
        match self.fast_paths.way {
            Way::MasksPlain => self.step_by(|engine| engine.parts().switch_by_masks::<true>()),
            Way::Masks => self.step_by(|engine| engine.parts().switch_by_masks::<false>()),
            Way::ListsPlain => self.step_by(|engine| engine.parts().switch::<true>()),
            Way::Lists => self.step_by(|engine| engine.parts().switch::<false>()),
            Way::Stages => self.step_in_stages(),
        }
    }

    /// The phases in their order, with `switch` for that of the switch.
    #[inline(always)]
    fn step_by(&mut self, switch: impl FnOnce(&mut Self)) {
        self.progress = false;
        self.deliver();
        if R::LOOKS {
            self.decide(None);
        }
        self.allocate_vcs();
        switch(self);
        self.refill();
        self.cycle += 1;
    }

    /// Every router where heads wait claims outputs for them. Nothing of another router is read or
    /// written.
    #[inline(never)]
    fn allocate_vcs(&mut self) {
        if self.fast_paths.parks {
            self.vc_allocation().allocate_or_park();
            return;
        }
        for_each_member!(self.waiting, router => self.allocate_vcs_at(self.here(router)));
    }

    #[inline]
    pub(super) fn here(&self, router: u32) -> Here {
        Here::of(
            router,
            self.wiring,
            &self.state.routers,
            &self.state.words_of,
        )
    }

    #[inline]
    pub(crate) fn is_atomic(&self) -> bool {
        self.config.vc_reallocation == VcReallocation::Atomic
    }
}
