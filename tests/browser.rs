//! `report.html` in a real browser: what is shown, what a click and a key change, that nothing fails
//! and nothing is asked of the network. Screenshots of every run are kept in the folder `screenshots`
//! of the build.

use crate::chromium;
use crate::tier;

use chromium::Browser;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether a browser is asked for, whatever the tier.
fn is_asked_for() -> bool {
    std::env::var_os("FLITSIM_BROWSER").is_some()
}

const SMALL: &str = r#"
title = "Small networks in a browser"
[topology]
kind = "torus"
radix = 4
dimensions = 2
[router]
virtual_channels = 3
[traffic]
packet_flits = 4
[measure]
relative_error = 0.1
[sweep]
load = [0.1, 0.3, 0.5, 0.95]
[[series]]
name = "torus, measured"
measure = { details = ["channels", "sources"] }
traffic = { pattern = "transpose" }
[[series]]
name = "mesh, expected"
topology = { kind = "mesh", radix = 4, dimensions = 2 }
[[series]]
name = "star"
topology = { kind = "star", symbols = 4 }
"#;

/// A line that is seen whatever becomes of the test: what a test prints is shown only where it fails.
fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "browser test: {what}");
}

/// The browser, or the line that says why there is none.
fn browser() -> Option<Browser> {
    if let Some(program) = chromium::find() {
        say(&format!("driving {}", program.display()));
        return Some(Browser::launch(&program));
    }
    assert!(
        !is_asked_for(),
        "FLITSIM_BROWSER asks for a browser, and there is no Chromium in PATH: install one \
         (`apt-get install chromium`) or name it in CHROMIUM"
    );
    say("SKIPPED, no Chromium in PATH (`apt-get install chromium`, or name one in CHROMIUM)");
    None
}

fn flitsim(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// Where pictures are kept.
fn pictures() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// By channel, as `from → to`: the share of the time that `channels.csv` says it is busy.
fn busy(folder: &Path, load: &str) -> BTreeMap<String, f64> {
    let mut reader = csv::Reader::from_path(folder.join("channels.csv")).expect("channels");
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let (from, to, vc, share) = (at("from"), at("to"), at("vc"), at("busy"));
    let rows = reader.records().map(|row| row.expect("a row"));
    let rows = rows.filter(|row| &row[3] == load && row[vc].is_empty());
    rows.map(|row| {
        (
            format!("{} → {}", &row[from], &row[to]),
            row[share].parse().expect("a number"),
        )
    })
    .collect()
}

/// What `Channel 1 → 2: busy 31.2 % of the time` says.
fn told(text: &str) -> (String, f64) {
    let (name, rest) = text.split_once(": busy ").expect("a channel");
    let share = rest.split(" %").next().and_then(|n| n.parse::<f64>().ok());
    let name = name.trim_start_matches("Channel ").to_owned();
    (name, share.expect("a share") / 100.0)
}

const CHANNEL: &str = "document.getElementById('channel').textContent";
const LOAD: &str = "document.getElementById('load-value').textContent";

fn curves(browser: &mut Browser) -> u64 {
    let count = browser.value("document.querySelectorAll('#latency .curve').length");
    count.as_u64().expect("a count")
}

fn ticks(browser: &mut Browser) -> String {
    browser
        .text("[...document.querySelectorAll('#latency .tick.y')].map(t => t.textContent).join()")
}

fn no_scroll(browser: &mut Browser) -> bool {
    browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        == true
}

#[test]
fn a_sweeps_page_answers() {
    if !is_asked_for() && tier::is_left_out() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), SMALL).expect("a file");
    flitsim(
        folder.path(),
        &["--quiet", "sweep", "small.toml", "--out", "out"],
    );
    let out = folder.path().join("out");
    let page = out.join("report.html");

    browser.resize(1280, 900);
    browser.media("screen", "light");
    browser.open(&page);
    browser.wait_until("document.querySelectorAll('#network [data-channel]').length > 0");
    by_pointer(&mut browser, &out);
    browser.open(&page);
    browser.wait_until("document.querySelectorAll('#network [data-channel]').length > 0");
    by_keyboard(&mut browser, &out);
    appearance(&mut browser, &page);
    assert_eq!(
        browser.faults, [""; 0],
        "what the page's console and its requests say"
    );
}

fn by_pointer(browser: &mut Browser, out: &Path) {
    // A series goes and comes back.
    assert_eq!(curves(browser), 3);
    let second = "#legend button:nth-child(2)";
    let pressed = format!("document.querySelector({second:?}).getAttribute('aria-pressed')");
    browser.click(second);
    assert_eq!(
        (curves(browser), browser.text(&pressed)),
        (2, "false".to_owned())
    );
    let gone = "document.querySelectorAll('#latency [data-series=\"1\"]').length";
    assert_eq!(browser.value(gone), 0);
    browser.click(second);
    assert_eq!(
        (curves(browser), browser.text(&pressed)),
        (3, "true".to_owned())
    );

    // Axes.
    let linear = ticks(browser);
    browser.click("#log-latency");
    assert_ne!(ticks(browser), linear);
    browser.click("#log-latency");
    assert_eq!(ticks(browser), linear);

    // A point tells its values where the pointer is.
    browser.point_at("#latency .markers[data-series='0'] :first-child");
    let tip = browser.text("document.querySelector('#latency .tip').textContent");
    assert!(
        tip.contains("mean packet latency") && tip.contains("converged"),
        "{tip}"
    );

    // A load colours the channels, and each tells how busy it is.
    let colours = "[...document.querySelectorAll('#network [data-channel]')].map(c => getComputedStyle(c).fill).join()";
    let before = browser.text(colours);
    let load = browser.text(LOAD);
    browser.click("#latency .markers[data-series='0'] :first-child");
    assert_eq!(browser.text(LOAD), "0.1 flits/node/cycle");
    assert_ne!(browser.text(LOAD), load);
    assert_ne!(browser.text(colours), before, "channels change colour");
    assert!(
        browser
            .text("document.getElementById('source').textContent")
            .starts_with("Measured")
    );
    browser.point_at("#network [data-channel='5']");
    let (name, share) = told(&browser.text(CHANNEL));
    let csv = busy(out, "0.1");
    assert!(
        (csv[&name] - share).abs() < 0.0006,
        "{name}: {share}, {}",
        csv[&name]
    );
    browser.click("#hottest button");
    let (name, share) = told(&browser.text(CHANNEL));
    let most = csv.values().copied().fold(0.0, f64::max);
    assert!(
        (csv[&name] - most).abs() < 0.0006 && (share - most).abs() < 0.0006,
        "{name}: {share}"
    );

    // What else was measured there.
    let rows = "document.querySelectorAll('#details tbody tr').length";
    assert_eq!(browser.value(rows), 16, "a row for each source");

    // The command.
    let command = browser.text("document.getElementById('command').textContent");
    assert_eq!(command, "flitsim sweep small.toml --seed 1");
    browser.call("Page.bringToFront", serde_json::json!({}));
    browser.click("#copy");
    browser.wait_until("document.getElementById('copied').textContent === 'Copied.'");
    assert_eq!(browser.text("navigator.clipboard.readText()"), command);

    // The table by mean latency, up and down.
    let first = "document.querySelector('.points tbody tr').cells[4].textContent";
    let header = ".points th:nth-child(5) button";
    browser.click(header);
    let least = browser.text(first);
    browser.click(header);
    let most = browser.text(first);
    let number = |text: &str| text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    assert!(number(&least) < number(&most), "{least}, {most}");
    assert_eq!(
        browser.text("document.querySelector('.points th:nth-child(5)').ariaSort"),
        "descending"
    );
}

fn by_keyboard(browser: &mut Browser, out: &Path) {
    browser.tab_to("#theme", 1);
    // The contents come first, and then the key.
    browser.tab_to("#legend button:nth-child(3)", 8 + 3);
    browser.press(" ");
    assert_eq!(curves(browser), 2);
    browser.tab_to("#log-load", 1);
    browser.press("Enter");
    assert_eq!(
        browser.text("document.getElementById('log-load').getAttribute('aria-pressed')"),
        "true"
    );
    browser.tab_to("#latency svg", 3);
    browser.press("ArrowRight");
    let read = browser.text("document.querySelector('#latency [role=status]').textContent");
    assert!(
        read.starts_with("torus, measured, load 0.3") && read.contains("cycles"),
        "{read}"
    );
    browser.press("ArrowDown");
    let read = browser.text("document.querySelector('#latency [role=status]').textContent");
    assert!(read.starts_with("mesh, expected, load 0.3"), "{read}");
    browser.press("ArrowUp");
    browser.press("Enter");
    assert_eq!(browser.text(LOAD), "0.3 flits/node/cycle");
    // Three downloads for each chart.
    browser.tab_to("#load", 5 + 6);
    browser.press("ArrowRight");
    assert_eq!(browser.text(LOAD), "0.5 flits/node/cycle");
    browser.tab_to("#network svg", 2);
    let (name, share) = told(&browser.text(CHANNEL));
    assert!((busy(out, "0.5")[&name] - share).abs() < 0.0006);
    browser.press("ArrowRight");
    let (other, less) = told(&browser.text(CHANNEL));
    assert!(other != name && less <= share, "{other}: {less}");

    // Another series, whose loads nobody measured.
    browser.value("document.getElementById('series').focus()");
    browser.press("ArrowDown");
    browser.wait_until("document.getElementById('source').textContent.startsWith('Expected')");
    let channel = "document.getElementById('summary').textContent";
    assert!(browser.text(channel).contains("busiest"));
    let histogram =
        browser.text("document.querySelector('#histogram svg').getAttribute('aria-label')");
    assert!(histogram.contains("median"), "{histogram}");
}

fn appearance(browser: &mut Browser, page: &Path) {
    let folder = pictures();
    for (width, scheme) in [
        (1280, "light"),
        (1280, "dark"),
        (390, "light"),
        (390, "dark"),
        (320, "light"),
        (2000, "light"),
    ] {
        browser.resize(width, 900);
        browser.media("screen", scheme);
        browser.open(page);
        browser.wait_until("document.querySelectorAll('#network [data-channel]').length > 0");
        let scheme_of_page = "matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(browser.value(scheme_of_page), scheme == "dark");
        let ground = browser.text("getComputedStyle(document.body).backgroundColor");
        assert_eq!(
            ground == "rgb(255, 255, 255)",
            scheme == "light",
            "{ground}"
        );
        assert!(
            no_scroll(browser),
            "the page scrolls sideways at {width} pixels"
        );
        browser.screenshot(&folder.join(format!("sweep-{width}-{scheme}.png")));
    }
    // The switch of the page comes before the system.
    browser.click("#theme");
    assert_eq!(
        browser.text("getComputedStyle(document.body).backgroundColor"),
        "rgb(255, 255, 255)"
    );

    browser.resize(1280, 900);
    browser.media("print", "dark");
    assert_eq!(
        browser.text("getComputedStyle(document.body).backgroundColor"),
        "rgb(255, 255, 255)"
    );
    let shown = |id: &str| format!("getComputedStyle(document.querySelector('{id}')).display");
    assert_eq!(browser.text(&shown("#copy")), "none");
    assert_ne!(browser.text(&shown("#latency svg")), "none");
    browser.print(&folder.join("sweep.pdf"));
    browser.media("screen", "light");

    // Without the script, the charts that the sweep drew, and the table.
    let off = |value| serde_json::json!({ "value": value });
    browser.call("Emulation.setScriptExecutionDisabled", off(true));
    browser.open(page);
    browser.screenshot(&folder.join("sweep-no-script.png"));
    assert_eq!(browser.text(&shown("figure.static.wide")), "block");
    assert_eq!(browser.text(&shown("#one-load")), "none");
    assert_eq!(
        browser.value("document.querySelectorAll('.points tbody tr').length"),
        12
    );
    browser.call("Emulation.setScriptExecutionDisabled", off(false));
    println!("screenshots are in {}", folder.display());
}

#[test]
fn a_reproductions_page_filters_its_claims() {
    if !is_asked_for() && tier::is_left_out() {
        return;
    }
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let paper = "dally-express-cubes";
    flitsim(
        folder.path(),
        &["--quiet", "reproduce", paper, "fig4", "--out", "out"],
    );
    flitsim(folder.path(), &["--quiet", "report", "out"]);
    browser.resize(1280, 900);
    browser.media("screen", "light");
    browser.open(&folder.path().join("out/report.html"));
    let rows = "[...document.querySelectorAll('#claims tbody tr')].filter(r => !r.hidden).length";
    let all = browser.value(rows).as_u64().expect("a count");
    assert!(all > 0);
    browser.click("#verdicts button[value=holds]");
    let left = browser.value(rows).as_u64().expect("a count");
    let held = browser.value("document.querySelectorAll('#claims tr.holds').length");
    assert_eq!(Some(all - left), held.as_u64());
    assert!(left < all);
    let loaded =
        "[...document.querySelectorAll('img')].every(i => i.complete && i.naturalWidth > 100)";
    browser.wait_until(loaded);
    browser.screenshot(&pictures().join("reproduction-1280-light.png"));
    browser.resize(390, 900);
    assert!(no_scroll(&mut browser));
    browser.screenshot(&pictures().join("reproduction-390-light.png"));
    assert_eq!(browser.faults, [""; 0]);
}

/// Forty series of 25 points, four of them on 1,024 nodes, with their energy: what matters here is how many there are,
/// so each is simulated for a moment.
fn large() -> String {
    let patterns = [
        "transpose",
        "bit-complement",
        "bit-reverse",
        "shuffle",
        "tornado",
        "neighbour",
    ];
    let mut text = "title = \"Forty series\"\n[traffic]\npacket_flits = 4\n[measure]\nwarmup = 0\n\
        relative_error = 0.5\nmax_cycles = 40\n[energy]\ntechnology = \"noxim\"\n[sweep]\n\
        load = { from = 0.01, to = 0.2, steps = 25 }\n"
        .to_owned();
    let mut push = |kind: &str, radix: u32, pattern: &str, vcs: u32| {
        text.push_str(&format!(
            "[[series]]\nname = \"{radix}x{radix} {kind}, {pattern}, {vcs}\"\ntraffic = {{ pattern = \
             \"{pattern}\" }}\nrouter.virtual_channels = {vcs}\n\
             topology = {{ kind = \"{kind}\", radix = {radix}, dimensions = 2 }}\n"
        ));
    };
    for kind in ["torus", "mesh"] {
        push(kind, 32, "transpose", 2);
        push(kind, 32, "shuffle", 2);
        for pattern in patterns {
            (2..5).for_each(|vcs| push(kind, 8, pattern, vcs));
        }
    }
    text
}

#[test]
fn a_large_page_is_small_and_laid_out_once() {
    if !is_asked_for() && tier::is_left_out() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("large.toml"), large()).expect("a file");
    flitsim(
        folder.path(),
        &["--quiet", "sweep", "large.toml", "--out", "out"],
    );
    let page = folder.path().join("out/report.html");
    let bytes = fs::metadata(&page).expect("a page").len();
    println!("40 series of 25 points: {bytes} bytes");
    assert!(bytes < 3_000_000, "{bytes} bytes");

    let Some(mut browser) = browser() else { return };
    browser.resize(1280, 900);
    browser.media("screen", "light");
    browser.open(&page);
    let drawn = "document.querySelectorAll('#network [data-channel]').length";
    browser.wait_until(&format!("{drawn} === 4096"));
    // Counted rather than timed: 4,096 channels, with the points of all curves, are laid out once and not for each.
    let limits = [
        ("Nodes", 70_000),
        ("LayoutCount", 50),
        ("RecalcStyleCount", 50),
    ];
    for (name, most) in limits {
        let count = browser.counted(name);
        println!("{name}: {count}");
        assert!(count > 0 && count < most, "{name}: {count}");
    }
    assert_eq!(curves(&mut browser), 40);
    let powers = "document.querySelectorAll('#power .curve').length";
    assert_eq!(browser.value(powers), 40);
    browser.screenshot(&pictures().join("large-1280-light.png"));
    assert_eq!(browser.faults, [""; 0]);
}
