//! Proofs that a routing cannot deadlock: of a plan before it runs, and for `flitsim verify`.

mod proved;

pub use proved::{ProvedPlan, ProvedSeries};

use crate::{Overrides, Plan, RoutingChoice, ScenarioError, SeriesPlan};
use flitsim_analysis::verify::{
    Proof, Reason, VerifyOptions, verify_by_legs, verify_by_product, verify_leg_by_leg,
    verify_relation,
};
use flitsim_engine::routing::{Relation, Tables};
use flitsim_engine::{ConfigError, EngineConfig};
use flitsim_topology::{ChannelId, Network};

/// Terminals from which on dimension order is proved ring by ring, and Valiant's routing leg by leg: in full
/// that takes their cube.
const TERMINALS_BY_PARTS: u32 = 64;

/// Terminals from which on a message does without a cycle that no part of the proof shows.
const TERMINALS_ENUMERATED_MOST: u32 = 2_048;

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
    tables: &Tables,
    on_progress: OnProgress<'_>,
) -> Result<Proof, ConfigError> {
    if let Some(family) = network.concentration()
        && choice.is_between_routers()
    {
        let proof = prove(choice, family.routers(), config, tables, on_progress)?;
        return Ok(proof.between_terminals(family));
    }
    let mut options = VerifyOptions::of(config);
    options.progress = Some(on_progress);
    if let Some(proof) = by_parts(choice, network, &options, tables) {
        return Ok(proof);
    }
    let relation =
        choice
            .with_all_ways()
            .relation_merged(network, config.virtual_channels, tables)?;
    Ok(verify_relation(network, &relation, &options))
}

/// The proof by the parts of a large network, where the relation has any.
fn by_parts(
    choice: &RoutingChoice,
    network: &Network,
    options: &VerifyOptions<'_>,
    tables: &Tables,
) -> Option<Proof> {
    if network.terminals() < TERMINALS_BY_PARTS || options.are_alone() {
        return None;
    }
    let wanted = choice.virtual_channels_min(network, tables);
    let vcs = options.virtual_channels.max(wanted);
    let relation = choice.relation(network, vcs, tables).ok()?;
    // Whatever it decides on is Valiant's.
    let relation = match &relation {
        Relation::Ugal(ugal) => ugal.valiant(),
        relation => relation,
    };
    match relation {
        Relation::DimensionOrder(routing) => verify_by_product(routing, options),
        Relation::Valiant(routing) => verify_by_legs(routing, options),
        Relation::Detour(routing) if vcs == options.virtual_channels => {
            Some(verify_leg_by_leg(network, routing, options))
        }
        _ => None,
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
    tables: &Tables,
    proof: &Proof,
) -> Option<String> {
    let is_alone = VerifyOptions::of(config).are_alone();
    let found = proof.reason().map(|reason| match reason {
        Reason::Cycle if is_alone => format!(
            "{}; with `interleave_flits = false` all virtual channels of a channel count as one, so neither \
             an escape nor a dateline helps: leave that key out, or take another `algorithm`",
            reason.describe(network)
        ),
        _ => reason.describe(network),
    });
    match (too_few(choice, network, config, tables), found) {
        (None, found) => found,
        (Some(too_few), Some(found)) => Some(format!("{too_few}: {found}")),
        (Some(too_few), None) if choice.without_escape().is_some() => Some(format!(
            "{too_few}; without the escape it is another algorithm, although no cycle of that one \
             shows on this network"
        )),
        (Some(too_few), None) => Some(format!(
            "{too_few}; on those that there are its classes fall together, and although no cycle \
             of them shows on this network, it is another algorithm"
        )),
    }
}

/// What `choice` says where it has too few virtual channels.
fn too_few(
    choice: &RoutingChoice,
    network: &Network,
    config: &EngineConfig,
    tables: &Tables,
) -> Option<String> {
    let relation = choice.relation(network, config.virtual_channels, tables);
    relation.err().map(|error| error.to_string())
}

/// `error`, with a cycle in which packets can wait for ever where it refuses a series whose routing
/// has one with the virtual channels that there are.
pub fn with_cycle(error: ScenarioError, overrides: Overrides) -> ScenarioError {
    let allowed = Overrides {
        allow_deadlock: true,
        ..overrides
    };
    if !error.is_about_routing() {
        return error;
    }
    let text = error.text().to_owned();
    let Ok(each) = Plan::parse_each_with(error.path(), text, &[], allowed) else {
        return error;
    };
    let each = each.in_order();
    let refused = error.told().iter().enumerate();
    let refused: Vec<(usize, usize)> = refused
        .filter_map(|(at, told)| Some((at, *told.series.first()?)))
        .collect();
    refused.into_iter().fold(error, |error, (at, index)| {
        let series = each.get(index).and_then(|series| series.as_ref().ok());
        match series.and_then(|series| cycle_of(series)) {
            Some(cycle) => error.note(at, format!("a cycle: {cycle}")),
            None => error,
        }
    })
}

/// A cycle of a series that has too few virtual channels.
fn cycle_of(series: &SeriesPlan) -> Option<String> {
    let (routing, network, engine) = (&series.routing, &*series.network, &series.engine);
    let tables = &*series.routing_tables;
    too_few(routing, network, engine, tables)?;
    let proof = match network.terminals() < TERMINALS_ENUMERATED_MOST {
        true => prove(routing, network, engine, tables, &|_, _| {}).ok(),
        // The whole would keep the message waiting; one ring shows its cycle at once.
        false => by_parts(routing, network, &VerifyOptions::of(engine), tables),
    };
    let cycle = proof.map(|proof| proof.cycle().to_vec())?;
    (!cycle.is_empty()).then(|| shown(network, &cycle))
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
