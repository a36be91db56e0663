//! Values of one type, each checked for it and for its range.

use crate::description::Within;
use crate::fault::{Fault, OUT_OF_RANGE, list};
use crate::nearest::nearest;
use crate::place::Placed;
use crate::raw::Raw;
use crate::value::Value;

pub(super) fn wrong_type(raw: &Placed<Raw>, subject: &str, wanted: &str) -> Fault {
    let given = raw.value.describe();
    let message = format!("{subject} must be {wanted}, not {given}");
    Fault::new(raw.place.clone(), message).label(given)
}

/// A whole number in `range`.
pub(super) fn integer(
    raw: &Placed<Raw>,
    subject: &str,
    range: (u64, u64),
    unit: &str,
) -> Result<Value, Fault> {
    let (low, high) = range;
    let Raw::Integer { said, value } = &raw.value else {
        let of = if unit.is_empty() { "" } else { " of " };
        return Err(
            wrong_type(raw, subject, "a whole number").help(match &raw.value {
                Raw::Text(text) if text.parse::<u64>().is_ok() => {
                    format!("remove the quotes: {text}")
                }
                _ => format!("write a number{of}{unit} from {low} to {high}"),
            }),
        );
    };
    match value.and_then(|value| u64::try_from(value).ok()) {
        Some(number) if (low..=high).contains(&number) => Ok(Value::Integer(number)),
        _ => Err(Fault::new(
            raw.place.clone(),
            format!("{subject} is {said}, out of its range"),
        )
        .label(OUT_OF_RANGE)
        .help(format!("it must be from {low} to {high} {unit}").trim_end())),
    }
}

/// A real number `within` its range.
pub(super) fn number(
    raw: &Placed<Raw>,
    subject: &str,
    within: &Within,
    hint: &str,
) -> Result<Value, Fault> {
    let number = match &raw.value {
        Raw::Integer { value, .. } => value.and_then(|n| i64::try_from(n).ok()).map(|n| n as f64),
        Raw::Number(number) => *number,
        other => {
            let fault = wrong_type(raw, subject, "a number");
            return Err(match other {
                Raw::Text(text) if text.parse::<f64>().is_ok() => {
                    fault.help(format!("remove the quotes: {text}"))
                }
                _ => fault.help("write a number, such as 0.5"),
            });
        }
    };
    let Some(number) = number else {
        return Err(
            Fault::new(raw.place.clone(), format!("{subject} is too large"))
                .label("too large a number")
                .help("write a number of fewer digits, or with an exponent, such as 1e6"),
        );
    };
    if within.contains(number) {
        return Ok(Value::Number(number));
    }
    // Where the range has no upper end, infinity seems to be in it.
    let finite = match (number.is_finite(), within.high) {
        (false, None) => "finite and ",
        _ => "",
    };
    let range = format!("it must be {finite}{}", within.in_words());
    let range = match hint {
        "" => range,
        hint => format!("{range}: {hint}"),
    };
    let message = format!("{subject} is {number}, out of its range");
    Err(Fault::new(raw.place.clone(), message)
        .label(OUT_OF_RANGE)
        .help(range))
}

pub(super) fn flag(raw: &Placed<Raw>, subject: &str, key: &str) -> Result<Value, Fault> {
    match &raw.value {
        Raw::Flag(flag) => Ok(Value::Flag(*flag)),
        _ => Err(wrong_type(raw, subject, "true or false")
            .help(format!("write `{key} = true` or `{key} = false`"))),
    }
}

pub(super) fn text(
    raw: &Placed<Raw>,
    subject: &str,
    key: &str,
    hint: &str,
) -> Result<Value, Fault> {
    match &raw.value {
        Raw::Text(text) => match unfit(text) {
            None => Ok(Value::Text(text.clone())),
            Some(why) => {
                let fault = Fault::new(raw.place.clone(), format!("{subject} {why}"));
                let help =
                    "texts stand in tables, charts and terminals: one line of visible characters";
                Err(fault.label("not as it can be shown").help(help))
            }
        },
        _ => Err(wrong_type(raw, subject, "a string").help(match hint {
            "" => format!("write it in quotes: `{key} = \"...\"`"),
            hint => hint.to_owned(),
        })),
    }
}

/// The most characters of a text.
const TEXT_MOST: usize = 1000;

/// Whether a terminal takes it for an order, or shows nothing of it. Of Unicode: marks and isolates of
/// direction, joiners, the byte order mark.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Why `text` cannot be shown as it is, in tables, charts and terminals: what it has that is not one line of
/// visible characters.
pub fn unfit(text: &str) -> Option<String> {
    if let Some(hidden) = text.chars().find(|&c| is_hidden(c)) {
        let code = u32::from(hidden);
        return Some(format!("has a character that is not visible, U+{code:04X}"));
    }
    let characters = text.chars().count();
    if characters > TEXT_MOST {
        return Some(format!(
            "has {characters} characters, and {TEXT_MOST} are the most"
        ));
    }
    let is_trimmed = text.trim().len() == text.len();
    (!is_trimmed).then(|| "begins or ends with a space".to_owned())
}

/// Accents, the voicing of kana, vowels and finals of Hangul.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}' | '\u{1160}'..='\u{11ff}')
}

/// The letters of `text`, each with its marks.
fn letters(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut next = text.char_indices().skip(1).skip_while(|&(_, c)| is_mark(c));
        let end = next.next().map_or(text.len(), |(end, _)| end);
        let letter;
        (letter, text) = text.split_at(end);
        (!letter.is_empty()).then_some(letter)
    })
}

/// What texts that [read the same](reads_as) have in common, their letters but those that are not ASCII; and
/// whether some letter has marks: of two without, only equals read the same.
pub fn outline(text: &str) -> (String, bool) {
    let shown = |letter: &str| match *letter.as_bytes() {
        [ascii] if ascii.is_ascii() => char::from(ascii),
        _ => char::REPLACEMENT_CHARACTER,
    };
    (
        letters(text).map(shown).collect(),
        text.chars().any(is_mark),
    )
}

/// Whether two texts read the same: they differ at most in letters that are one character here, and a letter
/// and combining marks there. Which letter with which marks is not looked up, that needs the tables of Unicode: é
/// written in one way and è in the other pass for the same, but no letters of two scripts, nor one and itself
/// with marks.
pub fn reads_as(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (letters(one), letters(other));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_composed_of(a, b) || is_composed_of(b, a) => {}
            _ => return false,
        }
    }
}

/// Whether `letter` may be the one character that `parts`, a letter and its marks, are in one.
fn is_composed_of(letter: &str, parts: &str) -> bool {
    let (mut letter, mut parts) = (letter.chars(), parts.chars());
    let (Some(one), None, Some(first), Some(_)) =
        (letter.next(), letter.next(), parts.next(), parts.next())
    else {
        return false;
    };
    !one.is_ascii() && one != first && script(one) == script(first)
}

/// The script of a letter that marks compose with, as far as it matters: a symbol stands with its parts.
fn script(c: char) -> u32 {
    match c {
        '\0'..='\u{2ff}' | '\u{1e00}'..='\u{1eff}' | '\u{2100}'..='\u{22ff}' => 0,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => 1,
        '\u{400}'..='\u{52f}' => 2,
        '\u{3040}'..='\u{30ff}' => 3,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => 4,
        _ => 5,
    }
}

/// One of the `words`.
pub(super) fn word(
    raw: &Placed<Raw>,
    subject: &str,
    key: &str,
    words: &[&'static str],
) -> Result<Value, Fault> {
    let allowed = list(words, "\"");
    let Raw::Text(given) = &raw.value else {
        let fault = wrong_type(raw, subject, "a word");
        return Err(fault.help(format!("write one of {allowed}")));
    };
    if let Some(word) = words.iter().find(|word| *word == given) {
        return Ok(Value::Word(word));
    }
    let fault = Fault::new(raw.place.clone(), format!("unknown `{key}`: \"{given}\""));
    let fault = match nearest(given, words.iter().copied()) {
        Some(near) => fault.label(format!("did you mean \"{near}\"?")),
        None => fault.label("not one of the words allowed"),
    };
    Err(fault.help(format!("allowed: {allowed}")))
}

/// The elements of an array.
pub(super) fn elements<'r>(
    raw: &'r Placed<Raw>,
    subject: &str,
    hint: &str,
) -> Result<&'r [Placed<Raw>], Fault> {
    match &raw.value {
        Raw::List(elements) => Ok(elements),
        _ => Err(wrong_type(raw, subject, "an array").help(match hint {
            "" => "write the values in square brackets, such as [1, 2, 3]",
            hint => hint,
        })),
    }
}

/// An array of too few or too many elements.
pub(super) fn wrong_count(
    raw: &Placed<Raw>,
    subject: &str,
    count: usize,
    (least, most): (usize, Option<usize>),
    hint: &str,
) -> Fault {
    let message = match count {
        0 => format!("{subject} is empty"),
        _ => format!("{subject} has {count} elements"),
    };
    let allowed = match most {
        Some(most) => format!("{least} to {most}"),
        None => format!("at least {least}"),
    };
    let fault = Fault::new(raw.place.clone(), message);
    match hint {
        "" => fault.help(format!("it takes {allowed}")),
        hint => fault.help(hint),
    }
    .label(format!("{allowed} wanted"))
}
