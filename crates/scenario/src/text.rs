//! From TOML to tables as they were written, with the place of every key and value.

use flitsim_keys::{Fault, Placed, Raw, RawEntry, RawTable};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses the text of a scenario.
///
/// # Errors
/// What is not TOML.
pub fn parse(text: &str) -> Result<RawTable, Fault> {
    let document = DeTable::parse(text).map_err(|error| {
        if let Some((at, c)) = odd(text) {
            let what = format!("not TOML: a character that is not visible, U+{:04X}", u32::from(c));
            return Fault::new(Some(at..at + c.len_utf8()), what)
                .label("behind this")
                .help("it is no part of TOML: remove it, or save the file as UTF-8 text");
        }
        Fault::new(error.span(), format!("not TOML: {}", error.message()))
            .label("here")
            .help(match is_of_booksim(text) {
                true => "this reads like a configuration of BookSim2; docs/scenario-format.md says what its \
                         keys are called here, and `flitsim new mesh` writes a scenario",
                false => remedy(error.message()),
            })
    })?;
    Ok(table(document.get_ref()))
}

/// The first character that TOML has nowhere outside texts, and where it stands. (A byte order mark may begin
/// a file.)
fn odd(text: &str) -> Option<(usize, char)> {
    let is_odd = |c: char| c == '\u{feff}' || c.is_control() && !"\t\n\r".contains(c);
    let mut characters = text.char_indices().skip_while(|&at| at == (0, '\u{feff}'));
    characters.find(|&(_, c)| is_odd(c))
}

/// A single value, such as `8` or `true`; `None` where `text` is none.
pub fn parse_value(text: &str) -> Option<Raw> {
    let value = DeValue::parse(text).ok()?;
    Some(raw(value.get_ref()))
}

/// Whether most lines that say something are `key = value;` or comments of C.
fn is_of_booksim(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (mut own, mut all) = (0, 0);
    for line in lines {
        all += 1;
        let is_pair =
            line.contains('=') && line.split("//").next().unwrap_or("").trim().ends_with(';');
        own += usize::from(line.starts_with("//") || is_pair);
    }
    2 * own > all
}

/// What would be right where a text is not TOML.
fn remedy(message: &str) -> &'static str {
    match message {
        m if m.contains("duplicate key") => {
            "a key stands once in its table: leave one of the two out, or give the second table another \
             name; series begin with `[[series]]`, in double brackets"
        }
        m if m.contains("string") => {
            "a string ends with the quote that it begins with: `title = \"...\"`"
        }
        _ => "a line is a `[table]`, or `key = value` with strings in quotes: https://toml.io",
    }
}

fn table(table: &DeTable<'_>) -> RawTable {
    let entries = table.iter().map(|(key, value)| {
        let mut value = placed(value);
        if let Raw::Table(table) = &mut value.value {
            // Messages about the whole of it show its name.
            table.place = Some(key.span());
        }
        RawEntry {
            key: Placed::at(key.get_ref().to_string(), key.span()),
            value,
        }
    });
    let mut entries: Vec<RawEntry> = entries.collect();
    entries.sort_by_key(|entry| entry.key.place.as_ref().map(|place| place.start));
    RawTable {
        place: None,
        entries,
    }
}

fn placed(value: &Spanned<DeValue<'_>>) -> Placed<Raw> {
    Placed::at(raw(value.get_ref()), value.span())
}

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => Raw::Integer {
            said: number.to_string(),
            value: i128::from_str_radix(number.as_str(), number.radix()).ok(),
        },
        DeValue::Float(number) => Raw::Number(number.as_str().parse().ok()),
        DeValue::Boolean(flag) => Raw::Flag(*flag),
        DeValue::Datetime(_) => Raw::Date,
        DeValue::Array(values) => Raw::List(values.iter().map(placed).collect()),
        DeValue::Table(inner) => Raw::Table(table(inner)),
    }
}
