//! Buffers that the virtual channels of a port share: what one takes, the others lack, but for what is each one's
//! own; and with that nothing is lost, and none waits for ever.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::common::numbered::run_numbered;
use crate::compare::{first_difference, log_of};
use crate::oracle::case::{Case, Relation};
use crate::oracle::log::Event;
use crate::oracle::relation::{Adaptive, Ordered};
use crate::tier;
use allocation_counter::measure;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{DimensionOrder, Duato, Tie};
use flitsim_engine::{
    BufferSharing, Candidate, Candidates, Engine, EngineConfig, FlowControl, Head, NewPacket,
    Pipeline, Routing, VcReallocation, Watchdog,
};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{Direction, Ends, Grid, Network, NodeId};

const STAGES: Pipeline = Pipeline {
    routing: 1,
    vc_allocation: 1,
    switch_allocation: 1,
    traversal: 1,
};

fn engine_log(case: &Case) -> Vec<Event> {
    let network = case.network();
    let grid = network.grid().unwrap();
    let vcs = case.config.virtual_channels;
    match case.relation {
        Relation::Adaptive => log_of(
            case,
            &network,
            Ordered::<_, false>(Adaptive::new(grid, vcs)),
        ),
        Relation::DimensionOrder {
            tie, vc_balance, ..
        } => {
            let routing = DimensionOrder::new(grid, vcs, tie, vc_balance).unwrap();
            log_of(case, &network, Ordered::<_, true>(routing))
        }
    }
}

/// Where every place is some virtual channel's own, routers in stages do what they do without the option.
#[test]
fn with_nothing_to_share_buffers_are_private() {
    run_numbered(
        "SHARING",
        || tier::cases(300),
        |number| {
            let mut case = Case::new(number).or_alone();
            if case.config.flow_control != FlowControl::Wormhole {
                return None;
            }
            // An ideal router has other turns and another order of heads.
            case.config.buffer_sharing = BufferSharing::Private;
            if !case.config.is_staged() {
                case.config.pipeline = Some(STAGES);
            }
            let private = engine_log(&case);
            case.config.buffer_sharing = BufferSharing::Dynamic {
                reserve: case.config.buffer_flits,
            };
            let difference = first_difference(&private, &engine_log(&case));
            (!difference.is_empty()).then(|| format!("case {number}: {difference}{case:#?}\n"))
        },
    );
}

/// Up a line, to the last node on virtual channel 0 and to others on 1.
#[derive(Clone, Copy)]
struct ByDestination<'n>(&'n Grid);

impl Routing for ByDestination<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let channel = self.0.channel(head.node, 0, Direction::Up).unwrap();
        candidates.push(Candidate {
            channel,
            vcs: if head.destination.0 == 2 { 1 } else { 2 },
            priority: 0,
        });
    }
}

/// What a virtual channel can fill that comes to a stop, and how fast another goes past it.
#[test]
fn a_virtual_channel_at_rest_takes_all_but_the_others_places() {
    let network = Grid::new(&[3], Ends::Open).unwrap().into_network();
    let grid = network.grid().unwrap();
    let slow = |channel: u32| {
        let channel = flitsim_topology::ChannelId(channel);
        let is_slow = network.source(channel) == NodeId(1) && network.target(channel) == NodeId(2);
        if is_slow { 10_000 } else { 1 }
    };
    let dynamic = |reserve| BufferSharing::Dynamic { reserve };
    // Of two virtual channels with four places each, those that one fills; and what six flits take past it. The head
    // wins the switch in cycle 2 and, in the next router, 7. With one place the others win in 8, 12, 16, 20 and 24, each
    // three cycles later in the next router; with two in 3, 8, 9, 12 and 13. The last is consumed three cycles after that.
    for (buffer_sharing, most, latency) in [
        (BufferSharing::Private, 4, 15),
        (BufferSharing::Shared, 7, 24 + 3 + 3),
        (dynamic(1), 7, 24 + 3 + 3),
        (dynamic(2), 6, 13 + 3 + 3),
        (dynamic(4), 4, 15),
    ] {
        let config = EngineConfig {
            virtual_channels: 2,
            injection_vcs: 2,
            buffer_flits: 4,
            pipeline: Some(STAGES),
            buffer_sharing,
            channel_periods: (0..network.channels()).map(slow).collect(),
            ..EngineConfig::default()
        };
        let routing = ByDestination(grid);
        let routing = Any::<true>::new(&routing);
        let probe = Delivered::default();
        let mut engine = Engine::new(&network, routing, config, 1, probe).unwrap();
        let packet = |destination, flits| NewPacket {
            source: NodeId(0),
            destination: NodeId(destination),
            flits,
            entropy: 0,
        };
        engine.offer(packet(2, 50));
        while engine.cycle() < 300 {
            engine.step();
        }
        // One has gone on, over both channels.
        assert_eq!(engine.counters().flit_hops, most + 2, "{buffer_sharing:?}");
        engine.offer(packet(1, 6));
        while engine.probe().packets == 0 {
            engine.step();
            engine.check_invariants();
            assert!(engine.cycle() < 500, "{buffer_sharing:?}");
        }
        assert_eq!(
            engine.probe_mut().only(),
            (latency, 1),
            "{buffer_sharing:?}"
        );
    }
}

/// Long packets from all, most of them to one node, far past saturation; then they drain.
fn stand(network: &Network, routing: impl Routing, config: EngineConfig) {
    let what = format!("{config:?}");
    let probe = Delivered::default();
    let mut engine = Engine::new(network, routing, config, 1, probe).unwrap();
    let terminals = network.terminals();
    let mut watchdog = Watchdog::new();
    while engine.cycle() < 1_500 || !engine.is_idle() {
        let now = engine.cycle();
        if now < 1_500 {
            for source in 0..terminals {
                let word = draw(3, Purpose::Route, source, now, 0);
                if below(word, 12) == 0 {
                    engine.offer(NewPacket {
                        source: NodeId(source),
                        destination: NodeId(match word % 3 {
                            0 => below(word << 8, terminals),
                            _ => 0,
                        }),
                        flits: 1 + below(word << 16, 24),
                        entropy: word,
                    });
                }
            }
        }
        engine.step();
        assert_eq!(watchdog.look(&engine), None, "{what}");
        if now.is_multiple_of(64) {
            assert_eq!(engine.find_deadlock(), None, "in cycle {now}: {what}");
            engine.check_invariants();
        }
        assert!(now < 300_000, "not drained: {what}");
    }
    let counters = engine.counters();
    assert_eq!(counters.flits_offered, counters.flits_ejected, "{what}");
    assert_eq!(
        engine.probe().packets,
        counters.packets_offered,
        "each once: {what}"
    );
}

#[test]
fn nothing_is_lost_and_every_virtual_channel_moves() {
    let torus = Grid::new(&[4, 3], Ends::Ring).unwrap().into_network();
    let grid = torus.grid().unwrap();
    let mut number = 0;
    for buffer_flits in [1u32, 2, 5] {
        for reallocation in [VcReallocation::NonAtomic, VcReallocation::Atomic] {
            for reserve in [1, buffer_flits.div_ceil(2)] {
                number += 1;
                let config = |vcs| EngineConfig {
                    virtual_channels: vcs,
                    injection_vcs: vcs,
                    buffer_flits,
                    pipeline: Some(STAGES),
                    speculative: number % 2 == 0,
                    vc_reallocation: reallocation,
                    buffer_sharing: match number % 3 {
                        0 => BufferSharing::Shared,
                        _ => BufferSharing::Dynamic { reserve },
                    },
                    injection_buffers: number % 4 > 1,
                    ejection_vcs: number % 3,
                    ..EngineConfig::default()
                };
                let order = DimensionOrder::new(grid, 2, Tie::Random, true).unwrap();
                stand(&torus, Any::<true>::new(&order), config(2));
                if reallocation == VcReallocation::Atomic {
                    let adaptive = Duato::new(grid, 4).unwrap();
                    stand(&torus, Any::<false>::new(&adaptive), config(4));
                }
            }
        }
    }
}

/// What shared buffers take more than private ones is in the account, and little of it is kept where they are empty.
#[test]
fn shared_buffers_are_accounted_for() {
    let network = Grid::uniform(8, 2, Ends::Ring).unwrap().into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    let routing = Any::<true>::new(&routing);
    let of = |buffer_sharing| {
        let config = EngineConfig {
            pipeline: Some(STAGES),
            buffer_sharing,
            injection_buffers: true,
            ejection_vcs: 3,
            ..EngineConfig::default()
        };
        let mut built = None;
        let allocated = measure(|| {
            let engine = Engine::new(&network, routing, config, 1, Delivered::default());
            built = Some(engine.unwrap());
        });
        let engine = built.unwrap();
        (
            engine.memory().total() as i64,
            allocated.bytes_current,
            engine,
        )
    };
    let (account, allocated, mut engine) = of(BufferSharing::Shared);
    let (of_private, allocated_of_private, _) = of(BufferSharing::Private);
    assert_eq!(account - of_private, allocated - allocated_of_private);
    let mut bytes = Vec::new();
    let mut archive = Archive::saving(&mut bytes);
    engine.archive(&mut archive);
    archive.finish().unwrap();
    let memory = engine.memory();
    let mut parts = memory.parts().iter();
    let buffers = parts.find(|(name, _)| *name == "flit buffers").unwrap().1;
    assert!((bytes.len() as u64) < buffers / 2, "{} bytes", bytes.len());
    // 29 places of one virtual channel, in powers of two.
    let lanes = u64::from(4 * network.channels() + 4 * network.terminals());
    assert_eq!(buffers, 32 * 4 * lanes);
}

#[test]
fn what_has_no_sense_is_refused() {
    let network = Grid::new(&[3], Ends::Open).unwrap().into_network();
    let refusal = |config: EngineConfig| config.validate(&network).unwrap_err().to_string();
    let shared = EngineConfig {
        buffer_sharing: BufferSharing::Shared,
        ..EngineConfig::default()
    };
    assert!(shared.validate(&network).is_ok());
    let whole = EngineConfig {
        flow_control: FlowControl::VirtualCutThrough,
        ..shared.clone()
    };
    assert!(refusal(whole).starts_with("where a head claims room for its whole packet"));
    for reserve in [0, 9] {
        let config = EngineConfig {
            buffer_sharing: BufferSharing::Dynamic { reserve },
            ..shared.clone()
        };
        assert!(refusal(config).starts_with("a virtual channel has a place of its own"));
    }
    let most = EngineConfig {
        buffer_flits: 8_192,
        ..shared.clone()
    };
    assert!(most.validate(&network).is_ok());
    let beyond = EngineConfig {
        buffer_flits: 8_193,
        ..shared
    };
    assert!(refusal(beyond).starts_with("the virtual channels of a port share 32,768"));
}
