//! `[grid]`: lists of values for keys of the other tables, every combination of which is a series.
//!
//! A combination is laid over the tables of a series as a series is over those of the top level, so
//! whatever is wrong with a key or a value is told where it stands in the grid.

use crate::error::Fault;
use crate::overlay::{SeriesTables, over};
use crate::tables;
use flitsim_keys::{Placed, Raw, RawEntry, RawTable, Reader};
use std::collections::HashSet;

/// The most series that a scenario's grid may make.
pub(crate) const SERIES_MOST: usize = 10_000;

/// The most keys that a grid has.
const KEYS_MOST: usize = 100;

/// A key with its values.
struct Axis {
    /// From its table down.
    path: Vec<Placed<String>>,
    /// The name before its values in the names of series.
    shown: String,
    values: Vec<Placed<Raw>>,
}

impl Axis {
    fn name(&self) -> String {
        let names: Vec<&str> = self.path.iter().map(|key| key.value.as_str()).collect();
        names.join(".")
    }

    /// A fault of the key itself.
    fn fault(&self, message: String) -> Fault {
        let place = self.path.last().and_then(|key| key.place.clone());
        Fault::new(place, message)
    }
}

/// The series that `grid` makes of `series`; `top` and each of `own`, as they were written, may not set its
/// keys.
pub fn combine(
    reader: &Reader<'_>,
    grid: &Placed<Raw>,
    series: Vec<SeriesTables>,
    (top, own): (&RawTable, &[&RawTable]),
    faults: &mut Vec<Fault>,
) -> Vec<SeriesTables> {
    let is_named = !own.is_empty();
    let axes = axes(reader, grid, faults);
    for axis in &axes {
        faults.extend(clash(axis, top, own));
    }
    let count = axes.iter().map(|axis| axis.values.len());
    let count = count.fold(series.len(), usize::saturating_mul);
    if count > SERIES_MOST {
        let message = format!("`[grid]` makes {count} series, more than {SERIES_MOST}");
        let fault = Fault::new(grid.place.clone(), message);
        faults.push(
            fault
                .label("too many combinations")
                .help("leave values out, or share them among several scenarios"),
        );
        return series;
    }
    let mut all = Vec::with_capacity(count);
    for one in series {
        for nth in 0..count_of(&axes) {
            all.push(combined(reader, &one, is_named, &chosen(&axes, nth)));
        }
    }
    all
}

fn count_of(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

/// Combination number `nth`: the values of the last key change first.
fn chosen(axes: &[Axis], mut nth: usize) -> Vec<(&Axis, &Placed<Raw>)> {
    let mut chosen = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        chosen.push((axis, &axis.values[nth % axis.values.len()]));
        nth /= axis.values.len();
    }
    chosen.reverse();
    chosen
}

fn combined(
    reader: &Reader<'_>,
    series: &SeriesTables,
    is_named: bool,
    values: &[(&Axis, &Placed<Raw>)],
) -> SeriesTables {
    let mut own = RawTable::default();
    let mut words: Vec<String> = is_named.then(|| series.name.clone()).into_iter().collect();
    for (axis, value) in values {
        words.push(format!("{}={}", axis.shown, text_of(&value.value)));
        let [table, key, below @ ..] = &axis.path[..] else {
            continue;
        };
        let begun = |tables: &RawTable| tables.table(&table.value)?.get(&key.value).cloned();
        // A series replaces values whole: of one that is a table, the rest is as it was.
        if !below.is_empty()
            && begun(&own).is_none()
            && let Some(
                value @ Placed {
                    value: Raw::Table(_),
                    ..
                },
            ) = begun(&series.tables)
        {
            lay(&mut own, &axis.path[..2], value);
        }
        lay(&mut own, &axis.path, Placed::clone(value));
    }
    // Every table is known: `axes` leaves out the others.
    let (tables, _) = over(reader, &series.tables, &own);
    let name = match words.is_empty() {
        true => series.name.clone(),
        false => words.join(" "),
    };
    SeriesTables { name, tables }
}

/// Sets the key at `path` below `table`, and leaves what else the tables between have.
fn lay(table: &mut RawTable, path: &[Placed<String>], value: Placed<Raw>) {
    let [key, below @ ..] = path else { return };
    let value = match below {
        [] => value,
        _ => {
            let mut inner = table.table(&key.value).cloned().unwrap_or_default();
            inner.place = key.place.clone();
            lay(&mut inner, below, value);
            Placed {
                value: Raw::Table(inner),
                place: key.place.clone(),
            }
        }
    };
    let key = key.clone();
    table.set(RawEntry { key, value });
}

/// The keys of the grid, in its order; those at fault are left out and told.
fn axes(reader: &Reader<'_>, grid: &Placed<Raw>, faults: &mut Vec<Fault>) -> Vec<Axis> {
    let Raw::Table(table) = &grid.value else {
        let wrong = grid.value.describe();
        let message = format!("`grid` must be a table, not {wrong}");
        faults.push(Fault::new(grid.place.clone(), message).label(wrong).help(
            "write `[grid]`, and below it keys with their values: `router.virtual_channels = [1, 2, 4]`",
        ));
        return Vec::new();
    };
    let mut found = Vec::new();
    collect(table, &[], &mut found);
    // Keys of one table are together in the tables that TOML makes of them.
    let start = |path: &[Placed<String>]| Some(path.last()?.place.as_ref()?.start);
    found.sort_by_key(|(path, _)| start(path));
    if found.is_empty() {
        faults.push(
            Fault::new(grid.place.clone(), "`[grid]` is empty")
                .label("no key")
                .help(
                    "leave it out, or list values of a key: `router.virtual_channels = [1, 2, 4]`",
                ),
        );
    }
    if found.len() > KEYS_MOST {
        let message = format!("`[grid]` has {} keys, more than {KEYS_MOST}", found.len());
        let fault = Fault::new(grid.place.clone(), message).label("too many keys");
        faults.push(fault.help("keys with one value can stand outside `[grid]`"));
        return Vec::new();
    }
    let mut axes: Vec<Axis> = Vec::new();
    for (path, value) in found {
        match axis(reader, path, value, &axes) {
            Ok(axis) => axes.push(axis),
            Err(fault) => faults.push(fault),
        }
    }
    let ends = |axis: &Axis| axis.path.last().map(|key| key.value.clone());
    let shown: Vec<String> = axes
        .iter()
        .map(
            |axis| match axes.iter().filter(|o| ends(o) == ends(axis)).count() {
                1 => ends(axis).unwrap_or_default(),
                _ => axis.name(),
            },
        )
        .collect();
    for (axis, shown) in axes.iter_mut().zip(shown) {
        axis.shown = shown;
    }
    axes
}

/// The keys below `table` that are no tables. A key in quotes may have dots.
fn collect(
    table: &RawTable,
    above: &[Placed<String>],
    found: &mut Vec<(Vec<Placed<String>>, Placed<Raw>)>,
) {
    for entry in &table.entries {
        let mut path = above.to_vec();
        path.extend(entry.key.value.split('.').map(|name| Placed {
            value: name.to_owned(),
            place: entry.key.place.clone(),
        }));
        match &entry.value.value {
            Raw::Table(below) => collect(below, &path, found),
            _ => found.push((path, entry.value.clone())),
        }
    }
}

/// A key of the grid that goes with `others`.
fn axis(
    reader: &Reader<'_>,
    path: Vec<Placed<String>>,
    value: Placed<Raw>,
    others: &[Axis],
) -> Result<Axis, Fault> {
    let mut axis = Axis {
        path,
        shown: String::new(),
        values: Vec::new(),
    };
    let name = axis.name();
    let table = &axis.path[0];
    if axis.path.len() == 1 || tables::named(&table.value).is_none() {
        return Err(no_key(reader, &axis));
    }
    let starts = |one: &str, other: &str| format!("{one}.").starts_with(&format!("{other}."));
    if others
        .iter()
        .any(|o| starts(&o.name(), &name) || starts(&name, &o.name()))
    {
        return Err(axis
            .fault(format!("`{name}` is in `[grid]` twice"))
            .label("there already")
            .help("put all its values into one list"));
    }
    let Raw::List(values) = value.value else {
        let wrong = value.value.describe();
        let message = format!("`{name}` in `[grid]` must be an array of values, not {wrong}");
        let written = text_of(&value.value);
        return Err(Fault::new(value.place, message).label(wrong).help(format!(
            "write `{name} = [{written}, …]`, or set it outside `[grid]`"
        )));
    };
    if values.is_empty() {
        return Err(
            Fault::new(value.place, format!("`{name}` in `[grid]` has no values"))
                .label("empty")
                .help("list its values, or leave it out"),
        );
    }
    let texts: Vec<String> = values.iter().map(|value| text_of(&value.value)).collect();
    let mut before = HashSet::new();
    if let Some(again) = texts.iter().position(|text| !before.insert(text)) {
        let message = format!("`{name}` in `[grid]` has {} twice", texts[again]);
        return Err(Fault::new(values[again].place.clone(), message)
            .label("there already")
            .help("series are told apart by their values: list each once"));
    }
    axis.values = values;
    Ok(axis)
}

/// No table has the key of `axis`.
fn no_key(reader: &Reader<'_>, axis: &Axis) -> Fault {
    let name = axis.name();
    let table = axis.path[0].value.as_str();
    if table == tables::SEED.name() || table == tables::TITLE.name() {
        return axis
            .fault(format!("`{name}` cannot differ from series to series"))
            .label("belongs to the scenario's top level")
            .help("`replicas` in `[sweep]` pools several simulations into each point");
    }
    let known = tables::names();
    if known.contains(&table) {
        return axis
            .fault(format!("`{name}` in `[grid]` is a table"))
            .label("not a key")
            .help(format!("name a key of it: `{name}.KEY = […]`"));
    }
    let key = axis.path[0].clone();
    reader.unknown(
        &key,
        "`[grid]`, whose keys begin with the name of a table",
        &known,
    )
}

/// The fault of a key of the grid that `top` or one of the series `own` sets too.
fn clash(axis: &Axis, top: &RawTable, own: &[&RawTable]) -> Option<Fault> {
    let sets = |table: &RawTable| {
        let (last, tables) = axis.path.split_last()?;
        let inner = tables
            .iter()
            .try_fold(table, |table, key| table.table(&key.value))?;
        inner.get(&last.value).map(|_| ())
    };
    let whose = if sets(top).is_some() {
        format!("`[{}]`", axis.path[0].value)
    } else {
        let series = own.iter().find(|series| sets(series).is_some())?;
        let name = series.text(tables::NAME.name()).unwrap_or_default();
        format!("the series \"{name}\"")
    };
    let name = axis.name();
    let fault = axis.fault(format!("`{name}` is in `[grid]` and in {whose}"));
    let fault = fault.label("set elsewhere too");
    Some(fault.help(format!(
        "leave it out of {whose}: the grid gives its values"
    )))
}

/// A value as names of series have it: as it was written, strings without quotes.
fn text_of(value: &Raw) -> String {
    match value {
        Raw::Integer { said, .. } => said.clone(),
        Raw::Number(number) => number.unwrap_or(f64::INFINITY).to_string(),
        Raw::Flag(flag) => flag.to_string(),
        Raw::Text(text) => text.clone(),
        Raw::Date => "date".to_owned(),
        Raw::List(values) => {
            let values: Vec<String> = values.iter().map(|value| text_of(&value.value)).collect();
            format!("[{}]", values.join(","))
        }
        Raw::Table(table) => {
            let entries = table.entries.iter();
            let entries = entries.map(|e| format!("{}={}", e.key.value, text_of(&e.value.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
    }
}
