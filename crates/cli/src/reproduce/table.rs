//! Tables: what an item of a paper is when it is computed or simulated.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The column that tells where a row comes from.
pub const KIND: &str = "kind";
/// A row of a model.
pub const MODEL: &str = "model";
/// A row of a simulation.
pub const SIMULATED: &str = "simulated";

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Empty,
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Number(number)
        } else {
            Self::Empty
        }
    }
}

macro_rules! from_whole {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Cell {
            fn from(number: $kind) -> Self {
                Self::Number(number as f64)
            }
        }
    )*};
}
from_whole!(u32, u64, usize);

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl From<&Value> for Cell {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Number(number) => number.as_f64().into(),
            Value::Bool(flag) => Self::Text(flag.to_string()),
            _ => Self::Empty,
        }
    }
}

impl Cell {
    /// The number, where it is one.
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// As a CSV field: numbers with as many digits as tell them apart.
    pub fn text(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Number(number) => format!("{number}"),
            Self::Text(text) => text.clone(),
        }
    }

    /// Whether it is `wanted`: numbers to one part in 10⁹.
    pub fn is(&self, wanted: &Cell) -> bool {
        match (self, wanted) {
            (Self::Number(a), Self::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => self == wanted,
        }
    }
}

/// Rows of cells under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: &[&str]) -> Self {
        Self {
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: its cells by column. The first row names the columns where nobody has.
    ///
    /// # Panics
    /// If it has other columns than the rows before.
    pub fn push(&mut self, row: Vec<(&str, Cell)>) {
        let (names, cells): (Vec<&str>, _) = row.into_iter().unzip();
        if self.columns.is_empty() {
            self.columns = names.iter().map(|&name| name.to_owned()).collect();
        }
        assert_eq!(names, self.columns);
        self.rows.push(cells);
    }

    /// Adds a row of the values that there are, by column; a column that is new comes last.
    pub fn push_map(&mut self, values: &Map<String, Value>) {
        for name in values.keys() {
            if self.index_of(name).is_none() {
                self.columns.push(name.clone());
                for row in &mut self.rows {
                    row.push(Cell::Empty);
                }
            }
        }
        let cells = self.columns.iter().map(|name| values.get(name));
        let row = cells.map(|value| value.map_or(Cell::Empty, Cell::from));
        self.rows.push(row.collect());
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether there is no row.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Where the column `name` stands.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = Line<'_>> {
        self.rows.iter().map(|cells| Line { table: self, cells })
    }

    /// The rows in which each column of `wanted` has its value, in order.
    pub fn select<'t>(
        &'t self,
        wanted: &'t BTreeMap<String, Cell>,
    ) -> impl Iterator<Item = Line<'t>> {
        self.rows().filter(move |row| {
            wanted
                .iter()
                .all(|(column, value)| row.cell(column).is_some_and(|cell| cell.is(value)))
        })
    }

    /// As CSV (RFC 4180), lines ended by a line feed.
    pub fn to_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |fields: Vec<String>| writer.write_record(fields);
        let lines = self.rows.iter();
        let lines = lines.map(|row| row.iter().map(Cell::text).collect::<Vec<_>>());
        std::iter::once(self.columns.clone())
            .chain(lines)
            .try_for_each(&mut write)
            .expect("memory takes every write");
        writer.into_inner().expect("memory takes every write")
    }
}

/// Adds a row to a table: each column by its name, and what stands in it.
macro_rules! row {
    ($table:expr; $($name:expr => $value:expr),* $(,)?) => {
        $table.push(vec![$(($name, $crate::reproduce::table::Cell::from($value))),*])
    };
}
pub(crate) use row;

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    table: &'t Table,
    cells: &'t [Cell],
}

impl<'t> Line<'t> {
    /// The names of the columns.
    pub fn columns(&self) -> &'t [String] {
        &self.table.columns
    }

    /// The cell in the column `name`; `None` where there is no such column.
    pub fn cell(&self, name: &str) -> Option<&'t Cell> {
        self.table.index_of(name).map(|index| &self.cells[index])
    }

    /// The number in the column `name`.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.cell(name).and_then(Cell::number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_found_by_their_values() {
        let mut table = Table::default();
        row!(table; "network" => "star", "n" => 5_u32);
        table.push_map(
            json!({"network": "cube", "n": 7.0, "width": 0.1})
                .as_object()
                .unwrap(),
        );
        assert_eq!(table.columns(), ["network", "n", "width"]);
        let wanted = BTreeMap::from([("n".to_owned(), Cell::Number(7.0))]);
        let found: Vec<_> = table.select(&wanted).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].number("width"), Some(0.1));
        let nothing = BTreeMap::from([("m".to_owned(), Cell::Number(7.0))]);
        assert_eq!(table.select(&nothing).count(), 0);
        let text = String::from_utf8(table.to_csv()).unwrap();
        assert_eq!(text, "network,n,width\nstar,5,\ncube,7,0.1\n");
    }
}
