//! Channel lists, and the lists of nodes beside them, as a draft of a network.

use super::draft::{Draft, text};
use super::error::{FileError, Problem, Source};
use super::rows::{Schema, Table, tables};
use std::ops::Range;

const CHANNELS: Schema = Schema {
    table: "channel list",
    columns: &["from", "to", "width", "length", "delay", "parallel"],
    needed: 2,
};

const NODES: Schema = Schema {
    table: "list of nodes",
    columns: &["node", "kind", "x", "y"],
    needed: 1,
};

const EXPECTED: &str =
    "`from,to[,width,length,delay,parallel]`, or `node[,kind,x,y]` for a list of nodes";
const EXPECTED_CHANNELS: &str = "the header `from,to[,width,length,delay,parallel]`";
const EXPECTED_NODES: &str = "the header `node[,kind,x,y]`";

/// Reads the tables of `channels`, and of `nodes` where the nodes have a file of their own.
pub(super) fn parse<'a>(
    channels: Source<'a>,
    nodes: Option<Source<'a>>,
) -> Result<Draft<'a>, FileError> {
    let mut channel_table = None;
    let mut node_table = None;
    if let Some(source) = nodes {
        for (_, range) in tables(source, &[&NODES], EXPECTED_NODES)? {
            set_once(&mut node_table, source, range, &NODES)?;
        }
    }
    for (kind, range) in tables(channels, &[&CHANNELS, &NODES], EXPECTED)? {
        if kind == 0 {
            set_once(&mut channel_table, channels, range, &CHANNELS)?;
        } else {
            set_once(&mut node_table, channels, range, &NODES)?;
        }
    }
    let Some((_, channel_range)) = channel_table else {
        return Err(channels.error_in_all(Problem::NoTable {
            table: CHANNELS.table,
            expected: EXPECTED_CHANNELS,
        }));
    };
    let mut draft = Draft::new(channels, node_table.as_ref().map(|&(source, _)| source));
    if let Some((source, range)) = node_table {
        read_nodes(&mut draft, Table::open(source, range, &NODES)?)?;
    }
    read_channels(&mut draft, Table::open(channels, channel_range, &CHANNELS)?)?;
    Ok(draft)
}

fn set_once<'a>(
    place: &mut Option<(Source<'a>, Range<usize>)>,
    source: Source<'a>,
    range: Range<usize>,
    schema: &Schema,
) -> Result<(), FileError> {
    let start = range.start;
    if place.replace((source, range)).is_some() {
        let table = schema.table;
        return Err(source.error(start, Problem::SecondTable { table }));
    }
    Ok(())
}

fn read_nodes<'a>(draft: &mut Draft<'a>, mut table: Table<'a>) -> Result<(), FileError> {
    table.for_each_row(|row| {
        let name = row.needed(0);
        let values = [row.get(1), row.get(2), row.get(3)].map(text);
        draft.add_node((name.text.clone(), name.offset), values)
    })
}

fn read_channels<'a>(draft: &mut Draft<'a>, mut table: Table<'a>) -> Result<(), FileError> {
    table.for_each_row(|row| {
        let ends = [row.needed(0), row.needed(1)].map(|cell| (cell.text.clone(), cell.offset));
        let values = [row.get(2), row.get(3), row.get(4), row.get(5)].map(text);
        draft.add_channel(ends, row.offset, values)
    })
}
