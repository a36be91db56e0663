//! What is surveyed: a network, what it is called, and the algorithm that routes on it.

use crate::series;
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::Tables;
use flitsim_scenario::channel::Channel;
use flitsim_scenario::topology::{Topology, TopologyTable, parse_spec};
use flitsim_scenario::{RoutingChoice, ScenarioError, SeriesPlan};
use flitsim_topology::{Damage, Kind, Network};
use std::path::Path;
use std::sync::Arc;

/// A network and its circumstances.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The series that it belongs to, where a scenario names it.
    pub series: Option<String>,
    /// The topology in one word.
    pub topology: String,
    /// The network.
    pub network: Arc<Network>,
    /// The routing algorithm.
    pub routing: RoutingChoice,
    /// What relations of it on the network share.
    pub routing_tables: Arc<Tables>,
    /// The router: the scenario's, or the default with as many virtual channels as the algorithm
    /// needs.
    pub engine: EngineConfig,
    /// Bits of a flit, where a scenario or the network itself says it.
    pub width_bits: Option<u32>,
    /// A cycle of this network in reference cycles.
    pub cycle_time: f64,
}

impl Subject {
    /// The network of a topology in one word, under its default algorithm.
    ///
    /// # Errors
    /// What is wrong in the word, or with the network.
    pub fn of_spec(spec: &str) -> Result<Self, ScenarioError> {
        Self::of_table(spec, &parse_spec(spec)?)
    }

    /// The same of a word that is read: `table` is what `spec` says.
    ///
    /// # Errors
    /// What is wrong with the network.
    pub fn of_table(spec: &str, table: &TopologyTable) -> Result<Self, ScenarioError> {
        let wrong = |fault| ScenarioError::new(Path::new("command line"), spec, fault);
        let network = table.build().map_err(wrong)?;
        let routing = RoutingChoice::default_on(&network);
        let routing_tables = Arc::new(Tables::default());
        let mut engine = EngineConfig {
            virtual_channels: routing.virtual_channels_min(&network, &routing_tables),
            ..EngineConfig::default()
        };
        let widths = network.annotations().and_then(|a| a.width_bits.as_ref());
        let widest = widths.and_then(|widths| widths.iter().copied().max());
        Channel::default_of(&mut engine, &network, widest).map_err(wrong)?;
        Ok(Self {
            series: None,
            topology: table.value.word(),
            network: Arc::new(network),
            routing,
            routing_tables,
            engine,
            width_bits: widest,
            cycle_time: 1.0,
        })
    }

    /// The network of a series.
    pub fn of_series(series: &SeriesPlan) -> Self {
        Self {
            series: Some(series.name.clone()),
            topology: series.topology.clone(),
            network: Arc::clone(&series.network),
            routing: series.routing.clone(),
            routing_tables: Arc::clone(&series.routing_tables),
            engine: series.engine.clone(),
            width_bits: Some(series.width_bits),
            cycle_time: series.cycle_time,
        }
    }

    /// The network without the nodes that have failed, and so with other numbers: for what does not
    /// speak of nodes by number.
    pub fn living(&self) -> Arc<Network> {
        let has_dead = |damage: &Damage| damage.failed_nodes().next().is_some();
        if self.network.damage().is_some_and(has_dead) {
            Arc::new(self.network.living())
        } else {
            Arc::clone(&self.network)
        }
    }

    /// The family's name.
    pub fn kind(&self) -> &str {
        let word = self.topology.split(':').next().unwrap_or_default();
        Topology::kind_named(word).map_or("file", Kind::name)
    }

    /// What to call it: its series, or else its topology.
    pub fn title(&self) -> &str {
        self.series.as_deref().unwrap_or(&self.topology)
    }
}

/// Keeps what belongs to the series `wanted`, if one is named.
///
/// # Errors
/// A series that is not there, in words.
pub fn choose<T>(
    all: &mut Vec<T>,
    wanted: Option<&str>,
    series_of: impl Fn(&T) -> Option<&str>,
) -> Result<(), String> {
    let Some(wanted) = wanted else {
        return Ok(());
    };
    let names: Vec<&str> = all.iter().filter_map(&series_of).collect();
    if names.is_empty() {
        return Err(
            "--series chooses among the series of a scenario, and none is given".to_owned(),
        );
    }
    let name = names[series::find(&names, wanted)?].to_owned();
    all.retain(|one| series_of(one) == Some(&name));
    Ok(())
}
