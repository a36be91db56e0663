//! Routing functions that BookSim2 has (`gRoutingFunctionMap`) and no scenario can say: why, and what comes close.

use super::Import;

/// Function and network as BookSim2 joins their names, why it cannot be said, what comes close.
type Function = (&'static str, &'static str, &'static str);

const BY_CREDITS: &str =
    "its order is the one whose first channel has fewer credits in use, and here it is drawn";
const BY_DESTINATION: &str = "each destination has virtual channels of its own there";
const BY_COORDINATE: &str =
    "each coordinate of a destination has virtual channels of its own there";
const ONE_KEPT: &str = "BookSim2 keeps one channel of each priority, so that it goes in dimension order, on a third of the \
                        virtual channels";
const ONE_CHAOTIC: &str = "BookSim2 keeps one channel of each priority, so that it goes in dimension order, on one virtual \
                           channel";
const ONE_ADAPTIVE: &str = "beside the escape it has virtual channel 3 alone, for one channel as on a mesh, and packets \
                            take no other";
const PASSES: &str = "a packet passes through its destination on the way to the node between, and here it ends there";
const ENDS: &str = "BookSim2 ends with a failed assertion when a packet goes straight on";
const WAITS: &str =
    "its packets have one virtual channel round a ring, and wait for each other for ever";
const DRAWS_TWO: &str = "each router draws two channels up and keeps to the one with fewer credits in use, and here a \
                         head chooses anew as long as it waits";
const EXPRESS: &str = "it goes over channels along the edges that the mesh has not here";
const UGAL: &str = "it draws the terminal between, and weighs both ways, by rules of its own";
const BY_FLITS: &str = "a packet leaves the minimal way where its channel has more flits queued than twice the other way's, \
                        and 30; here they count by hops";

const DIM_ORDER: &str = "`routing_function = dim_order;`";
const PLANAR: &str =
    "`routing_function = dim_order;`, or `algorithm = \"planar-adaptive\"`, by hand";
const DUATO: &str = "`algorithm = \"duato\"` with `after_escape = \"stay\"`, and `vc_requests = \"all-channels\"` in \
                     `[router]`, by hand";
const VALIANT: &str = "`algorithm = \"valiant\"`, by hand";
const ASCENT: &str =
    "`routing_function = nca;`, and `ascent = \"free\"` in place of `\"drawn\"`, by hand";
const BY_QUEUES: &str = "`algorithm = \"ugal\"`, by hand";

#[rustfmt::skip] // A line each.
const FUNCTIONS: [Function; 20] = [
    ("adaptive_xy_yx_mesh", BY_CREDITS, "`routing_function = xy_yx;`"),
    ("dim_order_ni_mesh", BY_DESTINATION, DIM_ORDER),
    ("dim_order_pni_mesh", BY_COORDINATE, DIM_ORDER),
    ("romm_ni_mesh", BY_DESTINATION, "`routing_function = romm;`"),
    ("planar_adapt_mesh", ONE_KEPT, PLANAR),
    ("valiant_mesh", PASSES, VALIANT),
    ("chaos_mesh", ONE_CHAOTIC, "`routing_function = dim_order;` with `num_vcs = 1;`"),
    ("dim_order_ni_torus", BY_DESTINATION, DIM_ORDER),
    ("min_adapt_torus", ONE_ADAPTIVE, DUATO),
    ("valiant_torus", ENDS, VALIANT),
    ("valiant_ni_torus", ENDS, VALIANT),
    ("chaos_torus", WAITS, DIM_ORDER),
    ("anca_fattree", DRAWS_TWO, ASCENT),
    ("dor_cmesh", EXPRESS, "`routing_function = dor_no_express;`"),
    ("xy_yx_cmesh", EXPRESS, "`routing_function = xy_yx_no_express;`"),
    ("adaptive_xyyx_flatfly", BY_CREDITS, "`routing_function = xyyx;`"),
    ("ugal_flatfly", UGAL, BY_QUEUES),
    ("ugal_xyyx_flatfly", UGAL, BY_QUEUES),
    ("ugal_pni_flatfly", UGAL, BY_QUEUES),
    ("ugal_dragonflynew", BY_FLITS, BY_QUEUES),
];

/// What can be said, by network: dimension order elsewhere.
const NEAR: [(&str, &str); 6] = [
    ("fly", "`routing_function = dest_tag;`"),
    ("anynet", "`routing_function = min;`"),
    ("fattree", "`routing_function = nca;`"),
    ("cmesh", "`routing_function = dor_no_express;`"),
    ("flatfly", "`routing_function = ran_min;`"),
    ("dragonflynew", "`routing_function = min;`"),
];

impl Import<'_> {
    /// Says why `name` on `kind` is no algorithm here.
    pub(super) fn refuse_routing(&mut self, kind: &str, name: &str) {
        let full = format!("{name}_{kind}");
        if let Some((_, why, near)) = FUNCTIONS.iter().find(|(known, ..)| *known == full) {
            self.refuse("routing_function", why, near);
            return;
        }
        let on = match kind {
            "anynet" => "on an anynet",
            _ => &format!("on a {kind}"),
        };
        let why = match name {
            "none" => format!("{on} a routing has to be named"),
            _ => format!("{on} BookSim2 has no routing of this name"),
        };
        let near = NEAR.iter().find(|(network, _)| *network == kind);
        self.refuse(
            "routing_function",
            &why,
            near.map_or(DIM_ORDER, |(_, near)| near),
        );
    }
}
