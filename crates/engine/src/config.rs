//! The configuration of a router: its buffers, delays, switching and allocation.

pub mod keys;
mod queues;
mod sharing;
mod stages;

pub use sharing::BufferSharing;
pub(crate) use stages::Begins;
pub use stages::{
    Arbiter, Contradiction, InputArbiter, Matching, MatchingStart, PimDraw, Pipeline, VcRequests,
};

use flitsim_topology::Network;

/// Bytes of a place in a buffer: the slot of the packet whose head stands there.
pub(crate) const PLACE_BYTES: usize = size_of::<u32>();

/// When a packet may advance (Dally & Towles, chapter 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// A head claims any free virtual channel; flits advance one by one as credits allow.
    Wormhole,
    /// A head claims a virtual channel only where the whole packet fits.
    VirtualCutThrough,
    /// As virtual cut-through, but a head also waits for its own tail, except at the source. The destination
    /// takes flits as they come.
    StoreAndForward,
}

/// When a virtual channel may be claimed by the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VcReallocation {
    /// Once the last packet's tail has left and every credit is back, so that the buffer is empty.
    Atomic,
    /// As soon as the last packet's tail has left the sender.
    NonAtomic,
}

/// How many flits an input port passes to the switch in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossbar {
    /// One flit per input port and cycle.
    Port,
    /// One flit per virtual channel and cycle, also at the injection port: only output channels limit the flow.
    Vc,
}

/// Whether a terminal's port into or out of its router limits the flits per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// One flit a cycle.
    Channel,
    /// As many flits a cycle as there are.
    Unlimited,
}

/// Which flit or head wins where several want the same resource (Dally & Towles, chapter 19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Separable, input first, with round-robin arbiters.
    RoundRobin,
    /// iSLIP (McKeown 1999) with the given number of iterations, at least 1.
    Islip {
        /// Iterations of request, grant and accept per cycle.
        iterations: u32,
    },
    /// Separable, input first, with a uniformly random choice at each arbiter.
    Random,
    /// Separable, input first; the packet created first wins.
    OldestFirst,
}

/// Which of several equally good channels an adaptive head takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Any, uniformly.
    Random,
    /// The one whose allowed virtual channels have the most credits in total; ties at random.
    MostCredits,
    /// The one with the fewest virtual channels in use, including those that the head may not claim: claimed
    /// or, under atomic reallocation, not yet empty again. Ties at random.
    LeastLoaded,
    /// The first in the order in which the relation lists them. Adaptive relations on grids list the dimension
    /// with the most hops left first, so packets zigzag along the diagonal and keep a choice for as long as
    /// they can (Badr & Podar, "An optimal shortest-path routing policy for network computers with regular
    /// mesh-connected topologies", IEEE Transactions on Computers 38 (10), 1989).
    Zigzag,
}

/// Cycles that a flit spends on the wire of a channel, beyond the router's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelDelay {
    /// The same for every channel.
    Uniform(u32),
    /// A delay for each channel, by channel identifier.
    PerChannel(Vec<u32>),
}

impl ChannelDelay {
    /// The longest.
    pub(crate) fn most(&self) -> u32 {
        match self {
            Self::Uniform(delay) => *delay,
            Self::PerChannel(delays) => delays.iter().copied().max().unwrap_or(0),
        }
    }
}

/// A router and its channels; [`keys`] has the ranges and the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Virtual channels of each physical channel.
    pub virtual_channels: u32,
    /// Flits that the buffer of each virtual channel holds.
    pub buffer_flits: u32,
    /// Which virtual channels may use the places in a port's buffers.
    pub buffer_sharing: BufferSharing,
    /// When a packet may advance.
    pub flow_control: FlowControl,
    /// When a virtual channel may be claimed again.
    pub vc_reallocation: VcReallocation,
    /// Cycles that a head flit spends in a router at zero load, at least 1.
    pub delay: u32,
    /// Cycles that any other flit spends in a router at zero load, at least 1.
    pub body_delay: u32,
    /// Cycles that a credit takes back to the sender, beyond the wire's delay, at least 1.
    pub credit_delay: u32,
    /// Which flit or head wins a resource that several want.
    pub allocator: Allocator,
    /// Which of several equally good channels an adaptive head takes.
    pub selection: Selection,
    /// How many flits an input port passes to the switch in a cycle.
    pub crossbar: Crossbar,
    /// Packets of a terminal that may be on their way into its router at once.
    pub injection_vcs: u32,
    /// What limits the way from a terminal into the switch.
    pub injection: Port,
    /// What limits the way from the switch to a terminal.
    pub ejection: Port,
    /// The router's stages, in place of `delay` and `body_delay`; `None` for an ideal router.
    pub pipeline: Option<Pipeline>,
    /// Whether a head bids for the switch while it asks for a virtual channel.
    pub speculative: bool,
    /// Virtual channels from a router to its terminal, each held by a packet from head to tail; 0 where a
    /// terminal takes the flits of any number of packets in turn.
    pub ejection_vcs: u32,
    /// Whether a terminal sends flit by flit into buffers like those of a channel, one packet after
    /// another.
    pub injection_buffers: bool,
    /// Whether terminals are ports of routers, without routers of their own. Each must have one channel to a
    /// router and one from it.
    pub terminal_ports: bool,
    /// How heads are matched with virtual channels; `None` where they are served one after another, as
    /// `allocator` orders them.
    pub vc_allocator: Option<Matching>,
    /// The channels of which a head asks for virtual channels.
    pub vc_requests: VcRequests,
    /// How flits are matched with the ways through the switch; `None` for what `allocator` says.
    pub switch_allocator: Option<Matching>,
    /// The arbiters of the allocators; `None` for those of `allocator`.
    pub arbiter: Option<Arbiter>,
    /// Which of an input's virtual channels goes first where several bid for one output.
    pub input_arbiter: InputArbiter,
    /// Where a wavefront allocator begins.
    pub wavefront: MatchingStart,
    /// Where a maximum matching begins.
    pub maximum: MatchingStart,
    /// Which request PIM draws.
    pub pim: PimDraw,
    /// Ways from each input port into the switch.
    pub input_speedup: u32,
    /// Ways from the switch to each output: input port i takes way i mod `output_speedup`.
    pub output_speedup: u32,
    /// Internal cycles of a router in stages in each cycle of a channel.
    pub internal_speedup: u32,
    /// Whether flits wait for their channel in a queue behind the switch, not before it. With `output_speedup`
    /// or `internal_speedup` above 1 they always do.
    pub output_queues: bool,
    /// Whether a packet keeps its way through the switch as long as its next flit can go in the next cycle.
    pub hold_switch: bool,
    /// Whether flits of several packets take turns on a channel; if false, a packet has the channel to itself
    /// from head to tail.
    pub interleave_flits: bool,
    /// Cycles on the wire of each channel, beyond the router's.
    pub channel_delay: ChannelDelay,
    /// Cycles from one flit that a channel takes to the next, 1 to 10,000.
    pub channel_period: u32,
    /// The period of each channel, by channel identifier, in place of `channel_period`: for channels that are
    /// narrower than a flit. Empty where all channels are alike.
    pub channel_periods: Vec<u32>,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self::of_values(&keys::ROUTER.defaults())
    }
}

/// Why a router cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number outside its range.
    #[error("{name} is {value}; it must be from {low} to {high}")]
    OutOfRange {
        /// The field of [`EngineConfig`].
        name: &'static str,
        /// What was given.
        value: u64,
        /// The least allowed.
        low: u64,
        /// The most allowed.
        high: u64,
    },
    /// Options that do not go together.
    #[error("{}; {}", .0.message, .0.help)]
    Contradiction(Contradiction),
    /// A terminal that cannot be a port.
    #[error(
        "terminal {terminal} is no port: it has not one channel to a router and one from a router alone"
    )]
    NoPort {
        /// The first such terminal.
        terminal: flitsim_topology::NodeId,
    },
    /// There must be one period for each channel, and the counts differ.
    #[error("{given} channel periods for {channels} channels")]
    PeriodCount {
        /// Periods given.
        given: usize,
        /// Channels of the network.
        channels: u32,
    },
    /// There must be one delay for each channel, and the counts differ.
    #[error("{given} channel delays for {channels} channels")]
    DelayCount {
        /// Delays given.
        given: usize,
        /// Channels of the network.
        channels: u32,
    },
    /// More virtual channels than 16 bits can index at one router, or 32 bits in the network.
    #[error(
        "{ports} input ports of {vcs} virtual channels at {place}: more than the {limit} that \
         can be told apart"
    )]
    TooMany {
        /// Input ports at that place.
        ports: u64,
        /// Virtual channels that each port has room for.
        vcs: u32,
        /// One router, or the network.
        place: &'static str,
        /// The most input virtual channels at that place.
        limit: u64,
    },
    /// The routing algorithm needs a channel back for each channel, and one channel has none.
    #[error(
        "{algorithm} needs links, a channel each way: there is a channel from `{from}` to `{to}`, \
         and none back"
    )]
    Unpaired {
        /// The algorithm.
        algorithm: &'static str,
        /// The node that the channel leaves.
        from: String,
        /// The node that it enters.
        to: String,
    },
    /// The routing algorithm needs a path between two nodes, and there is none.
    #[error("{algorithm} finds no path from `{from}` to `{to}`")]
    NoPath {
        /// The algorithm.
        algorithm: &'static str,
        /// Where the path would begin.
        from: String,
        /// Where it would end.
        to: String,
    },
    /// The routing algorithm would need tables larger than the limit.
    #[error(
        "{algorithm} would need tables of {mebibytes} MiB for {terminals} terminals and {nodes} \
         nodes; the limit is {limit_mebibytes} MiB"
    )]
    TablesTooLarge {
        /// The algorithm.
        algorithm: &'static str,
        /// Terminals of the network.
        terminals: u32,
        /// Nodes of the network.
        nodes: u32,
        /// Memory that the tables would take, in units of 2^20 bytes.
        mebibytes: u64,
        /// The limit, in the same units.
        limit_mebibytes: u64,
    },
    /// The flit buffers would need more memory than the limit.
    #[error(
        "the flit buffers alone would take {gibibytes} GiB ({channels} channels of \
         {virtual_channels} virtual channels of {buffer_flits} flits); the limit is {limit} GiB"
    )]
    BuffersTooLarge {
        /// Memory of the buffers, each kept with its size rounded up to a power of two.
        gibibytes: u64,
        /// Channels of the network.
        channels: u32,
        /// Virtual channels of each channel.
        virtual_channels: u32,
        /// Flits of each virtual channel.
        buffer_flits: u32,
        /// The most memory that is accepted.
        limit: u64,
    },
    /// The routing algorithm cannot be used here: it needs more virtual channels, for example.
    #[error("{reason}")]
    Routing {
        /// What the algorithm says.
        reason: String,
    },
    /// A file of routes is well-formed, but leads some packet to a dead end or round for ever, or asks for
    /// virtual channels that do not exist.
    #[error("{reason}")]
    Astray {
        /// Which packet, and where.
        reason: String,
    },
}

impl ConfigError {
    /// That a routing cannot be used here, for `reason`.
    pub(crate) fn routing(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Routing { reason }
    }
}

impl EngineConfig {
    /// Whether a terminal sends at most one flit a cycle into its router. False where the port is unlimited, or
    /// where every virtual channel has its own way into the switch.
    pub fn is_injection_limited(&self) -> bool {
        self.injection == Port::Channel && self.crossbar == Crossbar::Port
    }

    /// The wire delay of channel `channel`, in cycles.
    pub fn channel_delay_of(&self, channel: flitsim_topology::ChannelId) -> u32 {
        match &self.channel_delay {
            ChannelDelay::Uniform(delay) => *delay,
            ChannelDelay::PerChannel(delays) => delays[channel.index()],
        }
    }

    /// The period of channel `channel`: cycles from one flit that it takes to the next.
    pub fn channel_period_of(&self, channel: flitsim_topology::ChannelId) -> u32 {
        let period = self.channel_periods.get(channel.index()).copied();
        period.unwrap_or(self.channel_period)
    }

    /// The period of the fastest channel.
    pub fn channel_period_min(&self) -> u32 {
        let period = self.channel_periods.iter().copied().min();
        period.unwrap_or(self.channel_period)
    }

    /// The period of the slowest channel.
    pub fn channel_period_max(&self) -> u32 {
        let period = self.channel_periods.iter().copied().max();
        period.unwrap_or(self.channel_period)
    }

    /// Checks every field against its range, and the lists against the network.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self, network: &Network) -> Result<(), ConfigError> {
        let ranged = |name, value: u32, low: u64, high: u64| {
            let value = u64::from(value);
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError::OutOfRange {
                    name,
                    value,
                    low,
                    high,
                })
            }
        };
        if let Some(&first) = self.contradictions().first() {
            return Err(ConfigError::Contradiction(first));
        }
        ranged("ejection_vcs", self.ejection_vcs, 0, 64)?;
        for (key, value) in self.ranged() {
            let (low, high) = key.range();
            ranged(key.name(), value, low, high)?;
        }
        ranged("channel_period", self.channel_period, 1, 10_000)?;
        if !self.channel_periods.is_empty() {
            if self.channel_periods.len() != network.channels() as usize {
                return Err(ConfigError::PeriodCount {
                    given: self.channel_periods.len(),
                    channels: network.channels(),
                });
            }
            let mut periods = self.channel_periods.iter();
            periods.try_for_each(|&period| ranged("channel_period", period, 1, 10_000))?;
        }
        self.check_count(network)?;
        self.check_buffers(network)?;
        if let Some(terminal) = self.first_that_is_no_port(network) {
            return Err(ConfigError::NoPort { terminal });
        }
        match &self.channel_delay {
            ChannelDelay::Uniform(delay) => ranged("channel_delay", *delay, 0, 100_000),
            ChannelDelay::PerChannel(delays) if delays.len() != network.channels() as usize => {
                Err(ConfigError::DelayCount {
                    given: delays.len(),
                    channels: network.channels(),
                })
            }
            ChannelDelay::PerChannel(delays) => delays
                .iter()
                .try_for_each(|&delay| ranged("channel_delay", delay, 0, 100_000)),
        }
    }

    /// Whether packets of `flits` flits can ever move: where only whole packets move, a buffer must hold one.
    pub fn takes_packets(&self, flits: u32) -> bool {
        self.flow_control == FlowControl::Wormhole || flits <= self.buffer_flits
    }

    /// Virtual channels of the port that has most.
    pub(crate) fn most_vcs(&self) -> u32 {
        let most = self.virtual_channels.max(self.injection_vcs);
        most.max(self.ejection_vcs)
    }

    /// Virtual channels that every port has room for.
    pub(crate) fn room_vcs(&self) -> u32 {
        // What is beyond all bounds is refused elsewhere.
        self.most_vcs().min(1 << 31).next_power_of_two()
    }

    /// Input virtual channels are indexed by 32 bits, those of one router and its outputs by 16.
    fn check_count(&self, network: &Network) -> Result<(), ConfigError> {
        let vcs = self.room_vcs();
        let ports = if self.is_staged() { 2 } else { 1 };
        let total = u64::from(network.channels()) + ports * u64::from(network.terminals());
        let widest = (0..network.nodes())
            .map(|node| {
                let node = flitsim_topology::NodeId(node);
                network.in_degree(node).max(network.outgoing(node).len()) as u64 + 1
            })
            .max()
            .unwrap_or(1);
        let padded = u64::from(network.nodes()) * widest.next_power_of_two();
        for (ports, limit, place) in [
            (total.max(padded), u64::from(u32::MAX) - 2, "the network"),
            (widest, u64::from(u16::MAX) - 64, "one router"),
        ] {
            if ports * u64::from(vcs) > limit {
                return Err(ConfigError::TooMany {
                    ports,
                    vcs,
                    place,
                    limit,
                });
            }
        }
        Ok(())
    }

    /// Refuses buffers before their memory is touched.
    fn check_buffers(&self, network: &Network) -> Result<(), ConfigError> {
        const LIMIT_GIBIBYTES: u64 = 16;
        let of_sources = match self.injection_buffers {
            true => u64::from(network.terminals()),
            false => 0,
        };
        let places = (u64::from(network.channels()) + of_sources)
            * u64::from(self.room_vcs())
            * u64::from(self.buffer_most().next_power_of_two());
        let gibibytes = (places * PLACE_BYTES as u64) >> 30;
        if gibibytes > LIMIT_GIBIBYTES {
            return Err(ConfigError::BuffersTooLarge {
                gibibytes,
                channels: network.channels(),
                virtual_channels: self.virtual_channels,
                buffer_flits: self.buffer_flits,
                limit: LIMIT_GIBIBYTES,
            });
        }
        Ok(())
    }
}
