//! Axes: from values to pixels, and ticks at round numbers (Heckbert, "Nice numbers for graph
//! labels", Graphics Gems, 1990).

/// A linear axis that starts at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The value at the far end.
    pub end: f64,
    /// Pixel of the value 0.
    from_px: f64,
    /// Pixel of `end`.
    to_px: f64,
    step: f64,
    decimals: usize,
}

impl Scale {
    /// An axis from 0, at pixel `from_px`, to at least `end`, at pixel `to_px`, with a tick about
    /// every `spacing_px` pixels.
    pub fn new(end: f64, from_px: f64, to_px: f64, spacing_px: f64) -> Self {
        let end = if end.is_finite() && end > 0.0 {
            end
        } else {
            1.0
        };
        let ticks = ((to_px - from_px).abs() / spacing_px).floor().max(1.0);
        let (step, decimals) = nice_step(end / ticks);
        // The axis ends at a tick or half way between two.
        let half = step / 2.0;
        let end = (end / half - 1e-9).ceil() * half;
        Self {
            end,
            from_px,
            to_px,
            step,
            decimals,
        }
    }

    /// The pixel of `value`.
    pub fn px(&self, value: f64) -> f64 {
        self.from_px + value / self.end * (self.to_px - self.from_px)
    }

    /// Pixel of the value 0.
    pub fn start_px(&self) -> f64 {
        self.from_px
    }

    /// Pixel of the far end.
    pub fn end_px(&self) -> f64 {
        self.to_px
    }

    /// Whether `value` is on the axis.
    pub fn contains(&self, value: f64) -> bool {
        (0.0..=self.end * (1.0 + 1e-9)).contains(&value)
    }

    /// The ticks: values and their texts.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let count = (self.end / self.step + 1e-9).floor() as u32;
        (0..=count)
            .map(|i| {
                let value = f64::from(i) * self.step;
                (value, format!("{value:.*}", self.decimals))
            })
            .collect()
    }
}

/// The least of 1, 2, 5 times a power of ten that is at least `least`, and the decimals its
/// multiples need. By multiplication only: logarithms differ between machines.
fn nice_step(least: f64) -> (f64, usize) {
    let mut exponent = 0i32;
    while power_of_ten(exponent) > least && exponent > -300 {
        exponent -= 1;
    }
    while power_of_ten(exponent + 1) <= least && exponent < 300 {
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
        let texts: Vec<String> = scale.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(texts, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(scale.end, 0.5);
        assert_eq!(scale.px(0.25), 300.0);
    }

    #[test]
    fn large_small_and_senseless_ranges_have_ticks() {
        for end in [1e-9, 0.003, 1.0, 7.3, 480.0, 1e12, 0.0, -1.0, f64::NAN] {
            let scale = Scale::new(end, 40.0, 600.0, 70.0);
            let ticks = scale.ticks();
            assert!((2..=12).contains(&ticks.len()), "{end}: {ticks:?}");
            assert!(scale.end >= end || end.is_nan());
            let mut texts: Vec<_> = ticks.iter().map(|t| &t.1).collect();
            texts.dedup();
            assert_eq!(texts.len(), ticks.len());
        }
    }
}
