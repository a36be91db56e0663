//! The engine equals the oracle: on random small cases the two logs of events are the same, cycle
//! for cycle and flit for flit, and so are the counters; and everything drains.
//!
//! A case depends on its number alone. The cases `FLITSIM_ORACLE_FIRST` (default 0) and on, in
//! all `FLITSIM_ORACLE_CASES` (default 1,000, and 100 in
//! the first tier), are run; a failure names its case. One again, and
//! 20,000:
//!
//! ```sh
//! FLITSIM_ORACLE_FIRST=123 FLITSIM_ORACLE_CASES=1 cargo test -p flitsim-engine --test all equivalence
//! FLITSIM_ORACLE_CASES=20000 cargo test --release -p flitsim-engine --test all equivalence
//! ```

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::common::numbered::{run_each, run_numbered};
use crate::compare;
use crate::oracle;
use crate::tier;

use compare::{compare, first_difference, in_order, totals_of};
use flitsim_engine::routing::DimensionOrder;
use flitsim_engine::{Engine, EngineConfig, NewPacket};
use flitsim_topology::{Ends, Grid, NodeId};
use oracle::Oracle;
use oracle::case::{Case, Relation};
use oracle::relation::{Adaptive, Ordered, Round};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn run_case(case: &Case) -> String {
    let number = case.number;
    let network = case.network();
    let grid = network.grid().expect("a grid");
    let vcs = case.config.virtual_channels;
    let compared = catch_unwind(AssertUnwindSafe(|| match case.relation {
        Relation::Adaptive => {
            let routing = Adaptive::new(grid, vcs);
            compare(case, &network, Ordered::<_, false>(routing))
        }
        Relation::DimensionOrder {
            tie,
            vc_balance,
            declared,
        } => {
            let routing = DimensionOrder::new(grid, vcs, tie, vc_balance).expect("enough VCs");
            let routing = routing.with_ring_classes(case.ring_classes());
            if declared {
                compare(case, &network, Ordered::<_, true>(routing))
            } else {
                compare(case, &network, Ordered::<_, false>(routing))
            }
        }
    }));
    let report = compared.unwrap_or_else(|_| "a panic, printed above\n".into());
    if report.is_empty() {
        report
    } else {
        format!("case {number}: {report}{case:#?}\n")
    }
}

#[test]
fn the_engine_equals_the_oracle_flit_for_flit() {
    run_numbered(
        "ORACLE",
        || tier::cases(1_000),
        |number| {
            let report = run_case(&Case::new(number).or_alone());
            (!report.is_empty()).then_some(report)
        },
    );
}

#[test]
fn the_engine_equals_the_oracle_in_routers_filled_to_the_last_bit() {
    run_each(tier::cases(200), |number| run_case(&Case::corner(number)));
}

#[test]
fn the_engine_equals_the_oracle_in_routers_on_masks() {
    run_numbered(
        "ORACLE",
        || tier::cases(400),
        |number| {
            let report = run_case(&Case::on_masks(number));
            (!report.is_empty()).then_some(report)
        },
    );
}

#[test]
fn a_deadlocked_ring_stops_as_the_oracles_does() {
    let grid = Grid::new(&[4], Ends::DirectedRing).expect("a grid");
    let network = grid.clone().into_network();
    let routing = Round(&grid);
    let routing = Ordered::<_, true>(routing);
    let routing = Any::<true>::new(&routing);
    let config = EngineConfig {
        virtual_channels: 1,
        buffer_flits: 2,
        ..EngineConfig::default()
    };
    let mut oracle = Oracle::new(&network, &routing, config.clone(), 1);
    let probe = Delivered::everything(&network);
    let mut engine = Engine::new(&network, routing, config, 1, probe).expect("an engine");
    // Every packet holds the channel out of its source, and waits for the next one's.
    let offers: Vec<NewPacket> = (0..4)
        .map(|source| NewPacket {
            source: NodeId(source),
            destination: NodeId((source + 2) % 4),
            flits: 8,
            entropy: 0,
        })
        .collect();
    offers.iter().for_each(|&offer| {
        engine.offer(offer);
    });
    oracle.step(&offers);
    engine.step();
    assert!(!engine.is_frozen());
    for _ in 0..50 {
        oracle.step(&[]);
        engine.step();
    }
    assert!(engine.is_frozen() && !engine.is_idle() && !oracle.is_idle());
    assert_eq!(oracle.totals().flit_hops, 8);
    assert_eq!(oracle.totals(), totals_of(engine.counters()));
    let log = std::mem::take(&mut engine.probe_mut().recorder.log);
    let log = [oracle.log().to_vec(), log].map(in_order);
    let difference = first_difference(&log[0], &log[1]);
    assert!(difference.is_empty(), "{difference}");
}
