//! The table `[faults]`: which channels and nodes of the network have failed, by name or at random.

use crate::error::{Fault, Place};
use flitsim_keys::{Placed, Shape, Value, Values, table};
use flitsim_topology::damage::{random_links, random_nodes};
use flitsim_topology::{ChannelId, Network, NodeId, NodeNames, PartedPairs};
use serde_json::json;
use std::sync::Arc;

table! {
    /// The table `[faults]`.
    pub static FAULTS = "faults",
        "Channels and nodes that have failed before the simulation begins.";

    CHANNELS: Vec<String> = "channels" list(&Shape::Text, 0, "a failed channel")
        .or_empty().hint("name the nodes that it joins: \"3->4\" is one channel, \"3-4\" both ways"),
        "Channels that have failed: \"3->4\" is every channel from node 3 to node 4, that one \
         way; \"3-4\" is the link, both ways.";
    NODES: Vec<Value> = "nodes" list(
            &Shape::OneOf(&[Shape::integer(0..=u32::MAX as u64, "node numbers"), Shape::Text]),
            0,
            "a failed node"
        )
        .or_empty().hint("name nodes by number or by name: `nodes = [5, \"a name\"]`"),
        "Nodes that have failed, by number or by name; their channels and terminals fail too.";
    RANDOM: Option<Values> = "random" table(&RANDOM_FAULTS)
        .hint("say how many of what fail: `random = { channels = 3, seed = 1 }`").optional(),
        "Faults drawn at random, in addition to those named.";
}

table! {
    /// Its table `random`.
    pub static RANDOM_FAULTS = "random", "Faults drawn at random.";

    RANDOM_CHANNELS: u32 = "channels" integer(0..=u32::MAX as u64, "links").or(0),
        "How many links fail, in both directions.";
    RANDOM_NODES: u32 = "nodes" integer(0..=u32::MAX as u64, "nodes").or(0),
        "How many nodes fail, switches included.";
    RANDOM_SEED: u64 = "seed" integer(0..=i64::MAX as u64, "").or(1),
        "The seed of the draw; the scenario's has no part in it.";
}

/// The table `random` in `values` of [`FAULTS`]: where it is left out, that with all defaults, which draws none.
pub fn random(values: &Values) -> Values {
    let said = values.get(&RANDOM);
    said.unwrap_or_else(|| RANDOM_FAULTS.defaults())
}

/// The most pairs of terminals that a message names.
const PAIRS_NAMED_MOST: usize = 4;

/// The most failed channels, or nodes, that a message names.
const FAULTS_NAMED_MOST: usize = 6;

/// The table, read: faults in words, before it is known what there is to fail.
#[derive(Clone, Debug)]
pub struct FaultTable {
    channels: Vec<Placed<String>>,
    nodes: Vec<Placed<String>>,
    random_channels: Placed<u32>,
    random_nodes: Placed<u32>,
    seed: u64,
    place: Option<Place>,
}

impl FaultTable {
    /// The faults that `values` of [`FAULTS`] say.
    pub fn of(values: &Values) -> Self {
        let random = random(values);
        let words = |element: &Placed<Value>| {
            element.clone().map(|value| match value {
                Value::Integer(number) => number.to_string(),
                Value::Text(name) => name,
                other => format!("{other:?}"),
            })
        };
        let all = |key| values.elements(key).iter().map(words).collect();
        Self {
            channels: all(CHANNELS.name()),
            nodes: all(NODES.name()),
            random_channels: random.placed(&RANDOM_CHANNELS),
            random_nodes: random.placed(&RANDOM_NODES),
            seed: random.get(&RANDOM_SEED),
            place: values.table_place.clone(),
        }
    }

    /// What the faults leave of `whole`; `None` where nothing fails.
    ///
    /// # Errors
    /// Channels or nodes that are not there, more faults than there is to fail, and faults that keep
    /// terminals apart.
    pub fn damaged(&self, whole: &Arc<Network>) -> Result<Option<Arc<Network>>, Vec<Fault>> {
        let drawn = self.random_channels.value > 0 || self.random_nodes.value > 0;
        if self.channels.is_empty() && self.nodes.is_empty() && !drawn {
            // As in most scenarios: the largest networks are not copied for nothing.
            return Ok(None);
        }
        let names = whole.node_names();
        let (mut nodes, mut channels, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for name in &self.nodes {
            match find(&names, whole, &name.value, &name.place) {
                Ok(node) => nodes.push(node),
                Err(fault) => faults.push(fault),
            }
        }
        for words in &self.channels {
            match channels_of(whole, &names, words) {
                Ok(named) => channels.extend(named),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let drawn = &self.random_nodes;
        let mut damaged = Arc::new(Network::without(whole, &channels, &nodes));
        let more = random_nodes(&damaged, drawn.value, self.seed);
        let nodes = more.map_err(|left| vec![too_many(drawn, left, "nodes")])?;
        // Links are drawn among those that are left.
        damaged = Arc::new(Network::without(&damaged, &[], &nodes));
        let drawn = &self.random_channels;
        let more = random_links(&damaged, drawn.value, self.seed);
        let channels = more.map_err(|left| vec![too_many(drawn, left, "links")])?;
        damaged = Arc::new(Network::without(&damaged, &channels, &[]));
        Ok(is_damaged(&damaged).then_some(damaged))
    }

    /// Refuses faults that keep terminals of `damaged` apart, or leave too few.
    ///
    /// # Errors
    /// Which pairs are apart.
    pub fn check(&self, damaged: &Network) -> Result<(), Fault> {
        let living = damaged.living_terminals_count();
        if living < 2 {
            let message = format!("the faults leave {living} of the network's terminals");
            return Err(Fault::new(self.place.clone(), message)
                .label("too many nodes fail")
                .help("at least 2 terminals must be left to send to each other"));
        }
        let Some(parted) = PartedPairs::of(damaged, PAIRS_NAMED_MOST) else {
            return Ok(());
        };
        let name = |node| damaged.name(node);
        let pair = |&(from, to): &(NodeId, NodeId)| format!("`{}` to `{}`", name(from), name(to));
        let mut pairs: Vec<String> = parted.first.iter().map(pair).collect();
        let more = parted.count - pairs.len() as u64;
        if more > 0 {
            pairs.push(format!("and {more} more pairs"));
        }
        let message = format!(
            "the faults leave no way from {}",
            pairs.join(", ").replace(", and", " and")
        );
        let failed = described(damaged).unwrap_or_default();
        Err(Fault::new(self.place.clone(), message)
            .about_routing()
            .label("these part the network")
            .note(format!("failed: {failed}"))
            .help("fewer or other faults, or another `seed`; a node that is cut off may fail too: `nodes = [..]`"))
    }
}

fn find(
    names: &NodeNames<'_>,
    network: &Network,
    name: &str,
    place: &Option<Place>,
) -> Result<NodeId, Fault> {
    names.find(name).ok_or_else(|| {
        let message = format!("no node of the network is called `{name}`");
        let help = match names.nearest(name) {
            Some(near) => format!("did you mean `{near}`?"),
            None if network.annotations().is_some_and(|a| a.names.is_some()) => {
                "nodes are called as in the file of the network".to_owned()
            }
            None => format!("nodes are 0 to {}", network.nodes().saturating_sub(1)),
        };
        Fault::new(place.clone(), message)
            .label("no such node")
            .help(help)
    })
}

/// The channels that `words` name: all from one node to another, or, with a dash alone, both ways.
fn channels_of(
    network: &Network,
    names: &NodeNames<'_>,
    words: &Placed<String>,
) -> Result<Vec<ChannelId>, Fault> {
    let given = words.value.trim();
    let is_one_way = given.contains("->");
    let sign = if is_one_way { "->" } else { "-" };
    // Names may hold dashes themselves: the first place at which nodes are on both sides counts.
    let sides = given.match_indices(sign);
    let mut sides = sides.map(|(at, _)| (given[..at].trim(), given[at + sign.len()..].trim()));
    let first = sides.clone().next();
    let ends = sides.find_map(|(from, to)| Some((names.find(from)?, names.find(to)?)));
    let wrong = |message: String| Fault::new(words.place.clone(), message);
    let Some((from, to)) = ends else {
        let Some((from, to)) = first else {
            return Err(wrong(format!("`{given}` names no channel"))
                .label("no channel")
                .help("name the nodes that it joins: \"3->4\" is one channel, \"3-4\" both ways"));
        };
        find(names, network, from, &words.place)?;
        find(names, network, to, &words.place)?;
        return Err(wrong(format!("`{given}` names no channel")).label("no channel"));
    };
    let there = between(network, from, to);
    let back = match is_one_way {
        true => Vec::new(),
        false => between(network, to, from),
    };
    let missing = match (there.is_empty(), back.is_empty() && !is_one_way) {
        (true, _) => (from, to),
        (_, true) => (to, from),
        _ => return Ok([there, back].concat()),
    };
    let (from, to) = missing;
    let mut targets: Vec<NodeId> = network.targets(from).to_vec();
    targets.sort_unstable();
    targets.dedup();
    let targets: Vec<String> = targets.iter().map(|&to| network.name(to).into()).collect();
    let message = format!(
        "no channel leads from `{}` to `{}`",
        network.name(from),
        network.name(to)
    );
    Err(wrong(message).label("no such channel").help(format!(
        "channels lead from `{}` to {}",
        network.name(from),
        match targets.is_empty() {
            true => "no node".to_owned(),
            false => targets.join(", "),
        }
    )))
}

fn between(network: &Network, from: NodeId, to: NodeId) -> Vec<ChannelId> {
    let outgoing = network.outgoing(from).map(ChannelId);
    outgoing.filter(|&c| network.target(c) == to).collect()
}

fn too_many(asked: &Placed<u32>, left: u32, what: &str) -> Fault {
    let message = format!(
        "{} {what} are to fail at random, and the network has {left}",
        asked.value
    );
    Fault::new(asked.place.clone(), message)
        .label(format!("more than there are {what}"))
        .help(match what {
            "links" => format!(
                "at most {left}; a link is the two channels between two nodes, and what is \
                 named in `channels` and `nodes` has failed already"
            ),
            _ => format!("at most {left}"),
        })
}

fn is_damaged(network: &Network) -> bool {
    network.damage().is_some_and(|damage| {
        !damage.failed_channels().is_empty() || damage.failed_nodes().next().is_some()
    })
}

/// Everything that defines what has failed, in identifiers of the whole network; `None` where
/// nothing has.
pub fn definition(network: &Network) -> Option<serde_json::Value> {
    let damage = network.damage()?;
    let channels: Vec<u32> = damage.failed_channels().iter().map(|c| c.0).collect();
    let nodes: Vec<u32> = damage.failed_nodes().map(|node| node.0).collect();
    Some(json!({ "channels": channels, "nodes": nodes }))
}

/// The names of the nodes and channels that have failed, the channels of failed nodes left out:
/// nodes first, channels as `from->to`.
pub fn failed(network: &Network) -> (Vec<String>, Vec<String>) {
    let Some(damage) = network.damage() else {
        return (Vec::new(), Vec::new());
    };
    let whole = damage.whole();
    let name = |node| whole.name(node);
    let ends = damage.failed_channels().iter();
    let ends = ends.map(|&channel| (whole.source(channel), whole.target(channel)));
    let own = ends.filter(|&(from, to)| damage.is_living(from) && damage.is_living(to));
    (
        damage
            .failed_nodes()
            .map(|node| name(node).into())
            .collect(),
        own.map(|(from, to)| format!("{}->{}", name(from), name(to)))
            .collect(),
    )
}

/// What has failed, in words: `node 5 and channels 3->4, 4->3`; `None` where nothing has.
pub fn described(network: &Network) -> Option<String> {
    network.damage()?;
    let (nodes, channels) = failed(network);
    let list = |what: &str, names: &[String]| {
        let plural = if names.len() == 1 { "" } else { "s" };
        let shown = names.len().min(FAULTS_NAMED_MOST);
        let more = match names.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!names.is_empty()).then(|| format!("{what}{plural} {}{more}", names[..shown].join(", ")))
    };
    let words = [list("node", &nodes), list("channel", &channels)];
    let words: Vec<String> = words.into_iter().flatten().collect();
    Some(words.join("; "))
}
