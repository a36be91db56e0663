//! Networks as scenarios say them: keys, one word, what is refused, and names of networks of other crates.

use flitsim_keys::{Choice, Key, NameRefused, Raw, RawTable, Table, Value};
use flitsim_topology::{Definition, OwnNetwork, TopologyError, register_network};

const KIND: Key<&str> = Key::one_of("kind", names, "The family of networks.");

fn names() -> Vec<&'static str> {
    Definition::kinds().map(|kind| kind.name()).collect()
}

static TOPOLOGY: Table = Table::new("topology", "The network.", &[]).choices(
    &const {
        [Choice {
            key: KIND.described(),
            variants: || Definition::kinds().map(|kind| kind.variant).collect(),
        }]
    },
);

#[test]
fn every_kind_has_an_example_that_says_itself_again_and_is_built() {
    for kind in Definition::kinds().filter(|kind| kind.name() != "file") {
        let mut raw = RawTable::from([("kind", kind.name())]);
        let example = kind.example();
        let (_, keys) = example.split_once(':').unwrap();
        for pair in keys.split(',') {
            let (key, value) = pair.split_once('=').unwrap();
            let numbers: Vec<u64> = value.split('x').map(|n| n.parse().unwrap()).collect();
            let value = match numbers[..] {
                [one] => Raw::from(one),
                _ => Raw::from(numbers),
            };
            raw.entries.extend(RawTable::from([(key, value)]).entries);
        }
        let values = TOPOLOGY.read(&raw).unwrap();
        let definition = Definition::of(kind.name(), &values).unwrap();
        assert_eq!(definition.word(), example);
        assert_eq!(definition.entries()[0].1, Some(Value::Word(kind.name())));
        assert!(definition.build().unwrap().terminals() > 1);
        assert!(Definition::kind_named(kind.name()).is_some());
    }
}

#[test]
fn what_a_family_refuses_names_the_key_and_what_would_be_right() {
    let values = TOPOLOGY.read(&RawTable::from([("symbols", 11_u64)]));
    assert!(values.is_err());
    let mut raw = RawTable::from([("kind", "fat-pyramid")]);
    raw.entries
        .extend(RawTable::from([("processors", 60_u64)]).entries);
    let values = TOPOLOGY.read(&raw).unwrap();
    let definition = Definition::of("fat-pyramid", &values).unwrap();
    let TopologyError::Parameter(error) = definition.build().unwrap_err() else {
        panic!("60 is no power of four");
    };
    assert_eq!(error.key(), Some("processors"));
    assert_eq!(error.remedy(), Some("`processors = 64`"));
}

#[test]
fn a_name_that_one_word_would_not_give_back_is_refused() {
    let named = |name| OwnNetwork {
        name,
        about: "",
        keys: &[],
        example: "",
        build: |_| unreachable!("never asked for"),
    };
    for name in ["", "a:b", "a b", "Ring", "a,b"] {
        assert_eq!(
            register_network(named(name)),
            Err(NameRefused::NoName {
                what: "network",
                name
            })
        );
    }
    assert_eq!(
        register_network(named("torus")),
        Err(NameRefused::Taken {
            what: "network",
            name: "torus"
        })
    );
}
