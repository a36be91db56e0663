//! Axes: from values to pixels, and ticks at round numbers (Heckbert, "Nice numbers for graph
//! labels", Graphics Gems, 1990).

/// The values that an axis shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The value at the near end.
    pub start: f64,
    /// The value at the far end.
    pub end: f64,
    /// Whether equal ratios, not equal differences, have equal lengths.
    pub logarithmic: bool,
    /// Whether the values are counts: no tick is between two of them.
    pub whole: bool,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    range: Range,
    /// Pixel of the start.
    from_px: f64,
    /// Pixel of the end.
    to_px: f64,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    /// A linear axis from 0, at pixel `from_px`, to at least `end`, at pixel `to_px`, with a tick
    /// about every `spacing_px` pixels.
    pub fn new(end: f64, from_px: f64, to_px: f64, spacing_px: f64) -> Self {
        let end = if end.is_finite() && end > 0.0 {
            end
        } else {
            1.0
        };
        let ticks = ((to_px - from_px).abs() / spacing_px).floor().max(1.0);
        let (step, _) = nice_step(end / ticks);
        // The axis ends at a tick or half way between two.
        let half = step / 2.0;
        let end = (end / half - 1e-9).ceil() * half;
        let range = Range {
            start: 0.0,
            end,
            logarithmic: false,
            whole: false,
        };
        Self {
            range,
            from_px,
            to_px,
            ticks: linear_ticks(range, ticks),
        }
    }

    /// An axis over just `range`, made sensible where it is empty or, on a logarithmic axis, not
    /// positive.
    pub fn over(range: Range, from_px: f64, to_px: f64, spacing_px: f64) -> Self {
        let Range {
            mut start,
            mut end,
            logarithmic,
            whole,
        } = range;
        if logarithmic && !(start.is_finite() && start > 0.0) {
            start = if end > 0.0 { end / 1000.0 } else { 1.0 };
        }
        if !start.is_finite() {
            start = 0.0;
        }
        if !(end.is_finite() && end > start) {
            end = if logarithmic {
                start * 10.0
            } else {
                start + 1.0
            };
        }
        let range = Range {
            start,
            end,
            logarithmic,
            whole,
        };
        let most = ((to_px - from_px).abs() / spacing_px).floor().max(1.0);
        let ticks = if logarithmic {
            logarithmic_ticks(range, most)
        } else {
            linear_ticks(range, most)
        };
        Self {
            range,
            from_px,
            to_px,
            ticks,
        }
    }

    /// An axis of groups: from 0 on one a unit, the first at the far end, each with its name at its middle.
    pub fn of_groups(groups: &[String], from_px: f64, to_px: f64) -> Self {
        let end = groups.len().max(1) as f64;
        let names = groups.iter().enumerate();
        Self {
            range: Range {
                start: 0.0,
                end,
                logarithmic: false,
                whole: true,
            },
            from_px,
            to_px,
            ticks: names
                .map(|(i, name)| (end - i as f64 - 0.5, name.clone()))
                .collect(),
        }
    }

    /// The value at the far end.
    pub const fn end(&self) -> f64 {
        self.range.end
    }

    /// The pixel of `value`. On a logarithmic axis a value that is not positive is far below its
    /// start.
    pub fn px(&self, value: f64) -> f64 {
        let Range { start, end, .. } = self.range;
        let share = if self.range.logarithmic {
            (value.max(start * 1e-6) / start).ln() / (end / start).ln()
        } else {
            (value - start) / (end - start)
        };
        self.from_px + share * (self.to_px - self.from_px)
    }

    /// Pixel of the near end.
    pub const fn start_px(&self) -> f64 {
        self.from_px
    }

    /// Pixel of the far end.
    pub const fn end_px(&self) -> f64 {
        self.to_px
    }

    /// Whether `value` is on the axis.
    pub fn contains(&self, value: f64) -> bool {
        let Range { start, end, .. } = self.range;
        let slack = (end - start) * 1e-9;
        (start - slack..=end + slack).contains(&value)
    }

    /// Whether `value` is beyond the far end.
    pub fn is_beyond(&self, value: f64) -> bool {
        value > self.range.start && !self.contains(value)
    }

    /// The ticks: values and their texts.
    pub fn ticks(&self) -> &[(f64, String)] {
        &self.ticks
    }
}

/// The most ticks of an axis, whatever its range.
const TICKS_MOST: f64 = 200.0;

/// Ticks at the multiples of a round step, about `most` of them.
fn linear_ticks(range: Range, most: f64) -> Vec<(f64, String)> {
    let least = (range.end - range.start) / most;
    let (step, decimals) = nice_step(if range.whole { least.max(1.0) } else { least });
    let first = (range.start / step - 1e-9).ceil();
    let count = (range.end / step - first + 1e-9)
        .floor()
        .clamp(0.0, TICKS_MOST) as u32;
    (0..=count)
        .map(|i| {
            let value = (first + f64::from(i)) * step + 0.0;
            let text = match value.abs() < 1e15 {
                true => format!("{value:.decimals$}"),
                false => format!("{value:e}"),
            };
            (value, text)
        })
        .collect()
}

/// Ticks at 1, 2 and 5 times the powers of ten, or fewer where they are more than `most`.
fn logarithmic_ticks(range: Range, most: f64) -> Vec<(f64, String)> {
    let mut exponent = 0;
    while power_of_ten(exponent) > range.start && exponent > -300 {
        exponent -= 1;
    }
    while power_of_ten(exponent + 1) <= range.start && exponent < 300 {
        exponent += 1;
    }
    let on_axis = |factors: &[u32], stride: i32| -> Vec<(f64, String)> {
        let powers = (exponent..300).step_by(stride as usize);
        let values = powers.flat_map(|e| factors.iter().map(move |&f| decimal(f, e)));
        values
            .take_while(|&value| value <= range.end * (1.0 + 1e-9))
            .filter(|&value| value >= range.start * (1.0 - 1e-9))
            .map(|value| (value, format!("{value}")))
            .collect()
    };
    let choices: [(&[u32], i32); 4] = [(&[1, 2, 5], 1), (&[1, 3], 1), (&[1], 1), (&[1], 2)];
    let mut found = choices
        .iter()
        .map(|&(factors, stride)| on_axis(factors, stride));
    let fits = |ticks: &Vec<_>| (1..=most as usize + 1).contains(&ticks.len());
    found.find(fits).unwrap_or_else(|| on_axis(&[1], 3))
}

/// The nearest of 1, 2, 5 times a power of ten that is at most `value`, which is positive: where a
/// logarithmic axis may start.
pub fn round_below(value: f64) -> f64 {
    let (step, _) = nice_step(value);
    if step <= value {
        return step;
    }
    // Four tenths of 10, 5 and 2 are 4, 2 and 0.8: what follows them is 5, 2 and 1.
    nice_step(0.4 * step * (1.0 - 1e-6)).0
}

/// The nearest of 1, 2, 5 times a power of ten that is at least `value`, which is positive: where a
/// logarithmic axis may end.
pub fn round_above(value: f64) -> f64 {
    nice_step(value).0
}

/// The least of 1, 2, 5 times a power of ten that is at least `least`, and the decimals its
/// multiples need. By multiplication only: logarithms differ between machines.
fn nice_step(least: f64) -> (f64, usize) {
    let mut exponent = 0i32;
    while power_of_ten(exponent) > least && exponent > -300 {
        exponent -= 1;
    }
    while power_of_ten(exponent + 1) <= least && exponent < 307 {
        exponent += 1;
    }
    let (factor, exponent) = match least / power_of_ten(exponent) {
        ratio if ratio <= 1.0 + 1e-9 => (1, exponent),
        ratio if ratio <= 2.0 + 1e-9 => (2, exponent),
        ratio if ratio <= 5.0 + 1e-9 => (5, exponent),
        _ => (1, exponent + 1),
    };
    let step = decimal(factor, exponent);
    (step, usize::try_from(-exponent).unwrap_or(0))
}

fn power_of_ten(exponent: i32) -> f64 {
    decimal(1, exponent)
}

/// `factor`·10^`exponent`, rounded once: the parser is exact.
fn decimal(factor: u32, exponent: i32) -> f64 {
    format!("{factor}e{exponent}").parse().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_data() {
        let scale = Scale::new(0.47, 0.0, 600.0, 70.0);
        let texts: Vec<String> = scale.ticks().iter().map(|t| t.1.clone()).collect();
        assert_eq!(texts, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(scale.end(), 0.5);
        assert_eq!(scale.px(0.25), 300.0);
    }

    #[test]
    fn large_small_and_senseless_ranges_have_ticks() {
        for end in [1e-9, 0.003, 1.0, 7.3, 480.0, 1e12, 0.0, -1.0, f64::NAN] {
            let scale = Scale::new(end, 40.0, 600.0, 70.0);
            let ticks = scale.ticks();
            assert!((2..=12).contains(&ticks.len()), "{end}: {ticks:?}");
            assert!(scale.end() >= end || end.is_nan());
            let mut texts: Vec<_> = ticks.iter().map(|t| &t.1).collect();
            texts.dedup();
            assert_eq!(texts.len(), ticks.len());
        }
    }

    #[test]
    fn a_logarithmic_axis_gives_equal_lengths_to_equal_ratios() {
        let range = |start, end| Range {
            start,
            end,
            logarithmic: true,
            whole: false,
        };
        let scale = Scale::over(range(1.0, 10_000.0), 0.0, 400.0, 40.0);
        assert!((scale.px(100.0) - 200.0).abs() < 1e-9);
        assert!(scale.px(0.0) < 0.0);
        let texts: Vec<&str> = scale.ticks().iter().map(|t| t.1.as_str()).collect();
        assert_eq!(
            texts,
            ["1", "3", "10", "30", "100", "300", "1000", "3000", "10000"]
        );
        // Less than a decade, senseless ends: still an axis with ticks.
        for (start, end) in [
            (16.0, 70.0),
            (0.0, 50.0),
            (-1.0, -2.0),
            (3.0, 3.0),
            (1e-9, 1e9),
        ] {
            let scale = Scale::over(range(start, end), 0.0, 400.0, 40.0);
            assert!(
                (1..=12).contains(&scale.ticks().len()),
                "{start} {end}: {scale:?}"
            );
        }
    }

    #[test]
    fn round_numbers_enclose_a_value() {
        for (value, below, above) in [
            (33.75, 20.0, 50.0),
            (0.0016, 0.001, 0.002),
            (16.0, 10.0, 20.0),
            (4096.0, 2000.0, 5000.0),
            (7.0, 5.0, 10.0),
            (1.5, 1.0, 2.0),
            (200.0, 200.0, 200.0),
        ] {
            assert_eq!((round_below(value), round_above(value)), (below, above));
        }
    }

    #[test]
    fn counts_have_no_ticks_between() {
        let texts = |whole| -> Vec<String> {
            let range = Range {
                start: 0.0,
                end: 3.0,
                logarithmic: false,
                whole,
            };
            let scale = Scale::over(range, 0.0, 600.0, 50.0);
            scale.ticks().iter().map(|t| t.1.clone()).collect()
        };
        assert_eq!(texts(true), ["0", "1", "2", "3"]);
        assert_eq!(texts(false)[1], "0.5");
    }

    #[test]
    fn an_axis_need_not_start_at_0() {
        let range = Range {
            start: -3.0,
            end: 7.0,
            logarithmic: false,
            whole: false,
        };
        let scale = Scale::over(range, 0.0, 100.0, 20.0);
        assert_eq!(scale.px(2.0), 50.0);
        let texts: Vec<&str> = scale.ticks().iter().map(|t| t.1.as_str()).collect();
        assert_eq!(texts, ["-2", "0", "2", "4", "6"]);
        assert!(scale.contains(7.0) && !scale.contains(7.1) && scale.is_beyond(7.1));
        assert!(!scale.is_beyond(-4.0));
    }
}
