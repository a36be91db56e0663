//! What a user is told of a router.

use flitsim_engine::config::keys::ROUTER;
use flitsim_engine::{BufferSharing, ChannelDelay, EngineConfig, Pipeline};
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
        router.credit_warning(20).unwrap_or_default()
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

#[test]
fn a_round_trip_takes_as_many_places_as_flits_go_in_it() {
    let warning = |buffer_flits, config: EngineConfig| {
        let mut router = Router::of(&ROUTER.defaults());
        router.config = EngineConfig {
            buffer_flits,
            channel_delay: ChannelDelay::Uniform(1),
            ..config
        };
        router.credit_warning(20).unwrap_or_default()
    };
    let staged = |switch_allocation, hold_switch| EngineConfig {
        pipeline: Some(Pipeline {
            routing: 1,
            vc_allocation: 1,
            switch_allocation,
            traversal: 1,
        }),
        hold_switch,
        ..EngineConfig::default()
    };
    let said = warning(3, staged(2, false));
    assert!(
        said.contains("of 7 cycles (4 in a router, 2 * 1 on the wire, `credit_delay` 1) at a flit every 2 cycles")
            && said.ends_with("`buffer_flits = 4` or more does"),
        "{said}"
    );
    // Places from which on a long packet alone is as fast as with any number, found by simulation.
    for (switch_allocation, hold_switch, enough) in [
        (1, false, 6),
        (2, false, 4),
        (3, false, 3),
        (5, false, 2),
        (1, true, 6),
        (2, true, 7),
        (3, true, 7),
        (5, true, 7),
    ] {
        let config = || staged(switch_allocation, hold_switch);
        assert_eq!(warning(enough, config()), "");
        assert_ne!(warning(enough - 1, config()), "");
    }
    // What counts is the delay of the flits behind the head.
    let bodies = EngineConfig {
        body_delay: 5,
        ..EngineConfig::default()
    };
    let said = warning(4, bodies);
    assert!(
        said.contains("of 8 cycles (5 in a router")
            && said.ends_with("`buffer_flits = 8` or more does"),
        "{said}"
    );
}

#[test]
fn a_packet_that_fits_a_buffer_waits_for_no_credit() {
    let mut router = Router::of(&ROUTER.defaults());
    router.config.channel_delay = ChannelDelay::Uniform(8);
    router.config.buffer_flits = 8;
    assert_eq!(router.credit_warning(8), None);
    assert!(router.credit_warning(9).is_some());
}
