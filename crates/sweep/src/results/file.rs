//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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
    replace_whole(path, |file| file.write_all(contents))
}

/// Lets `write` write the file `path` so that it appears whole or not at all.
pub(super) fn replace_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.part"));
    let written = File::create(&temporary)
        .and_then(|file| {
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            file.into_inner().map_err(io::Error::from)?.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // Nothing more can be done for a file that cannot be removed either.
        let _ = fs::remove_file(&temporary);
    }
    written
}
