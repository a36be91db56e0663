//! The dense engine: its routers, its packets and its sources.

use super::around::Around;
use super::border::{Border, Mailbox};
use super::fit::{self, Fit, Unfit};
use super::routers::{Routers, with};
use super::slots::slots;
use crate::packet::{Packets, Queue};
use crate::routing::vc_range;
use crate::{
    Candidates, ConfigError, Counters, EngineConfig, NewPacket, Packet, Probe, Routing, Selection,
    VcMask, VcReallocation,
};
use fearless_simd::Level;
use flitsim_topology::memory::{Memory, bytes_of};
use flitsim_topology::{Network, archived};

/// A terminal: its packets, and the injection virtual channels that hold none.
#[derive(Clone, Copy, Debug)]
struct Source {
    queue: Queue,
    free: u64,
}

archived! { Source { queue, free } }

/// [`Engine`](crate::Engine) for busy networks: event for event the same, by passes over all routers.
///
/// It offers less: see [`DenseEngine::fits`] and [`DenseEngine::takes`].
#[derive(Debug)]
pub struct DenseEngine<'n, R, P> {
    network: &'n Network,
    routing: R,
    level: Level,
    cycle: u64,
    seed: u64,
    selection: Selection,
    /// The virtual channels of a channel.
    all: VcMask,
    emptied_at: Option<u64>,
    /// The most flits of a packet.
    flits_max: u32,
    /// Which of the network's routers, and what of them others see.
    border: Border,
    routers: Routers,
    packets: Packets,
    sources: Vec<Source>,
    /// Injection virtual channels that are free again, with the places of their terminals.
    vacant: Vec<(u32, u8)>,
    candidates: Candidates,
    counters: Counters,
    probe: P,
}

// Between two cycles. What the probe saw is for its owner to keep.
archived! { DenseEngine<'_, R, P> where [R, P] {
    cycle, border, routers, packets, counters; fixed sources; rebuilt network, routing, level, seed, selection, all, emptied_at,
    flits_max, vacant, candidates, probe
} }

/// Most packets and terminals for which there is room ahead.
const ROOM_MAX: usize = 1 << 16;

/// Most routers that the near caches hold, with their packets.
const CACHED_MAX: usize = 1 << 11;

impl<'n, R: Routing, P: Probe> DenseEngine<'n, R, P> {
    /// Whether it can simulate `network` with routers as `config` says and packets of up to
    /// `packet_flits` flits.
    ///
    /// # Errors
    /// The first thing that it cannot do.
    pub fn fits(network: &Network, config: &EngineConfig, packet_flits: u32) -> Result<Fit, Unfit> {
        fit::fits(network, config, packet_flits)
    }

    /// Whether it can simulate routers as `config` says under `routing`.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn takes(routing: &impl Routing, config: &EngineConfig) -> Result<(), Unfit> {
        fit::takes(routing, config)
    }

    /// The routers of `network`, all empty, at cycle 0, which [`fit`](Self::fits) with `config`. Draws are those of
    /// `seed`.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    ///
    /// # Panics
    /// Where it does not [take](Self::takes) `routing`, or `fit` is of others.
    pub fn new(
        network: &'n Network,
        routing: R,
        config: &EngineConfig,
        seed: u64,
        fit: Fit,
        probe: P,
    ) -> Result<Self, ConfigError> {
        config.validate(network)?;
        Self::takes(&routing, config).expect("a relation that it takes");
        let border = Border::of_whole(network);
        Ok(Self::of(network, border, routing, config, seed, fit, probe))
    }

    /// The routers that `border` says, with a legal `config`.
    pub(crate) fn of(
        network: &'n Network,
        mut border: Border,
        routing: R,
        config: &EngineConfig,
        seed: u64,
        fit: Fit,
        probe: P,
    ) -> Self {
        let routers = Routers::new(network, config, fit.words, &mut border);
        let terminals = border.routers().len();
        // From injection buffers nothing is drawn before it is sent.
        let injection_vcs = match config.is_staged() {
            true => 1,
            false => config.injection_vcs,
        };
        let source = Source {
            queue: Queue::EMPTY,
            free: vc_range(0, injection_vcs),
        };
        let injection_vcs = injection_vcs as usize;
        let is_atomic = config.vc_reallocation == VcReallocation::Atomic;
        Self {
            network,
            routing,
            level: fit.vectors.level(),
            cycle: 0,
            seed,
            selection: config.selection,
            all: vc_range(0, config.virtual_channels),
            emptied_at: is_atomic.then(|| u64::from(config.buffer_flits)),
            flits_max: fit.flits_max,
            border,
            routers,
            packets: Packets::with_capacity((64 + terminals * (1 + injection_vcs)).min(ROOM_MAX)),
            sources: vec![source; terminals],
            vacant: Vec::with_capacity((terminals * injection_vcs).min(ROOM_MAX)),
            candidates: Candidates::with_degree(slots(network)),
            counters: Counters::default(),
            probe,
        }
    }

    /// The cycle that the next [`DenseEngine::step`] simulates.
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

    /// Lets empty cycles pass, up to `cycle`, at once: credits under way arrive in the next that is
    /// simulated.
    ///
    /// # Panics
    /// In debug builds, if a packet is queued or in the network.
    pub fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle(), "only empty cycles can be skipped");
        while self.cycle < cycle && !self.is_settled() {
            self.step();
        }
        self.pass_to(cycle);
    }

    /// As [`Engine::offer_tagged`](crate::Engine::offer_tagged).
    ///
    /// # Panics
    /// In debug builds, if the packet is empty or too long, or an end of it is not a terminal.
    pub fn offer_tagged(&mut self, new: NewPacket, tag: u32) -> u32 {
        let terminals = self.network.terminals();
        debug_assert!(new.source.0 < terminals && new.destination.0 < terminals);
        debug_assert!((1..=self.flits_max).contains(&new.flits));
        self.counters.packets_offered += 1;
        self.counters.flits_offered += u64::from(new.flits);
        let choices = self.routing.choices(new.source, new.destination);
        let choice = crate::random::below(new.entropy, choices);
        let slot = self.packets.insert(Packet {
            created: self.cycle,
            entered: u64::MAX,
            state: self.routing.initial(new.source, new.destination, choice),
            source: new.source,
            destination: new.destination,
            flits: new.flits,
            hops: 0,
            tag,
        });
        let place = (new.source.0 - self.border.routers().start) as usize;
        let source = &mut self.sources[place];
        self.packets.enqueue(&mut source.queue, slot);
        if source.free != 0 {
            self.fill_injection(place, self.cycle);
        }
        slot
    }

    /// Fills the free injection virtual channels of the terminal at `place`, as of cycle `entered`.
    fn fill_injection(&mut self, place: usize, entered: u64) {
        let source = &mut self.sources[place];
        while source.free != 0 {
            let Some(slot) = self.packets.dequeue(&mut source.queue) else {
                return;
            };
            let vc = source.free.trailing_zeros() as usize;
            source.free &= source.free - 1;
            let packet = self.packets.get_mut(slot);
            if !self.routers.have_buffers() {
                packet.entered = entered;
                self.counters.packets_entered += 1;
                self.probe.packet_entered(entered, packet);
            }
            let flits = packet.flits;
            with!(&mut self.routers, core => core.inject(place, vc, slot, flits));
        }
    }

    /// Simulates the current cycle.
    pub fn step(&mut self) {
        let mut around = Around {
            routing: &self.routing,
            level: self.level,
            cycle: self.cycle,
            seed: self.seed,
            selection: self.selection,
            all: self.all,
            emptied_at: self.emptied_at,
            candidates: &mut self.candidates,
            packets: &mut self.packets,
            border: &mut self.border,
            vacant: &mut self.vacant,
            counters: &mut self.counters,
            tells_flits: P::EACH_FLIT,
            fetches: self.sources.len() > CACHED_MAX,
        };
        with!(&mut self.routers, core => core.step(&mut self.probe, &mut around));
        for index in 0..self.vacant.len() {
            let (place, vc) = self.vacant[index];
            let source = &mut self.sources[place as usize];
            source.free |= 1 << vc;
            // At most one tail leaves a terminal in a cycle.
            if !source.queue.is_empty() {
                self.fill_injection(place as usize, self.cycle + 1);
            }
        }
        self.vacant.clear();
        self.cycle += 1;
    }

    /// The bytes that the engine keeps, part by part.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        let parts = with!(&self.routers, core => core.bytes());
        parts
            .into_iter()
            .for_each(|(name, bytes)| memory.add(name, bytes));
        memory.add("packets", self.packets.bytes());
        let sources = bytes_of(&self.sources) + bytes_of(&self.vacant);
        memory.add("sources", sources);
        memory
    }
}

/// As a part of a network, or all of it.
impl<R, P> DenseEngine<'_, R, P> {
    pub(crate) fn border(&self) -> &Border {
        &self.border
    }

    pub(crate) fn border_mut(&mut self) -> &mut Border {
        &mut self.border
    }

    /// Lets the cycles up to `cycle` pass, in which nothing happens.
    pub(crate) fn pass_to(&mut self, cycle: u64) {
        self.cycle = self.cycle.max(cycle);
    }

    /// Takes in what has come from other parts.
    pub(crate) fn receive(&mut self) {
        let (border, packets) = (&mut self.border, &mut self.packets);
        with!(&mut self.routers, core => core.receive(border, packets));
    }

    /// Hands on what other parts read of the last cycle.
    pub(crate) fn give(&mut self) {
        with!(&self.routers, core => core.give(&mut self.border));
    }

    /// Whether, without packets, nothing is under way that takes more than the next cycle, mail included.
    pub(crate) fn is_settled(&self) -> bool {
        let mut mail = self.border.post.incoming.iter();
        mail.all(Mailbox::is_quiet) && with!(&self.routers, core => core.is_settled())
    }
}
