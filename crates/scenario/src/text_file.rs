//! A text file that a scenario names, such as a channel list.
//!
//! Invariant: it is read once, with the scenario; what a point's definition says of it is a hash of
//! its text, so that an edited file is not taken for the one that made the results. The manifest of a sweep
//! keeps it, so that the sweep can be repeated where the file no longer is.

use crate::hash;
use crate::plan::{KEPT_BYTES_MOST, KeptFile};
pub use flitsim_keys::TextFile;
use flitsim_topology::file::read_text;
use std::cell::RefCell;
use std::path::Path;

/// `file` as a manifest keeps it.
fn kept(file: &TextFile) -> KeptFile {
    KeptFile {
        path: file.path.clone(),
        hash: digest(file),
        text: (file.text.len() <= KEPT_BYTES_MOST).then(|| file.text.clone()),
    }
}

impl KeptFile {
    /// A file that is on no disk, which a scenario names by `path`.
    pub fn in_memory(path: String, text: String) -> Self {
        Self {
            path,
            hash: text_hash(&text),
            text: Some(text),
        }
    }
}

/// The files of a scenario: each is taken from those that a manifest keeps, or else read from a folder, once.
pub(crate) struct Files<'f> {
    folder: &'f Path,
    kept: &'f [KeptFile],
    read: RefCell<Vec<TextFile>>,
}

impl<'f> Files<'f> {
    /// The files in `folder`, but for those that are `kept`.
    pub fn new(folder: &'f Path, kept: &'f [KeptFile]) -> Self {
        let read = RefCell::default();
        Self { folder, kept, read }
    }

    /// The file of `path`.
    ///
    /// # Errors
    /// Why it cannot be read, or that it is not the one that the manifest speaks of.
    pub fn get(&self, path: &str) -> Result<TextFile, String> {
        if let Some(known) = self.read.borrow().iter().find(|file| file.path == path) {
            return Ok(known.clone());
        }
        let file = self.find(path)?;
        self.read.borrow_mut().push(file.clone());
        Ok(file)
    }

    fn find(&self, path: &str) -> Result<TextFile, String> {
        let kept = self.kept.iter().find(|file| file.path == path);
        if let Some(text) = kept.and_then(|kept| kept.text.clone()) {
            let file = TextFile {
                path: path.to_owned(),
                name: path.to_owned(),
                text,
            };
            return checked(file, kept);
        }
        checked(read(self.folder, path)?, kept)
    }

    /// Every file that was got, in the order in which they were first asked for.
    pub fn kept(&self) -> Vec<KeptFile> {
        self.read.borrow().iter().map(kept).collect()
    }
}

/// `file`, if it is the one `kept`.
fn checked(file: TextFile, kept: Option<&KeptFile>) -> Result<TextFile, String> {
    match kept {
        Some(kept) if kept.hash != digest(&file) => Err(format!(
            "{} is not the file that the manifest speaks of: its hash is {}, not {}",
            file.name,
            digest(&file),
            kept.hash
        )),
        _ => Ok(file),
    }
}

/// Reads the file of `path`, which is relative to `folder`.
///
/// # Errors
/// Why it cannot be read.
pub fn read(folder: &Path, path: &str) -> Result<TextFile, String> {
    if path.is_empty() {
        return Err("the path of a file is empty".to_owned());
    }
    let full = folder.join(path);
    let text = read_text(&full).map_err(|error| error.to_string())?;
    Ok(TextFile {
        path: path.to_owned(),
        name: full.display().to_string(),
        text,
    })
}

/// A hash of its text: 32 hexadecimal digits.
pub fn digest(file: &TextFile) -> String {
    text_hash(&file.text)
}

fn text_hash(text: &str) -> String {
    hash::digest(text.as_bytes())
}
