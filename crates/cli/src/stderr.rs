//! Words on standard error, in colour where that is wanted.

use flitsim_keys::is_hidden;
use std::fmt::Display;

/// A line on standard error; a closed one is no reason to fail.
pub fn say(message: impl Display) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// The most characters of a message.
const SHOWN_MOST: usize = 4000;

/// `text`, which may quote what somebody sent, as a terminal may have it: without orders to the terminal, and
/// not without end.
pub fn shown(text: impl Display) -> String {
    let text = text.to_string();
    let visible = |c| match c {
        '\n' | '\t' => c,
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    };
    let shown: String = text.chars().take(SHOWN_MOST).map(visible).collect();
    match text.chars().count().saturating_sub(SHOWN_MOST) {
        0 => shown,
        more => format!("{shown}… ({more} characters more)"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_gives_the_terminal_no_orders_and_ends() {
        assert_eq!(
            shown("a\u{1b}[2J\tb\nc\u{202e}é"),
            "a\u{fffd}[2J\tb\nc\u{fffd}é"
        );
        let long = shown("é".repeat(SHOWN_MOST + 7));
        assert!(long.ends_with("é… (7 characters more)"), "{long}");
    }
}
