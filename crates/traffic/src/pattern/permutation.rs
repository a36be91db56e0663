//! Permutations: the one destination of each terminal, as a scenario or a file lists it, or a rule makes it.

use super::law::{Context, Kind, Law, in_file};
use crate::PatternError;
use crate::file::{Terminals, TrafficFileError, TrafficFileProblem, fail, only_table};
use flitsim_keys::{Description, Fault, Key, Rule, Shape, TextFile, Values};
use flitsim_topology::file::{Schema, Source};
use flitsim_topology::{Network, NodeId};
use rand::Rng;
use std::sync::Arc;

/// The key of the file of those patterns that a file says.
pub const PATH: Key<Arc<TextFile>> = Key::file(
    "path",
    "permutation, matrix and trace: the file, relative to the folder of the scenario file.",
)
.needed("name the file that says who sends to whom, such as `path = \"traffic.csv\"`");

/// The file, where there is one.
const FILE: Key<Option<Arc<TextFile>>> = PATH.optional();

const DESTINATIONS: Key<Option<Vec<u32>>> = Key::list(
    "destinations",
    &Shape::integer(0..=u32::MAX as u64, "node numbers"),
    1,
    "the destination of terminal {}",
    "permutation: the destination of each terminal, in the order of their numbers; not with `path`.",
)
.optional();

/// By source.
impl Kind for Arc<[NodeId]> {
    const KEYS: &'static [Description] = &const { [FILE.described(), DESTINATIONS.described()] };

    const RULES: &'static [Rule] = &[
        Rule::Either {
            one: &["path"],
            other: &["destinations"],
            help: "`path` names a file of the destinations, `destinations` lists them here",
        },
        Rule::OneOf {
            groups: &[&["path"], &["destinations"]],
            help: "name the file that says who sends to whom, such as `path = \"traffic.csv\"`, or list the \
                   destinations, such as `destinations = [1, 2, 0]`",
        },
    ];

    type Law = Fixed;

    fn read(values: &Values, context: &Context<'_>) -> Result<Self, Fault> {
        if let Some(destinations) = values.get(&DESTINATIONS) {
            return Ok(destinations.into_iter().map(NodeId).collect());
        }
        let Some(file) = values.get(&FILE) else {
            return Err(values.fault("pattern", "nothing says who sends to whom"));
        };
        let destination = parse_permutation(context.network.whole(), Source::from(&*file));
        let help = "a permutation has the header `source,destination`, and a row for each terminal: \
                    each is once a source and once a destination";
        let destination =
            destination.map_err(|error| in_file(values, PATH.name(), &error, help))?;
        Ok(destination.into())
    }

    fn compile(&self, network: &Network) -> Result<Fixed, PatternError> {
        checked_permutation(self, network.terminals()).map(Fixed)
    }

    fn remedy(&self, error: &PatternError) -> Option<String> {
        match error {
            PatternError::OtherTerminals { terminals, .. }
            | PatternError::NotAPermutation { terminals, .. } => Some(format!(
                "a permutation has every terminal, from 0 to {}, once as a destination",
                terminals - 1
            )),
            _ => None,
        }
    }
}

/// The destination of each source.
#[derive(Clone, Debug)]
pub(super) struct Fixed(pub Box<[NodeId]>);

impl Law for Fixed {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, _: &mut R) -> NodeId {
        self.0[source.index()]
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        visit(self.0[source.index()], 1.0);
    }

    fn received_most(&self) -> Option<f64> {
        Some(1.0)
    }

    fn permutation(&self) -> Option<&[NodeId]> {
        Some(&self.0)
    }
}

/// Not yet seen.
const NOWHERE: usize = usize::MAX;

/// The destination of each terminal of `network`, by source: the table `source,destination`.
///
/// # Errors
/// [`TrafficFileError`]: no such table, unknown nodes, switches, terminals that are not exactly once
/// a source and once a destination.
pub fn parse_permutation(
    network: &Network,
    source: Source<'_>,
) -> Result<Box<[NodeId]>, TrafficFileError> {
    const SCHEMA: Schema = Schema {
        table: "permutation",
        columns: &["source", "destination"],
        needed: 2,
    };
    let mut table = only_table(source, &SCHEMA, "the header `source,destination`")?;
    let terminals = Terminals::of(network);
    let count = network.terminals() as usize;
    // Where each node was a source, and a destination.
    let mut seen = [vec![NOWHERE; count], vec![NOWHERE; count]];
    let mut destination_of = vec![NodeId(0); count];
    table.for_each_row(|row| {
        let pair = terminals.pair(source, row)?;
        for (column, node) in pair.into_iter().enumerate() {
            let first = seen[column][node.index()];
            if first == NOWHERE {
                seen[column][node.index()] = row.offset;
                continue;
            }
            let (name, first_line) = (terminals.name(node.0), source.place(first).line);
            let problem = match column {
                0 => TrafficFileProblem::RepeatedSource { name, first_line },
                _ => TrafficFileProblem::RepeatedDestination { name, first_line },
            };
            return Err(fail(source, row.needed(column).offset, problem));
        }
        destination_of[pair[0].index()] = pair[1];
        Ok(())
    })?;
    match seen[0].iter().position(|&at| at == NOWHERE) {
        Some(node) => Err(terminals.missing(source, node as u32)),
        None => Ok(destination_of.into_boxed_slice()),
    }
}

pub(super) fn check_terminals(
    pattern: &'static str,
    given: u32,
    terminals: u32,
) -> Result<(), PatternError> {
    match given == terminals {
        true => Ok(()),
        false => Err(PatternError::OtherTerminals {
            pattern,
            given,
            terminals,
        }),
    }
}

fn checked_permutation(
    destination: &[NodeId],
    terminals: u32,
) -> Result<Box<[NodeId]>, PatternError> {
    check_terminals("permutation", destination.len() as u32, terminals)?;
    let mut seen = vec![false; destination.len()];
    for to in destination {
        // False for the first source of a terminal only.
        if seen
            .get_mut(to.index())
            .is_none_or(|seen| std::mem::replace(seen, true))
        {
            return Err(PatternError::NotAPermutation {
                destination: to.0,
                terminals,
            });
        }
    }
    Ok(destination.into())
}
