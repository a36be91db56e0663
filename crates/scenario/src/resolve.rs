//! From the tables of a series to its plan: every table read, every check made, and all that is wrong
//! told.

mod offered;
mod pieces;
mod said;
mod warnings;

use crate::channel::Channel;
use crate::energy::Energy;
use crate::error::Fault;
use crate::faults;
use crate::load::Sweep;
use crate::networks::Networks;
use crate::overlay::SeriesTables;
use crate::plan::{Load, LoadScale, SeriesPlan};
use crate::router::Router;
use crate::routing::RoutingTable;
use crate::topology::TopologyTable;
use crate::traffic::TrafficTable;
use crate::{definition, measure};
use flitsim_keys::{Reader, Words};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::TrafficPlan;
use pieces::{Found, Pieces};
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
    energy: Option<Energy>,
    sweep: Sweep,
}

impl Resolved {
    /// All of the tables; `None` where something is wrong with one.
    fn of(pieces: Pieces) -> Option<Self> {
        let derived = pieces.derived?;
        Some(Self {
            topology: pieces.topology?,
            network: pieces.network?,
            router: pieces.router,
            channel: pieces.channel,
            width_bits: pieces.width_bits?,
            reference_terminals: derived.and_then(|derived| derived.reference_terminals),
            routing: pieces.routing?,
            traffic: pieces.traffic?,
            measure: pieces.measure?,
            energy: pieces.energy,
            sweep: pieces.sweep?,
        })
    }

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
        if let Some(energy) = self.energy {
            all["energy"] = energy.definition();
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
    let parameters = pieces.said.parameters();
    let Some(resolved) = Resolved::of(pieces) else {
        let faults = found.0;
        return Err(Refused { faults, known });
    };
    let name = &series.name;
    for warning in warnings::of(&resolved, workload.as_ref()) {
        let warning = format!("series \"{name}\": {warning}");
        context.warnings.push(warning);
    }
    let plan = series_plan(name, resolved, plan, workload, loads);
    Ok(SeriesPlan { parameters, ..plan })
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
        parameters: Vec::new(),
        definition: resolved.definition(),
        load_unit: load_unit.to_owned(),
        loads_auto: resolved.sweep.auto.filter(|_| loads.is_empty()),
        load_scale,
        loads,
        cycle_time: resolved.channel.cycle_time,
        width_bits: resolved.width_bits,
        replicas: resolved.sweep.replicas,
        is_proved: false,
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
        energy: resolved.energy,
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
    // Faults that part the network leave the whole one.
    let network = pieces.network.as_ref().or(pieces.whole.as_ref())?;
    let algorithm = RoutingTable::name(&pieces.said.routing, network);
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
