//! Ctrl-C, and the polite signal of a batch system: a sweep ends with what it has.
//!
//! Invariant: before [`listen`] is called a signal ends the program at once, as everywhere; after it
//! the first asks, and the second ends the program. Where nothing under way must be kept the first ends
//! it too, as [`Haste`] says.

use crate::stderr::{Style, say, styled};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// When the first signal ends the program, and its last words.
#[derive(Debug)]
pub enum Haste {
    /// Never: it ends when it has kept what it must.
    Never,
    /// Where it goes on for longer than users wait: what is under way has not looked at the flag.
    Soon(String),
    /// At once.
    Now(String),
}

static HASTE: Mutex<Haste> = Mutex::new(Haste::Never);

/// How long the program may take to look at the flag.
const PATIENCE: Duration = Duration::from_millis(800);

/// From here on the first signal only sets a flag. Where the system does not let us listen, signals
/// go on ending the program: what has finished is on the disk anyway.
pub fn listen() {
    // A second call finds the first one's handler.
    let _ = ctrlc::set_handler(|| {
        if ASKED_FOR.swap(true, Ordering::SeqCst) {
            std::process::exit(1);
        }
        let is_soon = matches!(*haste(), Haste::Soon(_));
        if is_soon {
            std::thread::sleep(PATIENCE);
        }
        // Held, so that no other thread gets on to what must be kept meanwhile.
        let haste = haste();
        let last_words = match &*haste {
            Haste::Soon(words) => is_soon.then_some(words),
            Haste::Now(words) => (!is_soon).then_some(words),
            Haste::Never => None,
        };
        if let Some(words) = last_words {
            say(format_args!("{}: {words}", styled("error", Style::Error)));
            std::process::exit(1);
        }
    });
}

fn haste() -> MutexGuard<'static, Haste> {
    HASTE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on the first signal ends the program as `haste` says. Whether one has come before.
pub fn end(haste: Haste) -> bool {
    *self::haste() = haste;
    ASKED_FOR.load(Ordering::SeqCst)
}

/// The same for a display, which ends soon after the first signal even where it does not look at the flag:
/// its terminal may be gone, and whatever reads from it spin. `leave` is called before.
pub fn listen_and(leave: fn()) {
    let _ = ctrlc::set_handler(move || {
        if !ASKED_FOR.swap(true, Ordering::Relaxed) {
            std::thread::sleep(PATIENCE);
        }
        leave();
        std::process::exit(1);
    });
}

/// From here on a file that may not grow (`ulimit -f`) is an error that writing it returns, as a full
/// disk is, and not the end of the program.
pub fn survive_full_files() {
    #[cfg(unix)]
    {
        // What the flag holds does not matter: that somebody listens does. Where nobody may, the
        // program ends as any other.
        let flag = std::sync::Arc::new(AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, flag);
    }
}

/// Whether the user has asked the program to end.
pub fn is_asked_for() -> bool {
    ASKED_FOR.load(Ordering::Relaxed)
}
