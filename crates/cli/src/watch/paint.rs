//! From a [`Screen`] to what a terminal understands: only what has changed.

use super::screen::{Cell, Screen, Tone};
use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::style::{
    Attribute, Color, Print, SetAttribute, SetBackgroundColor, SetForegroundColor,
};
use crossterm::terminal::{Clear, ClearType};
use std::io::{self, Write};

/// The scale of heat, of the 256 colours of terminals: dark to light, so that it reads in grey and
/// by the colour-blind.
const HEAT: [u8; 10] = [236, 54, 90, 126, 162, 168, 209, 215, 221, 229];

/// The step from which on the scale is light.
const HEAT_LIGHT: u8 = 5;

/// Writes what differs between `screen` and `before`, all of it where there is none before or its size
/// was another. Without `in_colour`, only bold and reversed text sets anything apart.
///
/// # Errors
/// Whatever `out` says.
pub fn paint(
    out: &mut impl Write,
    screen: &Screen,
    before: Option<&Screen>,
    in_colour: bool,
) -> io::Result<()> {
    let same_size =
        |one: &&Screen| one.width() == screen.width() && one.height() == screen.height();
    let before = before.filter(same_size);
    if before == Some(screen) {
        return Ok(());
    }
    if before.is_none() {
        queue!(out, Clear(ClearType::All))?;
    }
    let mut tone = None;
    for y in 0..screen.height() {
        let old = before.map(|before| before.row(y));
        let mut is_there = false;
        for (x, (i, &cell)) in (0..).zip(screen.row(y).iter().enumerate()) {
            if old.is_some_and(|old| old[i] == cell) {
                is_there = false;
                continue;
            }
            if !is_there {
                queue!(out, MoveTo(x, y))?;
                is_there = true;
            }
            if tone != Some(cell.tone) {
                set_tone(out, cell, in_colour)?;
                tone = Some(cell.tone);
            }
            queue!(out, Print(cell.character))?;
        }
    }
    queue!(out, SetAttribute(Attribute::Reset))?;
    out.flush()
}

fn set_tone(out: &mut impl Write, cell: Cell, in_colour: bool) -> io::Result<()> {
    queue!(out, SetAttribute(Attribute::Reset))?;
    match cell.tone {
        Tone::Plain => Ok(()),
        Tone::Strong => queue!(out, SetAttribute(Attribute::Bold)),
        Tone::Title => queue!(out, SetAttribute(Attribute::Reverse)),
        Tone::Faint if in_colour => queue!(out, SetForegroundColor(Color::DarkGrey)),
        Tone::Alert if in_colour => queue!(
            out,
            SetAttribute(Attribute::Bold),
            SetForegroundColor(Color::Red)
        ),
        Tone::Alert => queue!(out, SetAttribute(Attribute::Bold)),
        Tone::Heat(step) if in_colour => {
            let text = if step < HEAT_LIGHT { 255 } else { 16 };
            queue!(
                out,
                SetBackgroundColor(Color::AnsiValue(HEAT[usize::from(step.min(9))])),
                SetForegroundColor(Color::AnsiValue(text))
            )
        }
        Tone::Faint | Tone::Heat(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(screen: &Screen, before: Option<&Screen>, in_colour: bool) -> String {
        let mut out = Vec::new();
        paint(&mut out, screen, before, in_colour).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_changed_is_written() {
        let mut before = Screen::new(8, 2);
        before.text(0, 0, "abc", Tone::Plain);
        let mut after = before.clone();
        after.text(1, 0, "x", Tone::Strong);
        let written = painted(&after, Some(&before), true);
        assert_eq!(written, "\u{1b}[1;2H\u{1b}[0m\u{1b}[1mx\u{1b}[0m");
        assert_eq!(painted(&after, Some(&after), true), "");
        // Another size is another screen.
        let all = painted(&Screen::new(4, 1), Some(&after), true);
        assert!(
            all.starts_with("\u{1b}[2J") && all.contains("    "),
            "{all:?}"
        );
    }

    #[test]
    fn without_colour_no_colour_is_set() {
        let mut screen = Screen::new(8, 1);
        for (x, tone) in [Tone::Heat(9), Tone::Alert, Tone::Faint, Tone::Title]
            .iter()
            .enumerate()
        {
            screen.set(x as u16, 0, 'x', *tone);
        }
        let plain = painted(&screen, None, false);
        assert!(
            !plain.contains("[38") && !plain.contains("[48"),
            "{plain:?}"
        );
        // Whatever the environment of the test says.
        crossterm::style::force_color_output(true);
        let coloured = painted(&screen, None, true);
        assert!(coloured.contains("[48;5;229m"), "{coloured:?}");
    }
}
