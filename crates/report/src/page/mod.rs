//! `report.html`: one page that a browser shows without any network, with what was simulated, the
//! charts, the network coloured by load, the table of points, and how to repeat it.
//!
//! Invariant: every text that comes from a scenario is escaped; style, script and data are in the page,
//! and its content security policy lets it load nothing else; nothing depends on machine or time. The
//! charts and tables are there without the script, which makes them answer.

mod data;
mod extra;
mod picture;
mod tables;

use super::chart;
use super::figure::{Figure, Time};
use super::frame::Size;
use super::prospect::Prospect;
use super::svg::escape;
use super::words;
use flitsim_scenario::Plan;
use flitsim_sweep::results::{PointExtra, Row};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");

/// What every page does: the theme, sorting, copying.
pub const COMMON_SCRIPT: &str = include_str!("common.js");

const SCRIPTS: [&str; 8] = [
    COMMON_SCRIPT,
    include_str!("chart.js"),
    include_str!("download.js"),
    include_str!("network.js"),
    include_str!("histogram.js"),
    include_str!("explore.js"),
    include_str!("sweep.js"),
    include_str!("explorer.js"),
];

/// Nothing is loaded: not even from where the page lies.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'";

const READING: &str = "Each point is an open-loop simulation: terminals create packets at the \
    offered load whatever the network does. Latency runs from the creation of a packet to the \
    arrival of its last flit, the wait in the source queue included; ± and the bands are 95 % \
    confidence intervals. At low load the curve starts at the zero-load latency. Where the network \
    accepts less than is offered, queues grow without end and no mean latency exists: such a point \
    is saturated, and the latency chart draws a dashed line at the first of them. Saturation lies between \
    the last stable load and that line.";

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
    /// By row: what else is known of its point.
    pub extras: &'a [PointExtra],
    /// By series: what is known before any cycle.
    pub prospects: &'a [Option<Prospect>],
    /// The curves.
    pub figure: &'a Figure,
    /// Points that failed and have no row.
    pub failed: usize,
    /// Points that are not simulated yet.
    pub pending: usize,
    /// Whether the sweep ran even where a routing can deadlock.
    pub allows_deadlock: bool,
    /// The version of flitsim that simulated.
    pub version: &'a str,
}

impl Page<'_> {
    /// The page.
    pub fn to_html(&self) -> String {
        let mut html = String::new();
        begin(&mut html, &self.plan.title, &self.subtitle());
        self.push_contents(&mut html);
        self.push_missing(&mut html);
        self.push_charts(&mut html);
        tables::push_saturation(self, &mut html);
        html.push_str(AT_ONE_LOAD);
        html.push_str(ANY_COLUMN);
        tables::push_series(self, &mut html);
        tables::push_points(self, &mut html);
        html.push_str("<section id=\"reading\">\n<h2>How to read it</h2>\n");
        let series = &self.plan.series;
        if series.iter().any(|series| series.workload.is_none()) {
            let _ = writeln!(html, "<p>{READING}</p>");
        }
        if series.iter().any(|series| series.workload.is_some()) {
            let _ = writeln!(html, "<p>{READING_OF_WORKLOADS}</p>");
        }
        html.push_str("</section>\n");
        self.push_scenario(&mut html);
        end(&mut html, &data::of_page(self), &SCRIPTS);
        html
    }

    fn subtitle(&self) -> String {
        format!(
            "{} of {}, seed {}, flitsim {}",
            words::count(self.rows.len() as u64, "point"),
            words::count(self.plan.series.len() as u64, "series"),
            self.plan.seed,
            self.version,
        )
    }

    fn push_contents(&self, html: &mut String) {
        html.push_str("<nav aria-label=\"Contents\"><ul>");
        for (id, name, is_live) in [
            ("curves", "Curves", false),
            ("saturation", "Saturation and bounds", false),
            ("one-load", "At one load", true),
            ("explore", "Any column", true),
            ("simulated", "What was simulated", false),
            ("points", "Points", false),
            ("reading", "How to read it", false),
            ("repeat", "To repeat it", false),
        ] {
            if id == "saturation" && !self.figure.is_open_loop() {
                continue;
            }
            let class = if is_live { " class=\"live\"" } else { "" };
            let _ = write!(html, "<li{class}><a href=\"#{id}\">{name}</a></li>");
        }
        html.push_str("</ul></nav>\n");
    }

    fn push_missing(&self, html: &mut String) {
        let are = |count| if count == 1 { "is" } else { "are" };
        if self.failed > 0 {
            let _ = writeln!(
                html,
                "<p><strong>{} could not be simulated and {} missing here; manifest.json says \
                 why.</strong></p>",
                words::count(self.failed as u64, "point"),
                are(self.failed),
            );
        }
        if self.pending > 0 {
            let _ = writeln!(
                html,
                "<p><strong>{} {} not simulated yet and missing here; the sweep goes on with \
                 --resume.</strong></p>",
                words::count(self.pending as u64, "point"),
                are(self.pending),
            );
        }
    }

    fn push_charts(&self, html: &mut String) {
        let time_title = match self.figure.time() {
            Time::Latency => "Latency",
            Time::RoundTrip => "Round trip",
            Time::Makespan => "Makespan",
        };
        let (of_latency, of_accepted) = if self.figure.is_open_loop() {
            (
                "Latency against offered load",
                "Accepted against offered load",
            )
        } else {
            (time_title, "Accepted load")
        };
        html.push_str("<section id=\"curves\">\n<h2>Curves</h2>\n");
        let energy = match self.rows.iter().any(|row| row.power_mw.is_some()) {
            true => ENERGY_CHARTS,
            false => "",
        };
        let _ = write!(
            html,
            "<div class=\"live\">\n<div id=\"legend\" class=\"legend\" role=\"group\" \
             aria-label=\"Series shown\"></div>\n<div class=\"controls\" role=\"group\" \
             aria-label=\"Axes\">\n<button id=\"log-load\" aria-pressed=\"false\">logarithmic \
             load</button>\n<button id=\"log-latency\" aria-pressed=\"false\">logarithmic \
             latency</button>\n<button id=\"bounds\" aria-pressed=\"false\">ideal \
             bounds</button>\n</div>\n<p class=\"faint hint\">Point at a curve, or focus a chart and use the \
             arrow keys, to read its values; Enter or a click looks into the point \
             below. Drag over a chart, or press + and −, to look closer; a double click or 0 shows all \
             again. A double click on a series, or Shift and Enter, shows it alone.</p>\n<div class=\"charts\">\n<figure class=\"chart\" \
             id=\"latency\"><figcaption>{of_latency}</figcaption></figure>\n<figure class=\"chart\" \
             id=\"accepted\"><figcaption>{of_accepted}</figcaption></figure>\n{energy}</div>\n<p class=\"faint\">\
             Bands: 95 % confidence intervals. Hollow markers: stopped by the cycle limit (latency) or \
             saturated (accepted). A dashed vertical line: the first saturated load of its series.</p>\n</div>\n",
        );
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
                "<figure class=\"static {class}\">\n{}</figure>\n<figure class=\"static \
                 {class}\">\n{}</figure>\n",
                chart::latency(&latency, size, &format!("latency-{class}")),
                chart::accepted(&accepted, size, &format!("accepted-{class}")),
            );
        }
        html.push_str("</section>\n");
    }

    fn push_scenario(&self, html: &mut String) {
        let file = self.plan.path.file_name().unwrap_or_default();
        let file = words::shell_quoted(&file.to_string_lossy());
        let allow = if self.allows_deadlock {
            " --allow-deadlock"
        } else {
            ""
        };
        let _ = write!(
            html,
            "<section id=\"repeat\">\n<h2>To repeat it</h2>\n<div class=\"command\"><pre \
             id=\"command\" tabindex=\"0\">flitsim sweep {} --seed {}{allow}</pre>\n<button id=\"copy\" \
             class=\"live\">Copy the command</button></div>\n<p id=\"copied\" class=\"faint\" \
             role=\"status\"></p>\n<p>with flitsim {} and this scenario:</p>\n<pre id=\"scenario\" \
             tabindex=\"0\">{}</pre>\n</section>\n",
            escape(&file),
            self.plan.seed,
            escape(self.version),
            escape(&self.plan.text),
        );
    }
}

/// Charts of what is there where a scenario asks for energy.
const ENERGY_CHARTS: &str = "<figure class=\"chart\" id=\"energy\"><figcaption>Energy of a packet against \
    load</figcaption></figure>\n<figure class=\"chart\" id=\"power\"><figcaption>Power against \
    load</figcaption></figure>\n";

/// The part of the page that the script fills: a series at a load.
const AT_ONE_LOAD: &str = "<section id=\"one-load\" class=\"live\">\n<h2>At one load</h2>\n\
    <div class=\"controls\">\n<label for=\"series\">Series</label> <select \
    id=\"series\"></select>\n<label for=\"load\">Load</label> <input id=\"load\" type=\"range\" \
    min=\"0\" step=\"1\"> <output id=\"load-value\" for=\"load\"></output>\n</div>\n\
    <p id=\"point\" role=\"status\"></p>\n\
    <h3>Channels</h3>\n<p id=\"source\" class=\"faint\"></p>\n\
    <div class=\"network\">\n<figure id=\"network\"></figure>\n<div class=\"beside\">\n\
    <p id=\"channel\" role=\"status\"></p>\n<div id=\"scale\"></div>\n<h4>Hottest channels</h4>\n<ol \
    id=\"hottest\"></ol>\n<p id=\"summary\" class=\"faint\"></p>\n</div>\n</div>\n\
    <h3>Latency of the packets</h3>\n<figure id=\"histogram\"></figure>\n<div id=\"details\"></div>\n</section>\n";

/// The part of the page that the script fills: any column against any other.
const ANY_COLUMN: &str = "<section id=\"explore\" class=\"live\">\n<h2>Any column</h2>\n\
    <div class=\"controls\">\n<label for=\"choose-y\">Vertical</label> <select \
    id=\"choose-y\"></select>\n<label for=\"choose-x\">horizontal</label> <select \
    id=\"choose-x\"></select>\n<label for=\"choose-by\">a curve for each</label> <select \
    id=\"choose-by\"></select>\n<label for=\"choose-facet\">a panel for each</label> <select \
    id=\"choose-facet\"></select>\n</div>\n<div class=\"controls\">\n\
    <label for=\"x-from\">Horizontal from</label> <input id=\"x-from\" type=\"number\" step=\"any\">\n\
    <label for=\"x-to\">to</label> <input id=\"x-to\" type=\"number\" step=\"any\">\n\
    <button id=\"log-x\" aria-pressed=\"false\">logarithmic</button>\n\
    <label for=\"y-from\">vertical from</label> <input id=\"y-from\" type=\"number\" step=\"any\">\n\
    <label for=\"y-to\">to</label> <input id=\"y-to\" type=\"number\" step=\"any\">\n\
    <button id=\"log-y\" aria-pressed=\"false\">logarithmic</button>\n</div>\n\
    <p id=\"nothing\" role=\"status\" hidden>No point has both.</p>\n\
    <div id=\"curves-shown\" class=\"legend\" role=\"group\" aria-label=\"Curves shown\"></div>\n\
    <div id=\"panels\" class=\"charts\"></div>\n<p class=\"faint\">Saturation is half way from the last load \
    that converged to the first that saturated, its band from one to the other.</p>\n</section>\n";

/// The head of a page, up to its first section.
pub fn begin(html: &mut String, title: &str, subtitle: &str) {
    let (title, subtitle) = (escape(title), escape(subtitle));
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<link rel=\"icon\" \
         href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         <script>document.documentElement.classList.add(\"js\");</script>\n</head>\n<body>\n\
         <header>\n<button id=\"theme\" class=\"live\">Theme: as the system</button>\n\
         <h1>{title}</h1>\n<p class=\"faint\">{subtitle}</p>\n</header>\n<main>\n",
    );
}

/// The end of a page: its data and what it does.
pub fn end(html: &mut String, data: &serde_json::Value, scripts: &[&str]) {
    let _ = write!(
        html,
        "</main>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n(() => \
         {{\n\"use strict\";\n{}}})();\n</script>\n</body>\n</html>\n",
        data::in_script(data),
        scripts.concat(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_sweep::testing::{curves, plan};

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
            extras: &vec![PointExtra::default(); rows.len()],
            prospects: &[None],
            figure: &figure,
            failed,
            pending: 2,
            allows_deadlock: false,
            version: "0.0.1",
        };
        page.to_html()
    }

    #[test]
    fn nothing_of_a_scenario_is_markup() {
        let html = page(0);
        assert!(!html.contains("<script>alert") && !html.contains("<b>"));
        let scripts = html.matches("<script").count();
        assert_eq!((scripts, html.matches("</script>").count()), (3, 3));
        assert!(html.contains("&lt;/pre&gt;&lt;script&gt;"));
        assert!(html.contains("<title>A &lt;test&gt; &amp; more</title>"));
        assert!(html.contains("flitsim sweep &#39;a b.toml&#39; --seed 1"));
        assert!(!html.contains("some/where"), "no paths of the machine");
    }

    #[test]
    fn the_page_stands_alone_and_its_charts_are_well_formed() {
        let html = page(0);
        let html = html.replacen("<link rel=\"icon\" href=\"data:,\">", "", 1);
        for reference in [
            " src=", "href=\"h", "href=\"/", "@import", "url(http", "<link", "fetch(", "import(",
        ] {
            assert!(!html.contains(reference), "{reference}");
        }
        let charts: Vec<&str> = html.split("<figure class=\"static").skip(1).collect();
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
        assert!(html.contains("2 points are not simulated yet"));
        assert!(html.contains("1 point could not be simulated and is missing here"));
        assert!(!page(0).contains("could not be simulated"));
    }
}
