//! What a key of a scenario is, in one place: its name, the type and range of its values, their unit,
//! the default, and what it means.
//!
//! A crate that has something to configure describes the keys beside it. From the descriptions a
//! scenario is read and checked, and the schema, the comments of starters and the tables of the
//! documentation are made: no fact about a key stands a second time.
//!
//! # Keys
//! A [`Key`] is a constant with the type of its values. It must be said, unless it has a default
//! ([`or`](Key::or), [`or_number`](Key::or_number), [`or_word`](Key::or_word),
//! [`or_as`](Key::or_as), ...) or is
//! [`optional`](Key::optional), which makes its type an `Option`. Words come from the type, by
//! [`Words`]; a type of its own implements [`Form`].
//!
//! ```
//! use flitsim_keys::{Key, RawTable, Table, Words};
//!
//! #[derive(Clone, Copy, Debug, PartialEq)]
//! enum Crossbar { Port, Vc }
//!
//! impl Words for Crossbar {
//!     const WORDS: &'static [(&'static str, Self)] = &[("port", Self::Port), ("vc", Self::Vc)];
//! }
//!
//! const BUFFER_FLITS: Key<u32> =
//!     Key::integer("buffer_flits", 1..=32_768, "flits", "What the buffer of a virtual channel holds.")
//!         .or(8);
//! const DELAY: Key<u32> =
//!     Key::integer("delay", 1..=10_000, "cycles", "What a head flit spends in a router.").or(1);
//! const BODY_DELAY: Key<u32> =
//!     Key::integer("body_delay", 1..=10_000, "cycles", "The same for other flits.").or_as("delay");
//! const CROSSBAR: Key<Crossbar> =
//!     Key::word("crossbar", "One flit a cycle of each input port, or of each virtual channel.")
//!         .or_word("port");
//! const WIDTH_BITS: Key<Option<u32>> =
//!     Key::integer("width_bits", 1..=1 << 20, "bits", "Bits of a flit.").optional();
//!
//! static ROUTER: Table = Table::new("router", "An input-queued router.", &[
//!     BUFFER_FLITS.described(),
//!     DELAY.described(),
//!     BODY_DELAY.described(),
//!     CROSSBAR.described(),
//!     WIDTH_BITS.described(),
//! ]);
//!
//! // What is read is checked and complete: values come out by their keys, and have their types.
//! let values = ROUTER.read(&RawTable::from([("buffer_flits", 16_u64), ("delay", 3)])).unwrap();
//! assert_eq!(values.get(&BUFFER_FLITS), 16);
//! assert_eq!(values.get(&BODY_DELAY), 3);
//! assert_eq!(values.get(&CROSSBAR), Crossbar::Port);
//! assert_eq!(values.get(&WIDTH_BITS), None);
//! assert!(values.is_given("delay") && !values.is_given("crossbar"));
//!
//! // All that is wrong is told at once.
//! let faults = ROUTER.read(&RawTable::from([("buffer_flits", 0_u64), ("dealy", 3)])).unwrap_err();
//! assert_eq!(faults.len(), 2);
//! assert_eq!(faults[0].key(), None);
//! assert_eq!(faults[0].remedy(), Some("did you mean `delay`?"));
//! assert_eq!(faults[1].key(), Some("buffer_flits"));
//! assert_eq!(faults[1].remedy(), Some("it must be from 1 to 32768 flits"));
//! ```
//!
//! # Tables, choices and rules
//! A [`Table`] has keys, [rules](Rule) about them (two ways to say the same, keys that need others), and
//! [choices](Choice): keys such as `kind` or `algorithm`, each word of which, a [`Variant`], brings keys
//! and rules of its own. A registry of families or patterns gives a variant for each, and nobody else
//! names their keys.
//!
//! # What was written
//! [`RawTable`] is a table as somebody wrote it, in TOML, on a command line or in a program, with its
//! places. A [`Reader`] makes checked [`Values`] of it, or [`Fault`]s, which name the key, what is
//! wrong, and what would be right, and know a place in a text but no file. A crate that builds something
//! from values tells what only it can know in the same way:
//!
//! ```
//! # use flitsim_keys::{Fault, Key, RawTable, Table, Values};
//! const PROCESSORS: Key<u32> = Key::integer("processors", 4..=1 << 20, "", "A power of four.")
//!     .needed("say how many, such as `processors = 64`");
//! static TREE: Table = Table::new("tree", "A tree.", &[PROCESSORS.described()]);
//!
//! fn levels(tree: &Values) -> Result<u32, Fault> {
//!     let processors = tree.get(&PROCESSORS);
//!     if !processors.is_power_of_two() || processors.ilog2() % 2 == 1 {
//!         let message = format!("{processors} processors are no power of four");
//!         return Err(tree.fault_of(&PROCESSORS, message).help("`processors = 64`"));
//!     }
//!     Ok(processors.ilog2() / 2)
//! }
//!
//! let tree = TREE.read(&RawTable::from([("processors", 60_u64)])).unwrap();
//! assert_eq!(levels(&tree).unwrap_err().key(), Some("processors"));
//! ```
//!
//! # What can be relied on
//! - [`Values::get`] of a key of a table that was read without a fault gives a value within its range.
//! - Where something is wrong with a key, the others are read all the same: [`Values::sound`] and
//!   [`Values::are_sound`] tell which can be trusted, so that checks go on and no error follows from
//!   another.
//! - A value says itself again by [`Key::said`], with which definitions are written: what reads a key
//!   and what writes it are one.

mod description;
mod fault;
mod form;
mod key;
mod name;
mod nearest;
mod place;
mod raw;
mod read;
mod table;
mod value;

pub use description::{Absent, Choice, Description, Rule, Shape, Table, Variant, Within};
pub use fault::{Fault, OUT_OF_RANGE, list};
pub use form::{Form, Whole, Words};
pub use key::Key;
pub use name::NameRefused;
pub use nearest::{nearest, osa_distance};
pub use place::{Place, Placed};
pub use raw::{Raw, RawEntry, RawTable};
pub use read::{Foreign, Reader, Reading, is_hidden, outline, reads_as, unfit};
pub use value::{Entry, Origin, TextFile, Value, Values};
