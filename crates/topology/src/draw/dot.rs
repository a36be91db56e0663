//! A network as a graph of Graphviz.
//!
//! Nodes have their names, and the places of their picture where it has any: `dot -Tsvg` takes the
//! layout program from the file. A link is one edge with two heads where its two channels are
//! alike. An edge's `id` names its channels.

use super::{ChannelClass, Drawing, NodeKind};
use crate::{ChannelId, Network, NodeId, Shape};
use std::fmt::Write;

/// The text of a DOT file of `network`, a `digraph`.
///
/// It has places for the nodes where [`Drawing::of`] can draw the network and they are known: not
/// for networks from a file without places.
pub fn dot(network: &Network) -> String {
    let unknown = matches!(network.whole().shape(), Shape::File(_))
        && network.annotations().is_none_or(|a| a.positions.is_none());
    let drawing = Drawing::of(network).ok();
    let placed = drawing.as_ref().filter(|_| !unknown);
    let mut text = String::from("digraph network {\n");
    if placed.is_some() {
        // Places are in points, and stay what they are.
        text.push_str("  graph [layout=neato, inputscale=72, splines=true];\n");
    } else {
        text.push_str("  graph [layout=sfdp, overlap=prism];\n");
    }
    text.push_str("  node [shape=circle, width=0.4, fixedsize=shape, fontname=Helvetica];\n");
    text.push_str("  edge [arrowsize=0.5];\n");
    for node in (0..network.nodes()).map(NodeId) {
        write_node(&mut text, network, placed, node);
    }
    let pairs = pairs(network);
    for channel in (0..network.channels()).map(ChannelId) {
        let class = drawing.as_ref().and_then(|drawing| {
            let line = &drawing.channels[channel.index()];
            (drawing.classes.len() > 1).then(|| &drawing.classes[line.class])
        });
        write_edge(&mut text, network, channel, pairs[channel.index()], class);
    }
    text.push_str("}\n");
    text
}

fn write_node(text: &mut String, network: &Network, placed: Option<&Drawing>, node: NodeId) {
    let _ = write!(text, "  {}", name(network, node));
    let mut attributes = Vec::new();
    let mark = placed.map(|drawing| &drawing.nodes[node.index()]);
    match mark.map(|mark| mark.kind) {
        Some(NodeKind::Interchange) => attributes.push("shape=diamond".to_owned()),
        _ if node.0 >= network.terminals() => attributes.push("shape=box".to_owned()),
        _ => {}
    }
    if let (Some(mark), Some(drawing)) = (mark, placed) {
        let y = drawing.height - mark.place.y;
        attributes.push(format!("pos=\"{:.1},{y:.1}!\"", mark.place.x));
    }
    if !attributes.is_empty() {
        let _ = write!(text, " [{}]", attributes.join(", "));
    }
    text.push_str(";\n");
}

/// For each channel, the one the other way that it shares an edge with.
fn pairs(network: &Network) -> Vec<Option<ChannelId>> {
    let mut pairs = vec![None; network.channels() as usize];
    for link in crate::links::links(network) {
        if let Some(opposite) = link
            .opposite
            .filter(|&o| are_alike(network, link.channel, o))
        {
            pairs[link.channel.index()] = Some(opposite);
            pairs[opposite.index()] = Some(link.channel);
        }
    }
    pairs
}

/// Whether two channels have the same length, width and delay.
fn are_alike(network: &Network, a: ChannelId, b: ChannelId) -> bool {
    fn same<T: PartialEq>(list: Option<&Vec<T>>, a: ChannelId, b: ChannelId) -> bool {
        list.is_none_or(|list| list[a.index()] == list[b.index()])
    }
    let notes = network.annotations();
    network.length_pitches(a) == network.length_pitches(b)
        && same(notes.and_then(|n| n.width_bits.as_ref()), a, b)
        && same(notes.and_then(|n| n.delay_cycles.as_ref()), a, b)
}

fn write_edge(
    text: &mut String,
    network: &Network,
    channel: ChannelId,
    pair: Option<ChannelId>,
    class: Option<&ChannelClass>,
) {
    if pair.is_some_and(|pair| pair < channel) {
        return;
    }
    let [from, to] = [network.source(channel), network.target(channel)];
    let _ = write!(text, "  {} -> {}", name(network, from), name(network, to));
    let mut attributes = match pair {
        Some(pair) => format!("id=\"c{channel} c{pair}\", dir=both"),
        None => format!("id=\"c{channel}\""),
    };
    if let Some(class) = class {
        let colour = class.colour;
        let _ = write!(attributes, ", color=\"{colour}\"");
    }
    let known = network.annotations();
    if let Some(bits) = known.and_then(|a| a.width_bits.as_ref()) {
        let _ = write!(attributes, ", bits={}", bits[channel.index()]);
    }
    if let Some(cycles) = known.and_then(|a| a.delay_cycles.as_ref()) {
        let _ = write!(attributes, ", delay={}", cycles[channel.index()]);
    }
    let pitches = network.length_pitches(channel);
    let _ = writeln!(text, " [{attributes}, pitches={pitches}];");
}

/// The name of a node as DOT wants it.
fn name(network: &Network, node: NodeId) -> String {
    let name = network.name(node);
    if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        return name.into_owned();
    }
    let mut quoted = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
