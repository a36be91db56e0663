//! What networks cost with channels one wire wide, and what families say of it.

use crate::error::refused;
use flitsim_keys::Fault;

/// How the papers count a family's pins and bisection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pricing {
    /// Pins for each channel: one, for a link has one at each of its ends.
    pub(crate) pins_of_channel: u64,
    /// Unconnected pins, which the papers count too.
    pub(crate) pins_unconnected: u64,
    /// The channels between the halves, where they are not those of the network's least bisection.
    pub(crate) bisection_channels: Option<u64>,
}

impl Pricing {
    /// The pins of the graph, and its bisection.
    pub(crate) const OF_GRAPH: Self = Self {
        pins_of_channel: 1,
        pins_unconnected: 0,
        bisection_channels: None,
    };
}

/// The cost that is made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Wires cut when the network is divided into two equal halves.
    Bisection,
    /// Wires that end at processors and switches, over all of them.
    PinOut,
    /// The side of the Thompson model's layout.
    Area,
}

/// What a network with channels one wire wide costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Processors n: the network's terminals.
    pub processors: f64,
    /// Bisection width, in wires.
    pub bisection: f64,
    /// Total pin-out, in pins.
    pub pin_out: f64,
    /// Wire density d, in wires a row or column of processors: the side of the layout is
    /// √n · d · W wire pitches, as in [`LayoutDensity`](crate::layout::LayoutDensity).
    pub density: f64,
}

impl UnitCost {
    /// The cost that `constraint` makes equal.
    pub fn under(&self, constraint: Constraint) -> f64 {
        match constraint {
            Constraint::Bisection => self.bisection,
            Constraint::PinOut => self.pin_out,
            Constraint::Area => self.density,
        }
    }

    /// The channel width, in bits, at which this network costs as much as `reference` does with
    /// channels `reference_width_bits` wide: not rounded.
    ///
    /// Between networks of different sizes the cost of a processor's share is made equal, as Kiasari
    /// & Sarbazi-Azad do between S_5 and H_7 (section 4.1). The density is that of a processor's row
    /// already.
    pub fn width_bits(
        &self,
        constraint: Constraint,
        reference: &Self,
        reference_width_bits: u32,
    ) -> f64 {
        let bits = f64::from(reference_width_bits);
        // Products first: they are exact, so that a quotient half way between integers is too.
        match constraint {
            Constraint::Area => bits * reference.density / self.density,
            Constraint::Bisection | Constraint::PinOut => {
                let dearer = bits * reference.under(constraint) * self.processors;
                dearer / (self.under(constraint) * reference.processors)
            }
        }
    }
}

/// The channel width that is built for an exact one: the nearest integer, a half upward, 1 at the
/// least.
///
/// Three of the sixty widths that the paper prints are others: 10 for the hypercube of 4,096
/// processors under equal pin-out (10.5, a half downward), and 10 for the fat-tree of 64 and the
/// fat-pyramid of 16 under equal area (10.67 both).
pub fn nearest_width_bits(exact: f64) -> u32 {
    exact.round().max(1.0) as u32
}

/// log4 of `processors`, if that is a whole number of at least 1.
pub(crate) fn levels_of(processors: u32) -> Option<u32> {
    let levels = processors.checked_ilog2()? / 2;
    (levels >= 1 && processors == 1 << (2 * levels)).then_some(levels)
}

/// The refusal of a number that is not a power of four, of which some are `legal`, ascending.
pub(crate) fn not_a_power_of_four(processors: u32, legal: impl Iterator<Item = u64>) -> Fault {
    let asked = u64::from(processors);
    let nearest = legal.min_by_key(|size| size.abs_diff(asked)).unwrap_or(4);
    refused(
        "processors",
        "not a power of four that can be built",
        format!("`processors = {nearest}`"),
        format!(
            "{processors} processors are not a power of four of at least 4, as this network needs; \
             the nearest that can be built is {nearest}"
        ),
    )
}

/// n, √n and log4 n.
pub(crate) fn sizes(processors: u32) -> Result<(f64, f64, f64), Fault> {
    let Some(levels) = levels_of(processors) else {
        let legal = (1..=15).map(|levels| 1 << (2 * levels));
        return Err(not_a_power_of_four(processors, legal));
    };
    let row = f64::from(1u32 << levels);
    Ok((row * row, row, f64::from(levels)))
}
