//! The dense engine equals the oracle on networks that are no grids, whose neighbours are gathered: see `dense.rs`.

use crate::common::numbered::run_numbered;
use crate::compare::compare;
use crate::dense::dense_case;
use crate::oracle::case::{Case, Dice};
use crate::oracle::relation::Ordered;
use crate::tier;
use flitsim_engine::routing::{Algorithm, Relation, RoutingChoice, Tables};
use flitsim_engine::{DenseEngine, EngineConfig, NoProbe, Routing, VcReallocation};
use flitsim_topology::dragonfly::Arrangement;
use flitsim_topology::{
    Butterfly, ChannelId, Dragonfly, Ends, ExpressCube, ExpressParameters, FatTree, Grid, HyperX,
    Network, RandomRegular, SlimFly, SparseTorus, Star, Thinning, Xgft,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Kinds of networks.
const KINDS: u64 = 13;

/// One of every kind, some of them smaller than a block and some of several.
fn network(dice: &mut Dice, kind: u64) -> Network {
    let is_large = dice.from(0, 4) == 0;
    let small_or = |small: u32, large: u32| if is_large { large } else { small };
    let network = match kind {
        0 => Star::new(small_or(4, 5)).map(Star::into_network),
        1 => FatTree::butterfly(small_or(16, 64)).map(FatTree::into_network),
        2 => FatTree::pyramid(small_or(16, 64)).map(FatTree::into_network),
        3 => Xgft::new(&[3, 2, small_or(2, 4)], &[1, 2, 2]).map(Xgft::into_network),
        // Of many channels, and with several side by side.
        4 if is_large => HyperX::new(&[7, 6], &[1, 1]).map(HyperX::into_network),
        4 => HyperX::new(&[3, 4], &[dice.from(1, 2), 1]).map(HyperX::into_network),
        5 => Dragonfly::new(small_or(2, 4), 1, small_or(3, 5), Arrangement::Absolute)
            .map(Dragonfly::into_network),
        6 => RandomRegular::new(small_or(10, 60), 3, 1 + u64::from(dice.from(0, 9)))
            .map(RandomRegular::into_network),
        7 => SlimFly::new(5).map(SlimFly::into_network),
        8 => {
            SparseTorus::new(small_or(4, 8), 2, Thinning::Manhattan).map(SparseTorus::into_network)
        }
        9 => ExpressCube::new(ExpressParameters::new(small_or(4, 9), 2, 2, 1))
            .map(ExpressCube::into_network),
        10 => Butterfly::new(2, small_or(3, 5)).map(Butterfly::into_network),
        11 => Grid::new(&[3, small_or(3, 6)], Ends::Open)
            .and_then(|grid| grid.into_network().concentrated(3)),
        _ => Grid::new(&[small_or(4, 6), 5], Ends::Open).map(|grid| {
            // Of what is left nothing is known.
            let whole = Arc::new(grid.into_network());
            Network::without(&whole, &[ChannelId(dice.from(0, 20))], &[])
        }),
    };
    network.expect("a network")
}

/// `case` on one of the networks, under one of the algorithms that the dense engine takes there; `None` where none is.
fn run_on(mut case: Case, kind: u64) -> Option<String> {
    let number = case.number;
    let mut dice = Dice::new(number ^ 0x6e65_7477_6f72);
    let network = network(&mut dice, kind);
    case.permutation = None;
    if network.nodes() > 64 {
        case.cycles = case.cycles.min(100);
        case.lengths.retain(|&flits| flits < 64);
    }
    let (vcs, tables) = (case.config.virtual_channels, Tables::default());
    let relation = |algorithm: Algorithm| {
        // Minimal adaptive routing can deadlock; the others need files.
        let is_drawn = !matches!(
            algorithm,
            Algorithm::MinimalAdaptive | Algorithm::Table | Algorithm::Source
        );
        let choice = RoutingChoice::from(algorithm);
        let relation = is_drawn.then(|| choice.relation(&network, vcs, &tables).ok())??;
        takes(&relation, &case.config).then_some(relation)
    };
    let all = Algorithm::ALL.iter().copied();
    let fitting: Vec<Algorithm> = all
        .filter(|&algorithm| relation(algorithm).is_some())
        .collect();
    if fitting.is_empty() {
        return None;
    }
    let routing = relation(dice.pick(&fitting))?;
    if routing.has_escape() {
        case.config.vc_reallocation = VcReallocation::Atomic;
    }
    let flits = case.lengths.iter().copied().max().unwrap_or(1);
    type Dense<'n> = DenseEngine<'n, Relation<'n>, NoProbe>;
    Dense::fits(&network, &case.config, flits).ok()?;
    let report = match routing.is_deterministic() {
        true => compare(&case, &network, Ordered::<_, true>(routing)),
        false => compare(&case, &network, Ordered::<_, false>(routing)),
    };
    Some(match report.is_empty() {
        true => report,
        false => format!("case {number} of kind {kind}: {report}{case:#?}\n"),
    })
}

fn takes(routing: &Relation<'_>, config: &EngineConfig) -> bool {
    DenseEngine::<Relation<'_>, NoProbe>::takes(routing, config).is_ok()
}

#[test]
fn networks_that_are_no_grids_do_the_same_on_the_dense_engine() {
    let fits = [const { AtomicU64::new(0) }; KINDS as usize];
    let all = AtomicU64::new(0);
    run_numbered(
        "ORACLE",
        || tier::cases(600),
        |number| {
            let kind = number % KINDS;
            all.fetch_add(1, Ordering::Relaxed);
            let report = run_on(dense_case(number), kind)?;
            fits[kind as usize].fetch_add(1, Ordering::Relaxed);
            (!report.is_empty()).then_some(report)
        },
    );
    let (fits, all) = (fits.map(AtomicU64::into_inner), all.into_inner());
    assert!(2 * fits.iter().sum::<u64>() > all, "{fits:?} of {all}");
    assert!(fits.iter().all(|&fits| fits > 0), "{fits:?}");
}
