//! Claims of the papers, checked: `claims.toml` in, `claims.csv` out.
//!
//! Invariant: the verdict follows from the tables alone. What `claims.toml` foresees never changes it;
//! it only says whether the verdict is news.

use super::measure::{Found, Measure, MeasureError, Tables, read};
use super::table::{Cell, Table, row};
use flitsim_sweep::results::number::rounded;
use serde::Deserialize;

/// The columns of `claims.csv`.
pub const CLAIM_COLUMNS: [&str; 10] = [
    "paper",
    "item",
    "claim",
    "expected",
    "measured",
    "tolerance",
    "verdict",
    "note",
    "source",
    "sentence",
];

/// `claims.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The claims, in the paper's order.
    #[serde(rename = "claim")]
    pub claims: Vec<Claim>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The item in whose files it can be seen.
    pub item: String,
    /// Whose it is.
    #[serde(default)]
    pub source: Source,
    /// Where it stands in the paper.
    #[serde(rename = "where")]
    pub place: String,
    /// What is claimed, in our words.
    pub claim: String,
    /// The paper's own words; `…` where some are left out. No paper's claim may differ without.
    #[serde(default)]
    pub sentence: String,
    /// The value.
    pub expected: Expected,
    /// How far a number may be from it.
    #[serde(default)]
    pub tolerance: f64,
    /// The same, as a share of it.
    #[serde(default)]
    pub relative_tolerance: f64,
    /// How it is read off the tables.
    pub measure: Measure,
    /// The verdict foreseen.
    #[serde(default)]
    pub verdict: Verdict,
    /// Why it differs, or what to know.
    #[serde(default)]
    pub note: String,
    /// Of a claim that differs: what shows that its note is right, as `item: beginning of a claim`, which
    /// changes the cause alone and holds, or has the right arithmetic.
    #[serde(default)]
    pub experiment: String,
}

/// Whose a claim is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The paper's: a sentence, an equation, a table or a figure says it.
    #[default]
    Paper,
    /// An experiment of ours that the paper does not make, or a number that it does not print.
    Ours,
}

impl Source {
    /// The word in `claims.csv`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Ours => "ours",
        }
    }
}

/// What a claim says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// A number, give or take the tolerance.
    Number(f64),
    /// A word, or names in order.
    Text(String),
    /// A number on one side of a bound, or between two.
    Bounds(Bounds),
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least.
    pub at_least: Option<f64>,
    /// The greatest.
    pub at_most: Option<f64>,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// What was found is what is claimed.
    #[default]
    Holds,
    /// What was found is something else.
    Differs,
    /// There was nothing to read it off.
    NotChecked,
}

impl Verdict {
    /// The word in `claims.csv`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::NotChecked => "not-checked",
        }
    }
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// What was found, as it is printed.
    pub measured: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The claim's note, or why there is no verdict.
    pub note: String,
}

impl Checked<'_> {
    /// Whether the verdict is the one foreseen. What was left out on purpose is no news.
    pub fn is_foreseen(&self, is_quick: bool) -> bool {
        self.verdict == self.claim.verdict || (is_quick && self.verdict == Verdict::NotChecked)
    }
}

impl Claim {
    /// Checks the claim against the tables of its paper. `is_quick` says that some are missing on
    /// purpose.
    ///
    /// # Errors
    /// A measure that can never have a value.
    pub fn check(&self, tables: &Tables, is_quick: bool) -> Result<Checked<'_>, MeasureError> {
        let found = match read(&self.measure, &self.item, tables) {
            Ok(found) => found,
            Err(MeasureError::Missing(why)) => {
                return Ok(Checked {
                    claim: self,
                    measured: String::new(),
                    verdict: Verdict::NotChecked,
                    note: if is_quick { "--full".to_owned() } else { why },
                });
            }
            Err(error) => return Err(error),
        };
        let holds = match (&self.expected, &found) {
            (Expected::Number(wanted), Found::Number(number)) => {
                let slack = self.tolerance.max(self.relative_tolerance * wanted.abs());
                // The last digits of a sum are nobody's claim.
                (number - wanted).abs() <= slack + 1e-9 * wanted.abs()
            }
            (Expected::Text(wanted), Found::Text(text)) => wanted == text,
            (Expected::Bounds(bounds), Found::Number(number)) => {
                bounds.at_least.is_none_or(|least| *number >= least)
                    && bounds.at_most.is_none_or(|most| *number <= most)
            }
            (expected, found) => {
                let why = format!("{expected:?} cannot be compared with {found:?}");
                return Err(MeasureError::Senseless(why));
            }
        };
        Ok(Checked {
            claim: self,
            measured: match found {
                Found::Number(number) => Cell::from(rounded(number)).text(),
                Found::Text(text) => text,
            },
            verdict: if holds {
                Verdict::Holds
            } else {
                Verdict::Differs
            },
            note: match self.experiment.as_str() {
                "" => self.note.clone(),
                experiment => format!("{}; experiment: {experiment}", self.note),
            },
        })
    }

    /// The value claimed, in words.
    pub fn expected_text(&self) -> String {
        match &self.expected {
            Expected::Number(number) => format!("{number}"),
            Expected::Text(text) => text.clone(),
            Expected::Bounds(Bounds { at_least, at_most }) => match (at_least, at_most) {
                (Some(least), Some(most)) => format!("{least} to {most}"),
                (Some(least), None) => format!("at least {least}"),
                (None, Some(most)) => format!("at most {most}"),
                (None, None) => "any number".to_owned(),
            },
        }
    }

    /// How far a number may be from it; empty where that means nothing.
    pub fn tolerance_text(&self) -> String {
        if self.relative_tolerance > 0.0 {
            format!(
                "{} %",
                Cell::from(rounded(100.0 * self.relative_tolerance)).text()
            )
        } else {
            match self.expected {
                Expected::Number(_) => format!("{}", self.tolerance),
                _ => String::new(),
            }
        }
    }
}

/// A table of verdicts, begun.
pub fn claims_table() -> Table {
    Table::new(&CLAIM_COLUMNS)
}

/// Adds `checked` to the table of verdicts.
pub fn push_claim(table: &mut Table, paper: &str, checked: &Checked<'_>) {
    let claim = checked.claim;
    row! { table;
        "paper" => paper,
        "item" => claim.item.as_str(),
        "claim" => claim.claim.as_str(),
        "expected" => claim.expected_text(),
        "measured" => checked.measured.as_str(),
        "tolerance" => claim.tolerance_text(),
        "verdict" => checked.verdict.as_str(),
        "note" => checked.note.as_str(),
        "source" => claim.source.as_str(),
        "sentence" => claim.sentence.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::library::from_toml;
    use super::*;
    use serde_json::json;

    fn tables() -> Tables {
        let mut points = Table::default();
        for (series, load, latency) in [
            ("a", 0.1, Some(20.0)),
            ("a", 0.2, Some(24.0)),
            ("a", 0.3, None),
            ("a", 0.4, Some(99.0)),
            ("b", 0.1, Some(30.0)),
            ("b", 0.3, Some(36.0)),
        ] {
            let status = if latency.is_some() {
                "converged"
            } else {
                "saturated"
            };
            row!(points; "series" => series, "load" => load, "latency" => latency, "status" => status);
        }
        let mut other = Table::default();
        other.push_map(json!({"n": 2, "pins": 32.0}).as_object().unwrap());
        other.push_map(json!({"n": 4, "pins": 16.0}).as_object().unwrap());
        Tables::from([("fig1".to_owned(), points), ("fig2".to_owned(), other)])
    }

    fn checked(text: &str, is_quick: bool) -> (String, &'static str, String) {
        let text = format!("item = \"fig1\"\nwhere = \"text\"\nclaim = \"c\"\n{text}");
        let claim: Claim = from_toml(&text).unwrap_or_else(|error| panic!("{error}"));
        let checked = claim.check(&tables(), is_quick).unwrap();
        (
            checked.measured.clone(),
            checked.verdict.as_str(),
            checked.note,
        )
    }

    fn verdict(expected: &str, measure: &str) -> (String, &'static str) {
        let (measured, verdict, _) = checked(
            &format!("expected = {expected}\nmeasure = {measure}"),
            false,
        );
        (measured, verdict)
    }

    #[test]
    fn every_measure_reads_what_it_says() {
        let a = "column = \"latency\", where = { series = \"a\" }";
        let value = |load: f64, series: &str| {
            format!(
                "{{ value = {{ column = \"latency\", where = {{ series = \"{series}\", load = {load} }} }} }}"
            )
        };
        let two = [value(0.1, "a"), value(0.1, "b")].join(", ");
        for (expected, measure) in [
            ("20", value(0.1, "a")),
            ("99", format!("{{ max = {{ {a} }} }}")),
            ("20", format!("{{ min = {{ {a} }} }}")),
            ("143", format!("{{ sum = {{ {a} }} }}")),
            ("47.6667", format!("{{ mean = {{ {a} }} }}")),
            ("3", format!("{{ count = {{ {a} }} }}")),
            ("0.1", format!("{{ argmin = {{ of = \"load\", {a} }} }}")),
            ("0.4", format!("{{ argmax = {{ of = \"load\", {a} }} }}")),
            (
                "22",
                format!("{{ at = {{ by = \"load\", at = 0.15, {a} }} }}"),
            ),
            (
                "0.2",
                "{ last-stable = { column = \"load\", where = { series = \"a\" } } }".to_owned(),
            ),
            (
                "1.5",
                format!("{{ ratio = [{}, {}] }}", value(0.1, "b"), value(0.1, "a")),
            ),
            ("-10", format!("{{ difference = [{two}] }}")),
            ("600", format!("{{ product = [{two}] }}")),
            ("30", format!("{{ greatest = [{two}] }}")),
            ("20", format!("{{ least = [{two}] }}")),
            (
                "\"a < b\"",
                format!(
                    "{{ order = {{ b = {}, a = {} }} }}",
                    value(0.1, "b"),
                    value(0.1, "a")
                ),
            ),
            // 24 at 0.2 against 33 half way between 30 and 36.
            (
                "0.5",
                format!(
                    "{{ worst-ratio = {{ of = {{ {a} }}, to = {{ column = \"latency\", where = {{ \
                     series = \"b\" }} }}, by = \"load\", up_to = {{ last-stable = {{ column = \
                     \"load\", where = {{ series = \"a\" }} }} }} }} }}"
                ),
            ),
            (
                "4",
                "{ argmin = { item = \"fig2\", of = \"n\", column = \"pins\" } }".to_owned(),
            ),
        ] {
            let expected = if expected == "47.6667" {
                "47.66666666667"
            } else {
                expected
            };
            let (measured, verdict) = verdict(expected, &measure);
            assert_eq!(verdict, "holds", "{measure}: {measured}");
        }
    }

    #[test]
    fn a_claim_can_fail() {
        let value = "{ value = { column = \"latency\", where = { series = \"a\", load = 0.1 } } }";
        assert_eq!(verdict("21", value).1, "differs");
        assert_eq!(verdict("21\ntolerance = 1.0", value).1, "holds");
        assert_eq!(verdict("21\nrelative_tolerance = 0.04", value).1, "differs");
        assert_eq!(verdict("{ at_least = 20, at_most = 21 }", value).1, "holds");
        assert_eq!(verdict("{ at_most = 19.9 }", value).1, "differs");
        let order = "{ order = { b = { max = { column = \"load\" } }, a = { min = { column = \"load\" } } } }";
        assert_eq!(verdict("\"b < a\"", order).1, "differs");
    }

    #[test]
    fn what_was_not_made_is_not_checked() {
        let text = "expected = 1\nmeasure = { value = { item = \"fig9\", column = \"x\" } }";
        assert_eq!(checked(text, true).1, "not-checked");
        assert_eq!(checked(text, true).2, "--full");
        assert_eq!(checked(text, false).2, "fig9 was not made");
        let text = "expected = 1\nmeasure = { value = { column = \"latency\", where = { series = \"a\", load = 0.3 } } }";
        assert_eq!(checked(text, false).1, "not-checked");
    }
}
