//! From TOML to tables as they were written, with the place of every key and value.

use flitsim_keys::{Fault, Place, Placed, Raw, RawEntry, RawTable};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// What could be read of a text.
#[derive(Debug)]
pub struct Text {
    /// Its tables.
    pub top: RawTable,
    /// What is not TOML, a fault a line.
    pub faults: Vec<Fault>,
    /// The lines that are not, and what stands below a header among them: what else is wrong there follows.
    broken: Vec<Place>,
}

impl Text {
    /// Parses the text of a scenario.
    ///
    /// # Errors
    /// The first thing that is not TOML, where there are as many as the rest: the text is no scenario.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let (document, mut errors) = DeTable::parse_recoverable(text);
        let place = |error: &Error| error.span().unwrap_or(0..0);
        errors.sort_by_key(|error| place(error).start);
        if errors.iter().any(is_open_header) {
            // What stands below a header that is none may be of another table.
            errors.retain(|error| !error.message().contains(DUPLICATE));
        }
        if let Some((at, c)) = odd(text).filter(|_| !errors.is_empty()) {
            let what = format!(
                "not TOML: a character that is not visible, U+{:04X}",
                u32::from(c)
            );
            return Err(Fault::new(Some(at..at + c.len_utf8()), what)
                .label("behind this")
                .help("it is no part of TOML: remove it, or save the file as UTF-8 text"));
        }
        let is_of_booksim = !errors.is_empty() && is_of_booksim(text);
        let fault = |error: &Error| {
            let message = format!("not TOML: {}", error.message());
            let help = match is_of_booksim {
                true => {
                    "this reads like a configuration of BookSim2; docs/scenario-format.md says what its keys \
                     are called here, and `flitsim new mesh` writes a scenario"
                }
                false => remedy(error.message()),
            };
            Fault::new(Some(place(error)), message)
                .label("here")
                .help(help)
        };
        let mut all: Vec<(Place, &Error)> = Vec::new();
        for error in &errors {
            let at = place(error).start;
            if all.last().is_none_or(|(line, _)| !line.contains(&at)) {
                all.push((line_of(text, at), error));
            }
        }
        let broken = |(line, error): &(Place, &Error)| match is_open_header(error) {
            true => section_of(text, line),
            false => line.clone(),
        };
        let broken: Vec<Place> = all.iter().map(broken).collect();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        let is_none = is_of_booksim || 2 * broken.len() > lines;
        // An array without its end takes in all that follows.
        all.dedup_by_key(|(line, error)| match error.message() {
            OPEN_ARRAY => 0,
            _ => line.end,
        });
        let mut faults = all.iter().map(|(_, error)| fault(error));
        match faults.next() {
            Some(first) if is_none => Err(first),
            first => Ok(Self {
                top: table(document.get_ref()),
                faults: first.into_iter().chain(faults).collect(),
                broken,
            }),
        }
    }

    /// Whether `fault` is of a line that could be read.
    pub fn is_read(&self, fault: &Fault) -> bool {
        let at = fault.place();
        at.is_none_or(|at| !self.broken.iter().any(|line| line.contains(&at.start)))
    }
}

/// What is said where an array has no end.
const OPEN_ARRAY: &str = "missing comma between array elements, expected `,`";

/// What is said of a key that stands twice.
const DUPLICATE: &str = "duplicate key";

/// Whether a header has no end.
fn is_open_header(error: &Error) -> bool {
    let headers = ["unclosed table", "unclosed array table"];
    headers
        .iter()
        .any(|header| error.message().starts_with(header))
}

/// The header in the `line` of `text`, and all down to the next.
fn section_of(text: &str, line: &Place) -> Place {
    let rest = text.get(line.end..).unwrap_or_default();
    let lines = rest.split_inclusive('\n');
    let below = lines.take_while(|line| !line.trim_start().starts_with('['));
    line.start..line.end + below.map(str::len).sum::<usize>()
}

/// The line of `text` in which the byte `at` is, with its end.
fn line_of(text: &str, at: usize) -> Place {
    let at = at.min(text.len());
    let before = text.as_bytes()[..at]
        .iter()
        .rposition(|&byte| byte == b'\n');
    let behind = text.as_bytes()[at..].iter().position(|&byte| byte == b'\n');
    before.map_or(0, |end| end + 1)..behind.map_or(text.len(), |end| at + end) + 1
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
        m if m.contains(DUPLICATE) => {
            "a key stands once in its table: leave one of the two out, or give the second table another \
             name; series begin with `[[series]]`, in double brackets"
        }
        m if m.contains("quoted") => "write it in quotes, unless it is a number, `true` or `false`",
        m if m.contains("table") => "a table begins with `[name]`, and a series with `[[series]]`",
        m if m.contains("array") => {
            "an array is `[0.1, 0.2]`, with a comma between two and `]` at its end"
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
