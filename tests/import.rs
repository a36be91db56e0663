//! Configurations of BookSim2 as scenarios: what is written says what was read, and runs; what cannot be said
//! is refused with its line.

use flitsim::diagnostic::render;
use flitsim::proof::ProvedPlan;
use flitsim::scenario::booksim::import;
use flitsim::scenario::{Overrides, Plan};
use flitsim_engine::{BufferSharing, InputArbiter, Matching, MatchingStart, PimDraw};
use flitsim_topology::ChannelId;
use std::path::Path;
use std::process::Command;

pub(crate) const BASE: &str =
    "topology = mesh;\nk = 4;\nn = 2;\nrouting_function = dor;\nnum_vcs = 2;\n";

pub(crate) fn imported(text: &str, overrides: &[&str]) -> Result<String, String> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let scenario = import(Path::new("a.cfg"), text, &overrides, Path::new(""));
    let text = scenario.map(|imported| imported.text);
    text.map_err(|error| render(&error, false))
}

/// The scenario, which reads and is proved.
pub(crate) fn plan(text: &str, overrides: &[&str]) -> Plan {
    let scenario = imported(text, overrides).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::parse(Path::new("a.toml"), scenario.clone(), Overrides::default());
    let plan = plan.unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    ProvedPlan::prove(plan.clone(), false, &|_, _| {}, |_| {}).unwrap_or_else(|e| panic!("{e}"));
    plan
}

#[test]
fn a_configuration_becomes_a_scenario_that_says_the_same() {
    let text = std::fs::read_to_string("scenarios/booksim/torus.cfg").unwrap();
    let plan = plan(&text, &["num_vcs=2", "injection_rate=0.05"]);
    let series = &plan.series[0];
    let router = &series.engine;
    assert_eq!((router.virtual_channels, router.buffer_flits), (2, 8));
    assert_eq!(series.network.nodes(), 64);
    assert_eq!(series.loads[0].flits, 0.05);
    assert_eq!(series.traffic.length.mean_flits(), 4.0);
    assert!(router.speculative && router.pipeline.is_some_and(|stages| stages.routing == 0));
}

#[test]
fn defaults_are_those_of_booksim() {
    let plan = plan("routing_function = dim_order;", &[]);
    let series = &plan.series[0];
    // An 8-ary 2-cube with 16 virtual channels of 8 flits; a tenth of a packet of one flit.
    assert_eq!(series.network.nodes(), 64);
    assert_eq!(
        (series.engine.virtual_channels, series.engine.buffer_flits),
        (16, 8)
    );
    assert_eq!(series.loads[0].flits, 0.1);
    assert_eq!(series.load_unit, "packets/node/cycle");
}

#[test]
fn lists_give_their_first_class_and_two_lengths_their_mean() {
    let two = format!(
        "{BASE}packet_size = {{{{1,5}}}};\npacket_size_rate = {{{{3,1}}}};\ninjection_rate = {{0.1,0.9}};"
    );
    let series = &plan(&two, &[]).series[0];
    assert_eq!(series.traffic.length.mean_flits(), 2.0);
    assert!((series.loads[0].flits - 0.2).abs() < 1e-12);
    // A rate too many is not read, and of two rates of zero nothing comes.
    let more = format!("{BASE}packet_size = {{{{1,5}}}};\npacket_size_rate = {{{{1,1,9}}}};");
    assert_eq!(plan(&more, &[]).series[0].traffic.length.mean_flits(), 3.0);
    let none = format!("{BASE}packet_size = {{{{1,5}}}};\npacket_size_rate = {{{{0,0}}}};");
    assert!(imported(&none, &[]).is_err_and(|said| said.contains("a rate above zero")));
    let same = format!("{BASE}packet_size = {{{{4,4}}}};\ntraffic = {{uniform}};");
    assert_eq!(plan(&same, &[]).series[0].traffic.length.mean_flits(), 4.0);
    // Without the second pair of braces they are those of two classes, and there is one.
    let one = format!("{BASE}packet_size = {{3,5}};");
    assert_eq!(plan(&one, &[]).series[0].traffic.length.mean_flits(), 3.0);
    let bursts =
        format!("{BASE}injection_process = on_off;\nburst_alpha = 0.02;\nburst_beta = 0.1;");
    assert_eq!(plan(&bursts, &[]).series.len(), 1);
    let told = |process: &str| {
        let text = format!("{BASE}burst_beta = 0.1;\ninjection_process = {process};");
        let text = imported(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        text.contains("idle_cycles = 50") && text.contains("burst_cycles = 10")
    };
    assert!(told("on_off({0.02,0.1})") && told("on_off(0.02)"));
}

#[test]
fn what_would_be_refused_as_a_scenario_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let config = format!("{BASE}injection_rate = 0.2;\npacket_size = 20;");
    std::fs::write(folder.path().join("a.cfg"), config).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(["import", "booksim", "a.cfg", "-o", "a.toml"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for told in [" --> a.cfg:6:1\n", "as a scenario: `load = [0.2] # "] {
        assert!(said.contains(told), "{said}");
    }
    assert!(!folder.path().join("a.toml").exists());
}

#[test]
fn a_stage_may_be_named_either_way() {
    let router = |rest: &str| plan(&format!("{BASE}{rest}"), &[]).series[0].engine.clone();
    let one = router("st_prepare_delay = 1;\nst_final_delay = 0;");
    assert_eq!(one, router(""));
}

#[test]
fn buffers_are_shared_as_there() {
    let of = |rest: &str| {
        let router = plan(&format!("{BASE}{rest}"), &[]).series[0].engine.clone();
        (router.buffer_flits, router.buffer_sharing)
    };
    let dynamic = |reserve| BufferSharing::Dynamic { reserve };
    let shared = "buffer_policy = shared;\n";
    assert_eq!(of("buf_size = 24;"), (12, BufferSharing::Private));
    assert_eq!(of(shared), (8, dynamic(1)));
    let some = format!("{shared}buf_size = 24;\nprivate_buf_size = 3;");
    assert_eq!(of(&some), (12, dynamic(3)));
    let all = format!("{shared}private_buf_size = -1;");
    assert_eq!(of(&all), (8, BufferSharing::Private));
}

/// The mistakes that are made most, and what cannot be said: each is refused at its line.
#[test]
fn what_is_wrong_or_cannot_be_said_is_refused_with_its_line() {
    let cases = [
        ("k = 8", "without a `;`"),
        ("k 8;", "assigns nothing"),
        ("k = ;", "has no value"),
        ("num_vc = 4;", "did you mean `num_vcs`?"),
        ("virtual_channels = 4;", "BookSim2 has no key"),
        ("injection_rate = 1;", "does not take a whole number"),
        ("num_vcs = 4.0;", "does not take a number with a point"),
        ("traffic = 3;", "does not take a whole number"),
        ("topology = \"mesh\";", "not one value"),
        ("internal_speedup = 2;", "does not take a whole number"),
        ("internal_speedup = 1.5;", "a whole number from 1.0 to 64.0"),
        ("input_speedup = 0;", "it must be 1 at least"),
        ("output_speedup = 0;", "it must be 1 at least"),
        ("topology = qtree;", "`topology = fattree;`"),
        ("topology = dragonfly;", "`topology = dragonflynew;`"),
        ("topology = mesch;", "not written as a scenario"),
        ("routing_function = valiant;", "`algorithm = \"valiant\"`"),
        ("routing_function = none;", "has to be named"),
        ("num_vcs = 3;\nrouting_function = xy_yx;", "in the middle"),
        ("num_vcs = 1;\nrouting_function = romm;", "in the middle"),
        ("n = 3;\nrouting_function = xy_yx;", "`n = 2;`"),
        ("vc_allocator = loa;", "no like of this allocator"),
        ("arb_type = prio;", "no like of this arbiter"),
        ("use_read_write = 1;", "`use_read_write = 0;`"),
        ("classes = 2;", "one class of traffic"),
        ("priority = age;", "oldest-first"),
        ("buffer_policy = limited;", "`buffer_policy = shared;`, or"),
        (
            "private_buf_size = 0;\nbuffer_policy = shared;",
            "one number from 1 to 8",
        ),
        (
            "private_buf_size = 9;\nbuffer_policy = shared;",
            "one number from 1 to 8",
        ),
        (
            "private_buf_size = {1,2};\nbuffer_policy = shared;",
            "one number from 1 to 8",
        ),
        (
            "private_bufs = 1;\nbuffer_policy = shared;",
            "`private_bufs = -1;`",
        ),
        (
            "buf_size = 33;\nbuffer_policy = shared;",
            "a multiple of `num_vcs`",
        ),
        ("buf_size = 0;", "a multiple of `num_vcs`"),
        ("measure_stats = {0};", "`measure_stats = 1;`"),
        ("st_prepare_delay = 1;", "a stage of several cycles"),
        ("sim_type = batch;", "batches are not written"),
        ("traffic = hotspot({0,1},{1,2});", "a rate is no number"),
        ("traffic = hotspot(0,1);", "no nodes are named"),
        ("injection_process = on_off(0.1,0.2);", "are no list"),
        ("injection_process = on_off({a,0.2});", "are no list"),
        ("traffic = hotspot({16});", "are not there"),
        ("traffic = bad_dragon;", "for dragonflies"),
        (
            "traffic = bitcomplement;",
            "BookSim2 has no pattern of this name",
        ),
        ("traffic = randperms;", "`traffic = randperm;`"),
        (
            "k = 2;\ntopology = torus;\nrouting_function = dim_order;",
            "two channels each way",
        ),
        ("seed = time;", "the clock is no seed"),
        ("subnets = 2;", "one network"),
        ("injection_rate = 0.0;", "it is no load"),
        ("injection_process = poisson;", "there is no such process"),
        ("num_vcs = 0;", "it must be 1 at least"),
        ("link_failures = 3;", "`[faults]`"),
        ("vc_alloc_delay = 2;", "one at a time"),
        ("st_final_delay = 2;", "one at a time"),
    ];
    for (text, wanted) in cases {
        let whole = format!("// a mesh\n{BASE}{text}\n");
        let said = imported(&whole, &[]).expect_err(text);
        assert!(said.contains(wanted), "{text}: {said}");
        assert!(said.contains("a.cfg:7:1"), "{text}: {said}");
        let on_line = text.trim_end_matches(';');
        if !on_line.contains('\n') {
            let said = imported(BASE, &[on_line]).err();
            // The program puts the missing `;` there itself.
            assert_eq!(said.is_some(), text.ends_with(';'), "{text}");
        }
    }
    // All at once.
    let said = imported(
        &format!("{BASE}kk = 1;\nsubnets = 2;\npriority = age;\n"),
        &[],
    )
    .unwrap_err();
    assert!(said.contains("3 errors"), "{said}");
}

/// Terminals are ports of the routers that they share, on wires as BookSim2 lays them out.
#[test]
fn networks_of_shared_routers_have_ports() {
    let grid = "k = 4;\nn = 2;\nc = 4;\nx = 4;\ny = 4;\nxr = 2;\nyr = 2;\n";
    for (topology, routing, size, nodes, wire) in [
        ("cmesh", "dor_no_express", grid, 64, 1),
        ("flatfly", "ran_min", grid, 64, 5),
        ("fly", "dest_tag", "k = 2;\nn = 3;\n", 8, 0),
        ("fattree", "nca", "k = 4;\nn = 2;\n", 16, 0),
    ] {
        let text =
            format!("topology = {topology};\nrouting_function = {routing};\n{size}num_vcs = 4;\n");
        let series = &plan(&text, &[]).series[0];
        let router = &series.engine;
        assert_eq!(series.network.terminals(), nodes, "{text}");
        assert!(router.terminal_ports && router.ejection_vcs == 0, "{text}");
        let channels = (0..series.network.channels()).map(ChannelId);
        let ports = channels.clone().filter(|&channel| {
            router.is_to_port(&series.network, channel)
                || router.is_from_port(&series.network, channel)
        });
        assert!(
            ports
                .clone()
                .all(|channel| router.channel_delay_of(channel) == 0)
        );
        assert_eq!(ports.count() as u32, 2 * nodes, "{text}");
        let longest = channels
            .map(|channel| router.channel_delay_of(channel))
            .max();
        assert_eq!(longest, Some(wire), "{text}");
        for (wrong, wanted) in [
            ("routing_function = none;", "has to be named"),
            ("routing_function = chaos;", "no routing of this name"),
            ("traffic = tornado({3,1});", "several nodes send"),
            ("yr = 3;", "BookSim2 ends with a failed assertion"),
            ("c = 9;", ""),
        ] {
            let said = imported(&format!("{text}{wrong}"), &[]);
            let is_idle = wrong.starts_with("yr") && ["fly", "fattree"].contains(&topology);
            assert_eq!(said.is_ok(), is_idle, "{text}{wrong}");
            assert!(
                is_idle || said.unwrap_err().contains(wanted),
                "{text}{wrong}"
            );
        }
    }
}

#[test]
fn a_flattened_butterfly_of_a_terminal_each_has_its_ends_in_its_routers() {
    let text = "topology = flatfly;\nrouting_function = ran_min;\nk = 3;\nn = 2;\nx = 3;\ny = 3;\nnum_vcs = 2;\n";
    let router = &plan(text, &[]).series[0].engine;
    assert!(!router.terminal_ports && router.ejection_vcs == 2);
    for wrong in ["routing_function = none;", "traffic = taper64;"] {
        assert!(imported(&format!("{text}{wrong}"), &[]).is_err());
    }
}

/// Two routers with two nodes each, 4 cycles apart one way.
#[test]
fn any_network_has_its_file() {
    let text = "topology = anynet;\nrouting_function = min;\nnetwork_file = pair;\n";
    let scenario = imported(text, &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = "router 0 node 0 node 1 router 1 4\nrouter 1 node 2 node 3\n";
    std::fs::write(folder.path().join("pair"), file).unwrap();
    let path = folder.path().join("pair.toml");
    std::fs::write(&path, scenario).unwrap();
    let plan = Plan::read(&path, Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
    ProvedPlan::prove(plan.clone(), false, &|_, _| {}, |_| {}).unwrap_or_else(|e| panic!("{e}"));
    let series = &plan.series[0];
    assert!(series.engine.terminal_ports);
    assert_eq!(
        (series.network.terminals(), series.network.channels()),
        (4, 10)
    );
    let delays = (0..10).map(|channel| series.engine.channel_delay_of(ChannelId(channel)));
    let mut delays: Vec<u32> = delays.collect();
    delays.sort_unstable();
    assert_eq!(delays, [0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    let said = imported("topology = anynet;\nrouting_function = min;\n", &[]);
    assert!(said.unwrap_err().contains("has its file"));
}

/// Written elsewhere, a scenario names the file beside the configuration with its whole path.
#[test]
fn a_network_file_is_found_from_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("pair");
    std::fs::write(&beside, "router 0 node 0 router 1\nrouter 1 node 1\n").unwrap();
    let text = "topology = anynet;\nrouting_function = min;\nnetwork_file = pair;\n";
    let file = folder.path().join("a.cfg");
    let into = |into: &Path| import(&file, text, &[], into).unwrap().text;
    let whole = format!("path = {:?}", beside.to_str().unwrap());
    assert!(into(folder.path()).contains("path = \"pair\""));
    assert!(into(&folder.path().join("else")).contains(&whole));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_configuration() {
    let marked = format!("\u{feff}{BASE}");
    assert_eq!(imported(&marked, &[]), imported(BASE, &[]));
    let wrong = imported(&format!("\u{feff}k 8;\n{BASE}"), &[]);
    assert!(wrong.unwrap_err().contains("a.cfg:1:1\n"));
}

#[test]
fn allocators_have_their_names() {
    let text = format!("{BASE}vc_allocator = wavefront;\nsw_allocator = max_size;");
    let router = &plan(&text, &[]).series[0].engine;
    let both = (router.vc_allocator, router.switch_allocator);
    assert_eq!(both, (Some(Matching::Wavefront), Some(Matching::Maximum)));
    // Each begins where BookSim2's does.
    let [longest, moves_on] = [MatchingStart::LongestWaiting, MatchingStart::Rotating];
    let [any, start] = [PimDraw::Uniform, PimDraw::Start];
    for (allocators, starts) in [
        ("", (longest, longest, any)),
        (
            "vc_allocator = wavefront; sw_allocator = max_size;",
            (moves_on, moves_on, any),
        ),
        ("sw_allocator = wavefront;", (moves_on, longest, any)),
        ("vc_allocator = pim;", (longest, longest, start)),
    ] {
        let router = &plan(&format!("{BASE}{allocators}"), &[]).series[0].engine;
        assert_eq!(router.input_arbiter, InputArbiter::RoundRobin);
        assert_eq!((router.wavefront, router.maximum, router.pim), starts);
    }
}

/// Where ways in and out differ from BookSim2's it says so, and only there.
#[test]
fn what_can_differ_is_told() {
    let notes = |text: &str| {
        let text = format!("{BASE}{text}");
        let imported = import(Path::new("a.cfg"), &text, &[], Path::new(""));
        imported.map_or_else(|error| panic!("{error:?}"), |imported| imported.notes)
    };
    for (settings, told) in [
        ("speculative = 1;", None),
        (
            "routing_function = min_adapt;",
            Some("goes in dimension order"),
        ),
        ("vc_allocator = pim;\nsw_allocator = pim;", None),
        ("sw_allocator = max_size;\nspeculative = 1;", None),
        ("output_speedup = 2;", Some("Ports have other numbers")),
        ("num_vcs = 3;\ninput_speedup = 2;", Some("some go oftener")),
        (
            "sw_allocator = max_size;\noutput_speedup = 2;",
            Some("never matches ways out"),
        ),
    ] {
        let said = notes(settings);
        assert_eq!(said == notes(""), told.is_none(), "{settings}: {said:?}");
        let is_told = told.is_none_or(|told| said.iter().any(|note| note.contains(told)));
        assert!(is_told, "{settings}: {said:?}");
    }
}

#[test]
fn what_has_no_effect_is_no_matter() {
    let idle = "x = 4; watch_out = -; print_activity = 1; sample_period = 7; hold_switch_for_packet = 1;\n\
        read_request_end_vc = 3; sim_power = 1; vc_allocator = islip; seed = 5;";
    let series = &plan(&format!("{BASE}{idle}"), &[]).series[0];
    assert_eq!(series.engine.virtual_channels, 2);
    // These two are on above 0 (`iq_router.cpp`).
    let below = "speculative = -1; hold_switch_for_packet = -1; vct = 1; output_delay = 1; private_bufs = 2;\
        measure_stats = {1}; max_held_slots = 3;";
    let as_default = |text: &str| plan(&format!("{BASE}{text}"), &[]).series[0].engine.clone();
    assert_eq!(as_default(below), as_default(""));
}

/// What stands in parentheses counts, and neither `alloc_iters` nor `arb_type`, which BookSim2's router does not read.
#[test]
fn allocators_count_what_stands_in_parentheses() {
    let said = |text: &str| imported(&format!("{BASE}{text}"), &[]);
    for (text, wanted) in [
        ("", ["islip_iterations = 1 ", "arbiter = \"round-robin\""]),
        (
            "vc_allocator = islip(2);\nsw_allocator = islip(2);\nalloc_iters = 3;",
            ["islip_iterations = 2 ", "reads neither `alloc_iters`"],
        ),
        (
            "vc_allocator = wavefront;\nsw_allocator = islip(3);",
            ["vc_allocator = \"wavefront\"", "islip_iterations = 3 "],
        ),
        (
            "vc_allocator = separable_input_first(matrix);\nsw_allocator = separable_output_first(matrix);",
            ["arbiter = \"matrix\"", "islip_iterations = 1 "],
        ),
        (
            "vc_allocator = pim(2);\nsw_allocator = islip(2);",
            ["vc_allocator = \"pim\"", "islip_iterations = 2 "],
        ),
        (
            "sw_allocator = separable_input_first(matrix);",
            ["arbiter = \"matrix\"", "vc_allocator = \"islip\""],
        ),
        (
            "vc_allocator = separable_input_first;\nsw_allocator = islip;\narb_type = matrix;",
            ["arbiter = \"round-robin\"", "nor `arb_type`"],
        ),
    ] {
        let scenario = said(text).unwrap_or_else(|error| panic!("{error}"));
        for wanted in wanted {
            assert!(scenario.contains(wanted), "{text}: {scenario}");
        }
    }
    for (text, wanted) in [
        ("sw_allocator = islip(2);", "one number of iterations"),
        (
            "sw_allocator = separable_input_first(matrix);\nvc_allocator = separable_input_first;",
            "one arbiter here",
        ),
        ("sw_allocator = islip(0);", "of so many iterations"),
        ("vc_allocator = pim(65);", "of so many iterations"),
        (
            "vc_allocator = separable_input_first(tree);",
            "no like of this arbiter",
        ),
    ] {
        let error = said(text).expect_err(text);
        assert!(
            error.contains(wanted) && error.contains("a.cfg:6:1"),
            "{text}: {error}"
        );
    }
}

#[test]
fn hot_spots_are_written_where_they_are_as_hot_as_each_other() {
    for (text, nodes) in [
        ("{0}", "[0]"),
        ("3", "[3]"),
        ("{0,9}", "[0]"),
        ("{{0,9}}", "[0, 9]"),
        ("{{0,5},{2,2}}", "[0, 5]"),
        ("{{0,5},3}", "[0, 5]"),
    ] {
        let text = format!("{BASE}traffic = hotspot({text});\ninjection_rate = 0.01;");
        let scenario = imported(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(scenario.contains(&format!("nodes = {nodes}")), "{scenario}");
        assert_eq!(plan(&text, &[]).series.len(), 1);
    }
}
