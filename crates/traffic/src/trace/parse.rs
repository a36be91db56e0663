//! From the text of a file to a trace. What is known of a row only while reading (its name, its
//! place) is kept until the last row has been read, for dependencies may point down the file.

use super::circle::Dependencies;
use super::packets::{Trace, Waits};
use crate::PacketLength;
use crate::file::{Terminals, TraceProblem, TrafficFileError, only_table};
use flitsim_topology::file::{Cell, Problem, Row, Schema, Source, nearest};
use flitsim_topology::{Network, NodeId};
use std::borrow::Cow;
use std::collections::HashMap;

const SCHEMA: Schema = Schema {
    table: "trace",
    columns: &[
        "cycle",
        "source",
        "destination",
        "flits",
        "packet",
        "depends_on",
        "delay",
    ],
    needed: 4,
};

const CYCLE: usize = 0;
const SOURCE: usize = 1;
const DESTINATION: usize = 2;
const FLITS: usize = 3;
const PACKET: usize = 4;
const DEPENDS_ON: usize = 5;
const DELAY: usize = 6;

impl Trace {
    /// The trace of `network` in `source`. Where whole packets move, none may be longer than
    /// `buffer_flits`.
    ///
    /// # Errors
    /// [`TrafficFileError`]: no such table, unknown nodes, switches, nodes that have failed, lengths
    /// out of range, rows out of order, names that stand twice or not at all, dependencies in a
    /// circle: those of rows alone, or else the first between rows.
    pub fn parse(
        network: &Network,
        source: Source<'_>,
        buffer_flits: Option<u32>,
    ) -> Result<Self, TrafficFileError> {
        let expected = "the header `cycle,source,destination,flits` and, where packets wait for \
                        others, `packet,depends_on,delay`";
        let mut table = only_table(source, &SCHEMA, expected)?;
        let mut reader = Reader::new(network, source, buffer_flits);
        table.for_each_row(|row| reader.row(row))?;
        reader.finish()
    }
}

/// A name in `depends_on`, not looked up yet.
struct Wanted<'a> {
    row: u32,
    name: &'a str,
    offset: u32,
}

/// The rows read so far.
struct Reader<'n, 'a> {
    network: &'n Network,
    terminals: Terminals<'n>,
    source: Source<'a>,
    buffer_flits: Option<u32>,
    trace: Columns,
    /// By row: where it begins. Files are shorter than 2^32 bytes.
    offsets: Vec<u32>,
    by_name: HashMap<&'a str, u32>,
    wanted: Vec<Wanted<'a>>,
    /// The row with the latest cycle so far.
    latest: Option<usize>,
}

#[derive(Default)]
struct Columns {
    cycle: Vec<u64>,
    source: Vec<NodeId>,
    destination: Vec<NodeId>,
    flits: Vec<u32>,
    delay: Vec<u32>,
}

impl Columns {
    /// Makes all columns `rows` long.
    fn fill(&mut self, rows: usize) {
        self.cycle.resize(rows, 0);
        self.source.resize(rows, NodeId(0));
        self.destination.resize(rows, NodeId(0));
        self.flits.resize(rows, 0);
        self.delay.resize(rows, 0);
    }
}

impl<'n, 'a> Reader<'n, 'a> {
    fn new(network: &'n Network, source: Source<'a>, buffer_flits: Option<u32>) -> Self {
        Self {
            network,
            terminals: Terminals::of(network),
            source,
            buffer_flits,
            trace: Columns::default(),
            offsets: Vec::new(),
            by_name: HashMap::new(),
            wanted: Vec::new(),
            latest: None,
        }
    }

    fn fail(&self, offset: usize, problem: TraceProblem) -> TrafficFileError {
        TrafficFileError::Trace {
            place: self.source.place(offset),
            problem,
        }
    }

    fn line_of(&self, row: usize) -> u32 {
        self.source.place(self.offsets[row] as usize).line
    }

    /// Takes in `row`. All columns are as long after it, whatever is wrong with it.
    fn row(&mut self, row: &Row<'_, 'a>) -> Result<(), TrafficFileError> {
        self.offsets.push(row.offset as u32);
        let outcome = self.cells(row);
        self.trace.fill(self.offsets.len());
        outcome
    }

    fn cells(&mut self, row: &Row<'_, 'a>) -> Result<(), TrafficFileError> {
        let number = self.offsets.len() - 1;
        let depends_on = row.get(DEPENDS_ON);
        self.cycle(row, depends_on.is_some(), number)?;
        for column in [SOURCE, DESTINATION] {
            let cell = row.needed(column);
            let node = self.terminals.find(self.source, cell)?;
            if !self.network.is_living(node) {
                let name = cell.text.to_string();
                return Err(self.fail(cell.offset, TraceProblem::FailedNode { name }));
            }
            match column {
                SOURCE => self.trace.source.push(node),
                _ => self.trace.destination.push(node),
            }
        }
        self.flits(row.needed(FLITS))?;
        if let Some(cell) = row.get(PACKET) {
            self.name(cell, number)?;
        }
        if let Some(cell) = depends_on {
            self.dependencies(cell, number)?;
        }
        self.delay(row, depends_on.is_some())
    }

    fn cycle(
        &mut self,
        row: &Row<'_, 'a>,
        depends: bool,
        number: usize,
    ) -> Result<(), TrafficFileError> {
        let cell = row.needed(CYCLE);
        if cell.text.is_empty() {
            self.trace.cycle.push(0);
            return match depends {
                true => Ok(()),
                false => Err(self.fail(cell.offset, TraceProblem::NoCycle)),
            };
        }
        let cycle = match cell.text.parse() {
            Ok(cycle) if cycle <= Trace::CYCLE_MOST => cycle,
            _ => return Err(self.no_value("cycle", cell, "a whole number from 0 to 2^53")),
        };
        // The next is compared with this one, which may be right and the one before it wrong.
        let latest = self.latest.replace(number);
        self.trace.cycle.push(cycle);
        let late = latest.filter(|&latest| cycle < self.trace.cycle[latest]);
        late.map_or(Ok(()), |latest| {
            let problem = TraceProblem::CycleOrder {
                cycle,
                before: self.trace.cycle[latest],
                before_line: self.line_of(latest),
            };
            Err(self.fail(cell.offset, problem))
        })
    }

    fn flits(&mut self, cell: &Cell<'a>) -> Result<(), TrafficFileError> {
        let flits: u32 = match cell.text.parse() {
            Ok(flits) if (1..=PacketLength::FLITS_MOST).contains(&flits) => flits,
            _ => {
                let expected = "a whole number of flits from 1 to 1,048,576";
                return Err(self.no_value("length", cell, expected));
            }
        };
        if let Some(buffer_flits) = self.buffer_flits.filter(|&buffer| flits > buffer) {
            let problem = TraceProblem::LongerThanABuffer {
                flits,
                buffer_flits,
            };
            return Err(self.fail(cell.offset, problem));
        }
        self.trace.flits.push(flits);
        Ok(())
    }

    fn name(&mut self, cell: &Cell<'a>, number: usize) -> Result<(), TrafficFileError> {
        let name = match cell.text {
            Cow::Borrowed(name) if !name.contains(is_between) => name,
            _ => {
                let name = cell.text.to_string();
                return Err(self.fail(cell.offset, TraceProblem::PacketName { name }));
            }
        };
        if let Some(&first) = self.by_name.get(name) {
            let problem = TraceProblem::RepeatedPacket {
                name: name.to_owned(),
                first_line: self.line_of(first as usize),
            };
            return Err(self.fail(cell.offset, problem));
        }
        self.by_name.insert(name, number as u32);
        Ok(())
    }

    fn dependencies(&mut self, cell: &Cell<'a>, number: usize) -> Result<(), TrafficFileError> {
        let Cow::Borrowed(names) = cell.text else {
            let name = cell.text.to_string();
            return Err(self.fail(cell.offset, TraceProblem::PacketName { name }));
        };
        for name in names.split(is_between).filter(|name| !name.is_empty()) {
            // The name is a part of the file's text.
            let offset = name.as_ptr() as usize - self.source.text.as_ptr() as usize;
            self.wanted.push(Wanted {
                row: number as u32,
                name,
                offset: offset as u32,
            });
        }
        Ok(())
    }

    fn delay(&mut self, row: &Row<'_, 'a>, depends: bool) -> Result<(), TrafficFileError> {
        let mut delay = 0;
        if let Some(cell) = row.get(DELAY) {
            let expected = "a whole number of cycles from 0 to 4,294,967,295";
            delay = cell
                .text
                .parse()
                .ok()
                .ok_or(())
                .map_err(|()| self.no_value("delay", cell, expected))?;
            if delay > 0 && !depends {
                return Err(self.fail(cell.offset, TraceProblem::DelayAfterNothing));
            }
        }
        self.trace.delay.push(delay);
        Ok(())
    }

    fn no_value(
        &self,
        column: &'static str,
        cell: &Cell<'a>,
        expected: &'static str,
    ) -> TrafficFileError {
        let problem = Problem::Value {
            column,
            text: cell.text.to_string(),
            expected,
            nearest: None,
        };
        self.source.error(cell.offset, problem).into()
    }

    fn finish(self) -> Result<Trace, TrafficFileError> {
        if self.offsets.is_empty() {
            return Err(TrafficFileError::Trace {
                place: self.source.place_of_all(),
                problem: TraceProblem::NoPackets,
            });
        }
        let waits = match self.wanted.is_empty() {
            true => None,
            false => Some(self.waits()?),
        };
        Ok(Trace {
            cycle: self.trace.cycle.into(),
            source: self.trace.source.into(),
            destination: self.trace.destination.into(),
            flits: self.trace.flits.into(),
            waits,
        })
    }

    /// Looks the names up, and whether all can be waited for.
    fn waits(&self) -> Result<Waits, TrafficFileError> {
        let mut dependencies = Dependencies::default();
        dependencies.first.push(0);
        let mut wanted = self.wanted.iter().peekable();
        for row in 0..self.offsets.len() as u32 {
            while let Some(wanted) = wanted.next_if(|wanted| wanted.row == row) {
                let Some(&on) = self.by_name.get(wanted.name) else {
                    return Err(self.unknown(wanted));
                };
                dependencies.on.push(on);
            }
            dependencies.first.push(dependencies.on.len() as u32);
        }
        let reversed = dependencies.reversed();
        if let Some(circle) = dependencies.circle(&reversed) {
            return Err(self.circle(&circle));
        }
        Ok(Waits {
            delay: self.trace.delay.as_slice().into(),
            needs: dependencies.counts(),
            first_dependent: reversed.first.into(),
            dependents: reversed.on.into(),
        })
    }

    fn unknown(&self, wanted: &Wanted<'_>) -> TrafficFileError {
        let problem = TraceProblem::UnknownPacket {
            name: wanted.name.to_owned(),
            nearest: self.nearest_to(wanted.name),
            has_names: !self.by_name.is_empty(),
        };
        self.fail(wanted.offset as usize, problem)
    }

    /// The nearest name, where one is near enough to be meant; numbers are all near each other.
    fn nearest_to(&self, name: &str) -> Option<String> {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut names: Vec<&str> = self.by_name.keys().copied().collect();
        names.sort_unstable();
        nearest(name, names.into_iter())
    }

    fn circle(&self, circle: &[u32]) -> TrafficFileError {
        let mut names = vec![""; self.offsets.len()];
        for (name, &row) in &self.by_name {
            names[row as usize] = name;
        }
        let offset = self.offsets[circle[0] as usize] as usize;
        let names = circle.iter().map(|&row| names[row as usize].to_owned());
        let names = names.collect();
        self.fail(offset, TraceProblem::Circle { names })
    }
}

/// Whether `c` stands between names, or would confuse who reads them.
fn is_between(c: char) -> bool {
    c.is_whitespace() || c == ';' || c == '"'
}
