//! What the terminals of a series offer: its loads in flits.

use crate::channel::Channel;
use crate::dispatch::uniform_load_max;
use crate::error::Fault;
use crate::load::{Conversion, Sweep, Unit};
use crate::plan::{Load, LoadScale};
use crate::routing::RoutingTable;
use crate::traffic::TrafficTable;
use flitsim_analysis::uniform::channel_load_max;
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::Tie;
use flitsim_keys::Placed;
use flitsim_topology::Network;

/// The most terminals of a network whose capacity is found by walking its routing: a second or two.
const CAPACITY_TERMINALS_MOST: u32 = 4_096;

/// All that loads depend on.
pub(super) struct Offered<'o> {
    pub(super) topology: String,
    pub(super) network: &'o Network,
    pub(super) config: &'o EngineConfig,
    pub(super) channel: &'o Channel,
    /// Where it holds.
    pub(super) routing: Option<&'o RoutingTable>,
    pub(super) traffic: &'o TrafficTable,
    pub(super) sweep: &'o Sweep,
}

/// What is offered, and what cannot be.
pub(super) struct Offers {
    pub(super) loads: Vec<Load>,
    pub(super) scale: LoadScale,
    /// Why not the load that is given in place of the file's, or not those of the file.
    pub(super) refused: Vec<Fault>,
}

impl Offered<'_> {
    /// What is offered, `given` in place of the file's loads.
    pub(super) fn loads(&self, given: Option<f64>) -> Result<Offers, Fault> {
        if let Some(mode) = &self.traffic.mode {
            let offers = |given| {
                let (loads, scale) = mode.loads(self.sweep, given, self.network)?;
                let refused = Vec::new();
                Ok(Offers {
                    loads,
                    scale,
                    refused,
                })
            };
            return offers(given).or_else(|fault| {
                let refused = vec![fault];
                Ok(Offers {
                    refused,
                    ..offers(None)?
                })
            });
        }
        let conversion = self.conversion()?;
        let given = given.map(|load| conversion.load(&Placed::default_of(load), "`--load`"));
        let (loads, refused) = match given {
            Some(Ok(load)) => (vec![load], Vec::new()),
            Some(Err(fault)) => (self.own_loads(&conversion).0, vec![fault]),
            None => self.own_loads(&conversion),
        };
        let scale = conversion.scale();
        Ok(Offers {
            loads,
            scale,
            refused,
        })
    }

    /// The file's loads that can be offered, and why the others cannot. Of those that nobody wrote, none is
    /// refused; where none can be offered, they are shares of what can.
    fn own_loads(&self, conversion: &Conversion) -> (Vec<Load>, Vec<Fault>) {
        let (mut loads, mut faults) = (Vec::new(), Vec::<Fault>::new());
        for load in &self.sweep.loads {
            match conversion.load(load, "a load") {
                Ok(load) => loads.push(load),
                // Loads of a range stand in one place: one of them is enough.
                Err(fault) if faults.iter().all(|known| known.place() != fault.place()) => {
                    faults.push(fault);
                }
                Err(_) => {}
            }
        }
        if self.sweep.is_said {
            return (loads, faults);
        }
        if loads.is_empty() {
            let shares = self
                .sweep
                .loads
                .iter()
                .map(|share| conversion.share(share.value));
            let shares = shares.map(|load| conversion.load(&Placed::default_of(load), "a load"));
            loads = shares.flatten().collect();
        }
        (loads, Vec::new())
    }

    fn conversion(&self) -> Result<Conversion, Fault> {
        let cycle_time = self.channel.cycle_time;
        let flits = self.traffic.length.mean_flits();
        Ok(Conversion {
            unit: self.sweep.unit,
            flits_per_unit: match self.sweep.unit {
                Unit::Flits => 1.0,
                Unit::Packets => flits,
                // The last flit of a packet may carry fewer bits than the channel is wide.
                Unit::Bits => flits / self.traffic.packet_bits_mean,
                Unit::Capacity => self.uniform_capacity()? / cycle_time,
            },
            injection_flits: self
                .config
                .is_injection_limited()
                .then_some(1.0 / cycle_time),
            process_flits: self.traffic.load_most() / cycle_time,
            process_flits_least: self.traffic.load_least() / cycle_time,
            cycle_time,
            process: self.traffic.process.name(),
            packet_flits: flits,
        })
    }

    /// The most uniform traffic that the channels can carry, in flits per node per simulated cycle:
    /// on a grid under dimension order, ties split evenly, on any other network under the series'
    /// own algorithm. Without `include_self`, packets to the source itself, which use no channel,
    /// become packets to others.
    fn uniform_capacity(&self) -> Result<f64, Fault> {
        let (network, config) = (self.network, self.config);
        let include_self = self.traffic.include_self;
        let terminals = network.terminals();
        if let Some(grid) = network.grid() {
            let nodes = f64::from(terminals);
            let others = match include_self {
                true => 1.0,
                false => (nodes - 1.0) / nodes,
            };
            let period = f64::from(config.channel_period);
            return Ok(others / channel_load_max(grid, Tie::Random) / period);
        }
        let refused = |message| {
            Fault::new(self.sweep.unit_place.clone(), message)
                .label("not known for this network")
                .help("`load_unit = \"flits/node/cycle\"`")
        };
        if terminals > CAPACITY_TERMINALS_MOST {
            return Err(refused(format!(
                "the capacity of {} would take long to find: it has {terminals} terminals, more \
                 than {CAPACITY_TERMINALS_MOST}",
                self.topology
            )));
        }
        let Some(RoutingTable { choice, tables, .. }) = self.routing else {
            return Err(refused("the capacity depends on the routing".to_owned()));
        };
        uniform_load_max(choice, network, config, tables, include_self)
            .map(|load| 1.0 / load)
            .map_err(|error| refused(error.to_string()))
    }
}
