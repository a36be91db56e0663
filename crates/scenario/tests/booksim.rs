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
