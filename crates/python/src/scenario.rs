//! What Python hands over: a scenario, in memory or in a file, or a topology in one word.

use crate::error::Failure;
use flitsim::proof::{ProvedPlan, with_cycle};
use flitsim::scenario::topology::parse_spec_with;
use flitsim::scenario::{KeptFile, Overrides, Plan};
use flitsim::survey::Subject;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How scenarios from memory are called, in messages and in the column `scenario`.
const NAME: &str = "scenario.toml";

/// A scenario or a network, as text.
#[pyclass(frozen, from_py_object, module = "flitsim._flitsim")]
#[derive(Clone, Debug)]
pub struct Source(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// A topology in one word, and the files that it names and that are on no disk.
    Word(String, Vec<KeptFile>),
    /// A scenario file.
    File(PathBuf),
    /// A scenario, and the files that it names and that are on no disk.
    Text(String, Vec<KeptFile>),
}

#[pymethods]
impl Source {
    /// A topology in one word, and the texts of files that it names, by their names.
    #[staticmethod]
    fn word(word: String, files: BTreeMap<String, String>) -> Self {
        Self(Kind::Word(word, kept(files)))
    }

    /// A scenario file.
    #[staticmethod]
    fn file(path: PathBuf) -> Self {
        Self(Kind::File(path))
    }

    /// A scenario in TOML, and the texts of files that it names, by their names; other paths in it are relative
    /// to the working directory.
    #[staticmethod]
    fn toml(text: String, files: BTreeMap<String, String>) -> Self {
        Self(Kind::Text(text, kept(files)))
    }

    /// A scenario in JSON, and the texts of files that it names, by their names.
    #[staticmethod]
    fn json(text: &str, files: BTreeMap<String, String>) -> PyResult<Self> {
        let wrong = |error: &dyn ToString| {
            let message = format!("this dict is no scenario: {}", error.to_string());
            PyValueError::new_err(message)
        };
        let table: toml::Table = serde_json::from_str(text).map_err(|error| wrong(&error))?;
        let text = toml::to_string(&table).map_err(|error| wrong(&error))?;
        Ok(Self(Kind::Text(text, kept(files))))
    }

    /// For `pickle` and `copy`: the method that made it, and with what.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let (method, with) = match &slf.get().0 {
            Kind::Word(word, files) => ("word", (word, texts(files)).into_bound_py_any(py)?),
            Kind::File(path) => ("file", (path,).into_bound_py_any(py)?),
            Kind::Text(text, files) => ("toml", (text, texts(files)).into_bound_py_any(py)?),
        };
        Ok((slf.get_type().getattr(method)?, with))
    }

    /// The scenario in TOML, where it is in memory.
    #[getter]
    fn text(&self) -> Option<&str> {
        match &self.0 {
            Kind::Text(text, _) => Some(text),
            Kind::Word(..) | Kind::File(_) => None,
        }
    }
}

impl Source {
    /// The plan, its warnings told to `warn`.
    pub fn plan(
        &self,
        overrides: Overrides,
        warn: &mut dyn FnMut(String),
    ) -> Result<Plan, Failure> {
        let plan = match &self.0 {
            Kind::File(path) => Plan::read(path, overrides),
            Kind::Text(text, files) => {
                Plan::parse_with(Path::new(NAME), text.clone(), files, overrides)
            }
            Kind::Word(word, _) => {
                let message = format!("{word} is a network, and a scenario is needed");
                return Err(Failure::Other(message));
            }
        };
        let plan = plan.map_err(|error| with_cycle(error, overrides))?;
        plan.warnings.iter().cloned().for_each(warn);
        Ok(plan)
    }

    /// The plan, proved.
    pub fn proved(
        &self,
        overrides: Overrides,
        warn: &mut dyn FnMut(String),
    ) -> Result<ProvedPlan, Failure> {
        let plan = self.plan(overrides, warn)?;
        Self::prove(plan, overrides.allow_deadlock, warn)
    }

    /// `plan`, proved; where `allow_deadlock`, `warn` is told what is not.
    pub fn prove(
        plan: Plan,
        allow_deadlock: bool,
        warn: &mut dyn FnMut(String),
    ) -> Result<ProvedPlan, Failure> {
        Ok(ProvedPlan::prove(plan, allow_deadlock, &|_, _| {}, warn)?)
    }

    /// Every network: that of the word, or those of the scenario's series, or why one has no routing.
    pub fn subjects(
        &self,
    ) -> Result<Vec<Result<Subject, Box<flitsim::scenario::Unroutable>>>, Failure> {
        // A network is what it is, whether or not a routing can deadlock on it.
        let overrides = Overrides::ALLOWING_DEADLOCK;
        let each = match &self.0 {
            Kind::Word(word, files) => {
                let table = parse_spec_with(word, files)?;
                return Ok(vec![Ok(Subject::of_table(word, &table)?)]);
            }
            Kind::File(path) => Plan::read_each(path, overrides)?,
            Kind::Text(text, files) => {
                Plan::parse_each_with(Path::new(NAME), text.clone(), files, overrides)?
            }
        };
        let each = each.in_order().into_iter();
        Ok(each
            .map(|series| match series {
                Ok(series) => Ok(Subject::of_series(series)),
                Err(series) => Err(Box::new(series.clone())),
            })
            .collect())
    }
}

fn kept(files: BTreeMap<String, String>) -> Vec<KeptFile> {
    let files = files.into_iter();
    files
        .map(|(path, text)| KeptFile::in_memory(path, text))
        .collect()
}

/// The texts of `files` by their names.
fn texts(files: &[KeptFile]) -> BTreeMap<&str, &str> {
    let files = files.iter();
    files
        .filter_map(|file| Some((&*file.path, file.text.as_deref()?)))
        .collect()
}
