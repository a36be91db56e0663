//! Tables are read whole: every fault is told, and none that follows from another.

use flitsim_keys::{
    Absent, Choice, Description, Fault, Key, Placed, Raw, RawEntry, RawTable, Reader, Rule, Shape,
    Table, TextFile, Value, Values, Variant, Within, Words,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Green,
}

impl Words for Colour {
    const WORDS: &'static [(&'static str, Self)] = &[("red", Self::Red), ("green", Self::Green)];
}

const KIND: Key<&str> = Key::one_of("kind", kinds, "The family.");
const COLOUR: Key<Colour> = Key::word("colour", "Its colour.").or_word("green");
const SHARE: Key<f64> = Key::number("share", Within::above(0.0).below(1.0), "", "A share.")
    .or_number(0.5)
    .hint("0.02 means 2 %");
const LOUD: Key<bool> = Key::flag("loud", "Whether it tells.").or_flag(false);
const RADIX: Key<Option<u32>> =
    Key::integer("radix", 2..=65_535, "nodes", "Nodes of each dimension.").optional();
const DIMENSIONS: Key<Option<u32>> =
    Key::integer("dimensions", 1..=63, "", "How many dimensions.").optional();
const RADICES: Key<Option<Vec<u32>>> = Key::list(
    "radices",
    &Shape::integer(2..=65_535, "nodes"),
    1,
    "the radix of dimension {}",
    "Nodes of each dimension.",
)
.optional();
const PROCESSORS: Key<u32> = Key::integer("processors", 4..=1 << 20, "", "How many.")
    .needed("say how many, such as `processors = 64`");
const SIZES: Key<Vec<u32>> = Key::list(
    "sizes",
    &Shape::integer(1..=9, ""),
    0,
    "",
    "Sizes of what there is.",
)
.or_empty();
const PATH: Key<std::sync::Arc<TextFile>> = Key::file("path", "Its file.");
const RANGE: Table = Table::new(
    "range",
    "Loads.",
    &[
        Key::number("from", Within::above(0.0), "", "The first.").described(),
        Key::<u32>::integer("steps", 1..=100, "loads", "How many.").described(),
    ],
);
const LOAD: Key<Value> = Key::shaped(
    "load",
    Shape::OneOf(&[
        Shape::number(Within::above(0.0), ""),
        Shape::Table(&RANGE),
        Shape::Only("auto"),
    ]),
    "The loads.",
)
.or_absent(Absent::Table(&[
    ("from", Absent::Number(0.1)),
    ("steps", Absent::Integer(3)),
]));

const GRID: [Description; 3] = [
    RADIX.described(),
    DIMENSIONS.described(),
    RADICES.described(),
];

fn variants() -> Vec<Variant> {
    const ONE_WAY: &[&str] = &["radices"];
    const OTHER: &[&str] = &["radix", "dimensions"];
    vec![
        Variant::new("mesh", "Lines.", &GRID).rules(&[
            Rule::Either {
                one: ONE_WAY,
                other: OTHER,
                help: "one of them is enough",
            },
            Rule::OneOf {
                groups: &[OTHER, ONE_WAY],
                help: "say how large it is",
            },
        ]),
        Variant::new("tree", "A tree.", &const { [PROCESSORS.described()] }).without(&["loud"]),
        Variant::new("file", "Your own.", &const { [PATH.described()] }),
    ]
}

fn kinds() -> Vec<&'static str> {
    variants().iter().map(|variant| variant.word).collect()
}

static NETWORK: Table = Table::new(
    "network",
    "The network.",
    &const {
        [
            COLOUR.described(),
            SHARE.described(),
            LOUD.described(),
            SIZES.described(),
            LOAD.described(),
        ]
    },
)
.choices(
    &const {
        [Choice {
            key: KIND.described(),
            variants,
        }]
    },
);

static ROUTER: Table = Table::new(
    "router",
    "A router.",
    &const {
        [Key::<u32>::integer("delay", 1..=10, "cycles", "A delay.")
            .or(1)
            .described()]
    },
);

/// A table whose keys stand at 0, 10, 20 and so on, their values five further.
fn raw(entries: Vec<(&str, Raw)>) -> RawTable {
    let entries = entries.into_iter().enumerate().map(|(i, (key, value))| {
        let at = 10 * i;
        RawEntry {
            key: Placed::at(key.to_owned(), at..at + 4),
            value: Placed::at(value, at + 5..at + 9),
        }
    });
    RawTable {
        place: Some(1_000..1_007),
        entries: entries.collect(),
    }
}

fn read(entries: Vec<(&str, Raw)>) -> (Values, Vec<Fault>) {
    let files = |path: &str| match path {
        "there.csv" => Ok(TextFile {
            path: path.to_owned(),
            name: format!("folder/{path}"),
            text: "from,to\n".to_owned(),
        }),
        _ => Err(format!("cannot read {path}")),
    };
    let reader = Reader {
        foreign: &[],
        tables: &[&NETWORK, &ROUTER],
        top: None,
        files: &files,
        is_partial: false,
    };
    let read = reader.read(&NETWORK, &raw(entries), "`[network]`");
    (read.values, read.faults)
}

/// What is said of each fault, and what would be right.
fn told(entries: Vec<(&str, Raw)>) -> Vec<String> {
    let (_, faults) = read(entries);
    let told = faults.iter().map(|fault| {
        let remedy = fault.remedy().unwrap_or_default();
        format!("{} | {} | {remedy}", fault.message(), fault.beside())
    });
    told.collect()
}

fn mesh(more: Vec<(&'static str, Raw)>) -> Vec<(&'static str, Raw)> {
    let mut entries = vec![("kind", "mesh".into()), ("radices", vec![4_u64, 8].into())];
    entries.extend(more);
    entries
}

#[test]
fn values_have_their_types_defaults_and_places() {
    let (values, faults) = read(mesh(vec![("share", 0.25.into()), ("loud", true.into())]));
    assert_eq!(faults, []);
    assert_eq!(values.get(&KIND), "mesh");
    assert_eq!(values.get(&RADICES), Some(vec![4, 8]));
    assert_eq!(values.get(&RADIX), None);
    assert_eq!(values.get(&SHARE), 0.25);
    assert_eq!(values.get(&COLOUR), Colour::Green);
    assert!(values.get(&LOUD));
    assert_eq!(values.get(&SIZES), []);
    assert_eq!(values.place("share"), Some(25..29));
    assert_eq!(values.place_of_key("share"), Some(20..24));
    assert_eq!(values.place("colour"), None);
    assert!(values.is_given("kind") && !values.is_given("colour"));
    let load = values.table("load").expect("the default is a table");
    assert_eq!(
        load.entry("steps").and_then(|e| e.value.clone()),
        Some(Value::Integer(3))
    );
    let (values, faults) = read(vec![("kind", "file".into()), ("path", "there.csv".into())]);
    assert_eq!(faults, []);
    assert_eq!(values.get(&PATH).text, "from,to\n");
}

#[test]
fn what_is_said_again_reads_the_same() {
    assert_eq!(
        COLOUR.said(&Colour::Red),
        ("colour", Some(Value::Word("red")))
    );
    assert_eq!(RADIX.said(&None), ("radix", None));
    let (values, _) = read(mesh(vec![]));
    let (_, radices) = RADICES.said(&values.get(&RADICES));
    let Some(Value::List(elements)) = radices else {
        panic!("an array")
    };
    assert_eq!(elements[1].value, Value::Integer(8));
}

#[test]
fn all_faults_are_told_in_the_order_of_the_text() {
    let entries = vec![
        ("colour", "gren".into()),
        ("kind", "mesh".into()),
        ("share", 1.0.into()),
        ("radix", 1_u64.into()),
        ("loudd", true.into()),
        ("delay", 3_u64.into()),
        ("processors", 64_u64.into()),
        ("sizes", vec![0_u64, 3, 12].into()),
        ("load", "often".into()),
    ];
    assert_eq!(
        told(entries),
        [
            "unknown `colour`: \"gren\" | did you mean \"green\"? | allowed: \"red\" or \"green\"",
            "`share` is 1, out of its range | out of range | it must be above 0 and below 1: 0.02 \
             means 2 %",
            "`radix` is 1, out of its range | out of range | it must be from 2 to 65535 nodes",
            "unknown key `loudd` in `[network]` | not a key of `[network]` | did you mean `loud`?",
            "unknown key `delay` in `[network]` | not a key of `[network]` | `delay` is a key of \
             `[router]`",
            "`processors` in `[network]` does not apply here | goes with `kind = \"tree\"` | allowed \
             here: `kind`, `colour`, `share`, `loud`, `sizes`, `load`, `radix`, `dimensions` or \
             `radices`",
            "an element of `sizes` is 0, out of its range | out of range | it must be from 1 to 9",
            "an element of `sizes` is 12, out of its range | out of range | it must be from 1 to 9",
            "`load` must be a number, a table of `from` and `steps` or \"auto\", not a string | a \
             string | write `load = ` and one of these",
            "`dimensions` is missing from `[network]` | here | say how large it is",
        ]
    );
}

#[test]
fn faults_leave_the_other_keys_sound() {
    let (values, faults) = read(mesh(vec![
        ("share", 7_u64.into()),
        ("loudd", true.into()),
        ("colour", "red".into()),
    ]));
    assert_eq!(faults.len(), 2);
    assert_eq!(values.sound(&SHARE), None);
    assert_eq!(values.get(&SHARE), 0.5);
    assert_eq!(values.sound(&LOUD), None, "it may be what was meant");
    assert_eq!(values.sound(&COLOUR), Some(Colour::Red));
    assert!(values.are_sound(&["kind", "radices"]) && !values.are_sound(&["share"]));
}

#[test]
fn nothing_follows_from_a_choice_that_is_not_known() {
    let said = |kind: &'static str| {
        told(vec![
            ("kind", kind.into()),
            ("processors", 64_u64.into()),
            ("radix", 8_u64.into()),
        ])
    };
    assert_eq!(
        said("tre"),
        [
            "unknown `kind`: \"tre\" | did you mean \"tree\"? | allowed: \"mesh\", \"tree\" or \
          \"file\""
        ]
    );
    assert_eq!(said("tree").len(), 1);
    assert_eq!(
        told(vec![("kind", "tree".into()), ("loud", true.into())]),
        [
            "`loud` in `[network]` does not apply here | goes with `kind` \"mesh\" or \"file\" | \
             allowed here: `kind`, `colour`, `share`, `sizes`, `load` or `processors`",
            "`processors` is missing from `[network]` | here | say how many, such as `processors = \
             64`",
        ]
    );
    assert_eq!(
        told(vec![]),
        [
            "`kind` is missing from `[network]` | here | write `kind = ` and one of \"mesh\", \
          \"tree\" or \"file\""
        ]
    );
}

#[test]
fn two_ways_of_saying_the_same_are_one_too_many() {
    assert_eq!(
        told(mesh(vec![("radix", 4_u64.into())])),
        [
            "`[network]` has both `radices` and `radix` | `radices` is there already | one of them is \
          enough"
        ]
    );
}

#[test]
fn types_are_checked_and_quotes_seen() {
    assert_eq!(
        told(mesh(vec![
            ("share", "0.5".into()),
            ("loud", 1_u64.into()),
            ("colour", false.into()),
            ("sizes", 3_u64.into()),
        ])),
        [
            "`share` must be a number, not a string | a string | remove the quotes: 0.5",
            "`loud` must be true or false, not a whole number | a whole number | write `loud = true` \
             or `loud = false`",
            "`colour` must be a word, not true or false | true or false | write one of \"red\" or \
             \"green\"",
            "`sizes` must be an array, not a whole number | a whole number | write the values in \
             square brackets, such as [1, 2, 3]",
        ]
    );
    assert_eq!(
        told(vec![("kind", "file".into()), ("path", "away.csv".into())]),
        [
            "cannot read away.csv | this file | `path` is a path relative to the folder of the scenario \
          file"
        ]
    );
}
