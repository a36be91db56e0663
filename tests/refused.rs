//! What a proof refuses: `run` and `sweep` do not start and name the cycle; where the user insists,
//! simulation comes to the deadlock foretold, and never with a virtual channel more.

use crate::proofs;
use crate::tier;

use proofs::{Proofs, Series, exit_code, flitsim, json_of, strings};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const TORUS: &str = "kind = 'torus'\nradix = 4\ndimensions = 2";
const RING: &str = "kind = 'torus'\nradix = 6\ndimensions = 1\ndirected = true";
const SQUARE: &str = "kind = 'mesh'\nradix = 2\ndimensions = 2";
const STAR: &str = "kind = 'star'\nsymbols = 4";

/// Packets much longer than a buffer, at a load that no network takes, and time to come to rest: a
/// point is not called saturated before its warm-up is over.
fn crowded(series: &Series) -> String {
    format!(
        "{}[measure]\nwarmup = 10_000\nmax_cycles = 20_000\n[sweep]\nload = [0.9]\n",
        series
            .alone()
            .replace("packet_flits = 4", "packet_flits = 16")
    )
}

fn small_buffers(topology: &str, virtual_channels: u32, algorithm: &str) -> Series {
    Series {
        router: "buffer_flits = 2".to_owned(),
        ..Series::new(topology, virtual_channels, algorithm)
    }
}

/// The cycle that `run` and `sweep` name when they refuse the scenario in `folder`.
fn cycle_named(folder: &Path) -> Vec<String> {
    let mut named = Vec::new();
    for command in ["run", "sweep"] {
        let output = flitsim(folder, &[command, "a.toml"]);
        let message = String::from_utf8(output.stderr.clone()).unwrap();
        assert_eq!(exit_code(&output), 2, "{message}");
        assert!(output.stdout.is_empty());
        let (_, rest) = message.split_once("a cycle: ").expect(&message);
        let line = rest.lines().next().unwrap();
        named.push(line.split(", ").map(str::to_owned).collect::<Vec<_>>());
    }
    assert!(!folder.join("out").exists());
    assert_eq!(named[0], named[1]);
    named.swap_remove(0)
}

#[test]
fn run_and_sweep_name_the_cycle_and_do_not_start() {
    let non_atomic = Series {
        router: "vc_reallocation = 'non-atomic'".to_owned(),
        ..Series::new("kind = 'hypercube'\ndimensions = 4", 2, "duato")
    };
    let classes = Series {
        routing: "escape_classes = 2".to_owned(),
        ..Series::new(STAR, 4, "enhanced-nbc")
    };
    for series in [
        Series::new(TORUS, 1, "dimension-order"),
        Series::new(RING, 1, "dimension-order"),
        Series::new(STAR, 2, "nhop"),
        Series::new(STAR, 2, "nbc"),
        Series::new(STAR, 3, "enhanced-nbc"),
        Series::new(TORUS, 2, "duato"),
        Series::new(TORUS, 3, "valiant"),
        Series::new(
            "kind = 'mesh'\nradix = 4\ndimensions = 2",
            2,
            "minimal-adaptive",
        ),
        non_atomic,
        classes,
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.toml"), series.alone()).unwrap();
        let named = cycle_named(folder.path());
        let output = flitsim(folder.path(), &["verify", "a.toml", "--format", "json"]);
        let proof = json_of(&output.stdout).expect("JSON");
        assert_eq!(exit_code(&output), 1);
        assert_eq!(named, strings(&proof["cycle"]), "{}", series.algorithm);
    }
}

/// Whatever simulates proves first: searches for the saturation and for the loads of a sweep are
/// refused in the words of `run`, and where the user insists they warn in the same words.
#[test]
fn every_command_that_simulates_refuses_and_warns_alike() {
    let folder = tempfile::tempdir().unwrap();
    let may_deadlock = Series::new(SQUARE, 1, "minimal-adaptive").alone();
    let too_few = Series::new(RING, 1, "dimension-order").alone();
    let quick = "[measure]\nrelative_error = 0.3\nmax_cycles = 1_000\n[sweep]\nload = ";
    let short = ["--tolerance", "0.5", "--jobs", "1"];
    let commands: [(&str, &[&str], &str); 4] = [
        ("run", &[], "[0.1]"),
        ("sweep", &["--jobs", "1", "--out", "given"], "[0.1]"),
        (
            "sweep",
            &["--jobs", "1", "--out", "searched"],
            "\"auto\"\nsteps = 4",
        ),
        ("saturate", &short, "[0.1]"),
    ];
    for (scenario, insists) in [(&may_deadlock, true), (&too_few, false)] {
        let mut refusals = BTreeSet::new();
        for (command, more, load) in commands {
            let text = format!("{scenario}{quick}{load}\n");
            fs::write(folder.path().join("a.toml"), text).unwrap();
            let of = |extra: &[&str]| {
                flitsim(folder.path(), &[&[command, "a.toml"], more, extra].concat())
            };
            let refused = of(&[]);
            assert_eq!(exit_code(&refused), 2, "{command} {load}");
            assert!(refused.stdout.is_empty(), "{command} {load}");
            let message = String::from_utf8(refused.stderr).unwrap();
            assert!(message.contains("a cycle: "), "{command} {load}: {message}");
            refusals.insert(message);
            if insists {
                let allowed = of(&["--allow-deadlock"]);
                let message = String::from_utf8_lossy(&allowed.stderr);
                let warning = "warning: series \"default\": minimal-adaptive on \
                               mesh:radix=2,dimensions=2 is not proved free of deadlock: ";
                assert!(message.contains(warning), "{command} {load}: {message}");
                assert_ne!(exit_code(&allowed), 2, "{command} {load}: {message}");
            }
        }
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        let results = ["given", "searched"].map(|name| folder.path().join(name).exists());
        assert_eq!(results, [insists; 2], "refused before a folder is there");
        let _ = ["given", "searched"].map(|name| fs::remove_dir_all(folder.path().join(name)));
    }
}

/// The whole of 2,048 nodes is not enumerated for a message: one ring shows the cycle.
#[test]
fn the_cycle_of_a_large_torus_is_that_of_a_ring() {
    let folder = tempfile::tempdir().unwrap();
    let large = Series::new(
        "kind = 'torus'\nradices = [2, 4, 16, 16]",
        1,
        "dimension-order",
    );
    fs::write(folder.path().join("a.toml"), large.alone()).unwrap();
    // Dimension 0 is no ring, and places in dimension 1 are 2 apart.
    let ring = ["0->2#0", "2->4#0", "4->6#0", "6->0#0"].map(str::to_owned);
    assert_eq!(cycle_named(folder.path()), ring);
    let small = Series::new("kind = 'torus'\nradices = [2, 4]", 1, "dimension-order");
    assert_eq!(strings(&Proofs::of([small]).each[0]["cycle"]), ring);
}

/// A ring of links where a table sends everything the same way round.
#[test]
fn a_table_that_goes_round_is_refused_with_its_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let (mut channels, mut table) = ("from,to\n".to_owned(), "at,destination,next\n".to_owned());
    for at in 0..5 {
        let next = (at + 1) % 5;
        channels += &format!("n{at},n{next}\nn{next},n{at}\n");
        for destination in (0..5).filter(|&to| to != at) {
            table += &format!("n{at},n{destination},n{next}\n");
        }
    }
    fs::write(folder.path().join("ring.csv"), channels).unwrap();
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let series = Series {
        routing: "path = 'table.csv'".to_owned(),
        ..small_buffers("kind = 'file'\npath = 'ring.csv'", 1, "table")
    };
    fs::write(folder.path().join("a.toml"), crowded(&series)).unwrap();
    let named = cycle_named(folder.path());
    let named: BTreeSet<String> = named.into_iter().collect();
    let channels = (0..5).map(|at| format!("n{at}->n{}#0", (at + 1) % 5));
    assert_eq!(named, channels.collect::<BTreeSet<_>>());
    assert_eq!(deadlock_of(folder.path()), named);
}

/// The channels of the deadlock that a run of the scenario in `folder` comes to where the user
/// insists: under one of several seeds, for some deadlocks keep one waiting.
fn deadlock_of(folder: &Path) -> BTreeSet<String> {
    let run = |seed: &str| {
        let arguments = [
            "run",
            "a.toml",
            "--allow-deadlock",
            "--format",
            "json",
            "--seed",
            seed,
        ];
        flitsim(folder, &arguments)
    };
    let mut runs = (1..=32_u8).map(|seed| run(&seed.to_string()));
    let output = runs.find(|output| exit_code(output) != 0);
    let output = output.expect("a deadlock under one of the seeds");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(exit_code(&output), 1, "{message}");
    assert!(message.contains("not proved free of deadlock"), "{message}");
    let point = json_of(&output.stdout).expect("JSON");
    assert_eq!(point["status"], "deadlock", "{message}");
    let (_, rest) = message.split_once(" channels: ").expect(&message);
    let circle = rest.lines().next().unwrap();
    circle.split(", ").map(str::to_owned).collect()
}

#[test]
fn a_ring_without_datelines_deadlocks_on_all_its_channels_and_with_them_it_drains() {
    let folder = tempfile::tempdir().unwrap();
    let series = small_buffers(RING, 1, "dimension-order");
    fs::write(folder.path().join("a.toml"), crowded(&series)).unwrap();
    let ring = (0..6).map(|at| format!("{at}->{}#0", (at + 1) % 6));
    let stuck = deadlock_of(folder.path());
    assert_eq!(stuck, ring.collect::<BTreeSet<_>>());
    let foretold = strings(&Proofs::of([series]).each[0]["cycle"]);
    assert_eq!(stuck, foretold.into_iter().collect::<BTreeSet<_>>());

    let mesh = "kind = 'mesh'\nradix = 4\ndimensions = 2";
    let free_for_all = small_buffers(mesh, 1, "minimal-adaptive");
    fs::write(folder.path().join("a.toml"), crowded(&free_for_all)).unwrap();
    assert!(deadlock_of(folder.path()).len() >= 4);

    let dateline = crowded(&small_buffers(RING, 2, "dimension-order"));
    let text = dateline.replace("load = [0.9]", "load = [0.1]");
    let text = text.replace("warmup = 10_000\nmax_cycles = 20_000\n", "");
    fs::write(folder.path().join("a.toml"), text).unwrap();
    let output = flitsim(folder.path(), &["run", "a.toml", "--format", "json"]);
    assert_eq!(exit_code(&output), 0);
    let point = json_of(&output.stdout).expect("JSON");
    assert_eq!(point["status"], "converged");
}

/// One virtual channel fewer than each algorithm needs, in a crowd: the deadlock that the proof
/// foretells comes. With what it needs the same crowd keeps moving.
#[test]
fn what_is_refused_deadlocks_and_what_is_proved_does_not() {
    if tier::is_left_out() {
        return;
    }
    for (topology, algorithm, needed) in DEADLOCKING {
        let name = format!("{algorithm} on {topology}");
        let folder = tempfile::tempdir().unwrap();
        let at = |vcs| {
            let mut series = small_buffers(topology, vcs, algorithm);
            if algorithm == "minimal-adaptive" {
                series.routing = "escape = 'up-down'".to_owned();
            }
            fs::write(folder.path().join("a.toml"), crowded(&series)).unwrap();
        };
        at(needed - 1);
        assert!(deadlock_of(folder.path()).len() >= 2, "{name}");
        at(needed);
        let output = flitsim(folder.path(), &["run", "a.toml", "--format", "json"]);
        assert_eq!(exit_code(&output), 0, "{name}");
        let status = json_of(&output.stdout).expect("JSON")["status"].clone();
        assert!(
            status == "saturated" || status == "max-cycles",
            "{name}: {status}"
        );
    }
}

/// A topology, an algorithm, and the fewest virtual channels with which it is proved;
/// `minimal-adaptive` over `up-down`, which one virtual channel has no room for.
const DEADLOCKING: [(&str, &str, u32); 13] = [
    (TORUS, "dimension-order", 2),
    (TORUS, "duato", 3),
    (SQUARE, "valiant", 2),
    (STAR, "nhop", 3),
    (STAR, "nbc", 3),
    (STAR, "enhanced-nbc", 4),
    (STAR, "minimal-adaptive", 2),
    (
        "kind = 'express-cube'\nradix = 4\ndimensions = 2\ninterval = 2\nlevels = 1",
        "minimal-adaptive",
        2,
    ),
    // In two dimensions one run in a hundred comes to its deadlock.
    (
        "kind = 'torus'\nradix = 5\ndimensions = 1\ndirected = true",
        "hop-class",
        4,
    ),
    (
        "kind = 'pruned-torus'\nradix = 4\ndimensions = 3",
        "dimension-order",
        4,
    ),
    (
        "kind = 'manhattan-torus'\nradix = 4\ndimensions = 2",
        "fewest-descents",
        2,
    ),
    (
        "kind = 'manhattan-torus'\nradix = 4\ndimensions = 2",
        "nhop",
        3,
    ),
    (
        "kind = 'fat-pyramid'\nprocessors = 64",
        "minimal-adaptive",
        2,
    ),
];
