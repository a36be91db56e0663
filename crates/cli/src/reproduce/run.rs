//! Papers reproduced: tables computed, points simulated, claims checked, files written.
//!
//! Invariant: no file depends on the number of threads, on interruptions or on what was there
//! before. A point that is done is on the disk before the next is taken; an item's files are written
//! as soon as its last point is.

use super::claim_page::claims_page;
use super::claims::{Checked, Verdict, claims_table, push_claim};
use super::computed;
use super::figure;
use super::items::Item;
use super::library::Paper;
use super::measure::{MeasureError, Tables};
use super::modelled;
use super::simulated::{Points, Simulated, together};
use super::table::{KIND, SIMULATED, Table};
use crate::progress::sweep::SweepBar;
use crate::survey::{Depth, Subject, Survey};
use flitsim_scenario::plan::Plan;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_scenario::{Overrides, ScenarioError};
use flitsim_sweep::disk;
use flitsim_sweep::results::file::{Outlasts, write_whole};
use flitsim_sweep::results::folder::{self, FolderError};
use flitsim_sweep::results::number;
use flitsim_sweep::results::{Finished, PointStore, keys_of, points_of};
use flitsim_sweep::{self, Simulator, SweepError, Todo};
use flitsim_topology::draw::{self, Drawing, Style};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The papers.
    pub papers: Vec<&'static Paper>,
    /// One item of the paper, or all.
    pub item: Option<String>,
    /// Whether only what `--quick` simulates.
    pub is_quick: bool,
    /// The folder of the results.
    pub out: PathBuf,
    /// Points simulated at once; all cores where `None`.
    pub jobs: Option<NonZeroUsize>,
}

/// Why papers cannot be reproduced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// A scenario of ours that does not read.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The folder of the results cannot be made.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A table that cannot be made.
    #[error("{paper} {item}: {source}")]
    Item {
        /// The paper.
        paper: &'static str,
        /// The item.
        item: String,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A claim that can never have a value.
    #[error("{paper}: the claim \"{claim}\" cannot be checked: {source}")]
    Claim {
        /// The paper.
        paper: &'static str,
        /// The claim.
        claim: String,
        /// Why.
        source: MeasureError,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; points that are done are kept, and the same command goes on with the rest", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(String),
}

/// The outcome of a reproduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Claims by verdict: holds, differs, not checked.
    pub verdicts: [usize; 3],
    /// Claims whose verdict is not the one foreseen, in words.
    pub surprises: Vec<String>,
    /// Points that were not simulated: the run was stopped before.
    pub pending: usize,
    /// Points that failed, and why.
    pub failures: Vec<String>,
}

/// An item, its points, and whether its files are written.
struct Work {
    paper: &'static Paper,
    item: Item,
    simulated: Option<Simulated>,
    is_written: bool,
}

/// A reproduction under way.
pub struct Reproduction {
    request: Request,
    works: Vec<Work>,
    points: Points,
    store: PointStore,
    tables: BTreeMap<&'static str, Tables>,
}

impl Reproduction {
    /// Reads the scenarios, and what earlier runs left in the folder.
    ///
    /// # Errors
    /// A scenario that does not read; a folder that cannot be made.
    pub fn new(request: Request) -> Result<Self, ReproduceError> {
        let mut works = Vec::new();
        for &paper in &request.papers {
            let items = paper.items().items.into_iter();
            let is_wanted =
                |item: &Item| request.item.as_ref().is_none_or(|name| *name == item.name);
            for item in items.filter(is_wanted) {
                works.push(Work {
                    paper,
                    simulated: simulated(paper, &item, request.is_quick)?,
                    item,
                    is_written: false,
                });
            }
        }
        let store = PointStore::in_folder(&request.out);
        store.create().map_err(folder::unwritable(&request.out))?;
        let mut points = Points::new();
        for Simulated { plan, .. } in works.iter().filter_map(|work| work.simulated.as_ref()) {
            for ((series, load), key) in points_of(plan).zip(keys_of(plan)) {
                if let Some(point) = store.get(&key, plan, series, load) {
                    points.insert(key, point);
                }
            }
        }
        Ok(Self {
            request,
            works,
            points,
            store,
            tables: BTreeMap::new(),
        })
    }

    /// The points that are still to be simulated, as one plan.
    pub fn plan(&self) -> Option<Plan> {
        let items = self.works.iter().filter_map(|work| work.simulated.as_ref());
        together(
            items.filter(|item| !item.is_done(&self.points)),
            &self.points,
        )
    }

    /// How many points are kept from earlier runs.
    pub fn kept(&self) -> usize {
        self.points.len()
    }

    /// Writes every item whose points are done, and says which are new.
    ///
    /// # Errors
    /// A table that cannot be computed, a file that cannot be written.
    pub fn write_done(&mut self) -> Result<Vec<String>, ReproduceError> {
        let mut written = Vec::new();
        for index in 0..self.works.len() {
            let work = &self.works[index];
            let simulated = work.simulated.as_ref();
            if work.is_written || !simulated.is_none_or(|s| s.is_done(&self.points)) {
                continue;
            }
            let table = self.table(work)?;
            let folder = self.request.out.join(work.paper.name);
            make(&folder)?;
            let name = &work.item.name;
            let csv = (!table.is_empty()).then(|| table.to_csv());
            write_or_remove(&folder.join(format!("{name}.csv")), csv.as_deref())?;
            let svg = match work.item.picture {
                true => picture(work.paper, &work.item)?,
                false => figure::svg(&work.item, &table),
            };
            let svg = svg.as_ref().map(String::as_bytes);
            write_or_remove(&folder.join(format!("{name}.svg")), svg)?;
            let tables = self.tables.entry(work.paper.name).or_default();
            tables.insert(name.clone(), table);
            written.push(format!("{} {name}", work.paper.name));
            self.works[index].is_written = true;
        }
        Ok(written)
    }

    /// How many items are written, and of how many.
    fn items_written(&self) -> (usize, usize) {
        let written = self.works.iter().filter(|work| work.is_written);
        (written.count(), self.works.len())
    }

    /// Simulates what [`Reproduction::plan`] gave, and writes each item as its last point is done,
    /// which `tell` hears of.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn simulate<S: Simulator>(
        &mut self,
        plan: &ProvedPlan,
        simulator: &S,
        bar: &SweepBar,
        tell: impl Fn(&str),
    ) -> Result<Summary, ReproduceError> {
        let keys = keys_of(plan);
        let jobs = self.request.jobs;
        let sink = |index: usize, point: &Finished, simulated: &flitsim_sweep::Simulated| {
            let key = &keys[index];
            let kept = self.store.put(key, point, Outlasts::after(simulated.took));
            kept.map_err(unwritable(&self.store.file(key)))?;
            self.points.insert(key.clone(), point.clone());
            let written = self.write_done()?;
            let (done, all) = self.items_written();
            for name in written {
                tell(&format!(
                    "{name} is written: {done} of {all} tables and figures"
                ));
            }
            Ok(())
        };
        let swept = flitsim_sweep::run(plan, simulator, Todo::all(jobs), bar, sink);
        let outcome = swept.map_err(|error| match error {
            SweepError::Sink(error) => error,
            SweepError::Threads(error) => ReproduceError::Threads(error.to_string()),
        })?;
        let points: Vec<_> = points_of(plan).collect();
        let failures = outcome.failures().map(|(index, why)| {
            let (series, load) = points[index];
            format!("{}, load {}: {why}", series.name, load.in_unit)
        });
        Ok(Summary {
            pending: outcome.pending(),
            failures: failures.collect(),
            ..Summary::default()
        })
    }

    /// Checks the claims of every paper against its tables, writes `claims.csv`, `manifest.json` and
    /// a page of claims for each paper, and adds to `summary`. Of a run that was stopped, what is done
    /// is checked.
    ///
    /// # Errors
    /// A claim that can never have a value; a file that cannot be written.
    pub fn check(&self, summary: &mut Summary) -> Result<(), ReproduceError> {
        let mut all = claims_table();
        let nothing = Tables::new();
        // Of one item alone, or after a stop, some tables are missing.
        let is_partial =
            self.request.is_quick || self.request.item.is_some() || summary.pending > 0;
        for &paper in &self.request.papers {
            let tables = self.tables.get(paper.name).unwrap_or(&nothing);
            let claims = paper.claims().claims;
            let item = self.request.item.as_ref();
            let asked = claims
                .iter()
                .filter(|claim| item.is_none_or(|item| *item == claim.item));
            let mut verdicts = Vec::new();
            for claim in asked {
                let checked = claim.check(tables, self.request.is_quick);
                let checked = checked.map_err(|source| ReproduceError::Claim {
                    paper: paper.name,
                    claim: claim.claim.clone(),
                    source,
                })?;
                summary.add(paper.name, &checked, is_partial);
                push_claim(&mut all, paper.name, &checked);
                verdicts.push(checked);
            }
            let page = claims_page(&paper.items(), &verdicts);
            let folder = self.request.out.join(paper.name);
            make(&folder)?;
            write(&folder.join("claims.md"), page.as_bytes())?;
        }
        write(&self.request.out.join("claims.csv"), &all.to_csv())?;
        let manifest = format!("{:#}\n", self.manifest(summary));
        write(&self.request.out.join("manifest.json"), manifest.as_bytes())
    }

    fn manifest(&self, summary: &Summary) -> Value {
        let items: Vec<Value> = self
            .works
            .iter()
            .map(|work| {
                let points = work.simulated.as_ref().map_or(&[][..], Simulated::keys);
                json!({
                    "paper": work.paper.name,
                    "item": work.item.name,
                    "written": work.is_written,
                    "points": points,
                })
            })
            .collect();
        let [holds, differs, not_checked] = summary.verdicts;
        json!({
            "flitsim": env!("CARGO_PKG_VERSION"),
            "mode": if self.request.is_quick { "quick" } else { "full" },
            "claims": { "holds": holds, "differs": differs, "not-checked": not_checked },
            "items": items,
        })
    }

    /// The table of an item whose points are done.
    fn table(&self, work: &Work) -> Result<Table, ReproduceError> {
        let Work { paper, item, .. } = work;
        let impossible = |source| ReproduceError::Item {
            paper: paper.name,
            item: item.name.clone(),
            source,
        };
        if let Some(name) = &item.computed {
            let table = computed::table(paper.name, name, &item.parameters);
            return table.map_err(|error| impossible(error.into()));
        }
        let mut table = Table::default();
        if item.networks {
            for subject in read(paper, item)?.series.iter().map(Subject::of_series) {
                let survey = Survey::of(&subject, Depth::Brief, &()).to_json();
                table.push_map(survey.as_object().expect("a survey is an object"));
            }
        }
        if item.model {
            let rows = modelled::rows(&read(paper, item)?);
            let rows =
                rows.map_err(|misfit| impossible(format!("no model fits: {misfit}").into()))?;
            rows.iter().for_each(|row| table.push_map(row));
        }
        let Some(simulated) = &work.simulated else {
            return Ok(table);
        };
        for row in simulated.rows(&self.points) {
            let mut values =
                serde_json::Map::from_iter([(KIND.to_owned(), Value::from(SIMULATED))]);
            // Of networks whose flits differ in width, throughputs compare in the unit of the load.
            let in_unit = row.accepted_flits.zip(row.offered_flits);
            let accepted = in_unit.map(|(accepted, offered)| accepted * row.load / offered);
            values.extend(row.to_json());
            let accepted = accepted.and_then(number::rounded);
            values.insert("accepted_load".to_owned(), accepted.into());
            table.push_map(&values);
        }
        Ok(table)
    }
}

/// What of `item` is simulated.
fn simulated(
    paper: &'static Paper,
    item: &Item,
    is_quick: bool,
) -> Result<Option<Simulated>, ReproduceError> {
    if !item.simulated {
        return Ok(None);
    }
    let plan = read(paper, item)?;
    Ok(Some(if is_quick {
        Simulated::hurried(plan, &item.quick)
    } else {
        Simulated::new(plan)
    }))
}

fn read(paper: &'static Paper, item: &Item) -> Result<Plan, ScenarioError> {
    let (name, text) = paper.scenario(item).unwrap_or_default();
    let path = Path::new("scenarios/papers").join(paper.name).join(name);
    let mut plan = Plan::parse(&path, text.to_owned(), Overrides::default())?;
    let is_of = |name: &String| item.series.is_empty() || item.series.contains(name);
    plan.series.retain(|series| is_of(&series.name));
    Ok(plan)
}

/// The first network of `item`, drawn.
fn picture(paper: &'static Paper, item: &Item) -> Result<Option<String>, ReproduceError> {
    let plan = read(paper, item)?;
    let drawing = plan.series.first().map(|one| Drawing::of(&one.network));
    let drawing = drawing.transpose().map_err(|error| ReproduceError::Item {
        paper: paper.name,
        item: item.name.clone(),
        source: error.into(),
    })?;
    let style = Style {
        title: &item.title,
        ..Style::default()
    };
    Ok(drawing.map(|drawing| draw::svg(&drawing, &style)))
}

fn make(folder: &Path) -> Result<(), ReproduceError> {
    disk::create_folder(folder).map_err(unwritable(folder))
}

/// Writes what there is; what an earlier run left goes where there is nothing.
fn write_or_remove(path: &Path, contents: Option<&[u8]>) -> Result<(), ReproduceError> {
    let Some(contents) = contents else {
        return match disk::remove(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(path)(error)),
            _ => Ok(()),
        };
    };
    write(path, contents)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), ReproduceError> {
    write_whole(path, contents).map_err(unwritable(path))
}

/// What a file at `path` that cannot be written is called.
fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> ReproduceError + use<> {
    let path = path.to_owned();
    |source| ReproduceError::Write { path, source }
}

impl Summary {
    /// Counts a claim, and notes a verdict that is not the one foreseen.
    fn add(&mut self, paper: &str, checked: &Checked<'_>, is_partial: bool) {
        self.verdicts[checked.verdict as usize] += 1;
        if checked.is_foreseen(is_partial) {
            return;
        }
        let claim = checked.claim;
        self.surprises.push(format!(
            "{paper} {}: {}: {}, foreseen {}; expected {}, measured {}",
            claim.item,
            claim.claim,
            checked.verdict.as_str(),
            claim.verdict.as_str(),
            claim.expected_text(),
            match checked.measured.as_str() {
                "" => "nothing",
                measured => measured,
            },
        ));
    }

    /// How many claims have `verdict`.
    pub const fn count(&self, verdict: Verdict) -> usize {
        self.verdicts[verdict as usize]
    }
}
