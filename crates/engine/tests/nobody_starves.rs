//! Nobody who could be served is passed over for long: random small networks under flows that never
//! rest, and one router where packets of several kinds meet, watched from outside (see `starvation`).
//!
//! A case depends on its number alone; one again, and 10,000 random ones:
//!
//! ```sh
//! FLITSIM_STARVATION_FIRST=123 FLITSIM_STARVATION_CASES=1 cargo test -p flitsim-engine --test all nobody_starves
//! FLITSIM_STARVATION_CASES=10000 cargo test --release -p flitsim-engine --test all nobody_is_passed
//! ```

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::common::numbered::run_numbered;
use crate::oracle::case::Dice;
use crate::starvation::case::{Case, Shape};
use crate::starvation::crossing;
use crate::starvation::{Observer, entered};
use crate::tier;
use flitsim_engine::routing::{AfterEscape, DimensionOrder, Duato, NearestCommonAncestor, Tie};
use flitsim_engine::routing::{TurnModel, TurnRule};
use flitsim_engine::{Engine, Routing};
use flitsim_topology::{Ends, FatTree, Grid, Network};

/// Runs a case; who waited too long.
fn drive<R: Routing + Copy>(case: Case, network: &Network, routing: R) -> Result<[f64; 2], String> {
    let case = match case.shape {
        Shape::Crossing(_) => case,
        _ => case.with_periods(network.channels()),
    };
    let Case { config, seed, .. } = &case;
    let engine = Engine::new(network, routing, config.clone(), *seed, Delivered::flits());
    let mut engine = engine.expect("an engine");
    let packets = 2 * case.flows.len() as u32;
    let come_over = |node| case.come_over(node);
    let mut observer = Observer::new(network, routing, config, packets, come_over);
    let mut dice = Dice::new(*seed);
    // By packet: its flow. By flow: packets in the source's queue.
    let mut flows = Vec::new();
    let mut waiting = vec![0; case.flows.len()];
    let mut offered = waiting.clone();
    for now in 0..case.cycles {
        for (index, flow) in case.flows.iter().enumerate() {
            if let Some(packet) = flow.offer(now, [offered[index], waiting[index]], &mut dice) {
                engine.offer_tagged(packet, flows.len() as u32);
                waiting[index] += 1;
                offered[index] += 1;
                flows.push(index);
            }
        }
        engine.step();
        let events = &mut engine.probe_mut().flits;
        for tag in entered(events) {
            waiting[flows[tag as usize]] -= 1;
        }
        observer
            .look(events)
            .map_err(|who| format!("{who}\n{case:#?}"))?;
    }
    Ok(observer.worst)
}

fn run(case: Case) -> Result<[f64; 2], String> {
    let vcs = case.config.virtual_channels;
    let grid = |radices: &[u32], ends| Grid::new(radices, ends).expect("a grid").into_network();
    match case.shape.clone() {
        Shape::Ordered { radices, ends } => {
            let network = grid(&radices, ends);
            let grid = network.grid().expect("a grid");
            let balances = case.seed.is_multiple_of(2);
            let routing = DimensionOrder::new(grid, vcs, Tie::Random, balances);
            drive(case, &network, Any::<true>::new(&routing.expect("VCs")))
        }
        Shape::Duato { radices, ends } => {
            let network = grid(&radices, ends);
            let after = match case.seed.is_multiple_of(2) {
                true => AfterEscape::Return,
                false => AfterEscape::Stay,
            };
            let grid = network.grid().expect("a grid");
            let routing = Duato::going_on(grid, vcs, after).expect("VCs");
            drive(case, &network, Any::<false>::new(&routing))
        }
        Shape::TurnModel { radices } => {
            let network = grid(&radices, Ends::Open);
            let grid = network.grid().expect("a grid");
            let routing = TurnModel::new(grid, vcs, TurnRule::NegativeFirst).expect("VCs");
            drive(case, &network, Any::<false>::new(&routing))
        }
        Shape::Tree => {
            let network = FatTree::butterfly(16).expect("a tree").into_network();
            let tree = network.fat_tree().expect("a tree");
            let routing = NearestCommonAncestor::new(tree, vcs).expect("VCs");
            drive(case, &network, Any::<false>::new(&routing))
        }
        Shape::Layers(layers) => {
            let network = layers.network();
            let routing = layers.routing(&network, vcs);
            drive(case, &network, Any::<true>::new(&routing))
        }
        Shape::Crossing(crossing) => {
            let network = crossing.network();
            let routing = crossing.routing(&network);
            drive(case, &network, Any::<false>::new(&routing))
        }
    }
}

fn hold(cases: impl Fn() -> u64, case: impl Fn(u64) -> Case + Sync) {
    run_numbered("STARVATION", cases, |number| {
        let waits = run(case(number)).map_err(|who| format!("case {number}: {who}"));
        if std::env::var_os("FLITSIM_STARVATION_WORST").is_some() {
            eprintln!("{number} {waits:?}");
        }
        waits.err()
    });
}

#[test]
fn nobody_is_passed_over_for_long() {
    hold(|| tier::cases(1_500), Case::new);
}

/// Beside heads that may take more, and decline in step what they are granted.
#[test]
fn who_may_take_one_virtual_channel_is_not_passed_over_for_long() {
    // The first half is of all sorts, as the whole is.
    hold(|| tier::one_in(4, crossing::CASES / 2), crossing::case);
}
