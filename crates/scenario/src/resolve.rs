//! From the tables of a series to its plan: every table read, every check made, and all that is wrong
//! told.

mod offered;
mod pieces;
mod said;
pub(super) mod warnings;

use crate::channel::Channel;
use crate::energy::Energy;
use crate::error::Fault;
use crate::faults;
use crate::load::Sweep;
use crate::networks::Networks;
use crate::overlay::SeriesTables;
use crate::plan::SeriesPlan;
use crate::router::Router;
use crate::routing::RoutingTable;
use crate::topology::TopologyTable;
use crate::traffic::TrafficTable;
use crate::{definition, measure};
use flitsim_engine::config::keys::VC_REQUESTS;
use flitsim_engine::{Routing, VcRequests};
use flitsim_keys::{Reader, Words};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_traffic::TrafficPlan;
use offered::Offers;
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
    /// Loads that cannot be offered are no error: [`SeriesPlan::loads_refused`] says why.
    pub are_loads_optional: bool,
}

impl Overrides {
    /// Those of a command that shows what can deadlock and does not simulate it, at any load.
    pub const ALLOWING_DEADLOCK: Self = Self {
        seed: None,
        load: None,
        allow_deadlock: true,
        are_loads_optional: true,
    };
}

/// What the series of a scenario share while they are resolved.
pub(super) struct Context<'c> {
    pub(super) reader: Reader<'c>,
    pub(super) networks: Networks,
    pub(super) seed: u64,
    pub(super) overrides: Overrides,
    pub(super) warnings: Vec<String>,
    /// [`Router::choosing`] of all series.
    pub(super) choosing: Vec<(&'static str, bool)>,
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
        // Without `..`: a table that is forgotten here would let a sweep resume with results of another.
        let Self {
            topology,
            network,
            router,
            channel,
            width_bits,
            reference_terminals: _,
            routing,
            traffic,
            measure,
            energy,
            sweep:
                Sweep {
                    replicas,
                    loads: _,
                    is_said: _,
                    auto: _,
                    unit: _,
                    unit_place: _,
                    load_place: _,
                },
        } = self;
        let config = &router.config;
        let mut all = json!({
            "topology": definition::of(topology.value.entries()),
            "router": definition::of(config.router_definition()),
            "channel": channel.definition(config, *width_bits),
            "routing": crate::routing::definition(&routing.choice),
            "traffic": traffic.definition(),
            "measure": measure::definition(measure),
            "replicas": replicas,
        });
        // Left out where nothing has failed: what was found before this key was keeps its name.
        if let Some(faults) = faults::definition(network) {
            all["faults"] = faults;
        }
        if let Some(energy) = energy {
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
    let (plan, workload, offers) = match (checked.plan, checked.workload, checked.offers) {
        (Some(plan), Some(workload), Some(offers)) if found.0.is_empty() => {
            (plan, workload, offers)
        }
        _ => return Err(refused(&pieces, found)),
    };
    let known = known(&pieces);
    let mut parameters = pieces.said.parameters();
    let Some(resolved) = Resolved::of(pieces) else {
        let faults = found.0;
        return Err(Refused { faults, known });
    };
    let name = &series.name;
    for warning in warnings::of(&resolved, workload.as_ref()) {
        let warning = format!("series \"{name}\": {warning}");
        context.warnings.push(warning);
    }
    context.choosing.extend(&resolved.router.choosing);
    let plan = series_plan(name, resolved, plan, workload, offers);
    if plan.engine.vc_requests == VcRequests::AllChannels {
        let (vcs, tables) = (plan.engine.virtual_channels, &plan.routing_tables);
        let relation = plan.routing.relation(&plan.network, vcs, tables);
        let is_looked_at = !relation.is_ok_and(|relation| relation.is_deterministic());
        context.choosing.push((VC_REQUESTS.name(), is_looked_at));
    }
    // The network's default is in no table.
    if let Some(one) = parameters
        .iter_mut()
        .find(|one| one.name == "routing.algorithm")
    {
        one.value = plan.routing.name().into();
    }
    Ok(SeriesPlan { parameters, ..plan })
}

fn series_plan(
    name: &str,
    resolved: Resolved,
    traffic: TrafficPlan,
    workload: Option<Workload>,
    offers: Offers,
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
        loads_auto: resolved.sweep.auto.filter(|_| offers.loads.is_empty()),
        load_scale: offers.scale,
        loads: offers.loads,
        loads_refused: offers.refused,
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
