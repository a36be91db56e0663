//! Finished points, a file each, known by the hash of what defines them.
//!
//! Invariant: a file that exists is whole (it appears by a rename) and holds everything measured of
//! its point, to the digit, and no name that a scenario gives it: a sweep that takes it from here
//! writes the same bytes as one that simulates it. A file of another version of flitsim is not taken.

use super::details;
use super::file::write_whole;
use super::row::Row;
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::measurement::paired::Spans;
use flitsim_measure::point::DeadlockReport;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::{Load, Plan};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder, beside `points.csv`.
pub const STORE: &str = "points";

const SUFFIX: &str = ".json";

/// A point that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Its row.
    pub row: Row,
    /// What waits on what, where it ran into a deadlock.
    pub deadlock: Option<DeadlockReport>,
    /// What its replicas measured, span by span.
    pub spans: Vec<Spans>,
}

/// A point as its file has it.
#[derive(Serialize, Deserialize)]
struct Kept {
    flitsim: String,
    key: String,
    measured: Map<String, Value>,
    deadlock: Option<DeadlockReport>,
    spans: Vec<Spans>,
}

/// The folder of finished points.
#[derive(Clone, Debug)]
pub struct PointStore {
    path: PathBuf,
}

impl PointStore {
    /// The store of the results in `folder`; nothing is touched yet.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            path: folder.join(STORE),
        }
    }

    /// Makes the folder where there is none.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(&self) -> io::Result<()> {
        fs::create_dir_all(&self.path)
    }

    /// Where the point with the key `key` is kept.
    pub fn file(&self, key: &str) -> PathBuf {
        self.path.join(format!("{key}{SUFFIX}"))
    }

    /// Keeps a point.
    ///
    /// # Errors
    /// What the system says; nothing half written is left.
    pub fn put(&self, key: &str, point: &Finished) -> io::Result<()> {
        let kept = Kept {
            flitsim: env!("CARGO_PKG_VERSION").to_owned(),
            key: key.to_owned(),
            measured: point.row.measured_json(),
            deadlock: point.deadlock.clone(),
            spans: point.spans.clone(),
        };
        // As a value, its members are in the order of their names.
        let text = serde_json::to_value(kept)?;
        write_whole(&self.file(key), format!("{text:#}\n").as_bytes())
    }

    /// Where the rows of `detail` of the point with the key `key` are kept.
    pub fn details_file(&self, key: &str, detail: Detail) -> PathBuf {
        self.path.join(format!("{key}.{}", details::file(detail)))
    }

    /// Keeps the rows of `detail` of a point.
    ///
    /// # Errors
    /// What the system says; nothing half written is left.
    pub fn put_details(&self, key: &str, detail: Detail, rows: &[u8]) -> io::Result<()> {
        write_whole(&self.details_file(key, detail), rows)
    }

    /// The rows of `detail` of a point.
    ///
    /// # Errors
    /// What the system says; there are none where they were not kept.
    pub fn details(&self, key: &str, detail: Detail) -> io::Result<Vec<u8>> {
        fs::read(self.details_file(key, detail))
    }

    /// The point with the key `key`, as a row of `plan`: `None` where it was not kept, was kept by
    /// another version, or cannot be read.
    pub fn get(&self, key: &str, plan: &Plan, series: &SeriesPlan, load: Load) -> Option<Finished> {
        let mut details = series.measure.details.iter();
        if !details.all(|detail| self.details_file(key, detail).is_file()) {
            return None;
        }
        let text = fs::read_to_string(self.file(key)).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        if kept.flitsim != env!("CARGO_PKG_VERSION") || kept.key != key {
            return None;
        }
        Some(Finished {
            row: Row::from_json(plan, series, load, &kept.measured)?,
            deadlock: kept.deadlock,
            spans: kept.spans,
        })
    }

    /// The keys of the points that are kept, and since when.
    pub fn kept(&self) -> Vec<(String, SystemTime)> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let points = entries.filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?;
            let key = key_of(name).filter(|key| name == format!("{key}{SUFFIX}"))?;
            Some((key.to_owned(), entry.metadata().ok()?.modified().ok()?))
        });
        points.collect()
    }

    /// Whether no point is kept.
    pub fn is_empty(&self) -> bool {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name());
        !names.any(|name| name.to_str().is_some_and(|name| key_of(name).is_some()))
    }

    /// Removes every kept point whose key is not among `keys`, and what a killed run left half
    /// written; other files stay.
    ///
    /// # Errors
    /// What the system says.
    pub fn keep_only(&self, keys: &[String]) -> io::Result<()> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some(key) = name.to_str().and_then(key_of) else {
                continue;
            };
            let is_half = name.to_str().is_some_and(|name| name.starts_with('.'));
            if is_half || !keys.iter().any(|kept| kept == key) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// The key in the name of a kept point, of its details, or of one that was being written.
fn key_of(name: &str) -> Option<&str> {
    let half = name.strip_prefix('.').and_then(|n| n.strip_suffix(".part"));
    let (key, kind) = half.unwrap_or(name).split_once('.')?;
    let is_key = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_detail = || Detail::ALL.into_iter().any(|d| details::file(d) == kind);
    (is_key && (SUFFIX[1..] == *kind || is_detail())).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{plan, row, saturated_row};

    fn stored(of: Finished) -> Option<Finished> {
        let folder = tempfile::tempdir().unwrap();
        let store = PointStore::in_folder(folder.path());
        store.create().unwrap();
        let key = "0123456789abcdef0123456789abcdef";
        store.put(key, &of).unwrap();
        let plan = plan(&[("a", &[of.row.load])]);
        let series = &plan.series[0];
        store.get(key, &plan, series, series.loads[0])
    }

    fn values(row: &Row) -> Vec<String> {
        row.fields()[8..].to_vec()
    }

    #[test]
    fn a_point_comes_back_to_the_digit() {
        // Neither number is short in binary.
        let mut of = row("a", 0.1, 23.456_78);
        of.accepted_flits = Some(0.1 + 0.2);
        let back = stored(Finished {
            row: of.clone(),
            deadlock: None,
            spans: Vec::new(),
        })
        .unwrap();
        assert_eq!(values(&back.row), values(&of));
        assert_eq!(back.row.accepted_flits, of.accepted_flits);
        let of = saturated_row("a", 0.7);
        let deadlock = Some(DeadlockReport {
            cycle: 512,
            packets: 4,
            circle: vec!["0->1#0".to_owned()],
        });
        let back = stored(Finished {
            row: of.clone(),
            deadlock: deadlock.clone(),
            spans: vec![Spans::default()],
        })
        .unwrap();
        assert_eq!(values(&back.row), values(&of));
        assert_eq!(back.deadlock, deadlock);
        assert_eq!(back.spans, [Spans::default()]);
    }

    #[test]
    fn a_point_without_the_details_asked_for_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = PointStore::in_folder(folder.path());
        store.create().unwrap();
        let key = "0123456789abcdef0123456789abcdef";
        let mut plan = plan(&[("a", &[0.1])]);
        plan.series[0].measure.details = Detail::Sources.into();
        let series = &plan.series[0];
        let point = Finished {
            row: row("a", 0.1, 20.0),
            deadlock: None,
            spans: Vec::new(),
        };
        store.put(key, &point).unwrap();
        let get = || store.get(key, &plan, series, series.loads[0]);
        assert_eq!(get(), None);
        store.put_details(key, Detail::Sources, b"0,1\n").unwrap();
        assert!(get().is_some());
        assert_eq!(store.details(key, Detail::Sources).unwrap(), b"0,1\n");
    }

    #[test]
    fn only_whole_points_of_this_version_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let store = PointStore::in_folder(folder.path());
        store.create().unwrap();
        let key = "0123456789abcdef0123456789abcdef";
        let plan = plan(&[("a", &[0.1])]);
        let series = &plan.series[0];
        let point = Finished {
            row: row("a", 0.1, 20.0),
            deadlock: None,
            spans: Vec::new(),
        };
        store.put(key, &point).unwrap();
        let get = || store.get(key, &plan, series, series.loads[0]);
        assert!(get().is_some());
        let text = fs::read_to_string(store.file(key)).unwrap();
        let version = format!("\"flitsim\": \"{}\"", env!("CARGO_PKG_VERSION"));
        for spoilt in [
            text.replace(&version, "\"flitsim\": \"0.0.0\""),
            text[..text.len() / 2].to_owned(),
            text.replace("converged", "splendid"),
        ] {
            assert_ne!(spoilt, text);
            fs::write(store.file(key), spoilt).unwrap();
            assert_eq!(get(), None);
        }
    }

    #[test]
    fn what_belongs_to_no_point_goes_and_what_is_the_users_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = PointStore::in_folder(folder.path());
        store.create().unwrap();
        let (kept, gone) = ("0".repeat(32), "1".repeat(32));
        for name in [
            format!("{kept}.json"),
            format!("{kept}.sources.csv"),
            format!("{gone}.json"),
            format!("{gone}.channels.csv"),
            format!(".{kept}.channels.csv.part"),
            format!(".{kept}.json.part"),
            "notes.json".to_owned(),
        ] {
            fs::write(folder.path().join(STORE).join(name), "").unwrap();
        }
        assert!(!store.is_empty());
        store.keep_only(std::slice::from_ref(&kept)).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path().join(STORE))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let sources = format!("{kept}.sources.csv");
        assert_eq!(
            left,
            [format!("{kept}.json"), sources, "notes.json".to_owned()]
        );
        store.keep_only(&[]).unwrap();
        assert!(store.is_empty());
    }
}
