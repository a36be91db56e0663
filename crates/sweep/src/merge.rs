//! The parts of a sweep put together.

use crate::results::file::write_whole;
use crate::results::folder::MANIFEST;
use crate::results::store::{CHECKPOINT, STORE, point_or_state};
use crate::results::{Manifest, OutputFolder, PointStore};
use std::io;
use std::path::{Path, PathBuf};

/// Parts that cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is no folder.
    #[error("{} does not exist", folder.display())]
    NoFolder {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// There is no part.
    #[error(
        "{} holds no results of a sweep: give the folders that `flitsim sweep` wrote",
        folder.display()
    )]
    NoParts {
        /// Where parts were looked for.
        folder: PathBuf,
    },
    /// A folder that no sweep has written.
    #[error("cannot read {}: {reason}; `flitsim sweep` writes it", path.display())]
    NoPart {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Parts of different sweeps.
    #[error(
        "{} is not a part of the sweep of {}: {what} differs",
        other.display(), first.display()
    )]
    Different {
        /// The first part.
        first: PathBuf,
        /// The other.
        other: PathBuf,
        /// What tells them apart.
        what: &'static str,
    },
    /// A folder that is another sweep's.
    #[error("{} holds another sweep: {what} differs; choose another folder", folder.display())]
    Holds {
        /// The folder.
        folder: PathBuf,
        /// What tells them apart.
        what: &'static str,
    },
    /// A file that cannot be copied.
    #[error("cannot copy {}: {source}", path.display())]
    Copy {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The folder in a sweep's where parts are side by side that share out their points as they go.
pub const PARTS: &str = "parts";

/// The folders in `folder` that hold results, or in its folder of [`PARTS`], in the order of their names;
/// `folder` itself where there are none: tasks may have written into one folder.
///
/// # Errors
/// [`MergeError::NoFolder`] and [`MergeError::NoParts`].
pub fn parts_in(folder: &Path) -> Result<Vec<PathBuf>, MergeError> {
    let below = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.map(|entry| entry.path());
        folders.filter(|path| path.join(MANIFEST).is_file())
    };
    let mut parts: Vec<PathBuf> = below(folder).chain(below(&folder.join(PARTS))).collect();
    parts.sort();
    if parts.is_empty() && folder.join(MANIFEST).is_file() {
        parts.push(folder.to_owned());
    }
    if parts.is_empty() {
        let (exists, folder) = (folder.exists(), folder.to_owned());
        return Err(match exists {
            true => MergeError::NoParts { folder },
            false => MergeError::NoFolder { folder },
        });
    }
    Ok(parts)
}

/// The manifests of parts of a sweep.
#[derive(Debug)]
pub struct Manifests<'p> {
    /// Those that read, each with its part.
    pub read: Vec<(&'p Path, Manifest)>,
    /// The others, and what is wrong with them: the points beside them are of the sweep all the same.
    pub damaged: Vec<(PathBuf, String)>,
}

/// The manifests of `parts`.
///
/// # Errors
/// A folder that no sweep has written; no manifest reads.
pub fn manifests_of(parts: &[PathBuf]) -> Result<Manifests<'_>, MergeError> {
    let (mut read, mut damaged) = (Vec::new(), Vec::new());
    for part in parts {
        let path = part.join(MANIFEST);
        match Manifest::read(&path) {
            Ok(manifest) => read.push((part.as_path(), manifest)),
            Err(reason) if path.is_file() && part.join(STORE).is_dir() => {
                damaged.push((path, reason));
            }
            Err(reason) => return Err(MergeError::NoPart { path, reason }),
        }
    }
    if read.is_empty() && !damaged.is_empty() {
        let (path, reason) = damaged.swap_remove(0);
        return Err(MergeError::NoPart { path, reason });
    }
    Ok(Manifests { read, damaged })
}

/// Checks that `parts` are of one sweep.
///
/// # Errors
/// Parts that differ; there are none. The first, and its manifest, otherwise.
pub fn check<'m>(
    parts: &'m [(&'m Path, Manifest)],
) -> Result<(&'m Path, &'m Manifest), MergeError> {
    let Some(((first, kept), others)) = parts.split_first() else {
        let folder = PathBuf::new();
        return Err(MergeError::NoParts { folder });
    };
    for (other, manifest) in others {
        if let Some(what) = kept.difference(manifest) {
            return Err(MergeError::Different {
                first: first.to_path_buf(),
                other: other.to_path_buf(),
                what,
            });
        }
    }
    Ok((first, kept))
}

/// The manifest in the folder `part`.
///
/// # Errors
/// [`MergeError::NoPart`].
pub fn manifest_of(part: &Path) -> Result<Manifest, MergeError> {
    let path = part.join(MANIFEST);
    Manifest::read(&path).map_err(|reason| MergeError::NoPart { path, reason })
}

/// Checks that `folder`, whose manifest is `kept`, holds the sweep of `wanted`.
///
/// # Errors
/// [`MergeError::Holds`].
pub fn check_holds(folder: &Path, kept: &Manifest, wanted: &Manifest) -> Result<(), MergeError> {
    let folder = folder.to_owned();
    let difference = kept.difference(wanted);
    difference.map_or(Ok(()), |what| Err(MergeError::Holds { folder, what }))
}

/// Copies the points of `parts` that are whole into `folder`, but over none that is, and the states of points
/// under way. `damaged` is told which files are not as they were written.
///
/// # Errors
/// [`MergeError::Copy`].
pub fn gather(
    folder: &OutputFolder,
    parts: &[PathBuf],
    damaged: impl Fn(&Path),
) -> Result<(), MergeError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| MergeError::Copy { path, source }
    };
    let store = folder.store();
    for part in parts.iter().filter(|part| *part != folder.path()) {
        let points = PointStore::in_folder(part);
        for entry in std::fs::read_dir(points.path()).map_err(failed(points.path()))? {
            let name = entry.map_err(failed(points.path()))?.file_name();
            // Others are details, copied with their points, and what is being written.
            let Some((key, kind)) = name.to_str().and_then(point_or_state) else {
                continue;
            };
            let (from, to) = (points.path().join(&name), store.path().join(&name));
            let copied = match kind == CHECKPOINT {
                true if to.exists() => Ok(()),
                true => std::fs::read(&from).and_then(|bytes| write_whole(&to, &bytes)),
                false => {
                    points.damaged(key).inspect(|file| damaged(file));
                    store.take(key, &points)
                }
            };
            copied.map_err(failed(&from))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::file::Outlasts;
    use crate::results::{Existing, Finished};
    use crate::testing::row;
    use flitsim_measure::measurement::details::Detail;
    use std::cell::RefCell;
    use std::fs;

    const KEY: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn of_several_copies_a_whole_one_with_most_details_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let store = |name: &str, details: &[Detail]| {
            let store = PointStore::in_folder(&path(name));
            store.create().unwrap();
            for &detail in details {
                let rows = b"rows\n";
                store
                    .put_details(KEY, detail, rows, Outlasts::Kill)
                    .unwrap();
            }
            let point = Finished {
                row: row("a", 0.1, 1.0),
                deadlock: None,
                spans: Vec::new(),
            };
            store.put(KEY, &point, Outlasts::Kill).unwrap();
            store
        };
        let most = store("most", &[Detail::Histogram, Detail::Sources]);
        store("less", &[Detail::Histogram]);
        let empty = store("empty", &[Detail::Histogram]).file(KEY);
        fs::write(&empty, "").unwrap();
        let torn = store("torn", &[Detail::Sources]).details_file(KEY, Detail::Sources);
        fs::write(&torn, "row").unwrap();
        let wanted = fs::read(most.file(KEY)).unwrap();
        let parts = ["empty", "less", "torn", "most", "empty", "less", "torn"].map(path);
        let damaged = RefCell::new(Vec::new());
        let tell = |file: &Path| damaged.borrow_mut().push(file.to_owned());
        let into = OutputFolder::create(&path("whole"), Existing::Resume).unwrap();
        gather(&into, &parts, tell).unwrap();
        let named = [&empty, &torn, &empty, &torn].map(Clone::clone);
        assert_eq!(*damaged.borrow(), named);
        let whole = PointStore::in_folder(&path("whole"));
        assert_eq!(fs::read(whole.file(KEY)).unwrap(), wanted);
        assert_eq!(whole.details(KEY, Detail::Sources).unwrap(), b"rows\n");
        // A file of nobody else's stays one's own, and a damaged one is mended.
        fs::write(most.path().join("notes.json"), "mine").unwrap();
        fs::write(whole.file(KEY), &wanted[1..]).unwrap();
        gather(&into, &parts[3..], tell).unwrap();
        assert_eq!(fs::read(whole.file(KEY)).unwrap(), wanted);
        assert!(!whole.path().join("notes.json").exists());
    }

    /// The folder's own sweep may have taken it further.
    #[test]
    fn a_state_that_is_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [part, whole] = ["part", "whole"].map(|name| folder.path().join(name));
        let state = |of: &Path| of.join(format!("points/{KEY}.{CHECKPOINT}"));
        fs::create_dir_all(part.join("points")).unwrap();
        let into = OutputFolder::create(&whole, Existing::Resume).unwrap();
        for text in ["early", "late"] {
            fs::write(state(&part), text).unwrap();
            gather(&into, std::slice::from_ref(&part), |_| {}).unwrap();
            assert_eq!(fs::read_to_string(state(&whole)).unwrap(), "early");
        }
    }
}
