//! GraphML (Brandes, Eiglsperger, Herman, Himsolt & Marshall 2002) as a draft of a network.

use super::draft::{Draft, Text};
use super::error::{FileError, Problem, Source};
use crate::Graph;
use flitsim_keys::osa_distance;
use roxmltree::{Document, Node, ParsingOptions};
use std::borrow::Cow;
use std::collections::HashMap;

const NODE_WORDS: [&str; 3] = ["kind", "x", "y"];
const EDGE_WORDS: [&str; 4] = ["width", "length", "delay", "parallel"];

/// What a `key` stands for, and its text where an element has no data of its own.
struct Key<'d> {
    word: &'static str,
    default: Option<Text<'d>>,
}

/// The keys of one kind of element, by identifier.
type Keys<'d> = HashMap<&'d str, Key<'d>>;

/// The most attributes of an element, and the most declarations of namespaces of a document: the parser
/// compares each with all others.
const ATTRIBUTES_MOST: usize = 1000;

/// Refuses what grows while it is parsed: a text of 600 kB can stand for 10 GB.
fn check(source: Source<'_>) -> Result<(), FileError> {
    let wrong = |offset: usize, reason: &str| {
        let reason = reason.to_owned();
        Err(source.error(offset, Problem::Xml { reason }))
    };
    if let Some(offset) = source.text.find("<!ENTITY") {
        return wrong(
            offset,
            "entities of one's own are not expanded: write their text",
        );
    }
    if let Some((offset, _)) = source.text.match_indices("xmlns").nth(ATTRIBUTES_MOST) {
        return wrong(offset, "more than 1000 namespaces");
    }
    for (offset, _) in source.text.match_indices('<') {
        let element = source.text[offset..].split('>').next().unwrap_or_default();
        if element.matches('=').count() > ATTRIBUTES_MOST {
            return wrong(offset, "more than 1000 attributes");
        }
    }
    Ok(())
}

pub(super) fn parse(source: Source<'_>) -> Result<Graph, FileError> {
    let options = ParsingOptions {
        // A document type is harmless without entities of its own: nothing is fetched.
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    if source.text.trim().is_empty() {
        let expected = "a `graphml` element";
        return Err(source.error_in_all(Problem::Empty { expected }));
    }
    check(source)?;
    let document = Document::parse_with_options(source.text, options).map_err(|error| {
        let position = error.pos();
        let mut at = source.error_in_all(Problem::Xml {
            reason: error.to_string(),
        });
        (at.place.line, at.place.column) = (position.row, position.col);
        at
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(unexpected(
            source,
            root,
            "expected `graphml` as the outermost",
        ));
    }
    let mut graphs = elements(root, "graph");
    let Some(graph) = graphs.next() else {
        return Err(unexpected(source, root, "it has no `graph`"));
    };
    if let Some(second) = graphs.next() {
        return Err(unexpected(
            source,
            second,
            "one graph in a document, not several",
        ));
    }
    let [node_keys, edge_keys] = keys(source, root)?;
    let mut draft = Draft::new(source, Some(source));
    for node in elements(graph, "node") {
        let id = attribute(source, node, "node", "id")?;
        draft.add_node(id, data(source, node, &node_keys, NODE_WORDS)?)?;
    }
    let directed_default = match attribute(source, graph, "graph", "edgedefault")? {
        (default, _) if default == "directed" => true,
        (default, _) if default == "undirected" => false,
        (default, offset) => {
            return Err(source.error(offset, direction("edgedefault", &default)));
        }
    };
    for edge in graph.children().filter(Node::is_element) {
        match edge.tag_name().name() {
            "edge" => add_edge(source, &mut draft, edge, &edge_keys, directed_default)?,
            "hyperedge" => return Err(unexpected(source, edge, "a channel joins two nodes")),
            _ => {}
        }
    }
    draft.into_network()
}

fn add_edge<'d>(
    source: Source<'_>,
    draft: &mut Draft<'d>,
    edge: Node<'d, 'd>,
    keys: &Keys<'d>,
    directed_default: bool,
) -> Result<(), FileError> {
    let [from, to] = [
        attribute(source, edge, "edge", "source")?,
        attribute(source, edge, "edge", "target")?,
    ];
    let values = data(source, edge, keys, EDGE_WORDS)?;
    let is_directed = match edge.attribute_node("directed") {
        None => directed_default,
        Some(directed) => match directed.value() {
            "true" | "1" => true,
            "false" | "0" => false,
            text => {
                let offset = directed.range().start;
                return Err(source.error(offset, direction("directed", text)));
            }
        },
    };
    let offset = edge.range().start;
    draft.add_channel([from.clone(), to.clone()], offset, values)?;
    if !is_directed {
        draft.add_channel([to, from], offset, values)?;
    }
    Ok(())
}

fn direction(column: &'static str, text: &str) -> Problem {
    Problem::Value {
        column,
        text: text.to_owned(),
        expected: if column == "directed" {
            "`true` or `false`"
        } else {
            "`directed` or `undirected`"
        },
        nearest: None,
    }
}

/// The keys that nodes and edges may have of those that a network knows.
fn keys<'d>(source: Source<'_>, root: Node<'d, 'd>) -> Result<[Keys<'d>; 2], FileError> {
    let mut keys = [Keys::new(), Keys::new()];
    for element in elements(root, "key") {
        let Some(name) = element.attribute("attr.name") else {
            continue;
        };
        let (id, _) = attribute_text(source, element, "key", "id")?;
        let domain = element.attribute("for").unwrap_or("all");
        let default = elements(element, "default").next();
        let words: [(&str, &[&'static str]); 2] = [("node", &NODE_WORDS), ("edge", &EDGE_WORDS)];
        for ((of, words), keys) in words.into_iter().zip(&mut keys) {
            if domain != of && domain != "all" {
                continue;
            }
            if let Some(&word) = words.iter().find(|&&word| word == name) {
                let default = default.and_then(content);
                keys.insert(id, Key { word, default });
            } else if let Some(meant) = slip(name, words) {
                let offset = element.range().start;
                let problem = Problem::UnknownColumn {
                    table: "graph",
                    column: name.to_owned(),
                    nearest: Some(meant.to_owned()),
                    known: words.join(", "),
                };
                return Err(source.error(offset, problem));
            }
        }
    }
    Ok(keys)
}

/// The word that `name` is one letter, or one swap of two, away from. Other tools have keys of
/// their own in their documents, so only these are taken for slips.
fn slip(name: &str, words: &[&'static str]) -> Option<&'static str> {
    let name = name.to_lowercase();
    let is_near = |word: &&&str| word.len() >= 4 && osa_distance(&name, word) <= 1;
    words.iter().find(is_near).copied()
}

/// The data of a node or an edge, in the order of `words`.
fn data<'d, const N: usize>(
    source: Source<'_>,
    element: Node<'d, 'd>,
    keys: &Keys<'d>,
    words: [&'static str; N],
) -> Result<[Option<Text<'d>>; N], FileError> {
    if let Some(inner) = elements(element, "graph").next() {
        return Err(unexpected(
            source,
            inner,
            "a node cannot hold a graph of its own",
        ));
    }
    let mut values = [None; N];
    for key in keys.values() {
        if let Some(at) = words.iter().position(|&word| word == key.word) {
            values[at] = key.default;
        }
    }
    for datum in elements(element, "data") {
        let (id, _) = attribute_text(source, datum, "data", "key")?;
        if let Some(key) = keys.get(id)
            && let Some(at) = words.iter().position(|&word| word == key.word)
        {
            values[at] = content(datum);
        }
    }
    Ok(values)
}

/// The text within an element, trimmed; `None` if it is empty.
fn content<'d>(element: Node<'d, 'd>) -> Option<Text<'d>> {
    let text = element.text()?.trim();
    let inside = element.first_child().map_or(element.range(), |c| c.range());
    (!text.is_empty()).then_some((text, inside.start))
}

fn elements<'d>(parent: Node<'d, 'd>, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    parent
        .children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn attribute<'d>(
    source: Source<'_>,
    element: Node<'d, 'd>,
    name: &'static str,
    attribute: &'static str,
) -> Result<(Cow<'d, str>, usize), FileError> {
    let (text, offset) = attribute_text(source, element, name, attribute)?;
    Ok((Cow::Borrowed(text), offset))
}

fn attribute_text<'d>(
    source: Source<'_>,
    element: Node<'d, 'd>,
    name: &'static str,
    attribute: &'static str,
) -> Result<Text<'d>, FileError> {
    let found = element.attribute_node(attribute).ok_or_else(|| {
        let problem = Problem::MissingAttribute {
            element: name,
            attribute,
        };
        source.error(element.range().start, problem)
    })?;
    Ok((found.value(), found.range().start))
}

fn unexpected(source: Source<'_>, element: Node<'_, '_>, expected: &'static str) -> FileError {
    let problem = Problem::Element {
        element: element.tag_name().name().to_owned(),
        expected,
    };
    source.error(element.range().start, problem)
}
