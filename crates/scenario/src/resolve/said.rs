//! What a series says: the values of each of its tables.

use crate::error::Fault;
use crate::faults::random;
use crate::overlay::{SeriesTables, no_table};
use crate::parameters::of_table;
use crate::plan::Parameter;
use crate::tables;
use crate::traffic::takes_no_load;
use flitsim_keys::{Raw, RawTable, Reader, Values};

/// The values of all tables. A table in which something is wrong has the values that are right, and is
/// not sound.
pub(super) struct Said {
    pub(super) topology: Values,
    pub(super) faults: Values,
    pub(super) router: Values,
    pub(super) channel: Values,
    pub(super) cost: Values,
    pub(super) routing: Values,
    pub(super) traffic: Values,
    pub(super) measure: Values,
    pub(super) energy: Values,
    pub(super) sweep: Values,
}

impl Said {
    /// Reads every table of `series`; what is wrong is added to `found`.
    pub(super) fn read(series: &SeriesTables, reader: &Reader<'_>, found: &mut Vec<Fault>) -> Self {
        let mut read = |name: &str| table(name, series, reader, found);
        let said = Self {
            topology: read("topology"),
            faults: read("faults"),
            router: read("router"),
            channel: read("channel"),
            cost: read("cost"),
            routing: read("routing"),
            traffic: read("traffic"),
            measure: read("measure"),
            energy: read("energy"),
            sweep: read("sweep"),
        };
        let own = series.tables.table("traffic");
        if own.is_some_and(|own| takes_no_load(own.text("pattern"), own.text("mode"))) {
            said.leave_unit_out(found);
        }
        said
    }

    /// Where there are no loads no unit of theirs is right.
    fn leave_unit_out(&self, found: &mut [Fault]) {
        let unit = self.sweep.place("load_unit");
        for fault in found {
            if unit.is_some() && fault.place() == unit {
                let help =
                    "loads are for open loops: leave `load` and `load_unit` out of `[sweep]`";
                *fault = fault.clone().help(help);
            }
        }
    }

    /// Every key with its value.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let random = random(&self.faults);
        let tables = [
            ("topology", &self.topology),
            ("faults", &self.faults),
            // Left out, it has its defaults all the same.
            ("faults.random", &random),
            ("router", &self.router),
            ("channel", &self.channel),
            ("cost", &self.cost),
            ("routing", &self.routing),
            ("traffic", &self.traffic),
            ("measure", &self.measure),
            ("energy", &self.energy),
            ("sweep", &self.sweep),
        ];
        let all = tables
            .iter()
            .flat_map(|(name, values)| of_table(name, values));
        all.collect()
    }
}

fn table(name: &str, series: &SeriesTables, reader: &Reader<'_>, found: &mut Vec<Fault>) -> Values {
    let Some(table) = tables::named(name) else {
        return Values::default();
    };
    let shown = format!("`[{name}]`");
    let nothing = RawTable::default();
    let values = match series.tables.get(name) {
        None if name == "topology" && !reader.is_partial => {
            found.push(Fault::new(None, "the scenario has no `[topology]`").help(
                "add one, such as:\n[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2",
            ));
            reader.read(table, &nothing, &shown).values
        }
        None => {
            let read = reader.read(table, &nothing, &shown);
            found.extend(read.faults);
            read.values
        }
        Some(said) => match &said.value {
            Raw::Table(raw) => {
                let read = reader.read(table, raw, &shown);
                found.extend(read.faults);
                read.values
            }
            _ => {
                found.push(no_table(name, said));
                reader.read(table, &nothing, &shown).values.doubted()
            }
        },
    };
    match reader.is_partial {
        true => values.in_doubt(),
        false => values,
    }
}
