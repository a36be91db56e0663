//! The page of a reproduction: every figure and table of the papers, and the claims with their
//! verdicts.
//!
//! Invariant: figures are images of their own, whatever their files hold: nothing of them runs, and
//! none takes the names of another's parts.

use crate::reproduce::claims::{CLAIM_COLUMNS, Verdict};
use crate::reproduce::items::Items;
use crate::reproduce::library::Paper;
use flitsim_report::html::{begin_table, end_table, push_cells};
use flitsim_report::page::{COMMON_SCRIPT, begin, end};
use flitsim_report::svg::escape;
use flitsim_report::words::count;
use serde_json::Value;
use std::fmt::Write;

const SCRIPTS: [&str; 2] = [COMMON_SCRIPT, include_str!("papers.js")];

/// Rows of a table that a page shows; its file has all.
const ROWS_MOST: usize = 40;

/// A line of `claims.csv`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimRow {
    /// Its values, in the order of `CLAIM_COLUMNS`.
    pub fields: [String; CLAIM_COLUMNS.len()],
}

impl ClaimRow {
    fn field(&self, column: &str) -> &str {
        let index = CLAIM_COLUMNS.iter().position(|name| *name == column);
        index.map_or("", |index| &self.fields[index])
    }
}

/// What there is of a table or a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemFiles {
    /// The paper's name.
    pub paper: String,
    /// Its own.
    pub item: String,
    /// The figure, where it is one.
    pub svg: Option<String>,
    /// The table: a header and rows.
    pub csv: Vec<Vec<String>>,
}

/// The page of `items`, those of a paper together, with `claims`.
pub fn to_html(claims: &[ClaimRow], items: &[ItemFiles]) -> String {
    let mut html = String::new();
    let of = |verdict: Verdict| {
        let mine = claims
            .iter()
            .filter(|row| row.field("verdict") == verdict.as_str());
        mine.count()
    };
    let subtitle = format!(
        "{}: {} hold, {} differ, {} not checked; {}; flitsim {}",
        count(claims.len() as u64, "claim"),
        of(Verdict::Holds),
        of(Verdict::Differs),
        of(Verdict::NotChecked),
        match items.len() {
            1 => "1 table or figure".to_owned(),
            many => format!("{many} tables and figures"),
        },
        env!("CARGO_PKG_VERSION"),
    );
    begin(&mut html, "Papers reproduced", &subtitle);
    push_claims(&mut html, claims, items);
    for of_paper in items.chunk_by(|a, b| a.paper == b.paper) {
        push_paper(&mut html, of_paper);
    }
    end(&mut html, &Value::Null, &SCRIPTS);
    html
}

fn push_claims(html: &mut String, claims: &[ClaimRow], items: &[ItemFiles]) {
    html.push_str("<section id=\"claims\">\n<h2>Claims</h2>\n<div class=\"controls live\">\n<div id=\"verdicts\" class=\"legend\" role=\"group\" aria-label=\"Verdicts shown\">\n");
    for verdict in [Verdict::Holds, Verdict::Differs, Verdict::NotChecked] {
        let word = verdict.as_str();
        let _ = writeln!(
            html,
            "<button aria-pressed=\"true\" value=\"{word}\">{word}</button>"
        );
    }
    html.push_str("</div>\n<label for=\"paper\">Paper</label> <select id=\"paper\"><option value=\"\">all</option>");
    for of_paper in items.chunk_by(|a, b| a.paper == b.paper) {
        let name = escape(&of_paper[0].paper);
        let _ = write!(html, "<option>{name}</option>");
    }
    html.push_str("</select>\n</div>\n<p id=\"count\" class=\"faint live\" role=\"status\"></p>\n");
    // The paper's words are shown below ours.
    let shown = CLAIM_COLUMNS.iter().filter(|column| **column != "sentence");
    let headers = shown.map(|column| (*column, false));
    begin_table(html, "Claims", "sortable", headers);
    for claim in claims {
        let verdict = escape(claim.field("verdict"));
        let _ = write!(
            html,
            "<tr class=\"{verdict}\" data-verdict=\"{verdict}\" data-paper=\"{}\">",
            escape(claim.field("paper")),
        );
        for (column, value) in CLAIM_COLUMNS.iter().zip(&claim.fields) {
            let mut cell = escape(value);
            let is_here = |item: &&ItemFiles| {
                item.paper == claim.field("paper") && item.item == claim.field("item")
            };
            if *column == "item"
                && let Some(item) = items.iter().find(is_here)
            {
                cell = format!("<a href=\"#{}\">{cell}</a>", id(item));
            }
            match *column {
                "claim" if !claim.field("sentence").is_empty() => {
                    let sentence = escape(claim.field("sentence"));
                    let _ = write!(cell, "<br><i>“{sentence}”</i>");
                }
                "sentence" => continue,
                _ => {}
            }
            let _ = write!(html, "<td class=\"{column}\">{cell}</td>");
        }
        html.push_str("</tr>\n");
    }
    end_table(html);
    html.push_str("</section>\n");
}

/// The name of an item's figure on the page.
fn id(item: &ItemFiles) -> String {
    escape(&format!("{}/{}", item.paper, item.item))
}

fn push_paper(html: &mut String, items: &[ItemFiles]) {
    let name = &items[0].paper;
    let known = Paper::of_name(name).map(Paper::items);
    let _ = writeln!(html, "<section class=\"paper\" id=\"{}\">", escape(name));
    match &known {
        Some(Items { paper, .. }) => {
            let _ = writeln!(
                html,
                "<h2>{}</h2>\n<p class=\"faint\">{}, {}</p>",
                escape(&paper.title),
                escape(&paper.authors),
                escape(&paper.published),
            );
        }
        None => {
            let _ = writeln!(html, "<h2>{}</h2>", escape(name));
        }
    }
    html.push_str("<div class=\"figures\">\n");
    for item in items {
        let known = known.iter().flat_map(|known| &known.items);
        let title = known.clone().find(|known| known.name == item.item);
        let title = title.map_or("", |known| &known.title);
        push_item(html, item, title);
    }
    html.push_str("</div>\n</section>\n");
}

fn push_item(html: &mut String, item: &ItemFiles, title: &str) {
    let caption = match title {
        "" => escape(&item.item),
        title => format!("{}: {}", escape(&item.item), escape(title)),
    };
    let _ = writeln!(
        html,
        "<figure class=\"item\" id=\"{}\">\n<figcaption>{caption}</figcaption>",
        id(item)
    );
    match &item.svg {
        Some(svg) => {
            let _ = writeln!(
                html,
                "<img alt=\"{caption}; its numbers are in {0}.csv\" src=\"data:image/svg+xml,{1}\">",
                escape(&item.item),
                encoded(svg),
            );
        }
        None => push_table(html, item),
    }
    html.push_str("</figure>\n");
}

fn push_table(html: &mut String, item: &ItemFiles) {
    let Some((header, rows)) = item.csv.split_first() else {
        return;
    };
    let headers = header.iter().map(|name| (name.as_str(), false));
    begin_table(html, &item.item, "", headers);
    for row in rows.iter().take(ROWS_MOST) {
        html.push_str("<tr>");
        for value in row {
            let is_number = value.parse::<f64>().is_ok();
            let class = if is_number { "number" } else { "" };
            push_cells(html, class, [value.clone()]);
        }
        html.push_str("</tr>\n");
    }
    end_table(html);
    if rows.len() > ROWS_MOST {
        let _ = writeln!(
            html,
            "<p class=\"faint\">The first {ROWS_MOST} of {} rows; {}/{}.csv has all.</p>",
            rows.len(),
            escape(&item.paper),
            escape(&item.item),
        );
    }
}

/// `svg` as the rest of a `data:` address in an attribute.
fn encoded(svg: &str) -> String {
    let mut text = String::with_capacity(svg.len() + svg.len() / 3);
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => text.push(char::from(byte)),
            b' ' | b'-' | b'_' | b'.' | b',' | b';' | b':' | b'/' | b'=' | b'(' | b')' | b'\'' => {
                text.push(char::from(byte));
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let claim = |verdict: &str| {
            let mut row = ClaimRow::default();
            row.fields[0] = "some-paper".to_owned();
            row.fields[2] = "a < b".to_owned();
            row.fields[6] = verdict.to_owned();
            if verdict == "differs" {
                row.fields[9] = "a & b are equal".to_owned();
            }
            row
        };
        let item = |paper: &str, item: &str, svg: Option<&str>| ItemFiles {
            paper: paper.to_owned(),
            item: item.to_owned(),
            svg: svg.map(str::to_owned),
            csv: vec![vec!["n".to_owned()], vec!["<1>".to_owned()]],
        };
        let items = [
            item("dally-k-ary-n-cubes", "fig8", Some("<svg>\"é#</svg>")),
            item("some-paper", "table1", None),
        ];
        to_html(&[claim("holds"), claim("differs")], &items)
    }

    #[test]
    fn claims_are_told_by_verdict_and_nothing_is_markup() {
        let html = page();
        assert!(html.contains("2 claims: 1 hold, 1 differ, 0 not checked"));
        assert!(html.contains("<tr class=\"differs\" data-verdict=\"differs\""));
        assert!(html.contains("a &lt; b</td>") && html.contains("&lt;1&gt;"));
        let beside = "<td class=\"claim\">a &lt; b<br><i>“a &amp; b are equal”</i></td>";
        assert!(html.contains(beside) && !html.contains("class=\"sentence\""));
    }

    #[test]
    fn figures_are_images_and_tables_are_tables() {
        let html = page();
        assert!(html.contains("src=\"data:image/svg+xml,%3Csvg%3E%22%C3%A9%23%3C/svg%3E\""));
        assert!(
            html.contains("A Performance") || html.contains("fig8: "),
            "titles"
        );
        assert_eq!(html.matches("<section class=\"paper\"").count(), 2);
    }
}
