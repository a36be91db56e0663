//! Proofs that a routing cannot deadlock: of a plan before it runs, and for `flitsim verify`.

use crate::dispatch::{WithRouting, check_routing, virtual_channels_min, with_any_routing};
use crate::scenario::error::Fault;
use crate::scenario::{Overrides, Plan, RoutingChoice, ScenarioError, SeriesPlan};
use flitsim_engine::routing::{DimensionOrder, Routing, Valiant};
use flitsim_engine::verify::{
    Proof, Reason, VerifyOptions, verify, verify_by_legs, verify_by_product,
};
use flitsim_engine::{ConfigError, EngineConfig};
use flitsim_topology::{ChannelId, Network};
use std::sync::Arc;

/// Terminals from which on dimension order is proved ring by ring.
const TERMINALS_BY_PRODUCT: u32 = 2_048;

/// Terminals from which on Valiant's routing is proved leg by leg: in full takes their cube.
const TERMINALS_BY_LEGS: u32 = 128;

/// The most virtual channels of a cycle that a message lists.
const CYCLE_SHOWN_MOST: usize = 12;

/// Called with the destinations done and those there are.
pub type OnProgress<'p> = &'p (dyn Fn(u64, u64) + Sync);

/// Proves `choice` free of deadlock on `network` with routers of `config`, or finds why it is not.
///
/// # Errors
/// An algorithm that does not fit the network.
pub fn prove(
    choice: &RoutingChoice,
    network: &Network,
    config: &EngineConfig,
    on_progress: OnProgress<'_>,
) -> Result<Proof, ConfigError> {
    struct Prove<'a>(&'a Network, VerifyOptions<'a>);
    impl WithRouting for Prove<'_> {
        type Output = Proof;
        fn call<R: Routing + Clone>(self, routing: R) -> Proof {
            verify(self.0, &routing, &self.1)
        }
    }
    let mut options = VerifyOptions::of(config);
    options.progress = Some(on_progress);
    if let Some(proof) = by_product(choice, network, &options)? {
        return Ok(proof);
    }
    let vcs = config.virtual_channels;
    with_any_routing(choice, network, vcs, Prove(network, options))
}

fn by_product(
    choice: &RoutingChoice,
    network: &Network,
    options: &VerifyOptions<'_>,
) -> Result<Option<Proof>, ConfigError> {
    let Some(grid) = network.grid() else {
        return Ok(None);
    };
    let vcs = options
        .virtual_channels
        .max(virtual_channels_min(choice, network));
    match choice {
        RoutingChoice::DimensionOrder {
            tie,
            vc_balance,
            order,
        } if network.terminals() >= TERMINALS_BY_PRODUCT => {
            let routing = DimensionOrder::new(grid, vcs, *tie, *vc_balance)?.with_order(*order);
            Ok(verify_by_product(&routing, options))
        }
        RoutingChoice::Valiant { vc_balance } if network.terminals() >= TERMINALS_BY_LEGS => {
            let routing = Valiant::new(grid, vcs, *vc_balance)?;
            Ok(verify_by_legs(&routing, options))
        }
        _ => Ok(None),
    }
}

/// What is wrong with `choice` by `proof`, with the virtual channels of `config`; `None` where it is
/// free of deadlock.
///
/// An algorithm that asks for more virtual channels than there are is refused even where what is
/// left of it when they fall together has no cycle: it is no longer the algorithm of that name, and
/// `run` does not take it either.
pub fn reason(
    choice: &RoutingChoice,
    network: &Network,
    config: &EngineConfig,
    proof: &Proof,
) -> Option<String> {
    let found = proof.reason().map(|reason| reason.describe(network));
    match (too_few(choice, network, config), found) {
        (None, found) => found,
        (Some(too_few), Some(found)) => Some(format!("{too_few}: {found}")),
        (Some(too_few), None) => Some(format!(
            "{too_few}; on those that there are its classes fall together, and although no cycle \
             of them shows on this network, it is another algorithm"
        )),
    }
}

/// What `choice` says where it has too few virtual channels.
fn too_few(choice: &RoutingChoice, network: &Network, config: &EngineConfig) -> Option<String> {
    let checked = check_routing(choice, network, config.virtual_channels);
    checked.err().map(|error| error.to_string())
}

/// `error`, with a cycle in which packets can wait for ever where it refuses a routing that has one.
pub fn with_cycle(error: ScenarioError, overrides: Overrides) -> ScenarioError {
    if !error.is_about_routing() {
        return error;
    }
    let allowed = Overrides {
        allow_deadlock: true,
        ..overrides
    };
    let Ok(plan) = Plan::read(error.path(), allowed) else {
        return error;
    };
    // Large ones would keep the message waiting.
    let small = |series: &&SeriesPlan| series.network.terminals() < TERMINALS_BY_PRODUCT;
    for SeriesPlan {
        routing,
        network,
        engine,
        ..
    } in plan.series.iter().filter(small)
    {
        let Ok(proof) = prove(routing, network, engine, &|_, _| {}) else {
            continue;
        };
        let is_non_atomic = proof.reason() == Some(&Reason::NonAtomicReallocation);
        if is_non_atomic || too_few(routing, network, engine).is_some() {
            return match proof.cycle() {
                [] => error,
                cycle => error.note(format!("a cycle: {}", shown(network, cycle))),
            };
        }
    }
    error
}

/// Proves every series of `plan` free of deadlock. Where one is not, and the user does not insist,
/// the plan is refused; where the user does, `warn` is told.
///
/// # Errors
/// The first series that can deadlock, its algorithm underlined.
pub fn prove_plan(
    plan: &Plan,
    allow_deadlock: bool,
    on_progress: OnProgress<'_>,
    mut warn: impl FnMut(String),
) -> Result<(), ScenarioError> {
    let mut proved: Vec<&SeriesPlan> = Vec::new();
    for series in &plan.series {
        if proved.iter().any(|other| is_same_relation(other, series)) {
            continue;
        }
        proved.push(series);
        let network = &series.network;
        let proof =
            prove(&series.routing, network, &series.engine, on_progress).map_err(|error| {
                let fault = Fault::new(series.routing_place.clone(), error.to_string());
                ScenarioError::new(&plan.path, &plan.text, fault.label("cannot be proved"))
            })?;
        let Some(reason) = reason(&series.routing, network, &series.engine, &proof) else {
            continue;
        };
        let message = format!(
            "{} on {} is not proved free of deadlock: {reason}",
            series.routing.name(),
            series.topology,
        );
        if allow_deadlock {
            warn(format!("series \"{}\": {message}", series.name));
            continue;
        }
        let mut fault = Fault::new(series.routing_place.clone(), message).label("may deadlock");
        if !proof.cycle().is_empty() {
            fault = fault.note(format!("a cycle: {}", shown(network, proof.cycle())));
        }
        if plan.series.len() > 1 {
            fault = fault.note(format!("in the series \"{}\"", series.name));
        }
        let fault = fault.help(
            "`flitsim verify` with the same file says more; `--allow-deadlock` runs it all the same",
        );
        return Err(ScenarioError::new(&plan.path, &plan.text, fault));
    }
    Ok(())
}

/// Whether a proof for one series holds for the other.
fn is_same_relation(one: &SeriesPlan, other: &SeriesPlan) -> bool {
    Arc::ptr_eq(&one.network, &other.network)
        && one.routing == other.routing
        && one.engine.virtual_channels == other.engine.virtual_channels
        && one.engine.vc_reallocation == other.engine.vc_reallocation
        && one.engine.flow_control == other.engine.flow_control
}

/// A virtual channel as `from->to#vc`.
pub fn virtual_channel_name(network: &Network, (channel, vc): (ChannelId, u32)) -> String {
    let (from, to) = (network.source(channel), network.target(channel));
    format!("{}->{}#{vc}", network.name(from), network.name(to))
}

/// A cycle in one line.
pub fn shown(network: &Network, cycle: &[(ChannelId, u32)]) -> String {
    let names = cycle.iter().map(|&vc| virtual_channel_name(network, vc));
    let mut words: Vec<String> = names.take(CYCLE_SHOWN_MOST).collect();
    if cycle.len() > CYCLE_SHOWN_MOST {
        words.push(format!("({} more)", cycle.len() - CYCLE_SHOWN_MOST));
    }
    words.join(", ")
}
