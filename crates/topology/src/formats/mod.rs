//! Channel lists, `anynet` files and GraphML: graphs read from text and written to it. The formats are described in
//! [`file`](crate::file).

mod anynet;
mod assemble;
mod channel_list;
mod draft;
mod error;
#[cfg(feature = "graphml")]
mod graphml;
mod rows;
mod write;

pub(crate) use anynet::is_anynet;
pub use error::{FileError, Place, Problem, Several, Source};
pub use rows::{Cell, Row, Schema, Table, tables};
pub use write::{write_channels, write_csv, write_graphml, write_nodes};

use crate::Graph;
use std::path::Path;

/// The most channels a file may have: as many as any family's.
const CHANNELS_LIMIT: usize = 1 << 26;

/// The most bytes a file may have: offsets are 32 bits wide.
const BYTES_LIMIT: u64 = u32::MAX as u64 - 1;

/// The longest delay of a wire, in cycles: what the engine takes.
const DELAY_LIMIT_CYCLES: u32 = 100_000;

/// The graph of the file at `channels`: GraphML if its name ends in `.graphml` or `.xml` or
/// its text begins with `<`, else a channel list, whose nodes may be listed in the file at `nodes`.
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn read(channels: &Path, nodes: Option<&Path>) -> Result<Graph, FileError> {
    let file = channels.display().to_string();
    let text = read_text(channels)?;
    let source = Source {
        file: &file,
        text: &text,
    };
    let is_xml = source.is_graphml();
    let Some(nodes) = nodes else {
        return if is_xml {
            parse_graphml(source)
        } else {
            parse_csv(source, None)
        };
    };
    let nodes_file = nodes.display().to_string();
    let nodes_text = read_text(nodes)?;
    let nodes_source = Source {
        file: &nodes_file,
        text: &nodes_text,
    };
    if is_xml {
        let table = "list of nodes";
        return Err(nodes_source.error_in_all(Problem::SecondTable { table }));
    }
    parse_csv(source, Some(nodes_source))
}

/// The bytes of the file at `path`, `limit` at most.
///
/// # Errors
/// What the system says; a path of what has no end or waits for others, such as a device or a pipe; a
/// file that is longer.
pub fn read_bounded(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        let reason = if kind.is_dir() {
            "it is a folder"
        } else {
            "it is not a regular file"
        };
        return Err(Error::new(ErrorKind::InvalidInput, reason));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let reason = format!("it has more than {limit} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// The text of the file at `path`.
///
/// # Errors
/// [`Problem::Unreadable`], [`Problem::TooLong`] and [`Problem::NotText`].
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let file = path.display().to_string();
    let unknown = Source {
        file: &file,
        text: "",
    };
    let unreadable = |error: std::io::Error| {
        unknown.error_in_all(Problem::Unreadable {
            reason: error.to_string(),
        })
    };
    let limit = BYTES_LIMIT;
    let bytes = read_bounded(path, limit).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            let bytes = std::fs::metadata(path).map_or(limit, |file| file.len());
            unknown.error_in_all(Problem::TooLong { bytes, limit })
        }
        _ => unreadable(error),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..good]);
        let source = Source {
            file: &file,
            text: &text,
        };
        source.error(good, Problem::NotText)
    })
}

/// The graph of a channel list, whose nodes may be listed in a file of their own, or of an `anynet` file.
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn parse_csv(channels: Source<'_>, nodes: Option<Source<'_>>) -> Result<Graph, FileError> {
    check_length(channels)?;
    nodes.map_or(Ok(()), check_length)?;
    if is_anynet(channels.text) && nodes.is_none() {
        return anynet::parse(channels)?.into_network();
    }
    channel_list::parse(channels, nodes)?.into_network()
}

/// The graph of a GraphML document.
///
/// # Errors
/// [`FileError`], whatever is wrong.
pub fn parse_graphml(source: Source<'_>) -> Result<Graph, FileError> {
    check_length(source)?;
    #[cfg(feature = "graphml")]
    return graphml::parse(source);
    #[cfg(not(feature = "graphml"))]
    Err(source.error_in_all(Problem::NoGraphml))
}

fn check_length(source: Source<'_>) -> Result<(), FileError> {
    let bytes = source.text.len() as u64;
    let limit = BYTES_LIMIT;
    if bytes > limit {
        return Err(source.error_in_all(Problem::TooLong { bytes, limit }));
    }
    Ok(())
}
