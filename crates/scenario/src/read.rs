//! From a file to a [`Plan`]: its text, its series one after another, networks built once.

use crate::error::{Fault, ScenarioError, Told, nearest};
use crate::file::File;
use crate::hash::is_sealed;
use crate::networks::Networks;
use crate::parameters::keep_those_that_differ;
use crate::plan::{EachSeries, KeptFile, Plan, Unroutable};
use crate::resolve::{Context, Overrides, Refused, resolve_series, warnings};
use crate::tables;
use crate::text::Text;
use crate::text_file::Files;
use flitsim_keys::Reader;
use flitsim_topology::file::read_bounded;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

impl Plan {
    /// Reads a scenario file, or the scenario in the manifest of a sweep, and resolves it.
    ///
    /// # Errors
    /// A file that cannot be read, or all that is wrong in it.
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, ScenarioError> {
        let file = Scenario::read(path, overrides)?;
        Self::parse_with(&file.path, file.text, &file.files, file.overrides)
    }

    /// As [`read`](Self::read), but a series whose routing does not hold on its network keeps no
    /// other from being read.
    ///
    /// # Errors
    /// A file that cannot be read, or all that is wrong in it but for the routing of a series.
    pub fn read_each(path: &Path, overrides: Overrides) -> Result<EachSeries, ScenarioError> {
        let file = Scenario::read(path, overrides)?;
        Self::parse_each_with(&file.path, file.text, &file.files, file.overrides)
    }

    /// Resolves the text of a scenario; `path` names it in messages and results, and files that it
    /// names are found from there.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn parse(path: &Path, text: String, overrides: Overrides) -> Result<Self, ScenarioError> {
        Self::parse_with(path, text, &[], overrides)
    }

    /// As [`parse`](Self::parse), but files that are `kept` are taken from there.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn parse_with(
        path: &Path,
        text: String,
        kept: &[KeptFile],
        overrides: Overrides,
    ) -> Result<Self, ScenarioError> {
        resolve(path, text, kept, overrides, true).map(|each| each.plan)
    }

    /// As [`read_each`](Self::read_each), of a text as [`parse_with`](Self::parse_with) has it.
    ///
    /// # Errors
    /// All that is wrong but for the routing of a series.
    pub fn parse_each_with(
        path: &Path,
        text: String,
        kept: &[KeptFile],
        overrides: Overrides,
    ) -> Result<EachSeries, ScenarioError> {
        resolve(path, text, kept, overrides, false)
    }
}

/// The text of a scenario, what it is called, and what is laid over it.
struct Scenario {
    path: PathBuf,
    text: String,
    /// What a manifest keeps of the files that it names.
    files: Vec<KeptFile>,
    overrides: Overrides,
}

impl Scenario {
    /// A scenario file as it is; of a manifest, the scenario in it, called as it was, with its seed.
    fn read(path: &Path, overrides: Overrides) -> Result<Self, ScenarioError> {
        let text = text_of(path)?;
        if path.extension().is_none_or(|extension| extension != "json") {
            let path = path.to_owned();
            return Ok(Self {
                path,
                text,
                files: Vec::new(),
                overrides,
            });
        }
        let no_manifest = |what: String, help| {
            let fault = Fault::new(None, format!("{} {what}", path.display()));
            ScenarioError::new(path, "", fault.help(help))
        };
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| {
            let help = "give a scenario (TOML), or the manifest.json of a sweep, which has the keys \
                `scenario`, `seed` and `text`";
            no_manifest(format!("is no manifest: {error}"), help)
        })?;
        if manifest.hash.is_some_and(|hash| !is_sealed(&text, &hash)) {
            let help = "take another copy; without its key `hash` it is taken as it stands";
            return Err(no_manifest("is not as it was written".to_owned(), help));
        }
        Ok(Self {
            // A name is part of the results; a file of it need not be there any more.
            path: path.with_file_name(format!("{}.toml", manifest.scenario)),
            text: manifest.text,
            files: manifest.files,
            overrides: Overrides {
                seed: overrides.seed.or(Some(manifest.seed)),
                ..overrides
            },
        })
    }
}

/// What of a sweep's manifest repeats it.
#[derive(serde::Deserialize)]
struct Manifest {
    scenario: String,
    seed: u64,
    text: String,
    #[serde(default)]
    files: Vec<KeptFile>,
    hash: Option<String>,
}

/// The longest scenario, or manifest with the files in it.
const BYTES_MOST: u64 = 1 << 28;

fn text_of(path: &Path) -> Result<String, ScenarioError> {
    let bytes = read_bounded(path, BYTES_MOST).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let fault = Fault::new(None, format!("{} is not text", path.display()))
            .note(format!("byte {at}, in line {line}, is not UTF-8"))
            .help("a scenario is a TOML file in UTF-8");
        ScenarioError::new(path, "", fault)
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> ScenarioError {
    let fault = Fault::new(None, format!("cannot read {}: {error}", path.display()));
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let given = path.file_name().unwrap_or_default().to_string_lossy();
    let names: Vec<String> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        // A link to nothing is there and cannot be read.
        .filter(|name| name.ends_with(".toml") && *name != given)
        .collect();
    let fault = match nearest(&given, names.iter().map(String::as_str)) {
        Some(near) if error.kind() == std::io::ErrorKind::NotFound => {
            let near = path.with_file_name(near);
            fault.help(format!("did you mean {}?", near.display()))
        }
        _ => fault.help("give the path of a scenario file, such as scenarios/first-curve.toml"),
    };
    ScenarioError::new(path, "", fault)
}

/// Resolves every series of `text`; those whose routing does not hold are refused
/// with the rest, or kept apart.
fn resolve(
    path: &Path,
    text: String,
    kept: &[KeptFile],
    overrides: Overrides,
    is_refused: bool,
) -> Result<EachSeries, ScenarioError> {
    let files = Files::new(path.parent().unwrap_or(Path::new("")), kept);
    let get = |name: &str| files.get(name);
    let wrong = |fault| ScenarioError::new(path, &text, fault);
    let read = Text::parse(&text).map_err(wrong)?;
    let reader = Reader {
        is_partial: !read.faults.is_empty(),
        ..tables::reader(&get)
    };
    let file = File::new(&read, &reader);
    let mut context = Context {
        reader,
        networks: Networks::default(),
        seed: overrides.seed.or(file.seed).unwrap_or(1),
        overrides,
        warnings: Vec::new(),
        choosing: Vec::new(),
    };
    let mut all = AllTold::new(&file);
    let mut series = Vec::with_capacity(file.series.len());
    let mut unroutable = Vec::new();
    for (index, tables) in file.series.iter().enumerate() {
        match resolve_series(tables, &mut context) {
            Ok(one) => series.push(one),
            Err(Refused { mut faults, known }) => {
                faults.retain(|fault| read.is_read(fault));
                let is_about_routing = faults.iter().all(Fault::is_about_routing);
                match known.filter(|_| is_about_routing && !is_refused) {
                    Some(known) => unroutable.push((index, known, faults)),
                    None => all.add(index, faults),
                }
            }
        }
    }
    if !all.told.is_empty() {
        for (index, _, faults) in unroutable {
            all.add(index, faults);
        }
        return Err(ScenarioError::of_all(path, &text, all.noted()));
    }
    let told = |all: AllTold| ScenarioError::of_all(path, &text, all.noted());
    let unroutable = unroutable
        .into_iter()
        .map(|one| unroutable_series(&file, one, told));
    let unroutable: Vec<Unroutable> = unroutable.collect();
    keep_those_that_differ(&mut series);
    // What the routers of those have is not known.
    let idle = || warnings::of_allocators(&context.choosing);
    let idle = unroutable.is_empty().then(idle).unwrap_or_default();
    context.warnings.extend(idle);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let scenario = stem.map_or_else(|| "scenario".to_owned(), |stem| stem.into_owned());
    let plan = Plan {
        title: file.title.unwrap_or_else(|| scenario.clone()),
        scenario,
        path: path.to_owned(),
        seed: context.seed,
        series,
        warnings: context.warnings,
        files: files.kept(),
        text,
    };
    Ok(EachSeries { plan, unroutable })
}

/// The series of `file` whose routing does not hold: its number, what is known of it, and why.
fn unroutable_series(
    file: &File,
    (index, known, faults): (usize, (String, &'static str, u32), Vec<Fault>),
    told: impl Fn(AllTold) -> ScenarioError,
) -> Unroutable {
    let mut all = AllTold::new(file);
    all.add(index, faults);
    let (topology, algorithm, virtual_channels) = known;
    Unroutable {
        index,
        name: file.series[index].name.clone(),
        topology,
        algorithm,
        virtual_channels,
        error: told(all),
    }
}

/// The most series that a note names.
const NAMED_MOST: usize = 4;

/// What is wrong with the series of a file, each fault once.
struct AllTold {
    /// The names of the series.
    names: Vec<String>,
    told: Vec<Told>,
    /// Where each of those that may be told again is among them.
    places: HashMap<Fault, usize>,
}

impl AllTold {
    /// What is wrong with the file as a whole.
    fn new(file: &File) -> Self {
        let of_file = file.faults.iter().cloned();
        Self {
            names: file.series.iter().map(|s| s.name.clone()).collect(),
            places: of_file.clone().zip(0..).collect(),
            told: of_file.map(Told::of_file).collect(),
        }
    }

    /// Adds what is wrong with the series number `index`: what it has from the top level other series
    /// may have told.
    fn add(&mut self, index: usize, faults: Vec<Fault>) {
        for fault in faults {
            match self.places.entry(fault) {
                Entry::Occupied(place) => self.told[*place.get()].series.push(index),
                Entry::Vacant(place) => {
                    let (fault, series) = (place.key().clone(), vec![index]);
                    place.insert(self.told.len());
                    self.told.push(Told { fault, series });
                }
            }
        }
    }

    /// All of it; what is not every series' own says whose it is.
    fn noted(self) -> Vec<Told> {
        let Self { names, told, .. } = self;
        let noted = told.into_iter().map(|told| {
            let is_of_all = told.series.len() == names.len() || told.series.is_empty();
            if is_of_all {
                return told;
            }
            let of = told.series.iter().filter_map(|&index| names.get(index));
            let mut of: Vec<String> = of.map(|name| format!("\"{name}\"")).collect();
            if of.len() > NAMED_MOST {
                let others = of.len() - NAMED_MOST + 1;
                of.truncate(NAMED_MOST - 1);
                of.push(format!("{others} others"));
            }
            let note = match of.split_last() {
                Some((last, [])) => format!("in the series {last}"),
                Some((last, others)) => format!("in the series {} and {last}", others.join(", ")),
                None => return told,
            };
            Told {
                fault: told.fault.note(note),
                series: told.series,
            }
        });
        noted.collect()
    }
}
