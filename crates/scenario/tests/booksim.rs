//! The language of BookSim2's configurations: which value holds, and what is told of what it does not take.

use flitsim_scenario::ScenarioError;
use flitsim_scenario::booksim::import;
use std::path::Path;

fn imported(text: &str, overrides: &[&str]) -> Result<String, ScenarioError> {
    // Its default is no routing.
    let overrides = ["routing_function = dim_order"].iter().chain(overrides);
    let overrides: Vec<String> = overrides.map(|&one| one.to_owned()).collect();
    import(Path::new("a.cfg"), text, &overrides, Path::new("")).map(|imported| imported.text)
}

#[test]
fn the_last_assignment_of_each_type_holds_and_overrides_come_last() {
    let text = "// a mesh\nk = 4; k=8; // eight\ninjection_rate = .25;packet_size={1,5};\n packet_size = 3;";
    let scenario = imported(text, &["k=16", "seed=12"]).unwrap();
    for line in [
        "seed = 12",
        "radix = 16 # k",
        "dimensions = 2 # n",
        "load = [0.25] # injection_rate",
        // The number is another value than the list, whose first is that of the only class.
        "packet_flits = 1 # packet_size",
        "pattern = \"uniform\" # traffic",
    ] {
        let is_there = scenario.lines().any(|other| other == line);
        assert!(is_there, "{line}:\n{scenario}");
    }
    let scenario = imported("k = 4; k=8; packet_size = 2; packet_size = 3;", &[]).unwrap();
    assert!(scenario.contains("\nradix = 8 # k\n"), "{scenario}");
    assert!(
        scenario.contains("\npacket_flits = 3 # packet_size\n"),
        "{scenario}"
    );
}

#[test]
fn values_are_told_as_they_were_read_where_they_stand() {
    let text = "// a mesh\nk = 4; k=8; // eight\ninjection_rate = 2.5;packet_size={1,5};";
    let error = imported(text, &["seed=-1"]).unwrap_err();
    let told = error.told().iter();
    let told: Vec<_> = told
        .map(|told| (told.fault.message(), told.fault.place()))
        .collect();
    assert_eq!(
        told,
        [
            ("`injection_rate = 2.5`: it is no load", Some(31..51)),
            (
                "`seed = -1` on the command line: a seed is not negative here",
                None
            ),
        ]
    );
}

#[test]
fn what_booksim_does_not_take_is_told_at_its_place() {
    for (text, wanted) in [
        ("k = 8", "without a `;`"),
        ("k 8;", "assigns nothing"),
        ("k = ;", "no value"),
        ("k = 8 9;", "not one value"),
        ("kk = 8;", "no key `kk`"),
        ("k = 8.5;", "does not take a number with a point"),
        ("injection_rate = 1;", "does not take a whole number"),
        ("topology = 3;", "does not take a whole number"),
        ("num_vcs = \"4\";", "not one value"),
        ("7 = 8;", "is not the name"),
        ("buf_size = 2147483648;", "beyond 32 bits"),
        ("seed = -99999999999999999999;", "beyond 32 bits"),
    ] {
        let error = imported(text, &[]).unwrap_err();
        let [told] = error.told() else {
            panic!("{text}: {error}");
        };
        let message = told.fault.message();
        assert!(message.contains(wanted), "{text}: {message}");
        assert_eq!(told.fault.place().map(|place| place.start), Some(0));
    }
}

/// Terminals of routers that have several, or none, have the numbers that they have here.
#[test]
fn every_pattern_is_said_on_every_network() {
    let square = "num_vcs = 4; n = 2; c = 4; xr = 2; yr = 2;";
    let cmesh = format!("{square} topology = cmesh; k = 2; x = 2; y = 2;");
    let flatfly = format!("{square} topology = flatfly; k = 4; x = 4; y = 4;");
    let (dor, ran) = (
        "routing_function = dor_no_express",
        "routing_function = ran_min",
    );
    for (network, routing, pattern, wanted) in [
        // Node 1 of 4 × 4 sends to 4, which is the third at the first router.
        (&*cmesh, dor, "transpose", "destinations = [0, 2, 1, 3, 8, "),
        (
            &cmesh,
            dor,
            "bitcomp",
            "pattern = \"bit-complement\" # traffic\n",
        ),
        (
            &cmesh,
            dor,
            "hotspot({{1,4,15},{2,1}})",
            "nodes = [1, 2, 15] # ",
        ),
        (
            &cmesh,
            dor,
            "hotspot({{1,4,15},{2,1}})",
            "\nrates = [2, 1, 1] # ",
        ),
        (
            &cmesh,
            dor,
            "hotspot({{4,1,4},{2,6,4}})",
            "nodes = [1, 2] # terminals, by their numbers here\nfraction",
        ),
        (&flatfly, ran, "neighbor", "destinations = [3, "),
        (
            &flatfly,
            ran,
            "background({{1,8}})",
            "nodes = [0, 4, 5, 8, ",
        ),
        (
            &flatfly,
            ran,
            "taper64",
            "\n    { pattern = \"uniform\", weight = 9 },\n",
        ),
        (
            "topology = fly; k = 2; n = 4;",
            "routing_function = dest_tag",
            "bitrev",
            "\"bit-reverse\"",
        ),
        (
            "topology = fly; k = 2; n = 4;",
            "routing_function = dest_tag",
            "transpose",
            "[0, 4, 8, 12, 1, ",
        ),
        (
            "topology = fattree; k = 4; n = 2;",
            "routing_function = nca",
            "shuffle",
            "\"shuffle\"",
        ),
        (
            "topology = anynet; network_file = a;",
            "routing_function = min",
            "hotspot(3)",
            "nodes = [3] # ",
        ),
        (
            "k = 4; n = 4;",
            "",
            "transpose",
            "destinations = [0, 16, 32, ",
        ),
        (
            "k = 4; n = 2; perm_seed = 3;",
            "",
            "randperm",
            "destinations = [9, 11, 14, ",
        ),
        (
            "k = 4; n = 2; perm_seed = 4;",
            "",
            "randperm(3)",
            "destinations = [9, 11, 14, ",
        ),
        (
            "k = 4; n = 2; xr = 4;",
            "",
            "neighbor({16,1,1})",
            "destinations = [1, 2, 3, ",
        ),
    ] {
        let text = format!("{network} traffic = {pattern};");
        let scenario =
            imported(&text, &[routing]).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(scenario.contains(wanted), "{text}:\n{scenario}");
    }
}

#[test]
fn a_pattern_that_cannot_be_said_is_refused_with_the_reason() {
    let squares = "topology = flatfly; c = 4; xr = 2; yr = 2;";
    for (network, pattern, why) in [
        ("k = 4;", "hotspot", "no nodes are named"),
        ("k = 4;", "hotspot({{-1}})", "no nodes are named"),
        ("k = 4;", "hotspot({{16}})", "are not there"),
        ("k = 4;", "hotspot({{1,2},{0,1}})", "no number above 0"),
        (
            "k = 4;",
            "hotspot({{1,2},{1073741824,1}})",
            "than BookSim2 can draw",
        ),
        ("k = 4;", "background({{16}})", "are not there"),
        ("k = 4;", "background", "leaves out no nodes"),
        ("k = 4;", "bad_dragon", "for dragonflies"),
        ("k = 4; xr = 4;", "neighbor", "several nodes send to one"),
        ("k = 4;", "neighbor({4,2,0})", "several nodes send to one"),
        ("k = 4; xr = 0;", "tornado", "several nodes send to one"),
        ("k = 3; n = 2;", "asymmetric", "several nodes send to one"),
        ("k = 3; n = 3;", "transpose", "a power of two"),
        ("k = 4;", "taper64", "takes 64 nodes"),
        (
            "k = 4; perm_seed = time;",
            "randperm",
            "the clock is no seed",
        ),
        (
            "k = 4;",
            "randperm(5000000000)",
            "no whole numbers of 32 bits",
        ),
        ("k = 257;", "randperm", "up to 65,536 nodes"),
        ("k = 256;", "badperm_yarc", "262,144 destinations in all"),
        (
            "topology = anynet; network_file = a;",
            "diagonal",
            "how many nodes there are",
        ),
        // What is wrong beside it is told first, and nothing is counted by it.
        ("k = 4; n = 0;", "diagonal", "must be 1 at least"),
        (
            &format!("{squares} k = 4; n = 0; x = 4; y = 4;"),
            "diagonal",
            "must be 1 at least",
        ),
        (
            &format!("{squares} k = 60000; n = 3; x = 4; y = 4;"),
            "diagonal",
            "more than two dimensions",
        ),
    ] {
        let error = imported(&format!("traffic = {pattern}; {network}"), &[]).unwrap_err();
        let mut messages = error.told().iter().map(|told| told.fault.message());
        let is_told = messages.any(|message| message.contains(why));
        assert!(is_told, "{network} {pattern}: {error}");
    }
    // A seed may be below zero, and others do not look at parameters.
    for pattern in ["randperm(-5)", "uniform(3)", "bitrev(7)"] {
        imported(&format!("k = 4; traffic = {pattern};"), &[]).expect(pattern);
    }
}

/// What BookSim2's own classes say of 16 nodes.
#[test]
fn permutations_are_those_of_booksim() {
    for (pattern, wanted) in [
        (
            "randperm(3)",
            "9, 11, 14, 8, 13, 0, 10, 5, 3, 4, 2, 12, 6, 7, 15, 1",
        ),
        (
            "randperm",
            "2, 8, 6, 1, 0, 11, 4, 5, 3, 14, 10, 7, 15, 12, 9, 13",
        ),
        (
            "tornado({4,2})",
            "5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0",
        ),
        (
            "neighbor({16,1})",
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0",
        ),
    ] {
        let scenario = imported(&format!("k = 4; n = 2; traffic = {pattern};"), &[]).unwrap();
        assert!(
            scenario.contains(&format!("destinations = [{wanted}]")),
            "{pattern}:\n{scenario}"
        );
    }
    // By weight: the destinations of node 3 of 10, of 7, and of 13 of 8 × 8.
    for (size, pattern, node, wanted) in [
        ("k = 10; n = 1;", "diagonal", 3, vec![(4, 1), (3, 2)]),
        ("k = 10; n = 1;", "asymmetric", 7, vec![(7, 1), (2, 1)]),
        (
            "k = 8; n = 2;",
            "badperm_yarc",
            13,
            [41, 49, 57, 1, 9, 17, 25, 33].map(|to| (to, 1)).to_vec(),
        ),
        (
            "k = 8; n = 2;",
            "taper64",
            5,
            [60, 61, 62, 4, 5, 6, 12, 13, 14].map(|to| (to, 1)).to_vec(),
        ),
    ] {
        let scenario = imported(&format!("{size} traffic = {pattern};"), &[]).unwrap();
        let parts = scenario.lines().filter_map(|line| {
            let (weight, destinations) = line
                .split_once("\"permutation\", weight = ")?
                .1
                .split_once(", destinations = [")?;
            let to = destinations.split(", ").nth(node)?;
            Some((
                to.trim_end_matches("] },").parse().ok()?,
                weight.parse().ok()?,
            ))
        });
        assert_eq!(
            parts.collect::<Vec<(u32, u32)>>(),
            wanted,
            "{pattern}:\n{scenario}"
        );
    }
}

/// Line, message and the line of the scenario of what is wrong with `text`.
fn lines_of(text: &str) -> Vec<String> {
    let error = imported(text, &[]).unwrap_err();
    let told = error.told().iter().map(|told| {
        let line = told.fault.place();
        let line = line.map_or(0, |place| error.line_and_column(&place).0);
        format!("{line} {}", told.fault.message())
    });
    told.collect()
}

#[test]
fn all_that_is_wrong_is_told_but_for_what_follows() {
    // What the scenario would be refused for, beside what cannot be said.
    let told = lines_of("k = 8;\nnum_vcs = 65;\nclasses = 2;\nvc_buf_size = 99999;");
    assert_eq!(
        told,
        [
            "2 `virtual_channels` is 65, out of its range",
            "3 `classes = 2`: there is no like of it here",
            "4 `buffer_flits` is 99999, out of its range",
        ]
    );
    // A key that was meant has been said.
    let told = lines_of("topolgy = mesh;\nk = 4;\nn = 2;\nrouting_function = dor;");
    assert_eq!(told, ["1 BookSim2 has no key `topolgy`"]);
    // Where an assignment takes in another, what is missing may be there.
    let told = lines_of("topology = mesh;\nk = 4;\nn = 2\nrouting_function = dor;");
    assert_eq!(told.len(), 1, "{told:?}");
}
