//! The folder of a sweep read back: what was simulated, the rows, and what is known of their points.
//!
//! Invariant: what is read is what was written, to the digit, so that a page made from a folder is the
//! page that the sweep made.

use super::csv;
use super::details::{self, Table};
use super::file::digest_of;
use super::folder::{MANIFEST, POINTS};
use super::manifest::{DAMAGED, Manifest, ManifestPoint};
use super::number;
use super::points::{keys_of, points_of};
use super::row::{COLUMNS, Row};
use super::store::PointStore;
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::point::LatencyBucket;
use flitsim_scenario::plan::Load;
use flitsim_scenario::{Overrides, Plan, ScenarioError};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A folder that cannot be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file that is not there or not what a sweep writes.
    #[error("cannot read {}: {reason}; {help}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What would be right.
        help: &'static str,
    },
    /// The scenario in the manifest.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Files that the scenario names are not those of the sweep.
    #[error(
        "the points of {} are not those of its scenario as it reads now: a file that it names, or \
         this version of flitsim, is another; sweep it again",
        path.display()
    )]
    Changed {
        /// The folder.
        path: PathBuf,
    },
}

const SWEEP_AGAIN: &str = "`flitsim sweep` writes it: sweep the scenario again into this folder \
    with --resume";

/// A detail of a point, as people see it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointTable {
    /// The detail.
    pub name: &'static str,
    /// How its rows are ordered; may be empty.
    pub order: &'static str,
    /// The first rows.
    pub table: Table,
    /// How many there are.
    pub rows: usize,
}

/// Rows of a detail that are kept for people.
const ROWS_SHOWN_MOST: usize = 24;

/// What is known of a point beyond its row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointExtra {
    /// How often each latency was seen, ascending; empty where it is not known.
    pub buckets: Vec<LatencyBucket>,
    /// The other details that were asked for, by name: the order of their rows, the first of these, and how many there are.
    pub tables: Vec<PointTable>,
    /// By channel: the share of the window that it was busy; `None` where it was not measured.
    pub busy: Option<Vec<f64>>,
}

/// What a sweep left in its folder.
#[derive(Clone, Debug)]
pub struct SweptFolder {
    /// What was to be simulated, its loads those of the manifest.
    pub plan: Plan,
    /// The rows there are, in scenario order.
    pub rows: Vec<Row>,
    /// By row: what else is known of its point.
    pub extras: Vec<PointExtra>,
    /// Points that failed.
    pub failed: usize,
    /// Points that were not simulated.
    pub pending: usize,
    /// Whether the sweep ran even where a routing can deadlock.
    pub allows_deadlock: bool,
    /// The version of flitsim that simulated.
    pub version: String,
}

impl SweptFolder {
    /// Whether `folder` has the files of a sweep.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file() && folder.join(POINTS).is_file()
    }

    /// Reads `folder`. Files that its scenario names are found from `scenario`, or else taken from the
    /// manifest; those that it does not keep are found from the folder.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(folder: &Path, scenario: Option<&Path>) -> Result<Self, ReadError> {
        let path = folder.join(MANIFEST);
        let wrong = |reason: String| ReadError::File {
            path: path.clone(),
            reason,
            help: SWEEP_AGAIN,
        };
        let manifest = Manifest::read(&path).map_err(wrong)?;
        let damaged = |path| ReadError::File {
            path,
            reason: DAMAGED.to_owned(),
            help: SWEEP_AGAIN,
        };
        damaged_table(folder, &manifest).map_or(Ok(()), |path| Err(damaged(path)))?;
        let overrides = Overrides {
            seed: Some(manifest.seed),
            allow_deadlock: true,
            ..Overrides::default()
        };
        let file = folder.join(manifest.file.unwrap_or_default());
        let mut plan = match scenario {
            Some(path) => Plan::parse(path, manifest.text, overrides)?,
            None => Plan::parse_with(&file, manifest.text, &manifest.files, overrides)?,
        };
        plan.scenario = manifest.scenario;
        plan.path = file;
        let points = manifest.points;
        place_loads(&mut plan, &points);
        let keys: Vec<String> = points.iter().map(|point| point.key.clone()).collect();
        let is_placed = plan.series.iter().any(|series| series.loads_auto.is_some());
        let is_same = match is_placed {
            // Loads that a search placed are known in their unit alone.
            true => points_of(&plan).count() == keys.len(),
            false => keys_of(&plan) == keys,
        };
        if !is_same {
            return Err(ReadError::Changed {
                path: folder.to_owned(),
            });
        }
        let rows = rows(folder, &plan)?;
        let failed = points.iter().filter(|point| point.has_failed()).count();
        let (extras, wrong) = extras_and_damage(folder, &plan, &keys, &rows);
        wrong.map_or(Ok(()), |path| Err(damaged(path)))?;
        Ok(Self {
            extras,
            pending: keys.len().saturating_sub(rows.len() + failed),
            version: manifest.flitsim,
            plan,
            rows,
            failed,
            allows_deadlock: manifest.allow_deadlock,
        })
    }
}

/// The first table in `folder` that is not as `manifest` has it; none is missed.
fn damaged_table(folder: &Path, manifest: &Manifest) -> Option<PathBuf> {
    let tables = manifest.tables.iter();
    let mut paths = tables.map(|(name, wanted)| (folder.join(name), wanted));
    let is_damaged = |path: &Path, wanted: &String| digest_of(path).is_ok_and(|is| is != *wanted);
    let damaged = paths.find(|(path, wanted)| is_damaged(path, wanted));
    damaged.map(|(path, _)| path)
}

/// The first file in `folder`, of those that tell what its points are, that is not as it was written.
pub(crate) fn damaged(folder: &Path) -> Option<PathBuf> {
    let path = folder.join(MANIFEST);
    match Manifest::read(&path) {
        Ok(manifest) => damaged_table(folder, &manifest),
        Err(_) => path.exists().then_some(path),
    }
}

/// Gives series that leave their loads to a search those that it placed.
fn place_loads(plan: &mut Plan, points: &[ManifestPoint]) {
    for series in &mut plan.series {
        if series.loads_auto.is_none() {
            continue;
        }
        let mine = points.iter().filter(|point| point.series == series.name);
        let loads = mine.map(|point| point.load);
        let flits_per_unit = series.load_scale.flits_per_unit;
        let load = |in_unit: f64| Load {
            in_unit,
            flits: in_unit * flits_per_unit,
        };
        series.loads = loads.map(load).collect();
    }
}

/// The rows of `points.csv`, in the order of `plan`; a sweep that was stopped wrote them as they came.
fn rows(folder: &Path, plan: &Plan) -> Result<Vec<Row>, ReadError> {
    let path = folder.join(POINTS);
    let wrong = |reason: String| ReadError::File {
        path: path.clone(),
        reason,
        help: SWEEP_AGAIN,
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    let mut records = csv::records(&text);
    let (_, header) = records.next().unwrap_or_default();
    let place = |name: &str| header.iter().position(|column| column == name);
    if let Some(missing) = COLUMNS.into_iter().find(|name| place(name).is_none()) {
        return Err(wrong(format!("it has no column `{missing}`")));
    }
    let mut found: HashMap<(String, String), (usize, Map<String, Value>)> = HashMap::new();
    for (line, record) in records {
        let (fields, columns) = (record.len(), header.len());
        if fields != columns {
            return Err(wrong(format!(
                "line {line} has {fields} fields, not {columns}"
            )));
        }
        let values = record.iter().map(|field| value(field));
        let field = |name| place(name).map(|at| record[at].clone()).unwrap_or_default();
        let point = (field("series"), field("load"));
        found.insert(point, (line, header.iter().cloned().zip(values).collect()));
    }
    let mut rows = Vec::with_capacity(found.len());
    for (series, load) in points_of(plan) {
        let name = (series.name.clone(), number::text(Some(load.in_unit)));
        let Some((line, values)) = found.remove(&name) else {
            continue;
        };
        let row = Row::from_json(plan, series, load, &values);
        rows.push(row.ok_or_else(|| wrong(format!("line {line} is no row of a sweep")))?);
    }
    match found.into_iter().min_by_key(|(_, (line, _))| *line) {
        Some(((series, load), (line, _))) => Err(wrong(format!(
            "line {line} is of series \"{series}\" at load {load}, which {MANIFEST} does not have"
        ))),
        None => Ok(rows),
    }
}

/// A field: nothing, a number or a text.
fn value(field: &str) -> Value {
    match (field, field.parse::<u64>(), field.parse::<f64>()) {
        ("", ..) => Value::Null,
        (_, Ok(whole), _) => whole.into(),
        (_, _, Ok(real)) if real.is_finite() => real.into(),
        _ => field.into(),
    }
}

/// What the folder of a sweep tells of the points of `rows` beyond them; `keys` are those of every
/// point of `plan`. What is missing is left out.
pub fn extras(folder: &Path, plan: &Plan, keys: &[String], rows: &[Row]) -> Vec<PointExtra> {
    extras_and_damage(folder, plan, keys, rows).0
}

/// The same, and the first file of a point that was read and is not as it was written.
fn extras_and_damage(
    folder: &Path,
    plan: &Plan,
    keys: &[String],
    rows: &[Row],
) -> (Vec<PointExtra>, Option<PathBuf>) {
    let mut damaged = None;
    let store = PointStore::in_folder(folder);
    let mut files = Files::new(folder);
    let mut rows = rows.iter().peekable();
    let mut extras = Vec::new();
    for ((series, load), key) in points_of(plan).zip(keys) {
        let is_next = |row: &&Row| row.series == series.name && row.load == load.in_unit;
        let Some(row) = rows.next_if(is_next) else {
            continue;
        };
        let mut lines = |detail| match store.details(key, detail) {
            Ok(lines) => lines,
            Err(error) => {
                if damaged.is_none() && error.kind() == ErrorKind::InvalidData {
                    damaged = store.damaged(key);
                }
                files.lines(detail, row)
            }
        };
        let buckets = lines(Detail::Histogram);
        let busy = match series.measure.details.contains(Detail::Channels) {
            true => busy_of(&lines(Detail::Channels), series.network.channels() as usize),
            false => None,
        };
        let details = series.measure.details.iter();
        let others = details.filter(|one| !matches!(one, Detail::Histogram | Detail::Channels));
        extras.push(PointExtra {
            buckets: buckets_of(&buckets),
            tables: others
                .map(|detail| table_of(detail, &lines(detail)))
                .collect(),
            busy,
        });
    }
    (extras, damaged)
}

/// The files of details of a folder, for where the points are no longer kept.
struct Files<'a> {
    folder: &'a Path,
    /// By detail and point: its lines.
    read: HashMap<&'static str, HashMap<[String; 2], Vec<u8>>>,
}

impl<'a> Files<'a> {
    fn new(folder: &'a Path) -> Self {
        let read = HashMap::new();
        Self { folder, read }
    }

    /// The lines of `detail` of the point of `row`; none where there are none.
    fn lines(&mut self, detail: Detail, row: &Row) -> Vec<u8> {
        let name = details::file(detail);
        let folder = self.folder;
        let points = self.read.entry(name).or_insert_with(|| {
            let mut points: HashMap<[String; 2], Vec<u8>> = HashMap::new();
            let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
            for (_, record) in csv::records(&text).skip(1) {
                let field = |index: usize| record.get(index).cloned().unwrap_or_default();
                let lines = points.entry([field(1), field(3)]).or_default();
                lines.extend(csv::line(record.iter().skip(details::COLUMNS_OF_POINT)));
            }
            points
        });
        let point = [row.series.clone(), number::text(Some(row.load))];
        points.get(&point).cloned().unwrap_or_default()
    }
}

fn records(lines: &[u8]) -> impl Iterator<Item = Vec<String>> {
    let lines = str::from_utf8(lines).unwrap_or_default();
    csv::records(lines).map(|(_, record)| record)
}

/// The lines of `detail` as people see them.
fn table_of(detail: Detail, lines: &[u8]) -> PointTable {
    let columns = details::columns(detail);
    let whole = |record: &Vec<String>| record.len() == columns.len();
    let rows = records(lines).filter(whole);
    let rows = rows.map(|record| record.iter().map(|field| value(field)).collect());
    let table = Table {
        rows: rows.collect(),
        columns: columns.clone(),
    };
    let (mut table, order) = table.foremost_first(detail);
    let rows = table.rows.len();
    table.rows.truncate(ROWS_SHOWN_MOST);
    PointTable {
        name: detail.name(),
        order,
        table,
        rows,
    }
}

/// The lines of a histogram: latency_low, latency_high, packets, ….
fn buckets_of(lines: &[u8]) -> Vec<LatencyBucket> {
    let bucket = |record: Vec<String>| {
        Some(LatencyBucket {
            low: record.first()?.parse().ok()?,
            high: record.get(1)?.parse().ok()?,
            packets: record.get(2)?.parse().ok()?,
        })
    };
    records(lines).map_while(bucket).collect()
}

/// The lines of channels: the shares of time that each of `channels` was busy; `None` where one is
/// missing.
fn busy_of(lines: &[u8], channels: usize) -> Option<Vec<f64>> {
    let mut busy = vec![None; channels];
    let columns = details::columns(Detail::Channels);
    let at = |name: &str| columns.iter().position(|column| *column == name);
    let (channel, vc, share) = (at("channel")?, at("vc")?, at("busy")?);
    for record in records(lines).filter(|record| record.get(vc).is_some_and(String::is_empty)) {
        let index: usize = record.get(channel)?.parse().ok()?;
        *busy.get_mut(index)? = record.get(share)?.parse().ok();
    }
    busy.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_without_their_virtual_channels() {
        let lines =
            b"0,0,1,0,+,,,0.25,0.5,0,0\n0,0,1,0,+,,0,0.2,0.4,0,0\n1,1,0,0,-,,,0.1,0.2,0,0\n";
        assert_eq!(busy_of(lines, 2), Some(vec![0.5, 0.2]));
        assert_eq!(busy_of(lines, 3), None, "one is missing");
        assert_eq!(busy_of(b"", 1), None);
    }

    #[test]
    fn fields_are_read_as_they_were_written() {
        assert_eq!(value(""), Value::Null);
        assert_eq!(value("17"), Value::from(17u64));
        assert_eq!(value("0.5"), Value::from(0.5));
        assert_eq!(value("converged"), Value::from("converged"));
    }
}
