//! `flitsim reproduce`: papers' tables, figures and claims.

use crate::args::Suggested;
use crate::console::Console;
use crate::error::CommandError;
use crate::interrupt::{self, Haste};
use crate::progress::sweep::SweepBar;
use crate::reproduce::claims::Verdict;
use crate::reproduce::library::{PAPERS, Paper};
use crate::reproduce::run::{ReproduceError, Reproduction, Request, Summary};
use clap::Args;
use flitsim_measure::EngineChoice;
use flitsim_report::words::count;
use flitsim_scenario::error::nearest;
use flitsim_sweep::Kernel;
use flitsim_sweep::threads::Threads;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Reproduce papers: compute or simulate their tables and figures, and check their claims
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim reproduce --list
  flitsim reproduce dally-k-ary-n-cubes fig8
  flitsim reproduce --full --out out/papers

Writes DIR/<paper>/<item>.csv and .svg for each table and figure, and DIR/claims.csv with a verdict for
each claim of the papers. DIR/<paper>/claims.md has the same verdicts as a page, and DIR/points/ a file for
each simulated point. A run that is stopped checks what is done; the same command, given again, continues
it. The exit code is 1 if a verdict is not the one that claims.toml foresees.")]
pub struct Reproduce {
    /// The paper; the default is every paper
    #[arg(value_parser = Suggested(names), hide_possible_values = true)]
    pub paper: Option<String>,
    /// One table or figure of the paper; the default is all
    pub item: Option<String>,
    /// The folder of the results
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    pub out: PathBuf,
    /// Small networks, few loads and coarse intervals: takes minutes; the default
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The papers' sizes: takes minutes for each paper, up to an hour for the pruned tori
    #[arg(long)]
    pub full: bool,
    /// Only list the papers with their tables and figures
    #[arg(long)]
    pub list: bool,
    /// Points simulated at once; the default is one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
}

/// What a shell completes.
fn names() -> Vec<&'static str> {
    PAPERS.iter().map(|paper| paper.name).collect()
}

/// Reproduces what is asked for, or lists what there is.
///
/// # Errors
/// A paper or an item that is not known; a folder that cannot be written to; a claim whose verdict is
/// not the one foreseen; a run that was stopped.
pub fn run(arguments: &Reproduce, console: &Console) -> Result<(), CommandError> {
    let papers = papers(arguments)?;
    if arguments.list {
        return list(&papers, arguments.item.as_deref());
    }
    let mut work = Reproduction::new(Request {
        papers,
        item: arguments.item.clone(),
        is_quick: !arguments.full,
        out: arguments.out.clone(),
        jobs: arguments.jobs.map(usize::from).and_then(NonZeroUsize::new),
    })?;
    let mut summary = Summary::default();
    let plan = work
        .plan()
        .map(|plan| console.prove(plan, false))
        .transpose()?;
    if plan.is_some() && work.kept() > 0 {
        console.note(format_args!(
            "{} points are kept from earlier runs",
            work.kept()
        ));
    }
    work.write_done()?;
    if let Some(plan) = &plan {
        let bar = SweepBar::new(plan, console.shown());
        interrupt::end(Haste::Soon(format!(
            "stopped while points were under way; what is done is kept in {}, and the same command goes on",
            arguments.out.display()
        )));
        interrupt::listen();
        let kernel = Kernel {
            threads: Threads::ONE,
            engine: EngineChoice::Auto,
        };
        let tell = |text: &str| {
            let left = bar.time_left_text();
            bar.suspend(|| console.note(format_args!("{text}{left}")));
        };
        let simulated = work.simulate(plan, &kernel, &bar, tell);
        interrupt::end(Haste::Never);
        bar.finish();
        summary = simulated?;
    }
    work.check(&mut summary)?;
    if summary.pending > 0 {
        return Err(CommandError::Failed(format!(
            "stopped before {} points; what is done is kept in {}, and the same command goes on",
            summary.pending,
            arguments.out.display()
        )));
    }
    console.note(format_args!(
        "{} claims hold, {} differ, {} are not checked; claims.csv, tables and figures are in {}",
        summary.count(Verdict::Holds),
        summary.count(Verdict::Differs),
        summary.count(Verdict::NotChecked),
        arguments.out.display()
    ));
    let faults = [summary.failures, summary.surprises].concat();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(CommandError::Failed(faults.join("\n")))
    }
}

/// The papers that the command line names: all, or one, its item known.
fn papers(arguments: &Reproduce) -> Result<Vec<&'static Paper>, CommandError> {
    let Some(name) = &arguments.paper else {
        return Ok(PAPERS.iter().collect());
    };
    let Some(paper) = Paper::of_name(name) else {
        let has = |paper: &&Paper| paper.items().items.iter().any(|item| item.name == *name);
        if let Some(paper) = PAPERS.iter().find(has) {
            return Err(CommandError::Input(format!(
                "no paper is called `{name}`, but {} has an item of this name: \
                 `flitsim reproduce {} {name}`",
                paper.name, paper.name
            )));
        }
        let names = PAPERS.iter().map(|paper| paper.name);
        return Err(unknown(
            "paper",
            name,
            names,
            "`flitsim reproduce --list` shows them",
        ));
    };
    if let Some(item) = &arguments.item {
        let items = paper.items().items;
        let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
        if !names.contains(&item.as_str()) {
            let help = format!("`flitsim reproduce {name} --list` shows them");
            return Err(unknown("item", item, names.into_iter(), &help));
        }
    }
    Ok(vec![paper])
}

fn unknown<'n>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
    help: &str,
) -> CommandError {
    let nearest = nearest(name, known);
    let nearest = nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    CommandError::Input(format!("no {what} is called `{name}`{nearest} ({help})"))
}

fn list(papers: &[&'static Paper], item: Option<&str>) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    for paper in papers {
        let items = paper.items();
        let about = &items.paper;
        let widths = items.items.iter().map(|item| item.name.chars().count());
        let width = widths.max().unwrap_or(0);
        writeln!(
            out,
            "{}\n  {}, \"{}\", {}",
            paper.name, about.authors, about.title, about.published
        )?;
        let claims = paper.claims().claims;
        for shown in items
            .items
            .iter()
            .filter(|shown| item.is_none_or(|item| shown.name == item))
        {
            let claims = claims
                .iter()
                .filter(|claim| claim.item == shown.name)
                .count();
            let claims = match claims {
                0 => String::new(),
                many => format!(" ({})", count(many as u64, "claim")),
            };
            writeln!(out, "  {:<width$}  {}{claims}", shown.name, shown.title)?;
        }
    }
    Ok(())
}

impl From<ReproduceError> for CommandError {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Scenario(error) => Self::Scenario(error),
            ReproduceError::Folder(error) => error.into(),
            other => Self::Failed(other.to_string()),
        }
    }
}
