//! Exported networks keep their family: a remark in the file says which one it was, and as long as
//! the rest of the file is that very network, reading the file gives the family back, with its
//! routing and its name in results.
//!
//! Invariant: the remark is believed only where the graphs are equal, identifiers and wire lengths
//! included; in a file that was edited it has no meaning.

use super::keys::KIND;
use super::spec;
use crate::text_file::Files;
use flitsim_topology::{Definition, Network, Shape, file};
use std::io::{self, Write};
use std::path::Path;

/// How the remark begins, behind the format's own sign of a comment.
const REMARK: &str = "flitsim topology ";

/// Writes `network`, which is called `word`, as tables of comma-separated values.
///
/// # Errors
/// Those of `to`.
pub fn write_csv(network: &Network, word: &str, to: &mut impl Write) -> io::Result<()> {
    if is_family(network, word) {
        writeln!(to, "# {REMARK}{word}")?;
    }
    file::write_csv(network, to)
}

/// Writes `network`, which is called `word`, as a GraphML document.
///
/// # Errors
/// Those of `to`.
pub fn write_graphml(network: &Network, word: &str, to: &mut impl Write) -> io::Result<()> {
    file::write_graphml(network, to)?;
    if is_family(network, word) {
        writeln!(to, "<!-- {REMARK}{word} -->")?;
    }
    Ok(())
}

fn is_family(network: &Network, word: &str) -> bool {
    let is_known = !matches!(network.shape(), Shape::File(_));
    is_known && !word.starts_with("file:")
}

/// The family that `topology`, a file, was exported from, where it is still the same network.
pub(super) fn family_of(topology: &Definition) -> Option<Definition> {
    let Definition::File(file) = topology else {
        return None;
    };
    let word = remark(&file.channels.text)?;
    let values = spec::values(word, &Files::new(Path::new(""), &[])).ok()?;
    let family = Definition::of(values.get(&KIND), &values).ok()?;
    if matches!(family, Definition::File(_)) {
        return None;
    }
    let (read, built) = (topology.build().ok()?, family.build().ok()?);
    built.is_same_graph(&read).then_some(family)
}

/// The word in the first line of a channel list or the last of a GraphML document.
fn remark(text: &str) -> Option<&str> {
    let lines = [text.lines().next(), text.lines().next_back()];
    lines.into_iter().flatten().find_map(|line| {
        let line = line.trim();
        let inside = match line.strip_prefix("<!--") {
            Some(rest) => rest.strip_suffix("-->")?,
            None => line.strip_prefix('#')?,
        };
        inside.trim().strip_prefix(REMARK)
    })
}
