//! Finished points, a file each, known by the hash of what defines them.
//!
//! Invariant: a file that exists is whole (it appears by a rename; that of a point simulated in a moment may be
//! damaged by a power failure) and holds everything measured of its point, to the digit, and no name that a
//! scenario gives it: a sweep that takes it from here writes the same bytes as one that simulates it. A file of
//! another version of flitsim is not taken, nor one that is not as it was written: it holds a hash of itself and
//! of the details beside it.

use super::details;
use super::file::{Outlasts, remove, remove_drafts, replace_whole, write_whole};
use super::row::Row;
use crate::disk;
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::measurement::paired::Spans;
use flitsim_measure::point::DeadlockReport;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::hash::{NO_DIGEST, digest, is_sealed, sealed};
use flitsim_scenario::plan::{Load, Plan};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The ending of the file with the state of a point that is under way.
pub(crate) const CHECKPOINT: &str = "checkpoint";

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
    /// By name: the hashes of the files of details.
    details: BTreeMap<String, String>,
    /// That of this file with zeros in its place.
    hash: String,
}

impl Kept {
    fn text(&self) -> io::Result<String> {
        // As a value, its members are in the order of their names.
        Ok(sealed(&format!("{:#}\n", serde_json::to_value(self)?)))
    }

    /// Reads what [`Kept::text`] wrote; `None` where a byte of it differs.
    fn read(text: &str) -> Option<Self> {
        let kept: Self = serde_json::from_str(text).ok()?;
        is_sealed(text, &kept.hash).then_some(kept)
    }
}

/// What the file of a point tells of the files beside it.
#[derive(Deserialize)]
struct Beside {
    details: BTreeMap<String, String>,
    hash: String,
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

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder where there is none.
    ///
    /// # Errors
    /// What the system says; a link in its place, which would lead points elsewhere.
    pub fn create(&self) -> io::Result<()> {
        if self.path.is_symlink() {
            let link = "it is a link, and points are kept in a folder";
            return Err(io::Error::new(io::ErrorKind::NotADirectory, link));
        }
        disk::create_folder(&self.path)
    }

    /// Where the point with the key `key` is kept.
    pub fn file(&self, key: &str) -> PathBuf {
        self.path.join(format!("{key}{SUFFIX}"))
    }

    /// Keeps a point, in a file that `outlasts`; what is kept of its details belongs to it.
    ///
    /// # Errors
    /// What the system says; nothing half written is left.
    pub fn put(&self, key: &str, point: &Finished, outlasts: Outlasts) -> io::Result<()> {
        let mut details = BTreeMap::new();
        for detail in Detail::each() {
            if let Ok(rows) = fs::read(self.details_file(key, detail)) {
                details.insert(details::file(detail).to_owned(), digest(&rows));
            }
        }
        let kept = Kept {
            flitsim: env!("CARGO_PKG_VERSION").to_owned(),
            key: key.to_owned(),
            measured: point.row.measured_json(),
            deadlock: point.deadlock.clone(),
            spans: point.spans.clone(),
            details,
            hash: NO_DIGEST.to_owned(),
        };
        let text = kept.text()?;
        replace_whole(&self.file(key), outlasts, |file| {
            file.write_all(text.as_bytes())
        })
    }

    /// Where the rows of `detail` of the point with the key `key` are kept.
    pub fn details_file(&self, key: &str, detail: Detail) -> PathBuf {
        self.path.join(format!("{key}.{}", details::file(detail)))
    }

    /// Keeps the rows of `detail` of a point, in a file that `outlasts`.
    ///
    /// # Errors
    /// What the system says; nothing half written is left.
    pub fn put_details(
        &self,
        key: &str,
        detail: Detail,
        rows: &[u8],
        outlasts: Outlasts,
    ) -> io::Result<()> {
        replace_whole(&self.details_file(key, detail), outlasts, |file| {
            file.write_all(rows)
        })
    }

    /// The rows of `detail` of a point, as they were written.
    ///
    /// # Errors
    /// What the system says; there are none where they were not kept, or are not as they were written.
    pub fn details(&self, key: &str, detail: Detail) -> io::Result<Vec<u8>> {
        let text = fs::read_to_string(self.file(key)).unwrap_or_default();
        let rows = fs::read(self.details_file(key, detail))?;
        match serde_json::from_str::<Beside>(&text) {
            Ok(of)
                if is_sealed(&text, &of.hash)
                    && of.details.get(details::file(detail)) == Some(&digest(&rows)) =>
            {
                Ok(rows)
            }
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "it is damaged")),
        }
    }

    /// The file of the point with the key `key`, as it was written.
    fn whole(&self, key: &str) -> Option<Kept> {
        Kept::read(&fs::read_to_string(self.file(key)).ok()?)
    }

    /// Whether the file of the point with the key `key` is as it was written; those of its details are not
    /// looked at.
    pub fn reads(&self, key: &str) -> bool {
        self.whole(key).is_some_and(|kept| kept.key == key)
    }

    /// The point with the key `key`, as a row of `plan`: `None` where it was not kept, was kept by
    /// another version, or is [damaged](Self::damaged).
    pub fn get(&self, key: &str, plan: &Plan, series: &SeriesPlan, load: Load) -> Option<Finished> {
        let kept = self.whole(key)?;
        let mut asked = series.measure.details.iter();
        if kept.flitsim != env!("CARGO_PKG_VERSION")
            || kept.key != key
            || !asked.all(|detail| kept.details.contains_key(details::file(detail)))
            || self.damaged_details(key, &kept).is_some()
        {
            return None;
        }
        Some(Finished {
            row: Row::from_json(plan, series, load, &kept.measured)?,
            deadlock: kept.deadlock,
            spans: kept.spans,
        })
    }

    /// The first file of the point with the key `key` that is not as it was written.
    pub fn damaged(&self, key: &str) -> Option<PathBuf> {
        let file = self.file(key);
        match self.whole(key) {
            None => file.exists().then_some(file),
            Some(kept) if kept.key != key => Some(file),
            Some(kept) => self.damaged_details(key, &kept),
        }
    }

    fn damaged_details(&self, key: &str, kept: &Kept) -> Option<PathBuf> {
        let names = kept.details.iter();
        let mut files =
            names.map(|(name, wanted)| (self.path.join(format!("{key}.{name}")), wanted));
        let is_whole =
            |file: &Path, wanted: &str| fs::read(file).is_ok_and(|rows| digest(&rows) == *wanted);
        let damaged = files.find(|(file, wanted)| !is_whole(file, wanted));
        damaged.map(|(file, _)| file)
    }

    /// The file of the point with the key `key`, where it and those of its details are as they were written.
    fn complete(&self, key: &str) -> Option<Kept> {
        let kept = self.whole(key).filter(|kept| kept.key == key)?;
        self.damaged_details(key, &kept).is_none().then_some(kept)
    }

    /// Takes the point with the key `key` from `other`, where it is whole there, and here is none that is, or
    /// one of another version or with fewer details.
    ///
    /// # Errors
    /// What the system says.
    pub fn take(&self, key: &str, other: &Self) -> io::Result<()> {
        let worth = |kept: &Kept| {
            let is_ours = kept.flitsim == env!("CARGO_PKG_VERSION");
            (is_ours, kept.details.len())
        };
        let (here, there) = (self.complete(key), other.complete(key));
        let Some(point) = there.filter(|there| here.as_ref().map(worth) < Some(worth(there)))
        else {
            return Ok(());
        };
        let details = point.details.keys().map(|name| format!("{key}.{name}"));
        // The point comes last: with it belongs what is kept of its details.
        for name in details.chain([format!("{key}{SUFFIX}")]) {
            write_whole(&self.path.join(&name), &fs::read(other.path.join(&name))?)?;
        }
        Ok(())
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

    /// Removes every kept point; other files stay.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self) -> io::Result<()> {
        remove(&self.path, |name| key_of(name).is_some())
    }

    /// Removes what a killed run left half written.
    ///
    /// # Errors
    /// What the system says.
    pub fn remove_drafts(&self) -> io::Result<()> {
        remove_drafts(&self.path, |name| key_of(name).is_some())
    }
}

/// The key in the name of a kept point or of its state, and which it is.
pub(crate) fn point_or_state(name: &str) -> Option<(&str, &str)> {
    let (key, kind) = (key_of(name)?, name.split_once('.')?.1);
    [&SUFFIX[1..], CHECKPOINT]
        .contains(&kind)
        .then_some((key, kind))
}

/// The key in the name of a kept point, of its details or of its state.
fn key_of(name: &str) -> Option<&str> {
    let (key, kind) = name.split_once('.')?;
    let is_key = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_detail = || Detail::each().any(|d| details::file(d) == kind);
    (is_key && ([&SUFFIX[1..], CHECKPOINT].contains(&kind) || is_detail())).then_some(key)
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
        store.put(key, &of, Outlasts::Kill).unwrap();
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
        store.put(key, &point, Outlasts::Kill).unwrap();
        let get = || store.get(key, &plan, series, series.loads[0]);
        assert_eq!(get(), None);
        assert_eq!(store.damaged(key), None, "it has none, and says so");
        store
            .put_details(key, Detail::Sources, b"0,1\n", Outlasts::Kill)
            .unwrap();
        store.put(key, &point, Outlasts::Kill).unwrap();
        assert!(get().is_some());
        assert_eq!(store.details(key, Detail::Sources).unwrap(), b"0,1\n");
        fs::write(store.details_file(key, Detail::Sources), "0,2\n").unwrap();
        assert_eq!(get(), None);
        assert!(store.details(key, Detail::Sources).is_err());
        let damaged = store.details_file(key, Detail::Sources);
        assert_eq!(store.damaged(key), Some(damaged));
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
        store.put(key, &point, Outlasts::Kill).unwrap();
        let get = || store.get(key, &plan, series, series.loads[0]);
        assert!(get().is_some() && store.reads(key));
        let text = fs::read(store.file(key)).unwrap();
        for at in 0..text.len() {
            let mut spoilt = text.clone();
            spoilt[at] ^= 1;
            fs::write(store.file(key), &spoilt).unwrap();
            assert_eq!(get(), None, "byte {at}");
            assert_eq!(store.damaged(key), Some(store.file(key)), "byte {at}");
            assert!(!store.reads(key), "byte {at}");
        }
        fs::write(store.file(key), &text[..text.len() / 2]).unwrap();
        assert_eq!(get(), None);
        // Whole, and of another version.
        let mut other = Kept::read(str::from_utf8(&text).unwrap()).unwrap();
        (other.flitsim, other.hash) = ("0.0.0".to_owned(), NO_DIGEST.to_owned());
        fs::write(store.file(key), other.text().unwrap()).unwrap();
        assert_eq!((get(), store.damaged(key)), (None, None));
    }

    #[test]
    fn what_is_half_written_goes_and_what_is_the_users_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = PointStore::in_folder(folder.path());
        store.create().unwrap();
        let key = "0".repeat(32);
        for name in [
            format!("{key}.json"),
            format!("{key}.sources.csv"),
            format!(".{key}.channels.csv.7-0.part"),
            format!(".{key}.json.7-12.part"),
            "notes.json".to_owned(),
        ] {
            fs::write(folder.path().join(STORE).join(name), "").unwrap();
        }
        let names = || {
            let entries = fs::read_dir(folder.path().join(STORE)).unwrap();
            let mut names: Vec<_> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert!(!store.is_empty());
        store.remove_drafts().unwrap();
        let sources = format!("{key}.sources.csv");
        assert_eq!(
            names(),
            [format!("{key}.json"), sources, "notes.json".to_owned()]
        );
        store.clear().unwrap();
        assert!(store.is_empty());
        assert_eq!(names(), ["notes.json"]);
    }
}
