//! The terminal, taken and given back.
//!
//! Invariant: once a [`Terminal`] is gone, by its end, an error or a panic, the screen, the cursor and
//! the line discipline are as they were before.

use crossterm::cursor::{Hide, Show};
use crossterm::execute;
use crossterm::terminal::{
    DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there is something to give back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal in raw mode, its alternate screen shown without a cursor.
#[derive(Debug)]
pub struct Terminal(());

impl Terminal {
    /// Whether there is one: somebody looks at standard output and types into standard input.
    pub fn is_there() -> bool {
        io::stdout().is_terminal() && io::stdin().is_terminal()
    }

    /// Takes it. From now on a panic gives it back before it says anything.
    ///
    /// # Errors
    /// A terminal that does not let itself be taken.
    pub fn enter() -> io::Result<Self> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            leave();
            before(what);
        }));
        enable_raw_mode()?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        // From here on whatever fails gives back what was taken.
        let taken = Self(());
        execute!(io::stdout(), EnterAlternateScreen, Hide, DisableLineWrap)?;
        Ok(taken)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        leave();
    }
}

/// Gives the terminal back, once; nothing where it was not taken. A terminal that has gone away takes
/// nothing, and need not.
pub fn leave() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, EnableLineWrap, Show, LeaveAlternateScreen);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}
