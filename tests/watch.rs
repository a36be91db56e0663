//! `flitsim watch`: what it shows of a moment, against `tests/golden/watch.txt` (`UPDATE=1` writes it),
//! and that what it simulates does not depend on how it is looked at.

use flitsim::proof::ProvedPlan;
use flitsim::scenario::{Load, Overrides, Plan};
use flitsim::watch::{Control, Heading, Map, Moment, Simulation, Stopped, Tone, View, render};
use flitsim_engine::EngineConfig;
use flitsim_topology::{Ends, FatTree, FatTreeKind, Grid, Network};
use std::fs;
use std::path::Path;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/watch.txt");

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/watch.md");

/// A moment of `network` in which every number can be told from the others.
fn moment(network: &Network) -> Moment {
    let channels = (0..network.channels()).map(|channel| (channel * 7 % 21) as f32 / 20.0);
    let nodes = 0..network.nodes();
    let wave = |i: u32| f64::from(i % 9) / 20.0;
    Moment {
        cycle: 12_345,
        cycles: 384,
        offered: 0.3021,
        accepted: 0.2987,
        latency: Some(27.44),
        accepted_history: (0..48).map(wave).collect(),
        latency_history: (0..48)
            .map(|i| (i > 2).then(|| 20.0 + 10.0 * wave(i)))
            .collect(),
        under_way: 41,
        used: channels.collect(),
        buffered: nodes.clone().map(|node| node * 11 % 130).collect(),
        queued: nodes.map(|node| node % 5).collect(),
        stopped: None,
    }
}

fn text_of(network: &Network, moment: &Moment, control: Control, size: (u16, u16)) -> String {
    let heading = Heading {
        title: "first-curve: torus (1 of 2)  torus:radix=4,dimensions=2  dimension-order"
            .to_owned(),
        load_unit: "flits/node/cycle".to_owned(),
    };
    let map = Map::of(network);
    let view = View {
        heading: &heading,
        network,
        config: &EngineConfig::default(),
        map: map.as_ref(),
        moment,
        control,
        load: 0.3,
        message: None,
    };
    let screen = render(&view, size.0, size.1);
    assert_eq!((screen.width(), screen.height()), size);
    screen.to_text()
}

fn grid(radices: &[u32], ends: Ends) -> Network {
    Grid::new(radices, ends).expect("a grid").into_network()
}

#[test]
fn the_screens_are_as_recorded() {
    let torus = grid(&[4, 4], Ends::Ring);
    let large = grid(&[40, 32], Ends::Open);
    let tree = FatTree::new(16, FatTreeKind::Butterfly)
        .expect("a tree")
        .into_network();
    let queues = {
        let mut control = Control::default();
        let key = crossterm::event::KeyCode::Char('v');
        control.press(crossterm::event::KeyEvent::from(key));
        control
    };
    let first = Control::default();
    let running = |network| (network, moment(network));
    let deadlocked = Moment {
        stopped: Some(Stopped::Deadlock(
            "deadlock by cycle 1024: 4 of the packets in the network wait on one another for \
             ever, round 4 channels: 0->1#0, 1->5#0, 5->4#0, 4->0#0"
                .to_owned(),
        )),
        ..moment(&torus)
    };
    let mut text = String::new();
    for (name, (network, moment), control, size) in [
        ("a torus in full", running(&torus), first, (80, 24)),
        ("its source queues", running(&torus), queues, (80, 24)),
        ("no room for the full map", running(&torus), first, (80, 12)),
        ("a narrow terminal", running(&torus), first, (30, 20)),
        ("hardly a terminal", running(&torus), first, (12, 3)),
        ("a large mesh in blocks", running(&large), first, (60, 24)),
        ("a network without a map", running(&tree), first, (80, 28)),
        ("without room for lists", running(&tree), first, (60, 13)),
        ("a deadlock", (&torus, deadlocked), first, (80, 24)),
    ] {
        text += &format!("== {name}, {} by {}\n", size.0, size.1);
        text += &text_of(network, &moment, control, size);
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(GOLDEN, &text).expect("the golden screens are written");
    }
    let page = fs::read_to_string(PAGE).expect("the page on it");
    let first = text
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with("=="));
    for line in first.filter(|line| !line.is_empty()) {
        assert!(
            page.lines().any(|shown| shown == line),
            "{PAGE} does not show {line:?}"
        );
    }
    let golden = fs::read_to_string(GOLDEN).expect("the golden screens are there");
    assert!(text == golden, "the screens differ from {GOLDEN}:\n{text}");
}

#[test]
fn no_size_is_too_small() {
    for network in [grid(&[8, 8], Ends::Ring), grid(&[3, 3, 3], Ends::Ring)] {
        let moment = moment(&network);
        for width in 0..50 {
            for height in 0..20 {
                text_of(&network, &moment, Control::default(), (width, height));
            }
        }
    }
}

/// A heat that has no character of its own would be lost without colours.
#[test]
fn every_heat_has_a_character() {
    let network = grid(&[8, 8], Ends::Ring);
    let heading = Heading {
        title: String::new(),
        load_unit: String::new(),
    };
    let (moment, map) = (moment(&network), Map::of(&network));
    let view = View {
        heading: &heading,
        network: &network,
        config: &EngineConfig::default(),
        map: map.as_ref(),
        moment: &moment,
        control: Control::default(),
        load: 0.3,
        message: None,
    };
    let screen = render(&view, 80, 30);
    let mut seen = [false; 10];
    for (x, y) in (0..30).flat_map(|y| (0..80).map(move |x| (x, y))) {
        let Some(Tone::Heat(step)) = screen.cell(x, y).map(|cell| cell.tone) else {
            continue;
        };
        seen[usize::from(step)] = true;
        // A number is two columns wide, and its first may be empty.
        let shown = [x, x + 1].map(|x| screen.cell(x, y).map_or(' ', |cell| cell.character));
        assert!(shown != [' ', ' '], "nothing at column {x} of row {y}");
    }
    assert_eq!(seen, [true; 10]);
}

fn scenario(routing: &str) -> Plan {
    let text = format!(
        "[topology]\nkind = \"torus\"\nradix = 8\ndimensions = 2\n{routing}\n[sweep]\nload = 0.3\n"
    );
    let overrides = Overrides {
        allow_deadlock: true,
        ..Overrides::default()
    };
    Plan::parse(Path::new("watched.toml"), text, overrides).expect("a plan")
}

fn watching<T>(plan: Plan, then: impl FnOnce(&mut Simulation<'_>) -> T) -> T {
    let plan = ProvedPlan::prove(plan, true, &|_, _| {}, |_| {}).expect("allowed");
    let series = plan.proved_series().next().expect("a series");
    let simulation = Simulation::new(&series, series.loads[0], plan.seed);
    then(&mut simulation.expect("it is simulated"))
}

#[test]
fn what_happens_does_not_depend_on_how_often_it_is_looked_at() {
    let at_once = watching(scenario(""), |watched| {
        watched.advance(700);
        watched.moment()
    });
    let step_by_step = watching(scenario(""), |watched| {
        for _ in 0..700 {
            watched.advance(1);
            watched.moment();
        }
        watched.moment()
    });
    assert_eq!(at_once, step_by_step);
}

/// Channels carry load times mean distance: 0.3 · 4.0635 hops over 4 channels a node.
#[test]
fn a_moment_is_what_the_network_does() {
    watching(scenario(""), |watched| {
        watched.advance(4_000);
        let moment = watched.moment();
        assert_eq!((moment.cycle, moment.cycles), (4_000, 4_000 % 256 + 256));
        assert_eq!(moment.accepted_history.len(), 4_000 / 256);
        let used = moment.used.iter().sum::<f32>() / moment.used.len() as f32;
        assert!((used - 0.3 * 4.0635 / 4.0).abs() < 0.05, "mean use {used}");
        assert!((moment.accepted - 0.3).abs() < 0.05, "{}", moment.accepted);
        assert!((35.0..60.0).contains(&moment.latency.expect("packets arrive")));
        assert!(moment.under_way > 0 && moment.buffered.iter().any(|&flits| flits > 0));
        let load = |in_unit| Load {
            in_unit,
            flits: in_unit,
        };
        // No load: what is there drains, and nothing comes.
        watched.set_load(load(0.0)).expect("a load");
        watched.advance(1_000);
        let empty = watched.moment();
        assert_eq!((empty.under_way, empty.waiting()), (0, 0));
        assert!(empty.used.iter().all(|&used| used == 0.0));
        assert!(
            empty
                .buffered
                .iter()
                .chain(&empty.queued)
                .all(|&count| count == 0)
        );
        assert_eq!((empty.stopped, empty.accepted), (None, 0.0));
        // Too much of it: queues grow.
        watched.set_load(load(1.0)).expect("a load");
        watched.advance(2_000);
        assert!(watched.moment().waiting() > 100);
        assert!(watched.set_load(load(-1.0)).is_err());
    });
}

#[test]
fn a_deadlock_and_an_end_stop_it() {
    let free = "[routing]\nalgorithm = \"minimal-adaptive\"\n[router]\nvirtual_channels = 1\n";
    let mut plan = scenario(free);
    plan.series[0].loads[0] = Load {
        in_unit: 0.9,
        flits: 0.9,
    };
    watching(plan, |watched| {
        watched.advance(50_000);
        let stopped = watched.moment().stopped;
        let Some(Stopped::Deadlock(sentence)) = stopped else {
            panic!("{stopped:?}");
        };
        assert!(
            sentence.contains("wait on one another for ever"),
            "{sentence}"
        );
        let cycle = watched.moment().cycle;
        watched.advance(10);
        assert!(watched.is_stopped() && watched.moment().cycle == cycle);
    });
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/task-graph.toml");
    let plan = Plan::read(Path::new(trace), Overrides::default()).expect("a plan");
    watching(plan, |watched| {
        watched.advance(1_000_000);
        assert_eq!(watched.moment().stopped, Some(Stopped::AllArrived));
    });
}

#[test]
fn the_command_line_has_a_load_and_a_series() {
    let words = [
        "flitsim", "watch", "a.toml", "--load", "0.4", "--series", "mesh",
    ];
    let matches = flitsim::command_line().try_get_matches_from(words);
    let matches = matches.expect("it parses");
    let (name, watch) = matches.subcommand().expect("a command");
    let series: Option<&String> = watch.get_one("series");
    assert_eq!(
        (name, watch.get_one("load"), series.map(String::as_str)),
        ("watch", Some(&0.4), Some("mesh"))
    );
}
