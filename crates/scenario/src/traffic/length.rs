//! `packet_flits` and `packet_bits`: one length, two, or a histogram from a file.

use crate::error::Fault;
use crate::key::{Key, Shape, Within, names};
use crate::reader::{Placed, Section};
use crate::text_file::TextFile;
use flitsim_traffic::{Histogram, PacketLength};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use toml::de::DeValue;

const FLITS_MOST: u64 = PacketLength::FLITS_MOST as u64;

/// The lengths of packets.
pub(super) const FLITS: RangeInclusive<u64> = 1..=FLITS_MOST;
pub(super) const BITS: RangeInclusive<u64> = 1..=1 << 40;

const LONG_SHARE: Key = Key::new(
    "long_share",
    Shape::number(Within::closed(0.0, 1.0), ""),
    "The share of the packets that are long.",
);

/// The keys of `packet_flits` where it is a table of two lengths.
pub(super) const BIMODAL_FLITS_KEYS: [Key; 3] = [
    Key::new(
        "short",
        Shape::integer(FLITS, "flits"),
        "The length of short packets.",
    ),
    Key::new(
        "long",
        Shape::integer(FLITS, "flits"),
        "The length of long packets.",
    ),
    LONG_SHARE,
];

/// The key of `packet_flits` where it names a file.
pub(super) const FILE_KEYS: [Key; 1] = [Key::new(
    "path",
    Shape::Text,
    "A table `flits,weight` of lengths, relative to the folder of the scenario file.",
)];

/// The keys of `packet_bits` where it is a table.
pub(super) const BIMODAL_BITS_KEYS: [Key; 3] = [
    Key::new(
        "short",
        Shape::integer(BITS, "bits"),
        "The length of short packets.",
    ),
    Key::new(
        "long",
        Shape::integer(BITS, "bits"),
        "The length of long packets.",
    ),
    LONG_SHARE,
];

/// The length of packets.
#[derive(Clone, Debug)]
pub struct Length {
    /// In flits.
    pub length: PacketLength,
    /// Bits that a packet carries in the mean.
    pub bits_mean: f64,
    /// What defines it.
    pub definition: Value,
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

    fn definition(&self) -> Value {
        json!({
            "short": self.short.value,
            "long": self.long.value,
            "long_share": self.long_share,
        })
    }
}

impl Length {
    /// Reads the length of packets over channels of `width_bits` bits.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>, width_bits: u32, folder: &Path) -> Result<Self, Fault> {
        section.not_both(
            "packet_flits",
            "packet_bits",
            "a packet's length is given once: in flits, or in bits over the channel's `width_bits`",
        )?;
        if section.has("packet_bits") {
            in_bits(section, u64::from(width_bits))
        } else {
            in_flits(section, width_bits, folder)
        }
    }
}

fn in_flits(section: &Section<'_>, width_bits: u32, folder: &Path) -> Result<Length, Fault> {
    let width = u64::from(width_bits);
    let Some(table) = table_of(section, "packet_flits") else {
        let flits = section.integer("packet_flits", FLITS, "flits")?;
        let flits = flits.map_or(16, |flits| flits.value);
        return Ok(Length {
            length: PacketLength::Fixed(flits as u32),
            bits_mean: (flits * width) as f64,
            definition: json!({ "packet_flits": flits, "packet_bits": flits * width }),
        });
    };
    if table.has("path") {
        table.only(&names(&FILE_KEYS), &[])?;
        return from_file(&table, width_bits, folder);
    }
    table.only(
        &[names(&BIMODAL_FLITS_KEYS), names(&FILE_KEYS)].concat(),
        &[],
    )?;
    let two = two(&table, FLITS, "flits")?;
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

fn from_file(table: &Section<'_>, width_bits: u32, folder: &Path) -> Result<Length, Fault> {
    let Some(file) = TextFile::read(table, "path", folder)? else {
        return Err(table.missing("path", "name the file of the histogram"));
    };
    let histogram = Histogram::parse(file.source()).map_err(|error| {
        super::fault_of(&error, table.place_of("path"), "this histogram")
            .help("a histogram has the header `flits,weight`, and a row for each length")
    })?;
    Ok(Length {
        bits_mean: histogram.mean_flits() * f64::from(width_bits),
        definition: json!({ "packet_flits": { "file": file.digest() }, "width_bits": width_bits }),
        length: PacketLength::Histogram(Arc::new(histogram)),
    })
}

fn in_bits(section: &Section<'_>, width: u64) -> Result<Length, Fault> {
    let Some(table) = table_of(section, "packet_bits") else {
        let bits = section.integer("packet_bits", BITS, "bits")?;
        let bits = bits.unwrap_or(Placed::default_of(width));
        let flits = flits_of(&bits, width)?;
        return Ok(Length {
            length: PacketLength::Fixed(flits),
            bits_mean: bits.value as f64,
            definition: json!({ "packet_flits": flits, "packet_bits": bits.value }),
        });
    };
    table.only(&names(&BIMODAL_BITS_KEYS), &[])?;
    let two = two(&table, BITS, "bits")?;
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

/// The table that is the value of `key`, if it is one.
fn table_of<'t>(section: &Section<'t>, key: &'t str) -> Option<Section<'t>> {
    let value = section.value(key)?;
    match value.get_ref() {
        DeValue::Table(table) => Some(Section::inline(key, table, value.span())),
        _ => None,
    }
}

fn two(table: &Section<'_>, range: RangeInclusive<u64>, unit: &str) -> Result<Two, Fault> {
    let example = "two lengths are `{ short = 2, long = 18, long_share = 0.25 }`";
    let length = |key| -> Result<Placed<u64>, Fault> {
        let length = table.integer(key, range.clone(), unit)?;
        length.ok_or_else(|| table.missing(key, example))
    };
    let (short, long) = (length("short")?, length("long")?);
    let Some(share) = table.number("long_share")? else {
        return Err(table.missing("long_share", example));
    };
    if !(0.0..=1.0).contains(&share.value) {
        let message = format!("`long_share` is {}, out of its range", share.value);
        return Err(Fault::new(share.place, message)
            .label("out of range")
            .help("it is the share of the packets that are long, from 0 to 1"));
    }
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
        long_share: share.value,
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
