//! The folder of a sweep's results.
//!
//! Invariant: a point is on the disk before the next one is taken, and a file that exists is whole:
//! the growing `points.csv` holds only whole rows, every other file appears by a rename. What earlier runs
//! left is there until what replaces it is. A folder takes one sweep at a time.

use super::csv;
use super::details;
use super::file::{Outlasts, is_full, remove_drafts, replace_whole, write_whole};
use super::row::{Row, columns_of};
use super::store::{Finished, PointStore, STORE};
use crate::disk::{self, Draft};
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::point::PointResult;
use flitsim_scenario::{Plan, SeriesPlan};
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The rows, one a point.
pub const POINTS: &str = "points.csv";
/// The latency chart.
pub const CURVES: &str = "curves.svg";
/// The page.
pub const REPORT: &str = "report.html";
/// What was simulated.
pub const MANIFEST: &str = "manifest.json";

const FILES: [&str; 4] = [POINTS, CURVES, REPORT, MANIFEST];

/// Every file that a sweep may leave.
fn files() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().chain(Detail::each().map(details::file))
}

/// Results that cannot be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder holds results, and nobody said to replace them.
    #[error(
        "{} already holds results ({file}); add --resume to simulate only what is missing in them, \
         --overwrite to replace them, or choose another folder with --out DIR",
        path.display()
    )]
    HasResults {
        /// The folder.
        path: PathBuf,
        /// The first file found in it.
        file: &'static str,
    },
    /// Another sweep writes to the folder.
    #[error(
        "another flitsim writes to {}: wait for it, or choose another folder with --out DIR",
        path.display()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder cannot be made or written to, found before anything was simulated.
    #[error("cannot write results to {}: {source}; choose another folder with --out DIR", path.display())]
    Unwritable {
        /// The folder or the file in it.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file could not be written, after simulation began.
    #[error(
        "cannot write {}: {source}; {} kept in {}: {}{} simulates only the rest",
        path.display(),
        points(*rows_kept),
        folder.display(),
        if is_full(source) { "with room again, " } else { "" },
        existing.goes_on_with(),
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// The folder of the results.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
        /// Points that are on the disk.
        rows_kept: usize,
        /// What was to be done with results that were there.
        existing: Existing,
    },
    /// There is no room for the results, found before anything was simulated.
    #[error(
        "cannot write results to {}: {source}; nothing was simulated: make room, or choose another \
         folder with --out DIR",
        path.display()
    )]
    Full {
        /// The folder or the file in it.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn points(count: usize) -> String {
    match count {
        1 => "1 point is".to_owned(),
        count => format!("{count} points are"),
    }
}

/// What to do with results that a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse the folder.
    Refuse,
    /// Remove them.
    Replace,
    /// Keep the points that are still asked for.
    Resume,
}

impl Existing {
    /// The command that goes on with a sweep that was begun so, in words.
    pub const fn goes_on_with(self) -> &'static str {
        match self {
            Self::Replace => "the same command with --resume in place of --overwrite",
            Self::Refuse | Self::Resume => "the same command with --resume",
        }
    }
}

impl FolderError {
    /// The program's exit code: 2 where the user's input is at fault, 1 where the run failed.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::HasResults { .. } | Self::InUse { .. } | Self::Unwritable { .. } => 2,
            Self::Write { .. } | Self::Full { .. } => 1,
        }
    }
}

/// A folder that takes the points of a sweep as they finish, and its other files at the end.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    store: PointStore,
    existing: Existing,
    /// The growing file of rows, and its bytes; from [`OutputFolder::begin`] on.
    points: Option<(Draft, u64)>,
    /// Held as long as this is: the system lets go of it, too, when the program is killed.
    _lock: Option<File>,
}

impl OutputFolder {
    /// Makes the folder `path` where there is none, for this sweep alone. Nothing that it holds changes.
    ///
    /// # Errors
    /// [`FolderError::HasResults`] where results are to be refused; [`FolderError::InUse`];
    /// [`FolderError::Unwritable`].
    pub fn create(path: &Path, existing: Existing) -> Result<Self, FolderError> {
        disk::create_folder(path).map_err(unwritable(path))?;
        let store = PointStore::in_folder(path);
        if existing == Existing::Refuse {
            let is_there = |file: &&str| path.join(file).symlink_metadata().is_ok();
            let kept = (!store.is_empty()).then_some(STORE);
            if let Some(file) = files().find(is_there).or(kept) {
                let path = path.to_owned();
                return Err(FolderError::HasResults { path, file });
            }
        }
        let lock = lock(path)?;
        store.create().map_err(unwritable(path))?;
        let is_ours = |name: &str| name == PROBE || files().any(|file| file == name);
        remove_drafts(path, is_ours).map_err(unwritable(path))?;
        store.remove_drafts().map_err(unwritable(path))?;
        // Whether it can be written to is told before anything is simulated.
        let probe = path.join(PROBE);
        write_whole(&probe, b"").map_err(unwritable(path))?;
        disk::remove(&probe).map_err(unwritable(path))?;
        Ok(Self {
            path: path.to_owned(),
            store,
            existing,
            points: None,
            _lock: lock,
        })
    }

    /// Forgets the points of earlier runs.
    ///
    /// # Errors
    /// [`FolderError::Unwritable`].
    pub fn clear(&self) -> Result<(), FolderError> {
        self.store.clear().map_err(unwritable(&self.path))
    }

    /// Begins: the files of earlier runs make room for the manifest `manifest`, and for `points.csv` with
    /// the rows of points that those have finished.
    ///
    /// # Errors
    /// [`FolderError::Unwritable`].
    pub fn begin<'r>(
        &mut self,
        plan: &Plan,
        manifest: &[u8],
        finished: impl IntoIterator<Item = &'r Finished>,
    ) -> Result<(), FolderError> {
        let mut rows = csv::line(columns_of(plan));
        let each = finished
            .into_iter()
            .map(|point| csv::line(point.row.fields()));
        each.for_each(|line| rows.extend(line));
        for (name, contents) in [(MANIFEST, manifest), (POINTS, &rows)] {
            let file = self.path.join(name);
            write_whole(&file, contents).map_err(unwritable(&file))?;
        }
        for file in files().filter(|file| ![MANIFEST, POINTS].contains(file)) {
            let old = self.path.join(file);
            match disk::remove(&old) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed.map_err(unwritable(&old))?,
            }
        }
        let file = self.path.join(POINTS);
        let points = Draft::append(&file);
        self.points = Some((points.map_err(unwritable(&file))?, rows.len() as u64));
        Ok(())
    }

    /// The points kept so far.
    pub const fn store(&self) -> &PointStore {
        &self.store
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a point that has finished, in a file that `outlasts`, and adds its row at the end of `points.csv`.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append(
        &mut self,
        key: &str,
        point: &Finished,
        outlasts: Outlasts,
    ) -> Result<(), FolderError> {
        let kept = self.store.put(key, point, outlasts);
        kept.map_err(|source| self.failed(&self.store.file(key), source))?;
        self.append_row(&point.row)
    }

    fn append_row(&mut self, row: &Row) -> Result<(), FolderError> {
        let Some((points, bytes)) = &mut self.points else {
            return Ok(());
        };
        // One write a row: a kill leaves whole rows.
        let line = csv::line(row.fields());
        if let Err(source) = points.write_all(&line).and_then(|()| points.flush()) {
            // A full disk may have taken half a row; if this fails too, the half stays.
            let _ = points.shorten(*bytes);
            return Err(self.failed(&self.path.join(POINTS), source));
        }
        *bytes += line.len() as u64;
        Ok(())
    }

    /// Keeps what `result`, that of a point of `series` with the key `key`, tells beyond its row; before
    /// the point itself, which then has all that belongs to it, in files that `outlasts`. The histogram is kept whether the
    /// series asks for it or not: the report shows it.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append_details(
        &self,
        key: &str,
        series: &SeriesPlan,
        result: &PointResult,
        outlasts: Outlasts,
    ) -> Result<(), FolderError> {
        for detail in series
            .measure
            .details
            .union(Detail::Histogram.into())
            .iter()
        {
            let table = details::table(detail, series, result);
            let rows = table.map_or_else(Vec::new, |table| table.to_csv());
            let kept = self.store.put_details(key, detail, &rows, outlasts);
            kept.map_err(|source| self.failed(&self.store.details_file(key, detail), source))?;
        }
        Ok(())
    }

    /// Writes the file of `detail`: the rows of `points`, each a point's row, its key and its series, in
    /// their order. Those that do not ask for it have none.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn write_details<'r>(
        &self,
        detail: Detail,
        points: impl Iterator<Item = (&'r Row, &'r str, &'r SeriesPlan)>,
    ) -> Result<(), FolderError> {
        let path = self.path.join(details::file(detail));
        let asked = points.filter(|(_, _, series)| series.measure.details.contains(detail));
        let written = replace_whole(&path, Outlasts::PowerFailure, |file| {
            file.write_all(&details::header(detail))?;
            for (row, key, _) in asked {
                let rows = self.store.details(key, detail)?;
                details::write_rows(row, &rows, file)?;
            }
            Ok(())
        });
        written.map_err(|source| self.failed(&path, source))
    }

    fn failed(&self, path: &Path, source: io::Error) -> FolderError {
        FolderError::Write {
            path: path.to_owned(),
            folder: self.path.clone(),
            source,
            rows_kept: self.store.kept().len(),
            existing: self.existing,
        }
    }

    /// Writes the file `name` so that it appears whole or not at all.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn replace(&self, name: &str, contents: &[u8]) -> Result<(), FolderError> {
        let path = self.path.join(name);
        write_whole(&path, contents).map_err(|source| self.failed(&path, source))
    }
}

/// The file that tells whether a folder can be written to; it is there for a moment.
const PROBE: &str = "flitsim";

/// What is told where the folder `path`, or the file, cannot be written to before anything is simulated.
pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> FolderError + use<> {
    let path = path.to_owned();
    move |source| match is_full(&source) {
        true => FolderError::Full { path, source },
        false => FolderError::Unwritable { path, source },
    }
}

/// Removes what killed programs left half written in the folder `path`, where no sweep writes to it.
///
/// # Errors
/// [`FolderError::InUse`], [`FolderError::Unwritable`].
pub fn tidy(path: &Path) -> Result<(), FolderError> {
    let _lock = lock(path)?;
    let is_ours = |name: &str| name == PROBE || files().any(|file| file == name);
    remove_drafts(path, is_ours).map_err(unwritable(path))
}

/// Takes the folder `path` for this process; `None` where the system has no such locks.
fn lock(path: &Path) -> Result<Option<File>, FolderError> {
    let Ok(folder) = File::open(path) else {
        return Ok(None);
    };
    let mut locked = folder.try_lock();
    // Who only looks whether it is taken does so for a moment.
    if let Err(TryLockError::WouldBlock) = locked {
        std::thread::sleep(Duration::from_millis(20));
        locked = folder.try_lock();
    }
    match locked {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// Whether a sweep writes to the folder `path`, as far as the system tells.
pub fn is_in_use(path: &Path) -> bool {
    let looked = File::open(path).map(|folder| folder.try_lock_shared());
    matches!(looked, Ok(Err(TryLockError::WouldBlock)))
}

/// The text of `points.csv` with `rows` of `plan`, in their order.
pub fn points_csv(plan: &Plan, rows: &[Row]) -> Vec<u8> {
    let mut text = csv::line(columns_of(plan));
    for row in rows {
        text.extend(csv::line(row.fields()));
    }
    text
}
