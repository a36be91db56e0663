//! The table `[routing]`: which algorithm, and whether it fits the network.

use crate::algorithms::{
    ALGORITHM, Algorithm, BY_COLOURS, ESCAPE, ESCAPE_CLASSES, ORDER, PATH, ROUTING, SLACK, TIE,
    VC_BALANCE, adapting, fitting,
};
use crate::dispatch::{check_routing, escape_classes_short, leads_astray, virtual_channels_min};
use crate::error::{Fault, Place, list};
use crate::escape::Escape;
use crate::text_file::{TextFile, digest};
use crate::topology::{Topology, TopologyTable};
use flitsim_engine::routing::{Order, Tie, TurnRule};
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
    let message = match algorithm.value {
        Algorithm::UpDown => format!("{name} needs links, and channels of {word} failed one way"),
        _ if BY_COLOURS.contains(&algorithm.value) => {
            format!("{name} needs two colours of nodes, and what is left of {word} has none")
        }
        _ => format!("{name} does not go round faults: it takes {word} to be whole"),
    };
    let names: Vec<&str> = adapting.iter().map(|algorithm| algorithm.name()).collect();
    let failed = super::faults::described(network).unwrap_or_default();
    Fault::new(algorithm.place.clone(), message)
        .about_routing()
        .label("does not adapt")
        .note(format!("failed: {failed}"))
        .help(format!("these adapt to faults: {}", list(&names, "\"")))
}

/// The algorithm that routes on `topology` where nothing else is said, with its default options.
pub fn default_of(topology: &Topology) -> RoutingChoice {
    choice(fitting(topology)[0], &ROUTING.defaults())
}

/// A routing algorithm by name, with its options; `dispatch` turns it into a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutingChoice {
    /// `dimension-order`.
    DimensionOrder {
        /// Which way round at half a ring.
        tie: Tie,
        /// Which dimension comes first.
        order: Order,
        /// Whether packets that never wrap use both classes.
        vc_balance: bool,
    },
    /// `west-first`, `north-last` and `negative-first`.
    TurnModel {
        /// Which of them.
        rule: TurnRule,
    },
    /// `odd-even`.
    OddEven,
    /// `duato`: any shortest path, over an e-cube escape.
    Duato,
    /// `minimal-adaptive`: any shortest path.
    MinimalAdaptive {
        /// What it falls back on.
        escape: Option<Escape>,
    },
    /// `valiant`: dimension order by way of a random terminal.
    Valiant {
        /// Whether packets that never wrap use both classes.
        vc_balance: bool,
    },
    /// `express`: the rule of express cubes.
    Express,
    /// `nearest-common-ancestor`, on trees.
    NearestCommonAncestor,
    /// `fat-pyramid`: up to a level, across its mesh, and down.
    FatPyramid {
        /// Hops that a level may cost beyond the best.
        slack: u32,
    },
    /// `nhop`: any shortest path, a class of virtual channels for each negative hop.
    NegativeHop,
    /// `nbc`: the same, with bonus cards.
    Nbc,
    /// `enhanced-nbc`: any shortest path, and `nbc` where no other virtual channel is to be had.
    EnhancedNbc {
        /// The virtual channels of `nbc`; as few as suffice where `None`.
        escape_classes: Option<u32>,
    },
    /// `hop-class`: any shortest path, a class of virtual channels for each hop.
    HopClass,
    /// `fewest-descents`: any shortest path, a class of virtual channels for each descent in a
    /// channel order.
    FewestDescents,
    /// `up-down`, from a spanning tree.
    UpDown,
    /// `table`: from a file.
    Table {
        /// The file.
        file: Arc<TextFile>,
    },
    /// `source`: route by route from a file.
    Source {
        /// The file.
        file: Arc<TextFile>,
    },
    /// Any of them that has no escape of its own, over one; `minimal-adaptive` knows its own.
    OverEscape {
        /// The algorithm on the upper virtual channels.
        algorithm: Box<RoutingChoice>,
        /// What it falls back on, for good.
        escape: Escape,
    },
}

impl RoutingChoice {
    /// The name in scenario files and results.
    pub fn name(&self) -> &'static str {
        self.algorithm().name()
    }

    /// The same algorithm without its escape, where the key `escape` gave it one.
    pub fn without_escape(&self) -> Option<Self> {
        match self {
            Self::MinimalAdaptive { escape: Some(_) } => {
                Some(Self::MinimalAdaptive { escape: None })
            }
            Self::OverEscape { algorithm, .. } => Some(Self::clone(algorithm)),
            _ => None,
        }
    }

    /// The algorithm without the escape below it.
    fn alone(&self) -> &Self {
        match self {
            Self::OverEscape { algorithm, .. } => algorithm,
            choice => choice,
        }
    }

    fn algorithm(&self) -> Algorithm {
        match self {
            Self::DimensionOrder { .. } => Algorithm::DimensionOrder,
            Self::TurnModel { rule } => Algorithm::TurnModel(*rule),
            Self::OddEven => Algorithm::OddEven,
            Self::Duato => Algorithm::Duato,
            Self::MinimalAdaptive { .. } => Algorithm::MinimalAdaptive,
            Self::Valiant { .. } => Algorithm::Valiant,
            Self::Express => Algorithm::Express,
            Self::NearestCommonAncestor => Algorithm::NearestCommonAncestor,
            Self::FatPyramid { .. } => Algorithm::FatPyramid,
            Self::NegativeHop => Algorithm::NegativeHop,
            Self::Nbc => Algorithm::Nbc,
            Self::EnhancedNbc { .. } => Algorithm::EnhancedNbc,
            Self::HopClass => Algorithm::HopClass,
            Self::FewestDescents => Algorithm::FewestDescents,
            Self::UpDown => Algorithm::UpDown,
            Self::Table { .. } => Algorithm::Table,
            Self::Source { .. } => Algorithm::Source,
            Self::OverEscape { algorithm, .. } => algorithm.algorithm(),
        }
    }

    /// Everything that defines the algorithm.
    pub fn definition(&self) -> Value {
        let mut definition = json!({ "algorithm": self.name() });
        match self {
            Self::DimensionOrder {
                tie,
                order,
                vc_balance,
            } => {
                // The order of old: left out, so that what was found before keeps its name.
                if *order == Order::HighestFirst {
                    definition["order"] = json!("highest-first");
                }
                definition["tie"] = json!(tie.word());
                definition["vc_balance"] = json!(vc_balance);
            }
            Self::MinimalAdaptive { escape } => {
                definition["escape"] = json!(escape.map(Escape::name));
            }
            Self::Valiant { vc_balance } => definition["vc_balance"] = json!(vc_balance),
            Self::FatPyramid { slack } => definition["slack"] = json!(slack),
            Self::EnhancedNbc { escape_classes } => {
                definition["escape_classes"] = json!(escape_classes);
            }
            Self::Table { file } => definition["table"] = json!(digest(file)),
            Self::Source { file } => definition["routes"] = json!(digest(file)),
            Self::OverEscape { algorithm, escape } => {
                definition = algorithm.definition();
                definition["escape"] = json!(escape.name());
            }
            _ => {}
        }
        definition
    }
}

/// The table, read: an algorithm that fits the topology's kind.
#[derive(Clone, Debug)]
pub struct RoutingTable {
    /// The algorithm.
    pub choice: RoutingChoice,
    /// Where the algorithm stands, or else the topology's kind, which chose it.
    algorithm_place: Option<Place>,
    /// Where the path of a table stands.
    path_place: Option<Place>,
    /// Where the escape classes stand.
    escape_place: Option<Place>,
    fitting: Vec<Algorithm>,
}

impl RoutingTable {
    /// The algorithm that `values` of [`ROUTING`] say, for `network` of `topology`.
    ///
    /// # Errors
    /// Everything that does not fit the kind of network.
    pub fn of(
        values: &Values,
        topology: &TopologyTable,
        network: &Network,
    ) -> Result<Self, Vec<Fault>> {
        let of_family = fitting(&topology.value);
        let fitting = match network.damage() {
            Some(_) => adapting(network),
            None => of_family.clone(),
        };
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
            faults.extend(Escape::check(&escape, &topology.value, network).err());
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self {
            choice: choice(algorithm.value, values),
            algorithm_place: algorithm.place,
            path_place: values.place(PATH.name()),
            escape_place: values.place(ESCAPE_CLASSES.name()),
            fitting,
        })
    }

    /// The name of the algorithm that `values` ask for on `topology`, whether it fits or not.
    pub fn name(values: &Values, topology: &Topology) -> &'static str {
        match values.sound(&ALGORITHM).flatten() {
            Some(algorithm) => algorithm.name(),
            None => default_of(topology).name(),
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
        let error = match check_routing(&self.choice, network, virtual_channels.value) {
            Ok(has_escape) => return Ok(has_escape),
            Err(error) => error,
        };
        let at = |place: &Option<Place>| {
            let fault = Fault::new(place.clone(), error.to_string());
            // A file that speaks of what is not there is no routing at all.
            match leads_astray(&self.choice, network, virtual_channels.value) {
                true => fault.about_routing(),
                false => fault,
            }
        };
        let wanted = virtual_channels_min(&self.choice, network);
        let alone = match wanted > virtual_channels.value {
            true => None,
            false => Some(self.choice.alone()),
        };
        if let Some(RoutingChoice::Table { .. }) = alone {
            return Err(at(&self.path_place).label("this table").help(
                "a table has the header `at,destination,next`, and a row for each node and \
                 destination that packets pass",
            ));
        }
        if let Some(RoutingChoice::Source { .. }) = alone {
            return Err(at(&self.path_place).label("these routes").help(
                "a list of routes has the header `source,destination,next`, and for each two \
                 terminals a row for each hop from one to the other, in order",
            ));
        }
        if wanted > virtual_channels.value
            && allow_deadlock
            && let Ok(has_escape) = check_routing(&self.choice, network, wanted)
        {
            return Ok(has_escape);
        }
        let vcs = virtual_channels.value;
        if allow_deadlock
            && escape_classes_short(&self.choice, network, vcs).is_some()
            && self.without_escape_classes(network)
        {
            return Ok(true);
        }
        // Whatever else is wrong stays wrong with enough of them.
        let is_enough = |vcs| vcs > 64 || check_routing(&self.choice, network, vcs).is_ok();
        if wanted > virtual_channels.value && is_enough(wanted) {
            let place = virtual_channels.place.as_ref();
            let place = place.or(self.algorithm_place.as_ref()).cloned();
            return Err(Fault::new(place, error.to_string())
                .about_routing()
                .label("too few")
                .help(match network.grid() {
                    Some(_) if matches!(self.choice, RoutingChoice::DimensionOrder { .. }) => {
                        "`virtual_channels = 2` or more; a mesh needs only 1".to_owned()
                    }
                    _ if wanted > 64 => self.others(),
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
            .help(self.others()))
    }

    /// Where the algorithm stands, or else the topology's kind, which chose it.
    pub fn place(&self) -> Option<Place> {
        self.algorithm_place.clone()
    }

    /// Whether the algorithm fits with the escape classes that it chooses itself.
    fn without_escape_classes(&self, network: &Network) -> bool {
        let escape_classes = None;
        check_routing(&RoutingChoice::EnhancedNbc { escape_classes }, network, 64).is_ok()
    }

    /// What else there is: without two colours, none of those that need them.
    fn others(&self) -> String {
        let this = self.choice.algorithm();
        let is_other = |algorithm: &&Algorithm| match BY_COLOURS.contains(&this) {
            true => !BY_COLOURS.contains(algorithm),
            false => **algorithm != this,
        };
        let others = self.fitting.iter().filter(is_other);
        let others: Vec<&str> = others.map(|algorithm| algorithm.name()).collect();
        format!("`[routing] algorithm` may be {}", list(&others, "\""))
    }
}

/// The keys that do not go with the algorithm that is chosen where none is named.
fn misplaced(values: &Values, algorithm: Algorithm) -> Vec<Fault> {
    let known: Vec<&str> = [ALGORITHM.name()]
        .into_iter()
        .chain(algorithm.keys().iter().map(|key| key.name))
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
    if !is_highest || matches!(topology, Topology::Grid(_)) {
        return Ok(());
    }
    let message = format!("`order` is fixed on {}", topology.word());
    Err(values
        .fault_of(&ORDER, message)
        .label("only tori, meshes and hypercubes have a choice")
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

fn choice(algorithm: Algorithm, values: &Values) -> RoutingChoice {
    let alone = choice_alone(algorithm, values);
    match given(values, &ESCAPE) {
        Some(escape) if algorithm != Algorithm::MinimalAdaptive => RoutingChoice::OverEscape {
            algorithm: Box::new(alone),
            escape: escape.value,
        },
        _ => alone,
    }
}

/// The algorithm and its options but for an escape below it.
fn choice_alone(algorithm: Algorithm, values: &Values) -> RoutingChoice {
    match algorithm {
        Algorithm::DimensionOrder => RoutingChoice::DimensionOrder {
            tie: values.get(&TIE),
            order: values.get(&ORDER),
            vc_balance: values.get(&VC_BALANCE),
        },
        Algorithm::TurnModel(rule) => RoutingChoice::TurnModel { rule },
        Algorithm::OddEven => RoutingChoice::OddEven,
        Algorithm::Duato => RoutingChoice::Duato,
        Algorithm::MinimalAdaptive => RoutingChoice::MinimalAdaptive {
            escape: values.get(&ESCAPE),
        },
        Algorithm::Valiant => RoutingChoice::Valiant {
            vc_balance: values.get(&VC_BALANCE),
        },
        Algorithm::Express => RoutingChoice::Express,
        Algorithm::NearestCommonAncestor => RoutingChoice::NearestCommonAncestor,
        Algorithm::FatPyramid => RoutingChoice::FatPyramid {
            slack: values.get(&SLACK),
        },
        Algorithm::NegativeHop => RoutingChoice::NegativeHop,
        Algorithm::Nbc => RoutingChoice::Nbc,
        Algorithm::EnhancedNbc => RoutingChoice::EnhancedNbc {
            escape_classes: values.get(&ESCAPE_CLASSES),
        },
        Algorithm::HopClass => RoutingChoice::HopClass,
        Algorithm::FewestDescents => RoutingChoice::FewestDescents,
        Algorithm::UpDown => RoutingChoice::UpDown,
        Algorithm::Table => RoutingChoice::Table {
            file: values.get(&PATH),
        },
        Algorithm::Source => RoutingChoice::Source {
            file: values.get(&PATH),
        },
    }
}
