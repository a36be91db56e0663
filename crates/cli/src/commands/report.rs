//! `flitsim report`: the page of a folder.

use crate::console::Console;
use crate::error::CommandError;
use crate::reproduce::claims::CLAIM_COLUMNS;
use crate::reproduce::library::Paper;
use crate::reproduce::page::{self as papers, ClaimRow, ItemFiles};
use clap::Args;
use flitsim_report::figure::Figure;
use flitsim_report::page::Page;
use flitsim_scenario::Overrides;
use flitsim_sweep::results::file::write_whole;
use flitsim_sweep::results::folder::{MANIFEST, REPORT, tidy};
use flitsim_sweep::results::{ReadError, SweptFolder};
use std::fs;
use std::path::Path;
use std::path::PathBuf;

/// Write one self-contained HTML page from the folder of a sweep or of a reproduction
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim report out/first-curve
  flitsim report out/reproduce

Writes DIR/report.html, one page that needs no network connection. For a sweep (points.csv and
manifest.json), it is the page that the sweep wrote: curves that show their values when pointed at, the
network coloured by the load of its channels, histograms, tables and the scenario. For a reproduction
(claims.csv), it has every table and figure, and the claims by verdict.")]
pub struct Report {
    /// The folder of the sweep or of the reproduction
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The scenario file of the sweep; the files that it names are found relative to it, not in
    /// manifest.json
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
}

/// The claims of a reproduction.
const CLAIMS: &str = "claims.csv";

/// Reads the folder and writes its page.
///
/// # Errors
/// A folder that is neither that of a sweep nor of a reproduction, or that cannot be read or written
/// to.
pub fn run(arguments: &Report, console: &Console) -> Result<(), CommandError> {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        return Err(CommandError::Input(format!(
            "there is no folder {}; give one that `flitsim sweep` or `flitsim reproduce` wrote, such \
             as out/first-curve",
            folder.display()
        )));
    }
    let html = if SweptFolder::is_one(folder) {
        of_sweep(console, folder, arguments.scenario.as_deref())?
    } else if folder.join(CLAIMS).is_file() {
        if arguments.scenario.is_some() {
            return Err(CommandError::Input(format!(
                "{} is the folder of a reproduction, which has no scenario of yours: leave out --scenario",
                folder.display()
            )));
        }
        of_reproduction(folder)?
    } else {
        return Err(CommandError::Input(format!(
            "{} is the folder neither of a sweep, which has points.csv and manifest.json, nor of a \
             reproduction, which has {CLAIMS}",
            folder.display()
        )));
    };
    // Of a sweep that goes on, what is half written is its own.
    let _ = tidy(folder);
    let path = folder.join(REPORT);
    write_whole(&path, html.as_bytes()).map_err(|error| {
        CommandError::Input(format!("cannot write {}: {error}", path.display()))
    })?;
    console.note(format_args!("The page is {}", path.display()));
    Ok(())
}

fn of_sweep(
    console: &Console,
    folder: &Path,
    scenario: Option<&Path>,
) -> Result<String, CommandError> {
    if let Some(path) = scenario {
        // Its folder is what matters, but what is no scenario is not in the right one.
        let overrides = Overrides {
            allow_deadlock: true,
            ..Overrides::default()
        };
        console.read_plan(path, overrides)?;
    }
    let swept = SweptFolder::read(folder, scenario).map_err(|error| match error {
        ReadError::Scenario(error) if scenario.is_none() => CommandError::Input(format!(
            "the scenario in {} does not read; if it names files, they are found beside the scenario \
             that --scenario FILE names:\n{error}",
            folder.join(MANIFEST).display()
        )),
        error => error.into(),
    })?;
    let prospects = console.prospects(&swept.plan);
    let figure = Figure::of(&swept.plan, &swept.rows, &prospects);
    let page = Page {
        plan: &swept.plan,
        rows: &swept.rows,
        extras: &swept.extras,
        prospects: &prospects,
        figure: &figure,
        failed: swept.failed,
        pending: swept.pending,
        allows_deadlock: swept.allows_deadlock,
        version: &swept.version,
    };
    Ok(page.to_html())
}

fn of_reproduction(folder: &Path) -> Result<String, CommandError> {
    let claims = claims(&folder.join(CLAIMS))?;
    let mut items = Vec::new();
    for paper in subfolders(folder)? {
        items.extend(items_of(folder, &paper)?);
    }
    Ok(papers::to_html(&claims, &items))
}

fn unreadable(path: &Path, error: impl std::fmt::Display) -> CommandError {
    CommandError::Input(format!(
        "cannot read {}: {error}; `flitsim reproduce` writes it",
        path.display()
    ))
}

fn claims(path: &Path) -> Result<Vec<ClaimRow>, CommandError> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| unreadable(path, error))?;
    let header = reader.headers().map_err(|error| unreadable(path, error))?;
    let at = |name: &&str| {
        let index = header.iter().position(|column| column == *name);
        index.ok_or_else(|| unreadable(path, format!("it has no column `{name}`")))
    };
    let columns = CLAIM_COLUMNS
        .iter()
        .map(at)
        .collect::<Result<Vec<_>, _>>()?;
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record.map_err(|error| unreadable(path, error))?;
        let mut row = ClaimRow::default();
        for (field, &index) in row.fields.iter_mut().zip(&columns) {
            *field = record.get(index).unwrap_or_default().to_owned();
        }
        Ok(row)
    };
    reader.records().map(row).collect()
}

/// The names in `folder` for which `keep` is true, in order.
fn names(folder: &Path, keep: impl Fn(&Path) -> bool) -> Result<Vec<String>, CommandError> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut names: Vec<String> = paths
        .filter(|path| keep(path))
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// The papers: folders with tables in them.
fn subfolders(folder: &Path) -> Result<Vec<String>, CommandError> {
    let has_tables = |path: &Path| {
        let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
        let is_table = |path: &Path| path.extension().is_some_and(|e| e == "csv");
        // The kept points of the reproduction lie beside the papers.
        path.file_name()
            .is_some_and(|name| name != flitsim_sweep::results::store::STORE)
            && entries.any(|entry| is_table(&entry.path()))
    };
    names(folder, |path| path.is_dir() && has_tables(path))
}

/// The tables and figures of `paper`, in the paper's order; what it does not know comes last.
fn items_of(folder: &Path, paper: &str) -> Result<Vec<ItemFiles>, CommandError> {
    let folder = folder.join(paper);
    let mut names = names(&folder, |path| path.extension().is_some_and(|e| e == "csv"))?;
    let known: Vec<String> = match Paper::of_name(paper) {
        Some(paper) => paper
            .items()
            .items
            .into_iter()
            .map(|item| item.name)
            .collect(),
        None => Vec::new(),
    };
    let order = |name: &String| {
        let stem = name.trim_end_matches(".csv");
        known
            .iter()
            .position(|known| known == stem)
            .unwrap_or(known.len())
    };
    names.sort_by_key(order);
    let item = |name: String| {
        let path = folder.join(&name);
        let mut reader = csv::ReaderBuilder::new();
        let reader = reader.has_headers(false).flexible(true).from_path(&path);
        let csv = reader.and_then(|reader| {
            let records = reader.into_records();
            let texts = |record: csv::StringRecord| record.iter().map(str::to_owned).collect();
            records.map(|record| record.map(texts)).collect()
        });
        let drawn = path.with_extension("svg");
        let svg = if drawn.is_file() {
            Some(fs::read_to_string(&drawn).map_err(|e| unreadable(&drawn, e))?)
        } else {
            None
        };
        Ok(ItemFiles {
            paper: paper.to_owned(),
            item: name.trim_end_matches(".csv").to_owned(),
            svg,
            csv: csv.map_err(|error| unreadable(&path, error))?,
        })
    };
    names.into_iter().map(item).collect()
}

impl From<ReadError> for CommandError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Scenario(error) => Self::Scenario(error),
            error => Self::Input(error.to_string()),
        }
    }
}
