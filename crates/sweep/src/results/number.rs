//! Numbers in results: six significant digits, so that files are readable and no digit is printed
//! that the confidence interval would not support.
//!
//! Invariant: the text of a number depends on its value only, never on the machine or its locale;
//! what is printed reads back as the same number; nothing that is not finite is ever printed.

use serde_json::Value;

/// Significant digits of a measured number in results.
pub const SIGNIFICANT_DIGITS: usize = 6;

/// `value` rounded to [`SIGNIFICANT_DIGITS`]; `None` where it is infinite or not a number.
pub fn rounded(value: f64) -> Option<f64> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{:.*e}", SIGNIFICANT_DIGITS - 1, value);
    let rounded: f64 = text.parse().ok()?;
    // Minus zero prints as `-0`.
    (rounded.is_finite()).then_some(rounded + 0.0)
}

/// `value` as [`rounded`], a whole number with every digit: what was counted, not estimated.
pub fn counted(value: f64) -> Option<f64> {
    match value.fract() {
        0.0 => Some(value),
        _ => rounded(value),
    }
}

/// The shortest decimal text that reads back as `value`, without an exponent; empty where there is
/// no value or it is not finite.
pub fn text(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{}", value + 0.0),
        _ => String::new(),
    }
}

/// `value` as CSV has it.
pub fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => text(n.as_f64()),
        other => other.to_string(),
    }
}

/// `value` for people: at most `digits` significant digits, without trailing zeros, a dash where it
/// is not finite.
///
/// # Panics
/// If `digits` is 0.
pub fn brief(value: f64, digits: usize) -> String {
    assert!(digits > 0, "a number needs at least one digit");
    if !value.is_finite() {
        return "–".to_owned();
    }
    let rounded: f64 = format!("{:.*e}", digits - 1, value)
        .parse()
        .unwrap_or(value);
    format!("{}", rounded + 0.0)
}

/// A mean and the half-width of its interval for people: the half-width with two significant digits,
/// and the mean to the same place, for its further digits say nothing. Without an interval, as
/// [`brief`] with four digits.
pub fn with_interval(mean: f64, half_width: f64) -> String {
    if !(mean.is_finite() && half_width.is_finite() && half_width > 0.0) {
        return brief(mean, 4);
    }
    // Two digits of what rounding makes of it: 0.0996 is 0.10.
    let half: f64 = format!("{half_width:.1e}").parse().unwrap_or(half_width);
    let decimals = (1.0 - half.log10().floor()).clamp(0.0, 17.0) as usize;
    format!("{mean:.decimals$} ± {half:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_the_digits_of_its_interval() {
        for (mean, half, text) in [
            (0.099_97, 0.0011, "0.1000 ± 0.0011"),
            (26.3172, 0.0996, "26.32 ± 0.10"),
            (1_234.56, 12.345, "1235 ± 12"),
            (1_234.56, 123.45, "1235 ± 120"),
            (-0.5, 0.25, "-0.50 ± 0.25"),
            (20.0, 0.0, "20"),
            (20.123_45, f64::NAN, "20.12"),
            (f64::NAN, 1.0, "–"),
        ] {
            assert_eq!(with_interval(mean, half), text);
        }
    }

    #[test]
    fn what_is_counted_keeps_every_digit() {
        assert_eq!(counted(1_048_579.0), Some(1_048_579.0));
        assert_eq!(counted(1_048_579.25), Some(1_048_580.0));
        assert_eq!(counted(f64::INFINITY), None);
    }

    #[test]
    fn six_digits_are_kept_and_read_back() {
        for (value, expected) in [
            (23.456_789_1, "23.4568"),
            (0.000_123_456_789, "0.000123457"),
            (1_234_567.8, "1234570"),
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (17.0, "17"),
            (999_999.7, "1000000"),
        ] {
            let printed = text(rounded(value));
            assert_eq!(printed, expected);
            assert_eq!(printed.parse::<f64>().ok(), rounded(value));
        }
    }

    #[test]
    fn what_is_not_finite_is_never_printed() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(rounded(value), None);
            assert_eq!(text(Some(value)), "");
            assert_eq!(brief(value, 3), "–");
        }
        assert_eq!(text(None), "");
    }

    #[test]
    fn brief_numbers_drop_what_nobody_reads() {
        assert_eq!(brief(0.449_99, 3), "0.45");
        assert_eq!(brief(1234.5, 3), "1230");
    }
}
