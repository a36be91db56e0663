//! Every parser, and whole runs, under input that somebody mutated: read or refused in words, and never a panic.
//!
//! Cases are made from what the repository has (`tests/bad_scenarios`, `scenarios`): lines left out, doubled,
//! exchanged and taken from other files, values replaced by odd ones, bytes changed. A case depends on its target
//! and its number alone. `FLITSIM_FUZZ_CASES` (default 150, and 1,500 with `FLITSIM_TESTS=all`) of each target are
//! run from `FLITSIM_FUZZ_FIRST` (default 0) on; a failure names its case. Hours of them, and of whole simulations
//! against the oracle:
//!
//! ```sh
//! FLITSIM_FUZZ_CASES=200000 cargo test --test all fuzz -- --nocapture
//! FLITSIM_ORACLE_CASES=20000 cargo test --release -p flitsim-engine --test all equivalence
//! ```

use crate::bad_scenarios::cases;
use crate::tier;
use flitsim::diagnostic::render;
use flitsim::measurement::{MeasureSettings, Warmup};
use flitsim::proof::ProvedPlan;
use flitsim::results::SweptFolder;
use flitsim::scenario::booksim;
use flitsim::scenario::plan::KeptFile;
use flitsim::scenario::topology::parse_spec;
use flitsim::scenario::{Overrides, Plan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim::sweep::{Options, Silent, into_folder};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than any case takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What stands in place of values, keys and bytes.
const ODD: [&str; 46] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "0.5",
    "1e-300",
    "1e308",
    "-0.0",
    "nan",
    "inf",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e999",
    "true",
    "\"\"",
    "\"auto\"",
    "\"x\"",
    "\"a b\"",
    "\"\\u0000\"",
    "\"é\u{301}\"",
    "[]",
    "[[]]",
    "[0, 1]",
    "[1, \"a\"]",
    "{}",
    "{ kind = \"mesh\" }",
    "{ from = 0, to = 1, steps = 3 }",
    "{ short = 1, long = 3, fraction = 0.5 }",
    "1979-05-27",
    "\"\"\"",
    "'",
    "=",
    "[",
    "]",
    "#",
    ",",
    ";",
    "x",
    "<",
    "&",
    "\u{feff}",
    "\u{202e}",
];

/// Numbers for one case.
struct Chance(u64);

impl Chance {
    /// A number below `most`.
    fn below(&mut self, most: usize) -> usize {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

/// Files of `folder` with one of `endings`.
fn texts(folder: &str, endings: &[&str]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            endings
                .iter()
                .any(|ending| path.extension().is_some_and(|e| e == *ending))
        })
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect()
}

fn scenarios() -> Vec<String> {
    let tables = cases::tables();
    let bad = tables
        .iter()
        .flat_map(|table| &table.cases)
        .map(|case| case.scenario.clone());
    let mut all: Vec<String> = bad.filter(|text| !text.is_empty()).collect();
    for folder in [
        "scenarios",
        "scenarios/topologies",
        "tests/bad_scenarios/good",
    ] {
        all.extend(texts(folder, &["toml"]));
    }
    all
}

/// Files that scenarios name.
fn files() -> Vec<String> {
    let mut all = texts("tests/bad_scenarios/files", &["csv", "graphml"]);
    all.extend(texts("scenarios", &["csv"]));
    all.extend(texts("scenarios/topologies", &["csv"]));
    all
}

/// `text`, changed in one to four places, with lines of `others`.
fn mutated(text: &str, others: &[String], chance: &mut Chance) -> String {
    let mut text = text.to_owned();
    for _ in 0..=chance.below(4) {
        text = match chance.below(6) {
            0..=2 => with_value(&text, chance),
            3 | 4 => with_lines(&text, &chance.one(others), chance),
            _ => with_bytes(text, chance),
        };
    }
    text
}

/// One word, number or text replaced.
fn with_value(text: &str, chance: &mut Chance) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "._-+\"".contains(c);
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|&(at, c)| is_part(c) && !text[..at].chars().next_back().is_some_and(is_part))
        .map(|(at, _)| at)
        .collect();
    let Some(&start) = starts.get(chance.below(starts.len())) else {
        return text.to_owned();
    };
    let end = text[start..]
        .find(|c| !is_part(c))
        .map_or(text.len(), |end| start + end);
    format!("{}{}{}", &text[..start], chance.one(&ODD), &text[end..])
}

/// A line left out, doubled, moved, or taken from `other`.
fn with_lines(text: &str, other: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let theirs: Vec<&str> = other.lines().collect();
    if lines.is_empty() || theirs.is_empty() {
        return other.to_owned();
    }
    let (at, to) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(to, lines[at]),
        2 => lines.swap(at, to),
        3 => lines.insert(to, chance.one(&theirs)),
        _ => {
            lines.truncate(at);
            lines.extend(&theirs[chance.below(theirs.len())..]);
        }
    }
    lines.join("\n") + "\n"
}

/// A few bytes changed; what is no text then is made one.
fn with_bytes(text: String, chance: &mut Chance) -> String {
    let mut bytes = text.into_bytes();
    for _ in 0..=chance.below(3) {
        let at = chance.below(bytes.len());
        match chance.below(3) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << chance.below(8),
            1 => bytes.truncate(at),
            _ => bytes.insert(at, chance.below(256) as u8),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn number(name: &str, default: u64) -> u64 {
    let number = std::env::var(name);
    number.map_or(default, |number| number.parse().expect("a number"))
}

/// The processor time of this thread, where the system tells: a busy machine makes no case long.
fn busy() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = times.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Runs the cases of `target`.
fn fuzz(target: &str, case: impl Fn(&mut Chance)) {
    let first = number("FLITSIM_FUZZ_FIRST", 0);
    let cases = number("FLITSIM_FUZZ_CASES", tier::cases(1500));
    let salt: u64 = target.bytes().map(u64::from).sum();
    let (begun, mut longest) = (Instant::now(), (Duration::ZERO, first));
    for number in first..first + cases {
        let mut chance = Chance(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt);
        // The first numbers are alike.
        for _ in 0..4 {
            chance.below(1);
        }
        let (begun, busy_before) = (Instant::now(), busy());
        let done = catch_unwind(AssertUnwindSafe(|| case(&mut chance)));
        let again = format!("FLITSIM_FUZZ_FIRST={number} FLITSIM_FUZZ_CASES=1, {target}");
        assert!(done.is_ok(), "{again}: a panic, printed above");
        let took = busy()
            .zip(busy_before)
            .map(|(after, before)| after - before);
        let took = took.unwrap_or(begun.elapsed());
        assert!(took < PATIENCE, "{again}: {took:?}");
        longest = longest.max((begun.elapsed(), number));
    }
    let (took, (longest, number)) = (begun.elapsed(), longest);
    println!("{target}: {cases} cases in {took:.1?}, the longest, {number}, in {longest:.1?}");
}

/// Reads `text`, with `file` in place of every file that it names; whatever is wrong can be told.
fn read(text: String, file: Option<&str>) -> Option<Plan> {
    // In a folder that is not there: nothing but `file` is read.
    let path = Path::new("nowhere/a.toml");
    let names = text
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('.'));
    let kept =
        names.map(|name| KeptFile::in_memory(name.to_owned(), file.unwrap_or_default().to_owned()));
    let kept: Vec<KeptFile> = kept.collect();
    match Plan::parse_with(path, text, &kept, Overrides::default()) {
        Ok(plan) => Some(plan),
        Err(error) => {
            assert!(render(&error, false).starts_with("error: "), "{error}");
            None
        }
    }
}

/// Simulates the first point of a small plan for a few cycles.
fn simulate(plan: Plan) {
    let is_small = |plan: &Plan| {
        let mut series = plan.series.iter();
        plan.series.len() <= 8
            && series.all(|one| one.network.nodes() <= 16 && one.loads_auto.is_none())
    };
    if !is_small(&plan) {
        return;
    }
    let seed = plan.seed;
    let plan = ProvedPlan::prove(plan, true, &|_, _| {}, |_| {}).expect("whatever it is");
    let Some(series) = plan.proved_series().next() else {
        return;
    };
    let short = MeasureSettings {
        warmup: Warmup::Cycles(50),
        max_cycles: 300,
        ..series.measure
    };
    let series = series.measured(short, 1);
    let Some(&load) = series.loads.first() else {
        return;
    };
    match simulate_point(&series, load, seed, &NoMonitor) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(point) => {
            let again = simulate_point(&series, load, seed, &NoMonitor).expect("as before");
            assert_eq!(format!("{point:?}"), format!("{again:?}"));
            if let Some(latency) = &point.latency {
                // The mean may be of fewer packets: where some are under way at the end, of those before them.
                let buckets = point.latency_buckets.iter();
                let most: f64 = buckets.map(|of| of.high * of.packets as f64).sum();
                let packets = point.packets_measured as f64;
                assert!(most >= (latency.network_mean - 1e-9) * packets, "{point:?}");
                assert!(
                    latency.sampled <= latency.max && latency.max.is_finite(),
                    "{point:?}"
                );
            }
        }
    }
}

#[test]
fn scenarios_are_read_or_refused() {
    let all = scenarios();
    assert!(all.len() > 250, "{}", all.len());
    fuzz("scenarios", |chance| {
        let text = mutated(&chance.one(&all), &all, chance);
        read(text, None);
    });
}

#[test]
fn files_of_scenarios_are_read_or_refused() {
    let (all, files) = (scenarios(), files());
    let naming: Vec<&String> = all
        .iter()
        .filter(|text| text.contains(".csv\"") || text.contains(".graphml\""))
        .collect();
    assert!(
        naming.len() > 30 && files.len() > 30,
        "{} {}",
        naming.len(),
        files.len()
    );
    fuzz("files", |chance| {
        let file = mutated(&chance.one(&files), &files, chance);
        if let Some(plan) = read(chance.one(&naming).clone(), Some(&file)) {
            simulate(plan);
        }
    });
}

#[test]
fn small_scenarios_run() {
    let small: Vec<String> = scenarios()
        .into_iter()
        .filter(|text| !text.contains(".csv") && read(text.clone(), None).is_some())
        .collect();
    assert!(small.len() > 10, "{}", small.len());
    fuzz("runs", |chance| {
        let mut text = mutated(&chance.one(&small), &small, chance);
        for key in ["radix = ", "dimensions = ", "nodes = ", "processors = "] {
            let line = |line: &str| match line.starts_with(key) {
                true => format!("{key}{}\n", 2 + chance.below(3)),
                false => format!("{line}\n"),
            };
            text = text.lines().map(line).collect();
        }
        if let Some(plan) = read(text, None) {
            simulate(plan);
        }
    });
}

#[test]
fn topologies_in_one_word_are_read_or_refused() {
    let words: Vec<String> = [
        "torus:radix=3,dimensions=2",
        "mesh:radices=8x4x2",
        "star:symbols=4",
        "hypercube:dimensions=3",
        "express-cube:radix=16,dimensions=1,interval=4,levels=2",
        "butterfly-fat-tree:processors=16",
        "fat-pyramid:processors=16",
        "pruned-torus:radix=4,dimensions=3",
        "hyperx:radices=4x4,terminals=2",
        "dragonfly:routers=4,channels=2,terminals=2",
        "slim-fly:order=5",
        "fat-tree:radix=4,levels=2",
        "butterfly:radix=2,levels=3",
        "random-regular:nodes=12,degree=3,seed=1",
        "fully-connected:nodes=5",
        "manhattan-torus:radix=4",
        "file:path=none.csv",
    ]
    .map(str::to_owned)
    .into();
    fuzz("words", |chance| {
        let word = mutated(&chance.one(&words), &words, chance);
        if let Err(error) = parse_spec(word.trim_end()) {
            assert!(render(&error, false).starts_with("error: "), "{error}");
        }
    });
}

#[test]
fn configurations_of_booksim_are_read_or_refused() {
    let mut all = texts("scenarios/booksim", &["cfg"]);
    let foreign = scenarios().into_iter().filter(|text| text.contains(';'));
    all.extend(foreign);
    fuzz("booksim", |chance| {
        let text = mutated(&chance.one(&all), &all, chance);
        let over = [mutated("num_vcs=4", &all[..1], chance)];
        let over = if chance.below(2) == 0 { &over[..] } else { &[] };
        match booksim::import(Path::new("a.cfg"), &text, over, Path::new("")) {
            Ok(imported) => drop(read(imported.text, None)),
            Err(error) => assert!(render(&error, false).starts_with("error: "), "{error}"),
        }
    });
}

#[test]
fn folders_of_results_are_read_or_refused() {
    let memory = Path::new("/dev/shm");
    let folder = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    let out = folder.as_ref().expect("a folder").path().join("out");
    let text = "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 2\n[measure]\nwarmup = 50\n\
        max_cycles = 300\ndetails = [\"channels\"]\n[sweep]\nload = [0.1, 0.2]\n";
    let swept = |existing| {
        let plan = Plan::parse(Path::new("a.toml"), text.to_owned(), Overrides::default())
            .expect("a plan");
        let plan = ProvedPlan::prove(plan, false, &|_, _| {}, |_| {}).expect("it is free");
        let options = Options {
            existing,
            ..Options::default()
        };
        into_folder(plan, &out, options, &Silent)
            .expect("swept")
            .outcome
            .rows
            .len()
    };
    assert_eq!(swept(Options::default().existing), 2);
    let mut paths: Vec<PathBuf> = fs::read_dir(&out)
        .expect("a folder")
        .flatten()
        .map(|e| e.path())
        .collect();
    paths.extend(
        fs::read_dir(out.join("points"))
            .expect("a folder")
            .flatten()
            .map(|e| e.path()),
    );
    paths.retain(|path| path.is_file());
    paths.sort();
    let texts: Vec<String> = paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a text"))
        .collect();
    let manifest = out.join("manifest.json");
    let unsealed = crate::crash::unsealed(&fs::read_to_string(&manifest).expect("a text"));
    fuzz("results", |chance| {
        let which = chance.below(paths.len());
        // Sealed, damage is found by its hash; without, it is read.
        if chance.below(2) == 0 {
            fs::write(&manifest, &unsealed).expect("a file");
        }
        let whole = if paths[which] == manifest {
            &unsealed
        } else {
            &texts[which]
        };
        fs::write(&paths[which], mutated(whole, &texts, chance)).expect("a file");
        match SweptFolder::read(&out, None) {
            Ok(folder) => assert!(folder.rows.len() <= 2),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if chance.below(8) == 0 {
            assert_eq!(swept(flitsim::results::Existing::Resume), 2);
        }
        for (path, text) in paths.iter().zip(&texts) {
            fs::write(path, text).expect("a file");
        }
    });
}
