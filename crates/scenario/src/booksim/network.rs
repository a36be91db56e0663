//! Networks and routings.

use super::Import;

/// Topologies that BookSim2 has and this does not write, and what comes close.
const OTHERS: [(&str, &str); 10] = [
    ("cmesh", "a mesh with `terminals`, by hand"),
    ("flatfly", "`kind = \"hyperx\"`, by hand"),
    ("fly", "`kind = \"butterfly\"`, by hand"),
    ("fattree", "`kind = \"fat-tree\"`, by hand"),
    ("qtree", "`kind = \"fat-tree\"`, by hand"),
    ("tree4", "`kind = \"fat-tree\"`, by hand"),
    ("dragonfly", "`kind = \"dragonfly\"`, by hand"),
    ("dragonflynew", "`kind = \"dragonfly\"`, by hand"),
    ("anynet", "`kind = \"file\"`, with a list of channels"),
    ("cube", "`topology = torus;`"),
];

impl Import<'_> {
    pub(super) fn network(&mut self) {
        let (k, n) = (self.at_least("k", 2), self.at_least("n", 1));
        let kind = self.settings.text("topology").to_owned();
        let wire = match kind.as_str() {
            "mesh" => 0,
            // Folded, so that all wires are twice as long (kncube.cpp).
            "torus" => self.settings.whole("use_noc_latency").clamp(0, 1),
            other => {
                let near = OTHERS.iter().find(|(name, _)| *name == other);
                let help = near.map_or("`topology = mesh;` or `topology = torus;`", |(_, near)| {
                    near
                });
                let why = match near {
                    Some(("anynet" | "cube", _)) | None => "it is not written as a scenario",
                    Some(_) => {
                        "it is not written as a scenario: terminals that share a router are nodes with \
                         stages of their own here, and latencies would differ"
                    }
                };
                self.refuse("topology", why, help);
                0
            }
        };
        if self.settings.whole("c") != 1 && ["mesh", "torus"].contains(&kind.as_str()) {
            self.refuse(
                "c",
                "BookSim2 gives this topology one terminal a router",
                "`c = 1;`",
            );
        }
        self.table("topology");
        self.said("kind", format!("\"{kind}\""), "topology");
        self.said("radix", k, "k");
        self.said("dimensions", n, "n");
        self.table("channel");
        self.said("delay", wire, "use_noc_latency: a wire's cycles beyond one");
    }

    pub(super) fn routing(&mut self) {
        let kind = self.settings.text("topology").to_owned();
        let name = self.settings.text("routing_function").to_owned();
        let full = format!("{name}_{kind}");
        self.table("routing");
        match full.as_str() {
            "dor_mesh" | "dim_order_mesh" => {
                self.said("algorithm", "\"dimension-order\"", "routing_function");
            }
            "dim_order_torus" => {
                self.said("algorithm", "\"dimension-order\"", "routing_function");
                self.said("tie", "\"random\"", "half way round a ring, either way");
                self.note(
                    "BookSim2 gives a packet one half of the virtual channels for all of its way round a ring; \
                     here it is in the second half from the dateline on, and more is accepted near saturation.",
                );
                if self.settings.whole("num_vcs") < 2 {
                    let why = "dimension order on a torus takes two virtual channels at least";
                    self.refuse("num_vcs", why, "BookSim2 ends with a failed assertion");
                }
            }
            _ if !["mesh", "torus"].contains(&kind.as_str()) => {}
            _ => {
                let near = match name.as_str() {
                    "none" => "name one: `routing_function = dim_order;`",
                    "xy_yx" | "adaptive_xy_yx" => "`algorithm = \"o1turn\"`, by hand",
                    "min_adapt" => "`algorithm = \"duato\"`, by hand",
                    "romm" | "romm_ni" => "`algorithm = \"romm\"`, by hand",
                    "valiant" | "valiant_ni" => "`algorithm = \"valiant\"`, by hand",
                    "planar_adapt" => "`algorithm = \"planar-adaptive\"`, by hand",
                    "dim_order_bal" => {
                        "`algorithm = \"dimension-order\"` with `vc_balance`, by hand"
                    }
                    _ => "`routing_function = dim_order;`",
                };
                let why = format!("on a {kind} it is not written as a scenario");
                self.refuse("routing_function", &why, near);
            }
        }
    }
}
