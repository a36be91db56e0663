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

#[cfg(test)]
mod tests {
    use super::*;

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
