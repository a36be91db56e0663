//! Keys that a table does not have: what was meant instead, or where they belong.

use super::{Pending, Reader};
use crate::description::Table;
use crate::fault::{Fault, list, nearest};

/// The most words that a message names of those which bring a key with them.
const NAMED_MOST: usize = 3;

impl Reader<'_> {
    /// A fault for each key that the table does not have. The keys come back that were meant: what was
    /// said of them is not known.
    pub(super) fn refuse_unknown(&self, pending: &mut Pending<'_>) -> Vec<&'static str> {
        let known: Vec<&'static str> = pending.keys.iter().map(|key| key.name).collect();
        let mut meant = Vec::new();
        for entry in &pending.raw.entries {
            let key = entry.key.value.as_str();
            if known.contains(&key) {
                continue;
            }
            let shown = &pending.values.shown;
            let allowed = format!("allowed here: {}", list(&known, "`"));
            let at = |message: String| Fault::new(entry.key.place.clone(), message);
            if let Some(label) = goes_with_another(pending.table, key) {
                let fault = at(format!("`{key}` in {shown} does not apply here"));
                pending.faults.push(fault.label(label).help(allowed));
                continue;
            }
            let near = nearest(key, known.iter().copied());
            let help = match (self.tables_of(key), near) {
                (Some(tables), _) => format!("`{key}` is a key of {tables}"),
                (None, Some(near)) => {
                    meant.push(near);
                    format!("did you mean `{near}`?")
                }
                (None, None) => allowed,
            };
            let fault = at(format!("unknown key `{key}` in {shown}"));
            let label = format!("not a key of {shown}");
            pending.faults.push(fault.label(label).help(help));
        }
        meant
    }

    /// The tables that have a key of that name, in words, and with what choice: "`[routing]`
    /// (`algorithm` "table" or "source")". `None` where no table has it.
    pub fn tables_of(&self, key: &str) -> Option<String> {
        let has = |table: &&&'static Table| table.all_keys().iter().any(|own| own.name == key);
        let described = self.tables.iter().filter(has).map(|table| {
            let name = table.name;
            match goes_with(table, key) {
                Some(choice) => format!("`[{name}]` ({choice})"),
                None => format!("`[{name}]`"),
            }
        });
        let described: Vec<String> = described.collect();
        let (last, others) = described.split_last()?;
        Some(match others {
            [] => last.clone(),
            _ => format!("{} and {last}", others.join(", ")),
        })
    }
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

/// What a key goes with that the table has, but not with what was chosen.
fn goes_with_another(table: &Table, key: &str) -> Option<String> {
    let (choice, _) = table.chosen_by(key)?;
    Some(match goes_with(table, key) {
        Some(choice) => format!("goes with {choice}"),
        None => format!("goes with another {}", choice.key.name),
    })
}
