//! Values that nothing reads, since others stand in their place: what can be said of each alone.

use super::Reader;
use crate::description::{Description, Table};
use crate::fault::Fault;
use crate::place::Placed;
use crate::raw::{Raw, RawEntry};
use crate::value::Value;

impl Reader<'_> {
    /// What is wrong with the value of `entry`, a key of `table`, whatever its choices are: nothing where one of
    /// the keys of that name takes it, or there is none. A table may be a part: what it lacks, others can add.
    pub fn refused(&self, table: &'static Table, entry: &RawEntry) -> Vec<Fault> {
        let chosen = table.choices.iter().flat_map(|choice| (choice.variants)());
        let chosen = chosen.flat_map(|variant| variant.keys);
        let own = table.choices.iter().map(|choice| &choice.key);
        let keys = own.chain(table.keys).chain(chosen);
        let keys = keys.filter(|key| key.name == entry.key.value);
        let is_table = matches!(entry.value.value, Raw::Table(_));
        let is_lack = |fault: &Fault| is_table && fault.place() == entry.value.place;
        let mut refused = None;
        for key in keys {
            let mut faults = self.said(key, &entry.value).err().unwrap_or_default();
            faults.retain(|fault| !is_lack(fault));
            if faults.is_empty() {
                return faults;
            }
            refused.get_or_insert(faults);
        }
        refused.unwrap_or_default()
    }

    /// The value of `key` where it is said.
    pub(super) fn said(&self, key: &Description, said: &Placed<Raw>) -> Result<Value, Vec<Fault>> {
        let value = self.value(key, &key.shape, &format!("`{}`", key.name), said);
        value.map_err(|faults| {
            let faults = faults.into_iter();
            let faults = faults.map(|f| f.of_key(key.name).or_at(said.place.clone()));
            faults.collect()
        })
    }
}
