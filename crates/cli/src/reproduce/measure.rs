//! How a claim's value is read off the tables of its paper.

use super::table::{Cell, Line, Table};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The tables of a paper by item; those that were not made are not there.
pub type Tables = BTreeMap<String, Table>;

/// Why a claim has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// What it reads was not simulated.
    #[error("{0}")]
    Missing(String),
    /// The claim asks for what cannot be there.
    #[error("{0}")]
    Senseless(String),
}

/// What a claim says, or what was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A number.
    Number(f64),
    /// A word, or names in order.
    Text(String),
}

/// Some rows of an item, and a column of them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The item; where there is none, the claim's own.
    pub item: Option<String>,
    /// The column.
    pub column: String,
    /// Values that the rows have.
    #[serde(default, rename = "where")]
    pub rows: BTreeMap<String, Value>,
}

/// How a value is read off tables.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Measure {
    /// The cell of the one row selected.
    Value(Select),
    /// The greatest number selected.
    Max(Select),
    /// The least number selected.
    Min(Select),
    /// The mean of the numbers selected.
    Mean(Select),
    /// The sum of the numbers selected.
    Sum(Select),
    /// How many rows selected have a value.
    Count(Select),
    /// The value in `of` of the row with the least number.
    Argmin(Arg),
    /// The value in `of` of the row with the greatest number.
    Argmax(Arg),
    /// The number where the column `by` is `at`, on a straight line between its neighbours.
    At(At),
    /// The greatest load before the first unstable one of simulated points.
    LastStable(Select),
    /// The greatest ratio by which two curves part, less 1, over the loads of the first up to
    /// `up_to`.
    WorstRatio(Box<Worst>),
    /// The first over the second.
    Ratio(Box<[Measure; 2]>),
    /// The first less the second.
    Difference(Box<[Measure; 2]>),
    /// The product.
    Product(Box<[Measure; 2]>),
    /// The greatest of several: of one statement on many networks, where it is furthest off.
    Greatest(Vec<Measure>),
    /// The least of several.
    Least(Vec<Measure>),
    /// The names in ascending order of their values: `a < b < c`.
    Order(BTreeMap<String, Measure>),
}

/// [`Measure::Argmin`] and [`Measure::Argmax`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Arg {
    /// The column whose value is told.
    pub of: String,
    /// The numbers compared.
    #[serde(flatten)]
    pub select: Select,
}

/// [`Measure::At`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct At {
    /// The column along which is interpolated.
    pub by: String,
    /// Its value at the place.
    pub at: f64,
    /// The numbers.
    #[serde(flatten)]
    pub select: Select,
}

/// [`Measure::WorstRatio`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worst {
    /// One curve.
    pub of: Select,
    /// The other, interpolated.
    pub to: Select,
    /// The column along which both run.
    pub by: String,
    /// The greatest value of `by` that counts.
    pub up_to: Measure,
}

/// Reads `measure` off `tables` for a claim about `item`.
///
/// # Errors
/// [`MeasureError`].
pub fn read(measure: &Measure, item: &str, tables: &Tables) -> Result<Found, MeasureError> {
    Reader { item, tables }.found(measure)
}

#[derive(Clone, Copy)]
struct Reader<'t> {
    item: &'t str,
    tables: &'t Tables,
}

impl<'t> Reader<'t> {
    fn found(self, measure: &Measure) -> Result<Found, MeasureError> {
        match measure {
            Measure::Value(select) => self.one(select),
            Measure::Argmin(arg) => self.arg(arg, |a, b| a < b),
            Measure::Argmax(arg) => self.arg(arg, |a, b| a > b),
            Measure::Order(of) => self.order(of),
            _ => self.number(measure).map(Found::Number),
        }
    }

    fn number(self, measure: &Measure) -> Result<f64, MeasureError> {
        let pair = |pair: &[Measure; 2]| Ok((self.number(&pair[0])?, self.number(&pair[1])?));
        match measure {
            Measure::Max(select) => self.fold(select, f64::max),
            Measure::Min(select) => self.fold(select, f64::min),
            Measure::Sum(select) => self.fold(select, |a, b| a + b),
            Measure::Mean(select) => {
                let count = self.numbers(select)?.len() as f64;
                Ok(self.fold(select, |a, b| a + b)? / count)
            }
            Measure::Count(select) => {
                let rows = self.rows(select)?;
                let filled = |row: &&Line<'_>| row.cell(&select.column) != Some(&Cell::Empty);
                Ok(rows.iter().filter(filled).count() as f64)
            }
            Measure::At(at) => {
                let curve = self.curve(&at.select, &at.by)?;
                interpolated(&curve, at.at)
                    .ok_or_else(|| missing(format!("no values on both sides of {}", at.at)))
            }
            Measure::LastStable(select) => self.last_stable(select),
            Measure::WorstRatio(worst) => self.worst_ratio(worst),
            Measure::Ratio(of) => pair(of).map(|(a, b)| a / b),
            Measure::Difference(of) => pair(of).map(|(a, b)| a - b),
            Measure::Product(of) => pair(of).map(|(a, b)| a * b),
            Measure::Greatest(of) => self.most(of, f64::max),
            Measure::Least(of) => self.most(of, f64::min),
            Measure::Value(_) | Measure::Argmin(_) | Measure::Argmax(_) | Measure::Order(_) => {
                match self.found(measure)? {
                    Found::Number(number) => Ok(number),
                    Found::Text(text) => Err(senseless(format!("{text} is no number"))),
                }
            }
        }
    }

    fn most(self, of: &[Measure], better: fn(f64, f64) -> f64) -> Result<f64, MeasureError> {
        let numbers: Result<Vec<f64>, _> = of.iter().map(|one| self.number(one)).collect();
        let most = numbers?.into_iter().reduce(better);
        most.ok_or_else(|| senseless("nothing to choose from".to_owned()))
    }

    /// The rows selected: at least one.
    fn rows(self, select: &Select) -> Result<Vec<Line<'t>>, MeasureError> {
        let item = select.item.as_deref().unwrap_or(self.item);
        let Some(table) = self.tables.get(item) else {
            return Err(missing(format!("{item} was not made")));
        };
        if table.is_empty() {
            return Err(missing(format!("{item} has no rows")));
        }
        for column in select.rows.keys().chain([&select.column]) {
            if table.index_of(column).is_none() {
                return Err(senseless(format!("{item} has no column {column}")));
            }
        }
        let wanted = select
            .rows
            .iter()
            .map(|(name, value)| (name, Cell::from(value)));
        let is_wanted = |row: &Line<'_>| {
            let mut wanted = wanted.clone();
            wanted.all(|(name, value)| row.cell(name).is_some_and(|cell| cell.is(&value)))
        };
        let rows: Vec<_> = table.rows().filter(is_wanted).collect();
        if rows.is_empty() {
            return Err(missing(format!(
                "no row of {item} with {}",
                words(&select.rows)
            )));
        }
        Ok(rows)
    }

    fn numbers(self, select: &Select) -> Result<Vec<f64>, MeasureError> {
        let rows = self.rows(select)?;
        let numbers: Vec<_> = rows
            .iter()
            .filter_map(|row| row.number(&select.column))
            .collect();
        if numbers.is_empty() {
            return Err(missing(format!("no number in {}", select.column)));
        }
        Ok(numbers)
    }

    fn fold(self, select: &Select, of: fn(f64, f64) -> f64) -> Result<f64, MeasureError> {
        let numbers = self.numbers(select)?;
        Ok(numbers.into_iter().reduce(of).expect("at least one"))
    }

    fn one(self, select: &Select) -> Result<Found, MeasureError> {
        let rows = self.rows(select)?;
        let [row] = rows[..] else {
            let words = words(&select.rows);
            return Err(senseless(format!(
                "{} rows with {words}, one wanted",
                rows.len()
            )));
        };
        match row.cell(&select.column) {
            Some(Cell::Number(number)) => Ok(Found::Number(*number)),
            Some(Cell::Text(text)) => Ok(Found::Text(text.clone())),
            _ => Err(missing(format!("no value in {}", select.column))),
        }
    }

    fn arg(self, arg: &Arg, better: fn(f64, f64) -> bool) -> Result<Found, MeasureError> {
        let rows = self.rows(&arg.select)?;
        let mut best: Option<(f64, &Cell)> = None;
        for row in &rows {
            let (Some(number), Some(cell)) = (row.number(&arg.select.column), row.cell(&arg.of))
            else {
                continue;
            };
            if best.is_none_or(|(so_far, _)| better(number, so_far)) {
                best = Some((number, cell));
            }
        }
        match best {
            Some((_, Cell::Number(number))) => Ok(Found::Number(*number)),
            Some((_, Cell::Text(text))) => Ok(Found::Text(text.clone())),
            _ => Err(missing(format!("no value in {}", arg.of))),
        }
    }

    fn order(self, of: &BTreeMap<String, Measure>) -> Result<Found, MeasureError> {
        let named = of
            .iter()
            .map(|(name, measure)| Ok((self.number(measure)?, name.as_str())));
        let mut named: Vec<(f64, &str)> = named.collect::<Result<_, MeasureError>>()?;
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut text = String::new();
        let mut last = f64::NAN;
        for (value, name) in named {
            if !text.is_empty() {
                text.push_str(if value == last { " = " } else { " < " });
            }
            text.push_str(name);
            last = value;
        }
        Ok(Found::Text(text))
    }

    /// The numbers of a column along another, in ascending order.
    fn curve(self, select: &Select, by: &str) -> Result<Vec<(f64, f64)>, MeasureError> {
        let rows = self.rows(select)?;
        let pairs = rows
            .iter()
            .filter_map(|row| Some((row.number(by)?, row.number(&select.column)?)));
        let mut curve: Vec<_> = pairs.collect();
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        if curve.is_empty() {
            return Err(missing(format!("no number in {}", select.column)));
        }
        Ok(curve)
    }

    fn last_stable(self, select: &Select) -> Result<f64, MeasureError> {
        let mut points: Vec<(f64, bool)> = Vec::new();
        for row in self.rows(select)? {
            let Some(load) = row.number(&select.column) else {
                continue;
            };
            let status = row.cell("status").map(Cell::text).unwrap_or_default();
            points.push((load, matches!(status.as_str(), "converged" | "max-cycles")));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let stable = points.iter().take_while(|(_, is_stable)| *is_stable);
        let (last, _) = stable
            .last()
            .ok_or_else(|| missing("no stable load".to_owned()))?;
        Ok(*last)
    }

    fn worst_ratio(self, worst: &Worst) -> Result<f64, MeasureError> {
        let (of, to) = (
            self.curve(&worst.of, &worst.by)?,
            self.curve(&worst.to, &worst.by)?,
        );
        let up_to = self.number(&worst.up_to)?;
        let ratios = of
            .iter()
            .filter(|(at, _)| *at <= up_to)
            .filter_map(|&(at, value)| {
                let other = interpolated(&to, at)?;
                Some((value / other).max(other / value) - 1.0)
            });
        ratios
            .reduce(f64::max)
            .ok_or_else(|| missing(format!("no values of both curves up to {up_to}")))
    }
}

/// The value of `curve` at `at`; `None` beyond its ends.
fn interpolated(curve: &[(f64, f64)], at: f64) -> Option<f64> {
    if let Some(&(_, value)) = curve
        .iter()
        .find(|(x, _)| (x - at).abs() <= 1e-9 * at.abs())
    {
        return Some(value);
    }
    let next = curve.iter().position(|&(x, _)| x > at)?;
    let ((x0, y0), (x1, y1)) = (curve[next.checked_sub(1)?], curve[next]);
    Some(y0 + (y1 - y0) * (at - x0) / (x1 - x0))
}

fn words(rows: &BTreeMap<String, Value>) -> String {
    let words = rows.iter().map(|(name, value)| format!("{name} = {value}"));
    words.collect::<Vec<_>>().join(", ")
}

const fn missing(why: String) -> MeasureError {
    MeasureError::Missing(why)
}

const fn senseless(why: String) -> MeasureError {
    MeasureError::Senseless(why)
}
