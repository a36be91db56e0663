//! The folder of a sweep's results.
//!
//! Invariant: a row is on the disk before the next point's row is taken, and a file that exists is
//! whole: the growing `points.csv` holds only whole rows, every other file appears by a rename.

use super::detail_file::DetailFile;
use super::details;
use super::row::{COLUMNS, Row};
use crate::measurement::details::{Detail, Details};
use crate::point::PointResult;
use crate::scenario::SeriesPlan;
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
        "{} already holds results ({file}); add --overwrite to replace them, or choose another \
         folder with --out DIR",
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
    #[error("cannot write {}: {source}; {rows_kept} finished points are kept in {POINTS} beside it", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
        /// Rows that are on the disk.
        rows_kept: usize,
    },
}

impl FolderError {
    /// The program's exit code: 2 where the user's input is at fault, 1 where the run failed.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::HasResults { .. } | Self::Unwritable { .. } => 2,
            Self::Write { .. } => 1,
        }
    }
}

/// A folder that takes the rows of a sweep as points finish, and its other files at the end.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    points: File,
    points_bytes: u64,
    rows_kept: usize,
    details: Vec<DetailFile>,
}

impl OutputFolder {
    /// Makes the folder `path` where there is none, and `points.csv` in it with its header. With
    /// `overwrite`, results that are in the folder are removed first; other files stay.
    ///
    /// # Errors
    /// [`FolderError::HasResults`] without `overwrite`; [`FolderError::Unwritable`].
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, FolderError> {
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |source| FolderError::Unwritable { path, source }
        };
        fs::create_dir_all(path).map_err(unwritable(path))?;
        for file in files() {
            let old = path.join(file);
            match old.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unwritable(&old)(error)),
                Ok(_) if !overwrite => {
                    return Err(FolderError::HasResults {
                        path: path.to_owned(),
                        file,
                    });
                }
                Ok(_) => fs::remove_file(&old).map_err(unwritable(&old))?,
            }
        }
        let file = path.join(POINTS);
        let mut points = File::create_new(&file).map_err(unwritable(&file))?;
        let header = csv_line(COLUMNS);
        points.write_all(&header).map_err(unwritable(&file))?;
        Ok(Self {
            path: path.to_owned(),
            points,
            points_bytes: header.len() as u64,
            rows_kept: 0,
            details: Vec::new(),
        })
    }

    /// The folder with a file for each of `details`, with its header.
    ///
    /// # Errors
    /// [`FolderError::Unwritable`].
    pub fn with_details(mut self, details: Details) -> Result<Self, FolderError> {
        for detail in details.iter() {
            let file = DetailFile::create(&self.path, detail);
            let path = || self.path.join(details::file(detail));
            let file = file.map_err(|source| FolderError::Unwritable {
                path: path(),
                source,
            })?;
            self.details.push(file);
        }
        Ok(self)
    }

    /// Adds what `result`, that of the point `index` in scenario order, tells beyond its `row`.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append_details(
        &mut self,
        index: usize,
        series: &SeriesPlan,
        row: &Row,
        result: &PointResult,
    ) -> Result<(), FolderError> {
        for file in &mut self.details {
            let Some(table) = details::table(file.detail(), series, result) else {
                continue;
            };
            let written = file.append(index, &table.to_csv(row));
            written.map_err(|source| FolderError::Write {
                path: self.path.join(details::file(file.detail())),
                source,
                rows_kept: self.rows_kept,
            })?;
        }
        Ok(())
    }

    /// Puts the rows of the files of details into scenario order.
    ///
    /// # Errors
    /// [`FolderError::Write`]; the rows that were appended are kept.
    pub fn rewrite_details(&mut self) -> Result<(), FolderError> {
        for file in &mut self.details {
            let sorted = file.sort(&self.path);
            sorted.map_err(|source| FolderError::Write {
                path: self.path.join(details::file(file.detail())),
                source,
                rows_kept: self.rows_kept,
            })?;
        }
        Ok(())
    }

    /// The files of details.
    pub fn details(&self) -> impl Iterator<Item = &'static str> {
        self.details.iter().map(|file| details::file(file.detail()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds `row` at the end of `points.csv`.
    ///
    /// # Errors
    /// [`FolderError::Write`].
    pub fn append(&mut self, row: &Row) -> Result<(), FolderError> {
        // One write a row: a kill leaves whole rows.
        let line = csv_line(row.fields());
        let written = self
            .points
            .write_all(&line)
            .and_then(|()| self.points.flush());
        if let Err(source) = written {
            // A full disk may have taken half a row; if this fails too, the half stays.
            let _ = self.points.set_len(self.points_bytes);
            return Err(FolderError::Write {
                path: self.path.join(POINTS),
                source,
                rows_kept: self.rows_kept,
            });
        }
        self.points_bytes += line.len() as u64;
        self.rows_kept += 1;
        Ok(())
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
        let temporary = self.path.join(format!(".{name}.part"));
        let written = File::create(&temporary)
            .and_then(|mut file| {
                file.write_all(contents)?;
                file.sync_all()
            })
            .and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|source| {
            // Nothing more can be done for a file that cannot be removed either.
            let _ = fs::remove_file(&temporary);
            FolderError::Write {
                path,
                source,
                rows_kept: self.rows_kept,
            }
        })
    }
}

/// The text of `points.csv` with `rows`, in their order.
pub fn points_csv(rows: &[Row]) -> Vec<u8> {
    let mut text = csv_line(COLUMNS);
    for row in rows {
        text.extend(csv_line(row.fields()));
    }
    text
}

/// A line of CSV, quoted where it must be (RFC 4180), ended by a line feed.
pub(super) fn csv_line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(fields)
        .and_then(|()| writer.flush().map_err(csv::Error::from))
        .expect("memory takes every write");
    writer.into_inner().expect("flushed above")
}
