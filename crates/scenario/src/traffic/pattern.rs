//! `pattern`: one of those that `flitsim-traffic` lists, or a trace, with its keys.

use crate::error::Fault;
use flitsim_keys::{Key, Values, Variant};
use flitsim_topology::Network;
use flitsim_topology::file::Source;
use flitsim_traffic::{Context, PATH, Pattern, Trace, Uniform};
use serde_json::Value;

/// Who sends to whom.
pub(super) const PATTERN: Key<&str> = Key::one_of(
    "pattern",
    || variants().iter().map(|variant| variant.word).collect(),
    "Who sends to whom.",
)
.or_choice("uniform");

/// The pattern that says when and how much, too.
pub const TRACE: &str = "trace";

/// The patterns, each with the keys that it adds.
pub(super) fn variants() -> Vec<Variant> {
    let trace = Variant::new(TRACE, "Packets from a file.", &const { [PATH.described()] });
    let mut variants = Pattern::variants();
    // Before mixtures, beside the others of files.
    variants.insert(
        variants.len() - 1,
        trace.without(&["mode", "process", "packet_flits", "packet_bits", "self"]),
    );
    variants
}

/// A pattern as the scenario says it.
#[derive(Clone, Debug)]
pub struct PatternTable {
    values: Values,
    include_self: bool,
    seed: u64,
}

impl PatternTable {
    /// The pattern that `values` of `[traffic]` say.
    pub fn of(values: &Values, include_self: bool, seed: u64) -> Self {
        Self {
            values: values.clone(),
            include_self,
            seed,
        }
    }

    /// The pattern on `network`.
    ///
    /// # Errors
    /// Why it is not defined there, with the pattern, its file or its other key underlined.
    pub fn on(&self, network: &Network) -> Result<Pattern, Fault> {
        match self.values.get(&PATTERN) {
            // Of no account: a trace has its own destinations.
            TRACE => Ok(Pattern::Uniform(Uniform { include_self: true })),
            word => {
                let context = Context {
                    network,
                    include_self: self.include_self,
                    seed: self.seed,
                };
                Pattern::on(word, &self.values, &context)
            }
        }
    }

    /// The trace on `network`, if this is one. Where whole packets move, none may be longer than
    /// `buffer_flits`.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub fn trace(
        &self,
        network: &Network,
        buffer_flits: Option<u32>,
    ) -> Result<Option<Trace>, Fault> {
        if self.values.get(&PATTERN) != TRACE {
            return Ok(None);
        }
        let file = self.values.get(&PATH);
        let trace = Trace::parse(network, Source::from(&*file), buffer_flits).map_err(|error| {
            super::fault_of(&error, self.values.place(PATH.name()), "in this file").help(
                "a trace has the header `cycle,source,destination,flits`, and where packets wait \
                 for others `packet,depends_on,delay` too; a row for each packet, in ascending \
                 order of cycles",
            )
        })?;
        Ok(Some(trace))
    }

    /// Everything that defines the pattern.
    pub fn definition(&self) -> Value {
        super::chosen(&self.values, &PATTERN, &variants())
    }
}
