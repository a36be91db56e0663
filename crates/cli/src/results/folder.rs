//! The folder of a sweep's results.
//!
//! Invariant: a row is on the disk before the next point's row is taken, and a file that exists is
//! whole: the growing `points.csv` holds only whole rows, every other file appears by a rename.

use super::row::{COLUMNS, Row};
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
        for file in FILES {
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
        })
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
fn csv_line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(fields)
        .and_then(|()| writer.flush().map_err(csv::Error::from))
        .expect("memory takes every write");
    writer.into_inner().expect("flushed above")
}
