//! From a file to a [`Plan`]: its text, its series one after another, networks built once.

use super::algorithms::ALGORITHMS;
use super::error::{Fault, ScenarioError, nearest};
use super::file::{File, SeriesTables};
use super::networks::Networks;
use super::plan::{EachSeries, Plan, SeriesPlan, Unroutable};
use super::reader::Section;
use super::resolve::{Overrides, Tables, resolve_series};
use super::router::Router;
use super::routing::default_of;
use super::topology::TopologyTable;
use std::path::{Path, PathBuf};

impl Plan {
    /// Reads a scenario file, or the scenario in the manifest of a sweep, and resolves it.
    ///
    /// # Errors
    /// A file that cannot be read, or the first thing wrong in it.
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, ScenarioError> {
        let file = Scenario::read(path, overrides)?;
        Self::parse(&file.path, file.text, file.overrides)
    }

    /// As [`read`](Self::read), but a series whose routing does not hold on its network keeps no
    /// other from being read.
    ///
    /// # Errors
    /// A file that cannot be read, or the first thing wrong in it but for the routing of a series.
    pub fn read_each(path: &Path, overrides: Overrides) -> Result<EachSeries, ScenarioError> {
        let Scenario {
            path,
            text,
            overrides,
        } = Scenario::read(path, overrides)?;
        let mut unroutable = Vec::new();
        let keep = |one: Unroutable| {
            unroutable.push(one);
            Ok(())
        };
        let plan = resolve(&path, text, overrides, keep)?;
        Ok(EachSeries { plan, unroutable })
    }

    /// Resolves the text of a scenario; `path` names it in messages and results, and files that it
    /// names are found from there.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn parse(path: &Path, text: String, overrides: Overrides) -> Result<Self, ScenarioError> {
        resolve(path, text, overrides, |one| Err(one.error))
    }
}

/// The text of a scenario, what it is called, and what is laid over it.
struct Scenario {
    path: PathBuf,
    text: String,
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
                overrides,
            });
        }
        let manifest: Option<Manifest> = serde_json::from_str(&text).ok();
        let Some(manifest) = manifest else {
            let fault = Fault::new(None, format!("{} is no manifest", path.display()))
                .note("a manifest has the keys `scenario`, `seed` and `text`")
                .help("give a scenario (TOML), or the manifest.json of a sweep");
            return Err(ScenarioError::new(path, "", fault));
        };
        Ok(Self {
            // A name is part of the results; a file of it need not be there any more.
            path: path.with_file_name(format!("{}.toml", manifest.scenario)),
            text: manifest.text,
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
}

fn text_of(path: &Path) -> Result<String, ScenarioError> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let fault = Fault::new(None, format!("{} is not text", path.display()))
            .note(format!("byte {at} is not UTF-8"))
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
    let names: Vec<String> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    let given = path.file_name().unwrap_or_default().to_string_lossy();
    let fault = match nearest(&given, names.iter().map(String::as_str)) {
        Some(near) if error.kind() == std::io::ErrorKind::NotFound => {
            let near = path.with_file_name(near);
            fault.help(format!("did you mean {}?", near.display()))
        }
        _ => fault.help("give the path of a scenario file, such as scenarios/first-curve.toml"),
    };
    ScenarioError::new(path, "", fault)
}

/// Resolves every series of `text`; those that have no routing go to `refuse`.
fn resolve(
    path: &Path,
    text: String,
    overrides: Overrides,
    mut refuse: impl FnMut(Unroutable) -> Result<(), ScenarioError>,
) -> Result<Plan, ScenarioError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let wrong = |fault| ScenarioError::new(path, &text, fault);
    let file = File::parse(&text).map_err(wrong)?;
    let seed = overrides.seed.or(file.seed).unwrap_or(1);
    let mut networks = Networks::default();
    let mut warnings = Vec::new();
    let mut series: Vec<SeriesPlan> = Vec::with_capacity(file.series.len());
    for (index, tables) in file.series.iter().enumerate() {
        let one = Tables::read(tables, seed, folder, &mut networks)
            .and_then(|read| resolve_series(&tables.name, read, overrides, &mut warnings));
        let fault = match one {
            Ok(one) => {
                series.push(one);
                continue;
            }
            Err(fault) if file.series.len() > 1 => {
                fault.note(format!("in the series \"{}\"", tables.name))
            }
            Err(fault) => fault,
        };
        let is_about_routing = fault.is_about_routing();
        let error = wrong(fault.in_series(index));
        if !is_about_routing {
            return Err(error);
        }
        refuse(unroutable(index, tables, folder, error)?)?;
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let scenario = stem.map_or_else(|| "scenario".to_owned(), |stem| stem.into_owned());
    Ok(Plan {
        title: file.title.unwrap_or_else(|| scenario.clone()),
        scenario,
        path: path.to_owned(),
        seed,
        series,
        warnings,
        text: text.clone(),
    })
}

/// What is known of a series that has no routing. Its tables were read before, so nothing is wrong
/// with them; were there, `error` is what counts.
fn unroutable(
    index: usize,
    series: &SeriesTables<'_>,
    folder: &Path,
    error: ScenarioError,
) -> Result<Unroutable, ScenarioError> {
    let known = || -> Result<(String, &'static str, u32), Fault> {
        let section = |name| Section::of(&series.tables, name);
        let topology = TopologyTable::read(&section("topology")?, folder)?.value;
        let given = section("routing")?.word("algorithm", &ALGORITHMS, &[])?;
        let algorithm = match given {
            Some(given) => given.value.name(),
            None => default_of(&topology).name(),
        };
        let router = Router::read(&section("router")?)?;
        Ok((topology.word(), algorithm, router.config.virtual_channels))
    };
    let Ok((topology, algorithm, virtual_channels)) = known() else {
        return Err(error);
    };
    Ok(Unroutable {
        index,
        name: series.name.clone(),
        topology,
        algorithm,
        virtual_channels,
        error,
    })
}
