//! `report.html`: one page that a browser shows without any network, with what was simulated, the
//! charts, the table of points, and how to repeat it.
//!
//! Invariant: every text that comes from a scenario is escaped; style and charts are in the page;
//! nothing depends on machine or time.

use super::chart;
use super::figure::Figure;
use super::frame::Size;
use super::svg::escape;
use super::words;
use crate::point::Status;
use crate::results::Row;
use crate::results::number::brief;
use crate::scenario::Plan;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

const READING: &str = "Each point is an open-loop simulation: terminals create packets at the \
    offered load whatever the network does. Latency runs from the creation of a packet to the \
    arrival of its last flit, the wait in the source queue included; ± and the bands are 95 % \
    confidence intervals. At low load the curve starts at the zero-load latency. Where the network \
    accepts less than is offered, queues grow without end and no mean latency exists: such a point \
    is saturated, and the latency chart draws a wall at the first of them. Saturation lies between \
    the last stable load and the wall.";

const READING_OF_WORKLOADS: &str = "A closed loop, a batch and a trace ask for no load: a load is \
    the number of requests that each node has outstanding, or the packets that each sends, or the \
    trace, once. A closed loop is measured in its steady state; a round trip runs from the creation \
    of a request to the arrival of its reply. The others run until everything has arrived: the \
    makespan, from cycle 0. Their means are of all packets and have no intervals, but over replicas.";

/// What a report shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// What was simulated.
    pub plan: &'a Plan,
    /// The rows, in scenario order.
    pub rows: &'a [Row],
    /// The curves.
    pub figure: &'a Figure,
    /// Points that failed and have no row.
    pub failed: usize,
}

impl Page<'_> {
    /// The page.
    pub fn to_html(&self) -> String {
        let plan = self.plan;
        let title = escape(&plan.title);
        let mut html = String::new();
        html.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        let _ = write!(
            html,
            "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        let _ = writeln!(html, "<p class=\"faint\">{}</p>", escape(&self.subtitle()));
        if self.failed > 0 {
            let _ = writeln!(
                html,
                "<p><strong>{} could not be simulated and {} missing here; manifest.json says \
                 why.</strong></p>",
                words::count(self.failed as u64, "point"),
                if self.failed == 1 { "is" } else { "are" },
            );
        }
        self.push_charts(&mut html);
        html.push_str("<h2>How to read it</h2>\n");
        if plan.series.iter().any(|series| series.workload.is_none()) {
            let _ = writeln!(html, "<p>{READING}</p>");
        }
        if plan.series.iter().any(|series| series.workload.is_some()) {
            let _ = writeln!(html, "<p>{READING_OF_WORKLOADS}</p>");
        }
        self.push_series(&mut html);
        self.push_points(&mut html);
        self.push_scenario(&mut html);
        html.push_str("</body>\n</html>\n");
        html
    }

    fn subtitle(&self) -> String {
        format!(
            "{} of {}, seed {}, flitsim {}",
            words::count(self.rows.len() as u64, "point"),
            words::count(self.plan.series.len() as u64, "series"),
            self.plan.seed,
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn push_charts(&self, html: &mut String) {
        let (of_latency, of_accepted) = match self.figure.is_open_loop() {
            true => (
                "Latency against offered load",
                "Accepted against offered load",
            ),
            false => ("Latency", "Accepted load"),
        };
        let latency = Figure {
            title: of_latency.to_owned(),
            ..self.figure.clone()
        };
        let accepted = Figure {
            title: of_accepted.to_owned(),
            ..self.figure.clone()
        };
        for (class, size) in [("wide", Size::WIDE), ("narrow", Size::NARROW)] {
            let _ = write!(
                html,
                "<figure class=\"{class}\">\n{}</figure>\n<figure class=\"{class}\">\n{}</figure>\n",
                chart::latency(&latency, size, &format!("latency-{class}")),
                chart::accepted(&accepted, size, &format!("accepted-{class}")),
            );
        }
    }

    fn push_series(&self, html: &mut String) {
        html.push_str(
            "<h2>What was simulated</h2>\n<div class=\"scroll\">\n<table class=\"series\">\n<tr>",
        );
        for header in ["series", "network", "routing", "router", "traffic"] {
            let _ = write!(html, "<th>{header}</th>");
        }
        html.push_str("</tr>\n");
        for series in &self.plan.series {
            let cells = [
                series.name.clone(),
                words::network(series),
                words::routing(series),
                words::router(series),
                words::traffic(series),
            ];
            html.push_str("<tr>");
            for cell in cells {
                let _ = write!(html, "<td>{}</td>", escape(&cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</table>\n</div>\n");
    }

    fn push_points(&self, html: &mut String) {
        html.push_str("<h2>Points</h2>\n");
        html.push_str(
            "<p class=\"faint\">Loads in flits per node per cycle where no unit is given, \
             latencies in cycles. points.csv has the same numbers and more.</p>\n",
        );
        html.push_str("<div class=\"scroll\">\n<table>\n<tr><th>series</th>");
        for header in [
            "load",
            "offered",
            "accepted",
            "mean latency",
            "median",
            "99 %",
            "in the network",
            "hops",
            "packets",
        ] {
            let _ = write!(html, "<th class=\"number\">{header}</th>");
        }
        let more = Columns::of(self.rows);
        if more.round_trip {
            html.push_str("<th class=\"number\">round trip</th>");
        }
        if more.makespan {
            html.push_str("<th class=\"number\">makespan</th>");
        }
        html.push_str("<th>status</th></tr>\n");
        let mut before = None;
        for row in self.rows {
            let first = before.is_some_and(|name| name != &row.series);
            push_row(html, row, first, more);
            before = Some(&row.series);
        }
        html.push_str("</table>\n</div>\n");
    }

    fn push_scenario(&self, html: &mut String) {
        let file = self.plan.path.file_name().unwrap_or_default();
        let file = words::shell_quoted(&file.to_string_lossy());
        let _ = write!(
            html,
            "<h2>To repeat it</h2>\n<pre>flitsim sweep {} --seed {}</pre>\n\
             <p>with flitsim {} and this scenario:</p>\n<pre>{}</pre>\n",
            escape(&file),
            self.plan.seed,
            env!("CARGO_PKG_VERSION"),
            escape(&self.plan.text),
        );
    }
}

/// The columns that only some reports have.
#[derive(Clone, Copy)]
struct Columns {
    round_trip: bool,
    makespan: bool,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        Self {
            round_trip: rows.iter().any(|row| row.round_trip_mean.is_some()),
            makespan: rows.iter().any(|row| row.makespan_cycles.is_some()),
        }
    }
}

fn push_row(html: &mut String, row: &Row, first: bool, more: Columns) {
    let unstable = matches!(row.status, Status::Saturated | Status::Deadlock);
    let class = match (unstable, first) {
        (true, true) => " class=\"unstable first\"",
        (true, false) => " class=\"unstable\"",
        (false, true) => " class=\"first\"",
        (false, false) => "",
    };
    let _ = write!(
        html,
        "<tr{class}><td class=\"name\">{}</td>",
        escape(&row.series)
    );
    let unit = match row.load_unit.as_str() {
        super::figure::FLITS => String::new(),
        unit => format!(" {unit}"),
    };
    let mut cells = vec![
        format!("{}{unit}", brief(row.load, 6)),
        number(row.offered_flits),
        with_interval(row.accepted_flits, row.accepted_ci95),
        with_interval(row.latency_mean, row.latency_ci95),
        number(row.latency_p50),
        number(row.latency_p99),
        number(row.network_latency_mean),
        number(row.hops_mean),
        row.packets_measured.to_string(),
    ];
    if more.round_trip {
        cells.push(with_interval(row.round_trip_mean, row.round_trip_ci95));
    }
    if more.makespan {
        // Counted: every digit.
        let whole = row.makespan_cycles.map(|cycles| brief(cycles, 12));
        cells.push(match (whole, row.makespan_ci95) {
            (Some(whole), None) => whole,
            _ => with_interval(row.makespan_cycles, row.makespan_ci95),
        });
    }
    for cell in cells {
        let _ = write!(html, "<td class=\"number\">{}</td>", escape(&cell));
    }
    let _ = writeln!(
        html,
        "<td class=\"status\">{}</td></tr>",
        row.status.as_str()
    );
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| brief(value, 4))
}

fn with_interval(value: Option<f64>, half_width: Option<f64>) -> String {
    match (value, half_width) {
        (Some(value), Some(half)) => format!("{} ± {}", brief(value, 4), brief(half, 2)),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{curves, plan};

    fn page(failed: usize) -> String {
        let loads = [0.1, 0.2, 0.3];
        let mut plan = plan(&[("<b>bold</b>", &loads)]);
        plan.text = "# </pre><script>alert(1)</script>\n".to_owned();
        plan.path = "some/where/a b.toml".into();
        let rows = curves(&[("<b>bold</b>", 20.0, 0.25)], &loads);
        let series = [("<b>bold</b>", Some(20.0))];
        let figure = Figure::new(&plan.title, &series, &rows, 500.0);
        let page = Page {
            plan: &plan,
            rows: &rows,
            figure: &figure,
            failed,
        };
        page.to_html()
    }

    #[test]
    fn nothing_of_a_scenario_is_markup() {
        let html = page(0);
        assert!(!html.contains("<script") && !html.contains("<b>"));
        assert!(html.contains("&lt;/pre&gt;&lt;script&gt;"));
        assert!(html.contains("<title>A &lt;test&gt; &amp; more</title>"));
        assert!(html.contains("flitsim sweep &#39;a b.toml&#39; --seed 1"));
        assert!(!html.contains("some/where"), "no paths of the machine");
    }

    #[test]
    fn the_page_stands_alone_and_its_charts_are_well_formed() {
        let html = page(0);
        for reference in ["src=", "href=", "@import", "url(http", "<link"] {
            assert!(!html.contains(reference), "{reference}");
        }
        let charts: Vec<&str> = html.split("<figure class=").skip(1).collect();
        assert_eq!(charts.len(), 4);
        let mut clips = std::collections::BTreeSet::new();
        for chart in charts {
            let svg = &chart[chart.find("<svg").unwrap()..chart.find("</figure>").unwrap()];
            let document = roxmltree::Document::parse(svg).unwrap();
            let clip = document.descendants().find_map(|node| node.attribute("id"));
            clips.insert(clip.unwrap().to_owned());
        }
        assert_eq!(clips.len(), 4, "identifiers are unique on the page");
    }

    #[test]
    fn saturated_and_missing_points_are_marked() {
        let html = page(1);
        assert_eq!(html.matches("<tr class=\"unstable\">").count(), 1);
        assert!(html.contains("1 point could not be simulated and is missing here"));
        assert!(!page(0).contains("could not be simulated"));
    }
}
