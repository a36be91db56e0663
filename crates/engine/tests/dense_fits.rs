//! What the dense engine offers, and what it refuses.

use crate::dense::{Beyond, dense_case, in_stages};
use flitsim_engine::routing::{Algorithm, DimensionOrder, RoutingChoice, Tables, Tie};
use flitsim_engine::{DenseEngine, EngineConfig, NoProbe, Unfit, Vectors};
use flitsim_topology::{Ends, FatTree, FatTreeKind, Grid};

#[test]
fn cases_fit_but_for_the_widest_routers() {
    let mut too_wide = 0;
    for number in 0..1_000 {
        let case = dense_case(number);
        let network = case.network();
        type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, NoProbe>;
        match Dense::fits(&network, &case.config, 16) {
            Ok(_) => {}
            Err(Unfit::TooWide) => too_wide += 1,
            Err(unfit) => panic!("{unfit}: {case:#?}"),
        }
    }
    assert!(too_wide < 100, "{too_wide}");
}

#[test]
fn what_does_not_fit_is_refused() {
    type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, NoProbe>;
    let mesh = Grid::uniform(4, 2, Ends::Open)
        .expect("a mesh")
        .into_network();
    let plain = EngineConfig::default();
    let fits_with = |config: &EngineConfig, flits| Dense::fits(&mesh, config, flits).map(drop);
    let fits = |config: &EngineConfig| fits_with(config, 16);
    assert_eq!(fits(&plain), Ok(()));
    let slow = EngineConfig {
        delay: 2,
        ..plain.clone()
    };
    assert_eq!(fits(&slow), Err(Unfit::Router("delay")));
    let wide = EngineConfig {
        virtual_channels: 9,
        ..plain.clone()
    };
    assert_eq!(fits(&wide), Err(Unfit::TooWide));
    let staged = in_stages(plain.clone());
    assert_eq!(fits(&staged), Ok(()));
    let unheld = EngineConfig {
        ejection_vcs: 0,
        ..staged.clone()
    };
    assert_eq!(fits(&unheld), Err(Unfit::Router("ejection_vcs")));
    let ways = |virtual_channels, input_speedup| EngineConfig {
        virtual_channels,
        injection_vcs: virtual_channels,
        ejection_vcs: virtual_channels,
        input_speedup,
        ..staged.clone()
    };
    // More ways than virtual channels are not used.
    assert_eq!(fits(&ways(2, 64)), Ok(()));
    assert_eq!(fits(&ways(5, 2)), Ok(()));
    assert_eq!(fits(&ways(4, 3)), Err(Unfit::Router("input_speedup")));
    let grid = mesh.grid().expect("a grid");
    let routing = || DimensionOrder::new(grid, 4, Tie::Random, true).expect("enough VCs");
    assert_eq!(Dense::takes(&routing(), &staged), Ok(()));
    let adaptive = Beyond(routing());
    assert_eq!(Dense::takes(&adaptive, &plain), Ok(()));
    assert_eq!(Dense::takes(&adaptive, &staged), Err(Unfit::Adaptive));
    let ugal = RoutingChoice::from(Algorithm::Ugal);
    let looking = ugal.relation(&mesh, 4, &Tables::default());
    let looking = looking.expect("enough VCs");
    assert_eq!(Dense::takes(&looking, &plain), Err(Unfit::Relation));
    let too_long = |flits| Err(Unfit::PacketFlits(flits));
    let few = EngineConfig {
        virtual_channels: 2,
        injection_vcs: 2,
        ..plain.clone()
    };
    assert_eq!(fits_with(&few, 65_535), Ok(()));
    assert_eq!(fits_with(&few, 65_536), too_long(65_535));
    for many in [&plain, &staged] {
        assert_eq!(fits_with(many, 255), Ok(()));
        assert_eq!(fits_with(many, 256), too_long(255));
    }
    for (config, most) in [(&staged, 255), (&plain, 255), (&few, 65_535)] {
        let deep = |buffer_flits| EngineConfig {
            buffer_flits,
            ..config.clone()
        };
        assert_eq!(fits(&deep(most)), Ok(()));
        assert_eq!(fits(&deep(most + 1)), Err(Unfit::BufferFlits(most)));
    }
    let tree = FatTree::new(16, FatTreeKind::Butterfly).expect("a tree");
    let tree = tree.into_network();
    assert!(Dense::fits(&tree, &plain, 16).is_ok());
    let unfit = Dense::fits(&tree, &staged, 16).map(drop);
    assert_eq!(unfit, Err(Unfit::NoGrid));
    let fit = Dense::fits(&mesh, &plain, 16).expect("routers that fit");
    let fit = fit.with(Vectors::Baseline);
    let engine = Dense::new(&mesh, routing(), &plain, 1, fit, NoProbe);
    assert!(engine.expect("an engine").is_idle());
}
