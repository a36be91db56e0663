//! The table `[traffic]`: who sends to whom, when, and packets of what length.

use super::error::Fault;
use super::reader::{Placed, Section, array, integer};
use flitsim_topology::{Network, NodeId};
use flitsim_traffic::{PacketLength, Pattern, PatternError, Process, TrafficError, TrafficPlan};
use serde_json::{Value, json};

/// The keys of `[traffic]`, whatever the pattern.
const KEYS: [&str; 5] = ["pattern", "process", "packet_flits", "packet_bits", "self"];

/// The patterns' names, each with the keys that it adds.
const PATTERNS: [(&str, &[&str]); 9] = [
    ("uniform", &[]),
    ("transpose", &[]),
    ("bit-complement", &[]),
    ("bit-reverse", &[]),
    ("shuffle", &[]),
    ("tornado", &[]),
    ("neighbour", &[]),
    ("random-permutation", &[]),
    ("hotspot", &["nodes", "fraction"]),
];

const PATTERNS_LATER: [&str; 4] = ["local", "matrix", "permutation", "trace"];

const PROCESSES: [(&str, Process); 3] = [
    ("bernoulli", Process::Bernoulli),
    ("poisson", Process::Poisson),
    ("periodic", Process::Periodic),
];

/// The keys that a pattern of that name takes; `None` for an unknown name.
pub fn keys_of(pattern: &str) -> Option<Vec<&'static str>> {
    let (_, more) = PATTERNS.iter().find(|(name, _)| *name == pattern)?;
    Some(KEYS.iter().chain(more.iter()).copied().collect())
}

/// The table, read.
#[derive(Clone, Debug)]
pub struct TrafficTable {
    /// Everything but the load.
    pub plan: TrafficPlan,
    /// Whether the source is one of its own destinations.
    pub include_self: bool,
    /// Flits of each packet.
    pub packet_flits: u32,
    /// Bits that a packet carries.
    pub packet_bits: u64,
    pattern: Placed<()>,
    nodes: Placed<()>,
}

impl TrafficTable {
    /// Reads the table; `width_bits` is the width of a channel, `seed` that of the scenario.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>, width_bits: u32, seed: u64) -> Result<Self, Fault> {
        let names: Vec<(&str, &str)> = PATTERNS.iter().map(|(name, _)| (*name, *name)).collect();
        let name = section
            .word("pattern", &names, &PATTERNS_LATER)?
            .unwrap_or(Placed::default_of("uniform"));
        section.only(&keys_of(name.value).unwrap_or_default(), &["radius"])?;
        let include_self = section.flag("self", false)?.value;
        let pattern = match name.value {
            "transpose" => Pattern::Transpose,
            "bit-complement" => Pattern::BitComplement,
            "bit-reverse" => Pattern::BitReverse,
            "shuffle" => Pattern::Shuffle,
            "tornado" => Pattern::Tornado,
            "neighbour" => Pattern::Neighbour,
            "random-permutation" => Pattern::RandomPermutation { seed },
            "hotspot" => hotspot(section, include_self)?,
            _ => Pattern::Uniform { include_self },
        };
        let process = section.word("process", &PROCESSES, &["on-off"])?;
        let (packet_flits, packet_bits) = packet(section, width_bits)?;
        Ok(Self {
            plan: TrafficPlan {
                pattern,
                process: process.map_or(Process::Bernoulli, |process| process.value),
                length: PacketLength::Fixed(packet_flits),
            },
            include_self,
            packet_flits,
            packet_bits,
            pattern: name.map(|_| ()),
            nodes: Placed {
                value: (),
                place: section.place_of("nodes"),
            },
        })
    }

    /// Refuses a pattern that is not defined on the network.
    ///
    /// # Errors
    /// What the pattern says, with the pattern or its nodes underlined.
    pub fn check(&self, network: &Network) -> Result<(), Fault> {
        let Err(error) = self.plan.validate(network) else {
            return Ok(());
        };
        let (place, help) = match &error {
            TrafficError::Pattern(PatternError::UnknownHotspot { terminals, .. }) => (
                &self.nodes.place,
                format!("`nodes` names terminals from 0 to {}", terminals - 1),
            ),
            TrafficError::Pattern(PatternError::RepeatedHotspot { .. }) => {
                (&self.nodes.place, "name each node once".to_owned())
            }
            _ => (
                &self.pattern.place,
                match network.whole().grid() {
                    Some(_) => {
                        "`uniform`, `bit-complement` and `neighbour` fit every torus, mesh \
                                and hypercube"
                    }
                    None => "`uniform`, `random-permutation` and `hotspot` fit every network",
                }
                .to_owned(),
            ),
        };
        Err(Fault::new(place.clone(), error.to_string())
            .label("does not fit the topology")
            .help(help))
    }

    /// Everything that defines the traffic but its rate.
    pub fn definition(&self) -> Value {
        let mut definition = json!({
            "pattern": self.plan.pattern.name(),
            "process": self.plan.process.name(),
            "packet_flits": self.packet_flits,
            "packet_bits": self.packet_bits,
            "self": self.include_self,
        });
        if let Pattern::Hotspot {
            nodes, fraction, ..
        } = &self.plan.pattern
        {
            definition["nodes"] = nodes.iter().map(|node| node.0).collect();
            definition["fraction"] = json!(fraction);
        }
        definition
    }
}

fn hotspot(section: &Section<'_>, include_self: bool) -> Result<Pattern, Fault> {
    let Some(nodes) = section.value("nodes") else {
        let why = "name the hot nodes by number, such as `nodes = [0, 27]`";
        return Err(section.missing("nodes", why));
    };
    let values = array(nodes, "`nodes`")?;
    if values.is_empty() {
        return Err(Fault::new(Some(nodes.span()), "`nodes` is empty")
            .label("no hot node")
            .help("name at least one, such as `nodes = [27]`"));
    }
    let nodes = values
        .iter()
        .map(|value| {
            let node = integer(value, "a hot node", 0..=u64::from(u32::MAX), "node numbers")?;
            Ok(NodeId(node.value as u32))
        })
        .collect::<Result<Vec<_>, Fault>>()?;
    let Some(fraction) = section.number("fraction")? else {
        let why = "say which share of the packets goes to the hot nodes, such as `fraction = 0.1`";
        return Err(section.missing("fraction", why));
    };
    if !(0.0..=1.0).contains(&fraction.value) {
        let message = format!("`fraction` is {}, out of its range", fraction.value);
        return Err(Fault::new(fraction.place, message)
            .label("out of range")
            .help("it is the share of all packets that goes to the hot nodes, from 0 to 1"));
    }
    Ok(Pattern::Hotspot {
        nodes,
        fraction: fraction.value,
        include_self,
    })
}

/// The flits of a packet, and the bits that it carries.
fn packet(section: &Section<'_>, width_bits: u32) -> Result<(u32, u64), Fault> {
    const FLITS_MOST: u64 = PacketLength::FLITS_MOST as u64;
    let width = u64::from(width_bits);
    section.not_both(
        "packet_flits",
        "packet_bits",
        "a packet's length is given once: in flits, or in bits over the channel's `width_bits`",
    )?;
    let bits = section.integer("packet_bits", 1..=1 << 40, "bits")?;
    let Some(bits) = bits else {
        let flits = section.integer("packet_flits", 1..=FLITS_MOST, "flits")?;
        let flits = flits.map_or(16, |flits| flits.value);
        return Ok((flits as u32, flits * width));
    };
    let flits = bits.value.div_ceil(width);
    if flits > FLITS_MOST {
        let message = format!(
            "{} bits over channels of {width} bits are {flits} flits",
            bits.value
        );
        return Err(Fault::new(bits.place, message)
            .label(format!("a packet has at most {FLITS_MOST} flits"))
            .help("shorter packets, or wider channels (`[channel] width_bits`)"));
    }
    Ok((flits as u32, bits.value))
}
