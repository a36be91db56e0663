//! The keys in which the series of a scenario differ, with their values: the last columns of results.

use crate::SeriesPlan;
use crate::definition::json_of;
use crate::plan::Parameter;
use flitsim_keys::{Value as Said, Values};
use serde_json::Value;

/// Keys that have columns of their own in every result.
const LOADS: &str = "sweep.load";

/// The keys of the table called `name`, those of tables in it one by one.
pub fn of_table(name: &str, values: &Values) -> Vec<Parameter> {
    let mut all = Vec::new();
    for entry in &values.entries {
        let key = format!("{name}.{}", entry.name);
        let is_said = values.is_given(entry.name);
        match &entry.value {
            Some(Said::Table(inner)) => {
                let inner = of_table(&key, inner).into_iter();
                // What is left out of a table that is said has its default there.
                all.extend(inner.map(|one| Parameter {
                    is_said: is_said && one.is_said,
                    ..one
                }));
            }
            value => all.push(Parameter {
                name: key,
                value: match value {
                    None => Value::Null,
                    Some(Said::File(file)) => Value::from(file.path.as_str()),
                    Some(said) => json_of(said.clone()),
                },
                is_said,
            }),
        }
    }
    all
}

/// Leaves each of `series` the keys that some series says and in which they differ, the same ones in the
/// same order.
pub fn keep_those_that_differ(series: &mut [SeriesPlan]) {
    let mut names: Vec<String> = Vec::new();
    let all = series.iter().flat_map(|one| &one.parameters);
    for parameter in all.filter(|parameter| parameter.is_said) {
        if !parameter.name.starts_with(LOADS) && !names.contains(&parameter.name) {
            names.push(parameter.name.clone());
        }
    }
    let of = |one: &SeriesPlan, name: &str| {
        let mut all = one.parameters.iter();
        let found = all.find(|parameter| parameter.name == name);
        found.map_or(Value::Null, |parameter| parameter.value.clone())
    };
    names.retain(|name| {
        series
            .windows(2)
            .any(|two| of(&two[0], name) != of(&two[1], name))
    });
    for one in series {
        let kept = names.iter().map(|name| Parameter {
            name: name.clone(),
            value: of(one, name),
            is_said: true,
        });
        one.parameters = kept.collect();
    }
}
