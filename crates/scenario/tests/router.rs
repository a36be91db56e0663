//! What a user is told of a router.

use flitsim_engine::config::keys::ROUTER;
use flitsim_engine::{BufferSharing, EngineConfig, Pipeline};
use flitsim_scenario::router::Router;

#[test]
fn shared_places_cover_a_round_trip_as_own_ones_do() {
    let mut router = Router::of(&ROUTER.defaults());
    let mut warning = |buffer_flits, buffer_sharing| {
        router.config = EngineConfig {
            virtual_channels: 4,
            buffer_flits,
            buffer_sharing,
            credit_delay: 4,
            pipeline: Some(Pipeline {
                routing: 1,
                vc_allocation: 1,
                switch_allocation: 1,
                traversal: 1,
            }),
            ..EngineConfig::default()
        };
        router.credit_warning().unwrap_or_default()
    };
    // Three cycles there and four back.
    let private = warning(6, BufferSharing::Private);
    assert!(private.contains("of 6 flits") && private.ends_with("`buffer_flits = 7` or more does"));
    assert_eq!(warning(7, BufferSharing::Private), "");
    let shared = warning(2, BufferSharing::Shared);
    assert!(
        shared.contains("at most 5 flits") && shared.ends_with("`buffer_flits = 3` or more does")
    );
    assert_eq!(warning(3, BufferSharing::Shared), "");
    // All of twelve but two of each other one.
    let dynamic = warning(3, BufferSharing::Dynamic { reserve: 2 });
    assert!(
        dynamic.contains("at most 6 flits") && dynamic.ends_with("`buffer_flits = 4` or more does")
    );
}
