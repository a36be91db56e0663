//! The table `[energy]`: what each thing that a router or a channel does takes, in picojoules.
//!
//! Nothing here is a model of circuits: counted actions are multiplied by the numbers of a table, which a user gives
//! or which has been published. Energies are per bit, since series of equal cost differ in the width of flits.

use flitsim_engine::{Actions, Crossbar, EngineConfig};
use flitsim_keys::{Key, Values, Within, table, words};
use flitsim_topology::{ChannelId, Network, NodeId};
use serde_json::{Value, json};

table! {
    /// The table `[energy]`.
    pub static ENERGY = "energy",
        "Energy of buffers, switches, wires and allocators: the columns of energy and power follow from it.";

    TECHNOLOGY: Option<Technology> = "technology" word().optional(),
        "Published numbers for the keys that are left out; without it, these are 0.";
    BUFFER_WRITE: Option<f64> = "buffer_write" number(NOT_NEGATIVE, "pJ/bit").optional(),
        "Energy to write a flit into a buffer, for each of its bits.";
    BUFFER_READ: Option<f64> = "buffer_read" number(NOT_NEGATIVE, "pJ/bit").optional(),
        "Energy to read a flit from a buffer, for each of its bits.";
    CROSSBAR: Option<f64> = "crossbar" number(NOT_NEGATIVE, "pJ/bit").optional(),
        "Energy of a flit that crosses a switch, for each of its bits.";
    LINK: Option<f64> = "link" number(NOT_NEGATIVE, "pJ/bit/mm").optional(),
        "Energy of a flit on a channel, for each of its bits and each millimetre.";
    VC_ALLOCATION: Option<f64> = "vc_allocation" number(NOT_NEGATIVE, "pJ").optional(),
        "Energy to route a head and allocate its virtual channel.";
    SWITCH_ALLOCATION: Option<f64> = "switch_allocation" number(NOT_NEGATIVE, "pJ").optional(),
        "Energy to grant a flit the switch.";
    LEAKAGE_BUFFER: Option<f64> = "leakage_buffer" number(NOT_NEGATIVE, "mW/bit").optional(),
        "Power of buffers at all times, for each bit.";
    LEAKAGE_CROSSBAR: Option<f64> = "leakage_crossbar" number(NOT_NEGATIVE, "mW/bit").optional(),
        "Power of each crosspoint of a switch at all times, for each bit of its width.";
    LEAKAGE_LINK: Option<f64> = "leakage_link" number(NOT_NEGATIVE, "mW/bit/mm").optional(),
        "Power of each channel at all times, for each bit of its width and each millimetre.";
    PITCH_MM: f64 = "pitch_mm" number(Within::above(0.0), "mm").or_number(1.0),
        "The distance between neighbouring nodes, the unit of a layout's wire lengths.";
    CLOCK_GHZ: f64 = "clock_ghz" number(Within::above(0.0), "GHz").or_number(1.0),
        "Reference cycles in a nanosecond, for power.";
}

const NOT_NEGATIVE: Within = Within::at_least(0.0);

/// A published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Technology {
    Noxim,
    Dally14nm,
}

words! {
    Technology: "noxim" Noxim, "dally-14nm" Dally14nm;
}

impl Technology {
    fn energy(self) -> Energy {
        match self {
            // Noxim (Catania, Mineo, Monteleone, Palesi & Patti), bin/power.yaml, which is in joules and watts:
            // buffers of 4 flits of 32 bits 7.62e-13, 5.34e-13 and 2.27e-3; a switch of 5 ports of 32 bits 2.21e-13
            // and 7.49e-4; a bit line of 1 mm 4.88e-14 and 4.80e-7; routing "XY" 6.00e-14, selection 5.00e-14.
            Self::Noxim => Energy {
                buffer_write: 0.762 / 32.0,
                buffer_read: 0.534 / 32.0,
                crossbar: 0.221 / 32.0,
                link: 0.0488,
                vc_allocation: 0.06 + 0.05,
                leakage_buffer: 2.27 / (4.0 * 32.0),
                leakage_crossbar: 0.749 / (25.0 * 32.0),
                leakage_link: 4.8e-4,
                ..Energy::default()
            },
            // Dally, Turakhia & Han, "Domain-specific hardware accelerators", CACM 63 (7), 2020, page 56:
            // 50 fJ a bit for a small memory, 100 fJ a bit and millimetre for wires, in 14 nm.
            Self::Dally14nm => Energy {
                buffer_write: 0.05,
                buffer_read: 0.05,
                link: 0.1,
                ..Energy::default()
            },
        }
    }
}

/// What actions take: picojoules per bit, allocations picojoules each, leakage milliwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// To write a bit into a buffer, pJ.
    pub buffer_write: f64,
    /// To read a bit from a buffer, pJ.
    pub buffer_read: f64,
    /// For a bit to cross a switch, pJ.
    pub crossbar: f64,
    /// For a bit to go a millimetre on a channel, pJ.
    pub link: f64,
    /// To route a head and to give it a virtual channel, pJ.
    pub vc_allocation: f64,
    /// To grant a flit the switch, pJ.
    pub switch_allocation: f64,
    /// A bit of buffers, mW.
    pub leakage_buffer: f64,
    /// A crosspoint of a bit, mW.
    pub leakage_crossbar: f64,
    /// A millimetre of a wire, mW.
    pub leakage_link: f64,
    /// Millimetres in a node pitch.
    pub pitch_mm: f64,
    /// Reference cycles in a nanosecond.
    pub clock_ghz: f64,
}

impl Energy {
    /// What `values` of [`ENERGY`] say; `None` where they say nothing.
    pub fn of(values: &Values) -> Option<Self> {
        let is_said = ENERGY
            .all_keys()
            .iter()
            .any(|key| values.is_given(key.name));
        let technology = values.get(&TECHNOLOGY).map(Technology::energy);
        let published = technology.unwrap_or_default();
        let or = |key: &Key<Option<f64>>, published| values.get(key).unwrap_or(published);
        is_said.then(|| Self {
            buffer_write: or(&BUFFER_WRITE, published.buffer_write),
            buffer_read: or(&BUFFER_READ, published.buffer_read),
            crossbar: or(&CROSSBAR, published.crossbar),
            link: or(&LINK, published.link),
            vc_allocation: or(&VC_ALLOCATION, published.vc_allocation),
            switch_allocation: or(&SWITCH_ALLOCATION, published.switch_allocation),
            leakage_buffer: or(&LEAKAGE_BUFFER, published.leakage_buffer),
            leakage_crossbar: or(&LEAKAGE_CROSSBAR, published.leakage_crossbar),
            leakage_link: or(&LEAKAGE_LINK, published.leakage_link),
            pitch_mm: values.get(&PITCH_MM),
            clock_ghz: values.get(&CLOCK_GHZ),
        })
    }

    /// What `actions` take, in picojoules, of flits of `width_bits` bits; the channel crossed is `length_pitches` long.
    pub fn picojoules(&self, actions: &Actions, width_bits: u32, length_pitches: f32) -> f64 {
        let millimetres = f64::from(length_pitches) * self.pitch_mm;
        let per_bit = self.buffer_write * actions.buffer_writes as f64
            + self.buffer_read * actions.buffer_reads as f64
            + self.crossbar * actions.crossbar_traversals as f64
            + self.link * millimetres * actions.link_traversals as f64;
        f64::from(width_bits) * per_bit
            + self.vc_allocation * actions.vc_allocations as f64
            + self.switch_allocation * actions.switch_allocations as f64
    }

    /// What `network` takes at all times, in milliwatts: the buffers of all virtual channels, those of injection
    /// and ejection included, the crosspoints of all switches, terminals' ports among them, and all wires. Terminals
    /// that are ports have wires alone; output queues, which have no size, are left out.
    pub fn leakage_mw(&self, network: &Network, config: &EngineConfig, width_bits: u32) -> f64 {
        let own = network
            .annotations()
            .and_then(|known| known.width_bits.as_ref());
        let wires = (0..network.channels()).map(ChannelId).map(|channel| {
            let bits = own.map_or(width_bits, |widths| widths[channel.index()]);
            f64::from(bits) * f64::from(network.length_pitches(channel)) * self.pitch_mm
        });
        let ports =
            |node: NodeId, channels: usize| channels + usize::from(node.0 < network.terminals());
        let (first, at_terminals) = match config.terminal_ports {
            true => (network.terminals(), 0),
            false => (0, config.injection_vcs + config.ejection_vcs),
        };
        let crosspoints = (first..network.nodes()).map(NodeId).map(|node| {
            ports(node, network.in_degree(node)) * ports(node, network.outgoing(node).len())
        });
        // Ways into the switch from each port. Each leads to one way out of every output, however many there are.
        let ways = match config.crossbar {
            Crossbar::Port => config.input_speedup,
            Crossbar::Vc => config.virtual_channels,
        };
        let channels = (0..network.channels()).map(ChannelId);
        let buffered = channels.filter(|&channel| !config.is_to_port(network, channel));
        let buffers = buffered.count() as f64 * f64::from(config.virtual_channels)
            + f64::from(network.terminals()) * f64::from(at_terminals);
        let bits = f64::from(width_bits);
        self.leakage_buffer * buffers * f64::from(config.buffer_flits) * bits
            + self.leakage_crossbar * crosspoints.sum::<usize>() as f64 * f64::from(ways) * bits
            + self.leakage_link * wires.sum::<f64>()
    }

    /// Everything that defines what results say of energy.
    pub(crate) fn definition(&self) -> Value {
        let Self {
            buffer_write,
            buffer_read,
            crossbar,
            link,
            vc_allocation,
            switch_allocation,
            leakage_buffer,
            leakage_crossbar,
            leakage_link,
            pitch_mm,
            clock_ghz,
        } = self;
        json!([
            buffer_write,
            buffer_read,
            crossbar,
            link,
            vc_allocation,
            switch_allocation,
            leakage_buffer,
            leakage_crossbar,
            leakage_link,
            pitch_mm,
            clock_ghz,
        ])
    }
}
