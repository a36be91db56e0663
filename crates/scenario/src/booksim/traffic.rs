//! Traffic, loads and what is measured.

use super::Import;
use super::network::SHARED;
use crate::error::nearest;

/// Patterns by the names of both; all but the first two take a power of two of nodes.
const PATTERNS: [(&str, &str); 7] = [
    ("tornado", "tornado"),
    ("neighbor", "neighbour"),
    ("uniform", "uniform"),
    ("bitcomp", "bit-complement"),
    ("bitrev", "bit-reverse"),
    ("shuffle", "shuffle"),
    ("transpose", "transpose"),
];

/// The elements of a list `{a,b}`, whose own lists stay whole; of anything else, itself.
fn elements(text: &str) -> Vec<&str> {
    let Some(inner) = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    else {
        return vec![text];
    };
    let (mut depth, mut start, mut all) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&inner[start..]);
    all
}

/// The name in `name(parameters)`, and the parameters: one, or those of a list.
fn call(text: &str) -> (&str, Vec<&str>) {
    let (name, rest) = text.split_once('(').unwrap_or((text, ""));
    match rest.strip_suffix(')').unwrap_or(rest) {
        "" => (name, Vec::new()),
        parameters => (name, elements(parameters)),
    }
}

/// The whole numbers of `list`, none below 0; `None` where one is not, or BookSim2 takes it for another.
fn wholes(list: &str) -> Option<Vec<u32>> {
    let whole = |number: &&str| u32::try_from(number.trim().parse::<i32>().ok()?).ok();
    elements(list).iter().map(whole).collect()
}

/// The nodes of `hotspot({{nodes},{rates}})`, each once; `None` where it is something else, or some are hotter than others.
fn hot_nodes(pattern: &str) -> Option<Vec<u32>> {
    let ("hotspot", lists) = call(pattern) else {
        return None;
    };
    let nodes = wholes(lists.first()?)?;
    let rates = lists.get(1).map_or(Some(vec![1]), |list| wholes(list))?;
    let is_once = (1..nodes.len()).all(|at| !nodes[..at].contains(&nodes[at]));
    let are_alike = rates.iter().all(|rate| *rate > 0 && *rate == rates[0]);
    (is_once && are_alike && lists.len() <= 2).then_some(nodes)
}

/// The patterns of BookSim2 (`traffic.cpp`).
const THEIRS: [&str; 15] = [
    "asymmetric",
    "background",
    "bad_dragon",
    "badperm_yarc",
    "bitcomp",
    "bitrev",
    "diagonal",
    "hotspot",
    "neighbor",
    "randperm",
    "shuffle",
    "taper64",
    "tornado",
    "transpose",
    "uniform",
];

impl Import<'_> {
    pub(super) fn traffic(&mut self) {
        let name = self.of_class("traffic");
        let kind = self.settings.text("topology").to_owned();
        let has_own_numbers = ["mesh", "torus"].contains(&kind.as_str());
        let hot = hot_nodes(&name).filter(|nodes| {
            let dimensions = u32::try_from(self.settings.whole("n")).unwrap_or(u32::MAX);
            let count = self.settings.whole("k").saturating_pow(dimensions);
            has_own_numbers && nodes.iter().all(|&node| i64::from(node) < count)
        });
        self.table("traffic");
        match PATTERNS.iter().find(|(theirs, _)| *theirs == name) {
            Some((theirs, ours)) => {
                self.said("pattern", format!("\"{ours}\""), "traffic");
                let nodes = u32::try_from(self.settings.whole("n")).ok();
                let nodes = nodes
                    .and_then(|n| self.settings.whole("k").checked_pow(n))
                    .and_then(|routers| match kind.as_str() {
                        "cmesh" | "flatfly" => routers.checked_mul(self.settings.whole("c")),
                        _ => Some(routers),
                    })
                    .unwrap_or(0);
                let is_power = nodes.count_ones() == 1;
                if *theirs == "uniform" {
                    self.said("self", true, "uniform over all nodes");
                } else if SHARED.contains(&kind.as_str())
                    && (*theirs != "bitcomp" || ["fly", "anynet"].contains(&kind.as_str()))
                {
                    let why = "terminals that share a router may have other numbers here";
                    self.refuse(
                        "traffic",
                        why,
                        "`traffic = uniform;`, or `bitcomp` but in a butterfly or any network",
                    );
                } else if !["tornado", "neighbor"].contains(theirs) && !is_power {
                    self.refuse(
                        "traffic",
                        "it takes a power of two of nodes",
                        "a `k` that is one, or `traffic = uniform;`: BookSim2 refuses it, too",
                    );
                } else if ["tornado", "neighbor"].contains(theirs) {
                    self.must_be("xr", 1, "BookSim2 takes rings of xr times k nodes for it");
                } else if *theirs == "transpose" && self.settings.whole("n") > 2 {
                    let why = "the halves of node numbers are no coordinates in so many dimensions";
                    self.refuse("traffic", why, "`pattern = \"permutation\"`, with a file");
                }
            }
            None if hot.is_some() => {
                let nodes = hot.unwrap_or_default();
                self.said("pattern", "\"hotspot\"", "traffic");
                self.said("nodes", format!("{nodes:?}"), "all alike");
                self.said("fraction", "1.0", "there is no other traffic");
                self.said("self", true, "hot nodes send to themselves, too");
            }
            None => self.refuse_pattern(&name),
        }
        self.lengths();
        self.process();
    }

    /// The pattern `name` cannot be said, or there is none.
    fn refuse_pattern(&mut self, name: &str) {
        let (known, _) = name.split_once('(').unwrap_or((name, ""));
        if THEIRS.contains(&known) {
            let why = "this pattern is not written as a scenario";
            return self.refuse(
                "traffic",
                why,
                "`pattern = \"matrix\"` or `\"permutation\"`, with a file",
            );
        }
        let near = nearest(known, THEIRS).unwrap_or("uniform");
        self.refuse(
            "traffic",
            "BookSim2 has no pattern of this name",
            &format!("`traffic = {near};`"),
        );
    }

    /// What `key` gives the only class of traffic: the first of a list.
    fn of_class(&self, key: &str) -> String {
        match self.settings.text(key) {
            "" => match key {
                "packet_size" | "packet_size_rate" | "measure_stats" => {
                    self.settings.whole(key).to_string()
                }
                "traffic" | "injection_process" => String::new(),
                _ => self.settings.real(key).to_string(),
            },
            list => elements(list)[0].to_owned(),
        }
    }

    fn lengths(&mut self) {
        let sizes = self.of_class("packet_size");
        let sizes = wholes(&sizes);
        let rates = self.of_class("packet_size_rate");
        let rates = wholes(&rates);
        let sizes = sizes.filter(|sizes| sizes.iter().all(|&size| size > 0));
        match (sizes.as_deref(), rates.as_deref()) {
            (Some(&[flits, ref more @ ..]), _) if more.iter().all(|&other| other == flits) => {
                self.said("packet_flits", flits, "packet_size")
            }
            (Some(&[one, other]), Some(&[first, ref more @ ..])) => {
                // What is more than lengths is not read; where there is less, the last counts.
                let second = more.first().copied().unwrap_or(first);
                if first.max(second) == 0 {
                    let why = "one of the two lengths has a rate above zero";
                    self.refuse("packet_size_rate", why, "`packet_size_rate = {1,1};`");
                    return;
                }
                let (short, long) = (one.min(other), one.max(other));
                let rate = if one > other { first } else { second };
                let share = f64::from(rate) / (f64::from(first) + f64::from(second));
                self.said(
                    "packet_flits",
                    format!("{{ short = {short}, long = {long}, long_share = {share} }}"),
                    "packet_size, packet_size_rate",
                );
            }
            (Some(_), Some(_)) => self.refuse(
                "packet_size",
                "packets of more than two lengths are not written",
                "`packet_flits = { path = \"lengths.csv\" }`, by hand",
            ),
            _ => self.refuse(
                "packet_size",
                "it is no number of flits",
                "`packet_size = 4;`",
            ),
        }
    }

    fn process(&mut self) {
        let given = self.of_class("injection_process");
        let (name, parameters) = call(&given);
        let numbers: Option<Vec<f64>> = parameters
            .iter()
            .map(|number| number.trim().parse().ok())
            .collect();
        let Some(numbers) = numbers.filter(|numbers| numbers.len() <= 3) else {
            self.refuse(
                "injection_process",
                "its parameters are no list of up to three numbers",
                "as in `on_off({0.02,0.1})`, or `burst_alpha = 0.02;` and `burst_beta = 0.1;`",
            );
            return;
        };
        let parameter = |at: usize, key: &str| {
            numbers
                .get(at)
                .copied()
                .unwrap_or_else(|| self.settings.real(key))
        };
        match name {
            "bernoulli" => self.said("process", "\"bernoulli\"", "injection_process"),
            "on_off" => {
                let (alpha, beta) = (parameter(0, "burst_alpha"), parameter(1, "burst_beta"));
                let rate = parameter(2, "burst_r1");
                if !(alpha > 0.0 && alpha <= 1.0 && beta > 0.0 && beta <= 1.0 && rate < 0.0) {
                    self.refuse(
                        "injection_process",
                        "bursts follow from the chances to begin and to end here, the rate in them from the load",
                        "give burst_alpha and burst_beta, from 0 to 1, and leave burst_r1 out",
                    );
                    return;
                }
                self.said("process", "\"on-off\"", "injection_process");
                self.said("burst_cycles", 1.0 / beta, "1 / burst_beta");
                self.said("idle_cycles", 1.0 / alpha, "1 / burst_alpha");
            }
            _ => self.refuse(
                "injection_process",
                "there is no such process",
                "`injection_process = bernoulli;`",
            ),
        }
    }

    pub(super) fn measure(&mut self) {
        if self.settings.text("sim_type") == "batch" {
            self.refuse(
                "sim_type",
                "batches are not written",
                "`sim_type = latency;`, or `mode = \"batch\"` in `[traffic]` by hand",
            );
        } else if !["latency", "throughput"].contains(&self.settings.text("sim_type")) {
            self.refuse(
                "sim_type",
                "there is no such measurement",
                "`sim_type = latency;`",
            );
        }
        if self.of_class("measure_stats").trim() == "0" {
            let why = "packets are measured here";
            self.refuse("measure_stats", why, "`measure_stats = 1;`");
        }
        let limit = self.of_class("latency_thres");
        self.table("measure");
        self.line("# How long to warm up and to measure is found; sample_period and the like are not needed.");
        self.said(
            "relative_error",
            0.01,
            "the interval of the latency, in place of stopping_thres",
        );
        match limit.parse::<f64>() {
            Ok(limit) if limit > 0.0 => {
                self.said("latency_limit", format!("{limit:?}"), "latency_thres")
            }
            _ => self.line("latency_limit = 1e9 # latency_thres: none"),
        }
    }

    pub(super) fn load(&mut self) {
        let counts_flits = self.settings.whole("injection_rate_uses_flits") != 0;
        let unit = if counts_flits { "flits" } else { "packets" };
        let load = self.of_class("injection_rate");
        self.table("sweep");
        self.said(
            "load_unit",
            format!("\"{unit}/node/cycle\""),
            "injection_rate_uses_flits",
        );
        match load.parse::<f64>() {
            Ok(load) if load > 0.0 && load <= 1.0 => {
                self.said("load", format!("[{load:?}]"), "injection_rate");
            }
            _ => self.refuse(
                "injection_rate",
                "it is no load",
                "a number above 0, up to 1",
            ),
        }
        let count = self.at_least("sim_count", 1);
        self.said("replicas", count, "sim_count");
    }
}
