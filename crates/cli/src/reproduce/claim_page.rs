//! The claims of a paper as a page: `claims.md`, a table for each item.

use super::claims::{Checked, Claim, Source, Verdict};
use super::items::Items;
use std::fmt::Write;

/// The verdicts on a paper's claims in Markdown, in the order of its items.
pub fn claims_page(items: &Items, verdicts: &[Checked<'_>]) -> String {
    let tally = |source| {
        let count = |verdict| {
            let is_one = |c: &&Checked<'_>| c.verdict == verdict && c.claim.source == source;
            verdicts.iter().filter(is_one).count()
        };
        format!(
            "{} hold, {} differ, {} are not checked",
            count(Verdict::Holds),
            count(Verdict::Differs),
            count(Verdict::NotChecked)
        )
    };
    let mut page = format!(
        "Claims of the paper: {}. Experiments and numbers of ours: {}.\n",
        tally(Source::Paper),
        tally(Source::Ours)
    );
    for item in &items.items {
        let mut own = verdicts
            .iter()
            .filter(|checked| checked.claim.item == item.name)
            .peekable();
        if own.peek().is_none() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n### {}: {}\n\n| where | claim | expected | measured | verdict |\n\
             | --- | --- | --- | --- | --- |\n",
            cell(&item.name),
            cell(&item.title)
        );
        for checked in own {
            let claim = checked.claim;
            let tolerance = match claim.tolerance_text() {
                text if text.is_empty() || text == "0" => String::new(),
                text => format!(" ± {text}"),
            };
            let verdict = match checked.verdict {
                Verdict::Differs => "**differs**",
                other => other.as_str(),
            };
            let note = match checked.note.as_str() {
                "" => String::new(),
                note => format!(": {}", cell(note)),
            };
            let _ = writeln!(
                page,
                "| {} | {}{} | {}{tolerance} | {} | {verdict}{note} |",
                place(claim),
                cell(&claim.claim),
                sentence(claim),
                cell(&claim.expected_text()),
                cell(&checked.measured),
            );
        }
    }
    page
}

/// Where a claim stands.
fn place(claim: &Claim) -> String {
    let place = cell(&claim.place);
    match claim.source {
        Source::Paper => place,
        Source::Ours => format!("ours, on {place}"),
    }
}

/// The paper's words, below ours.
fn sentence(claim: &Claim) -> String {
    match claim.sentence.as_str() {
        "" => String::new(),
        sentence => format!("<br>*“{}”*", cell(sentence)),
    }
}

/// `text` within a cell: a bar would end it, `<`, `*` and `[` are no markup here.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '|' | '<' | '*' | '[' | '_' | '\\' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::library::PAPERS;
    use crate::reproduce::measure::Tables;

    #[test]
    fn every_claim_is_a_row_of_its_item() {
        for paper in PAPERS {
            let claims = paper.claims().claims;
            let nothing = Tables::new();
            let verdicts: Vec<_> = claims
                .iter()
                .map(|claim| claim.check(&nothing, true).unwrap())
                .collect();
            let page = claims_page(&paper.items(), &verdicts);
            let ours = claims.iter().filter(|c| c.source == Source::Ours).count();
            let first = format!(
                "Claims of the paper: 0 hold, 0 differ, {} are not checked. Experiments and numbers \
                 of ours: 0 hold, 0 differ, {ours} are not checked.",
                claims.len() - ours
            );
            assert_eq!(page.lines().next(), Some(first.as_str()));
            let rows = page.lines().filter(|line| line.starts_with("| "));
            let headings = page.lines().filter(|line| line.starts_with("### "));
            let wanted = claims.len() + 2 * headings.count();
            assert_eq!(rows.count(), wanted, "{}", paper.name);
            let quoted = claims.iter().filter(|claim| !claim.sentence.is_empty());
            assert_eq!(page.matches("<br>*“").count(), quoted.count());
        }
    }

    #[test]
    fn a_cell_stays_a_cell() {
        assert_eq!(cell("a < b | S_5 * [2]"), r"a \< b \| S\_5 \* \[2]");
    }
}
