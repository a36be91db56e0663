//! What is found without a cycle simulated: proofs, properties, channels, pictures.

use crate::error::Failure;
use crate::scenario::Source;
use crate::wait::away;
use flitsim::scenario::Unroutable;
use flitsim::scenario::topology::write_csv;
use flitsim::survey::{Depth, Subject, Survey, choose};
use flitsim::verdict::{Answer, Verified};
use flitsim_topology::draw::{self, Drawing, Style};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Proofs, an array of what `flitsim verify --format json` prints, `picture` with them where the network
/// can be drawn.
#[pyfunction]
pub fn verify(py: Python<'_>, source: Source) -> PyResult<String> {
    away(py, None, None, move |_| {
        let subjects = source.subjects()?.into_iter();
        let proofs = subjects.map(|subject| {
            let answer = match subject {
                Ok(subject) => Answer::Verified(Box::new(Verified::of(subject, &|_, _| {}))),
                Err(series) => Answer::Unroutable(*series),
            };
            let picture = match &answer {
                Answer::Verified(verified) => verified.picture().ok(),
                Answer::Unroutable(_) => None,
            };
            let mut proof = answer.to_json();
            proof["picture"] = json!(picture);
            proof["words"] = json!(answer.to_words());
            proof
        });
        Ok(proofs.collect::<Value>().to_string())
    })
}

/// The one network that `source` has, or that its series `series` has.
fn subject(source: &Source, series: Option<&str>) -> Result<Subject, Failure> {
    let named = |one: Result<Subject, Box<Unroutable>>| match one {
        Ok(subject) => (subject.series.clone(), Ok(subject)),
        Err(series) => (Some(series.name.clone()), Err(series)),
    };
    let mut all: Vec<_> = source.subjects()?.into_iter().map(named).collect();
    choose(&mut all, series, |(name, _)| name.as_deref()).map_err(Failure::Other)?;
    if all.len() > 1 {
        let names: Vec<String> = all.into_iter().filter_map(|(name, _)| name).collect();
        let names = names.join(", ");
        let message = format!("one network is wanted: choose with `series` among {names}");
        return Err(Failure::Other(message));
    }
    match all.pop() {
        Some((_, Ok(subject))) => Ok(subject),
        Some((_, Err(series))) => Err(series.error.into()),
        None => Err(Failure::of("the scenario has no network")),
    }
}

/// The properties that `flitsim topology --format json` prints.
#[pyfunction]
pub fn survey(py: Python<'_>, source: Source, series: Option<String>) -> PyResult<String> {
    away(py, None, None, move |_| {
        let subject = subject(&source, series.as_deref())?;
        Ok(Survey::of(&subject, Depth::Whole, &())
            .to_json()
            .to_string())
    })
}

/// The channel list that `flitsim topology --format csv` prints.
#[pyfunction]
pub fn channels(py: Python<'_>, source: Source, series: Option<String>) -> PyResult<String> {
    away(py, None, None, move |_| {
        let subject = subject(&source, series.as_deref())?;
        let mut text = Vec::new();
        write_csv(&subject.living(), &subject.topology, &mut text).map_err(Failure::of)?;
        String::from_utf8(text).map_err(Failure::of)
    })
}

/// The picture that `flitsim topology --format svg` prints; `None` of a network too large to be drawn.
#[pyfunction]
pub fn picture(py: Python<'_>, source: Source, series: Option<String>) -> PyResult<Option<String>> {
    away(py, None, None, move |_| {
        let subject = subject(&source, series.as_deref())?;
        let style = Style {
            title: &subject.topology,
            ..Style::default()
        };
        let drawing = Drawing::of(&subject.network);
        Ok(drawing.ok().map(|drawing| draw::svg(&drawing, &style)))
    })
}
