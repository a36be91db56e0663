//! flitsim for Python: the module `_flitsim` beneath the package `flitsim`, which says what a scenario may
//! be and what results look like; [docs/python.md](../../../docs/python.md) is for its users.
//!
//! Here a scenario is text, and what is found is JSON, as the commands print it: no type of either side
//! shows on the other.
//!
//! Invariant: simulation runs on threads of its own, without Python's lock. The thread that called waits,
//! takes signals and tells the progress, so that Ctrl-C works and a callback runs where it was made.
#![cfg(feature = "extension")]

mod error;
mod find;
mod progress;
mod scenario;
mod simulate;
mod wait;

use flitsim::results::COLUMNS;
use flitsim::scenario::tables;
use flitsim::workload::Workload;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// Runs the command `flitsim` with these words, the first its name; its exit code.
#[pyfunction]
fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| flitsim::main_of(words))
}

/// Whether this is a topology in one word, and no scenario.
#[pyfunction]
fn is_spec(text: &str) -> bool {
    flitsim::scenario::topology::is_spec(text)
}

/// The module.
#[pymodule]
fn _flitsim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("COLUMNS", COLUMNS.to_vec())?;
    module.add("KEY_UNITS", BTreeMap::from_iter(tables::units()))?;
    module.add("WORKLOAD_UNITS", Workload::UNITS.to_vec())?;
    module.add_class::<scenario::Source>()?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(is_spec, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::run, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::saturate, module)?)?;
    module.add_function(wrap_pyfunction!(find::verify, module)?)?;
    module.add_function(wrap_pyfunction!(find::survey, module)?)?;
    module.add_function(wrap_pyfunction!(find::channels, module)?)?;
    module.add_function(wrap_pyfunction!(find::picture, module)?)
}
