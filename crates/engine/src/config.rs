//! What a router is: its buffers, delays, switching and allocation.

pub mod keys;
mod queues;
mod sharing;
mod stages;

pub use sharing::BufferSharing;
pub(crate) use stages::Begins;
pub use stages::{
    Arbiter, Contradiction, InputArbiter, Matching, MatchingStart, PimDraw, Pipeline,
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
    /// As virtual cut-through, and only when its own tail has arrived. The source does not wait
    /// for itself; the sink takes flits as they come.
    StoreAndForward,
}

/// When a virtual channel may be claimed by the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VcReallocation {
    /// When the last packet's tail has left and every credit is back: the buffer is empty.
    Atomic,
    /// As soon as the last packet's tail has left the sender.
    NonAtomic,
}

/// How many flits an input port passes to the switch in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossbar {
    /// One flit an input port a cycle.
    Port,
    /// One flit a virtual channel a cycle, those of the injection port included: only output
    /// channels limit.
    Vc,
}

/// Whether a terminal's port into or out of its router limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// One flit a cycle.
    Channel,
    /// As many flits a cycle as there are.
    Unlimited,
}

/// Who wins where several flits or heads want one resource (Dally & Towles, chapter 19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// Separable, input first, round-robin arbiters.
    RoundRobin,
    /// iSLIP (McKeown 1999) with the given number of iterations, at least 1.
    Islip {
        /// Iterations of request, grant, accept a cycle.
        iterations: u32,
    },
    /// Separable, input first, a uniformly random choice at each arbiter.
    Random,
    /// Separable, input first, the packet created first wins.
    OldestFirst,
}

/// Which of several equally good channels an adaptive head takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Any, uniformly.
    Random,
    /// The one whose allowed virtual channels have the most credits in all; ties at random.
    MostCredits,
    /// The one with the fewest virtual channels in use, whoever may claim them: claimed or, under
    /// atomic reallocation, not yet empty again. Ties at random.
    LeastLoaded,
    /// The first in the order in which the relation lists them. Adaptive relations on grids list
    /// the dimension with the most hops left first, and so go in zigzag along the diagonal, which
    /// keeps the choice open for longest (Badr & Podar, "An optimal shortest-path routing policy
    /// for network computers with regular mesh-connected topologies", IEEE Transactions on
    /// Computers 38 (10), 1989).
    Zigzag,
}

/// Cycles a flit spends on the wire of a channel, beyond the router's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelDelay {
    /// The same for every channel.
    Uniform(u32),
    /// One for each channel, by channel identifier.
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
    /// Whose the places of a port's buffers are.
    pub buffer_sharing: BufferSharing,
    /// When a packet may advance.
    pub flow_control: FlowControl,
    /// When a virtual channel may be claimed again.
    pub vc_reallocation: VcReallocation,
    /// Cycles that a head flit spends in a router at zero load, at least 1.
    pub delay: u32,
    /// The same for the other flits, at least 1.
    pub body_delay: u32,
    /// Cycles that a credit takes beyond the wire's delay, at least 1.
    pub credit_delay: u32,
    /// Who wins a resource.
    pub allocator: Allocator,
    /// Which channel an adaptive head takes.
    pub selection: Selection,
    /// What limits the way into the switch.
    pub crossbar: Crossbar,
    /// Packets of a terminal that may be under way into its router at once.
    pub injection_vcs: u32,
    /// What limits the way from a terminal into the switch.
    pub injection: Port,
    /// What limits the way from the switch to a terminal.
    pub ejection: Port,
    /// The router's stages, in place of `delay` and `body_delay`; `None` where it is ideal.
    pub pipeline: Option<Pipeline>,
    /// Whether a head bids for the switch while it asks for a virtual channel.
    pub speculative: bool,
    /// Virtual channels of the way from a router to its terminal, each held by a packet from head to
    /// tail; 0 where a terminal takes flits of any number of packets in turn.
    pub ejection_vcs: u32,
    /// Whether a terminal sends flit by flit into buffers like those of a channel, one packet after
    /// another.
    pub injection_buffers: bool,
    /// Whether terminals with one channel to a router and one from it are ports of these routers, without
    /// routers of their own.
    pub terminal_ports: bool,
    /// Who gets a virtual channel; `None` where heads are served one after another, as `allocator`
    /// orders them.
    pub vc_allocator: Option<Matching>,
    /// Who gets the switch, where it is not as `allocator` says.
    pub switch_allocator: Option<Matching>,
    /// The arbiters, where they are not those of `allocator`.
    pub arbiter: Option<Arbiter>,
    /// Which of an input's virtual channels that bid for one output goes first.
    pub input_arbiter: InputArbiter,
    /// Where a wavefront begins.
    pub wavefront: MatchingStart,
    /// Where a maximum matching begins.
    pub maximum: MatchingStart,
    /// Whom PIM draws.
    pub pim: PimDraw,
    /// Ways of each input port into the switch.
    pub input_speedup: u32,
    /// Ways of each output out of the switch: input port i goes over way i mod `output_speedup`.
    pub output_speedup: u32,
    /// Internal cycles of a router in stages while a channel takes one flit.
    pub internal_speedup: u32,
    /// Whether flits wait for their channel in a queue behind the switch, and not before it; with several
    /// ways out of the switch they do in any case.
    pub output_queues: bool,
    /// Whether a packet keeps its way through the switch as long as its next flit can go in the next cycle.
    pub hold_switch: bool,
    /// Whether flits of several packets take turns on a channel; if not, a packet has it to itself from
    /// head to tail.
    pub interleave_flits: bool,
    /// Cycles on the wire beyond the router's.
    pub channel_delay: ChannelDelay,
    /// Cycles between two flits that a channel takes, 1 to 10,000.
    pub channel_period: u32,
    /// One for each channel, by channel identifier, in place of `channel_period`: of channels that
    /// are narrower than a flit. Empty where all channels are alike.
    pub channel_periods: Vec<u32>,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self::of_values(&keys::ROUTER.defaults())
    }
}

/// A router that cannot be built.
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
        /// The first of them.
        terminal: flitsim_topology::NodeId,
    },
    /// One period for each channel is wanted, and the counts differ.
    #[error("{given} channel periods for {channels} channels")]
    PeriodCount {
        /// Periods given.
        given: usize,
        /// Channels there are.
        channels: u32,
    },
    /// One delay for each channel is wanted, and the counts differ.
    #[error("{given} channel delays for {channels} channels")]
    DelayCount {
        /// Delays given.
        given: usize,
        /// Channels there are.
        channels: u32,
    },
    /// More virtual channels than 32 bits can index, at one router or in all.
    #[error(
        "{ports} input ports of {vcs} virtual channels at {place}: more than the {limit} that \
         can be told apart"
    )]
    TooMany {
        /// Input ports there.
        ports: u64,
        /// Virtual channels that each has room for.
        vcs: u32,
        /// One router, or the network.
        place: &'static str,
        /// The most input virtual channels there.
        limit: u64,
    },
    /// The routing algorithm needs a channel back for each channel, and one has none.
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
    /// The routing algorithm needs a way between two nodes, and there is none.
    #[error("{algorithm} finds no path from `{from}` to `{to}`")]
    NoPath {
        /// The algorithm.
        algorithm: &'static str,
        /// Where the path would begin.
        from: String,
        /// Where it would end.
        to: String,
    },
    /// The routing algorithm would need tables that no memory should be spent on.
    #[error(
        "{algorithm} would need tables of {mebibytes} MiB for {terminals} terminals and {nodes} \
         nodes; the limit is {limit_mebibytes} MiB"
    )]
    TablesTooLarge {
        /// The algorithm.
        algorithm: &'static str,
        /// Terminals there are.
        terminals: u32,
        /// Nodes there are.
        nodes: u32,
        /// Memory they would take, in units of 2^20 bytes.
        mebibytes: u64,
        /// The most that is taken, in the same units.
        limit_mebibytes: u64,
    },
    /// More memory for buffers than is taken without asking.
    #[error(
        "the flit buffers alone would take {gibibytes} GiB ({channels} channels of \
         {virtual_channels} virtual channels of {buffer_flits} flits); the limit is {limit} GiB"
    )]
    BuffersTooLarge {
        /// Memory of the buffers, rounded to powers of two as they are kept.
        gibibytes: u64,
        /// Channels of the network.
        channels: u32,
        /// Virtual channels of each.
        virtual_channels: u32,
        /// Flits of each.
        buffer_flits: u32,
        /// The most that is accepted.
        limit: u64,
    },
    /// The routing algorithm needs more virtual channels than there are.
    #[error("{reason}")]
    Routing {
        /// What the algorithm says.
        reason: String,
    },
    /// A file of routes is well-formed, and leads some packet to where there is no way on, or round
    /// for ever, or asks for virtual channels that are not there.
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
    /// Whether a terminal sends at most one flit a cycle into its router: not where the port is
    /// unlimited, nor where every virtual channel has its own way into the switch.
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

    /// The cycles between two flits that channel `channel` takes.
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
    /// The first field that does not hold.
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

    /// Whether packets of `flits` flits ever move: where whole packets do, a buffer must hold one.
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
