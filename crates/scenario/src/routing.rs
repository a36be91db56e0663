//! The table `[routing]`: which algorithm, and whether it fits the network.

use crate::algorithms::{
    ADAPTIVE, AFTER_ESCAPE, ALGORITHM, ASCENT, ESCAPE, ESCAPE_CLASSES, GROUP_CLASSES, KNOWLEDGE,
    LEVELS, ORDER, PATH, RING_CLASSES, ROUTING, SLACK, TIE, VC_BALANCE, keys,
};
use crate::error::{Fault, Place, list};
use crate::text_file::digest;
use crate::topology::{Topology, TopologyTable};
use flitsim_engine::ConfigError;
use flitsim_engine::routing::{
    AfterEscape, Algorithm, Ascent, GroupClasses, Levels, Needs, OptionKey, Options, Order,
    RingClasses, Routing, RoutingChoice, Tables,
};
use flitsim_keys::{Key, Placed, Values, Words};
use flitsim_topology::Network;
use serde_json::{Value, json};
use std::sync::Arc;

fn does_not_adapt(
    algorithm: &Placed<Algorithm>,
    topology: &TopologyTable,
    network: &Network,
    adapting: &[Algorithm],
) -> Fault {
    let name = algorithm.value.name();
    let word = topology.value.word();
    let message = match algorithm.value.description().needs {
        Needs::Links => format!("{name} needs links, and channels of {word} failed one way"),
        Needs::TwoColours => {
            format!("{name} needs two colours of nodes, and what is left of {word} has none")
        }
        Needs::Whole | Needs::Paths => {
            format!("{name} does not go round faults: it takes {word} to be whole")
        }
    };
    let names: Vec<&str> = adapting.iter().map(|algorithm| algorithm.name()).collect();
    let failed = super::faults::described(network).unwrap_or_default();
    Fault::new(algorithm.place.clone(), message)
        .about_routing()
        .label("does not adapt")
        .note(format!("failed: {failed}"))
        .help(format!("these adapt to faults: {}", list(&names, "\"")))
}

/// Everything that defines the algorithm.
pub(crate) fn definition(choice: &RoutingChoice) -> Value {
    let mut definition = json!({ "algorithm": choice.name() });
    let Options {
        tie,
        order,
        vc_balance,
        ring_classes,
        group_classes,
        ascent,
        slack_hops,
        escape_classes,
        after_escape,
        knowledge,
        levels,
        is_adaptive,
        routes,
    } = &choice.options;
    for key in choice.algorithm.description().keys {
        match key {
            // The order of old: left out, so that what was found before keeps its name.
            OptionKey::Order if *order == Order::LowestFirst => {}
            OptionKey::Order => definition["order"] = json!(order.word()),
            OptionKey::Tie => definition["tie"] = json!(tie.word()),
            OptionKey::VcBalance => definition["vc_balance"] = json!(vc_balance),
            OptionKey::Slack => definition["slack"] = json!(slack_hops),
            OptionKey::EscapeClasses => definition["escape_classes"] = json!(escape_classes),
            // Left out, so that what was found before keeps its name.
            OptionKey::AfterEscape if *after_escape == AfterEscape::Return => {}
            OptionKey::AfterEscape => definition["after_escape"] = json!(after_escape.word()),
            OptionKey::RingClasses if *ring_classes == RingClasses::Dateline => {}
            OptionKey::RingClasses => definition["ring_classes"] = json!(ring_classes.word()),
            OptionKey::GroupClasses if *group_classes == GroupClasses::Local => {}
            OptionKey::GroupClasses => definition["group_classes"] = json!(group_classes.word()),
            OptionKey::Ascent if *ascent == Ascent::Free => {}
            OptionKey::Ascent => definition["ascent"] = json!(ascent.word()),
            OptionKey::Adaptive if !is_adaptive => {}
            OptionKey::Levels if *levels == Levels::Highest => {}
            OptionKey::Levels => definition["levels"] = json!(levels.word()),
            OptionKey::Adaptive => definition["adaptive"] = json!(is_adaptive),
            OptionKey::Knowledge => definition["knowledge"] = json!(knowledge.word()),
            OptionKey::Path => {
                // The keys of old.
                let key = match choice.algorithm {
                    Algorithm::Source => "routes",
                    _ => "table",
                };
                definition[key] = json!(routes.as_deref().map(digest));
            }
            // Of old, it is always said of the routing that is nothing without.
            OptionKey::Escape => {
                if choice.escape.is_some() || choice.algorithm == Algorithm::MinimalAdaptive {
                    definition["escape"] = json!(choice.escape.map(Algorithm::name));
                }
            }
        }
    }
    definition
}

/// The table, read: an algorithm that fits the topology's kind.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    /// The algorithm.
    pub choice: RoutingChoice,
    /// What relations of it on the network share.
    pub tables: Arc<Tables>,
    /// Where the algorithm stands, or else the topology's kind, which chose it.
    algorithm_place: Option<Place>,
    /// Where the path of a table stands.
    path_place: Option<Place>,
    /// Where the escape classes stand.
    escape_place: Option<Place>,
    fitting: Vec<Algorithm>,
}

impl RoutingTable {
    /// The algorithm that `values` of `ROUTING` say, for `network` of `topology`.
    ///
    /// # Errors
    /// Everything that does not fit the kind of network.
    pub fn of(
        values: &Values,
        topology: &TopologyTable,
        network: &Network,
    ) -> Result<Self, Vec<Fault>> {
        let of_family = Algorithm::fitting(network.whole());
        let fitting = Algorithm::fitting(network);
        let place = values.place(ALGORITHM.name());
        let algorithm = match values.get(&ALGORITHM) {
            Some(value) => Placed { value, place },
            None => Placed {
                value: fitting[0],
                place: topology.place_of("kind"),
            },
        };
        if !fitting.contains(&algorithm.value) {
            return Err(vec![match of_family.contains(&algorithm.value) {
                true => does_not_adapt(&algorithm, topology, network, &fitting),
                false => does_not_route(&algorithm, topology, &fitting),
            }]);
        }
        let mut faults = misplaced(values, algorithm.value);
        faults.extend(check_order(values, &topology.value).err());
        if let Some(escape) = given(values, &ESCAPE) {
            let escape = escape.map(|escape| escape.0);
            faults.extend(check_escape(&escape, &topology.value, network).err());
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            choice: choice(algorithm.value, values),
            tables: Arc::default(),
            algorithm_place: algorithm.place,
            path_place: values.place(PATH.name()),
            escape_place: values.place(ESCAPE_CLASSES.name()),
            fitting,
        })
    }

    /// The name of the algorithm that `values` ask for on `network`, whether it fits or not.
    pub fn name(values: &Values, network: &Network) -> &'static str {
        match values.sound(&ALGORITHM).flatten() {
            Some(algorithm) => algorithm.name(),
            None => RoutingChoice::default_on(network).name(),
        }
    }

    /// Refuses an algorithm that does not fit the network or has too few virtual channels; those
    /// may be too few where `allow_deadlock`. Otherwise, whether the algorithm relies on an escape.
    ///
    /// # Errors
    /// What the algorithm says, with what is at fault underlined.
    pub fn check(
        &self,
        network: &Network,
        virtual_channels: &Placed<u32>,
        allow_deadlock: bool,
    ) -> Result<bool, Fault> {
        let vcs = virtual_channels.value;
        let error = match self.has_escape(network, vcs) {
            Ok(has_escape) => return Ok(has_escape),
            Err(error) => error,
        };
        let at = |place: &Option<Place>| {
            let fault = Fault::new(place.clone(), error.to_string());
            // A file that speaks of what is not there is no routing at all.
            match error {
                ConfigError::Astray { .. } => fault.about_routing(),
                _ => fault,
            }
        };
        let wanted = self.choice.virtual_channels_min(network, &self.tables);
        let of_file = match self.choice.algorithm {
            Algorithm::Table => Some((
                "this table",
                "a table has the header `at,destination,next`, and a row for each node and \
                 destination that packets pass",
            )),
            Algorithm::Source => Some((
                "these routes",
                "a list of routes has the header `source,destination,next`, and for each two \
                 terminals a row for each hop from one to the other, in order",
            )),
            _ => None,
        };
        if let Some((label, help)) = of_file.filter(|_| wanted <= vcs) {
            return Err(at(&self.path_place).label(label).help(help));
        }
        if wanted > virtual_channels.value
            && allow_deadlock
            && let Ok(has_escape) = self.has_escape(network, wanted)
        {
            return Ok(has_escape);
        }
        if allow_deadlock
            && self.choice.escape_classes_short(network, vcs).is_some()
            && self.without_escape_classes(network)
        {
            return Ok(true);
        }
        // Whatever else is wrong stays wrong with enough of them.
        let is_enough = |vcs| vcs > 64 || self.has_escape(network, vcs).is_ok();
        if wanted > virtual_channels.value && is_enough(wanted) {
            let place = virtual_channels.place.as_ref();
            let place = place.or(self.algorithm_place.as_ref()).cloned();
            return Err(Fault::new(place, error.to_string())
                .about_routing()
                .label("too few")
                .help(match network.grid() {
                    Some(_) if self.is_plain_dimension_order() => {
                        "`virtual_channels = 2` or more; a mesh needs only 1".to_owned()
                    }
                    _ if wanted > 64 => self.others(network),
                    _ => format!("`[router] virtual_channels = {wanted}` or more"),
                }));
        }
        if self.escape_place.is_some() && self.without_escape_classes(network) {
            return Err(at(&self.escape_place)
                .about_routing()
                .label("too few")
                .help("leave it out: as few as suffice are taken, which is best"));
        }
        Err(at(&self.algorithm_place)
            .about_routing()
            .label(format!("{} does not fit this network", self.choice.name()))
            .help(self.others(network)))
    }

    /// Where the algorithm stands, or else the topology's kind, which chose it.
    pub fn place(&self) -> Option<Place> {
        self.algorithm_place.clone()
    }

    /// Whether the relation relies on an escape.
    fn has_escape(&self, network: &Network, virtual_channels: u32) -> Result<bool, ConfigError> {
        let relation = self
            .choice
            .relation(network, virtual_channels, &self.tables)?;
        Ok(relation.has_escape())
    }

    fn is_plain_dimension_order(&self) -> bool {
        self.choice.algorithm == Algorithm::DimensionOrder && self.choice.escape.is_none()
    }

    /// Whether the algorithm fits with the escape classes that it chooses itself.
    fn without_escape_classes(&self, network: &Network) -> bool {
        let choice = RoutingChoice::from(Algorithm::EnhancedNbc);
        choice.relation(network, 64, &self.tables).is_ok()
    }

    /// What else there is. On small networks it is tried; on others, without two colours, none of those that need them.
    fn others(&self, network: &Network) -> String {
        const TRIED_MOST: u32 = 1_024;
        let this = self.choice.algorithm;
        let by_colours = |algorithm: Algorithm| algorithm.description().needs == Needs::TwoColours;
        let is_small = network.nodes() <= TRIED_MOST;
        let fits = |algorithm: Algorithm| match algorithm {
            // A file may have any rows.
            Algorithm::Table | Algorithm::Source => true,
            _ if is_small => {
                let choice = RoutingChoice::from(algorithm);
                choice.relation(network, 64, &self.tables).is_ok()
            }
            _ => !(by_colours(this) && by_colours(algorithm)),
        };
        let is_other = |algorithm: &&Algorithm| **algorithm != this && fits(**algorithm);
        let others = self.fitting.iter().filter(is_other);
        let others: Vec<&str> = others.map(|algorithm| algorithm.name()).collect();
        format!("`[routing] algorithm` may be {}", list(&others, "\""))
    }
}

/// The keys that do not go with the algorithm that is chosen where none is named.
fn misplaced(values: &Values, algorithm: Algorithm) -> Vec<Fault> {
    let known: Vec<&str> = [ALGORITHM.name()]
        .into_iter()
        .chain(keys(algorithm).iter().map(|key| key.name))
        .collect();
    let given = values.entries.iter().filter(|e| values.is_given(e.name));
    let others = given.filter(|entry| !known.contains(&entry.name));
    let faults = others.filter_map(|entry| {
        let fault = ROUTING.misplaced(entry.name, &values.shown, &known)?;
        Some(fault.or_at(values.place_of_key(entry.name)))
    });
    faults.collect()
}

fn does_not_route(
    algorithm: &Placed<Algorithm>,
    topology: &TopologyTable,
    fitting: &[Algorithm],
) -> Fault {
    let word = topology.value.word();
    let message = format!("{} does not route {word}", algorithm.value.name());
    let names: Vec<&str> = fitting.iter().map(|algorithm| algorithm.name()).collect();
    Fault::new(algorithm.place.clone(), message)
        .about_routing()
        .label("does not fit the topology")
        .help(format!("these do: {}", list(&names, "\"")))
}

/// Refuses an order of dimensions where the network decides it.
fn check_order(values: &Values, topology: &Topology) -> Result<(), Fault> {
    let is_highest = values.is_given(ORDER.name()) && values.get(&ORDER) == Order::HighestFirst;
    let routers = topology.routers();
    if !is_highest || matches!(routers, Topology::Grid(_) | Topology::HyperX(_)) {
        return Ok(());
    }
    let message = format!("`order` is fixed on {}", topology.word());
    Err(values
        .fault_of(&ORDER, message)
        .label("only tori, meshes, hypercubes and HyperX have a choice")
        .help("leave `order` out: packets take the dimension that has links at the node first"))
}

/// What was said of a key without a default.
fn given<T: flitsim_keys::Form>(values: &Values, key: &Key<Option<T>>) -> Option<Placed<T>> {
    let value = values.is_given(key.name()).then(|| values.get(key));
    Some(Placed {
        value: value.flatten()?,
        place: values.place(key.name()),
    })
}

/// Refuses an escape that does not fit the network.
fn check_escape(
    escape: &Placed<Algorithm>,
    topology: &Topology,
    network: &Network,
) -> Result<(), Fault> {
    let fitting: Vec<&str> = Algorithm::escapes(network).map(Algorithm::name).collect();
    let name = escape.value.name();
    if fitting.contains(&name) {
        return Ok(());
    }
    let faults = match network.damage() {
        Some(_) => " with faults",
        None => "",
    };
    let message = format!("{name} is no escape on {}{faults}", topology.word());
    let help = match fitting.is_empty() {
        true => "none fits a network with one-way channels: leave `escape` out".to_owned(),
        false => format!("these are: {}", list(&fitting, "\"")),
    };
    Err(Fault::new(escape.place.clone(), message)
        .about_routing()
        .label("does not fit the topology")
        .help(help))
}

/// The algorithm with its options and its escape.
fn choice(algorithm: Algorithm, values: &Values) -> RoutingChoice {
    let mut choice = RoutingChoice::from(algorithm);
    let options = &mut choice.options;
    for key in algorithm.description().keys {
        match key {
            OptionKey::Tie => options.tie = values.get(&TIE),
            OptionKey::Order => options.order = values.get(&ORDER),
            OptionKey::VcBalance => options.vc_balance = values.get(&VC_BALANCE),
            OptionKey::RingClasses => options.ring_classes = values.get(&RING_CLASSES),
            OptionKey::GroupClasses => options.group_classes = values.get(&GROUP_CLASSES),
            OptionKey::Ascent => options.ascent = values.get(&ASCENT),
            OptionKey::Slack => options.slack_hops = values.get(&SLACK),
            OptionKey::EscapeClasses => options.escape_classes = values.get(&ESCAPE_CLASSES),
            OptionKey::AfterEscape => options.after_escape = values.get(&AFTER_ESCAPE),
            OptionKey::Levels => options.levels = values.get(&LEVELS),
            OptionKey::Adaptive => options.is_adaptive = values.get(&ADAPTIVE),
            OptionKey::Knowledge => options.knowledge = values.get(&KNOWLEDGE),
            OptionKey::Path => options.routes = Some(values.get(&PATH)),
            OptionKey::Escape => {
                choice.escape = given(values, &ESCAPE).map(|escape| escape.value.0);
            }
        }
    }
    choice
}
