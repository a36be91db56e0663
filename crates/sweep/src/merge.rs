//! The parts of a sweep put together.

use crate::results::file::write_whole;
use crate::results::folder::MANIFEST;
use crate::results::store::STORE;
use crate::results::{Manifest, PointStore};
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

/// Checks that `parts` are of one sweep.
///
/// # Errors
/// A folder without a manifest; parts that differ. The manifest of the first, otherwise.
pub fn check(parts: &[PathBuf]) -> Result<Manifest, MergeError> {
    let mut first: Option<(&Path, Manifest)> = None;
    for part in parts {
        let manifest = manifest_of(part)?;
        let Some((path, kept)) = &first else {
            first = Some((part, manifest));
            continue;
        };
        let differs = [
            ("the text of the scenario", kept.text != manifest.text),
            ("a file that it names", kept.files != manifest.files),
            ("the seed", kept.seed != manifest.seed),
            ("the version of flitsim", kept.flitsim != manifest.flitsim),
        ];
        if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
            return Err(MergeError::Different {
                first: path.to_path_buf(),
                other: part.clone(),
                what,
            });
        }
    }
    let none = || MergeError::NoParts {
        folder: PathBuf::new(),
    };
    first.map(|(_, manifest)| manifest).ok_or_else(none)
}

/// The manifest in the folder `part`.
///
/// # Errors
/// [`MergeError::NoPart`].
pub fn manifest_of(part: &Path) -> Result<Manifest, MergeError> {
    let path = part.join(MANIFEST);
    Manifest::read(&path).map_err(|reason| MergeError::NoPart { path, reason })
}

/// Copies the points of `parts` into `folder`, each file whole or not at all.
///
/// # Errors
/// [`MergeError::Copy`].
pub fn gather(folder: &Path, parts: &[PathBuf]) -> Result<(), MergeError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| MergeError::Copy { path, source }
    };
    let store = folder.join(STORE);
    PointStore::in_folder(folder)
        .create()
        .map_err(failed(&store))?;
    for part in parts.iter().filter(|part| *part != folder) {
        let points = part.join(STORE);
        for entry in std::fs::read_dir(&points).map_err(failed(&points))? {
            let from = entry.map_err(failed(&points))?.path();
            let Some(name) = from.file_name().filter(|_| from.is_file()) else {
                continue;
            };
            // What is being written has a point before its name.
            if name.to_string_lossy().starts_with('.') {
                continue;
            }
            let copied =
                std::fs::read(&from).and_then(|bytes| write_whole(&store.join(name), &bytes));
            copied.map_err(failed(&from))?;
        }
    }
    Ok(())
}
