//! Files that appear whole or not at all.

use crate::disk::{self, Draft};
use flitsim_scenario::hash::digest;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What a file outlasts once it has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlasts {
    /// The program, however it ends.
    Kill,
    /// The power, too: it is on the disk before it has its name.
    PowerFailure,
}

impl Outlasts {
    /// What took this long to simulate costs a tenth more at most where it outlasts the power: a point has two
    /// files, and a disk syncs each in some milliseconds. What took less is as soon simulated again.
    const WORTH_A_SYNC: Duration = Duration::from_millis(100);

    /// What the files of a point outlast that took so long to simulate.
    pub fn after(took: Duration) -> Self {
        match took < Self::WORTH_A_SYNC {
            true => Self::Kill,
            false => Self::PowerFailure,
        }
    }
}

/// Whether there is no room for more: no fault of the name that the user gave.
pub fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    [FileTooLarge, QuotaExceeded, StorageFull].contains(&error.kind())
}

/// Writes the file `path` so that it appears whole or not at all.
///
/// # Errors
/// What the system says; nothing half written is left.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_whole(path, Outlasts::PowerFailure, |file| {
        file.write_all(contents)
    })
}

/// Lets `write` write the file `path` so that it appears whole or not at all, whatever of `outlasts` comes.
pub(crate) fn replace_whole(
    path: &Path,
    outlasts: Outlasts,
    write: impl FnOnce(&mut BufWriter<Draft>) -> io::Result<()>,
) -> io::Result<()> {
    let (temporary, file) = draft(path)?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file)
        .and_then(|()| file.into_inner().map_err(io::Error::from))
        .and_then(|file| match outlasts {
            Outlasts::Kill => Ok(()),
            Outlasts::PowerFailure => file.sync(),
        })
        .and_then(|()| disk::rename(&temporary, path));
    if written.is_err() {
        // Nothing more can be done for a file that cannot be removed either.
        let _ = disk::remove(&temporary);
    }
    written
}

/// Whether the file `path` could be written now, without writing it.
pub(crate) fn can_be_written(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    disk::remove(&draft(path)?.0)
}

/// Writes the file `path`, which is not there yet; a kill may leave a part of it.
///
/// # Errors
/// What the system says, of a file that is there, too; nothing half written is left.
pub fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = Draft::create_new(path)?;
    let written = file.write_all(contents).and_then(|()| file.sync());
    if written.is_err() {
        let _ = disk::remove(path);
    }
    written
}

/// A file beside `path` for what is to become it, and its name: one that nobody has made, so that no
/// link leads what is written elsewhere.
fn draft(path: &Path) -> io::Result<(PathBuf, Draft)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
        match Draft::create_new(&draft) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return file.map(|file| (draft, file)),
        }
    }
}

/// The digest of the file `path`.
pub(crate) fn digest_of(path: &Path) -> io::Result<String> {
    fs::read(path).map(|bytes| digest(&bytes))
}

/// Removes the files of `folder` whose names `is_wanted`; where there is no folder, none.
pub(super) fn remove(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(&is_wanted) {
            disk::remove(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes what a killed run left half written in `folder` of files whose names are `of`.
pub(crate) fn remove_drafts(folder: &Path, of: impl Fn(&str) -> bool) -> io::Result<()> {
    remove(folder, |name| of_draft(name).is_some_and(&of))
}

/// What the file `name` was called while it was being written: nothing, where it never was.
fn of_draft(name: &str) -> Option<&str> {
    let name = name.strip_prefix('.')?.strip_suffix(".part")?;
    let (name, number) = name.rsplit_once('.')?;
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    number.bytes().all(is_number).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_link_leads_nothing_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("a.csv"));
        fs::write(&victim, "mine").unwrap();
        for number in 0..3000 {
            let name = format!(".a.csv.{}-{number}.part", std::process::id());
            std::os::unix::fs::symlink(&victim, folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        write_whole(&path, b"yours").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        assert_eq!(fs::read_to_string(&path).unwrap(), "yours");
        assert!(!path.is_symlink());
    }

    #[test]
    fn what_took_long_outlasts_the_power() {
        use Outlasts::{Kill, PowerFailure};
        for (milliseconds, wanted) in [(0, Kill), (99, Kill), (100, PowerFailure)] {
            let took = Duration::from_millis(milliseconds);
            assert_eq!(Outlasts::after(took), wanted, "{took:?}");
        }
    }

    #[test]
    fn a_draft_is_known_by_its_name() {
        assert_eq!(of_draft(".points.csv.71-0.part"), Some("points.csv"));
        for other in ["points.csv", ".points.csv.part", ".a.csv.b.part", ".notes"] {
            assert_eq!(of_draft(other), None, "{other}");
        }
    }
}
