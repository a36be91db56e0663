//! Tables of pages.

use crate::svg::escape;
use std::fmt::Write;

/// Begins a table in a box that scrolls, called `label`; `headers` say of each column whether it is of
/// numbers.
pub fn begin_table<'h>(
    html: &mut String,
    label: &str,
    class: &str,
    headers: impl IntoIterator<Item = (&'h str, bool)>,
) {
    let label = escape(label);
    let class = of_class(class);
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{label}\">\n<table{class}>\n<thead><tr>"
    );
    for (header, is_number) in headers {
        let class = of_class(if is_number { "number" } else { "" });
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(header));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
}

/// The attribute of a class; nothing where there is none.
pub fn of_class(class: &str) -> String {
    if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    }
}

/// Adds cells to a row.
pub fn push_cells(html: &mut String, class: &str, cells: impl IntoIterator<Item = String>) {
    let class = of_class(class);
    for cell in cells {
        let _ = write!(html, "<td{class}>{}</td>", escape(&cell));
    }
}

/// Ends the table and its box.
pub fn end_table(html: &mut String) {
    html.push_str("</tbody>\n</table>\n</div>\n");
}
