//! A text file that a scenario names, such as a channel list.
//!
//! Invariant: it is read once, with the scenario; what a point's definition says of it is a hash of
//! its text, so that an edited file is not taken for the one that made the results.

use crate::hash::fnv1a_128;
pub use flitsim_keys::TextFile;
use flitsim_topology::file::{Source, read_text};
use std::path::Path;

/// Reads the file of `path`, which is relative to `folder`.
///
/// # Errors
/// Why it cannot be read.
pub fn read(folder: &Path, path: &str) -> Result<TextFile, String> {
    let full = folder.join(path);
    let text = read_text(&full).map_err(|error| error.to_string())?;
    Ok(TextFile {
        path: path.to_owned(),
        name: full.display().to_string(),
        text,
    })
}

/// The file as its parser wants it.
pub fn source(file: &TextFile) -> Source<'_> {
    Source {
        file: &file.name,
        text: &file.text,
    }
}

/// A hash of its text: 32 hexadecimal digits.
pub fn digest(file: &TextFile) -> String {
    format!("{:032x}", fnv1a_128(file.text.as_bytes()))
}
