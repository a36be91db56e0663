//! `docs/scenario-format.md` has a row for each key, with the default, the range and the words that its
//! description has.

use flitsim_keys::{Absent, Description, Foreign, Shape};
use flitsim_scenario::foreign::FOREIGN;
use flitsim_scenario::tables::TABLES;

const FORMAT: &str = include_str!("../../../docs/scenario-format.md");

/// The rows of the section of a heading, up to the next heading of the same rank.
fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let start = text
        .find(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no section {heading}"));
    let rest = &text[start + 4..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// A number as the documentation writes it: with commas, and large powers of two as such.
fn shown(number: u64) -> String {
    let exponents = [
        (1 << 40, "2⁴⁰"),
        (1 << 53, "2⁵³"),
        (i64::MAX as u64, "2⁶³ − 1"),
    ];
    if let Some((_, power)) = exponents.iter().find(|(n, _)| *n == number) {
        return (*power).to_owned();
    }
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// What a row of the documentation must say of a default; `None` where it depends.
fn default_of(key: &Description) -> Option<String> {
    Some(match key.absent {
        Absent::Integer(number) => shown(number),
        Absent::Number(number) => number.to_string(),
        Absent::Flag(flag) => flag.to_string(),
        Absent::Word(word) => format!("`\"{word}\"`"),
        Absent::Empty => "none".to_owned(),
        Absent::As(other) => format!("as `{other}`"),
        Absent::Refused(_) => "required".to_owned(),
        Absent::Nothing(_) | Absent::Table(_) => return None,
    })
}

/// What a row must say of what the key takes.
fn ranges_of(shape: &Shape) -> Vec<String> {
    match shape {
        // Whatever 32 bits hold is what the network has.
        Shape::Integer { most, .. } if *most == u64::from(u32::MAX) => Vec::new(),
        Shape::Integer { least, most, .. } => vec![format!("{} – {}", shown(*least), shown(*most))],
        Shape::Word(words) => words().iter().map(|word| format!("`\"{word}\"`")).collect(),
        Shape::List { of, .. } => ranges_of(of),
        _ => Vec::new(),
    }
}

#[test]
fn the_format_documents_every_key_as_it_is_described() {
    let mut wrong: Vec<String> = Vec::new();
    for table in TABLES {
        let name = table.name;
        let section = section(FORMAT, &format!("`[{name}]`"));
        for key in table.all_keys() {
            let begin = format!("| `{}` |", key.name);
            let row = section.lines().find(|line| line.starts_with(&begin));
            let row = row.unwrap_or_else(|| panic!("`[{name}]` has no row of `{}`", key.name));
            let cells: Vec<&str> = row.split(" | ").collect();
            let [_, _, default, range, ..] = cells[..] else {
                panic!("too few cells: {row}");
            };
            let default_missing = default_of(&key).filter(|wanted| !default.contains(wanted));
            wrong.extend(default_missing.map(|wanted| format!("the default is {wanted}: {row}")));
            let there = if range == "see below" { section } else { range };
            let ranges = ranges_of(&key.shape).into_iter();
            let missing = ranges.filter(|wanted| {
                !there.contains(wanted) && !there.contains(&wanted.replace('"', ""))
            });
            wrong.extend(missing.map(|wanted| format!("it takes {wanted}: {row}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What keys are called elsewhere is documented, and the keys here are there.
#[test]
fn names_of_other_programs_lead_to_keys() {
    for Foreign {
        name,
        of,
        table,
        key,
    } in FOREIGN
    {
        let row = format!("| `{name}` | `{key}` in `[{table}]` | {of} |");
        assert!(FORMAT.contains(&row), "{row}");
        let word = key.split([' ', '`']).next().unwrap();
        let table = TABLES.iter().find(|own| own.name == table).unwrap();
        assert!(table.all_keys().iter().any(|own| own.name == word), "{row}");
    }
}
