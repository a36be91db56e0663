//! The dense engine: its packets, its sources, and how wide its rows are.

use super::around::Around;
use super::cycle::Core;
use super::links::{Links, slots};
use super::stages::{self, Rules};
use crate::packet::{Packets, Queue};
use crate::routing::vc_range;
use crate::{
    Allocator, Candidates, ChannelDelay, ConfigError, Counters, Crossbar, EngineConfig,
    FlowControl, NewPacket, Packet, Port, Probe, Routing, Selection, VcMask, VcReallocation,
};
use fearless_simd::{Level, Simd, SimdBase, dispatch};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::memory::{Memory, bytes_of};
use flitsim_topology::{Grid, Network, archived};

/// The most flits of a packet: 16-bit counts, in stages bytes.
const fn flits_max(is_staged: bool) -> u32 {
    [u16::MAX as u32, stages::COUNT_MAX][is_staged as usize]
}

/// Why a network or its router is simulated by [`Engine`](crate::Engine) alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A network that is no grid.
    #[error("the network is no torus, mesh or hypercube")]
    NoGrid,
    /// Too many input virtual channels a router.
    #[error("a router has more input virtual channels than a word has bits")]
    TooWide,
    /// A relation that looks at queues.
    #[error("the routing looks at queues")]
    Relation,
    /// An adaptive relation, in routers in stages.
    #[error("the routing is adaptive, and routers are in stages")]
    Adaptive,
    /// Something of the router, by the name of its key.
    #[error("the router's {0} is not the default")]
    Router(&'static str),
    /// A packet too long, of more flits than this: fewer in stages.
    #[error("packets may have more than {0} flits")]
    PacketFlits(u32),
    /// A buffer too deep, in routers in stages, of more flits than this.
    #[error("buffers have more than {0} flits, and routers are in stages")]
    BufferFlits(u32),
}

/// The vector units that a [`DenseEngine`] may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vectors {
    /// The widest that the processor has.
    #[default]
    Widest,
    /// At most 256 bits wide.
    Avx2,
    /// Those that every processor of the architecture has.
    Baseline,
}

impl Vectors {
    fn level(self) -> Level {
        let level = Level::new();
        match self {
            Self::Widest => level,
            Self::Baseline => Level::baseline(),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => level.as_avx2().map_or(level, Level::Avx2),
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Self::Avx2 => level,
        }
    }

    /// Bytes of a vector.
    fn bytes(self) -> usize {
        dispatch!(self.level(), simd => bytes_of_vector(simd))
    }
}

#[inline(always)]
fn bytes_of_vector<S: Simd>(_: S) -> usize {
    <S::u8s as SimdBase<S>>::LEN
}

/// Flit-hops that the sparse engine has done by the time that the other has gone over a router, and what
/// each of a router's vectors adds. Where both engines are as fast was measured: `README.md` has the table.
const HOPS_A_ROUTER: f64 = 0.03;
const HOPS_A_VECTOR: f64 = 0.13;
/// The same of routers in stages, whose counts take fewer vectors.
const HOPS_A_STAGED_ROUTER: f64 = 0.12;
const HOPS_A_STAGED_VECTOR: f64 = 0.065;

/// Bytes of vectors beyond which passes take no less time.
const VECTOR_BYTES_MOST: usize = 32;

/// The routers, by the width of their words and the virtual channels that a port has room for.
#[derive(Debug)]
enum Routers {
    Narrow1(Core<u16, 1>),
    Narrow2(Core<u16, 2>),
    Middle2(Core<u32, 2>),
    Middle4(Core<u32, 4>),
    Wide4(Core<u64, 4>),
    Wide8(Core<u64, 8>),
    Staged1(stages::Core<u16, 1>),
    Staged2(stages::Core<u16, 2>),
    Staged4(stages::Core<u32, 4>),
    Staged8(stages::Core<u64, 8>),
}

/// Does the same with the routers, whatever their width.
macro_rules! with {
    ($routers:expr, $core:ident => $then:expr) => {
        match $routers {
            Routers::Narrow1($core) => $then,
            Routers::Narrow2($core) => $then,
            Routers::Middle2($core) => $then,
            Routers::Middle4($core) => $then,
            Routers::Wide4($core) => $then,
            Routers::Wide8($core) => $then,
            Routers::Staged1($core) => $then,
            Routers::Staged2($core) => $then,
            Routers::Staged4($core) => $then,
            Routers::Staged8($core) => $then,
        }
    };
}

impl Archived for Routers {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        with!(self, core => core.archive(archive));
    }
}

impl Routers {
    /// `None` where the routers are too wide.
    fn new(network: &Network, grid: &Grid, config: &EngineConfig) -> Option<Self> {
        let (ports, flits) = (slots(grid) + 1, config.buffer_flits);
        if config.is_staged() {
            return Self::in_stages(network, grid, config);
        }
        Some(match (room(config), ports) {
            (1, ..=16) => Self::Narrow1(Core::new(network, Links::new(network, grid), flits)),
            (2, ..=8) => Self::Narrow2(Core::new(network, Links::new(network, grid), flits)),
            (2, ..=16) => Self::Middle2(Core::new(network, Links::new(network, grid), flits)),
            (3..=4, ..=8) => Self::Middle4(Core::new(network, Links::new(network, grid), flits)),
            (3..=4, ..=16) => Self::Wide4(Core::new(network, Links::new(network, grid), flits)),
            (5..=8, ..=8) => Self::Wide8(Core::new(network, Links::new(network, grid), flits)),
            _ => return None,
        })
    }

    fn in_stages(network: &Network, grid: &Grid, config: &EngineConfig) -> Option<Self> {
        let rules = Rules::of(config).ok()?;
        macro_rules! core {
            () => {
                stages::Core::new(network, Links::new(network, grid), config, rules)
            };
        }
        Some(match (room(config), slots(grid) + 1) {
            (1, ..=16) => Self::Staged1(core!()),
            (2, ..=8) => Self::Staged2(core!()),
            (3..=4, ..=8) => Self::Staged4(core!()),
            (5..=8, ..=8) => Self::Staged8(core!()),
            _ => return None,
        })
    }

    /// Whether sources send flit by flit.
    fn have_buffers(&self) -> bool {
        matches!(
            self,
            Self::Staged1(_) | Self::Staged2(_) | Self::Staged4(_) | Self::Staged8(_)
        )
    }
}

/// Virtual channels that every port has room for.
fn room(config: &EngineConfig) -> u32 {
    let vcs = config.virtual_channels.max(config.injection_vcs);
    vcs.max(config.ejection_vcs)
}

/// A terminal: its packets, and the injection virtual channels that hold none.
#[derive(Clone, Copy, Debug)]
struct Source {
    queue: Queue,
    free: u64,
}

archived! { Source { queue, free } }

/// [`Engine`](crate::Engine) for busy grids: event for event the same, by passes over all routers.
///
/// It offers less: see [`DenseEngine::fits`].
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
    routers: Routers,
    packets: Packets,
    sources: Vec<Source>,
    /// Injection virtual channels that are free again, with their terminals.
    vacant: Vec<(u32, u8)>,
    candidates: Candidates,
    counters: Counters,
    probe: P,
}

// Between two cycles. What the probe saw is for its owner to keep.
archived! { DenseEngine<'_, R, P> where [R, P] {
    cycle, routers, packets, counters; fixed sources; rebuilt network, routing, level, seed, selection, all, emptied_at,
    vacant, candidates, probe
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
    pub fn fits(network: &Network, config: &EngineConfig, packet_flits: u32) -> Result<(), Unfit> {
        let grid = network.grid().ok_or(Unfit::NoGrid)?;
        if R::LOOKS {
            return Err(Unfit::Relation);
        }
        let plain = [
            ("flow_control", config.flow_control == FlowControl::Wormhole),
            ("allocator", config.allocator == Allocator::RoundRobin),
            ("crossbar", config.crossbar == Crossbar::Port),
            ("injection", config.injection == Port::Channel),
            ("ejection", config.ejection == Port::Channel),
            ("channel period", config.channel_period_max() == 1),
        ];
        let ideal = [
            ("delay", config.delay == 1),
            ("body_delay", config.body_delay == 1),
            ("credit_delay", config.credit_delay == 1),
            ("channel delay", is_short(&config.channel_delay)),
        ];
        let is_staged = config.is_staged();
        let ideal = ideal.into_iter().filter(|_| !is_staged);
        if let Some((name, _)) = plain.into_iter().chain(ideal).find(|&(_, plain)| !plain) {
            return Err(Unfit::Router(name));
        }
        if is_staged {
            Rules::of(config).map_err(Unfit::Router)?;
        }
        let is_narrow = match (room(config), slots(grid) + 1) {
            (1, ..=16) | (2..=8, ..=8) => true,
            (2..=4, ..=16) => !is_staged,
            _ => false,
        };
        if !is_narrow {
            return Err(Unfit::TooWide);
        }
        if is_staged && !R::DETERMINISTIC {
            return Err(Unfit::Adaptive);
        }
        if is_staged && config.buffer_flits > stages::COUNT_MAX {
            return Err(Unfit::BufferFlits(stages::COUNT_MAX));
        }
        if packet_flits > flits_max(is_staged) {
            return Err(Unfit::PacketFlits(flits_max(is_staged)));
        }
        Ok(())
    }

    /// The flit-hops a router a cycle from which on it is faster than [`Engine`](crate::Engine), about.
    pub fn break_even(network: &Network, config: &EngineConfig, vectors: Vectors) -> f64 {
        let ports = network.grid().map_or(0, slots) + 1;
        let (room, word) = match (room(config), ports) {
            (1, _) => (1, 2),
            (2, ..=8) => (2, 2),
            (2, _) => (2, 4),
            (3..=4, ..=8) => (4, 4),
            (3..=4, _) => (4, 8),
            _ => (8, 8),
        };
        let bytes = (ports * room * word) as f64;
        // A pass goes over all of it in vectors of so many bytes.
        let vector = vectors.bytes().min(VECTOR_BYTES_MOST);
        let (router, each) = match config.is_staged() {
            false => (HOPS_A_ROUTER, HOPS_A_VECTOR),
            true => (HOPS_A_STAGED_ROUTER, HOPS_A_STAGED_VECTOR),
        };
        router + bytes / vector as f64 * each
    }

    /// The routers of `network`, all empty, at cycle 0, which [fit](Self::fits). Draws are those of `seed`.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    ///
    /// # Panics
    /// Where they do not fit.
    pub fn new(
        network: &'n Network,
        routing: R,
        config: &EngineConfig,
        seed: u64,
        vectors: Vectors,
        probe: P,
    ) -> Result<Self, ConfigError> {
        config.validate(network)?;
        Self::fits(network, config, 1).expect("routers that fit");
        let grid = network.grid().expect("a grid");
        let terminals = network.terminals() as usize;
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
        Ok(Self {
            network,
            routing,
            level: vectors.level(),
            cycle: 0,
            seed,
            selection: config.selection,
            all: vc_range(0, config.virtual_channels),
            emptied_at: is_atomic.then(|| u64::from(config.buffer_flits)),
            routers: Routers::new(network, grid, config).expect("routers that fit"),
            packets: Packets::with_capacity((64 + terminals * (1 + injection_vcs)).min(ROOM_MAX)),
            sources: vec![source; terminals],
            vacant: Vec::with_capacity((terminals * injection_vcs).min(ROOM_MAX)),
            candidates: Candidates::with_degree(slots(grid)),
            counters: Counters::default(),
            probe,
        })
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
        // Until nothing is under way.
        let under_way = with!(&self.routers, core => core.cycles_under_way());
        let last = cycle.min(self.cycle + under_way);
        while self.cycle < last {
            self.step();
        }
        self.cycle = self.cycle.max(cycle);
    }

    /// As [`Engine::offer_tagged`](crate::Engine::offer_tagged).
    ///
    /// # Panics
    /// In debug builds, if the packet is empty or too long, or an end of it is not a terminal.
    pub fn offer_tagged(&mut self, new: NewPacket, tag: u32) -> u32 {
        let terminals = self.network.terminals();
        debug_assert!(new.source.0 < terminals && new.destination.0 < terminals);
        debug_assert!((1..=flits_max(self.routers.have_buffers())).contains(&new.flits));
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
        let node = new.source.index();
        let source = &mut self.sources[node];
        self.packets.enqueue(&mut source.queue, slot);
        if source.free != 0 {
            self.fill_injection(node, self.cycle);
        }
        slot
    }

    /// Fills the free injection virtual channels of terminal `node`, as of cycle `entered`.
    fn fill_injection(&mut self, node: usize, entered: u64) {
        let source = &mut self.sources[node];
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
            with!(&mut self.routers, core => core.inject(node, vc, slot, flits));
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
            vacant: &mut self.vacant,
            counters: &mut self.counters,
            probe: &mut self.probe,
            fetches: self.sources.len() > CACHED_MAX,
        };
        with!(&mut self.routers, core => core.step(&mut around));
        for index in 0..self.vacant.len() {
            let (node, vc) = self.vacant[index];
            let source = &mut self.sources[node as usize];
            source.free |= 1 << vc;
            // At most one tail leaves a terminal in a cycle.
            if !source.queue.is_empty() {
                self.fill_injection(node as usize, self.cycle + 1);
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

/// Whether no wire takes a cycle of its own.
fn is_short(delay: &ChannelDelay) -> bool {
    match delay {
        ChannelDelay::Uniform(delay) => *delay == 0,
        ChannelDelay::PerChannel(delays) => delays.iter().all(|&delay| delay == 0),
    }
}
