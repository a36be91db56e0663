//! A file of details: rows as points finish, put into scenario order at the end.
//!
//! Invariant: the file holds whole rows, and every point's rows stand together. Nothing of them is
//! kept in memory: the details of a large network are many.

use super::details;
use crate::measurement::details::Detail;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The rows of one point.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The point, in scenario order.
    index: usize,
    start: u64,
    bytes: u64,
}

/// A growing file.
#[derive(Debug)]
pub(super) struct DetailFile {
    detail: Detail,
    file: File,
    bytes: u64,
    parts: Vec<Part>,
}

impl DetailFile {
    /// The file of `detail` in `folder`, new, with its header.
    pub(super) fn create(folder: &Path, detail: Detail) -> io::Result<Self> {
        let path = folder.join(details::file(detail));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        let header = details::header(detail);
        file.write_all(&header)?;
        Ok(Self {
            detail,
            file,
            bytes: header.len() as u64,
            parts: Vec::new(),
        })
    }

    pub(super) fn detail(&self) -> Detail {
        self.detail
    }

    /// Adds the rows of the point `index`.
    pub(super) fn append(&mut self, index: usize, rows: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(rows) {
            // A full disk may have taken some; if this fails too, they stay.
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        self.parts.push(Part {
            index,
            start: self.bytes,
            bytes: rows.len() as u64,
        });
        self.bytes += rows.len() as u64;
        Ok(())
    }

    /// Replaces the file by one in which the points stand in scenario order.
    pub(super) fn sort(&mut self, folder: &Path) -> io::Result<()> {
        if self.parts.is_sorted_by_key(|part| part.index) {
            return self.file.sync_all();
        }
        let name = details::file(self.detail);
        let temporary = folder.join(format!(".{name}.part"));
        let written = self
            .write_sorted(&temporary)
            .and_then(|()| fs::rename(&temporary, folder.join(name)));
        if written.is_err() {
            // Nothing more can be done for a file that cannot be removed either.
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn write_sorted(&mut self, path: &Path) -> io::Result<()> {
        let mut sorted = BufWriter::new(File::create(path)?);
        sorted.write_all(&details::header(self.detail))?;
        self.parts.sort_by_key(|part| part.index);
        for part in &self.parts {
            self.file.seek(SeekFrom::Start(part.start))?;
            let copied = io::copy(&mut (&self.file).take(part.bytes), &mut sorted)?;
            if copied != part.bytes {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        sorted.into_inner().map_err(io::Error::from)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_end_up_in_scenario_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = DetailFile::create(folder.path(), Detail::Histogram).unwrap();
        for (index, rows) in [(2, "two\n"), (0, "zero\nzero\n"), (1, "")] {
            file.append(index, rows.as_bytes()).unwrap();
        }
        let path = folder.path().join("histogram.csv");
        let header = String::from_utf8(details::header(Detail::Histogram)).unwrap();
        let text = || fs::read_to_string(&path).unwrap();
        assert_eq!(text(), format!("{header}two\nzero\nzero\n"));
        file.sort(folder.path()).unwrap();
        assert_eq!(text(), format!("{header}zero\nzero\ntwo\n"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
