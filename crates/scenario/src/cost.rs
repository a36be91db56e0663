//! The table `[cost]`: the channel width at which a network costs as much as a reference.
//!
//! Greenberg & Guan (1996, section 3, tables 1 to 3) make the bisection width, the total pin-out or
//! the layout area of networks of as many processors equal, and round widths to the nearest
//! integer. Kiasari & Sarbazi-Azad (section 4.1, equations 4 to 9) compare networks of unequal
//! sizes, a star and the hypercube nearest to it, by what a node has: bisection and pin-out are
//! taken per terminal here, which is the same wherever the sizes are equal. They leave the flit as
//! it is and let a narrower channel take longer for it: `adapt = "cycle_time"`.

use crate::channel::WIDTH_BITS_MOST;
use crate::error::{Fault, Place};
use crate::topology::{TOPOLOGY, TopologyTable};
use flitsim_keys::{Placed, Rule, Values, Words, table, words};
use flitsim_topology::Network;
use flitsim_topology::cost::{
    Constraint, UnitCost, bisection_channels, density_of, nearest_width_bits,
};
use flitsim_topology::layout::DensitySource;
use std::sync::Arc;

table! {
    /// The table `[cost]`.
    pub static COST = "cost",
        "The width of channels at which a network costs as much as a reference.",
        rules(&[
            Rule::Needs {
                keys: &["constraint"],
                others: &["reference"],
                help: "say which network's cost it is that all must have, such as `reference = { kind = \
                       \"hypercube\", dimensions = 7 }`",
            },
            Rule::Needs {
                keys: &["reference", "adapt"],
                others: &["constraint"],
                help: "say what is to be equal: `constraint = \"bisection\"`, `\"pin-out\"` or \
                       `\"area\"`",
            },
        ]);

    CONSTRAINT: Option<Constraint> = "constraint" word().optional(),
        "The cost that is made equal; goes with `reference`.";
    REFERENCE: Option<Values> = "reference" table(&TOPOLOGY)
        .hint("write it so: `reference = { kind = \"hypercube\", dimensions = 7 }`").optional(),
        "The network whose cost is matched, with the keys of `[topology]`.";
    OWN_WIDTH_BITS: u32 = "width_bits" integer(1..=WIDTH_BITS_MOST as u64, "bits").or(32),
        "With `constraint`, the width of the reference's channels; without it, of the network's own.";
    ADAPT: Option<Adapt> = "adapt" word().optional_as("`\"width_bits\"`"),
        "What is adapted to make the costs equal: the width of flits and channels, or the cycle that a channel takes \
         for a flit of the reference's width. The default is width_bits.";
}

/// What makes up for another cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adapt {
    /// Channels, and flits with them, of another width.
    Width,
    /// Flits of the reference's width, which take a narrower channel longer.
    CycleTime,
}

words! {
    Adapt: "width_bits" Width, "cycle_time" CycleTime;
}

/// The table, read.
#[derive(Clone, Debug)]
pub struct Cost {
    rule: Asked,
    /// The reference's width, or the network's own.
    width_bits: Placed<u32>,
}

#[derive(Clone, Debug)]
enum Asked {
    /// No table, or an empty one.
    None,
    /// A width as it stands.
    Literal,
    /// The width at which costs are equal.
    Equal {
        constraint: Placed<Constraint>,
        reference: Box<TopologyTable>,
        reference_place: Option<Place>,
        adapt: Adapt,
    },
}

/// What the table says of the channels of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived {
    /// Bits of a flit.
    pub width_bits: u32,
    /// What the cycle time is multiplied by.
    pub cycle_time: f64,
    /// Terminals of the reference, where there is one.
    pub reference_terminals: Option<u32>,
}

impl Cost {
    /// What `values` of [`COST`] say.
    ///
    /// # Errors
    /// What is wrong with the reference.
    pub fn of(values: &Values) -> Result<Self, Fault> {
        let width_bits = values.placed(&OWN_WIDTH_BITS);
        let constraint = values.get(&CONSTRAINT);
        let rule = match (constraint, values.get(&REFERENCE)) {
            (Some(value), Some(reference)) => Asked::Equal {
                constraint: Placed {
                    value,
                    place: values.place(CONSTRAINT.name()),
                },
                reference: Box::new(TopologyTable::of(&reference)?),
                reference_place: values.place(REFERENCE.name()),
                adapt: values.get(&ADAPT).unwrap_or(Adapt::Width),
            },
            _ if width_bits.place.is_some() => Asked::Literal,
            _ => Asked::None,
        };
        Ok(Self { rule, width_bits })
    }

    /// The width that follows for `network`, called `word`; `None` where the table says nothing.
    /// `build` makes the reference's network, `channel_width` is the `width_bits` of `[channel]`,
    /// which must not be there too.
    ///
    /// # Errors
    /// Two widths, a cost that is not known, or a width beyond what a channel can have.
    pub fn derive(
        &self,
        network: &Network,
        word: &str,
        channel_width: Option<&Placed<u32>>,
        build: impl FnOnce(&TopologyTable) -> Result<Arc<Network>, Fault>,
    ) -> Result<Option<Derived>, Fault> {
        if let (Some(width), Asked::Literal | Asked::Equal { .. }) = (channel_width, &self.rule) {
            let message =
                "the width of the channels is given twice: in `[channel]` and by `[cost]`";
            return Err(Fault::new(width.place.clone(), message)
                .label("`[cost]` gives it already")
                .help(
                    "leave one out; in `[cost]`, `width_bits` beside a `constraint` is the \
                     reference's width, and without one the network's own",
                ));
        }
        let Asked::Equal {
            constraint,
            reference,
            reference_place,
            adapt,
        } = &self.rule
        else {
            return Ok(matches!(self.rule, Asked::Literal).then_some(Derived {
                width_bits: self.width_bits.value,
                cycle_time: 1.0,
                reference_terminals: None,
            }));
        };
        let built = build(reference)?;
        let cost = |network: &Network, word: &str, place: &Option<Place>| {
            unit_cost_of(network, constraint.value)
                .map_err(|why| unknown(constraint, word, why, place))
        };
        let of_reference = cost(&built, &reference.value.word(), reference_place)?;
        let own = cost(network, word, &constraint.place)?;
        let exact = own.width_bits(constraint.value, &of_reference, self.width_bits.value);
        let (width_bits, cycle_time) = match adapt {
            Adapt::Width => (nearest_width_bits(exact), 1.0),
            Adapt::CycleTime => (
                self.width_bits.value,
                f64::from(self.width_bits.value) / exact,
            ),
        };
        if width_bits > WIDTH_BITS_MOST {
            let message = format!("{word} would have channels of {width_bits} bits");
            return Err(Fault::new(self.width_bits.place.clone(), message)
                .label(format!("at most {WIDTH_BITS_MOST}"))
                .help("a smaller `width_bits` for the reference"));
        }
        Ok(Some(Derived {
            width_bits,
            cycle_time,
            reference_terminals: Some(built.terminals()),
        }))
    }
}

fn unknown(constraint: &Placed<Constraint>, word: &str, why: &str, place: &Option<Place>) -> Fault {
    let name = constraint.value.word();
    let what = match constraint.value {
        Constraint::Bisection => "bisection",
        Constraint::PinOut => "pin-out",
        Constraint::Area => "layout area",
    };
    let message = format!("the {what} of {word} is not known: {why}");
    Fault::new(place.clone(), message)
        .label(format!("under `constraint = \"{name}\"`"))
        .help(
            "another `constraint`, or the width as it is known: `width_bits` in the series' own \
             `cost`, without a constraint",
        )
}

/// What `network` costs with channels one wire wide, as far as `constraint` asks.
fn unit_cost_of(network: &Network, constraint: Constraint) -> Result<UnitCost, &'static str> {
    let known = network.annotations();
    if known.is_some_and(|known| known.width_bits.is_some()) {
        return Err("its channels have widths of their own");
    }
    let is_asked = match constraint {
        Constraint::Bisection => true,
        Constraint::Area => density_of(network, 0).source == DensitySource::Bisection,
        Constraint::PinOut => false,
    };
    let channels = if is_asked {
        bisection_channels(network)
    } else {
        0
    };
    Ok(UnitCost::of(network, channels))
}
