//! `flitsim submit`: a sweep as jobs of Slurm.

use crate::console::Console;
use crate::error::CommandError;
use crate::output::print;
use crate::slurm::{self, Batch, is_one_line};
use clap::Args;
use flitsim_report::words::shell_quoted;
use flitsim_scenario::Overrides;
use flitsim_scenario::proof::ProvedPlan;
use flitsim_sweep::claims::release;
use flitsim_sweep::disk::create_folder;
use flitsim_sweep::merge::{PARTS, check_holds, manifest_of};
use flitsim_sweep::results::file::write_whole;
use flitsim_sweep::results::folder::{FolderError, MANIFEST, unwritable};
use flitsim_sweep::results::{Manifest, SweepState, points_of};
use flitsim_sweep::status::{done_in, in_use};
use std::path::{Path, PathBuf};

/// Sweep on a cluster: an array of Slurm tasks shares out the points, and a second job merges the results
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim submit scenarios/quick.toml --out out/cluster --dry-run
  flitsim submit scenarios/quick.toml --out out/cluster --tasks 20 --time 2:00:00 --partition main
  flitsim submit scenarios/quick.toml --out out/cluster --sbatch-option=--cpus-per-task=4
  flitsim status out/cluster

Writes the scripts of both jobs to DIR/slurm/ and submits them. Prints the job number of the array, and
on standard error that of the merging job. Every task takes the costliest point that no other has taken,
until none is left, so all are busy to the end. Tasks write to DIR/parts/. When all have ended, the second
job merges the results into DIR, with the same bytes as from a sweep on one machine. A task that is killed
or requeued loses a minute of its work at most; the same command, given again, simulates what is missing.
Nothing is assumed but a file system that all machines share.")]
pub struct Submit {
    /// The scenario file (TOML)
    pub scenario: PathBuf,
    /// The folder for the results, on a file system that all machines share
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The number of tasks, at most one for each point; by default one for each point, up to 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks: Option<u32>,
    /// The time limit of each job, as sbatch takes it; at least three minutes
    #[arg(long, value_name = "T", value_parser = long_enough)]
    pub time: Option<String>,
    /// The partition of both jobs
    #[arg(long, value_name = "P", value_parser = partition)]
    pub partition: Option<String>,
    /// Another option of sbatch for the tasks, such as --sbatch-option=--mem=4G; may be repeated
    #[arg(long, value_name = "OPTION", value_parser = option_of_sbatch, allow_hyphen_values = true)]
    pub sbatch_option: Vec<String>,
    /// Seed of every random number, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// Run even if the routing can deadlock; a deadlock ends its point and is reported
    #[arg(long)]
    pub allow_deadlock: bool,
    /// Write the scripts but submit nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// The shortest time limit: tasks are told a minute before it, and keep their state every minute.
const SECONDS_LEAST: u64 = 180;

/// A time limit in which a task comes on.
fn long_enough(text: &str) -> Result<String, String> {
    let is_endless = || ENDLESS.iter().any(|word| text.eq_ignore_ascii_case(word));
    match seconds(text) {
        Some(seconds) if seconds < SECONDS_LEAST => Err(format!(
            "{seconds} seconds, of which the last minute is for keeping what is under way: give 3 minutes \
             at least"
        )),
        None if !is_endless() => Err(
            "sbatch takes minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, \
             days-hours:minutes:seconds or UNLIMITED"
                .to_owned(),
        ),
        _ => Ok(text.to_owned()),
    }
}

/// Words of sbatch for no time limit.
const ENDLESS: [&str; 2] = ["UNLIMITED", "INFINITE"];

/// What sbatch cannot read in a script.
const LINES: &str = "a script has an option of sbatch on one line: leave line breaks out";

/// The name of a partition.
fn partition(text: &str) -> Result<String, String> {
    match text {
        _ if text.trim().is_empty() => Err("give the name of a partition".to_owned()),
        _ if !is_one_line(text) => Err(LINES.to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// An option of sbatch, such as `--mem=4G` or `-c4`.
fn option_of_sbatch(text: &str) -> Result<String, String> {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
    match name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic())) {
        true if !is_one_line(text) => Err(LINES.to_owned()),
        true => Ok(text.to_owned()),
        false => {
            Err("options of sbatch begin with --, such as --sbatch-option=--mem=4G".to_owned())
        }
    }
}

/// The seconds of a time as sbatch takes it: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
/// days-hours:minutes or days-hours:minutes:seconds; `None` of what is no such time.
fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().ok()?), rest),
        None => (None, text),
    };
    let parts = rest.split(':').map(|part| part.parse::<u64>().ok());
    let parts: Vec<u64> = parts.collect::<Option<_>>()?;
    let units: &[u64] = match (days, parts.len()) {
        (Some(_), 1..=3) | (None, 3) => &[3600, 60, 1],
        (None, 1 | 2) => &[60, 1],
        _ => return None,
    };
    let mut sum = days.unwrap_or(0).checked_mul(86_400)?;
    for (part, unit) in parts.iter().zip(units) {
        sum = sum.checked_add(part.checked_mul(*unit)?)?;
    }
    Some(sum)
}

/// Tasks where nobody says how many.
const TASKS_MOST: u32 = 16;

/// How many tasks share out the points of `plan`; where fewer than `asked`, that is told.
fn tasks_of(plan: &ProvedPlan, asked: Option<u32>, console: &Console) -> u32 {
    let is_placed = plan.series.iter().any(|series| series.loads_auto.is_some());
    // Where loads are left to a search, nobody knows yet how many points there are.
    let points = (!is_placed).then(|| points_of(plan).count() as u32);
    let tasks = tasks(asked, points);
    if let Some(more) = asked.filter(|&asked| asked > tasks) {
        console.note(format_args!(
            "{tasks} tasks in place of {more}: there are no more points"
        ));
    }
    tasks
}

/// How many tasks share out so many `points`, where it is known how many: each has one to take.
fn tasks(asked: Option<u32>, points: Option<u32>) -> u32 {
    let most = points.unwrap_or(u32::MAX).max(1);
    asked.unwrap_or(TASKS_MOST).min(most)
}

/// Writes the scripts and submits them.
///
/// # Errors
/// A scenario that cannot be run, a folder of another sweep or one that cannot be written to; Slurm is not
/// there, or refuses.
pub fn run(arguments: &Submit, console: &Console) -> Result<(), CommandError> {
    let overrides = Overrides {
        seed: arguments.seed,
        allow_deadlock: arguments.allow_deadlock,
        ..Overrides::default()
    };
    let plan = console.read_plan(&arguments.scenario, overrides)?;
    let plan = console.prove(plan, arguments.allow_deadlock)?;
    let scenario = arguments.scenario.canonicalize();
    let scenario = scenario.map_err(|error| CommandError::Input(error.to_string()))?;
    let out = std::path::absolute(&arguments.out).unwrap_or_else(|_| arguments.out.clone());
    fit_in_scripts(&plan.scenario, &scenario, &out)?;
    let parts = arguments.out.join(PARTS);
    create_folder(&parts).map_err(unwritable(&arguments.out))?;
    let folder = arguments.out.canonicalize();
    let folder = folder.map_err(unwritable(&arguments.out))?;
    // A link may lead to a name that `out` does not have.
    fit_in_scripts(&plan.scenario, &scenario, &folder)?;
    check_is_over(&folder)?;
    note_plan(&plan, arguments, &folder)?;
    let done = done_in(&folder);
    release(&folder.join(PARTS), |key| done.contains_key(key))
        .map_err(unwritable(&arguments.out))?;

    let tasks = tasks_of(&plan, arguments.tasks, console);
    let both = [
        ("--time", &arguments.time),
        ("--partition", &arguments.partition),
    ];
    let both = both.into_iter();
    let both = both.filter_map(|(key, value)| Some(format!("{key}={}", value.as_ref()?)));
    let both: Vec<String> = both.collect();
    let mut sweep = Vec::new();
    sweep.extend(arguments.seed.map(|seed| format!("--seed {seed}")));
    sweep.extend(
        arguments
            .allow_deadlock
            .then(|| "--allow-deadlock".to_owned()),
    );
    let batch = Batch {
        name: &plan.scenario,
        scenario: &scenario,
        folder: &folder,
        tasks,
        sweep,
        options: [both.clone(), arguments.sbatch_option.clone()].concat(),
        merge_options: both,
    };
    let scripts = batch.write().map_err(unwritable(&arguments.out))?;
    if arguments.dry_run {
        let [tasks, merge] = scripts.map(|script| script.display().to_string());
        console.note(format_args!(
            "Nothing is submitted; the scripts are {tasks} and {merge}"
        ));
        return Ok(());
    }
    let job = batch.submit(&scripts)?;
    console.note(format_args!(
        "{} tasks share out the points; when they have ended, job {} merges them. `flitsim status {}` \
         tells how far they are",
        batch.tasks,
        job.merge,
        shell_quoted(&arguments.out.to_string_lossy())
    ));
    Ok(print(format!("{}\n", job.tasks).as_bytes())?)
}

/// Checks that the sweep's folder, its scenario file and its name can stand in a script.
fn fit_in_scripts(name: &str, scenario: &Path, out: &Path) -> Result<(), CommandError> {
    const UTF_8: &str = "a script is UTF-8";
    const ONE_LINE: &str = "a line of a script for sbatch has no line breaks";
    const PLAIN: &str = "in the name of a log a backslash tells sbatch to leave % as it is";
    let (text, file) = (out.to_string_lossy(), scenario.to_string_lossy());
    let each = [
        (out.to_str().is_some(), "--out", &*text, UTF_8),
        (is_one_line(&text), "--out", &*text, ONE_LINE),
        (!text.contains('\\'), "--out", &*text, PLAIN),
        (
            scenario.to_str().is_some(),
            "the scenario file",
            &*file,
            UTF_8,
        ),
        (is_one_line(name), "the scenario's name", name, ONE_LINE),
    ];
    let wrong = each.into_iter().filter(|(fits, ..)| !fits);
    let wrong = wrong.map(|(_, what, text, why)| {
        let right = if what == "--out" {
            "another folder"
        } else {
            "another name"
        };
        format!("{what} is {text:?}, and {why}: choose {right}")
    });
    match wrong.collect::<Vec<_>>().join("\n") {
        faults if faults.is_empty() => Ok(()),
        faults => Err(CommandError::Input(faults)),
    }
}

/// Checks that nobody works on the sweep in `folder`: what others have taken is given up, and is theirs.
fn check_is_over(folder: &Path) -> Result<(), CommandError> {
    if let Some(job) = slurm::unended(folder) {
        return Err(CommandError::Input(format!(
            "job {job} of an earlier `flitsim submit` into {} has not ended: wait for it, or end it with \
             `scancel {job}`",
            folder.display()
        )));
    }
    let in_use = in_use(folder).map(|path| FolderError::InUse { path });
    Ok(in_use.map_or(Ok(()), Err)?)
}

/// Notes in the folder what is swept there.
fn note_plan(plan: &ProvedPlan, arguments: &Submit, folder: &Path) -> Result<(), CommandError> {
    let manifest = Manifest::new(plan, arguments.allow_deadlock, SweepState::Running, &[]);
    let path = folder.join(MANIFEST);
    if path.exists() {
        check_holds(&arguments.out, &manifest_of(folder)?, &manifest)?;
        // What is known of its points stays.
        if arguments.dry_run {
            return Ok(());
        }
    }
    Ok(write_whole(&path, manifest.to_json().as_bytes()).map_err(unwritable(&path))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::testing::{TWO_POINTS, failed, tried};
    use flitsim_sweep::results::{Existing, OutputFolder};
    use std::fs;

    #[test]
    fn times_are_read_as_sbatch_reads_them() {
        for (text, wanted) in [
            ("1", Some(60)),
            ("2:30", Some(150)),
            ("1:00:00", Some(3600)),
            ("1-2", Some(93_600)),
            ("1-2:3", Some(93_780)),
            ("0-0:2:59", Some(179)),
            ("UNLIMITED", None),
            ("1:2:3:4", None),
            ("99999999999999999999", None),
            ("9999999999999999999", None),
        ] {
            assert_eq!(seconds(text), wanted, "{text}");
        }
        for text in ["2", "soon", "", "-1", "1:2:3:4", "4 minutes"] {
            assert!(long_enough(text).is_err(), "{text}");
        }
        for text in ["3", "1-0", "unlimited", "INFINITE"] {
            assert!(long_enough(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn options_of_sbatch_begin_with_dashes() {
        for (text, is_one) in [
            ("--mem=4G", true),
            ("-c4", true),
            ("foo", false),
            ("--", false),
            ("--comment=a\nb", false),
        ] {
            assert_eq!(option_of_sbatch(text).is_ok(), is_one, "{text}");
        }
        for (text, is_one) in [
            ("main", true),
            ("", false),
            (" ", false),
            ("a\n#SBATCH -w b", false),
        ] {
            assert_eq!(partition(text).is_ok(), is_one, "{text}");
        }
    }

    #[test]
    fn there_are_no_more_tasks_than_points() {
        assert_eq!(tasks(None, Some(5)), 5);
        assert_eq!(tasks(None, Some(500)), 16);
        assert_eq!(tasks(Some(100_000), Some(16)), 16);
        assert_eq!(tasks(Some(20), None), 20);
        assert_eq!(tasks(None, None), 16);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_the_scenario_names_is_of_the_sweep() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let scenario = format!("traffic.packet_flits = {{ path = \"len.csv\" }}\n{TWO_POINTS}");
        fs::write(here.join("s.toml"), scenario).unwrap();
        let submit = "submit {}/s.toml --out {}/out --dry-run";
        fs::write(here.join("len.csv"), "flits,weight\n2,1\n").unwrap();
        tried(here, submit).unwrap();
        tried(here, submit).unwrap();
        fs::write(here.join("len.csv"), "flits,weight\n3,1\n").unwrap();
        let (code, said) = failed(here, submit);
        let told = "out holds another sweep: a file that it names differs";
        assert!(code == 2 && said.contains(told), "{said}");
    }

    #[test]
    #[cfg(unix)]
    fn a_sweep_that_somebody_works_on_is_not_submitted() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::write(here.join("s.toml"), TWO_POINTS).unwrap();
        let submit = "submit {}/s.toml --out {}/out --dry-run";
        tried(here, "sweep {}/s.toml --claim --out {}/out/parts/1").unwrap();
        let part = here.join("out/parts/1");
        let open = OutputFolder::create(&part, Existing::Resume).unwrap();
        open.clear().unwrap();
        let claims = || flitsim_sweep::claims::claimed(&here.join("out/parts")).len();
        let (code, said) = failed(here, submit);
        let told = "out/parts/1: wait for it";
        assert!(code == 2 && said.contains(told), "{said}");
        assert_eq!(claims(), 2);
        drop(open);
        tried(here, submit).unwrap();
        assert_eq!(claims(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn names_stand_in_scripts_as_they_are() {
        use std::os::unix::ffi::OsStrExt;
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"/a\xff"));
        let (plain, long, back) = ["/a b'%j", "/a\nb", "/a\\b"].map(Path::new).into();
        for (name, scenario, out, wanted) in [
            ("a", plain, plain, ""),
            ("a", plain, long, "--out is \"/a\\nb\""),
            ("a", plain, back, "--out is \"/a\\\\b\""),
            (
                "a",
                plain,
                odd,
                "--out is \"/a\u{fffd}\", and a script is UTF-8",
            ),
            ("a", odd, plain, "the scenario file is"),
            ("a\nb", long, plain, "the scenario's name is \"a\\nb\""),
        ] {
            let said = fit_in_scripts(name, scenario, out).map_err(|error| error.to_string());
            assert_eq!(said.is_ok(), wanted.is_empty(), "{said:?}");
            let said = said.err().unwrap_or_default();
            assert!(said.starts_with(wanted) && !said.contains('\n'), "{said}");
        }
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::write(here.join("s.toml"), TWO_POINTS).unwrap();
        let (code, said) = failed(here, "submit {}/s.toml --out {}/s.toml/out --dry-run");
        let told = "choose another folder with --out DIR";
        assert!(code == 2 && said.contains(told), "{said}");
        tried(here, "submit {}/s.toml --out {}/50% --dry-run").unwrap();
        let script = fs::read_to_string(here.join("50%/slurm/tasks.sh")).unwrap();
        for part in ["/50%%/slurm/task-%a.log\"\n", "/50%'/parts/"] {
            assert!(script.contains(part), "{part} in {script}");
        }
    }
}
