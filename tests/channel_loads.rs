//! Mean hops equal the closed forms, and measured channel loads equal γ × load, under uniform
//! traffic well below saturation.

use crate::proofs;

use flitsim_analysis::expected;
use flitsim_engine::EngineConfig;
use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables, Tie};
use flitsim_simulations::Setup;
use flitsim_topology::{
    Arrangement, Butterfly, Dragonfly, Ends, Grid, HyperX, Network, SlimFly, Xgft,
};
use flitsim_traffic::{NextGroup, PacketLength, Pattern, Tornado, TrafficPlan, Transpose, Uniform};

const LOAD: f64 = 0.2;
const CYCLES: u64 = 20_000;
const PACKET_FLITS: u32 = 2;

fn check(grid: Grid, hops_with_self: f64) {
    let nodes = grid.clone().into_network().terminals();
    for include_self in [true, false] {
        let setup = Setup {
            network: grid.clone().into_network(),
            config: EngineConfig::default(),
            tie: Tie::Random,
            vc_balance: true,
            traffic: TrafficPlan {
                pattern: Pattern::Uniform(Uniform { include_self }),
                length: PacketLength::Fixed(PACKET_FLITS),
                ..TrafficPlan::default()
            },
        };
        let observed = setup.observe(LOAD, CYCLES, 3);
        let nodes = f64::from(nodes);
        let hops = if include_self {
            hops_with_self
        } else {
            hops_with_self * nodes / (nodes - 1.0)
        };
        assert!(
            (observed.hops_mean - hops).abs() < 4.0 * observed.hops_error,
            "{} hops for {hops} ± {}",
            observed.hops_mean,
            observed.hops_error
        );
        check_channels(&setup, &observed.channel_flits);
    }
}

/// Packets choose their channels independently, so the flits of a channel vary like
/// PACKET_FLITS times a Poisson number of packets.
fn check_channels(setup: &Setup, channel_flits: &[f64]) {
    let pattern = setup.traffic.pattern.compile(&setup.network).unwrap();
    let expected = expected(
        &setup.network,
        &setup.routing(),
        &setup.config,
        |source, visit| pattern.demand(source, visit),
    )
    .unwrap();
    let window = (CYCLES / 2) as f64;
    let mut squares = 0.0;
    for (&measured, &gamma) in channel_flits.iter().zip(&expected.channel_loads) {
        let load = gamma * LOAD;
        let deviation = (load * f64::from(PACKET_FLITS) / window).sqrt();
        let score = (measured - load) / deviation;
        assert!(score.abs() < 5.0, "{measured} flits a cycle for {load}");
        squares += score * score;
    }
    // The scores are standard normal: their squares average 1, not 10 and not 0.
    let mean_square = squares / channel_flits.len() as f64;
    assert!((0.5..1.6).contains(&mean_square), "{mean_square}");
}

#[test]
fn torus_of_even_radix() {
    check(Grid::uniform(8, 2, Ends::Ring).unwrap(), 2.0 * 8.0 / 4.0);
}

#[test]
fn torus_of_odd_radix() {
    let k = 5.0;
    check(
        Grid::uniform(5, 2, Ends::Ring).unwrap(),
        2.0 * (k / 4.0 - 1.0 / (4.0 * k)),
    );
}

#[test]
fn torus_of_one_way_rings() {
    check(
        Grid::uniform(4, 2, Ends::DirectedRing).unwrap(),
        2.0 * (4.0 - 1.0) / 2.0,
    );
}

#[test]
fn mesh() {
    let k = 6.0;
    check(
        Grid::uniform(6, 2, Ends::Open).unwrap(),
        2.0 * (k / 3.0 - 1.0 / (3.0 * k)),
    );
}

#[test]
fn hypercube() {
    check(Grid::hypercube(6).unwrap(), 6.0 / 2.0);
}

/// A network, its routing and a pattern, with the load of the busiest channel where a formula says it.
type Row = (&'static str, Network, &'static str, Pattern, Option<f64>);

/// Tornado and transpose traffic on grids (Dally & Towles, tables 3.1 and 9.1: k = 8), and each router's or group's
/// terminals to the next's where one shortest way leads there (Kim, Dally, Scott & Abts 2008: a·p).
fn adversaries() -> Vec<Row> {
    let grid = |ends| Grid::uniform(8, 2, ends).unwrap().into_network();
    let ring = || grid(Ends::Ring);
    let mesh = || grid(Ends::Open);
    let tornado = || Pattern::Tornado(Tornado);
    let transpose = || Pattern::Transpose(Transpose);
    let next = |group| Pattern::NextGroup(NextGroup { group });
    let dragonfly = || {
        let dragonfly = Dragonfly::new(4, 2, 9, Arrangement::Relative).unwrap();
        dragonfly.into_network().concentrated(2).unwrap()
    };
    let hyperx = || {
        let hyperx = HyperX::new(&[4, 4], &[]).unwrap();
        hyperx.into_network().concentrated(4).unwrap()
    };
    let fly = || {
        SlimFly::new(5)
            .unwrap()
            .into_network()
            .concentrated(4)
            .unwrap()
    };
    let butterfly = || Butterfly::new(4, 3).unwrap().into_network();
    let tree = || Xgft::new(&[4, 4, 4], &[1, 4, 4]).unwrap().into_network();
    vec![
        (
            "torus 8 × 8",
            ring(),
            "dimension-order",
            tornado(),
            Some(3.0),
        ),
        ("torus 8 × 8", ring(), "valiant", tornado(), None),
        ("torus 8 × 8", ring(), "dimension-order", transpose(), None),
        ("torus 8 × 8", ring(), "o1turn", transpose(), None),
        ("torus 8 × 8", ring(), "valiant", transpose(), None),
        (
            "mesh 8 × 8",
            mesh(),
            "dimension-order",
            transpose(),
            Some(7.0),
        ),
        ("mesh 8 × 8", mesh(), "o1turn", transpose(), Some(3.5)),
        ("mesh 8 × 8", mesh(), "romm", transpose(), None),
        ("mesh 8 × 8", mesh(), "valiant", transpose(), None),
        (
            "dragonfly, a = 4, p = h = 2",
            dragonfly(),
            "minimal",
            next(None),
            Some(8.0),
        ),
        (
            "dragonfly, a = 4, p = h = 2",
            dragonfly(),
            "valiant",
            next(None),
            None,
        ),
        (
            "HyperX 4 × 4, 4 terminals a router",
            hyperx(),
            "dimension-order",
            next(Some(4)),
            Some(4.0),
        ),
        (
            "HyperX 4 × 4, 4 terminals a router",
            hyperx(),
            "valiant",
            next(Some(4)),
            None,
        ),
        (
            "Slim Fly, q = 5, 4 terminals a router",
            fly(),
            "minimal",
            next(Some(4)),
            None,
        ),
        (
            "Slim Fly, q = 5, 4 terminals a router",
            fly(),
            "valiant",
            next(Some(4)),
            None,
        ),
        (
            "butterfly, 4-ary 3-fly",
            butterfly(),
            "destination-tag",
            next(Some(4)),
            Some(4.0),
        ),
        (
            "fat-tree, 4-ary 3-tree",
            tree(),
            "nearest-common-ancestor",
            next(Some(16)),
            Some(1.0),
        ),
    ]
}

/// The rows, walked: the busiest channel at a load of 1, to four digits, and the load that it lets through.
fn table_of_loads() -> String {
    let mut table = String::from(
        "| network | routing | pattern | busiest channel | throughput |\n| --- | --- | --- | --- | --- |\n",
    );
    for (name, network, algorithm, pattern, formula) in adversaries() {
        let tables = Tables::default();
        let known = Algorithm::every()
            .into_iter()
            .find(|known| known.name() == algorithm);
        let choice = RoutingChoice::from(known.expect(algorithm));
        let vcs = choice.virtual_channels_min(&network, &tables);
        let relation = choice.relation(&network, vcs, &tables).unwrap();
        let config = EngineConfig {
            virtual_channels: vcs,
            ..EngineConfig::default()
        };
        let law = pattern.compile(&network).unwrap();
        let walked = expected(&network, &relation, &config, |from, visit| {
            law.demand(from, visit)
        });
        let busiest = walked.unwrap().channel_load_max;
        if let Some(formula) = formula {
            assert!(
                (busiest - formula).abs() < 1e-9,
                "{name}, {algorithm}: {busiest}"
            );
        }
        let word = match pattern {
            Pattern::Tornado(_) => "tornado",
            Pattern::Transpose(_) => "transpose",
            _ => "next-group",
        };
        table += &format!(
            "| {name} | `{algorithm}` | `{word}` | {busiest:.4} | {:.4} |\n",
            1.0 / busiest
        );
    }
    table
}

/// `UPDATE=1 cargo test --test all table_of_channel_loads` writes it anew.
#[test]
fn the_table_of_channel_loads_is_in_the_documentation() {
    let head = "| network | routing | pattern | busiest";
    proofs::keep_table("docs/networks.md", head, &table_of_loads());
}
