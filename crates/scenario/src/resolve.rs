//! From the tables of a series to its plan: every table read, every check made.

use super::channel::{Channel, WIDTH_BITS};
use super::cost::Cost;
use super::error::Fault;
use super::faults::{self, FaultTable};
use super::file::SeriesTables;
use super::load::{Conversion, Sweep, Unit};
use super::measure;
use super::networks::Networks;
use super::plan::{Load, LoadScale, SeriesPlan};
use super::reader::{Placed, Section};
use super::room;
use super::router::Router;
use super::routing::RoutingTable;
use super::topology::TopologyTable;
use super::traffic::TrafficTable;
use crate::dispatch::uniform_load_max;
use flitsim_engine::FlowControl;
use flitsim_engine::analysis::uniform::channel_load_max;
use flitsim_engine::routing::Tie;
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_topology::memory::available_bytes;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// What the command line says over the file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--load`, in the unit of each series: the only load simulated.
    pub load: Option<f64>,
    /// `--allow-deadlock`: too few virtual channels are no error.
    pub allow_deadlock: bool,
}

/// The most terminals of a network whose capacity is found by walking its routing: a second or two.
const CAPACITY_TERMINALS_MOST: u32 = 4_096;

/// The tables of a series, read but not yet checked against one another.
pub(super) struct Tables {
    topology: TopologyTable,
    network: Arc<Network>,
    router: Router,
    channel: Channel,
    /// Bits of a flit.
    width_bits: u32,
    /// Terminals of the network that sets the cost, where there is one.
    reference_terminals: Option<u32>,
    routing: RoutingTable,
    traffic: TrafficTable,
    measure: MeasureSettings,
    sweep: Sweep,
}

impl Tables {
    pub(super) fn read(
        series: &SeriesTables<'_>,
        seed: u64,
        folder: &Path,
        networks: &mut Networks,
    ) -> Result<Self, Fault> {
        let section = |name| Section::of(&series.tables, name);
        let mut router = Router::read(&section("router")?)?;
        let mut channel = Channel::read(&section("channel")?)?;
        let topology = TopologyTable::read(&section("topology")?, folder)?;
        let cost = Cost::read(&section("cost")?, folder)?;
        let faults = FaultTable::read(&section("faults")?)?;
        let sweep = Sweep::read(&section("sweep")?)?;
        // How many flits a packet has may depend on the networks.
        let whole = networks.whole(&topology)?;
        let network = networks.damaged(&whole, &faults)?;
        let routing = RoutingTable::read(&section("routing")?, &topology, &network, folder)?;
        let given = channel.width_bits.as_ref();
        let word = topology.value.word();
        // Faults change nothing of what was built.
        let derived = cost.derive(&whole, &word, given, |reference| networks.whole(reference))?;
        let own_widths = whole.annotations().and_then(|a| a.width_bits.as_ref());
        let widest = own_widths.and_then(|widths| widths.iter().copied().max());
        let width_bits = match (derived, given, widest) {
            (Some(derived), ..) => derived.width_bits,
            (_, Some(given), _) => given.value,
            (_, _, widest) => widest.unwrap_or(WIDTH_BITS),
        };
        channel.cycle_time *= derived.map_or(1.0, |derived| derived.cycle_time);
        channel.apply(&mut router.config, &network, width_bits)?;
        Ok(Self {
            measure: measure::read(&section("measure")?, &network, &router.config)?,
            traffic: TrafficTable::read(&section("traffic")?, width_bits, seed, folder)?,
            topology,
            network,
            router,
            channel,
            width_bits,
            reference_terminals: derived.and_then(|derived| derived.reference_terminals),
            routing,
            sweep,
        })
    }

    /// Everything that defines a point but its load and seed.
    fn definition(&self) -> Value {
        let mut definition = json!({
            "topology": self.topology.value.definition(),
            "router": self.router.router_definition(),
            "channel": self.channel.definition(&self.router.config, self.width_bits),
            "routing": self.routing.choice.definition(),
            "traffic": self.traffic.definition(),
            "measure": measure::definition(&self.measure),
            "replicas": self.sweep.replicas,
        });
        // Left out where nothing has failed: what was found before this key was keeps its name.
        if let Some(faults) = faults::definition(&self.network) {
            definition["faults"] = faults;
        }
        sorted(definition)
    }

    fn conversion(&self) -> Result<Conversion, Fault> {
        let config = &self.router.config;
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
            injection_flits: config.is_injection_limited().then_some(1.0 / cycle_time),
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
        let (network, config) = (&*self.network, &self.router.config);
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
                self.topology.value.word()
            )));
        }
        uniform_load_max(&self.routing.choice, network, config, include_self)
            .map(|load| 1.0 / load)
            .map_err(|error| refused(error.to_string()))
    }

    /// The loads, `given` in place of the file's, and what a load is.
    fn loads(&self, given: Option<f64>) -> Result<(Vec<Load>, LoadScale), Fault> {
        let conversion = self.conversion()?;
        let loads: Result<Vec<Load>, Fault> = match given {
            Some(load) => Ok(vec![
                conversion.load(&Placed::default_of(load), "`--load`")?,
            ]),
            None => self
                .sweep
                .loads
                .iter()
                .map(|load| conversion.load(load, "a load"))
                .collect(),
        };
        Ok((loads?, conversion.scale()))
    }

    fn warnings(&self, workload: Option<&Workload>) -> Vec<String> {
        let network = &*self.network;
        let mut warnings: Vec<String> = self.router.credit_warning().into_iter().collect();
        let max_cycles = self.measure.max_cycles;
        if let Some(Workload::Trace(trace)) = workload
            && trace.cycle_last() as f64 >= max_cycles as f64 * self.channel.cycle_time
        {
            warnings.push(format!(
                "the trace goes on until cycle {}, and `max_cycles` {max_cycles} ends it before",
                trace.cycle_last()
            ));
        }
        let hops =
            network
                .route_distances()
                .map_or(0.0, |distances| match self.traffic.include_self {
                    true => distances.mean_with_self,
                    false => distances.mean_without_self,
                });
        let zero_load = self
            .router
            .zero_load_latency(hops, self.traffic.length.mean_flits())
            * self.channel.cycle_time;
        let limit = self.measure.latency_limit;
        if limit < zero_load && workload.is_none() {
            warnings.push(format!(
                "`latency_limit` is {limit} cycles, and an empty network already takes about \
                 {zero_load:.0} under uniform traffic: points will be reported saturated"
            ));
        }
        let terminals = network.terminals();
        // The papers compare sizes that come near: 720 and 1,024 are the farthest apart.
        let is_far = |&n: &u32| 2 * n.max(terminals) > 3 * n.min(terminals);
        if let Some(others) = self.reference_terminals.filter(is_far) {
            warnings.push(format!(
                "the reference of `[cost]` has {others} terminals, this network {terminals}: what \
                 is made equal is the cost of each"
            ));
        }
        warnings
    }
}

pub(super) fn resolve_series(
    name: &str,
    mut tables: Tables,
    overrides: Overrides,
    warnings: &mut Vec<String>,
) -> Result<SeriesPlan, Fault> {
    tables
        .router
        .check_packets_fit(tables.traffic.longest_flits())?;
    let network = Arc::clone(&tables.network);
    let virtual_channels = &tables.router.virtual_channels;
    let allow_deadlock = overrides.allow_deadlock;
    let has_escape = tables
        .routing
        .check(&network, virtual_channels, allow_deadlock)?;
    if has_escape {
        tables.router.suit_escape();
    }
    let traffic = tables.traffic.plan(&network)?;
    let whole = tables.router.config.flow_control != FlowControl::Wormhole;
    let buffer_flits = whole.then_some(tables.router.config.buffer_flits);
    let workload = tables.traffic.workload(&network, buffer_flits)?;
    let config = &tables.router.config;
    let router = &tables.router;
    config.validate(&network).map_err(|error| {
        let place = router.buffer_flits.place.as_ref();
        let place = place.or(router.virtual_channels.place.as_ref()).cloned();
        Fault::new(place, error.to_string())
            .label("too large for this network")
            .help("fewer virtual channels, smaller buffers or a smaller network")
    })?;
    room::check(&network, config, available_bytes()).map_err(|message| {
        let place = router.buffer_flits.place.as_ref();
        let place = place.or(router.virtual_channels.place.as_ref()).cloned();
        Fault::new(place, message)
            .label("too much for this machine")
            .help("fewer virtual channels, smaller buffers or a smaller network")
    })?;
    let (loads, load_scale) = match &tables.traffic.mode {
        None => tables.loads(overrides.load)?,
        Some(mode) => mode.loads(&tables.sweep, overrides.load, &network)?,
    };
    let load_unit = workload
        .as_ref()
        .map_or(tables.sweep.unit.name(), Workload::unit);
    for warning in tables.warnings(workload.as_ref()) {
        warnings.push(format!("series \"{name}\": {warning}"));
    }
    Ok(SeriesPlan {
        name: name.to_owned(),
        topology: tables.topology.value.word(),
        definition: tables.definition(),
        network,
        load_unit: load_unit.to_owned(),
        loads_auto: tables.sweep.auto.filter(|_| loads.is_empty()),
        load_scale,
        loads,
        cycle_time: tables.channel.cycle_time,
        width_bits: tables.width_bits,
        replicas: tables.sweep.replicas,
        routing_place: tables.routing.place(),
        vc_reallocation_place: tables.router.vc_reallocation_place,
        routing: tables.routing.choice,
        engine: tables.router.config,
        traffic,
        workload_place: tables.traffic.mode.and_then(|mode| mode.place),
        workload,
        measure: tables.measure,
    })
}

/// The same value with the keys of every object in ascending order, whatever serde_json keeps.
pub(crate) fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, ScenarioError};

    const TWO: &str = r#"
title = "two"
[topology]
kind = "torus"
radix = 8
dimensions = 2
directed = true
[traffic]
packet_flits = 4
pattern = "hotspot"
nodes = [3]
fraction = 0.1
[sweep]
load = [0.1, 0.2]
[[series]]
name = "torus"
[[series]]
name = "mesh"
topology.kind = "mesh"
traffic = { pattern = "uniform", packet_bits = 100 }
router.virtual_channels = 1
[[series]]
name = "mixed"
topology.radices = [8, 8]
sweep = { load = 0.5, load_unit = "capacity" }
"#;

    fn plan(text: &str, overrides: Overrides) -> Result<Plan, ScenarioError> {
        Plan::parse(Path::new("dir/two.toml"), text.to_owned(), overrides)
    }

    #[test]
    fn a_series_overrides_key_by_key() {
        let plan = plan(TWO, Overrides::default()).unwrap();
        assert_eq!(
            (plan.scenario.as_str(), plan.title.as_str()),
            ("two", "two")
        );
        let [torus, mesh, mixed] = &plan.series[..] else {
            panic!("three series");
        };
        assert_eq!(torus.topology, "torus:radix=8,dimensions=2,directed=true");
        assert_eq!(mesh.topology, "mesh:radix=8,dimensions=2");
        assert_eq!(mesh.engine.virtual_channels, 1);
        assert_eq!(mesh.engine.injection_vcs, 1);
        assert_eq!(mesh.traffic.pattern.name(), "uniform");
        assert_eq!(mesh.definition["traffic"]["packet_flits"], 4);
        assert_eq!(mesh.definition["traffic"]["packet_bits"], 100);
        assert!(Arc::ptr_eq(&torus.network, &mixed.network));
        assert_eq!(mixed.loads.len(), 1);
        let capacity = 2.0 / 7.0 * 63.0 / 64.0;
        assert!((mixed.loads[0].flits - 0.5 * capacity).abs() < 1e-12);
    }

    #[test]
    fn the_command_line_overrides_load_and_seed() {
        let overrides = Overrides {
            seed: Some(7),
            load: Some(0.3),
            ..Overrides::default()
        };
        let plan = plan(TWO, overrides).unwrap();
        assert_eq!(plan.seed, 7);
        assert!(plan.series.iter().all(|series| series.loads.len() == 1));
        assert_eq!(plan.series[0].loads[0].flits, 0.3);
    }

    #[test]
    fn the_definition_is_canonical_and_complete() {
        let short = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
        let long = "[sweep]\nload = 0.7\n[router]\nbuffer_flits = 8\ndelay = 1\n\
                    [topology]\nradices = [4, 4]\nkind = \"mesh\"\n";
        let of = |text| {
            plan(text, Overrides::default()).unwrap().series[0]
                .definition
                .clone()
        };
        assert_eq!(of(short).to_string(), of(long).to_string());
        let text = of(short).to_string();
        assert!(
            text.starts_with("{\"channel\":{\"delay\":0,\"period\":1"),
            "{text}"
        );
    }

    #[test]
    fn defaults_need_only_a_topology() {
        let text = "[topology]\nkind = \"hypercube\"\ndimensions = 4\n";
        let plan = plan(text, Overrides::default()).unwrap();
        let series = &plan.series[0];
        assert_eq!(series.name, "default");
        assert_eq!(series.loads.len(), 10);
        assert_eq!(series.load_unit, "flits/node/cycle");
        assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
    }
}
