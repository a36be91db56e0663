//! `items.toml`: what a paper consists of.

use super::computed::Parameters;
use flitsim_report::plot::{Axis, Drawing};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A paper and its items.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// The paper.
    pub paper: About,
    /// Its items, in its order.
    #[serde(rename = "item")]
    pub items: Vec<Item>,
}

/// A paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// Where and when.
    pub published: String,
}

/// A table, a figure, or a claim of the text that has numbers of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Its name: `fig8`, `table1`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The table that a formula gives, by its name.
    pub computed: Option<String>,
    /// What the formula takes.
    #[serde(default)]
    pub parameters: Parameters,
    /// The scenario; the default has the item's name.
    pub scenario: Option<String>,
    /// The scenario's series that belong to the item; the default is all.
    #[serde(default)]
    pub series: Vec<String>,
    /// Whether its figure is a picture of its first network.
    #[serde(default)]
    pub picture: bool,
    /// Whether the scenario is simulated.
    #[serde(default)]
    pub simulated: bool,
    /// Whether the analytical model is evaluated over the scenario's loads.
    #[serde(default)]
    pub model: bool,
    /// Whether the scenario's networks are measured: the columns of `flitsim topology`.
    #[serde(default)]
    pub networks: bool,
    /// What of it `--quick` simulates.
    #[serde(default)]
    pub quick: Quick,
    /// How it is drawn; tables are not.
    pub plot: Option<Drawn>,
    /// Whether it stays a table: its values have no order and no unit in common.
    #[serde(default)]
    pub table: bool,
}

/// What `--quick` simulates of an item.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quick {
    /// The largest network, in terminals.
    pub nodes_most: u32,
    /// The loads of a series: the scenario's thinned to so many, first and last among them.
    pub loads_most: usize,
    /// The relative error.
    pub relative_error: f64,
    /// The most cycles of a point.
    pub max_cycles: u64,
}

impl Default for Quick {
    fn default() -> Self {
        Self {
            nodes_most: 256,
            loads_most: 6,
            relative_error: 0.05,
            max_cycles: 30_000,
        }
    }
}

/// How an item is drawn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// The horizontal axis. Of bars: what their groups are called, a column or a text with `{column}`.
    pub x: DrawnAxis,
    /// The vertical axis; of bars the one along them.
    pub y: DrawnAxis,
    /// The rows that are drawn: those with these values in these columns.
    #[serde(default, rename = "where")]
    pub rows: BTreeMap<String, Value>,
    /// The vertical column of simulated points, where it is not the model's.
    pub simulated: Option<String>,
    /// The columns whose values tell curves apart.
    pub series: Vec<String>,
    /// What a curve is called: `{column}` stands for its value. The default is the values.
    pub names: Option<String>,
    /// The column of the half-widths of intervals.
    pub interval: Option<String>,
    /// What is added to the names of the curves of the vertical axis's column, where there are others.
    #[serde(default)]
    pub main: String,
    /// Further vertical columns, each a curve of its own, and their names.
    #[serde(default)]
    pub also: BTreeMap<String, String>,
    /// Those of the further columns that were counted or simulated: markers on the curves of the vertical axis's column.
    #[serde(default)]
    pub counted: Vec<String>,
    /// What of formulas and of tables is drawn; simulated points are markers beside model lines.
    #[serde(default)]
    pub draw: Drawing,
    /// Below the key.
    #[serde(default)]
    pub note: String,
}

/// An axis and its column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnAxis {
    /// The column.
    pub column: String,
    /// What is shown, with its unit.
    pub label: String,
    /// The value at the start.
    pub from: Option<f64>,
    /// The value at the end.
    pub to: Option<f64>,
    /// Whether equal ratios have equal lengths.
    #[serde(default)]
    pub logarithmic: bool,
}

impl From<&DrawnAxis> for Axis {
    fn from(axis: &DrawnAxis) -> Self {
        Self {
            label: axis.label.clone(),
            from: axis.from,
            to: axis.to,
            logarithmic: axis.logarithmic,
        }
    }
}
