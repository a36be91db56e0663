//! `file`: a channel list or a GraphML document.

use crate::error::refused;
use crate::families::define::{Define, Entries, Kind};
use crate::formats::{Source, is_anynet, parse_csv, parse_graphml};
use crate::{Graph, TopologyError};
use flitsim_keys::{Fault, Form, Key, TextFile, Values};
use std::sync::Arc;

const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "A channel list (CSV), `anynet` file or GraphML document; relative to the folder of the scenario file.",
)
.needed("name a channel list (CSV) or a GraphML file, such as `path = \"network.csv\"`");

const NODES: Key<Option<Arc<TextFile>>> = Key::file(
    "nodes",
    "The list of nodes, if it is in a file of its own; relative to the folder of the scenario file.",
)
.optional();

const KINDS: &[Kind] = &[Kind::new(
    "file",
    "The user's own.",
    &[PATH.described(), NODES.described()],
    &[],
    "path=network.csv",
)];

/// A network's files, read but not parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDefinition {
    /// The channels: a channel list or a GraphML document.
    pub channels: Arc<TextFile>,
    /// The list of nodes, where it is in a file of its own.
    pub nodes: Option<Arc<TextFile>>,
}

impl FileDefinition {
    fn is_graphml(&self) -> bool {
        Source::from(&*self.channels).is_graphml()
    }
}

impl Define for FileDefinition {
    type Built = Graph;

    const KINDS: &'static [Kind] = KINDS;

    fn of(_: &'static str, values: &Values) -> Result<Self, Fault> {
        let files = Self {
            channels: values.get(&PATH),
            nodes: values.get(&NODES),
        };
        if files.nodes.is_some() && files.is_graphml() {
            return Err(refused(
                NODES.name(),
                "a second list of nodes",
                "leave `nodes` out: it goes with a channel list",
                format!("{} lists its nodes itself", files.channels.name),
            ));
        }
        Ok(files)
    }

    fn word(&self) -> String {
        let nodes = self.nodes.iter();
        let nodes = nodes.map(|file| format!(",nodes={}", file.path));
        format!("path={}", self.channels.path) + &nodes.collect::<String>()
    }

    /// What is in the files, not where they are.
    fn entries(&self) -> Entries {
        vec![("channels", self.channels.write()), NODES.said(&self.nodes)]
    }

    fn build(&self) -> Result<Graph, TopologyError> {
        let (built, remedy) = if self.is_graphml() {
            let remedy = "a GraphML document with nodes and edges";
            (parse_graphml((&*self.channels).into()), remedy)
        } else {
            let nodes = self.nodes.as_ref().map(|file| Source::from(&**file));
            let remedy = match nodes.is_none() && is_anynet(&self.channels.text) {
                true => "an `anynet` file has a line for each router: `router 0 node 0 router 1 2`",
                false => {
                    "a channel list has the header `from,to` and one row a one-way channel; a \
                     list of nodes has the header `node,kind`"
                }
            };
            (parse_csv((&*self.channels).into(), nodes), remedy)
        };
        built.map_err(|error| {
            let is_of_channels = error.place.file == self.channels.name;
            let key = if is_of_channels {
                PATH.name()
            } else {
                NODES.name()
            };
            refused(key, "in this file", remedy, error.to_string()).into()
        })
    }
}
