//! Exported networks keep their family, by a remark that is believed only where it is true.

use flitsim_scenario::KeptFile;
use flitsim_scenario::topology::{parse_spec, parse_spec_with, write_csv, write_graphml};

const STAR: &str = "star:symbols=3";

/// The word of the topology in a file called `path`.
fn word_of(path: &str, text: &str) -> String {
    let file = KeptFile::in_memory(path.to_owned(), text.to_owned());
    let topology = parse_spec_with(&format!("file:path={path}"), &[file]);
    topology.unwrap().value.word()
}

#[test]
fn the_remark_is_found_in_either_format() {
    let network = parse_spec(STAR).unwrap().build().unwrap();
    let (mut csv, mut graphml) = (Vec::new(), Vec::new());
    write_csv(&network, STAR, &mut csv).unwrap();
    write_graphml(&network, STAR, &mut graphml).unwrap();
    let [csv, graphml] = [csv, graphml].map(|text| String::from_utf8(text).unwrap());
    assert!(csv.starts_with("# flitsim topology star:symbols=3\nfrom,to"));
    assert!(graphml.ends_with("\n<!-- flitsim topology star:symbols=3 -->\n"));
    assert_eq!(word_of("a.csv", &csv), STAR);
    assert_eq!(word_of("a.graphml", &graphml), STAR);
    for other in [
        // Another network, another remark, none.
        csv.replace("=3", "=4"),
        csv.replace("flitsim topology star:symbols=3", "my network"),
        csv.lines().skip(1).collect::<Vec<_>>().join("\n"),
        csv.replacen(csv.lines().last().unwrap(), "", 1),
        String::new(),
    ] {
        assert_eq!(word_of("a.csv", &other), "file:path=a.csv", "{other}");
    }
}
