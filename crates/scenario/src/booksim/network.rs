//! Networks and routings.

use super::Import;
use std::path::{Path, PathBuf};

/// Topologies that BookSim2 has and this does not write, and what comes close.
const OTHERS: [(&str, &str); 4] = [
    (
        "qtree",
        "`topology = fattree;`, or `kind = \"fat-tree\"` with `children` and `parents`, by hand",
    ),
    (
        "tree4",
        "`topology = fattree;`, or `kind = \"fat-tree\"` with `children` and `parents`, by hand",
    ),
    (
        "dragonfly",
        "`topology = dragonflynew;`, or `kind = \"dragonfly\"` with `terminal_ports`, by hand",
    ),
    ("cube", "`topology = torus;`"),
];

/// Those whose routers have several terminals, or none.
const SHARED: [&str; 6] = [
    "cmesh",
    "flatfly",
    "fly",
    "fattree",
    "dragonflynew",
    "anynet",
];

const ASSERTION: &str = "BookSim2 ends with a failed assertion";

impl Import<'_> {
    fn any_network(&mut self) {
        let file = self.settings.text("network_file").to_owned();
        if file.is_empty() {
            let why = "a network of this kind has its file";
            self.refuse("network_file", why, "`network_file = anynet_file;`");
        }
        self.table("topology");
        self.said("kind", "\"file\"", "topology");
        let path = self.network_file(&file);
        self.said("path", super::quoted(&path), "network_file");
        if path == file && Path::new(&path).is_relative() {
            self.note("`path` is taken from the folder of the scenario, and not from where flitsim is run.");
        }
        self.note("Hops of a network of a file are all channels, those from and to terminals too.");
    }

    /// The network's file as seen from the scenario: that beside it; else, with its whole path, that which BookSim2
    /// would read here, or that beside the configuration.
    fn network_file(&self, file: &str) -> String {
        let elsewhere = [PathBuf::from(file), self.path.with_file_name(file)];
        let found = elsewhere.into_iter().find(|path| path.exists());
        let found = found.filter(|_| !self.into.join(file).exists());
        let whole = found.and_then(|path| std::path::absolute(path).ok());
        whole.map_or_else(
            || file.to_owned(),
            |path| path.to_string_lossy().into_owned(),
        )
    }

    pub(super) fn network(&mut self) {
        let kind = self.settings.text("topology").to_owned();
        let has_one_each = kind == "flatfly" && self.settings.whole("c") == 1;
        self.has_ports = SHARED.contains(&kind.as_str()) && !has_one_each;
        let (k, n) = (self.at_least("k", 2), self.at_least("n", 1));
        match kind.as_str() {
            "mesh" | "torus" => {
                if kind == "torus" && self.settings.whole("k") == 2 {
                    let why =
                        "a ring of two routers has two channels each way in BookSim2, and one here";
                    self.refuse("k", why, "`topology = mesh;`, or `k = 3;` at least");
                }
                self.topology(&kind, ("radix", k), ("dimensions", n));
                // A folded torus has all wires twice as long (kncube.cpp).
                let is_folded = kind == "torus" && self.settings.whole("use_noc_latency") == 1;
                self.table("channel");
                self.said(
                    "delay",
                    i32::from(is_folded),
                    "use_noc_latency: a wire's cycles beyond one",
                );
            }
            "fly" => self.topology("butterfly", ("arity", k), ("stages", n)),
            "fattree" => self.topology("fat-tree", ("arity", k), ("levels", n)),
            "cmesh" => {
                for (key, value) in [("n", 2), ("c", 4), ("xr", 2), ("yr", 2)] {
                    self.must_be(key, value, ASSERTION);
                }
                self.must_be("y", self.settings.whole("x"), ASSERTION);
                self.topology("mesh", ("radix", k), ("dimensions", n));
                self.said("terminals", self.settings.whole("c"), "c");
                self.wires();
            }
            "flatfly" => self.flattened_butterfly(k, n),
            "dragonflynew" => self.dragonfly(k),
            "anynet" => self.any_network(),
            other => {
                let near = OTHERS.iter().find(|(name, _)| *name == other);
                let help = near.map_or("`topology = mesh;` or `topology = torus;`", |(_, near)| {
                    near
                });
                self.refuse("topology", "it is not written as a scenario", help);
            }
        }
        if self.settings.whole("c") != 1
            && ["mesh", "torus", "fly", "fattree", "dragonflynew"].contains(&kind.as_str())
        {
            self.refuse(
                "c",
                "BookSim2 gives this topology no other terminals",
                "`c = 1;`",
            );
        }
    }

    /// The table of `kind`, with the keys that `k` and `n` are.
    fn topology(&mut self, kind: &str, k: (&str, i64), n: (&str, i64)) {
        self.table("topology");
        self.said("kind", format!("\"{kind}\""), "topology");
        self.said(k.0, k.1, "k");
        self.said(n.0, n.1, "n");
    }

    /// Every two routers of a row have a channel (flatfly_onchip.cpp).
    fn flattened_butterfly(&mut self, k: i64, n: i64) {
        if n > 2 {
            let why = "its rows of more than two dimensions are not written";
            self.refuse(
                "n",
                why,
                "`kind = \"hyperx\"` with `terminal_ports`, by hand",
            );
        }
        let (c, side) = (self.at_least("c", 1), self.settings.whole("xr"));
        self.must_be("yr", side, ASSERTION);
        if side.checked_mul(side) != Some(c) {
            self.refuse("c", ASSERTION, "a square: `c = 4; xr = 2; yr = 2;`");
        }
        for key in ["x", "y"] {
            self.must_be(key, k, "rows of routers are of k here");
        }
        if side > 2 && self.settings.whole("use_noc_latency") == 1 {
            let why = "terminals have wires of one cycle or more, as BookSim2 lays them out";
            self.refuse("xr", why, "`use_noc_latency = 0;`");
        }
        self.table("topology");
        self.said("kind", "\"hyperx\"", "topology");
        let sizes = vec![k.to_string(); n.clamp(1, 2) as usize].join(", ");
        self.said("sizes", format!("[{sizes}]"), "k, n");
        self.said("terminals", c, "c");
        self.wires();
    }

    /// Groups of 2k routers, each with k terminals and k channels to other groups (dragonfly.cpp).
    fn dragonfly(&mut self, k: i64) {
        self.must_be("n", 1, ASSERTION);
        if k < 2 {
            let why = "terminals share their routers here";
            self.refuse("k", why, "`k = 2;` at least");
        }
        self.table("topology");
        self.said("kind", "\"dragonfly\"", "topology");
        self.said(
            "routers",
            k.saturating_mul(2),
            "k: twice as many in a group",
        );
        self.said("global_channels", k, "k");
        self.said("terminals", k, "k");
        let wiring = "the others in order, from each group's first channel on";
        self.said("arrangement", "\"absolute\"", wiring);
        self.table("channel");
        self.said("delay", 9, "10 cycles within a group");
        self.said("global_delay", 99, "100 cycles between groups");
        self.said("terminal_delay", 0, "one cycle from and to terminals");
    }

    fn wires(&mut self) {
        self.table("channel");
        match self.settings.whole("use_noc_latency") {
            1 => self.said(
                "model",
                "\"linear\"",
                "use_noc_latency: as many cycles as terminals side by side along a wire",
            ),
            _ => self.said("delay", 0, "use_noc_latency"),
        }
    }

    pub(super) fn must_be(&mut self, key: &str, value: i64, why: &str) {
        if self.settings.whole(key) != value {
            self.refuse(key, why, &format!("`{key} = {value};`"));
        }
    }

    pub(super) fn routing(&mut self) {
        let kind = self.settings.text("topology").to_owned();
        let name = self.settings.text("routing_function").to_owned();
        let full = format!("{name}_{kind}");
        let algorithm = match full.as_str() {
            "dor_mesh" | "dim_order_mesh" => "dimension-order",
            "dim_order_torus" | "dim_order_bal_torus" => "dimension-order",
            "dor_no_express_cmesh" | "ran_min_flatfly" => "dimension-order",
            "xy_yx_mesh" | "xy_yx_no_express_cmesh" | "xyyx_flatfly" => "o1turn",
            "romm_mesh" => "romm",
            "valiant_flatfly" => "valiant",
            "min_adapt_mesh" => "dimension-order",
            "dest_tag_fly" => "destination-tag",
            "nca_fattree" => "nearest-common-ancestor",
            "min_anynet" => "up-down",
            "min_dragonflynew" => "minimal",
            _ => {
                if SHARED.contains(&kind.as_str()) || ["mesh", "torus"].contains(&kind.as_str()) {
                    self.refuse_routing(&kind, &name);
                }
                return;
            }
        };
        self.table("routing");
        self.said("algorithm", format!("\"{algorithm}\""), "routing_function");
        match full.as_str() {
            "dim_order_torus" => self.rings("fixed"),
            "dim_order_bal_torus" => self.rings("drawn"),
            "min_adapt_mesh" => self.adaptive_on_a_mesh(),
            "min_dragonflynew" => {
                let classes = "a packet changes its virtual channel where it leaves its group";
                self.said("group_classes", "\"dateline\"", classes);
                if self.settings.whole("num_vcs") < 2 {
                    let why = "there is one virtual channel up to the channel between groups, and one from it on";
                    self.refuse("num_vcs", why, "`num_vcs = 2;`");
                }
            }
            "nca_fattree" => self.said(
                "ascent",
                "\"drawn\"",
                "the channel up is drawn, whoever waits there",
            ),
            "min_anynet" => self.note(
                "BookSim2 takes a shortest way, whatever waits for whom; up-down takes the same in a tree of routers, and \
                 others where there are several.",
            ),
            _ => {}
        }
        if ["o1turn", "romm", "valiant"].contains(&algorithm) {
            self.halves(&kind, algorithm);
        }
    }

    /// Dimension order on rings, each half of whose virtual channels is a class, in `classes` of their own.
    fn rings(&mut self, classes: &str) {
        self.said("tie", "\"random\"", "half way round a ring, either way");
        self.said(
            "ring_classes",
            format!("\"{classes}\""),
            "a packet keeps one half of the virtual channels round a ring",
        );
        if self.settings.whole("num_vcs") % 2 == 1 {
            self.note(
                "With an odd `num_vcs` BookSim2's halves share the virtual channel in the middle; here it is the first \
                 half's.",
            );
        }
        if self.settings.whole("num_vcs") < 2 {
            let why = "dimension order on a torus takes two virtual channels at least";
            self.refuse("num_vcs", why, "`num_vcs = 2;`");
        }
    }

    /// Half of the virtual channels for either order of the dimensions, or for either leg.
    fn halves(&mut self, kind: &str, algorithm: &str) {
        // Of a cmesh and of more dimensions of a flatfly it is told already.
        let is_told = kind == "cmesh" || kind == "flatfly" && self.settings.whole("n") > 2;
        if algorithm == "o1turn" && !is_told {
            self.must_be("n", 2, "it is for two dimensions here");
        }
        if self.settings.whole("num_vcs") % 2 == 1 {
            let why = "there are two halves of the virtual channels, and BookSim2's would share the one in the middle";
            self.refuse("num_vcs", why, "an even number");
        }
    }

    /// Of the ranges of virtual channels that have one priority BookSim2 keeps the first (outputset.hpp): of the adaptive
    /// ones that of the lowest dimension, which is that of the escape, too.
    fn adaptive_on_a_mesh(&mut self) {
        self.said(
            "escape",
            "\"dimension-order\"",
            "the lowest virtual channel, and from there on it alone",
        );
        self.note(
            "BookSim2 keeps one channel of each priority, so that its `min_adapt` goes in dimension order. For adaptive \
             routing write `algorithm = \"duato\"` and `after_escape = \"stay\"` in place of `algorithm` and `escape`, and \
             `vc_reallocation = \"atomic\"`.",
        );
        if self.settings.whole("num_vcs") < 2 {
            let why = "the lowest virtual channel is the escape, and leaves none for the rest";
            self.refuse("num_vcs", why, "`num_vcs = 2;`");
        }
        if self.settings.whole("speculative") > 0 {
            let why = "here a head that asks for several channels cannot bid for the switch at the same time";
            self.refuse("speculative", why, "`speculative = 0;`");
        }
    }

    /// Whether heads ask for virtual channels of several priorities.
    pub(super) fn is_adaptive(&self) -> bool {
        let said = ["topology", "routing_function"].map(|key| self.settings.text(key));
        said == ["mesh", "min_adapt"]
    }
}
