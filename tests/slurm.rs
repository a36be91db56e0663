//! Sweeps as jobs: the scripts, and, where Slurm is installed and this runs as root, a real cluster of two
//! nodes on this machine, some of whose parts are killed.

use crate::tier::is_left_out;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Twelve points of some milliseconds each.
const SMALL: &str = r#"
[topology]
kind = "mesh"
radix = 4
dimensions = 2
[measure]
relative_error = 0.05
[sweep]
load = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.9]
"#;

/// Sixty points that go to saturation.
const LARGE: &str = r#"
[router]
virtual_channels = 2
[traffic]
packet_flits = 8
[measure]
relative_error = 0.02
[sweep]
load = { from = 0.02, to = 0.6, steps = 30 }
[[series]]
name = "8x8 mesh"
topology = { kind = "mesh", radix = 8, dimensions = 2 }
[[series]]
name = "8-ary 2-cube"
topology = { kind = "torus", radix = 8, dimensions = 2 }
"#;

fn flitsim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    command.output().expect("the program starts")
}

fn prepared(scenario: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), scenario).unwrap();
    folder
}

fn done(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn status(folder: &Path, out: &str) -> Value {
    let told = flitsim(folder, &["status", out, "--format", "json"]);
    serde_json::from_str(&done(&told)).unwrap()
}

fn is_same(folder: &Path, one: &str, other: &str) {
    for file in ["points.csv", "curves.svg", "report.html", "manifest.json"] {
        let [one, other] = [one, other].map(|out| fs::read(folder.join(out).join(file)).unwrap());
        assert!(one == other, "{file}");
    }
}

#[test]
fn several_sweeps_are_no_parts_of_one() {
    let folder = prepared(SMALL);
    let here = folder.path();
    done(&flitsim(here, &["sweep", "mine.toml", "--out", "all/one"]));
    let other = ["sweep", "mine.toml", "--seed", "9", "--out", "all/two"];
    done(&flitsim(here, &other));
    let told = flitsim(here, &["status", "all"]);
    assert_eq!(told.status.code(), Some(2));
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("is not a part of the sweep of"), "{said}");
}

#[test]
fn scripts_that_run_side_by_side_leave_the_bytes_of_one_sweep() {
    let folder = prepared(SMALL);
    let here = folder.path();
    done(&flitsim(here, &["sweep", "mine.toml", "--out", "whole"]));
    let submit = ["submit", "mine.toml", "--out", "it's out", "--tasks", "3"];
    let more = ["--time", "10", "--sbatch-option=--mem=1G", "--dry-run"];
    done(&flitsim(here, &[&submit[..], &more].concat()));
    let before = status(here, "it's out");
    assert_eq!(
        (&before["points"], &before["missing"]),
        (&12.into(), &12.into())
    );

    let tasks = here.join("it's out/slurm/tasks.sh");
    let text = fs::read_to_string(&tasks).unwrap();
    let more = ["--time=10", "--mem=1G", "--requeue", "--signal=B:TERM@60"];
    for option in more.into_iter().chain(["--array=1-3"]) {
        assert!(
            text.contains(&format!("#SBATCH \"{option}\"")),
            "{option} in {text}"
        );
    }
    let started: Vec<Child> = (1..=3)
        .map(|task| {
            let mut script = Command::new("bash");
            script
                .arg(&tasks)
                .env("SLURM_ARRAY_TASK_ID", task.to_string());
            script.stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut task in started {
        assert!(task.wait().unwrap().success());
    }
    let rows = |part: u32| {
        let path = here.join(format!("it's out/parts/{part}/points.csv"));
        fs::read_to_string(path).unwrap().lines().count() - 1
    };
    assert_eq!((1..=3).map(rows).sum::<usize>(), 12, "each point once");
    let after = status(here, "it's out");
    assert_eq!((&after["done"], &after["missing"]), (&12.into(), &0.into()));
    let merge = Command::new("bash")
        .arg(here.join("it's out/slurm/merge.sh"))
        .output()
        .unwrap();
    done(&merge);
    is_same(here, "whole", "it's out");
    done(&flitsim(here, &[&submit[..], &["--dry-run"]].concat()));
    is_same(here, "whole", "it's out");
    let broken = ["submit", "mine.toml", "--out", "two\nlines", "--dry-run"];
    let refused = flitsim(here, &broken);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!here.join("two\nlines").exists());

    fs::write(here.join("mine.toml"), SMALL.replace("0.9]", "0.8]")).unwrap();
    let other = flitsim(here, &[&submit[..], &["--dry-run"]].concat());
    assert_eq!(other.status.code(), Some(2));
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(said.contains("holds another sweep"), "{said}");
}

#[test]
#[cfg(unix)]
fn a_sweep_whose_job_has_not_ended_is_not_submitted_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = prepared(SMALL);
    let (here, programs) = (folder.path(), folder.path().join("bin"));
    fs::create_dir(&programs).unwrap();
    for (name, does) in [("sbatch", "echo 42"), ("squeue", "cat \"${0%/*}/queue\"")] {
        let program = programs.join(name);
        fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", programs.display());
    for (queue, code) in [("1\n", 0), ("1\n2\n", 2), ("", 0)] {
        fs::write(programs.join("queue"), queue).unwrap();
        let mut submit = Command::new(env!("CARGO_BIN_EXE_flitsim"));
        submit.args(["submit", "mine.toml", "--out", "out"]);
        let submitted = submit.current_dir(here).env("PATH", &path).output();
        let submitted = submitted.unwrap();
        let said = String::from_utf8_lossy(&submitted.stderr).into_owned();
        assert_eq!(submitted.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("job 42 of an earlier"), code == 2, "{said}");
    }
}

#[test]
fn a_sweep_whose_loads_are_not_placed_is_not_said_to_be_done() {
    let (from, to) = (SMALL.find("load").unwrap(), SMALL.len());
    let mut auto = SMALL.to_owned();
    auto.replace_range(from..to, "load = \"auto\"\n");
    let folder = prepared(&auto);
    let submit = ["submit", "mine.toml", "--out", "out", "--dry-run"];
    done(&flitsim(folder.path(), &submit));
    let told = status(folder.path(), "out");
    assert_eq!(
        (&told["points"], &told["series_unplaced"]),
        (&0.into(), &1.into())
    );
    let said = done(&flitsim(folder.path(), &["status", "out"]));
    assert!(
        said.contains("the loads of 1 series have yet to be placed"),
        "{said}"
    );
}

#[test]
fn what_a_dead_part_had_taken_is_named_and_simulated_after_another_submit() {
    let folder = prepared(SMALL);
    let here = folder.path();
    let submit = ["submit", "mine.toml", "--out", "out", "--dry-run"];
    done(&flitsim(here, &submit));
    // A part that took a point and was never heard of again.
    let manifest: Value =
        serde_json::from_slice(&fs::read(here.join("out/manifest.json")).unwrap()).unwrap();
    let key = manifest["points"][11]["key"].as_str().unwrap().to_owned();
    let claims = here.join("out/parts/claims");
    fs::create_dir_all(&claims).unwrap();
    fs::create_dir_all(here.join("out/parts/9")).unwrap();
    fs::write(claims.join(&key), "9").unwrap();
    let part = [
        "sweep",
        "mine.toml",
        "--claim",
        "--resume",
        "--out",
        "out/parts/1",
    ];
    done(&flitsim(here, &part));
    let merged = flitsim(here, &["merge", "out"]);
    let said = String::from_utf8_lossy(&merged.stderr).into_owned();
    assert_eq!(merged.status.code(), Some(1), "{said}");
    assert!(
        said.contains("1 of 12 points are missing") && said.contains("load 0.9"),
        "{said}"
    );
    let told = status(here, "out");
    assert_eq!(
        (&told["done"], &told["running"]),
        (&11.into(), &1.into()),
        "{told}"
    );

    // Parts that nobody submitted have theirs beside them.
    let told = status(here, "out/parts");
    assert_eq!((&told["done"], &told["running"]), (&11.into(), &1.into()));

    done(&flitsim(here, &submit));
    assert_eq!(status(here, "out")["missing"], 1);
    done(&flitsim(here, &part));
    done(&flitsim(here, &["merge", "out"]));
    done(&flitsim(here, &["sweep", "mine.toml", "--out", "whole"]));
    is_same(here, "whole", "out");
}

#[test]
fn a_point_whose_file_is_damaged_is_missing_and_the_file_named() {
    let folder = prepared(SMALL);
    let here = folder.path();
    done(&flitsim(here, &["sweep", "mine.toml", "--out", "part"]));
    let manifest: Value =
        serde_json::from_slice(&fs::read(here.join("part/manifest.json")).unwrap()).unwrap();
    let key = manifest["points"][3]["key"].as_str().unwrap();
    let file = format!("points/{key}.json");
    let text = fs::read(here.join("part").join(&file)).unwrap();
    for spoilt in [&text[..0], &text[..text.len() / 2]] {
        fs::write(here.join("part").join(&file), spoilt).unwrap();
        let told = status(here, "part");
        assert_eq!((&told["done"], &told["missing"]), (&11.into(), &1.into()));
        let merged = flitsim(here, &["merge", "the whole", "part"]);
        assert_eq!(merged.status.code(), Some(1));
        let said = String::from_utf8_lossy(&merged.stderr).into_owned();
        let named = format!("part/{file} is not as it was written");
        assert!(said.contains(&named), "{said}");
        let command = "`flitsim sweep part/manifest.json --resume --out 'the whole'`";
        assert!(said.contains(command), "{said}");
    }
}

/// A controller and two nodes on loopback.
struct Cluster {
    folder: PathBuf,
    configuration: PathBuf,
    daemons: Vec<Child>,
}

const NODES: usize = 2;

impl Cluster {
    /// `None` where Slurm is not installed, or nobody may start it.
    fn start(folder: &Path) -> Option<Self> {
        let is_here = |program: &&str| {
            let version = Command::new(program).arg("-V").output();
            version.is_ok_and(|output| output.status.success())
        };
        let id = Command::new("id").arg("-u").output().ok()?;
        if !["slurmctld", "slurmd"].iter().all(is_here) || id.stdout != b"0\n" {
            eprintln!("Slurm is not installed, or this is not root: no cluster is tried");
            return None;
        }
        let port = 20_000 + std::process::id() % 20_000;
        let host = fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
        let (host, at) = (host.trim().split('.').next()?, folder.display());
        for part in ["state", "spool"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        let text = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={port}\n\
             AuthType=auth/none\nCredType=cred/none\nMpiDefault=none\nSwitchType=switch/none\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nReturnToService=2\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             SlurmUser=root\nSlurmdUser=root\nStateSaveLocation={at}/state\n\
             SlurmdSpoolDir={at}/spool/%n\nSlurmctldPidFile={at}/slurmctld.pid\n\
             SlurmdPidFile={at}/%n.pid\nSlurmctldLogFile={at}/slurmctld.log\nSlurmdLogFile={at}/%n.log\n\
             JobCompType=jobcomp/none\nAccountingStorageType=accounting_storage/none\n\
             JobAcctGatherType=jobacct_gather/none\nInactiveLimit=0\nKillWait=5\n\
             SlurmdTimeout=10\nSchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0\n\
             NodeName=node[0-{}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{}-{}] CPUs=1 State=UNKNOWN\n\
             PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            NODES - 1,
            port + 1,
            port + NODES as u32,
        );
        let configuration = folder.join("slurm.conf");
        fs::write(&configuration, text).unwrap();
        let mut cluster = Self {
            folder: folder.to_owned(),
            configuration,
            daemons: Vec::new(),
        };
        let controller = cluster.daemon("slurmctld", &["-D", "-c"]);
        cluster.daemons.push(controller);
        for node in 0..NODES {
            let daemon = cluster.node(node);
            cluster.daemons.push(daemon);
        }
        cluster.wait_for("nodes that are idle", || {
            let nodes = cluster.ask("sinfo", &["-h", "-N", "-o", "%t"]);
            nodes.lines().filter(|state| *state == "idle").count() == NODES
        });
        Some(cluster)
    }

    fn daemon(&self, program: &str, arguments: &[&str]) -> Child {
        let mut daemon = Command::new(program);
        daemon.arg("-f").arg(&self.configuration).args(arguments);
        daemon.stdout(Stdio::null()).stderr(Stdio::null());
        daemon.spawn().unwrap()
    }

    fn node(&self, node: usize) -> Child {
        let name = format!("node{node}");
        fs::create_dir_all(self.folder.join("spool").join(&name)).unwrap();
        self.daemon("slurmd", &["-D", "-N", &name])
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("SLURM_CONF", &self.configuration);
        let output = command.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn flitsim(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
        command.args(arguments).current_dir(folder);
        command
            .env("SLURM_CONF", &self.configuration)
            .output()
            .unwrap()
    }

    fn wait_for(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let until = Instant::now() + Duration::from_secs(180);
        while !is_so() {
            let log = self.folder.join("slurmctld.log");
            assert!(
                Instant::now() < until,
                "no {what}:\n{}",
                fs::read_to_string(log).unwrap_or_default()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The tasks of `job` that run, by their number in the array.
    fn running(&self, job: &str) -> Vec<String> {
        let text = self.ask("squeue", &["-h", "-r", "-o", "%K", "-t", "R", "-j", job]);
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.ask("scancel", &["--user=root"]);
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

#[test]
fn a_cluster_whose_parts_die_leaves_the_bytes_of_one_machine() {
    if is_left_out() {
        return;
    }
    let folder = prepared(LARGE);
    let here = folder.path();
    let Some(mut cluster) = Cluster::start(&here.join("cluster")) else {
        return;
    };
    let submit = ["submit", "mine.toml", "--out", "out", "--tasks", "6"];
    let job = done(&cluster.flitsim(here, &submit)).trim().to_owned();
    let points = |count: u64| {
        move |cluster: &Cluster| {
            let told = cluster.flitsim(here, &["status", "out", "--format", "json"]);
            let told: Value = serde_json::from_slice(&told.stdout).unwrap();
            told["done"].as_u64() >= Some(count)
        }
    };
    let reached = |cluster: &Cluster, count| {
        cluster.wait_for("points that are done", || points(count)(cluster));
    };
    reached(&cluster, 5);
    // A node's daemon dies and comes again; a task is put back into the queue; another is cancelled.
    cluster.daemons[1].kill().unwrap();
    cluster.daemons[1].wait().unwrap();
    reached(&cluster, 10);
    cluster.daemons[1] = cluster.node(0);
    let running = cluster.running(&job);
    let requeued = running.first().expect("a task that runs");
    let requeued = format!("{job}_{requeued}");
    cluster.ask("scontrol", &["requeue", &requeued]);
    reached(&cluster, 20);
    // Slurm lets a requeued task wait for two minutes.
    let task = format!("JobId={requeued}");
    cluster.ask("scontrol", &["update", &task, "StartTime=now"]);
    let running = cluster.running(&job);
    let cancelled = running.last().expect("a task that runs");
    cluster.ask("scancel", &[&format!("{job}_{cancelled}")]);
    cluster.wait_for("end", || {
        cluster
            .ask("squeue", &["-h", "--user=root"])
            .trim()
            .is_empty()
    });
    let told = cluster.flitsim(here, &["status", "out", "--format", "json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["running"], 0, "{told}");
    let missing = told["missing"].as_u64().unwrap();
    assert!(
        missing <= 1,
        "a cancelled task loses the point in hand: {told}"
    );
    if missing == 1 {
        let merged = cluster.flitsim(here, &["merge", "out", "--scenario", "mine.toml"]);
        assert_eq!(merged.status.code(), Some(1));
        let said = String::from_utf8_lossy(&merged.stderr).into_owned();
        assert!(said.contains("1 of 60 points are missing"), "{said}");
        done(&cluster.flitsim(here, &submit));
        cluster.wait_for("end", || {
            cluster
                .ask("squeue", &["-h", "--user=root"])
                .trim()
                .is_empty()
        });
    }
    done(&flitsim(here, &["sweep", "mine.toml", "--out", "whole"]));
    is_same(here, "whole", "out");
}
