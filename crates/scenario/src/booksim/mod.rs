//! Configurations of BookSim2 (Jiang et al., ISPASS 2013) as scenarios: its whole language and its defaults.
//!
//! Invariant: what is written says what was read, or nothing is written. Every key that somebody sets is
//! said, has no effect on results, or is refused with its line and what would come close.

mod functions;
mod keys;
mod knuth;
mod language;
mod network;
mod pattern;
mod refused;
mod router;
mod traffic;

pub use refused::refused;

use crate::error::{Fault, ScenarioError, Told};
use crate::{Overrides, Plan};
use flitsim_keys::OUT_OF_RANGE;
use language::Settings;
use std::fmt::Write;
use std::path::Path;

/// A scenario that says what a configuration says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Its text.
    pub text: String,
    /// Where a result can differ all the same, a sentence each; the text says it, too.
    pub notes: Vec<String>,
}

/// The scenario that says what the configuration `text` of the file `path` says, with `overrides`
/// (`key=value`) over it; it is to stand in the folder `into`.
///
/// # Errors
/// Text that is no configuration; what a scenario cannot say.
pub fn import(
    path: &Path,
    text: &str,
    overrides: &[String],
    into: &Path,
) -> Result<Imported, ScenarioError> {
    let (settings, mut faults) = Settings::read(text, overrides);
    let mut import = Import {
        settings: &settings,
        faults: &mut faults,
        imported: Imported {
            text: String::new(),
            notes: Vec::new(),
        },
        has_ports: false,
        path,
        into,
    };
    if !settings.is_broken {
        import.all();
    }
    let imported = import.imported;
    if faults.is_empty() {
        return Ok(imported);
    }
    let mut told: Vec<Told> = faults.into_iter().map(Told::of_file).collect();
    let scenario = Plan::parse(
        &into.join("scenario.toml"),
        imported.text,
        Overrides::default(),
    );
    if let Some(error) = scenario.err().filter(|_| !settings.is_broken) {
        let more = refused(&error, path, text, overrides);
        // Of what is wrong with a scenario that lacks what was refused, what follows from nothing else.
        let is_more = |more: &&Told| {
            let place = more.fault.place();
            let is_range = place.is_some() && more.fault.beside() == OUT_OF_RANGE;
            is_range && told.iter().all(|told| told.fault.place() != place)
        };
        let more: Vec<Told> = more.told().iter().filter(is_more).cloned().collect();
        told.extend(more);
    }
    Err(ScenarioError::of_all(path, text, told))
}

/// An import under way.
struct Import<'a> {
    settings: &'a Settings,
    faults: &'a mut Vec<Fault>,
    /// The scenario so far.
    imported: Imported,
    /// Whether terminals are ports of routers that they share.
    has_ports: bool,
    /// The configuration's file.
    path: &'a Path,
    /// The scenario's folder.
    into: &'a Path,
}

impl Import<'_> {
    fn all(&mut self) {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.line("# A configuration of BookSim2, key by key. What it calls each is behind it.");
        self.line("# Its latencies are 2 cycles longer: it counts the channel from a source to its router.");
        self.line(&format!("title = {}", quoted(&name)));
        let seed = self.seed();
        self.line(&format!("seed = {seed}"));
        self.network();
        self.router();
        self.routing();
        self.traffic();
        self.measure();
        self.load();
        self.refuse_what_has_no_like();
    }

    fn seed(&mut self) -> i64 {
        if self.settings.text("seed").is_empty() {
            let seed = self.settings.whole("seed");
            if seed < 0 {
                self.refuse("seed", "a seed is not negative here", "give one from 0 on");
            }
            return seed;
        }
        self.refuse(
            "seed",
            "every run can be repeated here, so the clock is no seed",
            "give a number, such as `seed = 1;`",
        );
        0
    }

    fn line(&mut self, line: &str) {
        self.imported.text.push_str(line);
        self.imported.text.push('\n');
    }

    /// A key of the scenario, and what it comes from.
    fn said(&mut self, key: &str, value: impl std::fmt::Display, from: &str) {
        let _ = writeln!(self.imported.text, "{key} = {value} # {from}");
    }

    /// A comment that the user is told, too, once.
    fn note(&mut self, note: &str) {
        if self.imported.notes.iter().any(|told| told == note) {
            return;
        }
        self.line(&format!("# {note}"));
        self.imported.notes.push(note.to_owned());
    }

    fn table(&mut self, name: &str) {
        let _ = writeln!(self.imported.text, "\n[{name}]");
    }

    /// What `key` is set to cannot be said.
    fn refuse(&mut self, key: &str, why: &str, help: &str) {
        let message = format!("{}: {why}", self.settings.shown(key));
        let fault = Fault::new(self.settings.place(key), message).label("cannot be said");
        self.faults.push(fault.help(help));
    }

    /// Whole number of `key`, from `least` on.
    fn at_least(&mut self, key: &str, least: i64) -> i64 {
        let value = self.settings.whole(key);
        if value < least {
            self.refuse(
                key,
                &format!("it must be {least} at least"),
                &format!("`{key} = {least};`"),
            );
        }
        value.max(least)
    }

    /// Keys that are not at the value that alone can be said.
    fn refuse_what_has_no_like(&mut self) {
        let is_shared = self.settings.text("buffer_policy") != "private";
        for key in keys::KEYS {
            let help = match key.role {
                keys::Role::Only(help) => help,
                keys::Role::IfShared(help) if is_shared => help,
                _ => continue,
            };
            if !self.settings.is_default(key) {
                self.refuse(key.name, "there is no like of it here", help);
            }
        }
    }
}

/// `text` as TOML has it.
fn quoted(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", visible.replace('\\', "\\\\").replace('"', "\\\""))
}
