//! The table `[channel]`: how wide a channel is, how often it takes a flit, how long its wires are
//! under way, and how long a cycle of its network is.
//!
//! Wires follow Dally's models (`flitsim_topology::layout::WireModel`): the delay of a wire of l
//! node pitches is 1, 1 + log2 l or l, in units of that of a wire of one pitch, which is the cycle.
//! Either wires are pipelined, and a channel adds the part of that delay, rounded up, which goes
//! beyond the cycle that every hop takes already; or the longest wire is the clock of the network.

use crate::error::{Fault, Place};
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_keys::{Form, Key, Placed, Rule, Values, Within, Words, table, words};
use flitsim_topology::layout::WireModel;
use flitsim_topology::{ChannelId, Network, NodeId};
use serde_json::{Value, json};

table! {
    /// The table `[channel]`.
    pub static CHANNEL = "channel",
        "The width of a channel, how often it takes a flit, and the delay of its wires.",
        rules(&[
            Rule::Either {
                one: &["delay", "global_delay", "terminal_delay"],
                other: &["model", "wires"],
                help: "a `delay` is the same for every channel of a kind, `model` follows the length \
                       of its wires",
            },
            Rule::Needs {
                keys: &["wires"],
                others: &["model"],
                help: "add one, such as `model = \"logarithmic\"`",
            },
        ]);

    DELAY: u32 = "delay" integer(0..=100_000, "cycles").or(0),
        "Time of a flit on the wire, beyond the router's delay; not with `model`.";
    GLOBAL_DELAY: Option<u32> = "global_delay" integer(0..=100_000, "cycles").optional_as("`delay`"),
        "`delay` of channels between groups of a dragonfly, whose cables are longer.";
    TERMINAL_DELAY: Option<u32> = "terminal_delay" integer(0..=100_000, "cycles").optional_as("`delay`"),
        "`delay` between terminals and routers, where terminals are nodes of their own.";
    /// Bits of a flit.
    pub WIDTH_BITS: u32 = "width_bits" integer(1..=WIDTH_BITS_MOST as u64, "bits").or(32),
        "Bits of a flit: converts `packet_bits`, and loads in bits, into flits. Networks from files may have widths of \
         their own, and `[cost]` derives one.";
    PERIOD: u32 = "period" integer(1..=10_000, "cycles").or(1),
        "Cycles from one flit that a channel takes to the next.";
    MODEL: Option<WireModel> = "model" word().optional(),
        "How the delay of a channel follows from the length l of its wires: 1, 1 + log2 l or l; not with `delay`.";
    WIRES: Option<Wires> = "wires" word().optional_as("`\"pipelined\"`"),
        "What the delay of a `model` sets: the cycles of each channel, by its own wire (pipelined), or the network's \
         cycle, by its longest wire (clock). The default is pipelined.";
    CYCLE_TIME: f64 = "cycle_time" number(
            Within::closed(1.0 / CYCLE_TIME_MOST, CYCLE_TIME_MOST),
            "reference cycles"
        )
        .or_number(1.0).hint("reference cycles that a cycle of this network takes"),
        "How long a cycle of this network is.";
}

/// The widest channel, in bits.
pub const WIDTH_BITS_MOST: u32 = 1 << 20;

/// The longest cycle, in reference cycles; the shortest is its inverse.
const CYCLE_TIME_MOST: f64 = 1e6;

/// What the delay of wires does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// Each channel takes the cycles that its own wire needs.
    Pipelined,
    /// Every channel takes one cycle, which is as long as the longest wire needs.
    Clock,
}

words! {
    Wires: "pipelined" Pipelined, "clock" Clock;
}

/// The table, read; once [`Channel::apply`] has seen the network, complete.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The bits of a flit, where the table gives them.
    pub width_bits: Option<Placed<u32>>,
    /// Reference cycles that a simulated cycle takes.
    pub cycle_time: f64,
    delay: Placed<u32>,
    global_delay: Option<Placed<u32>>,
    terminal_delay: Option<Placed<u32>>,
    /// Whether the network has delays of its own, and the table none in their place.
    takes_own: bool,
    period: u32,
    model: Option<Placed<WireModel>>,
    wires: Wires,
}

impl Channel {
    /// The channels that `values` of [`CHANNEL`] say.
    pub fn of(values: &Values) -> Self {
        let width = values.placed(&WIDTH_BITS);
        Self {
            width_bits: values.is_given(WIDTH_BITS.name()).then_some(width),
            cycle_time: values.get(&CYCLE_TIME),
            delay: values.placed(&DELAY),
            global_delay: given(values, &GLOBAL_DELAY),
            terminal_delay: given(values, &TERMINAL_DELAY),
            takes_own: false,
            period: values.get(&PERIOD),
            model: given(values, &MODEL),
            wires: values.get(&WIRES).unwrap_or(Wires::Pipelined),
        }
    }

    /// Gives `config` the channels of `network` where no table says anything: its own delays, and
    /// widths for flits as wide as `widest`.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn default_of(
        config: &mut EngineConfig,
        network: &Network,
        widest: Option<u32>,
    ) -> Result<(), Fault> {
        let nothing = CHANNEL.defaults();
        let widest = widest.unwrap_or(nothing.get(&WIDTH_BITS));
        Self::of(&nothing).apply(config, network, widest)
    }

    /// Gives `config` the delays and periods of the channels of `network`, whose flits are
    /// `width_bits` wide, and takes from its wires the cycle time, where they are the clock.
    ///
    /// The delays are those of the model; without a model, the network's own, unless the table has
    /// a `delay`, and of channels between groups or to terminals those that it has for them. A channel narrower than a flit takes the next one when all bits of the last are
    /// through.
    ///
    /// # Errors
    /// Wires, or periods, longer than can be simulated.
    pub fn apply(
        &mut self,
        config: &mut EngineConfig,
        network: &Network,
        width_bits: u32,
    ) -> Result<(), Fault> {
        let known = network.annotations();
        let own = known.and_then(|known| known.delay_cycles.as_ref());
        let own = own.filter(|_| self.delay.place.is_none());
        self.takes_own = own.is_some();
        config.channel_delay = match (self.model.clone(), own) {
            (Some(model), _) => self.wire_delay(&model, network)?,
            (None, own) if self.global_delay.is_some() || self.terminal_delay.is_some() => {
                self.delays_by_kind(network, own)?
            }
            (None, Some(delays)) => ChannelDelay::PerChannel(delays.clone()),
            (None, _) => ChannelDelay::Uniform(self.delay.value),
        };
        config.channel_period = self.period;
        config.channel_periods.clear();
        if let Some(widths) = known.and_then(|known| known.width_bits.as_ref()) {
            self.take_widths(config, widths, width_bits)?;
        }
        config.set_periods_of_ports(network);
        Ok(())
    }

    /// The delays where channels of some kinds have others than the rest, which have those of the
    /// network's `own`, if it has any.
    fn delays_by_kind(
        &self,
        network: &Network,
        own: Option<&Vec<u32>>,
    ) -> Result<ChannelDelay, Fault> {
        let mut delays = match own {
            Some(own) => own.clone(),
            None => vec![self.delay.value; network.channels() as usize],
        };
        let mut set = |delay: u32, is_of_kind: &dyn Fn([NodeId; 2]) -> bool| {
            for (channel, own) in (0..).map(ChannelId).zip(&mut delays) {
                if is_of_kind([network.source(channel), network.target(channel)]) {
                    *own = delay;
                }
            }
        };
        // Nodes keep their numbers where some have failed.
        let whole = network.whole();
        if let Some(delay) = &self.global_delay {
            let Some(dragonfly) = whole.routers().dragonfly() else {
                let message = "there are no channels between groups in this network";
                return Err(Fault::new(delay.place.clone(), message)
                    .label("for dragonflies")
                    .help("`delay`, which is of all channels, or `model`, which follows their lengths"));
            };
            let router = |node| whole.concentration().map_or(node, |of| of.router(node));
            let group = |node| dragonfly.group(router(node));
            set(delay.value, &|[source, target]| {
                group(source) != group(target)
            });
        }
        if let Some(delay) = &self.terminal_delay {
            let terminals = whole.terminals();
            // One that packets of others pass is a router itself.
            let is_apart =
                |node| whole.outgoing(node).len() == 1 && whole.incoming(node).len() == 1;
            if terminals == whole.nodes() || !(0..terminals).map(NodeId).all(is_apart) {
                let message = "a terminal of this network is part of its router, without a channel";
                return Err(Fault::new(delay.place.clone(), message)
                    .label("for routers with several terminals, and trees")
                    .help("`delay`, which is of the channels between routers here"));
            }
            set(delay.value, &|ends| {
                ends.iter().any(|node| node.0 < terminals)
            });
        }
        Ok(by_channel(delays))
    }

    fn wire_delay(
        &mut self,
        model: &Placed<WireModel>,
        network: &Network,
    ) -> Result<ChannelDelay, Fault> {
        let lengths = (0..network.channels())
            .map(|channel| f64::from(network.length_pitches(ChannelId(channel))));
        let delays = lengths.map(|length| model.value.delay(length));
        if self.wires == Wires::Clock {
            // The clock was set when all wires were whole.
            let whole = network.whole();
            let lengths = (0..whole.channels()).map(|c| whole.length_pitches(ChannelId(c)));
            let delays = lengths.map(|length| model.value.delay(f64::from(length)));
            self.cycle_time *= delays.fold(1.0, f64::max);
            if self.cycle_time > CYCLE_TIME_MOST {
                return Err(too_long(model.place.clone(), self.cycle_time));
            }
            return Ok(ChannelDelay::Uniform(0));
        }
        let cycles: Vec<f64> = delays.map(|delay| delay.ceil() - 1.0).collect();
        let longest = cycles.iter().copied().fold(0.0, f64::max);
        if longest > DELAY.range().1 as f64 {
            return Err(too_long(model.place.clone(), longest));
        }
        Ok(by_channel(cycles.iter().map(|&c| c as u32).collect()))
    }

    /// A flit of `width_bits` takes a channel of `widths` as many periods as its bits need.
    fn take_widths(
        &self,
        config: &mut EngineConfig,
        widths: &[u32],
        width_bits: u32,
    ) -> Result<(), Fault> {
        let periods: Vec<u64> = widths
            .iter()
            .map(|&width| u64::from(width_bits.div_ceil(width)) * u64::from(self.period))
            .collect();
        let longest = periods.iter().copied().max().unwrap_or(1);
        if longest > PERIOD.range().1 {
            let place = self
                .width_bits
                .as_ref()
                .and_then(|width| width.place.clone());
            let narrowest = widths.iter().copied().min().unwrap_or(1);
            let message = format!(
                "a flit of {width_bits} bits would take {longest} cycles over the network's \
                 narrowest channel, of width {narrowest}"
            );
            return Err(Fault::new(place, message)
                .label(format!("at most {}", PERIOD.range().1))
                .help("narrower flits (`[channel] width_bits`), or wider channels in the file"));
        }
        // The limit keeps them within 32 bits.
        let periods: Vec<u32> = periods.iter().map(|&period| period as u32).collect();
        match periods.first() {
            Some(&first) if periods.iter().all(|&period| period == first) => {
                config.channel_period = first;
            }
            _ => config.channel_periods = periods,
        }
        Ok(())
    }

    /// Everything that defines a channel of flits of `width_bits`, under the `config` that
    /// [`Channel::apply`] completed.
    pub fn definition(&self, config: &EngineConfig, width_bits: u32) -> Value {
        let Self {
            width_bits: _,
            cycle_time,
            delay,
            global_delay,
            terminal_delay,
            takes_own,
            period: _,
            model,
            wires,
        } = self;
        let delay = match (model, &config.channel_delay) {
            (Some(model), _) if *wires == Wires::Pipelined => {
                json!(model.value.word())
            }
            (_, ChannelDelay::Uniform(delay)) => json!(delay),
            // The network's definition has them.
            (_, ChannelDelay::PerChannel(_)) if *takes_own => json!("network"),
            (_, ChannelDelay::PerChannel(_)) => json!(delay.value),
        };
        let mut definition = json!({
            "delay": delay,
            "width_bits": width_bits,
            "period": config.channel_period,
        });
        // What has its default is left out: points simulated before these keys were are the same.
        if !config.channel_periods.is_empty() {
            definition["periods"] = json!("network");
        }
        let of_kinds = [
            (GLOBAL_DELAY.name(), global_delay),
            (TERMINAL_DELAY.name(), terminal_delay),
        ];
        for (name, delay) in of_kinds {
            if let Some(delay) = delay {
                definition[name] = json!(delay.value);
            }
        }
        if *cycle_time != 1.0 {
            definition["cycle_time"] = json!(cycle_time);
        }
        definition
    }
}

/// The value of a key without a default, where it is given.
fn given<T>(values: &Values, key: &Key<Option<T>>) -> Option<Placed<T>>
where
    Option<T>: Form,
{
    let Placed { value, place } = values.placed(key);
    value.map(|value| Placed { value, place })
}

/// The delays of channels, of all at once where they are alike.
fn by_channel(delays: Vec<u32>) -> ChannelDelay {
    let first = delays.first().copied().unwrap_or(0);
    match delays.iter().all(|&delay| delay == first) {
        true => ChannelDelay::Uniform(first),
        false => ChannelDelay::PerChannel(delays),
    }
}

fn too_long(place: Option<Place>, cycles: f64) -> Fault {
    let message = format!("the network's longest wire would take {cycles} cycles");
    Fault::new(place, message)
        .label("too long a wire for this model")
        .help("`model = \"logarithmic\"`, or a smaller network")
}
