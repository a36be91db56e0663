//! Sweeps of a simulator that is not one: results for any number of jobs, failures, folders.

use super::*;
use crate::PointError;
use crate::checkpoint::Every;
use crate::progress::Silent;
use crate::results::file::Outlasts;
use crate::results::folder::{FolderError, MANIFEST, OutputFolder, POINTS, points_csv};
use crate::results::{Existing, Manifest, SweepState, keys_of};
use crate::testing::{plan, result};
use flitsim_measure::point::Status;
use flitsim_scenario::Plan;
use flitsim_topology::archive::Archived;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

const LOADS: [f64; 6] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];

/// Finishes low loads last; fails at one load, panics at another.
struct Fake {
    fails_at: f64,
    panics_at: f64,
    calls: AtomicUsize,
}

impl Fake {
    fn sound() -> Self {
        Self {
            fails_at: f64::NAN,
            panics_at: f64::NAN,
            calls: AtomicUsize::new(0),
        }
    }
}

impl Simulator for Fake {
    fn simulate(
        &self,
        series: &ProvedSeries<'_>,
        load: Load,
        seed: u64,
        _monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis([4, 0, 2][call % 3]));
        if load.flits == self.fails_at {
            return Err("no such luck".into());
        }
        assert!(load.flits != self.panics_at, "out of luck");
        let zero_load_cycles = 10.0 + series.name.len() as f64 + seed as f64 / 7.0;
        Ok(result(load.flits, zero_load_cycles, 0.45))
    }
}

fn proved(plan: &Plan) -> ProvedPlan {
    ProvedPlan::prove(plan.clone(), false, &|_, _| {}, |_| {}).unwrap()
}

fn swept(plan: &Plan, fake: &Fake, jobs: usize, folder: &mut OutputFolder) -> Outcome {
    let jobs = NonZeroUsize::new(jobs);
    let keys = keys_of(plan);
    let sink = |index: usize, point: &Finished, simulated: &Simulated| {
        folder.append(&keys[index], point, Outlasts::after(simulated.took))
    };
    run(&proved(plan), fake, Todo::all(jobs), &Silent, sink).unwrap()
}

fn begun(path: &Path) -> OutputFolder {
    let mut folder = OutputFolder::create(path, Existing::Refuse).unwrap();
    folder.begin(&plan(&[]), b"{}", []).unwrap();
    folder
}

fn manifest(plan: &Plan, outcome: &Outcome) -> String {
    Manifest::new(plan, false, outcome.state(), &outcome.points).to_json()
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_jobs() {
    let plan = plan(&[("a", &LOADS), ("longer", &LOADS)]);
    let whole = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for jobs in [1, 2, 3] {
        let path = whole.path().join(format!("deep/{jobs}"));
        let mut folder = begun(&path);
        let outcome = swept(&plan, &Fake::sound(), jobs, &mut folder);
        // Rows were on the disk before the end, in the order in which points finished.
        let mut early = lines(&path.join(POINTS));
        let rows = points_csv(&plan, &outcome.rows);
        folder.replace(POINTS, &rows).unwrap();
        let mut late = lines(&path.join(POINTS));
        assert_eq!(late.len(), 13);
        assert_eq!(early[0], late[0]);
        early.sort();
        late.sort();
        assert_eq!(early, late);
        assert_eq!(outcome.state(), SweepState::Complete);
        files.push((
            fs::read(path.join(POINTS)).unwrap(),
            manifest(&plan, &outcome),
        ));
    }
    assert!(files.iter().all(|file| *file == files[0]));
}

#[test]
fn points_past_saturation_are_simulated_too() {
    let plan = plan(&[("a", &LOADS)]);
    let sink = |_: usize, _: &Finished, _: &Simulated| Ok::<(), FolderError>(());
    let outcome = run(
        &proved(&plan),
        &Fake::sound(),
        Todo::all(None),
        &Silent,
        sink,
    )
    .unwrap();
    let loads: Vec<f64> = outcome.rows.iter().map(|row| row.load).collect();
    assert_eq!(loads, LOADS);
    assert_eq!(outcome.rows[5].status, Status::Saturated);
}

#[test]
fn a_point_that_fails_or_panics_takes_no_other_with_it() {
    let plan = plan(&[("a", &LOADS)]);
    let whole = tempfile::tempdir().unwrap();
    let mut folder = begun(whole.path());
    let fake = Fake {
        fails_at: 0.2,
        panics_at: 0.5,
        ..Fake::sound()
    };
    let outcome = swept(&plan, &fake, 2, &mut folder);
    assert_eq!(outcome.rows.len(), 4);
    assert_eq!(lines(&whole.path().join(POINTS)).len(), 5);
    assert_eq!(outcome.state(), SweepState::Incomplete);
    let failures: Vec<_> = outcome.failures().collect();
    assert_eq!(
        failures,
        [(1, "no such luck"), (4, "a fault in flitsim: out of luck")]
    );
    let manifest = manifest(&plan, &outcome);
    assert!(manifest.contains("\"error\": \"no such luck\""));
    assert!(manifest.contains("\"status\": \"incomplete\""));
}

#[test]
fn what_was_finished_is_not_simulated_again() {
    let whole = tempfile::tempdir().unwrap();
    let plan_of = |loads: &[f64]| plan(&[("a", loads), ("longer", loads)]);
    let plan = plan_of(&LOADS);
    let mut folder = begun(whole.path());
    let outcome = swept(&plan, &Fake::sound(), 2, &mut folder);
    // Two loads more, one less: the points in common come from the store.
    let edited = plan_of(&[0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    let keys = keys_of(&edited);
    let kept = points_of(&edited).zip(&keys);
    let kept: Vec<_> = kept
        .map(|((series, load), key)| folder.store().get(key, &edited, series, load))
        .collect();
    assert_eq!(kept.iter().flatten().count(), 10);
    let fake = Fake::sound();
    let sink = |_: usize, _: &Finished, _: &Simulated| Ok::<(), FolderError>(());
    let todo = Todo {
        restored: kept,
        ..Todo::all(None)
    };
    let resumed = run(&proved(&edited), &fake, todo, &Silent, sink).unwrap();
    assert_eq!(fake.calls.load(Ordering::Relaxed), 4);
    let again = run(
        &proved(&edited),
        &Fake::sound(),
        Todo::all(None),
        &Silent,
        sink,
    )
    .unwrap();
    assert_eq!(resumed.rows, again.rows);
    assert_eq!(resumed.rows[1], outcome.rows[1]);
}

#[test]
fn a_row_that_cannot_be_kept_ends_the_sweep() {
    let plan = plan(&[("a", &LOADS)]);
    let mut kept = 0;
    let fake = Fake::sound();
    let swept = run(
        &proved(&plan),
        &fake,
        Todo::all(NonZeroUsize::new(1)),
        &Silent,
        |_, _, _| {
            kept += 1;
            if kept == 2 {
                return Err(std::io::Error::other("disk full"));
            }
            Ok(())
        },
    );
    assert!(matches!(swept, Err(SweepError::Sink(_))));
    assert_eq!(kept, 2);
    assert!(fake.calls.load(Ordering::Relaxed) < LOADS.len());
}

#[test]
fn results_are_replaced_only_when_asked() {
    let whole = tempfile::tempdir().unwrap();
    let path = whole.path().join("out");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("notes.txt"), "mine").unwrap();
    let folder = OutputFolder::create(&path, Existing::Refuse).unwrap();
    folder.replace(MANIFEST, b"{}").unwrap();
    let refused = OutputFolder::create(&path, Existing::Refuse).unwrap_err();
    assert_eq!(refused.exit_code(), 2);
    assert!(refused.to_string().contains("--overwrite"), "{refused}");
    assert_eq!(lines(&path.join(MANIFEST)), ["{}"]);
    let in_use = OutputFolder::create(&path, Existing::Replace).unwrap_err();
    assert!(
        in_use.to_string().contains("another flitsim writes"),
        "{in_use}"
    );
    drop(folder);
    let mut folder = OutputFolder::create(&path, Existing::Replace).unwrap();
    assert_eq!(
        lines(&path.join(MANIFEST)),
        ["{}"],
        "until there is another"
    );
    folder.begin(&plan(&[]), b"[]", []).unwrap();
    assert_eq!(lines(&path.join(MANIFEST)), ["[]"]);
    assert_eq!(
        fs::read(path.join(POINTS)).unwrap(),
        points_csv(&plan(&[]), &[])
    );
    assert_eq!(lines(&path.join("notes.txt")), ["mine"]);
}

#[test]
fn a_folder_that_cannot_be_is_told_by_its_path() {
    let whole = tempfile::tempdir().unwrap();
    let file = whole.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = OutputFolder::create(&path, Existing::Replace).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_cannot_be_replaced_leaves_nothing_half_written() {
    let whole = tempfile::tempdir().unwrap();
    let folder = OutputFolder::create(whole.path(), Existing::Refuse).unwrap();
    // A folder in the way of the rename.
    fs::create_dir_all(whole.path().join(MANIFEST).join("x")).unwrap();
    let error = folder.replace(MANIFEST, b"{}").unwrap_err();
    assert_eq!(error.exit_code(), 1);
    let left: Vec<_> = fs::read_dir(whole.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "points and what is in the way");
}

#[test]
fn the_manifest_is_the_same_everywhere() {
    let plan = plan(&[("a", &[0.1, 0.2])]);
    let text = Manifest::new(&plan, false, SweepState::Running, &[]).to_json();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["status"], "running");
    assert_eq!(manifest["text"], plan.text);
    assert_eq!(manifest["points"][1]["status"], "pending");
    assert!(!text.contains("some/where"), "no paths of the machine");
    let key = |index: usize| manifest["points"][index]["key"].as_str().unwrap();
    assert_eq!(key(0).len(), 32);
    assert_ne!(key(0), key(1));
    // A change here makes every older manifest look like another scenario's.
    assert_eq!(key(0), "ec37e2b945bdc398286e423a58b4cc94");
}

#[test]
fn how_long_a_point_took_counts_the_runs_before() {
    let plan = plan(&[("a", &LOADS[..2])]);
    let folder = tempfile::tempdir().unwrap();
    let kept = Checkpoints::in_folder(folder.path(), Some(Every::Cycles(1)));
    let fails = |_: &Path, error: &io::Error| panic!("{error}");
    let (state, _) = kept.of(&plan.series[0], plan.series[0].loads[0], plan.seed, fails);
    std::thread::sleep(Duration::from_millis(100));
    state.keep(&mut |archive| vec![7u32; 100].archive(archive));
    let todo = Todo {
        checkpoints: Some(kept),
        ..Todo::all(NonZeroUsize::new(1))
    };
    let mut took = [Duration::ZERO; 2];
    let sink = |index: usize, _: &Finished, simulated: &Simulated| {
        took[index] = simulated.took;
        Ok::<(), io::Error>(())
    };
    run(&proved(&plan), &Fake::sound(), todo, &Silent, sink).unwrap();
    assert_eq!(Outlasts::after(took[0]), Outlasts::PowerFailure);
    assert!(took[1] < took[0], "{took:?}");
}

/// Goes on from no state: it panics, or fails, over what it was given.
struct Puzzled;

impl Simulator for Puzzled {
    fn simulate(
        &self,
        _: &ProvedSeries<'_>,
        load: Load,
        _: u64,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, PointError> {
        let keeper = monitor.keeper().expect("points are kept");
        let is_begun = keeper.kept().unwrap().is_some();
        assert!(!is_begun || load.flits > 0.15, "no state of a simulation");
        match is_begun {
            true => Err(SimulateError::Checkpoint("no state either".to_owned()).into()),
            false => Ok(result(load.flits, 10.0, 0.45)),
        }
    }
}

#[test]
fn a_state_that_no_simulation_is_in_is_left_out() {
    let plan = plan(&[("a", &LOADS[..2])]);
    let folder = tempfile::tempdir().unwrap();
    let kept = Checkpoints::in_folder(folder.path(), Some(Every::Cycles(1)));
    for &load in &plan.series[0].loads {
        let fails = |_: &Path, error: &io::Error| panic!("{error}");
        let (state, _) = kept.of(&plan.series[0], load, plan.seed, fails);
        state.keep(&mut |archive| vec![7u32; 100].archive(archive));
    }
    let todo = Todo {
        checkpoints: Some(kept),
        ..Todo::all(NonZeroUsize::new(1))
    };
    let outcome = run(&proved(&plan), &Puzzled, todo, &Silent, |_, _, _| {
        Ok::<(), io::Error>(())
    })
    .unwrap();
    assert_eq!(outcome.state(), SweepState::Complete);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
