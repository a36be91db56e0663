//! Algorithms over an escape, from the command line: every algorithm over every escape that fits its
//! network, proved, and its negative twin refused; and what becomes of an escape where two packets
//! may share a buffer, which `verify`, `run` and `sweep` see alike.

use crate::proofs;

use proofs::families::{FAMILIES, is_acyclic};
use proofs::{Proofs, Series, exit_code, flitsim, json_of, strings};
use serde_json::Value;
use std::fs;

/// These have an escape of their own, or are one, or look at queues.
const WITHOUT: [&str; 5] = ["dal", "duato", "enhanced-nbc", "ugal", "up-down"];

/// The escapes that fit a topology, and the virtual channels of each.
fn escapes(topology: &str) -> Vec<(&'static str, u32)> {
    let is = |word: &str| topology.contains(word);
    match () {
        () if is("'mesh'") || is("'hypercube'") => vec![
            ("dimension-order", 1),
            ("west-first", 1),
            ("north-last", 1),
            ("negative-first", 1),
            ("up-down", 1),
        ],
        () if is("directed") => vec![("dimension-order", 2)],
        () if is("'torus'") => vec![("dimension-order", 2), ("up-down", 1)],
        () if is("'hyperx'") => vec![("dimension-order", 1), ("up-down", 1)],
        () if is("manhattan") || is("'butterfly'") => vec![],
        () => vec![("up-down", 1)],
    }
}

fn over(topology: &str, virtual_channels: u32, algorithm: &str, escape: &str) -> Series {
    let mut series = Series::new(topology, virtual_channels, algorithm);
    series.routing += &format!("\nescape = '{escape}'");
    series
}

/// Express cubes with all that they may have; `express` is adaptive where channels lie side by side.
const EXPRESS: [&str; 6] = [
    "levels = 1",
    "levels = 1\nchannels_per_level = [1, 3]",
    "levels = 2\nchannels_per_level = [1, 2, 3]",
    "levels = 2\nchannels_per_level = [1, 2, 2]\ninterchanges = 'interleaved'",
    "levels = 1\ninterleaved = 2",
    "levels = 2\ndecomposition = 'level-one'",
];

fn express_cubes() -> impl Iterator<Item = String> {
    let of = |more: &str| {
        format!("kind = 'express-cube'\nradix = 8\ndimensions = 2\ninterval = 2\n{more}")
    };
    EXPRESS.into_iter().map(of)
}

#[test]
fn every_algorithm_is_proved_over_every_escape() {
    for family in &FAMILIES {
        let topology = family.topology;
        let own = family
            .least
            .iter()
            .copied()
            .chain([("minimal-adaptive", 1)]);
        let has_none = |name: &str| name.split(',').any(|word| WITHOUT.contains(&word));
        let own: Vec<_> = own.filter(|(name, _)| !has_none(name)).collect();
        let mut names = Vec::new();
        let mut series = Vec::new();
        for (escape, lower) in escapes(topology) {
            for &(algorithm, vcs) in &own {
                names.push((algorithm, escape));
                series.push(over(topology, lower + vcs, algorithm, escape));
            }
        }
        if series.is_empty() {
            continue;
        }
        let proofs = Proofs::of(series);
        assert_eq!(proofs.exit_code, 0, "{topology}");
        for ((algorithm, escape), proof) in names.iter().zip(&proofs.each) {
            let name = format!("{algorithm} over {escape} on {topology}");
            assert_eq!(proof["deadlock_free"], true, "{name}: {proof}");
            assert_eq!(proof["reaches_every_pair"], true, "{name}");
            assert!(proof["escape_vertices"].as_u64() > Some(0), "{name}");
            // Where shortest paths have an order of their own, as those that are proved alone: whoever
            // enters the escape stays there.
            let is_free_alone = *algorithm != "minimal-adaptive" || is_acyclic(topology);
            let method = match is_free_alone {
                true => "acyclic-cdg",
                false => "acyclic-extended-cdg",
            };
            assert_eq!(proof["method"], method, "{name}");
        }
    }
}

/// The rule that is removed is the escape: what is left of minimal-adaptive closes a cycle, with as
/// many virtual channels and with one fewer.
#[test]
fn minimal_adaptive_is_refused_without_the_escape() {
    for family in &FAMILIES {
        let topology = family.topology;
        for (escape, lower) in escapes(topology) {
            let proofs = Proofs::of([
                Series::new(topology, lower + 1, "minimal-adaptive"),
                over(topology, lower, "minimal-adaptive", escape),
            ]);
            let name = format!("{escape} on {topology}");
            let fewer = proofs.each[1]["reason"].as_str().expect(&name);
            let needed = format!("needs at least {} virtual channels", lower + 1);
            assert!(fewer.contains(&needed), "{name}: {fewer}");
            assert_eq!(proofs.each[1]["deadlock_free"], false, "{name}");
            if is_acyclic(topology) {
                assert_eq!(proofs.each[0]["deadlock_free"], true, "{name}");
                assert!(fewer.contains("another algorithm"), "{name}: {fewer}");
                continue;
            }
            for proof in &proofs.each {
                assert_eq!(proof["deadlock_free"], false, "{name}");
                assert!(strings(&proof["cycle"]).len() >= 3, "{name}: {proof}");
            }
        }
    }
}

#[test]
fn express_cubes_of_every_make_have_an_escape() {
    for topology in express_cubes() {
        let proofs = Proofs::of([
            over(&topology, 2, "express", "up-down"),
            over(&topology, 2, "minimal-adaptive", "up-down"),
            over(&topology, 1, "express", "up-down"),
            over(&topology, 1, "minimal-adaptive", "up-down"),
            Series::new(&topology, 2, "minimal-adaptive"),
        ]);
        let free = |proof: &Value| proof["deadlock_free"] == true;
        let free: Vec<bool> = proofs.each.iter().map(free).collect();
        assert_eq!(free, [true, true, false, false, false], "{topology}");
        for proof in &proofs.each[3..] {
            assert!(strings(&proof["cycle"]).len() >= 3, "{topology}: {proof}");
        }
    }
}

/// A ring of links where a table sends everything the same way round, and a list of routes that does:
/// refused alone, proved over an escape that leads both ways.
#[test]
fn tables_and_routes_that_go_round_are_proved_over_an_escape() {
    let folder = tempfile::tempdir().unwrap();
    let mut channels = "from,to\n".to_owned();
    let mut table = "at,destination,next\n".to_owned();
    let mut routes = "source,destination,next\n".to_owned();
    for at in 0..5 {
        let next = (at + 1) % 5;
        channels += &format!("n{at},n{next}\nn{next},n{at}\n");
        for hops in 1..5 {
            let to = (at + hops) % 5;
            table += &format!("n{at},n{to},n{next}\n");
            for hop in 1..=hops {
                routes += &format!("n{at},n{to},n{}\n", (at + hop) % 5);
            }
        }
    }
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("ring.csv", &channels);
    write("table.csv", &table);
    write("source.csv", &routes);
    for algorithm in ["table", "source"] {
        let verify = |vcs, escape: &str| {
            let series = Series {
                routing: format!("path = '{algorithm}.csv'\n{escape}"),
                ..Series::new("kind = 'file'\npath = 'ring.csv'", vcs, algorithm)
            };
            write("a.toml", &series.alone());
            let output = flitsim(folder.path(), &["verify", "a.toml", "--format", "json"]);
            (exit_code(&output), json_of(&output.stdout).expect("JSON"))
        };
        let escape = "escape = 'up-down'";
        let (code, proof) = verify(2, escape);
        assert_eq!(code, 0, "{algorithm}: {proof}");
        assert_eq!(proof["method"], "acyclic-extended-cdg");
        for (vcs, escape) in [(2, ""), (1, escape)] {
            let (code, proof) = verify(vcs, escape);
            assert_eq!(code, 1, "{algorithm}: {proof}");
            assert_eq!(strings(&proof["cycle"]).len(), 5, "{algorithm}: {proof}");
        }
    }
}

/// Atomic, non-atomic or neither, wormhole or whole packets, with and without a cycle for the escape
/// to break: `verify` passes what `run` and `sweep` simulate, and nothing else.
#[test]
fn verify_and_run_and_sweep_agree_on_reallocation() {
    let line = "kind = 'mesh'\nradices = [5]";
    let mesh = "kind = 'mesh'\nradices = [3, 3]";
    let tree = "kind = 'butterfly-fat-tree'\nprocessors = 16";
    let wormhole = "vc_reallocation = 'non-atomic'";
    let whole = "vc_reallocation = 'non-atomic'\nflow_control = 'virtual-cut-through'";
    let atomic = "vc_reallocation = 'atomic'";
    let cases = [
        (Series::new(line, 2, "duato"), wormhole, true),
        (Series::new(mesh, 2, "duato"), wormhole, false),
        (Series::new(mesh, 2, "duato"), whole, true),
        (Series::new(mesh, 2, "duato"), atomic, true),
        (Series::new(tree, 4, "enhanced-nbc"), wormhole, true),
        (Series::new(mesh, 4, "enhanced-nbc"), wormhole, false),
        (
            over(mesh, 2, "minimal-adaptive", "up-down"),
            wormhole,
            false,
        ),
        (over(tree, 2, "minimal-adaptive", "up-down"), wormhole, true),
        (over(mesh, 2, "odd-even", "up-down"), wormhole, true),
        (over(mesh, 2, "odd-even", "up-down"), "", true),
        (Series::new(mesh, 1, "minimal-adaptive"), wormhole, false),
        (Series::new(mesh, 1, "duato"), wormhole, false),
    ];
    for (series, router, is_free) in cases {
        let folder = tempfile::tempdir().unwrap();
        let series = Series {
            router: router.to_owned(),
            ..series
        };
        let text = format!(
            "{}[measure]\nrelative_error = 0.3\nmax_cycles = 2_000\n[sweep]\nload = [0.05]\n",
            series.alone()
        );
        fs::write(folder.path().join("a.toml"), text).unwrap();
        let code = |command: &str| exit_code(&flitsim(folder.path(), &[command, "a.toml"]));
        let codes = ["verify", "run", "sweep"].map(code);
        let expected = match is_free {
            true => [0, 0, 0],
            false => [1, 2, 2],
        };
        let name = format!("{} on {}: {router}", series.algorithm, series.topology);
        assert_eq!(codes, expected, "{name}");
    }
}
