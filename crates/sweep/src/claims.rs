//! Which part simulates which point, settled as they go: each takes the costliest point that no other has
//! taken. They need one file system and nothing else, and are busy to the end however wrong a guess of a
//! point's cost is.
//!
//! Invariant: a claim appears whole, by a link, and stays its part's as long as that has a folder: no point is
//! simulated by two parts, and a part that starts again finds its own. What a part without a folder took goes to
//! whoever comes next; where two come at once both may simulate it, to the same results.

use crate::disk::{self, Draft};
use crate::results::folder::MANIFEST;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of claims, beside the folders of the parts.
pub const CLAIMS: &str = "claims";

/// The points that a part takes, and those that others have taken.
#[derive(Clone, Debug)]
pub struct Claims {
    folder: PathBuf,
    part: String,
    /// By point, in scenario order.
    keys: Vec<String>,
}

impl Claims {
    /// Those of the part in the folder `part`, on the points with `keys`.
    ///
    /// # Errors
    /// What the system says; a folder without a name.
    pub fn beside(part: &Path, keys: Vec<String>) -> io::Result<Self> {
        let part = part.canonicalize()?;
        let (Some(parts), Some(name)) = (part.parent(), part.file_name()) else {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(
                kind,
                "a part needs a folder of its own, with others beside it",
            ));
        };
        let folder = parts.join(CLAIMS);
        disk::create_folder(&folder)?;
        Ok(Self {
            folder,
            part: name.to_string_lossy().into_owned(),
            keys,
        })
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes point `index`, unless another part has it. Whether it is this part's.
    ///
    /// # Errors
    /// What the system says.
    pub fn take(&self, index: usize) -> io::Result<bool> {
        let key = &self.keys[index];
        let claim = self.folder.join(key);
        // Points that differ in their name alone have one key: threads may be at several of them.
        let draft = self.folder.join(format!(".{key}.{}.{index}", self.part));
        // What a killed run of this part left.
        let _ = disk::remove(&draft);
        Draft::create_new(&draft)?.write_all(self.part.as_bytes())?;
        let is_taken = match disk::link(&draft, &claim) {
            Ok(()) => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(true),
            Err(error) => Err(error),
        };
        if let Ok(true) = is_taken
            && self.is_left(&fs::read_to_string(&claim)?)
        {
            disk::rename(&draft, &claim)?;
        } else {
            disk::remove(&draft)?;
        }
        Ok(!is_taken? || fs::read_to_string(&claim)? == self.part)
    }

    /// Whether nobody has what `part` took.
    fn is_left(&self, part: &str) -> bool {
        is_left(&self.folder, part)
    }
}

/// Whether the folder of `part`, which took a point in the folder `claims`, is gone; a claim of no part is what
/// a power failure left.
fn is_left(claims: &Path, part: &str) -> bool {
    // A name that is not UTF-8 leads nowhere.
    let is_name = !part.contains(char::REPLACEMENT_CHARACTER);
    part.is_empty() || is_name && matches!(claims.with_file_name(part).try_exists(), Ok(false))
}

/// Whether `folder` is one of claims, and no part's.
pub fn is_claims(folder: &Path) -> bool {
    folder.file_name() == Some(OsStr::new(CLAIMS)) && !folder.join(MANIFEST).exists()
}

/// The claims on the points of the parts in `parts`: the key of a point, and the name of the part that
/// took it, whose folder is there.
pub fn claimed(parts: &Path) -> Vec<(String, String)> {
    let folder = parts.join(CLAIMS);
    let mut claims = all_in(&folder);
    claims.retain(|(_, part)| !is_left(&folder, part));
    claims
}

/// The claims in `folder`, whether or not the folders of their parts are there.
fn all_in(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let claims = entries.flatten().filter_map(|entry| {
        let key = entry.file_name().into_string().ok()?;
        let part = fs::read_to_string(entry.path()).ok()?;
        // Others are drafts, and states of points under way.
        (!key.contains('.')).then_some((key, part))
    });
    claims.collect()
}

/// Gives up the claims on the points of the parts in `parts` that are not `done`: their parts have ended
/// before they did.
///
/// # Errors
/// What the system says.
pub fn release(parts: &Path, done: impl Fn(&str) -> bool) -> io::Result<()> {
    let folder = parts.join(CLAIMS);
    // Also those of a part without a folder: a later one of that name would have them.
    for (key, _) in all_in(&folder) {
        if !done(&key) {
            disk::remove(&folder.join(OsStr::new(&key)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_one_parts_until_its_claim_is_released() {
        let folder = tempfile::tempdir().unwrap();
        let keys = vec!["a".to_owned(), "b".to_owned()];
        let part = |name: &str| {
            let part = folder.path().join(name);
            fs::create_dir_all(&part).unwrap();
            Claims::beside(&part, keys.clone()).unwrap()
        };
        let (one, two) = (part("1"), part("2"));
        assert!(one.take(0).unwrap());
        assert!(!two.take(0).unwrap());
        assert!(two.take(1).unwrap());
        // Started again.
        assert!(part("1").take(0).unwrap());
        // A part that is gone, and one whose claim was lost.
        let claim = |key: &str| folder.path().join(CLAIMS).join(key);
        fs::remove_dir(folder.path().join("1")).unwrap();
        assert_eq!(claimed(folder.path()), [("b".to_owned(), "2".to_owned())]);
        assert!(two.take(0).unwrap() && !part("1").take(0).unwrap());
        fs::write(claim("a"), "").unwrap();
        assert!(one.take(0).unwrap() && !two.take(0).unwrap());
        assert_eq!(fs::read_dir(claim("")).unwrap().count(), 2);
        fs::remove_dir(folder.path().join("1")).unwrap();
        release(folder.path(), |key| key == "b").unwrap();
        assert_eq!(claimed(folder.path()), [("b".to_owned(), "2".to_owned())]);
        part("1");
        assert!(two.take(0).unwrap());
    }

    #[test]
    fn many_at_once_take_every_point_once() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<String> = (0..100).map(|key| key.to_string()).collect();
        let taken: Vec<usize> = std::thread::scope(|scope| {
            let parts: Vec<_> = (0..8)
                .map(|part| {
                    let path = folder.path().join(format!("part {part}"));
                    fs::create_dir_all(&path).unwrap();
                    let claims = Claims::beside(&path, keys.clone()).unwrap();
                    let take = move || {
                        (0..100)
                            .filter(|&index| claims.take(index).unwrap())
                            .count()
                    };
                    scope.spawn(take)
                })
                .collect();
            parts.into_iter().map(|part| part.join().unwrap()).collect()
        });
        assert_eq!(taken.iter().sum::<usize>(), 100, "{taken:?}");
    }

    #[test]
    fn threads_of_a_part_take_points_of_one_key_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("1");
        fs::create_dir(&part).unwrap();
        let claims = Claims::beside(&part, vec!["a".to_owned(); 400]).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let points = (thread..400).step_by(8);
                let mut taken = points.map(|index| claims.take(index));
                scope.spawn(move || assert!(taken.all(|is_ours| is_ours.unwrap())));
            }
        });
        assert_eq!(fs::read_dir(claims.folder()).unwrap().count(), 1);
    }
}
