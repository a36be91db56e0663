//! Observers of the kernel: a required nothing, and empty defaults that cost nothing.

use crate::{FlitKind, Packet};
use flitsim_topology::{ChannelId, NodeId};

/// Sees what happens, cycle by cycle. Every method is empty by default and inlined away.
///
/// ```
/// use flitsim_engine::routing::{DimensionOrder, Tie};
/// use flitsim_engine::{Engine, EngineConfig, NewPacket, Packet, Probe};
/// use flitsim_topology::{Ends, Grid, NodeId};
///
/// #[derive(Default)]
/// struct Latencies(Vec<u64>);
///
/// impl Probe for Latencies {
///     fn packet_delivered(&mut self, arrived: u64, packet: &Packet) {
///         self.0.push(arrived - packet.created);
///     }
/// }
///
/// let network = Grid::uniform(4, 2, Ends::Open)?.into_network();
/// let config = EngineConfig::default();
/// let grid = network.grid().expect("a mesh has coordinates");
/// let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
/// let mut engine = Engine::new(&network, routing, config, 1, Latencies::default())?;
/// engine.offer(NewPacket {
///     source: NodeId(0),
///     destination: NodeId(3),
///     flits: 4,
///     entropy: 0,
/// });
/// while !engine.is_idle() {
///     engine.step();
/// }
/// // Three hops and four flits.
/// assert_eq!(engine.probe().0, [7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Probe {
    /// Whether it wants to hear of every flit. One that does not is told by
    /// [`DenseEngine`](crate::DenseEngine) how many were ejected, by [`Probe::flits_ejected`], and of
    /// packets; [`Engine`](crate::Engine) tells all.
    const EACH_FLIT: bool = true;

    /// The head of `packet` entered the injection buffer of its source in cycle `cycle`.
    #[inline(always)]
    fn packet_entered(&mut self, _cycle: u64, _packet: &Packet) {}

    /// A flit of `packet` left its router on virtual channel `vc` of `channel` in cycle `cycle`.
    #[inline(always)]
    fn flit_sent(
        &mut self,
        _cycle: u64,
        _channel: ChannelId,
        _vc: u32,
        _kind: FlitKind,
        _packet: &Packet,
    ) {
    }

    /// A flit left the buffer of virtual channel `vc` at the far end of `channel` in cycle `cycle`, for
    /// wherever [`Probe::flit_sent`] or [`Probe::flit_ejected`] say next. It came into that buffer
    /// [so many cycles](crate::EngineConfig::cycles_to_buffer) after it was sent, and later by what it waited in an
    /// output queue, or took across a switch of internal cycles.
    #[inline(always)]
    fn flit_unbuffered(&mut self, _cycle: u64, _channel: ChannelId, _vc: u32) {}

    /// A flit left an injection buffer of the router `node` in cycle `cycle`, likewise.
    #[inline(always)]
    fn flit_drawn(&mut self, _cycle: u64, _node: NodeId) {}

    /// A flit of `packet` left the router `node` for its terminal in cycle `cycle`; it is consumed
    /// at `cycle + 1`.
    #[inline(always)]
    fn flit_ejected(&mut self, _cycle: u64, _node: NodeId, _kind: FlitKind, _packet: &Packet) {}

    /// `flits` flits left their routers for their terminals in cycle `cycle`, for a probe that does not
    /// want to hear of [each](Probe::EACH_FLIT).
    #[inline(always)]
    fn flits_ejected(&mut self, _cycle: u64, _flits: u32) {}

    /// The tail of `packet` is consumed by its destination at the start of cycle `arrived`: its
    /// latency is `arrived - packet.created`.
    #[inline(always)]
    fn packet_delivered(&mut self, _arrived: u64, _packet: &Packet) {}

    /// The same, with the number that [`Engine::offer`](crate::Engine::offer) returned for `packet`;
    /// from now on it may be that of another.
    #[inline(always)]
    fn packet_retired(&mut self, _arrived: u64, _packet: &Packet, _number: u32) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    const EACH_FLIT: bool = false;
}
