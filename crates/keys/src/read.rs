//! From a table as it was written to checked values, or everything that is wrong with it.

mod alternatives;
mod overridden;
mod scalar;
mod unknown;

use crate::description::{Absent, Choice, Description, Rule, Shape, Table, Variant};
use crate::fault::{Fault, list};
use crate::place::{Place, Placed};
use crate::raw::{Raw, RawTable};
use crate::value::{Entry, Origin, TextFile, Value, Values};
pub use scalar::{is_hidden, outline, reads_as, unfit};
use std::sync::Arc;

/// A name that other programs give a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The name there.
    pub name: &'static str,
    /// The program.
    pub of: &'static str,
    /// The table of the key here.
    pub table: &'static str,
    /// The key here, and its value where one is meant: `name` may then be a value of it there.
    pub key: &'static str,
}

/// Reads tables: what a [`Table`] describes, of what somebody wrote.
#[derive(Clone, Copy)]
pub struct Reader<'r> {
    /// All tables: an unknown key may be that of another.
    pub tables: &'r [&'static Table],
    /// The keys above all tables, where there are some.
    pub top: Option<&'static Table>,
    /// What keys are called elsewhere.
    pub foreign: &'r [Foreign],
    /// Reads the text file of a path as a key says it, or tells why not.
    pub files: &'r dyn Fn(&str) -> Result<TextFile, String>,
    /// Whether the text could be read in part only: what is not there may have been said.
    pub is_partial: bool,
}

/// What was read of a table.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The values of all keys that go with what was chosen. Where something is wrong with a key, it has
    /// its default, if it has one, and is not [sound](Values::are_sound).
    pub values: Values,
    /// Everything that is wrong, in the order of the text.
    pub faults: Vec<Fault>,
}

impl Reading {
    /// The values, where nothing is wrong.
    ///
    /// # Errors
    /// Everything that is.
    pub fn sound(self) -> Result<Values, Vec<Fault>> {
        match self.faults.is_empty() {
            true => Ok(self.values),
            false => Err(self.faults),
        }
    }
}

impl Table {
    /// Reads a table that a program wrote: no text, no files.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(&'static self, raw: &RawTable) -> Result<Values, Vec<Fault>> {
        let files = &|path: &str| Err(format!("{path} is a file, and none can be read here"));
        let reader = Reader {
            tables: &[self],
            top: None,
            foreign: &[],
            files,
            is_partial: false,
        };
        let shown = format!("`[{}]`", self.name);
        reader.read(self, raw, &shown).sound()
    }

    /// The values where nothing is said.
    ///
    /// # Panics
    /// If the table has a key that must be said: a mistake of a program.
    pub fn defaults(&'static self) -> Values {
        match self.read(&RawTable::default()) {
            Ok(values) => values,
            Err(faults) => panic!("`[{}]` cannot be empty: {faults:?}", self.name),
        }
    }
}

/// A table while it is read.
struct Pending<'p> {
    table: &'static Table,
    raw: &'p RawTable,
    /// The keys that go with what was chosen.
    keys: Vec<Description>,
    /// What they ask of one another.
    rules: Vec<Rule>,
    values: Values,
    /// The keys that unknown ones were meant to be: what was said of them is not known.
    meant: Vec<&'static str>,
    faults: Vec<Fault>,
    /// As of the reader.
    is_partial: bool,
}

impl Reader<'_> {
    /// Reads `raw` as `table`, which messages call `shown`.
    pub fn read(&self, table: &'static Table, raw: &RawTable, shown: &str) -> Reading {
        let mut pending = Pending {
            table,
            raw,
            keys: Vec::new(),
            rules: table.rules.to_vec(),
            values: Values {
                shown: shown.to_owned(),
                table_place: raw.place.clone(),
                entries: Vec::new(),
            },
            meant: Vec::new(),
            faults: Vec::new(),
            is_partial: self.is_partial,
        };
        let variants = self.choose(&mut pending);
        let without: Vec<&str> = variants.iter().flat_map(|v| v.without).copied().collect();
        let own = table.keys.iter();
        let own = own.filter(|key| !without.contains(&key.name));
        pending.keys.extend(own);
        for variant in &variants {
            pending.keys.extend(variant.keys);
            pending.rules.extend(variant.rules);
        }
        self.refuse_unknown(&mut pending);
        self.values(&mut pending);
        for name in pending.meant.clone() {
            pending.doubt(name);
        }
        pending.check_rules();
        let Pending {
            values, mut faults, ..
        } = pending;
        faults.sort_by_key(|fault| fault.place().map_or(usize::MAX, |place| place.start));
        Reading { values, faults }
    }

    /// What is chosen: the keys that choose come first, and the variants that they choose come back.
    fn choose(&self, pending: &mut Pending<'_>) -> Vec<Variant> {
        let mut chosen: Vec<Variant> = Vec::new();
        let table = pending.table;
        for Choice { key, variants } in table.choices {
            if chosen.iter().any(|v| v.without.contains(&key.name)) {
                continue;
            }
            pending.keys.push(*key);
            let entry = self.entry(key, pending);
            let variants = variants();
            let is_known = match entry.origin {
                Origin::Default => !self.is_partial && !self.is_meant(key.name, pending),
                Origin::Said { .. } => true,
                Origin::Doubtful { .. } => false,
            };
            match &entry.value {
                Some(Value::Word(word)) if is_known => {
                    chosen.extend(variants.iter().find(|variant| variant.word == *word));
                }
                // Not to be known which: the keys of none of them are unknown, and none is needed.
                _ => pending.unchosen(&variants),
            }
            pending.values.entries.push(entry);
        }
        chosen
    }

    /// The values of all keys but those that choose.
    fn values(&self, pending: &mut Pending<'_>) {
        for key in pending.keys.clone() {
            if pending.values.entry(key.name).is_none() {
                let entry = self.entry(&key, pending);
                pending.values.entries.push(entry);
            }
        }
        for key in pending.keys.clone() {
            if let Absent::As(other) = key.absent
                && let Some(Entry { value, origin, .. }) = pending.values.entry(other).cloned()
            {
                let is_doubtful = matches!(origin, Origin::Doubtful { .. });
                let mut entries = pending.values.entries.iter_mut();
                if let Some(own) = entries.find(|own| own.name == key.name && own.value.is_none()) {
                    own.value = value;
                    if is_doubtful {
                        own.origin = Origin::Doubtful { value: None };
                    }
                }
            }
        }
    }

    /// What was said of `key`, or what it is where it is left out.
    fn entry(&self, key: &Description, pending: &mut Pending<'_>) -> Entry {
        let name = key.name;
        let default = default_of(&key.absent);
        let Some(said) = pending.raw.entry(name) else {
            let mut origin = Origin::Default;
            if let Absent::Refused(help) = key.absent {
                let help = match (help, key.shape) {
                    ("", Shape::Word(words)) => {
                        format!("write `{name} = ` and one of {}", list(&words(), "\""))
                    }
                    ("", _) => format!("say what it is: `{name} = ...`"),
                    _ => help.to_owned(),
                };
                origin = Origin::Doubtful { value: None };
                if !self.is_partial && !pending.meant.contains(&name) {
                    pending.faults.push(pending.values.missing(name, &help));
                }
            }
            return Entry {
                name,
                value: default,
                origin,
            };
        };
        let value_place = said.value.place.clone();
        match self.said(key, &said.value) {
            Ok(value) => Entry {
                name,
                value: Some(value),
                origin: Origin::Said {
                    key: said.key.place.clone(),
                    value: value_place,
                },
            },
            Err(faults) => {
                pending.faults.extend(faults);
                Entry {
                    name,
                    value: default,
                    origin: Origin::Doubtful { value: value_place },
                }
            }
        }
    }

    /// A value of `shape`, which messages call `subject`.
    fn value(
        &self,
        key: &Description,
        shape: &Shape,
        subject: &str,
        raw: &Placed<Raw>,
    ) -> Result<Value, Vec<Fault>> {
        let one = |fault| vec![fault];
        match shape {
            Shape::Integer { least, most, unit } => {
                scalar::integer(raw, subject, (*least, *most), unit).map_err(one)
            }
            Shape::Number { within, .. } => {
                // A hint of a key of several shapes is about these.
                let is_alone = matches!(key.shape, Shape::Number { .. });
                let hint = if is_alone { key.hint } else { "" };
                scalar::number(raw, subject, within, hint).map_err(one)
            }
            Shape::Flag => scalar::flag(raw, subject, key.name).map_err(one),
            Shape::Text => scalar::text(raw, subject, key.name, key.hint).map_err(one),
            Shape::File => self.file(key, raw).map_err(one),
            Shape::Word(words) => scalar::word(raw, subject, key.name, &words())
                .map_err(|fault| one(self.foreign_word(key.name, raw, fault))),
            Shape::Only(word) => scalar::word(raw, subject, key.name, &[word]).map_err(one),
            Shape::List { .. } => self.list(key, shape, subject, raw),
            Shape::Table(table) => match &raw.value {
                Raw::Table(inner) => {
                    let mut inner = inner.clone();
                    inner.place = raw.place.clone();
                    let read = self.read(table, &inner, &format!("`{}`", key.name));
                    match read.values.are_complete() {
                        true => read.sound().map(Value::Table),
                        // What it lacks may have been said: nothing to tell, and no value.
                        false => Err(read.faults),
                    }
                }
                _ => Err(one(scalar::wrong_type(raw, subject, "a table").help(
                    match key.hint {
                        "" => format!("write it so: `{} = {{ ... }}`", key.name),
                        hint => hint.to_owned(),
                    },
                ))),
            },
            Shape::OneOf(shapes) => match alternatives::fitting(shapes, &raw.value) {
                Some(shape) => self.value(key, shape, subject, raw),
                None => Err(one(alternatives::none_fits(key, shapes, subject, raw))),
            },
        }
    }

    fn list(
        &self,
        key: &Description,
        shape: &Shape,
        subject: &str,
        raw: &Placed<Raw>,
    ) -> Result<Value, Vec<Fault>> {
        let Shape::List {
            of,
            least,
            most,
            element,
        } = shape
        else {
            return self.value(key, shape, subject, raw);
        };
        let elements = scalar::elements(raw, subject, key.hint).map_err(|fault| vec![fault])?;
        if elements.len() < *least || most.is_some_and(|most| elements.len() > most) {
            return Err(vec![scalar::wrong_count(
                raw,
                subject,
                elements.len(),
                (*least, *most),
                key.hint,
            )]);
        }
        let (mut values, mut faults) = (Vec::new(), Vec::new());
        for (index, raw) in elements.iter().enumerate() {
            let subject = match *element {
                "" => format!("an element of {subject}"),
                element => element.replace("{}", &index.to_string()),
            };
            match self.value(key, of, &subject, raw) {
                Ok(value) => values.push(Placed {
                    value,
                    place: raw.place.clone(),
                }),
                Err(more) => faults.extend(more),
            }
        }
        match faults.is_empty() {
            true => Ok(Value::List(values)),
            false => Err(faults),
        }
    }

    fn file(&self, key: &Description, raw: &Placed<Raw>) -> Result<Value, Fault> {
        let name = key.name;
        let Value::Text(path) = scalar::text(raw, &format!("`{name}`"), name, "")? else {
            return Err(Fault::new(raw.place.clone(), "a path is text"));
        };
        let file = (self.files)(&path).map_err(|why| {
            Fault::new(raw.place.clone(), why)
                .label("this file")
                .help(format!(
                    "`{name}` is a path relative to the folder of the scenario file"
                ))
        })?;
        Ok(Value::File(Arc::new(file)))
    }
}

impl Pending<'_> {
    /// Something is wrong with `name`, and has been told.
    fn doubt(&mut self, name: &str) {
        let place = self.values.place(name);
        let mut entries = self.values.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.name == name) {
            entry.origin = Origin::Doubtful { value: place };
        }
    }

    /// Takes in the keys of all `variants`, none of them needed.
    fn unchosen(&mut self, variants: &[Variant]) {
        for key in variants.iter().flat_map(|variant| variant.keys) {
            if self.keys.iter().all(|known| known.name != key.name) {
                let absent = match key.absent {
                    Absent::Refused(_) => Absent::Nothing(""),
                    other => other,
                };
                self.keys.push(Description { absent, ..*key });
            }
        }
    }

    fn check_rules(&mut self) {
        let has = |name: &&str| self.raw.get(name).is_some();
        // What was meant to be there is not missing.
        let is_meant = |name: &str| self.is_partial || self.meant.contains(&name);
        let lacks = |name: &&&str| !has(name) && !is_meant(name);
        let mut faults = Vec::new();
        for rule in &self.rules {
            match *rule {
                Rule::Either { one, other, help } => {
                    let first = |names: &[&'static str]| names.iter().copied().find(|n| has(n));
                    if let (Some(one), Some(other)) = (first(one), first(other)) {
                        faults.push(self.both(one, other, help));
                    }
                }
                Rule::OneOf { groups, help } => {
                    if groups.iter().any(|group| group.iter().all(has)) {
                        continue;
                    }
                    let begun = groups.iter().find(|group| group.iter().any(has));
                    let wanted = begun.or(groups.first());
                    let missing = wanted.and_then(|group| group.iter().find(lacks));
                    faults.extend(missing.map(|name| self.values.missing(name, help)));
                }
                Rule::Needs { keys, others, help } => {
                    let needing = keys.iter().find(|name| has(name));
                    let missing = others.iter().find(lacks);
                    if let (Some(key), Some(missing)) = (needing, missing) {
                        let place = self.raw.entry(key).and_then(|e| e.key.place.clone());
                        let message = format!(
                            "`{missing}` is missing from {}, and `{key}` goes with it",
                            self.values.shown
                        );
                        faults.push(
                            Fault::new(place.or(self.raw.place.clone()), message)
                                .of_key(missing)
                                .label(format!("goes with `{missing}`"))
                                .help(help),
                        );
                    }
                }
            }
        }
        for fault in &faults {
            if let Some(key) = fault.key() {
                self.doubt(key);
            }
        }
        self.faults.extend(faults);
    }

    /// Two ways of saying the same: the second is underlined.
    fn both(&self, one: &'static str, other: &'static str, help: &str) -> Fault {
        let place = |name| self.raw.entry(name).and_then(|e| e.key.place.clone());
        let start = |name| place(name).map(|place: Place| place.start);
        let (first, second) = match start(one) <= start(other) {
            true => (one, other),
            false => (other, one),
        };
        let message = format!("{} has both `{one}` and `{other}`", self.values.shown);
        Fault::new(place(second), message)
            .of_key(second)
            .label(format!("`{first}` is there already"))
            .help(help)
    }
}

/// What a key is that was left out; `None` where it has no value then, or that of another.
fn default_of(absent: &Absent) -> Option<Value> {
    match absent {
        Absent::Refused(_) | Absent::Nothing(_) | Absent::As(_) => None,
        Absent::Integer(number) => Some(Value::Integer(*number)),
        Absent::Number(number) => Some(Value::Number(*number)),
        Absent::Flag(flag) => Some(Value::Flag(*flag)),
        Absent::Word(word) => Some(Value::Word(word)),
        Absent::Empty => Some(Value::List(Vec::new())),
        Absent::Table(entries) => {
            let entries = entries.iter().map(|(name, value)| Entry {
                name,
                value: default_of(value),
                origin: Origin::Default,
            });
            Some(Value::Table(Values {
                entries: entries.collect(),
                ..Values::default()
            }))
        }
    }
}
