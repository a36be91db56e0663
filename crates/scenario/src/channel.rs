//! The table `[channel]`: how wide a channel is, how often it takes a flit, how long its wires are
//! under way, and how long a cycle of its network is.
//!
//! Wires follow Dally's models (`flitsim_topology::layout::WireModel`): the delay of a wire of l
//! node pitches is 1, 1 + log2 l or l, in units of that of a wire of one pitch, which is the cycle.
//! Either wires are pipelined, and a channel adds the part of that delay, rounded up, which goes
//! beyond the cycle that every hop takes already; or the longest wire is the clock of the network.

use super::error::{Fault, Place};
use super::key::{Key, Shape, Within, names, words};
use super::reader::{Placed, Section};
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_topology::layout::WireModel;
use flitsim_topology::{ChannelId, Network};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use toml::de::DeTable;

/// The keys of `[channel]`.
pub const CHANNEL_KEYS: [Key; 6] = [
    Key::new(
        "delay",
        Shape::integer(DELAY_CYCLES, "cycles"),
        "What a flit spends on the wire, beyond the router's delay; not beside `model`.",
    )
    .or("0"),
    Key::new(
        "width_bits",
        Shape::integer(WIDTHS, "bits"),
        "Bits of a flit: turns `packet_bits` into flits, and loads in bits into flits. Networks from \
         files may have widths of their own, and `[cost]` derives one.",
    )
    .or("32"),
    Key::new(
        "period",
        Shape::integer(PERIOD_CYCLES, "cycles"),
        "Cycles from one flit that a channel takes to the next.",
    )
    .or("1"),
    Key::new(
        "model",
        Shape::Word(|| words(&MODELS)),
        "How the delay of a channel follows from the length l of its wires: 1, 1 + log2 l or l; not \
         beside `delay`.",
    ),
    Key::new(
        "wires",
        Shape::Word(|| words(&WIRES)),
        "What the delay of a `model` does: each channel takes the cycles that its own wire needs, or \
         the longest wire is the clock of the network. The default is pipelined.",
    ),
    Key::new(
        "cycle_time",
        Shape::number(
            Within::closed(1.0 / CYCLE_TIME_MOST, CYCLE_TIME_MOST),
            "reference cycles",
        ),
        "How long a cycle of this network is.",
    )
    .or("1"),
];

const DELAY_CYCLES: RangeInclusive<u64> = 0..=DELAY_MOST as u64;
const PERIOD_CYCLES: RangeInclusive<u64> = 1..=10_000;

/// The widths that a channel may have, in bits.
pub const WIDTHS: RangeInclusive<u64> = 1..=WIDTH_BITS_MOST as u64;

/// The bits that a channel takes side by side where nothing says otherwise.
pub const WIDTH_BITS: u32 = 32;

/// The widest channel, in bits.
pub const WIDTH_BITS_MOST: u32 = 1 << 20;

/// The longest wire delay of a channel, in cycles.
const DELAY_MOST: u32 = 100_000;

/// The longest cycle, in reference cycles; the shortest is its inverse.
const CYCLE_TIME_MOST: f64 = 1e6;

const MODELS: [(&str, WireModel); 3] = [
    ("constant", WireModel::Constant),
    ("logarithmic", WireModel::Logarithmic),
    ("linear", WireModel::Linear),
];

const WIRES: [(&str, Wires); 2] = [("pipelined", Wires::Pipelined), ("clock", Wires::Clock)];

/// What the delay of wires does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// Each channel takes the cycles that its own wire needs.
    Pipelined,
    /// Every channel takes one cycle, which is as long as the longest wire needs.
    Clock,
}

/// The table, read; once [`Channel::apply`] has seen the network, complete.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The bits of a flit, where the table gives them.
    pub width_bits: Option<Placed<u32>>,
    /// Reference cycles that a simulated cycle takes.
    pub cycle_time: f64,
    delay: Placed<u32>,
    period: u32,
    model: Option<Placed<WireModel>>,
    wires: Wires,
}

impl Channel {
    /// Reads and checks the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>) -> Result<Self, Fault> {
        section.only(&names(&CHANNEL_KEYS), &[])?;
        section.not_both(
            "delay",
            "model",
            "`delay` is the same for every channel, `model` follows the length of its wires",
        )?;
        let width = section.integer("width_bits", WIDTHS, "bits")?;
        let wires = section.word("wires", &WIRES, &[])?;
        let model = section.word("model", &MODELS, &[])?;
        if let (Some(wires), None) = (&wires, &model) {
            let message = "`wires` says what the delay of a `model` does, and there is no `model`";
            return Err(Fault::new(wires.place.clone(), message)
                .label("of which model?")
                .help("add one, such as `model = \"logarithmic\"`"));
        }
        Ok(Self {
            width_bits: width.map(|width| width.map(|bits| bits as u32)),
            cycle_time: cycle_time(section)?,
            delay: section.count("delay", DELAY_CYCLES, "cycles", 0)?,
            period: section.count("period", PERIOD_CYCLES, "cycles", 1)?.value,
            model,
            wires: wires.map_or(Wires::Pipelined, |wires| wires.value),
        })
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
        let nothing = DeTable::new();
        let mut channel = Self::read(&Section::inline("channel", &nothing, 0..0))?;
        channel.apply(config, network, widest.unwrap_or(WIDTH_BITS))
    }

    /// Gives `config` the delays and periods of the channels of `network`, whose flits are
    /// `width_bits` wide, and takes from its wires the cycle time, where they are the clock.
    ///
    /// The delays are those of the model; without a model, the network's own, unless the table has
    /// a `delay`. A channel narrower than a flit takes the next one when all bits of the last are
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
        config.channel_delay = match (self.model.clone(), own) {
            (Some(model), _) => self.wire_delay(&model, network)?,
            (None, Some(delays)) if self.delay.place.is_none() => {
                ChannelDelay::PerChannel(delays.clone())
            }
            (None, _) => ChannelDelay::Uniform(self.delay.value),
        };
        config.channel_period = self.period;
        config.channel_periods.clear();
        if let Some(widths) = known.and_then(|known| known.width_bits.as_ref()) {
            self.take_widths(config, widths, width_bits)?;
        }
        Ok(())
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
        if longest > f64::from(DELAY_MOST) {
            return Err(too_long(model.place.clone(), longest));
        }
        Ok(match cycles.first() {
            Some(&first) if cycles.iter().all(|&cycles| cycles == first) => {
                ChannelDelay::Uniform(first as u32)
            }
            None => ChannelDelay::Uniform(0),
            Some(_) => ChannelDelay::PerChannel(cycles.iter().map(|&c| c as u32).collect()),
        })
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
        if longest > 10_000 {
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
                .label("at most 10000")
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
        let delay = match (&self.model, &config.channel_delay) {
            (Some(model), _) if self.wires == Wires::Pipelined => {
                let name = MODELS.iter().find(|(_, m)| *m == model.value);
                json!(name.map(|(name, _)| *name))
            }
            (_, ChannelDelay::Uniform(delay)) => json!(delay),
            // The network's definition has them.
            (_, ChannelDelay::PerChannel(_)) => json!("network"),
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
        if self.cycle_time != 1.0 {
            definition["cycle_time"] = json!(self.cycle_time);
        }
        definition
    }
}

fn cycle_time(section: &Section<'_>) -> Result<f64, Fault> {
    let Some(given) = section.number("cycle_time")? else {
        return Ok(1.0);
    };
    if (1.0 / CYCLE_TIME_MOST..=CYCLE_TIME_MOST).contains(&given.value) {
        return Ok(given.value);
    }
    let message = format!("`cycle_time` is {}, out of its range", given.value);
    Err(Fault::new(given.place, message)
        .label("out of range")
        .help("reference cycles that a cycle of this network takes, from 0.000001 to 1000000"))
}

fn too_long(place: Option<Place>, cycles: f64) -> Fault {
    let message = format!("the network's longest wire would take {cycles} cycles");
    Fault::new(place, message)
        .label("too long a wire for this model")
        .help("`model = \"logarithmic\"`, or a smaller network")
}
