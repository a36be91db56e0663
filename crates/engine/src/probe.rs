//! Observers of the kernel: no method is required, and the empty defaults cost nothing.

use crate::{FlitKind, Packet};
use flitsim_topology::{ChannelId, NodeId};

/// Is told what happens, cycle by cycle. Every method is empty by default and inlined away.
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
    /// Whether the probe wants to be told of every flit. If false, [`DenseEngine`](crate::DenseEngine) tells
    /// it only of packets and, by [`Probe::flits_ejected`], of the number of flits ejected.
    /// [`Engine`](crate::Engine) tells every probe of every flit.
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

    /// A flit left the buffer of virtual channel `vc` at the far end of `channel` in cycle `cycle`. The next
    /// call of [`Probe::flit_sent`] or [`Probe::flit_ejected`] says where it goes. It had come into that
    /// buffer [so many cycles](crate::EngineConfig::cycles_to_buffer) after it was sent, plus those that it
    /// waited in an output queue or took across a switch of internal cycles.
    #[inline(always)]
    fn flit_unbuffered(&mut self, _cycle: u64, _channel: ChannelId, _vc: u32) {}

    /// A flit left an injection buffer of the router `node` in cycle `cycle`. Where it goes is told as for
    /// [`Probe::flit_unbuffered`].
    #[inline(always)]
    fn flit_drawn(&mut self, _cycle: u64, _node: NodeId) {}

    /// A flit of `packet` left the router `node` for its terminal in cycle `cycle`; it is consumed
    /// at `cycle + 1`.
    #[inline(always)]
    fn flit_ejected(&mut self, _cycle: u64, _node: NodeId, _kind: FlitKind, _packet: &Packet) {}

    /// `flits` flits left their routers for their terminals in cycle `cycle`, for a probe that does not want
    /// to be told of [each](Probe::EACH_FLIT).
    #[inline(always)]
    fn flits_ejected(&mut self, _cycle: u64, _flits: u32) {}

    /// The tail of `packet` is consumed by its destination at the start of cycle `arrived`: its
    /// latency is `arrived - packet.created`.
    #[inline(always)]
    fn packet_delivered(&mut self, _arrived: u64, _packet: &Packet) {}

    /// The same event, with the number that [`Engine::offer`](crate::Engine::offer) returned for `packet`.
    /// From now on another packet may have that number.
    #[inline(always)]
    fn packet_retired(&mut self, _arrived: u64, _packet: &Packet, _number: u32) {}
}

/// Sees nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    const EACH_FLIT: bool = false;
}
