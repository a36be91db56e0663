//! Sparklines: a row of bars, the latest at the right.

use super::screen::{Screen, Tone};

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the last of `values` into row `y` from column `x` on, `width` columns wide, over a scale from 0
/// to `most`; a value that is not there leaves a gap.
pub(super) fn sparkline(
    screen: &mut Screen,
    (x, y): (u16, u16),
    width: u16,
    values: &[Option<f64>],
    most: f64,
) {
    let shown = &values[values.len().saturating_sub(usize::from(width))..];
    let first = x + width - shown.len() as u16;
    for (column, value) in (first..).zip(shown) {
        if let Some(value) = value {
            screen.set(column, y, bar(value / most), Tone::Plain);
        }
    }
}

/// The bar of a share of the scale.
fn bar(share: f64) -> char {
    let step = (share * BARS.len() as f64).ceil() - 1.0;
    // NaN, of a scale without length, becomes 0.
    BARS[(step.max(0.0) as usize).min(BARS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_scale_and_gaps_stay_empty() {
        assert_eq!(
            (bar(0.0), bar(0.125), bar(0.126), bar(1.0)),
            ('▁', '▁', '▂', '█')
        );
        assert_eq!((bar(f64::NAN), bar(7.0)), ('▁', '█'));
        let mut screen = Screen::new(6, 1);
        let values = [Some(9.0), Some(4.0), None, Some(8.0)];
        sparkline(&mut screen, (1, 0), 4, &values, 8.0);
        assert_eq!(screen.to_text(), " █▄ █\n");
        // The latest are at the right where there is not room for all.
        let mut screen = Screen::new(6, 1);
        sparkline(&mut screen, (0, 0), 2, &values, 8.0);
        assert_eq!(screen.to_text(), " █\n");
        let mut screen = Screen::new(6, 1);
        sparkline(&mut screen, (0, 0), 6, &values, 8.0);
        assert_eq!(screen.to_text(), "  █▄ █\n");
    }
}
