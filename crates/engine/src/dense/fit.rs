//! What the dense engine can simulate, and from which load on it is faster.

use super::block::MANY;
use super::counts::{count_bits, count_max};
use super::dispatch::dispatch;
use super::slots::slots;
use super::stages::Rules;
use crate::{Allocator, ChannelDelay, Crossbar, EngineConfig, FlowControl, Port, Routing};
use fearless_simd::{Level, Simd, SimdBase};
use flitsim_topology::Network;

/// The words of routers, and how many virtual channels of a port lie in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Narrow1,
    Narrow2,
    Narrow3,
    Middle2,
    Middle4,
    Middle5,
    Middle6,
    Wide4,
    Wide8,
}

impl Words {
    /// The smallest first.
    const ALL: [Self; 9] = [
        Self::Narrow1,
        Self::Narrow2,
        Self::Narrow3,
        Self::Middle2,
        Self::Middle4,
        Self::Middle5,
        Self::Middle6,
        Self::Wide4,
        Self::Wide8,
    ];

    /// Bytes of a word, and the virtual channels that a port has room for.
    const fn shape(self) -> (usize, usize) {
        match self {
            Self::Narrow1 => (2, 1),
            Self::Narrow2 => (2, 2),
            Self::Narrow3 => (2, 3),
            Self::Middle2 => (4, 2),
            Self::Middle4 => (4, 4),
            Self::Middle5 => (4, 5),
            Self::Middle6 => (4, 6),
            Self::Wide4 => (8, 4),
            Self::Wide8 => (8, 8),
        }
    }

    /// Whether routers in stages have such.
    const fn are_staged(self) -> bool {
        matches!(
            self,
            Self::Narrow1 | Self::Narrow2 | Self::Middle4 | Self::Wide8
        )
    }

    /// The most flits of a packet and of a buffer.
    const fn flits_max(self, is_staged: bool) -> u32 {
        match self.shape() {
            (bytes, vcs) if is_staged || vcs >= MANY => count_max(count_bits(bytes, vcs)) as u32,
            // A count is a word.
            _ => u16::MAX as u32,
        }
    }
}

/// How a [`DenseEngine`](super::DenseEngine) simulates a network that it can.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    pub(super) words: Words,
    /// The most flits of a packet.
    pub(super) flits_max: u32,
    pub(super) vectors: Vectors,
    /// Ports of the widest router, the terminal's included.
    ports: usize,
}

impl Fit {
    /// The same with other vectors than the widest.
    #[must_use]
    pub fn with(self, vectors: Vectors) -> Self {
        Self { vectors, ..self }
    }

    /// About the flit-hops a router a cycle from which on it is faster than [`Engine`](crate::Engine).
    pub fn break_even(self, network: &Network, config: &EngineConfig) -> f64 {
        let (word, vcs) = self.words.shape();
        // A pass goes over all of it in vectors of so many bytes.
        let (router, each, bytes, most) = match (config.is_staged(), vcs >= MANY) {
            (false, false) => (HOPS_A_ROUTER, HOPS_A_VECTOR, vcs * word, VECTOR_BYTES_MOST),
            (false, true) => (0.0, HOPS_A_PACKED_VECTOR, word, PACKED_VECTOR_BYTES_MOST),
            (true, _) => (
                HOPS_A_STAGED_ROUTER,
                HOPS_A_STAGED_VECTOR,
                vcs * word,
                PACKED_VECTOR_BYTES_MOST,
            ),
        };
        let row = (self.ports * bytes) as f64;
        let gathered = match network.grid() {
            Some(_) => 0.0,
            None => (self.ports - 1) as f64 * HOPS_A_GATHERED_SLOT,
        };
        let even = router + row / self.vectors.bytes().min(most) as f64 * each + gathered;
        if config.input_speedup > 1 {
            return even * WITH_WAYS;
        }
        even
    }
}

/// Why a network or its router is simulated by [`Engine`](crate::Engine) alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Routers in stages, in a network that is no grid: their inputs take outputs in the order of slots.
    #[error("routers are in stages, and the network is no torus, mesh or hypercube")]
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
    /// Something of the router, by the name of its key, which the file need not have.
    #[error("the router's {0} is none that the dense engine has")]
    Router(&'static str),
    /// A packet too long, of more flits than this: fewer in stages, and with more than two virtual channels.
    #[error("packets may have more than {0} flits")]
    PacketFlits(u32),
    /// A buffer too deep, of more flits than this: as many as of a packet.
    #[error("buffers have more than {0} flits")]
    BufferFlits(u32),
}

/// The vector units that a [`DenseEngine`](super::DenseEngine) may use.
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
    pub(super) fn level(self) -> Level {
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
/// The same where a count is a byte: for each vector of a port's row, whatever its virtual channels.
const HOPS_A_PACKED_VECTOR: f64 = 0.52;
/// The same of routers in stages.
const HOPS_A_STAGED_ROUTER: f64 = 0.11;
const HOPS_A_STAGED_VECTOR: f64 = 0.057;
/// What gathering adds for each slot, where neighbours are at no fixed distances.
const HOPS_A_GATHERED_SLOT: f64 = 0.025;
/// What is left of it where ports have two ways into the switch, where the sparse engine tells on masks only who meets no other.
const WITH_WAYS: f64 = 0.7;

/// Bytes of vectors beyond which passes take no less time.
const VECTOR_BYTES_MOST: usize = 32;
/// The same where counts are bytes: vectors of 64 bytes take as long as if they had 43.
const PACKED_VECTOR_BYTES_MOST: usize = 43;

/// As [`DenseEngine::takes`](super::DenseEngine::takes).
pub(super) fn takes(routing: &impl Routing, config: &EngineConfig) -> Result<(), Unfit> {
    if routing.looks().is_some() {
        return Err(Unfit::Relation);
    }
    if config.is_staged() && !routing.is_deterministic() {
        return Err(Unfit::Adaptive);
    }
    Ok(())
}

/// As [`DenseEngine::fits`](super::DenseEngine::fits).
pub(super) fn fits(
    network: &Network,
    config: &EngineConfig,
    packet_flits: u32,
) -> Result<Fit, Unfit> {
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
        network.grid().ok_or(Unfit::NoGrid)?;
        Rules::of(config).map_err(Unfit::Router)?;
    }
    let (ports, vcs) = (slots(network) + 1, config.most_vcs() as usize);
    let wide_enough = Words::ALL.into_iter().filter(|words| {
        let (bytes, room) = words.shape();
        (!is_staged || words.are_staged()) && vcs <= room && ports * room <= 8 * bytes
    });
    let with_most = wide_enough.map(|words| (words, words.flits_max(is_staged)));
    let most = with_most.clone().map(|(_, most)| most).max();
    let most = most.ok_or(Unfit::TooWide)?;
    if config.buffer_flits > most {
        return Err(Unfit::BufferFlits(most));
    }
    let flits = packet_flits.max(config.buffer_flits);
    let (words, flits_max) = (with_most.into_iter())
        .find(|&(_, most)| flits <= most)
        .ok_or(Unfit::PacketFlits(most))?;
    Ok(Fit {
        words,
        flits_max,
        vectors: Vectors::Widest,
        ports,
    })
}

/// Whether no wire takes a cycle of its own.
fn is_short(delay: &ChannelDelay) -> bool {
    match delay {
        ChannelDelay::Uniform(delay) => *delay == 0,
        ChannelDelay::PerChannel(delays) => delays.iter().all(|&delay| delay == 0),
    }
}
