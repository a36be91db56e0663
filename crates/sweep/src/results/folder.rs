//! The folder of a sweep's results.
//!
//! Invariant: a point is on the disk before the next one is taken, and a file that exists is whole:
//! the growing `points.csv` holds only whole rows, every other file appears by a rename.

use super::csv;
use super::details;
use super::file::{is_full, replace_whole, write_whole};
use super::row::{COLUMNS, Row};
use super::store::{Finished, PointStore, STORE};
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    FILES.into_iter().chain(Detail::ALL.map(details::file))
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
        "cannot write {}: {source}; {} finished so far {} kept in {}: with room again, the same command \
         with --resume simulates only the rest",
        path.display(),
        points(*rows_kept),
        if *rows_kept == 1 { "is" } else { "are" },
        folder.display(),
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// The folder of the results.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
        /// Rows that are on the disk.
        rows_kept: usize,
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
        1 => "the 1 point".to_owned(),
        count => format!("the {count} points"),
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

impl FolderError {
    /// The program's exit code: 2 where the user's input is at fault, 1 where the run failed.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::HasResults { .. } | Self::Unwritable { .. } => 2,
            Self::Write { .. } | Self::Full { .. } => 1,
        }
    }
}

/// A folder that takes the points of a sweep as they finish, and its other files at the end.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    store: PointStore,
    points: File,
    points_bytes: u64,
    rows_kept: usize,
}

impl OutputFolder {
    /// Makes the folder `path` where there is none, and `points.csv` in it with its header. Files
    /// that are no results stay.
    ///
    /// # Errors
    /// [`FolderError::HasResults`] where results are to be refused; [`FolderError::Unwritable`].
    pub fn create(path: &Path, existing: Existing) -> Result<Self, FolderError> {
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |source| match is_full(&source) {
                true => FolderError::Full { path, source },
                false => FolderError::Unwritable { path, source },
            }
        };
        fs::create_dir_all(path).map_err(unwritable(path))?;
        for file in files() {
            let old = path.join(file);
            match old.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unwritable(&old)(error)),
                Ok(_) if existing == Existing::Refuse => {
                    return Err(FolderError::HasResults {
                        path: path.to_owned(),
                        file,
                    });
                }
                Ok(_) => fs::remove_file(&old).map_err(unwritable(&old))?,
            }
        }
        let store = PointStore::in_folder(path);
        if existing == Existing::Refuse && !store.is_empty() {
            return Err(FolderError::HasResults {
                path: path.to_owned(),
                file: STORE,
            });
        }
        if existing != Existing::Resume {
            store.keep_only(&[]).map_err(unwritable(path))?;
        }
        store.create().map_err(unwritable(path))?;
        let file = path.join(POINTS);
        let mut points = File::create_new(&file).map_err(unwritable(&file))?;
        let header = csv::line(COLUMNS);
        points.write_all(&header).map_err(unwritable(&file))?;
        Ok(Self {
            path: path.to_owned(),
            store,
            points,
            points_bytes: header.len() as u64,
            rows_kept: 0,
        })
    }

    /// The points kept so far.
    pub const fn store(&self) -> &PointStore {
        &self.store
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins `points.csv` with the rows of points that earlier runs have finished.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn restore<'r>(
        &mut self,
        finished: impl IntoIterator<Item = &'r Finished>,
    ) -> Result<(), FolderError> {
        for point in finished {
            self.append_row(&point.row)?;
        }
        Ok(())
    }

    /// Keeps a point that has finished, and adds its row at the end of `points.csv`.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append(&mut self, key: &str, point: &Finished) -> Result<(), FolderError> {
        let kept = self.store.put(key, point);
        kept.map_err(|source| self.failed(&self.store.file(key), source))?;
        self.append_row(&point.row)
    }

    fn append_row(&mut self, row: &Row) -> Result<(), FolderError> {
        // One write a row: a kill leaves whole rows.
        let line = csv::line(row.fields());
        let written = self
            .points
            .write_all(&line)
            .and_then(|()| self.points.flush());
        if let Err(source) = written {
            // A full disk may have taken half a row; if this fails too, the half stays.
            let _ = self.points.set_len(self.points_bytes);
            return Err(self.failed(&self.path.join(POINTS), source));
        }
        self.points_bytes += line.len() as u64;
        self.rows_kept += 1;
        Ok(())
    }

    /// Keeps what `result`, that of a point of `series` with the key `key`, tells beyond its row; before
    /// the point itself, which then has all that belongs to it. The histogram is kept whether the
    /// series asks for it or not: the report shows it.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append_details(
        &self,
        key: &str,
        series: &SeriesPlan,
        result: &PointResult,
    ) -> Result<(), FolderError> {
        for detail in series
            .measure
            .details
            .union(Detail::Histogram.into())
            .iter()
        {
            let table = details::table(detail, series, result);
            let rows = table.map_or_else(Vec::new, |table| table.to_csv());
            let kept = self.store.put_details(key, detail, &rows);
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
        let written = replace_whole(&path, |file| {
            file.write_all(&details::header(detail))?;
            for (row, key, _) in asked {
                let rows = self.store.details(key, detail)?;
                details::write_rows(row, &rows, file)?;
            }
            Ok(())
        });
        written.map_err(|source| self.failed(&path, source))
    }

    /// Removes kept points that are none of `keys`: those of a scenario since edited.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn keep_only(&self, keys: &[String]) -> Result<(), FolderError> {
        let kept = self.store.keep_only(keys);
        kept.map_err(|source| self.failed(&self.path, source))
    }

    fn failed(&self, path: &Path, source: io::Error) -> FolderError {
        FolderError::Write {
            path: path.to_owned(),
            folder: self.path.clone(),
            source,
            rows_kept: self.rows_kept,
        }
    }

    /// Replaces `points.csv` by `rows`, in their order.
    ///
    /// # Errors
    /// [`FolderError::Write`]; the rows that were appended are kept.
    pub fn rewrite_points(&self, rows: &[Row]) -> Result<(), FolderError> {
        self.replace(POINTS, &points_csv(rows))
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

/// The text of `points.csv` with `rows`, in their order.
pub fn points_csv(rows: &[Row]) -> Vec<u8> {
    let mut text = csv::line(COLUMNS);
    for row in rows {
        text.extend(csv::line(row.fields()));
    }
    text
}
