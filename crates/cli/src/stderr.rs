//! Words on standard error, in colour where that is wanted.

use std::fmt::Display;

/// A line on standard error; a closed one is no reason to fail.
pub fn say(message: impl Display) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// How grave a message is.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// Why the command fails.
    Error,
    /// What to know, though the command goes on.
    Warning,
}

/// `text` in bold red or bold yellow; the stream takes the colours out where they are not wanted.
pub fn styled(text: &str, style: Style) -> String {
    let colour = match style {
        Style::Error => 31,
        Style::Warning => 33,
    };
    format!("\u{1b}[1;{colour}m{text}\u{1b}[0m")
}
