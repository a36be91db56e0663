//! Which series `--series` means: its name, its number in the scenario, or a part of its name that no
//! other has.

use crate::error::CommandError;
use flitsim_scenario::Plan;
use flitsim_scenario::error::nearest;

/// The index of the series of `plan` that `wanted` names; none where it is none.
///
/// # Errors
///
/// Those of [`find`], as input that is wrong.
pub fn wanted_of(plan: &Plan, wanted: Option<&str>) -> Result<Option<usize>, CommandError> {
    let names: Vec<&str> = plan.series.iter().map(|series| &*series.name).collect();
    let found = wanted.map(|wanted| find(&names, wanted));
    found.transpose().map_err(CommandError::Input)
}

/// The place in `names` of the series that `wanted` means.
///
/// # Errors
/// None or several that it could mean, in words.
pub fn find(names: &[&str], wanted: &str) -> Result<usize, String> {
    let found = find_all(names, wanted)?;
    match found[..] {
        [index] => Ok(index),
        _ => Err(format!(
            "several series have \"{wanted}\" in their name: {}",
            all(names, found.iter().copied())
        )),
    }
}

/// The places in `names` of the series that `wanted` may mean, at least one: one by its name or number, or
/// all with this in their names.
///
/// # Errors
/// None that it could mean, in words.
pub fn find_all(names: &[&str], wanted: &str) -> Result<Vec<usize>, String> {
    if let Some(index) = names.iter().position(|name| *name == wanted) {
        return Ok(vec![index]);
    }
    if let Ok(number) = wanted.parse::<usize>()
        && (1..=names.len()).contains(&number)
    {
        return Ok(vec![number - 1]);
    }
    let part = plain(wanted);
    let fits = |index: &usize| plain(names[*index]).contains(&part);
    let found: Vec<usize> = (0..names.len()).filter(fits).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    Err(match nearest(wanted, names.iter().copied()) {
        Some(near) => format!("no series is named \"{wanted}\": did you mean \"{near}\"?"),
        None => format!(
            "no series is named \"{wanted}\": there are {}",
            all(names, 0..names.len())
        ),
    })
}

/// As it is typed: in lower case, and with the letter x for the sign of multiplication.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('×', "x")
}

/// The series `which` with their numbers.
fn all(names: &[&str], which: impl Iterator<Item = usize>) -> String {
    let told = which.map(|index| format!("{} \"{}\"", index + 1, names[index]));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_found_by_name_number_or_part() {
        let names = ["8-ary 2-cube (torus)", "8×8 mesh", "torus", "2"];
        assert_eq!(find(&names, "torus"), Ok(2));
        assert_eq!(find(&names, "2"), Ok(3), "a name comes before a number");
        assert_eq!(find(&names, "1"), Ok(0));
        assert_eq!(find(&names, "8x8 Mesh"), Ok(1));
        assert_eq!(find(&names, "(tor"), Ok(0));
        let several = find(&names, "8").unwrap_err();
        assert!(
            several.contains("1 \"8-ary 2-cube (torus)\", 2 \"8×8 mesh\""),
            "{several}"
        );
        assert!(
            find(&names, "tours")
                .unwrap_err()
                .contains("did you mean \"torus\"?")
        );
        let none = find(&names, "hypercube").unwrap_err();
        assert!(
            none.contains("there are 1 \"8-ary") && none.contains("4 \"2\""),
            "{none}"
        );
        assert!(find(&names, "5").is_err());
    }
}
