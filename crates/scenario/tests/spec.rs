//! Topologies in one word.

use flitsim_scenario::topology::{is_spec, parse_spec as parse};

#[test]
fn a_word_reads_back_as_its_topology() {
    for word in [
        "torus:radix=8,dimensions=2",
        "torus:radices=8x4,directed=true",
        "mesh:radices=8x4x2",
        "hypercube:dimensions=5",
        "express-cube:radix=16,dimensions=2,interval=4,levels=1",
        "express-cube:radix=16,dimensions=1,interval=4,levels=1,channels_per_level=1x2",
        "butterfly-fat-tree:processors=64",
        "fat-pyramid:processors=64",
        "star:symbols=5",
        "pruned-torus:radix=4,dimensions=3",
        "manhattan-torus:radix=4,dimensions=2",
        "pruned-manhattan-torus:radix=4,dimensions=3",
    ] {
        assert!(is_spec(word));
        assert_eq!(parse(word).unwrap().value.word(), word);
    }
}

#[test]
fn paths_are_told_from_words() {
    for path in [
        "a.toml",
        "dir/a.toml",
        r"C:\a.toml",
        "./torus:8",
        "torus.toml",
        "first",
    ] {
        assert!(!is_spec(path), "{path}");
    }
    for word in [
        "torus",
        "toru",
        "torsu:radix=8",
        "star:symbols=5",
        "file:path=a/b.csv",
    ] {
        assert!(is_spec(word), "{word}");
    }
}

#[test]
fn what_is_wrong_is_underlined_in_the_word() {
    for (word, says) in [
        ("torsu:radix=8", "did you mean \"torus\"?"),
        ("torus", "`radix` is missing"),
        ("torus:radix", "`radix` has no value"),
        ("torus:radix=8,radix=4,dimensions=2", "`radix` stands twice"),
        ("torus:radix=0,dimensions=2", "out of its range"),
        ("torus:radix=eight,dimensions=2", "must be a whole number"),
        ("torus:radix=8,dimension=2", "did you mean `dimensions`?"),
        (
            "mesh:radix=8,dimensions=2,directed=true",
            "does not apply here",
        ),
        ("star:", "`symbols` is missing"),
        ("star:symbols=5,", "has no value"),
    ] {
        let error = parse(word).unwrap_err().to_string();
        assert!(error.contains(says), "{word}: {error}");
        assert!(error.contains("command line:1:"), "{word}: {error}");
    }
}
