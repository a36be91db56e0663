//! Any network as a channel list or GraphML, such that reading it gives the same network: nodes and
//! channels are written in the order of their identifiers.

use crate::{Annotations, ChannelId, Graph, NodeId};
use std::borrow::Cow;
use std::io::{self, Write};

/// What there is to say of a network's channels beyond their ends, read row by row.
struct Columns<'n> {
    network: &'n Graph,
    width_bits: Option<&'n [u32]>,
    delay_cycles: Option<&'n [u32]>,
    has_lengths: bool,
    has_parallels: bool,
}

impl<'n> Columns<'n> {
    fn new(network: &'n Graph) -> Self {
        let annotations = network.annotations();
        let mut ids = (0..network.channels()).map(ChannelId);
        Self {
            network,
            width_bits: annotations.and_then(|a| a.width_bits.as_deref()),
            delay_cycles: annotations.and_then(|a| a.delay_cycles.as_deref()),
            has_lengths: ids.any(|id| network.length_pitches(id) != 1.0),
            has_parallels: has_parallels(network),
        }
    }

    /// The number of `channel` among the channels between its two nodes.
    fn parallel(&self, channel: ChannelId) -> usize {
        let (source, target) = (self.network.source(channel), self.network.target(channel));
        (self.network.outgoing(source).start..channel.0)
            .filter(|&before| self.network.target(ChannelId(before)) == target)
            .count()
    }

    /// Hands the columns that there are to `write`: the name, the type and the value.
    fn each(
        &self,
        channel: ChannelId,
        mut write: impl FnMut(&'static str, Value) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(widths) = self.width_bits {
            write("width", Value::Whole(widths[channel.index()]))?;
        }
        if self.has_lengths {
            write("length", Value::Real(self.network.length_pitches(channel)))?;
        }
        if let Some(delays) = self.delay_cycles {
            write("delay", Value::Whole(delays[channel.index()]))?;
        }
        if self.has_parallels {
            write("parallel", Value::Whole(self.parallel(channel) as u32))?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Value {
    Whole(u32),
    Real(f32),
}

impl Value {
    fn kind(self) -> &'static str {
        match self {
            Self::Whole(_) => "int",
            Self::Real(_) => "float",
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            // The shortest decimal that reads back as the same number.
            Self::Real(value) => value.fmt(f),
        }
    }
}

fn has_parallels(network: &Graph) -> bool {
    let mut last_source = vec![u32::MAX; network.nodes() as usize];
    (0..network.channels()).map(ChannelId).any(|channel| {
        let source = network.source(channel).0;
        let seen = &mut last_source[network.target(channel).index()];
        std::mem::replace(seen, source) == source
    })
}

/// Writes the channel list alone: enough for a network whose nodes are all terminals and are called
/// by their numbers, as those of tori, meshes, hypercubes and stars are.
///
/// `to` is written to in small pieces: give it a buffer.
///
/// # Errors
/// Those of `to`.
pub fn write_channels(network: &Graph, to: &mut impl Write) -> io::Result<()> {
    let columns = Columns::new(network);
    write!(to, "from,to")?;
    if network.channels() > 0 {
        columns.each(ChannelId(0), |name, _| write!(to, ",{name}"))?;
    }
    writeln!(to)?;
    for channel in (0..network.channels()).map(ChannelId) {
        write_cell(to, network.name(network.source(channel)))?;
        write!(to, ",")?;
        write_cell(to, network.name(network.target(channel)))?;
        columns.each(channel, |_, value| write!(to, ",{value}"))?;
        writeln!(to)?;
    }
    Ok(())
}

/// Writes the list of nodes alone.
///
/// `to` is written to in small pieces: give it a buffer.
///
/// # Errors
/// Those of `to`.
pub fn write_nodes(network: &Graph, to: &mut impl Write) -> io::Result<()> {
    let positions = positions(network);
    let places = if positions.is_some() { ",x,y" } else { "" };
    writeln!(to, "node,kind{places}")?;
    for node in (0..network.nodes()).map(NodeId) {
        write_cell(to, network.name(node))?;
        write!(to, ",{}", kind(network, node))?;
        if let Some(positions) = positions {
            let [x, y] = positions[node.index()];
            write!(to, ",{x},{y}")?;
        }
        writeln!(to)?;
    }
    Ok(())
}

/// Writes the channel list and, where there is more to say of the nodes than that all are terminals
/// called by their numbers, the list of nodes behind a blank line.
///
/// `to` is written to in small pieces: give it a buffer.
///
/// # Errors
/// Those of `to`.
pub fn write_csv(network: &Graph, to: &mut impl Write) -> io::Result<()> {
    write_channels(network, to)?;
    let has_names = network.annotations().is_some_and(|a| a.names.is_some());
    if has_names || positions(network).is_some() || network.terminals() < network.nodes() {
        writeln!(to)?;
        write_nodes(network, to)?;
    }
    Ok(())
}

/// Writes a GraphML document.
///
/// `to` is written to in small pieces: give it a buffer.
///
/// # Errors
/// Those of `to`.
pub fn write_graphml(network: &Graph, to: &mut impl Write) -> io::Result<()> {
    let columns = Columns::new(network);
    let positions = positions(network);
    writeln!(to, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        to,
        r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#
    )?;
    write_key(to, "node", "kind", "string")?;
    if positions.is_some() {
        write_key(to, "node", "x", "float")?;
        write_key(to, "node", "y", "float")?;
    }
    if network.channels() > 0 {
        columns.each(ChannelId(0), |name, v| {
            write_key(to, "edge", name, v.kind())
        })?;
    }
    writeln!(to, r#"  <graph id="network" edgedefault="directed">"#)?;
    for node in (0..network.nodes()).map(NodeId) {
        let kind = kind(network, node);
        write!(to, r#"    <node id=""#)?;
        write_escaped(to, &network.name(node))?;
        write!(to, r#""><data key="kind">{kind}</data>"#)?;
        if let Some(positions) = positions {
            let [x, y] = positions[node.index()];
            write!(to, r#"<data key="x">{x}</data><data key="y">{y}</data>"#)?;
        }
        writeln!(to, "</node>")?;
    }
    for channel in (0..network.channels()).map(ChannelId) {
        write!(to, r#"    <edge source=""#)?;
        write_escaped(to, &network.name(network.source(channel)))?;
        write!(to, r#"" target=""#)?;
        write_escaped(to, &network.name(network.target(channel)))?;
        write!(to, r#"">"#)?;
        columns.each(channel, |name, value| {
            write!(to, r#"<data key="{name}">{value}</data>"#)
        })?;
        writeln!(to, "</edge>")?;
    }
    writeln!(to, "  </graph>\n</graphml>")
}

fn positions(network: &Graph) -> Option<&[[f32; 2]]> {
    let annotations: Option<&Annotations> = network.annotations();
    annotations.and_then(|a| a.positions.as_deref())
}

fn kind(network: &Graph, node: NodeId) -> &'static str {
    if node.0 < network.terminals() {
        "terminal"
    } else {
        "switch"
    }
}

fn write_key(to: &mut impl Write, of: &str, name: &str, kind: &str) -> io::Result<()> {
    writeln!(
        to,
        r#"  <key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>"#
    )
}

/// Writes a name as a cell: quoted where it would be read as something else.
fn write_cell(to: &mut impl Write, name: Cow<'_, str>) -> io::Result<()> {
    let is_plain = name.trim() == name
        && !name.starts_with('#')
        && !name.starts_with('\u{feff}')
        && !name.contains([',', '"'])
        && !["from", "node"].contains(&&*name);
    if is_plain {
        to.write_all(name.as_bytes())
    } else {
        write!(to, "\"{}\"", name.replace('"', "\"\""))
    }
}

fn write_escaped(to: &mut impl Write, text: &str) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        to.write_all(&rest.as_bytes()[..at])?;
        to.write_all(match rest.as_bytes()[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            _ => b"&quot;",
        })?;
        rest = &rest[at + 1..];
    }
    to.write_all(rest.as_bytes())
}
