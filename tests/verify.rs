//! `flitsim verify` from the command line: every algorithm on every family that it claims, with as
//! few virtual channels as it says and with one fewer; sizes of dependency graphs known in closed
//! form; and what `run` and `sweep` make of a routing that is refused.

use crate::proofs;

use proofs::families::{FAMILIES, Family};
use proofs::{Proofs, Series, exit_code, flitsim, json_of, strings};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The algorithms that fit a topology, as the program itself lists them.
fn fitting(topology: &str) -> BTreeSet<String> {
    let misfit = match topology.contains("express-cube") {
        true => "fat-pyramid",
        false => "express",
    };
    let folder = tempfile::tempdir().unwrap();
    let series = Series::new(topology, 1, misfit);
    fs::write(folder.path().join("a.toml"), series.alone()).unwrap();
    let output = flitsim(folder.path(), &["verify", "a.toml"]);
    assert_eq!(exit_code(&output), 1);
    let message = String::from_utf8(output.stderr).unwrap();
    let (_, list) = message.split_once("these do: ").expect(&message);
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn every_algorithm_is_proved_on_every_family_that_it_claims() {
    for family in &FAMILIES {
        let mut named: BTreeSet<String> = family
            .least
            .iter()
            .map(|(name, _)| name.split(',').next().unwrap_or(name).to_owned())
            .collect();
        named.extend(["table", "source"].map(str::to_owned));
        // Not proved alone: over each escape it is.
        named.insert("minimal-adaptive".to_owned());
        assert_eq!(named, fitting(family.topology), "{}", family.topology);

        let series = |&(algorithm, vcs): &(&str, u32)| Series::new(family.topology, vcs, algorithm);
        let proofs = Proofs::of(family.least.iter().map(series));
        assert_eq!(proofs.exit_code, 0, "{}", family.topology);
        for ((algorithm, vcs), proof) in family.least.iter().zip(&proofs.each) {
            let name = format!("{algorithm} on {}", family.topology);
            assert_eq!(proof["deadlock_free"], true, "{name}: {proof}");
            assert_eq!(proof["reaches_every_pair"], true, "{name}");
            assert_eq!(proof["virtual_channels"], *vcs, "{name}");
            assert_eq!(proof["cycle"], serde_json::json!([]), "{name}");
            let method = match *algorithm {
                "duato" | "enhanced-nbc" | "dal" if !family.without_cycle.contains(algorithm) => {
                    "acyclic-extended-cdg"
                }
                _ => "acyclic-cdg",
            };
            assert_eq!(proof["method"], method, "{name}");
        }
    }
}

#[test]
fn one_virtual_channel_fewer_is_refused_with_a_cycle() {
    for family in &FAMILIES {
        let several: Vec<(&str, u32)> = family
            .least
            .iter()
            .copied()
            .filter(|&(_, vcs)| vcs > 1)
            .collect();
        let series =
            |&(algorithm, vcs): &(&str, u32)| Series::new(family.topology, vcs - 1, algorithm);
        let proofs = Proofs::of(several.iter().map(series));
        assert_eq!(proofs.exit_code, 1, "{}", family.topology);
        for ((algorithm, vcs), proof) in several.iter().zip(&proofs.each) {
            let name = format!("{algorithm} on {}", family.topology);
            assert_eq!(proof["deadlock_free"], false, "{name}: {proof}");
            let reason = proof["reason"].as_str().expect("a reason");
            assert!(reason.contains("needs at least"), "{name}: {reason}");
            assert_eq!(proof["virtual_channels"], vcs - 1);
            let cycle = strings(&proof["cycle"]);
            if family.without_cycle.contains(algorithm) {
                assert!(cycle.is_empty(), "{name}: {cycle:?}");
                assert!(reason.contains("another algorithm"), "{name}: {reason}");
                continue;
            }
            assert!(cycle.len() >= 2, "{name}: {proof}");
            // What may go astray and has no order left goes round.
            let is_round = reason.contains("in a cycle") || reason.contains("round for ever");
            assert!(is_round, "{name}: {reason}");
            if !["enhanced-nbc", "duato", "dal"].contains(algorithm) {
                assert_is_closed(&cycle);
            }
        }
    }
}

/// The shortest of three times of each algorithm on `family`; none where the table is not written anew.
fn times(family: &Family) -> Vec<f64> {
    let series = |&(algorithm, vcs): &(&str, u32)| Series::new(family.topology, vcs, algorithm);
    let seconds = |proof: &serde_json::Value| proof["seconds"].as_f64().expect("a time");
    let mut least = vec![f64::INFINITY; family.least.len()];
    for _ in 0..3 {
        let proofs = Proofs::of(family.least.iter().map(series));
        for (least, proof) in least.iter_mut().zip(&proofs.each) {
            *least = least.min(seconds(proof));
        }
    }
    least
}

/// Every family with its algorithms, the virtual channels that prove them and how long that takes, as
/// docs/verification.md has it: the two tests above prove it line by line.
fn table_of_proofs() -> String {
    let mut table = String::from(
        "| network | proved, with so many virtual channels, so fast | one fewer is refused without a cycle |\n\
         | --- | --- | --- |\n",
    );
    for family in &FAMILIES {
        let topology = family.topology.replace("kind = ", "").replace('\'', "");
        let topology = topology.replace('\n', ", ");
        let times = match std::env::var_os("UPDATE") {
            Some(_) => times(family),
            None => vec![0.0; family.least.len()],
        };
        let proved = family.least.iter().zip(times);
        let proved = proved
            .map(|((name, least), seconds)| format!("`{name}` {least} in {:.2} ms", 1e3 * seconds));
        let proved: Vec<String> = proved.collect();
        let without: Vec<String> = family
            .without_cycle
            .iter()
            .map(|n| format!("`{n}`"))
            .collect();
        let (proved, without) = (proved.join(", "), without.join(", "));
        table += &format!("| {topology} | {proved} | {without} |\n");
    }
    table
}

/// `UPDATE=1 cargo test --test all table_of_proofs` writes it anew.
#[test]
fn the_table_of_proofs_is_in_the_documentation() {
    let head = "| network | proved, with";
    proofs::keep_table("docs/verification.md", head, &table_of_proofs());
}

/// Each virtual channel, `from->to#vc`, begins where the one before it ends.
fn assert_is_closed(cycle: &[String]) {
    let ends = |name: &String| -> (String, String) {
        let (channel, vc) = name.split_once('#').expect(name);
        vc.parse::<u32>().expect(name);
        let (from, to) = channel.split_once("->").expect(name);
        (from.to_owned(), to.to_owned())
    };
    for (i, held) in cycle.iter().enumerate() {
        let next = &cycle[(i + 1) % cycle.len()];
        assert_eq!(ends(held).1, ends(next).0, "{cycle:?}");
    }
}

/// One virtual channel or three: shortest paths without an order close a cycle.
#[test]
fn minimal_adaptive_without_an_escape_is_refused() {
    for topology in [
        "kind = 'mesh'\nradices = [5, 4]",
        "kind = 'hypercube'\ndimensions = 3",
        "kind = 'torus'\nradix = 4\ndimensions = 2",
        "kind = 'star'\nsymbols = 4",
        "kind = 'pruned-torus'\nradix = 4\ndimensions = 3",
        "kind = 'manhattan-torus'\nradix = 4\ndimensions = 2",
        "kind = 'express-cube'\nradix = 8\ndimensions = 1\ninterval = 2\nlevels = 1",
        "kind = 'fat-pyramid'\nprocessors = 64",
    ] {
        let series = |vcs| Series::new(topology, vcs, "minimal-adaptive");
        let proofs = Proofs::of([1, 3].map(series));
        assert_eq!(proofs.exit_code, 1, "{topology}");
        for proof in &proofs.each {
            assert_eq!(proof["deadlock_free"], false);
            assert_is_closed(&strings(&proof["cycle"]));
        }
    }
}

/// Three series of which only the last can be proved: each has its own answer, with its own cycle.
#[test]
fn every_series_of_a_file_has_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[topology]\nkind = 'torus'\nradix = 4\ndimensions = 2\n[traffic]\npacket_flits = 4\n\
                [[series]]\nname = 'misfit'\nrouting.algorithm = 'odd-even'\n\
                router.virtual_channels = 3\n\
                [[series]]\nname = 'adaptive'\ntopology.kind = 'mesh'\nrouting.algorithm = 'minimal-adaptive'\n\
                [[series]]\nname = 'dateline'\nrouter.virtual_channels = 1\n\
                [[series]]\nname = 'proved'\n";
    fs::write(folder.path().join("a.toml"), text).unwrap();
    let verify = |more: &[&str]| {
        let arguments = [&["verify", "a.toml", "--format", "json"], more].concat();
        let output = flitsim(folder.path(), &arguments);
        let message = String::from_utf8(output.stderr.clone()).unwrap();
        (exit_code(&output), json_of(&output.stdout), message)
    };
    let (code, answers, message) = verify(&[]);
    assert_eq!(code, 1);
    let answers = answers.expect("JSON");
    let answers = answers.as_array().expect("one for each series");
    let names: Vec<&str> = answers
        .iter()
        .filter_map(|a| a["series"].as_str())
        .collect();
    assert_eq!(names, ["misfit", "adaptive", "dateline", "proved"]);
    let free: Vec<bool> = answers
        .iter()
        .filter_map(|a| a["deadlock_free"].as_bool())
        .collect();
    assert_eq!(free, [false, false, false, true]);
    let misfit = &answers[0];
    assert_eq!(misfit["cycle"], serde_json::json!([]));
    assert_eq!(misfit["virtual_channels"], 3);
    assert_eq!(misfit["routing"], "odd-even");
    assert_eq!(misfit["topology"], "torus:radix=4,dimensions=2");
    let reason = misfit["reason"].as_str().unwrap();
    assert!(reason.contains("odd-even does not route"), "{reason}");
    for answer in &answers[1..3] {
        assert_is_closed(&strings(&answer["cycle"]));
    }
    assert_ne!(answers[1]["cycle"], answers[2]["cycle"]);
    assert!(message.contains("in the series \"misfit\""), "{message}");
    let last = message.lines().last().unwrap();
    assert!(last.ends_with(": misfit, adaptive, dateline"), "{last}");

    for (series, code) in [("misfit", 1), ("dateline", 1), ("proved", 0)] {
        let (found, answer, _) = verify(&["--series", series]);
        assert_eq!(found, code, "{series}");
        assert_eq!(answer.expect("JSON")["series"], series);
    }
    let words = flitsim(folder.path(), &["verify", "a.toml"]);
    let words = String::from_utf8(words.stdout).unwrap();
    assert_eq!(words.matches("verdict").count(), 4, "{words}");

    // Without the misfit, `run` stops at what it reads first, and shows the cycle of that series.
    let text = text.replace("'odd-even'", "'dimension-order'");
    fs::write(folder.path().join("a.toml"), text).unwrap();
    let refused = flitsim(folder.path(), &["run", "a.toml"]);
    assert_eq!(exit_code(&refused), 2);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("in the series \"dateline\""), "{message}");
    let (_, answers, _) = verify(&["--series", "dateline"]);
    let cycle = strings(&answers.expect("JSON")["cycle"]).join(", ");
    assert!(
        message.contains(&format!("a cycle: {cycle}\n")),
        "{message}"
    );
}

/// XY meshes have 4k(k − 1) channels and 4k(k − 2) + 4(k − 1)² dependencies; the others were counted
/// apart from this program.
#[test]
fn dependency_graphs_have_the_sizes_that_are_known() {
    let mut series = Vec::new();
    let mut sizes = Vec::new();
    let mut add = |topology: String, vcs, vertices: u64, dependencies: u64| {
        series.push(Series {
            routing: "vc_balance = false".to_owned(),
            ..Series::new(&topology, vcs, "dimension-order")
        });
        sizes.push((vertices, dependencies));
    };
    for k in 2..=8 {
        let mesh = format!("kind = 'mesh'\nradix = {k}\ndimensions = 2");
        add(
            mesh,
            1,
            4 * k * (k - 1),
            4 * k * (k - 2) + 4 * (k - 1) * (k - 1),
        );
    }
    let torus = |k| format!("kind = 'torus'\nradix = {k}\ndimensions = 2");
    add(torus(4), 2, 80, 144);
    add(torus(5), 2, 120, 220);
    add("kind = 'hypercube'\ndimensions = 4".to_owned(), 1, 64, 96);
    add(torus(4), 1, 64, 128);
    let last = series.len() - 1;
    let proofs = Proofs::of(series);
    for (i, (proof, (vertices, dependencies))) in proofs.each.iter().zip(sizes).enumerate() {
        assert_eq!(proof["vertices"], vertices, "{proof}");
        assert_eq!(proof["dependencies"], dependencies, "{proof}");
        assert_eq!(proof["deadlock_free"], i < last, "{proof}");
        assert_eq!(proof["method"], "acyclic-cdg");
    }
    let ring = strings(&proofs.each[last]["cycle"]);
    assert_eq!(ring.len(), 4);
    assert_is_closed(&ring);
}

#[test]
fn duato_is_proved_on_hypercubes_and_only_where_packets_do_not_share_a_buffer() {
    let cube = |n| format!("kind = 'hypercube'\ndimensions = {n}");
    let proofs = Proofs::of((3..=8).map(|n| Series::new(&cube(n), 2, "duato")));
    assert_eq!(proofs.exit_code, 0);
    let router = |flow_control: &str| Series {
        router: format!("vc_reallocation = 'non-atomic'\nflow_control = '{flow_control}'"),
        ..Series::new(&cube(4), 2, "duato")
    };
    let whole = ["virtual-cut-through", "store-and-forward"];
    assert_eq!(Proofs::of(whole.map(router)).exit_code, 0);
    let refused = Proofs::of([router("wormhole")]);
    assert_eq!(refused.exit_code, 1);
    let reason = refused.each[0]["reason"].as_str().unwrap();
    assert!(reason.contains("vc_reallocation = \"atomic\""), "{reason}");
    assert_is_closed(&strings(&refused.each[0]["cycle"]));
}

/// Large networks are proved by parts, and refused with a cycle by the same parts.
#[test]
fn large_networks_are_proved_and_refused_by_rings_and_legs() {
    let torus = "kind = 'torus'\nradix = 64\ndimensions = 2";
    let mesh = "kind = 'mesh'\nradices = [80, 64]";
    let cube = "kind = 'hypercube'\ndimensions = 12";
    let proofs = Proofs::of([
        Series::new(torus, 4, "valiant"),
        Series::new(mesh, 2, "valiant"),
        Series::new(cube, 2, "valiant"),
        Series::new(torus, 2, "dimension-order"),
        Series::new(torus, 3, "valiant"),
        Series::new(torus, 1, "dimension-order"),
    ]);
    assert_eq!(proofs.exit_code, 1);
    for (i, proof) in proofs.each.iter().enumerate() {
        assert_eq!(proof["deadlock_free"], i < 4, "{proof}");
        assert_eq!(proof["reaches_every_pair"], true, "{proof}");
        let how = proof["coverage"].as_str().unwrap();
        let is_by_legs = proof["routing"] == "valiant";
        assert_eq!(how.contains("two legs"), is_by_legs, "{how}");
        assert!(how.contains("the order of the dimensions"), "{how}");
        let cycle = strings(&proof["cycle"]);
        assert_eq!(cycle.len(), if i < 4 { 0 } else { 64 });
        if i >= 4 {
            assert_is_closed(&cycle);
        }
    }
}

#[test]
fn enhanced_nbc_on_the_star_of_4_symbols_needs_3_escape_classes() {
    let classes = |vcs, classes| Series {
        routing: format!("escape_classes = {classes}"),
        ..Series::new("kind = 'star'\nsymbols = 4", vcs, "enhanced-nbc")
    };
    let proofs = Proofs::of([classes(4, 3), classes(5, 3), classes(6, 4)]);
    assert_eq!(proofs.exit_code, 0);
    let refused = Proofs::of([classes(3, 2), classes(4, 2), classes(5, 2)]);
    assert_eq!(refused.exit_code, 1);
    for proof in &refused.each {
        assert_eq!(proof["deadlock_free"], false);
        assert_eq!(proof["method"], "acyclic-extended-cdg");
        let reason = proof["reason"].as_str().unwrap();
        assert!(reason.contains("at least 3 escape classes"), "{reason}");
        assert!(!strings(&proof["cycle"]).is_empty(), "{proof}");
    }
}

/// The default routing of one-way channels is one that they have.
#[test]
fn one_way_channels_of_a_file_are_routed_by_hop_class() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ring.csv"), "from,to\na,b\nb,c\nc,a\n").unwrap();
    let word = "file:path=ring.csv";
    let output = flitsim(folder.path(), &["verify", word, "--format", "json"]);
    assert_eq!(exit_code(&output), 0);
    let proof = json_of(&output.stdout).expect("JSON");
    assert_eq!(
        (&proof["routing"], &proof["deadlock_free"]),
        (&"hop-class".into(), &true.into())
    );
    let output = flitsim(folder.path(), &["topology", word]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("hop-class, 2 virtual channels"), "{text}");
}

#[test]
fn what_cannot_be_routed_is_refused_without_a_cycle() {
    // No two colours, which is seen once the network is built.
    let folder = tempfile::tempdir().unwrap();
    let channels = (0..5).map(|at| (at, (at + 1) % 5));
    let rows = channels.map(|(a, b)| format!("n{a},n{b}\nn{b},n{a}\n"));
    let text = format!("from,to\n{}", rows.collect::<String>());
    fs::write(folder.path().join("ring.csv"), text).unwrap();
    let series = Series::new("kind = 'file'\npath = 'ring.csv'", 4, "nhop");
    fs::write(folder.path().join("b.toml"), series.alone()).unwrap();
    let output = flitsim(folder.path(), &["verify", "b.toml", "--format", "json"]);
    assert_eq!(exit_code(&output), 1);
    let proof = json_of(&output.stdout).expect("JSON");
    assert_eq!(proof["deadlock_free"], false);
    assert_eq!(proof["cycle"], serde_json::json!([]));
    assert!(proof["reason"].as_str().unwrap().contains("two colours"));
}

/// The picture of a witness: the cycle in a colour of its own over pale channels, with names.
#[test]
fn the_picture_shows_the_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let torus = Series::new(
        "kind = 'torus'\nradix = 4\ndimensions = 2",
        1,
        "dimension-order",
    );
    fs::write(folder.path().join("a.toml"), torus.alone()).unwrap();
    let output = flitsim(folder.path(), &["verify", "a.toml", "--format", "svg"]);
    assert_eq!(exit_code(&output), 1);
    let text = String::from_utf8(output.stdout).unwrap();
    let picture = roxmltree::Document::parse(&text).expect("XML");
    let titles: Vec<&str> = picture
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    for name in ["0->1#0", "1->2#0", "2->3#0", "3->0#0"] {
        assert!(titles.contains(&name), "{name} of {titles:?}");
    }
    assert!(text.contains("each waits for the next"));
}

/// The example of the guide prints what stands below it, but for the time.
#[test]
fn the_guide_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/verification.md")).unwrap();
    let block = |language: &str| -> String {
        let (_, rest) = guide
            .split_once(&format!("```{language}\n"))
            .expect("a block");
        rest.split_once("```").expect("its end").0.to_owned()
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("square.toml"), block("toml")).unwrap();
    let command = block("sh");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let output = flitsim(folder.path(), &arguments);
    assert_eq!(exit_code(&output), 1);
    let without_time = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("time "));
        lines.map(str::to_owned).collect()
    };
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(without_time(&printed), without_time(&block("text")));
}
