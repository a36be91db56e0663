//! BookSim2's language (`config.l`, `config.y`, `config_utils.cpp`): `key = value;` with values of three
//! types, each kept apart; a key of several types keeps one of each.

use super::keys::{KEYS, KeyOf};
use crate::error::{Fault, Place, nearest};
use std::collections::HashMap;

/// A value as it stands.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Whole(i64),
    Real(f64),
    Text(String),
}

impl Given {
    const fn type_of(&self) -> char {
        match self {
            Self::Whole(_) => 'i',
            Self::Real(_) => 'f',
            Self::Text(_) => 's',
        }
    }

    /// The longest of the words that `BookSim2`'s lexer finds at the start of `text`: a list, a number or a
    /// word; with its length.
    fn at(text: &str) -> Option<(Self, usize)> {
        let length = |is: fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
        if text.starts_with('{') {
            let end = length(|c| c.is_ascii_alphanumeric() || "_-.(){},".contains(c));
            return text[..end]
                .ends_with('}')
                .then(|| (Self::Text(text[..end].to_owned()), end));
        }
        let end = length(|c| c.is_ascii_digit() || "+-.eE".contains(c));
        let number = &text[..end];
        let is_number = number.starts_with(|c: char| c.is_ascii_digit() || "-.".contains(c))
            && number.ends_with(|c: char| c.is_ascii_digit());
        if is_number {
            let digits = number.strip_prefix('-').unwrap_or(number);
            if digits.bytes().all(|byte| byte.is_ascii_digit()) {
                // What no `i64` holds is as far beyond BookSim2's as its bounds are.
                let bound = if digits == number { i64::MAX } else { i64::MIN };
                return Some((Self::Whole(number.parse().unwrap_or(bound)), end));
            }
            if let Ok(real) = number.parse() {
                return Some((Self::Real(real), end));
            }
        }
        let is_first = |c: char| c.is_ascii_alphabetic() || "_-/.".contains(c);
        text.starts_with(is_first).then(|| {
            let end = length(|c| c.is_ascii_alphanumeric() || "_-/.+(){},".contains(c));
            (Self::Text(text[..end].to_owned()), end)
        })
    }
}

/// What a configuration sets.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// By key and type: the value, and where it stands; nowhere for what a command line says.
    set: HashMap<(&'static str, char), (Given, Option<Place>)>,
    /// Whether some of it is no assignment: what else is wrong may follow.
    pub(super) is_broken: bool,
}

impl Settings {
    /// Reads the file's `text`, then the `overrides`, and tells all that is wrong with them. A key that
    /// BookSim2 does not have is taken for the one that was meant.
    pub(super) fn read(text: &str, overrides: &[String]) -> (Self, Vec<Fault>) {
        let mut settings = Self::default();
        let mut faults = Vec::new();
        settings.take(text, true, &mut faults);
        for text in overrides {
            let mut text = text.clone();
            text.push(';');
            settings.take(&text, false, &mut faults);
        }
        (settings, faults)
    }

    /// Takes the assignments of `text`.
    fn take(&mut self, text: &str, is_file: bool, faults: &mut Vec<Fault>) {
        let whole = blanked(text);
        let mut at = 0;
        for statement in whole.split_inclusive(';') {
            let start = at + statement.len() - statement.trim_start().len();
            at += statement.len();
            let body = statement.trim();
            if body.is_empty() || body == ";" {
                continue;
            }
            let place = start..start + body.trim_end_matches(';').trim_end().len();
            let wrong = |message: String| {
                let place = is_file.then(|| place.clone());
                let shown = if is_file {
                    message
                } else {
                    format!("{message}, on the command line")
                };
                Fault::new(place, shown)
            };
            match assignment(body) {
                Err(message) => {
                    self.is_broken = true;
                    faults.push(wrong(message).label("BookSim2 stops here").help(
                        "a configuration is a list of `key = value;`, with comments behind `//`",
                    ));
                }
                Ok((name, given)) => match known(name, &given) {
                    Ok(_) if matches!(given, Given::Whole(value) if i32::try_from(value).is_err()) =>
                    {
                        let (least, most) = (i32::MIN, i32::MAX);
                        faults.push(
                            wrong(format!("a number for `{name}` beyond 32 bits with a sign"))
                                .label("BookSim2 takes it for another")
                                .help(format!("it takes whole numbers from {least} to {most}")),
                        );
                    }
                    Ok(key) => {
                        let place = is_file.then(|| place.clone());
                        self.set.insert((key.name, given.type_of()), (given, place));
                    }
                    Err((message, help)) => {
                        faults.push(wrong(message).label("BookSim2 stops here").help(help));
                        let meant = near(name).and_then(|name| known(name, &given).ok());
                        if let Some(key) = meant {
                            let place = is_file.then(|| place.clone());
                            let of = (key.name, given.type_of());
                            // What the file says under its own name counts; the command line comes last.
                            if !is_file || !self.set.contains_key(&of) {
                                self.set.insert(of, (given, place));
                            }
                        }
                    }
                },
            }
        }
    }

    fn given(&self, key: &str, of: char) -> Option<&Given> {
        let key = KEYS.iter().find(|known| known.name == key)?;
        self.set.get(&(key.name, of)).map(|(given, _)| given)
    }

    /// Where what is [shown](Self::shown) of `key` is set in the file.
    pub(super) fn place(&self, key: &str) -> Option<Place> {
        self.of_file_or_command_line(key)?.clone()
    }

    /// As [`place`](Self::place), `Some(None)` for the command line; `None` where nobody sets it.
    fn of_file_or_command_line(&self, key: &str) -> Option<&Option<Place>> {
        let key = KEYS.iter().find(|known| known.name == key)?;
        let mut types = ['s', 'f', 'i'].iter();
        let set = types.find_map(|of| self.set.get(&(key.name, *of)))?;
        Some(&set.1)
    }

    /// Whether `key` has the value that it has where nobody sets it.
    pub(super) fn is_default(&self, key: &KeyOf) -> bool {
        let set = self.set.iter().filter(|((name, _), _)| *name == key.name);
        set.map(|(_, (given, _))| given).all(|given| match given {
            Given::Whole(value) => key.default.parse() == Ok(*value),
            Given::Real(value) => key.default.parse() == Ok(*value),
            Given::Text(value) => key.default == value,
        })
    }

    fn default_of(key: &str) -> &'static str {
        let key = KEYS.iter().find(|known| known.name == key);
        key.map_or("", |key| key.default)
    }

    /// The whole number of `key`.
    pub(super) fn whole(&self, key: &str) -> i64 {
        match self.given(key, 'i') {
            Some(Given::Whole(value)) => *value,
            _ => Self::default_of(key).parse().unwrap_or_default(),
        }
    }

    /// The number of `key`.
    pub(super) fn real(&self, key: &str) -> f64 {
        match self.given(key, 'f') {
            Some(Given::Real(value)) => *value,
            _ => Self::default_of(key).parse().unwrap_or_default(),
        }
    }

    /// The text of `key`; of a key that has a number, too, none where it is not set.
    pub(super) fn text(&self, key: &str) -> &str {
        let is_text = |default: &&str| default.parse::<f64>().is_err();
        match self.given(key, 's') {
            Some(Given::Text(value)) => value,
            _ => Some(Self::default_of(key))
                .filter(is_text)
                .unwrap_or_default(),
        }
    }

    /// `key` and its value as BookSim2 would print them, and whether the command line says so.
    pub(super) fn shown(&self, key: &str) -> String {
        let value = match (self.text(key), self.given(key, 'f')) {
            ("", Some(Given::Real(value))) => value.to_string(),
            ("", _) if self.given(key, 'i').is_some() => self.whole(key).to_string(),
            ("", _) => Self::default_of(key).to_owned(),
            (text, _) => text.to_owned(),
        };
        match self.of_file_or_command_line(key) {
            Some(None) => format!("`{key} = {value}` on the command line"),
            _ => format!("`{key} = {value}`"),
        }
    }
}

/// `text` with spaces in place of comments, ends of lines and a byte order mark: every byte keeps its place.
fn blanked(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let marked = text.strip_prefix('\u{feff}');
    if marked.is_some() {
        whole.push_str("   ");
    }
    for line in marked.unwrap_or(text).split_inclusive('\n') {
        let end = line.find("//").unwrap_or(line.len());
        whole.push_str(&line[..end].replace(['\n', '\r', '\t'], " "));
        whole.extend(std::iter::repeat_n(' ', line.len() - end));
    }
    whole
}

/// What `body` assigns to what.
fn assignment(body: &str) -> Result<(&str, Given), String> {
    let Some(body) = body.strip_suffix(';') else {
        return Err("an assignment without a `;` at its end".to_owned());
    };
    let Some((name, value)) = body.split_once('=') else {
        return Err(format!("`{}` assigns nothing", body.trim()));
    };
    let (name, value) = (name.trim(), value.trim());
    let is_name = matches!(Given::at(name), Some((Given::Text(_), end)) if end == name.len());
    if !is_name {
        return Err(format!("`{name}` is not the name of a key"));
    }
    match Given::at(value) {
        Some((given, end)) if end == value.len() => Ok((name, given)),
        _ if value.is_empty() => Err(format!("`{name}` has no value")),
        _ => Err(format!(
            "`{value}` is not one value: a number, a word or a list {{a,b}}"
        )),
    }
}

/// The key that `name`, which is none, may mean.
fn near(name: &str) -> Option<&'static str> {
    match name {
        // BookSim 1 called it so.
        "const_flits_per_packet" => Some("packet_size"),
        _ => nearest(name, KEYS.iter().map(|key| key.name)),
    }
}

/// The key `name`, if it takes `given`; otherwise what is wrong, and what would be right.
fn known(name: &str, given: &Given) -> Result<&'static KeyOf, (String, String)> {
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        let help = near(name).map_or_else(
            || "leave it out: BookSim2 refuses it, too".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        return Err((format!("BookSim2 has no key `{name}`"), help));
    };
    if key.types.contains(given.type_of()) {
        return Ok(key);
    }
    let wants = key.types.chars().map(|of| match of {
        'i' => "a whole number",
        'f' => "a number with a point, such as 1.0",
        _ => "a word or a list",
    });
    let wants = wants.collect::<Vec<_>>().join(" or ");
    let has = match given {
        Given::Whole(_) => "a whole number",
        Given::Real(_) => "a number with a point",
        Given::Text(_) => "a word or a list",
    };
    Err((
        format!("BookSim2 does not take {has} for `{name}`"),
        format!("it takes {wants}"),
    ))
}
