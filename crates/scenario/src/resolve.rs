//! From the tables of a series to its plan: every table read, every check made, and all that is wrong
//! told.
//!
//! Invariant: a check runs only where nothing is wrong with what it looks at, so that no fault follows
//! from another.

mod offered;
mod said;
mod warnings;

use crate::channel::{Channel, WIDTH_BITS};
use crate::cost::{Cost, Derived};
use crate::error::Fault;
use crate::faults::{self, FaultTable};
use crate::file::SeriesTables;
use crate::load::Sweep;
use crate::networks::Networks;
use crate::plan::{Load, LoadScale, SeriesPlan};
use crate::router::Router;
use crate::routing::RoutingTable;
use crate::topology::TopologyTable;
use crate::traffic::TrafficTable;
use crate::{definition, measure, room};
use flitsim_engine::FlowControl;
use flitsim_keys::{Reader, Words};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_topology::memory::available_bytes;
use flitsim_traffic::TrafficPlan;
use offered::Offered;
use said::Said;
use serde_json::{Value, json};
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

/// What the series of a scenario share while they are resolved.
pub(super) struct Context<'c> {
    pub(super) reader: Reader<'c>,
    pub(super) networks: Networks,
    pub(super) seed: u64,
    pub(super) overrides: Overrides,
    pub(super) warnings: Vec<String>,
}

/// A series that cannot be run.
pub(super) struct Refused {
    /// All that is wrong with it.
    pub(super) faults: Vec<Fault>,
    /// The word of its topology, its algorithm and its virtual channels, where these are known.
    pub(super) known: Option<(String, &'static str, u32)>,
}

/// What was found to be wrong.
#[derive(Default)]
struct Found(Vec<Fault>);

impl Found {
    fn keep<T>(&mut self, checked: Result<T, Fault>) -> Option<T> {
        checked.map_err(|fault| self.0.push(fault)).ok()
    }

    fn keep_all<T>(&mut self, checked: Result<T, Vec<Fault>>) -> Option<T> {
        checked.map_err(|faults| self.0.extend(faults)).ok()
    }
}

/// The tables of a series as far as nothing is wrong with them.
struct Pieces {
    said: Said,
    router: Router,
    channel: Channel,
    topology: Option<TopologyTable>,
    whole: Option<Arc<Network>>,
    network: Option<Arc<Network>>,
    routing: Option<RoutingTable>,
    derived: Option<Option<Derived>>,
    /// Bits of a flit.
    width_bits: Option<u32>,
    traffic: Option<TrafficTable>,
    measure: Option<MeasureSettings>,
    sweep: Option<Sweep>,
}

/// The tables of a series, all of them.
struct Resolved {
    topology: TopologyTable,
    network: Arc<Network>,
    router: Router,
    channel: Channel,
    width_bits: u32,
    /// Terminals of the network that sets the cost, where there is one.
    reference_terminals: Option<u32>,
    routing: RoutingTable,
    traffic: TrafficTable,
    measure: MeasureSettings,
    sweep: Sweep,
}

/// What the checks of a series give.
#[derive(Default)]
struct Checked {
    plan: Option<TrafficPlan>,
    workload: Option<Option<Workload>>,
    loads: Option<(Vec<Load>, LoadScale)>,
}

impl Pieces {
    fn read(series: &SeriesTables, context: &mut Context<'_>, found: &mut Found) -> Self {
        let said = Said::read(series, &context.reader, &mut found.0);
        let topology = said.topology.are_all_sound();
        let topology = topology.then(|| TopologyTable::of(&said.topology));
        let topology = topology.and_then(|table| found.keep(table));
        let networks = &mut context.networks;
        let built = topology.as_ref().map(|table| networks.whole(table));
        let whole = built.and_then(|network| found.keep(network));
        let damaged = said
            .faults
            .are_all_sound()
            .then(|| FaultTable::of(&said.faults));
        let network = match (&whole, damaged) {
            (Some(whole), Some(faults)) => found.keep_all(networks.damaged(whole, &faults)),
            _ => None,
        };
        let sweep = said.sweep.are_all_sound().then(|| Sweep::of(&said.sweep));
        let measure = said
            .measure
            .are_all_sound()
            .then(|| measure::of(&said.measure));
        let mut pieces = Self {
            router: Router::of(&said.router),
            channel: Channel::of(&said.channel),
            routing: None,
            derived: None,
            width_bits: None,
            traffic: None,
            measure: measure.and_then(|measure| found.keep(measure)),
            sweep: sweep.and_then(|sweep| found.keep(sweep)),
            topology,
            whole,
            network,
            said,
        };
        pieces.route(found);
        pieces.derive_width(networks, found);
        pieces.send(context.seed, found);
        pieces
    }

    fn route(&mut self, found: &mut Found) {
        let values = &self.said.routing;
        if let (Some(topology), Some(network)) = (&self.topology, &self.network)
            && values.are_sound(&["algorithm"])
            && values.are_complete()
        {
            self.routing = found.keep_all(RoutingTable::of(values, topology, network));
        }
    }

    /// The width of flits, and what follows from it for the channels.
    fn derive_width(&mut self, networks: &mut Networks, found: &mut Found) {
        let (Some(topology), Some(whole)) = (&self.topology, &self.whole) else {
            return;
        };
        let values = &self.said.channel;
        if !self.said.cost.are_all_sound() || !values.are_sound(&["width_bits"]) {
            return;
        }
        let given = self.channel.width_bits.as_ref();
        let word = topology.value.word();
        // Faults change nothing of what was built.
        let derived = Cost::of(&self.said.cost).and_then(|cost| {
            cost.derive(whole, &word, given, |reference| networks.whole(reference))
        });
        let Some(derived) = found.keep(derived) else {
            return;
        };
        let own_widths = whole.annotations().and_then(|a| a.width_bits.as_ref());
        let widest = own_widths.and_then(|widths| widths.iter().copied().max());
        let width_bits = match (derived, given, widest) {
            (Some(derived), ..) => derived.width_bits,
            (_, Some(given), _) => given.value,
            (_, _, widest) => widest.unwrap_or(values.get(&WIDTH_BITS)),
        };
        self.channel.cycle_time *= derived.map_or(1.0, |derived| derived.cycle_time);
        self.width_bits = Some(width_bits);
        self.derived = Some(derived);
        if let Some(network) = self.network.as_ref().filter(|_| values.are_all_sound()) {
            let applied = self
                .channel
                .apply(&mut self.router.config, network, width_bits);
            if found.keep(applied).is_none() {
                self.derived = None;
            }
        }
    }

    fn send(&mut self, seed: u64, found: &mut Found) {
        if let Some(width_bits) = self.width_bits
            && self.said.traffic.are_all_sound()
        {
            let traffic = TrafficTable::of(&self.said.traffic, width_bits, seed);
            self.traffic = found.keep(traffic);
        }
    }

    /// Checks the tables against one another.
    fn check(&mut self, overrides: Overrides, found: &mut Found) -> Checked {
        let mut checked = Checked::default();
        let said = &self.said.router;
        if let Some(traffic) = &self.traffic
            && said.are_sound(&["buffer_flits", "flow_control"])
        {
            found.keep(self.router.check_packets_fit(traffic.longest_flits()));
        }
        let Some(network) = self.network.clone() else {
            return checked;
        };
        let is_routed = self.check_routing(&network, overrides, found);
        let said = &self.said.router;
        if let Some(traffic) = &self.traffic {
            checked.plan = found.keep(traffic.plan(&network));
            let whole = self.router.config.flow_control != FlowControl::Wormhole;
            let buffer_flits = whole.then_some(self.router.config.buffer_flits);
            if said.are_sound(&["buffer_flits", "flow_control"]) {
                checked.workload = found.keep(traffic.workload(&network, buffer_flits));
            }
        }
        let has_channels = self.derived.is_some() && self.said.channel.are_all_sound();
        if said.are_all_sound() && has_channels {
            found.keep(self.check_size(&network));
            if let Some(measure) = self.measure {
                let config = &self.router.config;
                found.keep(measure::check_affordable(
                    &self.said.measure,
                    measure.details,
                    &network,
                    config,
                ));
            }
        }
        if let (true, true, Some(topology), Some(routing), Some(traffic), Some(sweep)) = (
            is_routed,
            has_channels && said.are_sound(&["injection", "crossbar"]),
            &self.topology,
            &self.routing,
            &self.traffic,
            &self.sweep,
        ) {
            let offered = Offered {
                topology: topology.value.word(),
                network: &network,
                config: &self.router.config,
                channel: &self.channel,
                routing,
                traffic,
                sweep,
            };
            checked.loads = found.keep_all(offered.loads(overrides.load));
        }
        checked
    }

    /// Whether the algorithm holds on the network, as far as it is known.
    fn check_routing(
        &mut self,
        network: &Network,
        overrides: Overrides,
        found: &mut Found,
    ) -> bool {
        let Some(routing) = &self.routing else {
            return false;
        };
        if !self.said.router.are_sound(&["virtual_channels"]) {
            return false;
        }
        let virtual_channels = &self.router.virtual_channels;
        let allow_deadlock = overrides.allow_deadlock;
        let checked = routing.check(network, virtual_channels, allow_deadlock);
        let Some(has_escape) = found.keep(checked) else {
            return false;
        };
        if has_escape {
            self.router.suit_escape();
        }
        true
    }

    /// Refuses routers for which there are no numbers or no memory.
    fn check_size(&self, network: &Network) -> Result<(), Fault> {
        let config = &self.router.config;
        let too_large = |message: String, label: &str| {
            Fault::new(self.router.size_place(), message)
                .label(label)
                .help("fewer virtual channels, smaller buffers or a smaller network")
        };
        config
            .validate(network)
            .map_err(|error| too_large(error.to_string(), "too large for this network"))?;
        room::check(network, config, available_bytes())
            .map_err(|message| too_large(message, "too much for this machine"))
    }

    /// All of the tables; `None` where something is wrong with one.
    fn resolved(self) -> Option<Resolved> {
        let derived = self.derived?;
        Some(Resolved {
            topology: self.topology?,
            network: self.network?,
            router: self.router,
            channel: self.channel,
            width_bits: self.width_bits?,
            reference_terminals: derived.and_then(|derived| derived.reference_terminals),
            routing: self.routing?,
            traffic: self.traffic?,
            measure: self.measure?,
            sweep: self.sweep?,
        })
    }
}

impl Resolved {
    /// Everything that defines a point but its load and seed.
    fn definition(&self) -> Value {
        let config = &self.router.config;
        let mut all = json!({
            "topology": definition::of(self.topology.value.entries()),
            "router": definition::of(config.router_definition()),
            "channel": self.channel.definition(config, self.width_bits),
            "routing": crate::routing::definition(&self.routing.choice),
            "traffic": self.traffic.definition(),
            "measure": measure::definition(&self.measure),
            "replicas": self.sweep.replicas,
        });
        // Left out where nothing has failed: what was found before this key was keeps its name.
        if let Some(faults) = faults::definition(&self.network) {
            all["faults"] = faults;
        }
        definition::sorted(all)
    }
}

/// Resolves a series.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn resolve_series(
    series: &SeriesTables,
    context: &mut Context<'_>,
) -> Result<SeriesPlan, Refused> {
    let mut found = Found::default();
    let mut pieces = Pieces::read(series, context, &mut found);
    let checked = pieces.check(context.overrides, &mut found);
    let (plan, workload, loads) = match (checked.plan, checked.workload, checked.loads) {
        (Some(plan), Some(workload), Some(loads)) if found.0.is_empty() => (plan, workload, loads),
        _ => return Err(refused(&pieces, found)),
    };
    let known = known(&pieces);
    let Some(resolved) = pieces.resolved() else {
        let faults = found.0;
        return Err(Refused { faults, known });
    };
    let name = &series.name;
    for warning in warnings::of(&resolved, workload.as_ref()) {
        let warning = format!("series \"{name}\": {warning}");
        context.warnings.push(warning);
    }
    Ok(series_plan(name, resolved, plan, workload, loads))
}

fn series_plan(
    name: &str,
    resolved: Resolved,
    traffic: TrafficPlan,
    workload: Option<Workload>,
    (loads, load_scale): (Vec<Load>, LoadScale),
) -> SeriesPlan {
    let load_unit = workload
        .as_ref()
        .map_or(resolved.sweep.unit.word(), Workload::unit);
    SeriesPlan {
        name: name.to_owned(),
        topology: resolved.topology.value.word(),
        definition: resolved.definition(),
        load_unit: load_unit.to_owned(),
        loads_auto: resolved.sweep.auto.filter(|_| loads.is_empty()),
        load_scale,
        loads,
        cycle_time: resolved.channel.cycle_time,
        width_bits: resolved.width_bits,
        replicas: resolved.sweep.replicas,
        routing_place: resolved.routing.place(),
        vc_reallocation_place: resolved.router.vc_reallocation_place,
        routing: resolved.routing.choice,
        routing_tables: resolved.routing.tables,
        engine: resolved.router.config,
        network: resolved.network,
        traffic,
        workload_place: resolved.traffic.mode.and_then(|mode| mode.place),
        workload,
        measure: resolved.measure,
    }
}

fn refused(pieces: &Pieces, found: Found) -> Refused {
    Refused {
        faults: found.0,
        known: known(pieces),
    }
}

/// What there is to say of a series whose routing does not hold.
fn known(pieces: &Pieces) -> Option<(String, &'static str, u32)> {
    let topology = &pieces.topology.as_ref()?.value;
    let algorithm = RoutingTable::name(&pieces.said.routing, pieces.network.as_ref()?);
    let virtual_channels = pieces.router.virtual_channels.value;
    Some((topology.word(), algorithm, virtual_channels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, ScenarioError};
    use std::path::Path;

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
