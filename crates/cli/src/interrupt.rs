//! Ctrl-C, and the polite signal of a batch system: a sweep ends with what it has.
//!
//! Invariant: before [`listen`] is called a signal ends the program at once, as everywhere; after it
//! the first asks, and the second ends the program; after [`end_at_once`] the first ends it too.

use crate::stderr::{Style, say, styled};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// What is said when the next signal ends the program at once.
static LAST_WORDS: OnceLock<&str> = OnceLock::new();

/// From here on the first signal only sets a flag. Where the system does not let us listen, signals
/// go on ending the program: what has finished is on the disk anyway.
pub fn listen() {
    // A second call finds the first one's handler.
    let _ = ctrlc::set_handler(|| {
        let is_second = ASKED_FOR.swap(true, Ordering::SeqCst);
        let last_words = LAST_WORDS.get();
        if let Some(words) = last_words.filter(|_| !is_second) {
            say(format_args!("{}: {words}", styled("error", Style::Error)));
        }
        if is_second || last_words.is_some() {
            std::process::exit(1);
        }
    });
}

/// From here on the first signal ends the program too, which then says `last_words`: nothing is left that must
/// be kept. Whether one has come before.
pub fn end_at_once(last_words: &'static str) -> bool {
    LAST_WORDS.get_or_init(|| last_words);
    ASKED_FOR.load(Ordering::SeqCst)
}

/// How long a display may take to look at the flag.
const PATIENCE: Duration = Duration::from_millis(800);

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
