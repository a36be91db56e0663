//! Keys that a table does not have: what was meant instead, or where they belong.

use super::{Foreign, Pending, Reader};
use crate::description::Table;
use crate::fault::{Fault, list};
use crate::nearest::nearest;
use crate::place::Placed;
use crate::raw::Raw;

/// The most keys of a table that are refused one by one: more than anybody mends before looking again.
const REFUSED_MOST: usize = 100;

/// The most words that a message names of those which bring a key with them.
const NAMED_MOST: usize = 3;

impl Reader<'_> {
    /// A fault for each key that the table does not have, and the keys that were meant.
    pub(super) fn refuse_unknown(&self, pending: &mut Pending<'_>) {
        let known: Vec<&'static str> = pending.keys.iter().map(|key| key.name).collect();
        let entries = pending.raw.entries.iter();
        let mut unknown = entries.filter(|entry| !known.contains(&entry.key.value.as_str()));
        let shown = &pending.values.shown;
        for entry in unknown.by_ref().take(REFUSED_MOST) {
            let key = entry.key.value.as_str();
            if let Some(fault) = pending.table.misplaced(key, shown, &known) {
                pending.faults.push(fault.or_at(entry.key.place.clone()));
                continue;
            }
            pending.meant.extend(self.meant(key, known.iter().copied()));
            let fault = self.unknown(&entry.key, shown, &known);
            pending.faults.push(fault);
        }
        if let Some(next) = unknown.next() {
            let more = 1 + unknown.count();
            let message = format!("{more} more keys that do not belong in {shown}");
            let fault = Fault::new(next.key.place.clone(), message);
            pending
                .faults
                .push(fault.label("the first of them").help(allowed(&known)));
        }
    }

    /// Whether one of the keys that the table has under no choice was meant to be `key`.
    pub(super) fn is_meant(&self, key: &str, pending: &Pending<'_>) -> bool {
        let all = pending.table.all_keys();
        let names = || all.iter().map(|known| known.name);
        let said = pending
            .raw
            .entries
            .iter()
            .map(|entry| entry.key.value.as_str());
        let mut unknown = said
            .filter(|said| names().all(|name| name != *said))
            .take(REFUSED_MOST);
        unknown.any(|said| self.meant(said, names()) == Some(key))
    }

    /// Which of the `known` keys was meant by `key`, if it is none of any table and of no other program.
    pub fn meant<'k>(
        &self,
        key: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Option<&'k str> {
        let is_of_none = self.tables_of(key).is_none() && self.foreign(key).is_none();
        nearest(key, known).filter(|_| is_of_none)
    }

    /// The fault of a key that `shown`, which has the keys `known`, does not have.
    pub fn unknown(&self, key: &Placed<String>, shown: &str, known: &[&str]) -> Fault {
        let Placed { value: key, place } = key;
        let near = nearest(key, known.iter().copied());
        let fault = Fault::new(place.clone(), format!("unknown key `{key}` in {shown}"));
        fault.label(format!("not a key of {shown}")).help(
            match (self.tables_of(key), self.foreign(key), near) {
                (Some(tables), ..) => format!("`{key}` is a key of {tables}"),
                (None, Some(foreign), _) => foreign,
                (None, None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None, None) => allowed(known),
            },
        )
    }

    /// What a key is called here that other programs call `name`.
    fn foreign(&self, name: &str) -> Option<String> {
        let known = self.foreign.iter().find(|foreign| foreign.name == name);
        known.map(in_words)
    }

    /// `fault` of a word that `key` does not have, with what it is here that other programs call so.
    pub(super) fn foreign_word(&self, key: &str, raw: &Placed<Raw>, fault: Fault) -> Fault {
        let Raw::Text(word) = &raw.value else {
            return fault;
        };
        let is_meant = |foreign: &&Foreign| {
            let value = foreign.key.strip_prefix(key);
            foreign.name == word && value.is_some_and(|value| value.starts_with(" = "))
        };
        match self.foreign.iter().find(is_meant) {
            Some(foreign) => fault.note(in_words(foreign)),
            None => fault,
        }
    }

    /// The tables that have a key of that name, in words, and with what choice: "`[routing]`
    /// (`algorithm` "table" or "source")". `None` where no table has it.
    fn tables_of(&self, key: &str) -> Option<String> {
        let has = |table: &&&'static Table| table.all_keys().iter().any(|own| own.name == key);
        let described = self.tables.iter().filter(has).map(|table| {
            let name = table.name;
            match goes_with(table, key) {
                Some(choice) => format!("`[{name}]` ({choice})"),
                None => format!("`[{name}]`"),
            }
        });
        let top = self.top.filter(|top| has(&top));
        let top = top.map(|_| "the top level (above all tables)".to_owned());
        let described: Vec<String> = top.into_iter().chain(described).collect();
        let (last, others) = described.split_last()?;
        Some(match others {
            [] => last.clone(),
            _ => format!("{} and {last}", others.join(", ")),
        })
    }
}

fn in_words(foreign: &Foreign) -> String {
    let Foreign {
        name,
        of,
        table,
        key,
    } = foreign;
    format!("`{name}` of {of} is `{key}` in `[{table}]`")
}

/// The choices in `table` that bring `key` with them, as "`kind = "file"`", where they are few.
fn goes_with(table: &Table, key: &str) -> Option<String> {
    let (choice, words) = table.chosen_by(key)?;
    let name = choice.key.name;
    match words[..] {
        [only] => Some(format!("`{name} = \"{only}\"`")),
        _ if words.len() <= NAMED_MOST => Some(format!("`{name}` {}", list(&words, "\""))),
        _ => None,
    }
}

impl Table {
    /// The fault of a key that the table, which messages call `shown`, has under another choice than the
    /// one made, under which it has the keys `known`; `None` where no choice brings it.
    pub fn misplaced(&self, key: &str, shown: &str, known: &[&str]) -> Option<Fault> {
        let (choice, _) = self.chosen_by(key)?;
        let fault = Fault::new(None, format!("`{key}` in {shown} does not apply here"));
        let label = match goes_with(self, key) {
            Some(choice) => format!("goes with {choice}"),
            None => format!("goes with another {}", choice.key.name),
        };
        Some(fault.label(label).help(allowed(known)))
    }
}

fn allowed(known: &[&str]) -> String {
    format!("allowed here: {}", list(known, "`"))
}
