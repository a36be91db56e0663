//! Everything that changes a file system, in one place. `tests/tidy.rs` fails where another file of the program
//! does: so tests can end it, fill its disk or break it at every change in turn.
//!
//! `FLITSIM_FAULT=KIND@N`, with the feature `testing` alone, is a fault at change `N`, counted from 1: `end`
//! ends the program there, in the middle of what it writes; `full` is a disk without room from there on;
//! `broken` a disk that fails once.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Create,
    Write,
    Sync,
    Shorten,
    Rename,
    Link,
    Remove,
    Folder,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Draft(File);

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match fault::at(Change::Write) {
            None => self.0.write(bytes),
            Some(fault) => {
                // What went before it may have arrived.
                self.0.write_all(&bytes[..bytes.len() / 2])?;
                Err(fault.strike())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Draft {
    /// Makes the file `path`, which nobody has made: no link leads what is written elsewhere.
    ///
    /// # Errors
    /// What the system says.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        check(Change::Create)?;
        File::create_new(path).map(Self)
    }

    /// Opens the file `path`, to write at its end.
    ///
    /// # Errors
    /// What the system says.
    pub fn append(path: &Path) -> io::Result<Self> {
        check(Change::Create)?;
        File::options().append(true).open(path).map(Self)
    }

    /// Waits until it is on the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        check(Change::Sync)?;
        self.0.sync_all()
    }

    /// Forgets what is behind its first `bytes`.
    ///
    /// # Errors
    /// What the system says.
    pub fn shorten(&self, bytes: u64) -> io::Result<()> {
        check(Change::Shorten)?;
        self.0.set_len(bytes)
    }
}

/// Gives a file another name, in place of the file that has it.
///
/// # Errors
/// What the system says.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    check(Change::Rename)?;
    fs::rename(from, to)
}

/// Gives a file another name, which no file has.
///
/// # Errors
/// What the system says.
pub fn link(from: &Path, to: &Path) -> io::Result<()> {
    check(Change::Link)?;
    fs::hard_link(from, to)
}

/// Removes a file.
///
/// # Errors
/// What the system says.
pub fn remove(path: &Path) -> io::Result<()> {
    check(Change::Remove)?;
    fs::remove_file(path)
}

/// Makes the folder `path`, and those above it, where there are none.
///
/// # Errors
/// What the system says.
pub fn create_folder(path: &Path) -> io::Result<()> {
    check(Change::Folder)?;
    fs::create_dir_all(path)
}

fn check(change: Change) -> io::Result<()> {
    fault::at(change).map_or(Ok(()), |fault| Err(fault.strike()))
}

/// No faults but those of the disk.
#[cfg(not(feature = "testing"))]
mod fault {
    use super::{Change, io};

    pub enum Fault {}

    impl Fault {
        pub fn strike(self) -> io::Error {
            match self {}
        }
    }

    pub const fn at(_: Change) -> Option<Fault> {
        None
    }
}

#[cfg(feature = "testing")]
mod fault {
    use super::{Change, io};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Clone, Copy)]
    pub enum Fault {
        End,
        Full,
        Broken,
    }

    impl Fault {
        pub fn strike(self) -> io::Error {
            match self {
                Self::End => std::process::abort(),
                Self::Full => io::ErrorKind::StorageFull.into(),
                Self::Broken => io::Error::from_raw_os_error(5),
            }
        }
    }

    /// The fault that comes with this change, told on standard error.
    pub fn at(change: Change) -> Option<Fault> {
        static WANTED: OnceLock<Option<(Fault, u64)>> = OnceLock::new();
        static CHANGES: AtomicU64 = AtomicU64::new(1);
        let (fault, first) = (*WANTED.get_or_init(wanted))?;
        let number = CHANGES.fetch_add(1, Ordering::Relaxed);
        let needs_room = ![Change::Shorten, Change::Remove].contains(&change);
        let strikes = number == first || matches!(fault, Fault::Full) && number > first;
        let strikes = strikes && (needs_room || !matches!(fault, Fault::Full));
        if strikes || number == first {
            eprintln!("a fault at change {first}: {change:?}");
        }
        strikes.then_some(fault)
    }

    fn wanted() -> Option<(Fault, u64)> {
        let said = std::env::var("FLITSIM_FAULT").ok()?;
        let (kind, number) = said.split_once('@')?;
        let fault = match kind {
            "end" => Fault::End,
            "full" => Fault::Full,
            "broken" => Fault::Broken,
            _ => panic!("FLITSIM_FAULT is end, full or broken at a number, not {said}"),
        };
        Some((fault, number.parse().expect("a number")))
    }
}
