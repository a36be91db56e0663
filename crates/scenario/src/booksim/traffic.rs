//! Traffic, loads and what is measured.

use super::Import;
use super::pattern::{NODES_MOST, Nodes, Parts, Refusal, TOO_MANY};
use crate::error::nearest;
use std::collections::{BTreeMap, BTreeSet};

/// Patterns by the names of both; all behind `uniform` take a power of two of nodes.
const PATTERNS: [(&str, &str); 8] = [
    ("bad_dragon", "next-group"),
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

/// BookSim2 draws numbers of so many bits.
const DRAWN_BITS: u32 = 30;

/// The nodes of `hotspot({{nodes},{rates}})` and the rate of each, in ascending order.
fn hot_nodes(lists: &[&str]) -> Result<BTreeMap<u32, u32>, Refusal> {
    let drawn = (
        "no nodes are named: BookSim2 draws them, or reads others",
        "name them, as in `hotspot({{0,27}})`",
    );
    let nodes = lists.first().and_then(|list| wholes(list)).ok_or(drawn)?;
    let rates = lists.get(1).map_or(Some(vec![1]), |list| wholes(list));
    let rates = rates.filter(|rates| rates.iter().all(|&rate| rate > 0));
    let rates = rates.ok_or((
        "a rate is no number above 0",
        "as in `hotspot({{0,27},{1,3}})`",
    ))?;
    // Where there are fewer rates, the last counts.
    let last = rates.last().copied().unwrap_or(1);
    let rates = rates.into_iter().chain(std::iter::repeat(last));
    let (mut all, mut sum) = (BTreeMap::new(), 0u64);
    for (node, rate) in std::iter::zip(nodes, rates) {
        *all.entry(node).or_insert(0u32) += rate;
        sum += u64::from(rate);
        if sum > 1 << DRAWN_BITS {
            let why = "its rates are more together than BookSim2 can draw: 1,073,741,824";
            return Err((why, "smaller ones in the same proportion"));
        }
    }
    Ok(all)
}

/// The nodes that get all packets of `hotspot` or `background`, with the rate of each.
fn hot(name: &str, lists: &[&str], nodes: Option<Nodes>) -> Result<BTreeMap<u32, u32>, Refusal> {
    let is_there = |node: &u32| nodes.is_none_or(|nodes| *node < nodes.count);
    let hot = match (name, nodes) {
        ("background", None) => return Err(FILES),
        ("background", Some(nodes)) => {
            let help = "as in `background({{0,27}})`";
            let excluded = lists.first().and_then(|list| wholes(list));
            let excluded = excluded.ok_or(("it leaves out no nodes by their numbers", help))?;
            if nodes.count > NODES_MOST {
                return Err(TOO_MANY);
            }
            let excluded = BTreeSet::from_iter(excluded);
            let others = (0..nodes.count).filter(|node| !excluded.contains(node));
            let others: BTreeMap<u32, u32> = others.map(|node| (node, 1)).collect();
            let are_there = excluded.iter().all(is_there) && !others.is_empty();
            are_there.then_some(others)
        }
        _ => Some(hot_nodes(lists)?).filter(|hot| hot.keys().all(is_there)),
    };
    hot.ok_or((
        "some of its nodes are not there, or none is left",
        "nodes from 0 on, as many as there are terminals",
    ))
}

const FILES: Refusal = (
    "the network's file says how many nodes there are",
    "`uniform`, `hotspot({{0,1}})`, `bitcomp`, `bitrev` or `shuffle`, or `pattern = \"permutation\"` by hand",
);

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
        self.table("traffic");
        self.pattern();
        self.lengths();
        self.process();
    }

    fn pattern(&mut self) {
        let given = self.of_class("traffic");
        let (name, parameters) = call(&given);
        let kind = self.settings.text("topology").to_owned();
        let is_grid = ["mesh", "torus"].contains(&kind.as_str());
        let nodes = self.nodes(&kind);
        // Others do not look at parameters.
        let has_digits = ["tornado", "neighbor", "bad_dragon"].contains(&name);
        let ours = self.own_name(name, is_grid);
        if let Some(ours) = ours.filter(|_| !has_digits || parameters.is_empty()) {
            self.said("pattern", format!("\"{ours}\""), "traffic");
            if name == "uniform" {
                self.said("self", true, "uniform over all nodes");
            } else if let Some(Err((why, help))) = nodes.map(|nodes| nodes.bits())
                && !has_digits
            {
                self.refuse("traffic", why, help);
            }
            return;
        }
        if nodes.is_none() && kind != "anynet" && !self.faults.is_empty() {
            // What says how many there are is refused already.
            return;
        }
        let said = match name {
            "hotspot" | "background" => {
                hot(name, &parameters, nodes).map(|hot| self.hot(hot, nodes))
            }
            _ if THEIRS.contains(&name) && nodes.is_none() && kind != "anynet" => Err(TOO_MANY),
            _ if THEIRS.contains(&name) => self
                .parts(name, &parameters, nodes)
                .map(|parts| self.listed(name, &parts)),
            _ => {
                let near = nearest(name, THEIRS).unwrap_or("uniform");
                let help = format!("`traffic = {near};`");
                return self.refuse("traffic", "BookSim2 has no pattern of this name", &help);
            }
        };
        if let Err((why, help)) = said {
            self.refuse("traffic", why, help);
        }
    }

    /// The permutations that the pattern `name` is made of.
    fn parts(
        &self,
        name: &str,
        parameters: &[&str],
        nodes: Option<Nodes>,
    ) -> Result<Parts, Refusal> {
        let numbers = parameters.iter().map(|number| number.trim().parse().ok());
        let numbers: Option<Vec<i32>> = numbers.collect();
        let numbers = numbers.ok_or((
            "its parameters are no whole numbers of 32 bits",
            "as in `randperm(3)`",
        ))?;
        if name == "randperm" && numbers.is_empty() && !self.settings.text("perm_seed").is_empty() {
            return Err((
                "every run can be repeated here, so the clock is no seed",
                "`traffic = randperm(3);`",
            ));
        }
        let seed = i32::try_from(self.settings.whole("perm_seed")).unwrap_or_default();
        nodes.ok_or(FILES)?.parts(name, &numbers, seed)
    }

    /// Nodes that get all packets, and the rate of each.
    fn hot(&mut self, hot: BTreeMap<u32, u32>, nodes: Option<Nodes>) {
        let ours = |node: &u32| nodes.map_or(*node, |nodes| nodes.ours(*node));
        let numbers: Vec<u32> = hot.keys().map(ours).collect();
        let rates: Vec<u32> = hot.into_values().collect();
        self.said("pattern", "\"hotspot\"", "traffic");
        self.said(
            "nodes",
            format!("{numbers:?}"),
            "terminals, by their numbers here",
        );
        if rates.iter().any(|&rate| rate != rates[0]) {
            self.said("rates", format!("{rates:?}"), "how often each is meant");
        }
        self.said("fraction", "1.0", "there is no other traffic");
        self.said("self", true, "nodes send to themselves, too");
    }

    /// The permutations that a packet draws from.
    fn listed(&mut self, name: &str, parts: &Parts) {
        let from =
            format!("traffic = {name}: the destination of each terminal, by their numbers here");
        if let [(_, destinations)] = parts.permutations.as_slice() {
            self.said("pattern", "\"permutation\"", "traffic");
            self.said("destinations", format!("{destinations:?}"), &from);
            return;
        }
        self.said("pattern", "\"mix\"", "traffic");
        self.said("self", true, "any node");
        self.line(&format!("mix = [ # {from}"));
        if parts.uniform > 0 {
            self.line(&format!(
                "    {{ pattern = \"uniform\", weight = {} }},",
                parts.uniform
            ));
        }
        for (weight, destinations) in &parts.permutations {
            self.line(&format!(
                "    {{ pattern = \"permutation\", weight = {weight}, destinations = {destinations:?} }},"
            ));
        }
        self.line("]");
    }

    /// What flitsim calls the pattern `name`, where it says the same on this network.
    fn own_name(&self, name: &str, is_grid: bool) -> Option<&'static str> {
        let kind = self.settings.text("topology");
        let place = PATTERNS.iter().position(|(theirs, _)| *theirs == name)?;
        let has_squares = ["cmesh", "flatfly"].contains(&kind);
        let is_same = match name {
            "uniform" => true,
            "bad_dragon" => kind == "dragonflynew",
            "tornado" | "neighbor" => is_grid && self.settings.whole("xr") == 1,
            "transpose" => is_grid && self.settings.whole("n") <= 2,
            // Each router's terminals to those of the router across, whichever is first.
            "bitcomp" => true,
            _ => !has_squares,
        };
        is_same.then_some(PATTERNS[place].1)
    }

    /// The nodes; `None` where a file says how many there are, or what says it is refused.
    fn nodes(&self, kind: &str) -> Option<Nodes> {
        let number = |key: &str| u32::try_from(self.settings.whole(key)).ok();
        let (k, n) = (number("k")?, number("n")?);
        // What is out of its range is refused elsewhere.
        let routers = match kind {
            // Groups of 2k routers, each with a channel to k others.
            "dragonflynew" => k
                .checked_mul(2)?
                .checked_mul(k)?
                .checked_add(1)?
                .checked_mul(2 * k)?,
            _ => k.checked_pow(n)?,
        };
        let routers = Some(routers).filter(|_| k > 1 && n > 0)?;
        let side = match kind {
            "anynet" => return None,
            "cmesh" => Some(2),
            // A square number of terminals; another is refused.
            "flatfly" => Some(number("xr").filter(|&side| side > 0)?),
            _ => None,
        };
        if side.is_some() && n > 2 {
            return None;
        }
        let each = match kind {
            "dragonflynew" => k,
            _ => side.map_or(Some(1), |side: u32| side.checked_mul(side))?,
        };
        Some(Nodes {
            count: routers.checked_mul(each)?,
            digits: [k, n, number("xr")?],
            square: side.map(|side| (side, k)),
        })
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
