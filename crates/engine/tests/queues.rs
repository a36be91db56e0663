//! Queues between the switch and the channels: nothing is lost in them, nobody overtakes, a channel takes a flit a
//! period; and where nobody can wait, nothing changes.

use crate::common::STAGES;
use crate::common::any::Any;
use crate::common::loaded::{Delivered, What};
use crate::common::numbered::run_numbered;
use crate::compare::{first_difference, log_of};
use crate::oracle::case::{Case, Relation};
use crate::oracle::log::Event;
use crate::oracle::relation::{Adaptive, Ordered};
use crate::tier;
use flitsim_engine::random::{Purpose, below, draw};
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{
    Crossbar, DenseEngine, Engine, EngineConfig, FlitKind, Matching, NewPacket, NoProbe, Pipeline,
    Port, Routing, Unfit,
};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};

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

/// A queue of one way out of the switch before channels that take a flit a cycle is always empty.
#[test]
fn where_nobody_waits_queues_change_nothing() {
    run_numbered(
        "QUEUES",
        || tier::cases(300),
        |number| {
            let mut case = Case::new(number).or_alone();
            (case.config.channel_period, case.config.output_speedup) = (1, 1);
            case.config.channel_periods.clear();
            case.config.output_queues = false;
            // An ideal router has other turns and another order of heads.
            if !case.config.is_staged() {
                case.config.switch_allocator = Some(Matching::SeparableInputFirst);
            }
            let without = engine_log(&case);
            case.config.output_queues = true;
            let difference = first_difference(&without, &engine_log(&case));
            (!difference.is_empty()).then(|| format!("case {number}: {difference}{case:#?}\n"))
        },
    );
}

/// A flit: its packet, and whether it is the head and the tail.
type Name = (u32, bool, bool);

/// Flits that win one channel, and those that terminals take, with their cycles.
#[derive(Default)]
struct OverChannel {
    won: Vec<(u64, Name)>,
    taken: Vec<(u64, Name)>,
}

/// A 3×3 mesh where three terminals send over the channel from 4 to 7, and the terminal there takes every flit in
/// the cycle in which it comes.
fn over_one_channel(config: EngineConfig) -> OverChannel {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let vcs = config.virtual_channels;
    let routing = DimensionOrder::new(network.grid().unwrap(), vcs, Tie::Random, true).unwrap();
    let routing = Any::<true>::new(&routing);
    let mut out = network.outgoing(NodeId(4)).map(ChannelId);
    let watched = out.find(|&channel| network.target(channel) == NodeId(7));
    let mut engine = Engine::new(&network, routing, config, 1, Delivered::flits()).unwrap();
    for packet in 0..300 {
        let word = draw(3, Purpose::Route, packet, 0, 0);
        engine.offer_tagged(
            NewPacket {
                source: NodeId([1, 3, 5][below(word, 3) as usize]),
                destination: NodeId(7),
                flits: 1 + below(word.rotate_left(32), 6),
                entropy: 0,
            },
            packet,
        );
        engine.step();
        engine.check_invariants();
    }
    while !engine.is_idle() {
        engine.step();
        assert!(engine.cycle() < 20_000);
    }
    engine.check_invariants();
    let mut over = OverChannel::default();
    for &(cycle, what, packet) in &engine.probe().flits {
        let name = |kind: FlitKind| (packet.tag, kind.head, kind.tail);
        match what {
            What::Sent(way, kind) if Some(way.channel) == watched => {
                over.won.push((cycle, name(kind)));
            }
            What::Ejected(kind) => over.taken.push((cycle, name(kind))),
            What::Sent(..) | What::Entered => {}
        }
    }
    over
}

#[test]
fn a_channel_takes_a_flit_a_period_in_the_order_in_which_they_won() {
    let mut most = Vec::new();
    for output_speedup in 1..=4 {
        for (channel_period, buffer_flits) in [(1, 2), (1, 8), (2, 3), (3, 8), (7, 16)] {
            let log = over_one_channel(EngineConfig {
                crossbar: Crossbar::Vc,
                ejection: Port::Unlimited,
                output_speedup,
                output_queues: true,
                channel_period,
                buffer_flits,
                ..EngineConfig::default()
            });
            assert_eq!(log.won.len(), log.taken.len());
            let packets = log.taken.iter().filter(|(_, (.., tail))| *tail).count();
            assert_eq!(packets, 300);
            let (mut free, mut at_once) = (0, 0);
            for (place, &(won, name)) in log.won.iter().enumerate() {
                let leaves = won.max(free);
                assert_eq!(log.taken[place], (leaves + 1, name), "flit {place}");
                free = leaves + u64::from(channel_period);
                let alike = log.won.iter().filter(|&&(cycle, _)| cycle == won);
                at_once = at_once.max(alike.count());
                assert!(leaves - won <= u64::from(4 * buffer_flits * channel_period));
            }
            most.push((output_speedup as usize, at_once));
        }
    }
    // The three ports that the flits come by are on three ways of four.
    assert!(most.iter().all(|&(ways, at_once)| at_once <= ways.min(3)));
    for ways in 2..=4 {
        assert!(most.iter().any(|&(w, at_once)| w == ways && at_once > 1));
    }
}

fn run(engine: &mut Engine<'_, impl Routing, Delivered>, terminals: u32, cycles: u64) {
    let end = engine.cycle() + cycles;
    while engine.cycle() < end {
        for node in 0..terminals {
            let word = draw(7, Purpose::Route, node, engine.cycle(), 0);
            if word.is_multiple_of(40) {
                engine.offer(NewPacket {
                    source: NodeId(node),
                    destination: NodeId(below(word, terminals)),
                    flits: 4,
                    entropy: word.rotate_left(32),
                });
            }
        }
        engine.step();
    }
}

#[test]
fn a_cycle_with_queues_allocates_nothing() {
    let network = Grid::uniform(8, 2, Ends::Ring).unwrap().into_network();
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    for (switch_allocator, internal_speedup) in [
        (Matching::Islip { iterations: 2 }, 1),
        (Matching::Wavefront, 1),
        (Matching::Islip { iterations: 1 }, 3),
    ] {
        let config = EngineConfig {
            pipeline: Some(STAGES),
            switch_allocator: Some(switch_allocator),
            output_speedup: 2,
            internal_speedup,
            injection_buffers: true,
            channel_period: 2,
            ejection_vcs: 4,
            ..EngineConfig::default()
        };
        let routing = Any::<true>::new(&routing);
        let mut engine = Engine::new(&network, routing, config, 1, Delivered::nothing()).unwrap();
        run(&mut engine, network.terminals(), 2_000);
        let before = engine.counters().flit_hops;
        let allocations = allocation_counter::measure(|| {
            run(&mut engine, network.terminals(), 3_000);
        });
        assert!(engine.counters().flit_hops > before + 50_000);
        assert_eq!(allocations.count_total, 0, "{switch_allocator:?}");
        engine.check_invariants();
    }
}

fn fits(network: &Network, config: &EngineConfig) -> Result<(), Unfit> {
    DenseEngine::<'_, DimensionOrder<'_>, NoProbe>::fits(network, config, 4).map(drop)
}

#[test]
fn what_has_no_sense_or_no_place_is_refused() {
    let network = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
    let islip = Some(Matching::Islip { iterations: 1 });
    let plain = EngineConfig {
        pipeline: Some(STAGES),
        vc_allocator: islip,
        switch_allocator: islip,
        ejection_vcs: 4,
        injection_buffers: true,
        credit_delay: 2,
        ..EngineConfig::default()
    };
    assert_eq!(fits(&network, &plain), Ok(()));
    let ways = EngineConfig {
        output_speedup: 2,
        ..plain.clone()
    };
    assert!(ways.validate(&network).is_ok());
    assert_eq!(fits(&network, &ways), Err(Unfit::Router("output_speedup")));
    let queues = EngineConfig {
        output_queues: true,
        ..plain
    };
    assert_eq!(fits(&network, &queues), Err(Unfit::Router("output_queues")));
    let fast = EngineConfig {
        internal_speedup: 2,
        output_queues: false,
        ..queues
    };
    let is_fast = Unfit::Router("internal_speedup");
    assert_eq!(fits(&network, &fast), Err(is_fast));
    let refusal = |config: EngineConfig| config.validate(&network).unwrap_err().to_string();
    let unbounded = EngineConfig {
        ejection_vcs: 0,
        ..ways.clone()
    };
    assert!(refusal(unbounded).starts_with("the queue to a terminal is bounded by"));
    let none = EngineConfig {
        output_speedup: 0,
        ..ways.clone()
    };
    assert!(refusal(none).contains("output_speedup is 0"));
    let refused: [(&str, EngineConfig); 5] = [
        (
            "internal cycles are those of stages",
            EngineConfig {
                pipeline: None,
                injection_buffers: false,
                ..fast.clone()
            },
        ),
        (
            "a source sends one flit",
            EngineConfig {
                injection_buffers: false,
                ..fast.clone()
            },
        ),
        (
            "the queue to a terminal",
            EngineConfig {
                ejection_vcs: 0,
                ..fast.clone()
            },
        ),
        (
            "switch allocation would take longer",
            EngineConfig {
                pipeline: Some(Pipeline {
                    switch_allocation: 3,
                    ..STAGES
                }),
                ..fast.clone()
            },
        ),
        (
            "internal_speedup is 65",
            EngineConfig {
                internal_speedup: 65,
                ..fast
            },
        ),
    ];
    for (why, config) in refused {
        let messages = refusal(config);
        assert!(messages.contains(why), "{messages}");
    }
    let slow = |channel_period| EngineConfig {
        channel_period,
        ..ways.clone()
    };
    assert!(slow(3_125).validate(&network).is_ok());
    assert!(refusal(slow(3_126)).starts_with("a flit could wait more than 100,000"));
}
