//! The state of one point in a file, from which it goes on after a kill.
//!
//! Invariant: a file that exists is whole, by a rename, and the one before it is there until then. It is read
//! by the version of flitsim that wrote it, for the point that it is of, and as it was written: else it is
//! refused.

use crate::disk;
use crate::results::file::{Outlasts, can_be_written, remove_drafts, replace_whole};
use crate::results::store::CHECKPOINT;
use flitsim_measure::simulate::Keeper;
use flitsim_scenario::SeriesPlan;
use flitsim_scenario::hash::point_key;
use flitsim_scenario::plan::Load;
use flitsim_topology::archive::{Archive, Archived, is_whole};
use flitsim_topology::archived;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How a file begins.
const MAGIC: [u8; 19] = *b"flitsim checkpoint\n";

/// Counts the changes of what is in a file.
const FORMAT: u32 = 15;

/// How often the state of a point is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// So many simulated cycles, or a few hundred more.
    Cycles(u64),
    /// So much time, or a few hundred cycles more.
    Time(Duration),
}

/// A period that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a number of cycles, above 0, or a time such as 60s, 10min or 2h")]
pub struct EveryError;

impl FromStr for Every {
    type Err = EveryError;

    fn from_str(text: &str) -> Result<Self, EveryError> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let count: u32 = count.parse().map_err(|_| EveryError)?;
        let seconds = match (count, unit) {
            (0, _) => return Err(EveryError),
            (_, "") => return Ok(Self::Cycles(count.into())),
            (_, "s") => 1,
            (_, "min") => 60,
            (_, "h") => 3600,
            _ => return Err(EveryError),
        };
        Ok(Self::Time(Duration::from_secs(seconds * u64::from(count))))
    }
}

/// A file that a point cannot go on from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("cannot read the checkpoint {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something else.
    #[error("{} is no checkpoint of flitsim", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Not as it was written.
    #[error(
        "the checkpoint {} is damaged: it is not as it was written; without it the simulation begins anew",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Of another version.
    #[error(
        "the checkpoint {} was written by flitsim {version}, format {format}, and this is {}, format \
         {FORMAT}: go on with that version, or begin anew without it",
        path.display(),
        env!("CARGO_PKG_VERSION"),
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        version: String,
        /// What is in it.
        format: u32,
    },
    /// Of another point.
    #[error(
        "the checkpoint {} is of another simulation, {found}, or of this one before the scenario was \
         changed: this is {wanted}; choose another file, or begin anew without it",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// The point that it is of.
        found: String,
        /// The point that is wanted.
        wanted: String,
    },
}

/// What stands before the state.
#[derive(Clone, Debug, Default)]
struct Header {
    magic: [u8; 19],
    format: u32,
    version: String,
    /// The key of the point, and what it is called.
    key: String,
    point: String,
    /// Seconds that it was simulated for.
    seconds: f64,
}

archived! { Header { magic, format, version, key, point, seconds } }

/// Where the state of a point is kept, and where it goes on from.
pub struct Checkpoint<'a> {
    header: Header,
    from: Option<PathBuf>,
    to: Option<(PathBuf, Every)>,
    fails: Fails<'a>,
    begun: Instant,
    last: Mutex<Last>,
}

/// Is told which file could not be written, and why.
type Fails<'a> = Box<dyn Fn(&Path, &io::Error) + Send + Sync + 'a>;

/// When the state was kept last.
struct Last {
    cycle: u64,
    at: Instant,
}

impl<'a> Checkpoint<'a> {
    /// None yet, of the point of `series` at `load` with the seed `seed`.
    pub fn of(series: &SeriesPlan, load: Load, seed: u64) -> Self {
        let begun = Instant::now();
        Self {
            header: Header {
                magic: MAGIC,
                format: FORMAT,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                key: point_key(series, load, seed),
                point: format!("series {} at {}, seed {seed}", series.name, load.in_unit),
                seconds: 0.0,
            },
            from: None,
            to: None,
            fails: Box::new(|_, _| {}),
            begun,
            last: Mutex::new(Last {
                cycle: 0,
                at: begun,
            }),
        }
    }

    /// Whether a state can be kept in the file `to`: asked before the hours that it is to save.
    ///
    /// # Errors
    /// What the system says.
    pub fn can_be_kept_in(to: &Path) -> io::Result<()> {
        can_be_written(to)
    }

    /// The same, kept in the file `to` every so often; `fails` is told why it could not be, and the point
    /// goes on.
    #[must_use]
    pub fn kept_in(
        mut self,
        to: &Path,
        every: Every,
        fails: impl Fn(&Path, &io::Error) + Send + Sync + 'a,
    ) -> Self {
        if let Some(folder) = to.parent() {
            // What a kill left half written; where it stays, it only takes room.
            let here = folder.as_os_str().is_empty();
            let folder = if here { Path::new(".") } else { folder };
            let _ = remove_drafts(folder, |name| to.file_name().is_some_and(|to| to == name));
        }
        self.to = Some((to.to_owned(), every));
        self.fails = Box::new(fails);
        self
    }

    /// The same, going on from the file `from`.
    ///
    /// # Errors
    /// A file that is not this point's.
    pub fn going_on_from(mut self, from: &Path) -> Result<Self, CheckpointError> {
        let path = from.to_owned();
        let found = read(from)?;
        let Header {
            format, version, ..
        } = &self.header;
        if (&found.format, &found.version) != (format, version) {
            return Err(CheckpointError::Version {
                path,
                version: found.version,
                format: found.format,
            });
        }
        if found.key != self.header.key {
            return Err(CheckpointError::Other {
                path,
                found: found.point,
                wanted: self.header.point,
            });
        }
        // Anybody can write a file: no time is below 0 or beyond what a clock counts.
        self.header.seconds = Some(found.seconds)
            .filter(|seconds| (0.0..1e15).contains(seconds))
            .unwrap_or(0.0);
        self.from = Some(path);
        Ok(self)
    }

    /// The file that it goes on from.
    pub fn goes_on_from(&self) -> Option<&Path> {
        self.from.as_deref()
    }

    /// The same, of a point that begins anew.
    #[must_use]
    pub fn anew(mut self) -> Self {
        self.from = None;
        self.header.seconds = 0.0;
        self
    }

    /// Seconds for which the point was simulated before, as far as is known.
    pub fn seconds_before(&self) -> f64 {
        self.header.seconds
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The header of `path`, which is as it was written.
fn read(path: &Path) -> Result<Header, CheckpointError> {
    let own = || path.to_owned();
    let unreadable = |source| CheckpointError::Unreadable {
        path: own(),
        source,
    };
    // A pipe would be waited for.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(CheckpointError::Foreign { path: own() });
    }
    let mut magic = [0; MAGIC.len()];
    let mut file = File::open(path).map_err(unreadable)?;
    magic.archive(&mut Archive::loading(Box::new(&file)));
    if magic != MAGIC {
        return Err(CheckpointError::Foreign { path: own() });
    }
    let whole = file
        .rewind()
        .and_then(|()| file.metadata())
        .and_then(|of| is_whole(&mut file, of.len()));
    match whole.map_err(unreadable)? {
        true => Ok(open(path).map_err(unreadable)?.0),
        false => Err(CheckpointError::Damaged { path: own() }),
    }
}

/// The header of a file, and what follows.
fn open<'a>(path: &Path) -> io::Result<(Header, Archive<'a>)> {
    let mut archive = Archive::loading(Box::new(File::open(path)?));
    let mut header = Header::default();
    header.archive(&mut archive);
    Ok((header, archive))
}

impl Keeper for Checkpoint<'_> {
    fn is_due(&self, cycle: u64, is_last: bool) -> bool {
        let mut last = self.last();
        let is_due = match self.to {
            None => false,
            Some((_, Every::Cycles(cycles))) => cycle / cycles != last.cycle / cycles,
            Some((_, Every::Time(time))) => last.at.elapsed() >= time,
        };
        last.cycle = cycle;
        is_due || is_last && self.to.is_some()
    }

    fn keep(&self, save: &mut dyn FnMut(&mut Archive<'_>)) {
        let Some((to, _)) = &self.to else {
            return;
        };
        let mut header = self.header.clone();
        header.seconds += self.begun.elapsed().as_secs_f64();
        let written = replace_whole(to, Outlasts::PowerFailure, |file| {
            let mut archive = Archive::saving(file);
            header.archive(&mut archive);
            save(&mut archive);
            archive.finish()
        });
        if let Err(error) = written {
            (self.fails)(to, &error);
        }
        self.last().at = Instant::now();
    }

    fn kept(&self) -> io::Result<Option<Archive<'_>>> {
        let from = self.from.as_deref();
        from.map(|from| Ok(open(from)?.1)).transpose()
    }
}

/// Where the points of a sweep are kept that are under way.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    every: Option<Every>,
}

impl Checkpoints {
    /// Those in `folder`, of points that are kept every so often; where `None`, points go on from what an
    /// earlier run kept, and are not kept.
    pub fn in_folder(folder: &Path, every: Option<Every>) -> Self {
        Self {
            folder: folder.to_owned(),
            every,
        }
    }

    /// The file of the point with the key `key`.
    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{CHECKPOINT}"))
    }

    /// That of the point of `series` at `load`, and the file that there is and that it cannot go on from.
    pub fn of<'a>(
        &self,
        series: &SeriesPlan,
        load: Load,
        seed: u64,
        fails: impl Fn(&Path, &io::Error) + Send + Sync + 'a,
    ) -> (Checkpoint<'a>, Option<PathBuf>) {
        let new = Checkpoint::of(series, load, seed);
        let file = self.file(&new.header.key);
        let (checkpoint, unfit) = match file.exists() {
            false => (new, None),
            true => match new.going_on_from(&file) {
                Ok(checkpoint) => (checkpoint, None),
                Err(_) => (Checkpoint::of(series, load, seed), Some(file.clone())),
            },
        };
        match self.every {
            Some(every) => (checkpoint.kept_in(&file, every, fails), unfit),
            None => (checkpoint, unfit),
        }
    }

    /// Forgets the point with the key `key`, which is finished.
    pub fn remove(&self, key: &str) {
        let file = self.file(key);
        if file.exists() {
            // One that stays only takes room: the finished point is what counts.
            let _ = disk::remove(&file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::plan;

    #[test]
    fn periods_are_cycles_or_times() {
        let seconds = |seconds| Ok(Every::Time(Duration::from_secs(seconds)));
        assert_eq!("5000".parse(), Ok(Every::Cycles(5000)));
        assert_eq!("60s".parse(), seconds(60));
        assert_eq!("10min".parse(), seconds(600));
        assert_eq!("2h".parse(), seconds(7200));
        for wrong in [
            "",
            "0",
            "0s",
            "s",
            "-1",
            "1.5h",
            "60 s",
            "5d",
            "99999999999",
        ] {
            assert_eq!(wrong.parse::<Every>(), Err(EveryError), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_this_points_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state");
        let plan = plan(&[("a", &[0.1, 0.2])]);
        let series = &plan.series[0];
        let of = |load: usize, seed| Checkpoint::of(series, series.loads[load], seed);
        let fails = |_: &Path, error: &io::Error| panic!("{error}");
        let write = |checkpoint: Checkpoint<'_>| {
            let checkpoint = checkpoint.kept_in(&file, Every::Cycles(1), fails);
            checkpoint.keep(&mut |archive| vec![1u32, 2, 3].archive(archive));
        };
        write(of(0, 1));
        let again = of(0, 1).going_on_from(&file).unwrap();
        let (mut archive, mut state) = (again.kept().unwrap().unwrap(), Vec::<u32>::new());
        state.archive(&mut archive);
        archive.finish().unwrap();
        assert_eq!(state, [1, 2, 3]);

        let refused = |load, seed| of(load, seed).going_on_from(&file).err().unwrap();
        for (load, seed) in [(1, 1), (0, 2)] {
            assert!(matches!(refused(load, seed), CheckpointError::Other { .. }));
        }
        let bytes = fs::read(&file).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&file, damaged).unwrap();
            match refused(0, 1) {
                CheckpointError::Foreign { .. } => assert!(at < MAGIC.len()),
                CheckpointError::Damaged { .. } => assert!(at >= MAGIC.len()),
                error => panic!("byte {at}: {error}"),
            }
            fs::write(&file, &bytes[..at]).unwrap();
            refused(0, 1);
        }
        for seconds in [-1.0, 1e300, f64::INFINITY, f64::NAN] {
            let mut odd = of(0, 1);
            odd.header.seconds = seconds;
            write(odd);
            let again = of(0, 1).going_on_from(&file).unwrap();
            assert_eq!(again.seconds_before(), 0.0, "{seconds}");
        }
        let mut old = of(0, 1);
        old.header.version = "0.0.9".to_owned();
        write(old);
        assert!(matches!(refused(0, 1), CheckpointError::Version { .. }));
        fs::remove_file(&file).unwrap();
        assert!(matches!(refused(0, 1), CheckpointError::Unreadable { .. }));
    }
}
