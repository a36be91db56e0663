//! Tables of comma-separated values (RFC 4180, one line a record), with the place of every cell.
//!
//! A table begins with a header: the first line of a file, or a line after a blank line or a
//! comment, whose first cell, unquoted, is the first column of a known table. Blank lines and lines
//! that begin with `#` are passed over. Cells are trimmed; a quoted cell is taken as it stands, is
//! never a header, and does not go beyond its line.

use super::error::{FileError, Problem, Several, Source};
use crate::nearest::nearest;
use std::borrow::Cow;
use std::ops::Range;

/// The most rows of which a message says what is wrong with them.
const FAULTS_MOST: usize = 10;

/// The columns of a kind of table. The first names the table in a file of several.
#[derive(Debug)]
pub struct Schema {
    /// What messages call it.
    pub table: &'static str,
    /// The known columns; the ones that are needed come first.
    pub columns: &'static [&'static str],
    /// How many of them are needed.
    pub needed: usize,
}

/// A cell of a row.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// What it holds, without quotes and outer spaces.
    pub text: Cow<'a, str>,
    /// Where it begins in its file, in bytes.
    pub offset: usize,
    quoted: bool,
}

/// One table of a file, read row by row.
#[derive(Debug)]
pub struct Table<'a> {
    source: Source<'a>,
    rest: Range<usize>,
    /// For each column of the schema, its place in a row.
    column_at: Vec<Option<usize>>,
    cells: Vec<Cell<'a>>,
    width: usize,
}

/// One row: its cells by column of the schema.
#[derive(Debug)]
pub struct Row<'t, 'a> {
    /// Where the row begins in its file, in bytes.
    pub offset: usize,
    column_at: &'t [Option<usize>],
    cells: &'t [Cell<'a>],
}

impl<'t, 'a> Row<'t, 'a> {
    /// The cell of the schema's `column`; `None` where the header lacks the column, or the cell is
    /// empty.
    pub fn get(&self, column: usize) -> Option<&'t Cell<'a>> {
        let cell = &self.cells[self.column_at[column]?];
        (!cell.text.is_empty()).then_some(cell)
    }

    /// The cell of a column that the schema needs.
    ///
    /// # Panics
    /// If the schema does not need the column.
    pub fn needed(&self, column: usize) -> &'t Cell<'a> {
        let at = self.column_at[column].expect("a header has every column that is needed");
        &self.cells[at]
    }
}

/// The tables of a file, in its order: for each, its index in `schemas` and its range of bytes.
///
/// # Errors
/// [`Problem::Empty`] and [`Problem::Header`], which say `expected`.
pub fn tables(
    source: Source<'_>,
    schemas: &[&Schema],
    expected: &'static str,
) -> Result<Vec<(usize, Range<usize>)>, FileError> {
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    let mut after_break = true;
    let mut rest = 0..source.text.len();
    while let Some((line, offset)) = next_line(source.text, &mut rest) {
        if is_passed_over(line) {
            after_break = true;
            continue;
        }
        if after_break {
            let first = line.split(',').next().unwrap_or_default();
            let first = first.trim().trim_start_matches('\u{feff}');
            if let Some(kind) = schemas.iter().position(|s| s.columns[0] == first) {
                if let Some((_, last)) = found.last_mut() {
                    last.end = offset;
                }
                found.push((kind, offset..source.text.len()));
            }
        }
        if found.is_empty() {
            return Err(source.error(offset, Problem::Header { expected }));
        }
        after_break = false;
    }
    if found.is_empty() {
        return Err(source.error_in_all(Problem::Empty { expected }));
    }
    Ok(found)
}

impl<'a> Table<'a> {
    /// The table of the kind `schema` in `range` of `source`, whose first line is its header.
    ///
    /// # Errors
    /// Columns that are unknown, missing or there twice, and a broken quotation.
    pub fn open(
        source: Source<'a>,
        range: Range<usize>,
        schema: &Schema,
    ) -> Result<Self, FileError> {
        let mut table = Self {
            source,
            rest: range,
            column_at: vec![None; schema.columns.len()],
            cells: Vec::new(),
            width: 0,
        };
        let start = table.split_next()?.unwrap_or(table.rest.start);
        for (at, cell) in table.cells.iter().enumerate() {
            let name = cell.text.trim_start_matches('\u{feff}');
            let known = schema.columns.iter().position(|&column| column == name);
            let Some(column) = known.filter(|_| !cell.quoted) else {
                let problem = Problem::UnknownColumn {
                    table: schema.table,
                    column: name.to_owned(),
                    nearest: nearest(name, schema.columns.iter().copied()),
                    known: schema.columns.join(", "),
                };
                return Err(source.error(cell.offset, problem));
            };
            if table.column_at[column].replace(at).is_some() {
                let column = schema.columns[column];
                return Err(source.error(cell.offset, Problem::RepeatedColumn { column }));
            }
        }
        for (column, at) in schema.columns.iter().zip(&table.column_at) {
            if at.is_none() && schema.columns[..schema.needed].contains(column) {
                let table = schema.table;
                return Err(source.error(start, Problem::MissingColumn { table, column }));
            }
        }
        table.width = table.cells.len();
        Ok(table)
    }

    /// Hands each row to `read`, those after a row that it refuses too.
    ///
    /// # Errors
    /// What is wrong with the rows: of ten at most, if more are wrong.
    pub fn for_each_row<E: From<FileError> + Several>(
        &mut self,
        mut read: impl FnMut(&Row<'_, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut faults = Vec::new();
        while faults.len() < FAULTS_MOST {
            let outcome = match self.next_row() {
                Ok(Some(row)) => read(&row),
                Ok(None) => break,
                // Where a cell goes on over its line, the lines below are no rows.
                Err(fault) if fault.problem == Problem::Quotation => {
                    faults.push(fault.into());
                    break;
                }
                Err(fault) => Err(fault.into()),
            };
            faults.extend(outcome.err());
        }
        match faults.len() {
            0 => Ok(()),
            1 => Err(faults.remove(0)),
            _ => Err(E::several(faults)),
        }
    }

    /// The next row; `None` behind the last.
    ///
    /// # Errors
    /// [`Problem::CellCount`] and [`Problem::Quotation`].
    pub fn next_row(&mut self) -> Result<Option<Row<'_, 'a>>, FileError> {
        let Some(offset) = self.split_next()? else {
            return Ok(None);
        };
        if self.cells.len() != self.width {
            let problem = Problem::CellCount {
                cells: self.cells.len(),
                columns: self.width,
            };
            return Err(self.source.error(offset, problem));
        }
        Ok(Some(Row {
            offset,
            column_at: &self.column_at,
            cells: &self.cells,
        }))
    }

    /// Splits the next line that is a record into `cells`; where it begins.
    fn split_next(&mut self) -> Result<Option<usize>, FileError> {
        self.cells.clear();
        while let Some((line, offset)) = next_line(self.source.text, &mut self.rest) {
            if !is_passed_over(line) {
                split(self.source, line, offset, &mut self.cells)?;
                return Ok(Some(offset));
            }
        }
        Ok(None)
    }
}

/// The next line of `text[rest]`, without its end, and where it begins.
fn next_line<'a>(text: &'a str, rest: &mut Range<usize>) -> Option<(&'a str, usize)> {
    if rest.start >= rest.end {
        return None;
    }
    let start = rest.start;
    let line = &text[rest.clone()];
    let end = line.find('\n').unwrap_or(line.len());
    rest.start = (start + end + 1).min(rest.end);
    Some((line[..end].trim_end_matches('\r'), start))
}

fn is_passed_over(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn split<'a>(
    source: Source<'a>,
    line: &'a str,
    offset: usize,
    cells: &mut Vec<Cell<'a>>,
) -> Result<(), FileError> {
    let mut at = 0;
    loop {
        at += line[at..].len() - line[at..].trim_start().len();
        let start = at;
        let quoted = line[at..].starts_with('"');
        let text = if quoted {
            let length = quotation(&line[at..])
                .ok_or_else(|| source.error(offset + start, Problem::Quotation))?;
            at += length;
            let inside = &line[start + 1..at - 1];
            if inside.contains('"') {
                Cow::Owned(inside.replace("\"\"", "\""))
            } else {
                Cow::Borrowed(inside)
            }
        } else {
            at += line[at..].find(',').unwrap_or(line.len() - at);
            Cow::Borrowed(line[start..at].trim_end())
        };
        cells.push(Cell {
            text,
            offset: offset + start,
            quoted,
        });
        at += line[at..].len() - line[at..].trim_start().len();
        match line[at..].chars().next() {
            None => return Ok(()),
            Some(',') => at += 1,
            Some(_) => return Err(source.error(offset + start, Problem::Quotation)),
        }
    }
}

/// The length of the quotation that `text` begins with, both quotes included.
fn quotation(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text[at..].find('"')? + 1;
        if !text[at..].starts_with('"') {
            return Some(at);
        }
        at += 1;
    }
}
