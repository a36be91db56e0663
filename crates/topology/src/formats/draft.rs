//! A network as its file says it, by name, on the way to one that holds: what every format shares.

use super::assemble::{Columns, DraftChannel, Nodes, arrange, ranks};
use super::error::{FileError, Problem, Source};
use super::rows::Cell;
use super::{CHANNELS_LIMIT, DELAY_LIMIT_CYCLES};
use crate::Graph;
use crate::nearest::nearest;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::str::FromStr;

/// A piece of a file's text, and the offset where it begins.
pub(super) type Text<'t> = (&'t str, usize);

/// The text of a cell that has any.
pub(super) fn text<'t>(cell: Option<&'t Cell<'_>>) -> Option<Text<'t>> {
    cell.map(|cell| (&*cell.text, cell.offset))
}

/// A column whose values are given for all or for none. Empty until the first is given.
#[derive(Debug)]
struct Column<T> {
    name: &'static str,
    values: Vec<Option<T>>,
    is_given: bool,
}

impl<T: Copy> Column<T> {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            values: Vec::new(),
            is_given: false,
        }
    }

    /// Adds the value of entry `count`, which is the last so far.
    fn push(&mut self, count: usize, value: Option<T>) {
        self.is_given |= value.is_some();
        if self.is_given {
            self.values.resize(count, None);
            self.values.push(value);
        }
    }

    /// The values of all entries; `None` where none is given.
    fn finish(
        self,
        error: impl Fn(usize, Problem) -> FileError,
    ) -> Result<Option<Vec<T>>, FileError> {
        if !self.is_given {
            return Ok(None);
        }
        let column = self.name;
        let missing = |entry| error(entry, Problem::MissingValue { column });
        let values = self.values.into_iter().enumerate();
        values
            .map(|(entry, value)| value.ok_or_else(|| missing(entry)))
            .collect::<Result<Vec<T>, _>>()
            .map(Some)
    }
}

/// Nodes and channels in the order of the file.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    channels_in: Source<'a>,
    nodes_in: Source<'a>,
    /// Whether there is a list of nodes, so that no other may be named.
    is_listed: bool,
    names: Vec<Cow<'a, str>>,
    by_name: HashMap<Cow<'a, str>, u32>,
    node_offsets: Vec<u32>,
    is_switch: Column<bool>,
    x: Column<f32>,
    y: Column<f32>,
    channels: Vec<DraftChannel>,
    width: Column<u32>,
    length: Column<f32>,
    delay: Column<u32>,
    parallel: Column<u32>,
}

impl<'a> Draft<'a> {
    /// An empty draft, with the file that lists its nodes, if one does.
    pub(super) fn new(channels_in: Source<'a>, nodes_in: Option<Source<'a>>) -> Self {
        Self {
            channels_in,
            nodes_in: nodes_in.unwrap_or(channels_in),
            is_listed: nodes_in.is_some(),
            names: Vec::new(),
            by_name: HashMap::new(),
            node_offsets: Vec::new(),
            is_switch: Column::new("kind"),
            x: Column::new("x"),
            y: Column::new("y"),
            channels: Vec::new(),
            width: Column::new("width"),
            length: Column::new("length"),
            delay: Column::new("delay"),
            parallel: Column::new("parallel"),
        }
    }

    /// Adds a node of the list: its name, and its kind, x and y where they are given.
    pub(super) fn add_node(
        &mut self,
        (name, offset): (Cow<'a, str>, usize),
        [kind, x, y]: [Option<Text<'_>>; 3],
    ) -> Result<(), FileError> {
        let source = self.nodes_in;
        let count = self.names.len();
        if let Some(&first) = self.by_name.get(&name) {
            let first_line = source
                .place(self.node_offsets[first as usize] as usize)
                .line;
            let name = name.into_owned();
            return Err(source.error(offset, Problem::RepeatedNode { name, first_line }));
        }
        self.enter(source, name, offset)?;
        let is_switch = kind.map(|text| parse_kind(source, text)).transpose()?;
        self.is_switch.push(count, is_switch);
        self.x.push(count, parse_coordinate(source, "x", x)?);
        self.y.push(count, parse_coordinate(source, "y", y)?);
        Ok(())
    }

    /// Adds a channel: its two ends, where it stands, and its width, length, delay and number among
    /// parallel ones where they are given.
    pub(super) fn add_channel(
        &mut self,
        ends: [(Cow<'a, str>, usize); 2],
        offset: usize,
        [width, length, delay, parallel]: [Option<Text<'_>>; 4],
    ) -> Result<(), FileError> {
        let source = self.channels_in;
        let count = self.channels.len();
        if count == CHANNELS_LIMIT {
            let limit = CHANNELS_LIMIT;
            return Err(source.error(offset, Problem::TooManyChannels { limit }));
        }
        let [(from, from_offset), (to, to_offset)] = ends;
        let from = self.find(from, from_offset)?;
        let to = self.find(to, to_offset)?;
        if from == to {
            let name = self.names[to as usize].clone().into_owned();
            return Err(source.error(to_offset, Problem::SelfLoop { name }));
        }
        self.channels.push(DraftChannel {
            from,
            to,
            offset: offset as u32,
        });
        let whole = |column, expected, low, high, text| {
            let is_legal = |&value: &u32| (low..=high).contains(&value);
            parse(source, column, expected, is_legal, text)
        };
        let bits = "a whole number of bits from 1 to 4294967295";
        let cycles = "a whole number of cycles from 0 to 100000";
        let number = "a whole number from 0 to 4294967295";
        let pitches = "a number of node pitches from 0 to 3.4e38";
        let is_length = |&value: &f32| value.is_finite() && value >= 0.0;
        let length = parse(source, "length", pitches, is_length, length)?;
        self.width
            .push(count, whole("width", bits, 1, u32::MAX, width)?);
        // Minus zero would be written differently.
        self.length.push(count, length.map(|value| value + 0.0));
        self.delay
            .push(count, whole("delay", cycles, 0, DELAY_LIMIT_CYCLES, delay)?);
        self.parallel
            .push(count, whole("parallel", number, 0, u32::MAX, parallel)?);
        Ok(())
    }

    fn find(&mut self, name: Cow<'a, str>, offset: usize) -> Result<u32, FileError> {
        if let Some(&node) = self.by_name.get(&name) {
            return Ok(node);
        }
        if self.is_listed {
            let known = self.names.iter().map(|name| &**name);
            let problem = Problem::UnknownNode {
                nearest: nearest(&name, known),
                name: name.into_owned(),
            };
            return Err(self.channels_in.error(offset, problem));
        }
        self.enter(self.channels_in, name, offset)
    }

    /// Gives a new name the next number.
    fn enter(
        &mut self,
        source: Source<'a>,
        name: Cow<'a, str>,
        offset: usize,
    ) -> Result<u32, FileError> {
        let is_noncharacter = |c| matches!(c, '\u{fffe}' | '\u{ffff}');
        if name.is_empty() || name.contains(|c: char| c.is_control() || is_noncharacter(c)) {
            let name = name.escape_debug().to_string();
            return Err(source.error(offset, Problem::Name { name }));
        }
        let node = self.names.len() as u32;
        if let Entry::Vacant(entry) = self.by_name.entry(name.clone()) {
            entry.insert(node);
        }
        self.names.push(name);
        self.node_offsets.push(offset as u32);
        Ok(node)
    }

    /// The network, once everything holds that a network needs.
    pub(super) fn into_network(self) -> Result<Graph, FileError> {
        if self.channels.is_empty() {
            return Err(self.channels_in.error_in_all(Problem::NoChannels));
        }
        let nodes_in = self.nodes_in;
        let offsets = self.node_offsets;
        let error_at = |entry: usize, problem| {
            nodes_in.error(offsets.get(entry).map_or(0, |&o| o as usize), problem)
        };
        let is_switch = self.is_switch.finish(error_at)?;
        let is_switch = is_switch.unwrap_or_else(|| vec![false; self.names.len()]);
        let x = self.x.finish(error_at)?;
        let y = self.y.finish(error_at)?;
        let positions = match (x, y) {
            (Some(x), Some(y)) => Some(x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()),
            (None, None) => None,
            (None, _) => return Err(error_at(0, Problem::MissingValue { column: "x" })),
            (_, None) => return Err(error_at(0, Problem::MissingValue { column: "y" })),
        };
        let rank = ranks(&self.names, &is_switch, self.is_listed);
        let terminals = is_switch.iter().filter(|&&is_switch| !is_switch).count();
        if terminals == 0 {
            let switches = self.names.len();
            return Err(nodes_in.error_in_all(Problem::NoTerminals { switches }));
        }
        let nodes = Nodes {
            source: nodes_in,
            names: arrange(self.names, &rank),
            offsets: arrange(offsets, &rank),
            positions: positions.map(|positions| arrange(positions, &rank)),
            terminals: terminals as u32,
        };
        let channels_in = self.channels_in;
        let list = self.channels;
        let error_at =
            |entry: usize, problem| channels_in.error(list[entry].offset as usize, problem);
        let columns = Columns {
            width: self.width.finish(error_at)?,
            length: self.length.finish(error_at)?,
            delay: self.delay.finish(error_at)?,
            parallel: self.parallel.finish(error_at)?,
        };
        nodes.join(channels_in, list, &rank, columns)
    }
}

fn parse_kind(source: Source<'_>, (text, offset): Text<'_>) -> Result<bool, FileError> {
    match text {
        "terminal" => Ok(false),
        "switch" => Ok(true),
        _ => {
            let problem = Problem::Value {
                column: "kind",
                text: text.to_owned(),
                expected: "`terminal` or `switch`",
                nearest: nearest(text, ["terminal", "switch"].into_iter()),
            };
            Err(source.error(offset, problem))
        }
    }
}

fn parse_coordinate(
    source: Source<'_>,
    column: &'static str,
    text: Option<Text<'_>>,
) -> Result<Option<f32>, FileError> {
    let value = parse(
        source,
        column,
        "a number from -3.4e38 to 3.4e38",
        |v: &f32| v.is_finite(),
        text,
    )?;
    Ok(value.map(|value| value + 0.0))
}

fn parse<T: FromStr>(
    source: Source<'_>,
    column: &'static str,
    expected: &'static str,
    is_legal: impl Fn(&T) -> bool,
    text: Option<Text<'_>>,
) -> Result<Option<T>, FileError> {
    let Some((text, offset)) = text else {
        return Ok(None);
    };
    let value = text.parse().ok().filter(is_legal);
    value.map(Some).ok_or_else(|| {
        let problem = Problem::Value {
            column,
            text: text.to_owned(),
            expected,
            nearest: None,
        };
        source.error(offset, problem)
    })
}
