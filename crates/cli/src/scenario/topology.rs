//! The table `[topology]`: which network, in words and numbers, before it is built.

use super::error::{Fault, Place};
use super::reader::{Placed, Section, array, integer};
use flitsim_topology::{Ends, Grid, Network, TopologyError};
use serde_json::{Value, json};

/// The kinds that can be built.
const KINDS: [(&str, Kind); 3] = [
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
    ("hypercube", Kind::Hypercube),
];

/// The kinds that later versions build.
const KINDS_LATER: [&str; 8] = [
    "express-cube",
    "butterfly-fat-tree",
    "fat-pyramid",
    "star",
    "pruned-torus",
    "manhattan-torus",
    "pruned-manhattan-torus",
    "file",
];

/// A family of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// k-ary n-cube: every dimension a ring.
    Torus,
    /// Every dimension a line.
    Mesh,
    /// Two nodes a dimension.
    Hypercube,
}

impl Kind {
    /// The keys that the kind takes, `kind` among them.
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Torus => &["kind", "radix", "dimensions", "radices", "directed"],
            Self::Mesh => &["kind", "radix", "dimensions", "radices"],
            Self::Hypercube => &["kind", "dimensions"],
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(word, _)| *word == name).map(|k| k.1)
    }

    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Torus => "torus",
            Self::Mesh => "mesh",
            Self::Hypercube => "hypercube",
        }
    }
}

/// A network as a scenario says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The family.
    pub kind: Kind,
    /// Nodes of each dimension, dimension 0 first; never empty, each at least 2.
    pub radices: Vec<u32>,
    /// Whether rings lead one way only.
    pub directed: bool,
}

impl Topology {
    /// Reads and checks the table.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>) -> Result<Placed<Self>, Fault> {
        let Some(kind) = section.word("kind", &KINDS, &KINDS_LATER)? else {
            return Err(match section.place() {
                None => Fault::new(None, "the scenario has no `[topology]`").help(
                    "add one, such as:\n[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2",
                ),
                Some(_) => section.missing(
                    "kind",
                    "write `kind = \"torus\"`, `kind = \"mesh\"` or `kind = \"hypercube\"`",
                ),
            });
        };
        let Placed { value: kind, place } = kind;
        section.only(kind.keys(), &[])?;
        let radices = match kind {
            Kind::Hypercube => vec![2; dimensions(section)?],
            Kind::Torus | Kind::Mesh => radices(section)?,
        };
        let directed = section.flag("directed", false)?.value;
        Ok(Placed {
            value: Self {
                kind,
                radices,
                directed,
            },
            place: section.place().or(place),
        })
    }

    /// What the ends of its dimensions do.
    pub const fn ends(&self) -> Ends {
        match (self.kind, self.directed) {
            (Kind::Torus, false) => Ends::Ring,
            (Kind::Torus, true) => Ends::DirectedRing,
            (Kind::Mesh | Kind::Hypercube, _) => Ends::Open,
        }
    }

    /// Builds the network.
    ///
    /// # Errors
    /// Where it would be too large, with `place` underlined.
    pub fn build(&self, place: Option<Place>) -> Result<Network, Fault> {
        match Grid::new(&self.radices, self.ends()) {
            Ok(grid) => Ok(grid.into_network()),
            Err(TopologyError::TooLarge {
                nodes,
                channels,
                gibibytes,
                limit,
            }) => Err(
                Fault::new(place, format!("{} is too large to build", self.word()))
                    .label(format!("{nodes} nodes and {channels} channels"))
                    .note(format!(
                        "the graph alone would take about {gibibytes} GiB; the limit is {limit} \
                         channels"
                    ))
                    .help("fewer dimensions or smaller radices"),
            ),
            Err(other) => Err(Fault::new(place, other.to_string())),
        }
    }

    /// The topology in one word, as `torus:radix=8,dimensions=2`.
    pub fn word(&self) -> String {
        let mut word = format!("{}:", self.kind.name());
        let first = self.radices[0];
        let dimensions = self.radices.len();
        if self.kind == Kind::Hypercube {
            word += &format!("dimensions={dimensions}");
        } else if self.radices.iter().all(|&k| k == first) {
            word += &format!("radix={first},dimensions={dimensions}");
        } else {
            let radices: Vec<String> = self.radices.iter().map(u32::to_string).collect();
            word += &format!("radices={}", radices.join("x"));
        }
        if self.directed {
            word += ",directed=true";
        }
        word
    }

    /// Everything that defines the network.
    pub fn definition(&self) -> Value {
        json!({
            "kind": self.kind.name(),
            "radices": self.radices,
            "directed": self.directed,
        })
    }

    /// Nodes, as a real number: it may be large.
    pub fn nodes(&self) -> f64 {
        self.radices.iter().map(|&k| f64::from(k)).product()
    }

    /// The most uniform traffic that the channels can carry, in flits per node per cycle, where
    /// every channel passes one flit a cycle: the reciprocal of the load on the busiest channel
    /// under dimension-order routing, ties of even rings split evenly (Dally & Towles, section
    /// 3.3.1). Without `include_self`, packets to the source itself, which use no channel, become
    /// packets to others.
    pub fn uniform_capacity(&self, include_self: bool) -> f64 {
        let busiest = self
            .radices
            .iter()
            .map(|&radix| {
                let k = f64::from(radix);
                let half = f64::from(radix / 2);
                match self.ends() {
                    // The k - 1 channels up carry a/k · (k - a) each; the middle one the most.
                    Ends::Open => half * (k - half) / k,
                    Ends::Ring if radix == 2 => half * (k - half) / k,
                    // k nodes send hops(k) each over 2k channels, all alike.
                    Ends::Ring => half * (k - half) / (2.0 * k),
                    Ends::DirectedRing => (k - 1.0) / 2.0,
                }
            })
            .fold(0.0, f64::max);
        self.others(include_self) / busiest
    }

    /// Mean hops of minimal routes under uniform traffic.
    pub fn uniform_hops(&self, include_self: bool) -> f64 {
        let hops: f64 = self
            .radices
            .iter()
            .map(|&radix| {
                let k = f64::from(radix);
                let half = f64::from(radix / 2);
                match self.ends() {
                    Ends::Open => (k * k - 1.0) / (3.0 * k),
                    Ends::Ring => half * (k - half) / k,
                    Ends::DirectedRing => (k - 1.0) / 2.0,
                }
            })
            .sum();
        hops / self.others(include_self)
    }

    /// The share of packets that go to another node where all nodes are alike as destinations;
    /// 1 with `include_self`, whose figures these forms give.
    fn others(&self, include_self: bool) -> f64 {
        if include_self {
            1.0
        } else {
            (self.nodes() - 1.0) / self.nodes()
        }
    }
}

fn dimensions(section: &Section<'_>) -> Result<usize, Fault> {
    match section.integer("dimensions", 1..=63, "dimensions")? {
        Some(n) => Ok(n.value as usize),
        None => Err(section.missing("dimensions", "add it, such as `dimensions = 2`")),
    }
}

fn radices(section: &Section<'_>) -> Result<Vec<u32>, Fault> {
    const HELP: &str = "either `radix` and `dimensions`, or `radices` alone";
    const RANGE: std::ops::RangeInclusive<u64> = 2..=u16::MAX as u64;
    section.not_both("radices", "radix", HELP)?;
    section.not_both("radices", "dimensions", HELP)?;
    let Some(value) = section.value("radices") else {
        let radix = section.integer("radix", RANGE, "nodes a dimension")?;
        let Some(radix) = radix else {
            return Err(section.missing(
                "radix",
                "add `radix` and `dimensions`, such as `radix = 8` and `dimensions = 2`, or \
                 `radices = [8, 4, 2]`",
            ));
        };
        return Ok(vec![radix.value as u32; dimensions(section)?]);
    };
    let values = array(value, "`radices`")?;
    if values.is_empty() || values.len() > 63 {
        let message = format!("`radices` has {} dimensions", values.len());
        return Err(Fault::new(Some(value.span()), message)
            .label("from 1 to 63 dimensions")
            .help("give the nodes of each dimension, such as `radices = [8, 4, 2]`"));
    }
    values
        .iter()
        .enumerate()
        .map(|(dimension, value)| {
            let subject = format!("the radix of dimension {dimension}");
            Ok(integer(value, &subject, RANGE, "nodes")?.value as u32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(kind: Kind, radices: &[u32], directed: bool) -> Topology {
        Topology {
            kind,
            radices: radices.to_vec(),
            directed,
        }
    }

    /// Counts the load on every channel, route by route, ties split.
    fn busiest_by_routes(topology: &Topology) -> (f64, f64) {
        use flitsim_engine::routing::{DimensionOrder, Head, Routing, Tie};
        use flitsim_topology::NodeId;
        let network = topology.build(None).unwrap();
        let routing = DimensionOrder::new(network.grid().unwrap(), 2, Tie::Random, false).unwrap();
        let mut load = vec![0.0; network.channels() as usize];
        let mut hops = 0.0;
        let mut candidates = flitsim_engine::Candidates::default();
        let nodes = network.nodes();
        for (source, destination) in
            (0..nodes * nodes).map(|i| (NodeId(i / nodes), NodeId(i % nodes)))
        {
            let choices = routing.choices(source, destination);
            for choice in 0..choices {
                let share = 1.0 / f64::from(choices) / f64::from(nodes);
                let state = routing.initial(source, destination, choice);
                let (mut node, mut arrived) = (source, None);
                while node != destination {
                    candidates.clear();
                    let head = Head {
                        node,
                        arrived,
                        destination,
                        state,
                    };
                    routing.route(head, &mut candidates);
                    let next = candidates.as_slice()[0];
                    load[next.channel.index()] += share;
                    hops += share / f64::from(nodes);
                    arrived = Some((next.channel, next.vcs.trailing_zeros()));
                    node = network.target(next.channel);
                }
            }
        }
        (load.into_iter().fold(0.0, f64::max), hops)
    }

    #[test]
    fn capacity_and_hops_are_those_of_the_routes() {
        for topology in [
            grid(Kind::Torus, &[8, 8], false),
            grid(Kind::Torus, &[5, 5], false),
            grid(Kind::Torus, &[2, 3, 4], false),
            grid(Kind::Torus, &[2, 2], false),
            grid(Kind::Torus, &[4, 3], true),
            grid(Kind::Mesh, &[8, 8], false),
            grid(Kind::Mesh, &[5, 3], false),
            grid(Kind::Hypercube, &[2; 5], false),
        ] {
            let (busiest, hops) = busiest_by_routes(&topology);
            let capacity = topology.uniform_capacity(true);
            let word = topology.word();
            assert!((capacity * busiest - 1.0).abs() < 1e-9, "{word} {capacity}");
            assert!((topology.uniform_hops(true) - hops).abs() < 1e-9, "{word}");
        }
        let mesh = grid(Kind::Mesh, &[8, 8], false);
        assert_eq!(mesh.uniform_capacity(true), 0.5);
        assert_eq!(mesh.uniform_capacity(false), 0.5 * 63.0 / 64.0);
        assert_eq!(
            grid(Kind::Torus, &[8, 8], false).uniform_capacity(true),
            1.0
        );
        assert_eq!(
            grid(Kind::Hypercube, &[2; 4], false).uniform_capacity(true),
            2.0
        );
    }

    #[test]
    fn a_topology_has_one_word() {
        assert_eq!(
            grid(Kind::Torus, &[8, 8], false).word(),
            "torus:radix=8,dimensions=2"
        );
        assert_eq!(
            grid(Kind::Torus, &[8, 4], true).word(),
            "torus:radices=8x4,directed=true"
        );
        assert_eq!(
            grid(Kind::Hypercube, &[2; 5], false).word(),
            "hypercube:dimensions=5"
        );
    }
}
