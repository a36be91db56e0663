//! A text file that a scenario names, such as a channel list.
//!
//! Invariant: it is read once, with the scenario; what a point's definition says of it is a hash of
//! its text, so that an edited file is not taken for the one that made the results.

use super::error::Fault;
use super::reader::Section;
use crate::hash::fnv1a_128;
use flitsim_topology::file::{Source, read_text};
use std::path::Path;
use std::sync::Arc;

/// A file's text and names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The path as the scenario says it.
    pub path: String,
    /// The path as messages say it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl TextFile {
    /// Reads the file that `key` of `section` names, relative to `folder`; `None` where the key is
    /// not there.
    ///
    /// # Errors
    /// A wrong type, or a file that cannot be read.
    pub fn read(
        section: &Section<'_>,
        key: &str,
        folder: &Path,
    ) -> Result<Option<Arc<Self>>, Fault> {
        let Some(path) = section.text(key)? else {
            return Ok(None);
        };
        let full = folder.join(path.value);
        let text = read_text(&full).map_err(|error| {
            Fault::new(path.place.clone(), error.to_string())
                .label("this file")
                .help(format!(
                    "`{key}` is a path relative to the folder of the scenario file"
                ))
        })?;
        Ok(Some(Arc::new(Self {
            path: path.value.to_owned(),
            name: full.display().to_string(),
            text,
        })))
    }

    /// The file as its parser wants it.
    pub fn source(&self) -> Source<'_> {
        Source {
            file: &self.name,
            text: &self.text,
        }
    }

    /// A hash of its text: 32 hexadecimal digits.
    pub fn digest(&self) -> String {
        format!("{:032x}", fnv1a_128(self.text.as_bytes()))
    }
}
