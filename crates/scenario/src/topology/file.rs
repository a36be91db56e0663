//! The keys of `file`: the user's own network, from a channel list or GraphML.

use super::keys::{NODES, PATH};
use crate::error::{Fault, Place};
use crate::text_file::{TextFile, digest, source};
use flitsim_keys::Values;
use flitsim_topology::Network;
use flitsim_topology::file::{parse_csv, parse_graphml};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A network's files, read but not parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTable {
    /// The channels: a channel list or a GraphML document.
    pub channels: Arc<TextFile>,
    /// The list of nodes, where it is in a file of its own.
    pub nodes: Option<Arc<TextFile>>,
}

impl FileTable {
    /// The files that `values` name.
    ///
    /// # Errors
    /// A second list of nodes.
    pub fn of(values: &Values) -> Result<Self, Fault> {
        let table = Self {
            channels: values.get(&PATH),
            nodes: values.get(&NODES),
        };
        if table.nodes.is_some() && table.is_graphml() {
            let message = format!("{} lists its nodes itself", table.channels.name);
            return Err(values
                .fault_of(&NODES, message)
                .label("a second list of nodes")
                .help("leave `nodes` out: it goes with a channel list"));
        }
        Ok(table)
    }

    fn is_graphml(&self) -> bool {
        let extension = Path::new(&self.channels.path).extension();
        extension.is_some_and(|extension| {
            extension.eq_ignore_ascii_case("graphml") || extension.eq_ignore_ascii_case("xml")
        })
    }

    /// Parses the files into the network.
    ///
    /// # Errors
    /// What is wrong in a file, and where in it; `path` or `nodes` is underlined, whichever names
    /// that file.
    pub fn build(&self, path: Option<Place>, nodes: Option<Place>) -> Result<Network, Fault> {
        let built = match self.is_graphml() {
            true => parse_graphml(source(&self.channels)),
            false => parse_csv(
                source(&self.channels),
                self.nodes.as_ref().map(|nodes| source(nodes)),
            ),
        };
        built.map_err(|error| {
            let is_nodes = error.place.file != self.channels.name;
            Fault::new(if is_nodes { nodes } else { path }, error.to_string())
                .label("in this file")
                .help(match self.is_graphml() {
                    true => "a GraphML document with nodes and edges",
                    false => {
                        "a channel list has the header `from,to` and one row a one-way channel; a \
                         list of nodes has the header `node,kind`"
                    }
                })
        })
    }

    /// What follows the kind in the topology's one word.
    pub fn word(&self) -> String {
        let nodes = self
            .nodes
            .iter()
            .map(|file| format!(",nodes={}", file.path));
        format!("path={}", self.channels.path) + &nodes.collect::<String>()
    }

    /// Everything that defines the network: what is in the files, not where they are.
    pub fn definition(&self) -> Value {
        json!({
            "kind": "file",
            "channels": digest(&self.channels),
            "nodes": self.nodes.as_ref().map(|file| digest(file)),
        })
    }
}
