//! The keys of `file`: the user's own network, from a channel list or GraphML.

use crate::error::{Fault, Place};
use crate::reader::Section;
use crate::text_file::TextFile;
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
    /// Reads the files that `section` names, relative to `folder`.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(section: &Section<'_>, folder: &Path) -> Result<Self, Fault> {
        let Some(channels) = TextFile::read(section, "path", folder)? else {
            let why =
                "name a channel list (CSV) or a GraphML file, such as `path = \"network.csv\"`";
            return Err(section.missing("path", why));
        };
        let table = Self {
            nodes: TextFile::read(section, "nodes", folder)?,
            channels,
        };
        if table.nodes.is_some() && table.is_graphml() {
            let message = format!("{} lists its nodes itself", table.channels.name);
            return Err(Fault::new(section.place_of("nodes"), message)
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
            true => parse_graphml(self.channels.source()),
            false => parse_csv(
                self.channels.source(),
                self.nodes.as_ref().map(|nodes| nodes.source()),
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
            "channels": self.channels.digest(),
            "nodes": self.nodes.as_ref().map(|file| file.digest()),
        })
    }
}
