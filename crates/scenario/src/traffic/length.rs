//! `packet_flits` and `packet_bits`: one length, two, or a histogram from a file.

use crate::error::Fault;
use crate::text_file::{TextFile, digest};
use flitsim_keys::{Absent, Key, Placed, Shape, Table, Value, Values, Within};
use flitsim_topology::file::Source;
use flitsim_traffic::{Histogram, PacketLength};
use serde_json::json;
use std::sync::Arc;

const FLITS_MOST: u64 = PacketLength::FLITS_MOST as u64;
const BITS_MOST: u64 = 1 << 40;

pub(super) const PACKET_FLITS: Key<Value> = Key::shaped(
    "packet_flits",
    Shape::OneOf(
        &const {
            [
                Shape::integer(1..=FLITS_MOST, "flits"),
                Shape::Table(&TWO_LENGTHS_FLITS),
                Shape::Table(&LENGTHS_FILE),
            ]
        },
    ),
    "The length of every packet, or two lengths, or a file of lengths and weights.",
)
.hint(
    "write a number, such as `packet_flits = 16`, or `{ short = 2, long = 18, long_share = 0.25 }`, or \
     `{ path = \"lengths.csv\" }`",
)
.or_absent(Absent::Integer(16));

pub(super) const PACKET_BITS: Key<Option<Value>> = Key::shaped(
    "packet_bits",
    Shape::OneOf(
        &const {
            [
                Shape::integer(1..=BITS_MOST, "bits"),
                Shape::Table(&TWO_LENGTHS_BITS),
            ]
        },
    ),
    "Packet lengths in bits, over channels of `[channel] width_bits`; not with `packet_flits`.",
)
.hint("write a number, such as `packet_bits = 512`, or `{ short = 64, long = 576, long_share = 0.25 }`")
.optional();

/// The length of replies.
pub(super) const REPLY_FLITS: Key<Option<u32>> = Key::integer(
    "reply_flits",
    1..=FLITS_MOST,
    "flits",
    "closed-loop: the length of replies. The default is that of requests, `packet_flits`.",
)
.optional_as("as `packet_flits`");

const EXAMPLE: &str = "two lengths are `{ short = 2, long = 18, long_share = 0.25 }`";

const LONG_SHARE: Key<f64> = Key::number(
    "long_share",
    Within::closed(0.0, 1.0),
    "",
    "The share of the packets that are long.",
)
.needed(EXAMPLE)
.hint("the share of the packets that are long");

const fn length(name: &'static str, most: u64, unit: &'static str, long: bool) -> Key<u64> {
    let meaning = match long {
        true => "The length of long packets.",
        false => "The length of short packets.",
    };
    Key::integer(name, 1..=most, unit, meaning).needed(EXAMPLE)
}

const SHORT: Key<u64> = length("short", FLITS_MOST, "flits", false);
const LONG: Key<u64> = length("long", FLITS_MOST, "flits", true);

/// `packet_flits` where it is a table of two lengths.
static TWO_LENGTHS_FLITS: Table = Table::new(
    "packet_flits",
    "Packets of two lengths.",
    &const { [SHORT.described(), LONG.described(), LONG_SHARE.described()] },
);

/// `packet_bits` where it is a table.
static TWO_LENGTHS_BITS: Table = Table::new(
    "packet_bits",
    "Packets of two lengths.",
    &const {
        [
            length("short", BITS_MOST, "bits", false).described(),
            length("long", BITS_MOST, "bits", true).described(),
            LONG_SHARE.described(),
        ]
    },
);

const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "A table `flits,weight` of lengths, relative to the folder of the scenario file.",
);

/// `packet_flits` where it names a file.
static LENGTHS_FILE: Table = Table::new(
    "packet_flits",
    "A file of lengths and weights.",
    &const { [PATH.described()] },
);

/// The length of packets.
#[derive(Clone, Debug)]
pub struct Length {
    /// In flits.
    pub length: PacketLength,
    /// Bits that a packet carries in the mean.
    pub bits_mean: f64,
    /// What defines it.
    pub definition: serde_json::Value,
}

/// Two lengths.
struct Two {
    short: Placed<u64>,
    long: Placed<u64>,
    long_share: f64,
}

impl Two {
    fn mean(&self) -> f64 {
        let short = self.short.value as f64;
        short + (self.long.value as f64 - short) * self.long_share
    }

    fn definition(&self) -> serde_json::Value {
        json!({
            "short": self.short.value,
            "long": self.long.value,
            "long_share": self.long_share,
        })
    }
}

impl Length {
    /// The length that `values` of `[traffic]` say of packets over channels of `width_bits` bits.
    ///
    /// # Errors
    /// Lengths that no packet can have.
    pub fn of(values: &Values, width_bits: u32) -> Result<Self, Fault> {
        match values.get(&PACKET_BITS) {
            Some(bits) => in_bits(values, bits, u64::from(width_bits)),
            None => in_flits(values, width_bits),
        }
    }
}

fn in_flits(values: &Values, width_bits: u32) -> Result<Length, Fault> {
    let width = u64::from(width_bits);
    let table = match values.get(&PACKET_FLITS) {
        Value::Table(table) => table,
        value => {
            let flits = match value {
                Value::Integer(flits) => flits,
                _ => 1,
            };
            return Ok(Length {
                length: PacketLength::Fixed(flits as u32),
                bits_mean: (flits * width) as f64,
                definition: json!({ "packet_flits": flits, "packet_bits": flits * width }),
            });
        }
    };
    if table.is_given(PATH.name()) {
        return from_file(&table, width_bits);
    }
    let two = two(&table, "flits")?;
    Ok(Length {
        bits_mean: two.mean() * width as f64,
        definition: json!({ "packet_flits": two.definition(), "width_bits": width }),
        length: PacketLength::Bimodal {
            short_flits: two.short.value as u32,
            long_flits: two.long.value as u32,
            long_share: two.long_share,
        },
    })
}

fn from_file(table: &Values, width_bits: u32) -> Result<Length, Fault> {
    let file = table.get(&PATH);
    let histogram = Histogram::parse(Source::from(&*file)).map_err(|error| {
        super::fault_of(&error, table.place(PATH.name()), "this histogram")
            .help("a histogram has the header `flits,weight`, and a row for each length")
    })?;
    Ok(Length {
        bits_mean: histogram.mean_flits() * f64::from(width_bits),
        definition: json!({ "packet_flits": { "file": digest(&file) }, "width_bits": width_bits }),
        length: PacketLength::Histogram(Arc::new(histogram)),
    })
}

fn in_bits(values: &Values, bits: Value, width: u64) -> Result<Length, Fault> {
    let table = match bits {
        Value::Table(table) => table,
        value => {
            let bits = Placed {
                value: match value {
                    Value::Integer(bits) => bits,
                    _ => width,
                },
                place: values.place(PACKET_BITS.name()),
            };
            let flits = flits_of(&bits, width)?;
            return Ok(Length {
                length: PacketLength::Fixed(flits),
                bits_mean: bits.value as f64,
                definition: json!({ "packet_flits": flits, "packet_bits": bits.value }),
            });
        }
    };
    let two = two(&table, "bits")?;
    let (short_flits, long_flits) = (flits_of(&two.short, width)?, flits_of(&two.long, width)?);
    Ok(Length {
        // Over wide channels both may take as many flits.
        length: match short_flits == long_flits {
            true => PacketLength::Fixed(short_flits),
            false => PacketLength::Bimodal {
                short_flits,
                long_flits,
                long_share: two.long_share,
            },
        },
        bits_mean: two.mean(),
        definition: json!({ "packet_bits": two.definition(), "width_bits": width }),
    })
}

fn two(table: &Values, unit: &str) -> Result<Two, Fault> {
    let (short, long) = (table.placed(&SHORT), table.placed(&LONG));
    if short.value >= long.value {
        let message = format!(
            "short packets of {} {unit} and long ones of {}",
            short.value, long.value
        );
        return Err(Fault::new(short.place, message)
            .label("not shorter than the long ones")
            .help("`short` must be below `long`; packets of one length are a number alone"));
    }
    Ok(Two {
        short,
        long,
        long_share: table.get(&LONG_SHARE),
    })
}

/// The flits of a packet of so many bits over channels of `width` bits.
fn flits_of(bits: &Placed<u64>, width: u64) -> Result<u32, Fault> {
    let flits = bits.value.div_ceil(width);
    if flits <= FLITS_MOST {
        return Ok(flits as u32);
    }
    let message = format!(
        "{} bits over channels of {width} bits are {flits} flits",
        bits.value
    );
    Err(Fault::new(bits.place.clone(), message)
        .label(format!("a packet has at most {FLITS_MOST} flits"))
        .help("shorter packets, or wider channels (`[channel] width_bits`)"))
}
