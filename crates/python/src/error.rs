//! How a call fails: which of the package's exceptions, and what it holds.

use flitsim::diagnostic;
use flitsim::scenario::ScenarioError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What goes wrong away from Python.
pub enum Failure {
    /// The scenario cannot be run: `flitsim.ScenarioError`.
    Scenario(ScenarioError),
    /// The scenario is good and something else failed: `flitsim.SimulationError`.
    Other(String),
    /// An argument that cannot be: `ValueError`.
    Argument(String),
}

impl Failure {
    /// What failed, in words.
    pub fn of(error: impl ToString) -> Self {
        Self::Other(error.to_string())
    }

    /// As an exception.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        let raised = py.import("flitsim._errors").and_then(|module| match self {
            Self::Scenario(error) => {
                let text = diagnostic::render(&error, false);
                let class = module.getattr("ScenarioError")?;
                class.call1((text, faults(&error).to_string(), error.text()))
            }
            Self::Other(message) => module.getattr("SimulationError")?.call1((message,)),
            Self::Argument(message) => Ok(PyValueError::new_err(message)
                .into_value(py)
                .into_bound(py)
                .into_any()),
        });
        raised.map_or_else(|error| error, PyErr::from_value)
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Self::Scenario(error)
    }
}

/// Every fault, in the order of the scenario; line and column from 1, null where there is no place.
fn faults(error: &ScenarioError) -> Value {
    let faults = error.told().iter().map(|told| {
        let fault = &told.fault;
        let place = fault.place().map(|place| error.line_and_column(&place));
        json!({
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "message": fault.message(),
            "label": fault.beside(),
            "notes": fault.notes(),
            "help": fault.remedy(),
        })
    });
    faults.collect()
}
