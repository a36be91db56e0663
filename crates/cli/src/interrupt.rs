//! Ctrl-C, and the polite signal of a batch system: a sweep ends with what it has.
//!
//! Invariant: before [`listen`] is called a signal ends the program at once, as everywhere; after it
//! the first asks, and the second ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED_FOR: AtomicBool = AtomicBool::new(false);

/// From here on the first signal only sets a flag. Where the system does not let us listen, signals
/// go on ending the program: what has finished is on the disk anyway.
pub fn listen() {
    listen_and(|| {});
}

/// The same; where a second signal ends the program, `leave` is called before: a display that is too
/// busy to look at the flag does not keep the terminal.
pub fn listen_and(leave: fn()) {
    // A second call finds the first one's handler.
    let _ = ctrlc::set_handler(move || {
        if ASKED_FOR.swap(true, Ordering::Relaxed) {
            leave();
            std::process::exit(1);
        }
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
