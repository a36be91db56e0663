//! Where this program is, for scripts that call it again.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

static CALLED: OnceLock<PathBuf> = OnceLock::new();

/// Learns the words of the command line. A first word that is a whole path is that of the program: the
/// process may be an interpreter's.
pub fn learn(words: &[OsString]) {
    let path = words.first().map(PathBuf::from);
    if let Some(path) = path.filter(|path| path.is_absolute()) {
        let _ = CALLED.set(path);
    }
}

/// The path of this program.
///
/// # Errors
/// A system that does not tell.
pub fn path() -> io::Result<PathBuf> {
    CALLED.get().cloned().map_or_else(std::env::current_exe, Ok)
}
