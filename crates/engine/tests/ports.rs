//! Terminals as ports of their routers: the engine equals the oracle, a packet alone takes the time of the routers
//! that it passes, and what is no port is refused.

use crate::common::STAGES;
use crate::common::any::{Any, expected_sampled};
use crate::common::numbered::run_numbered;
use crate::compare::{compare, compare_looking, suit_channels};
use crate::oracle::case::{Case, Dice};
use crate::oracle::options::queues;
use crate::oracle::relation::Ordered;
use crate::tier;

use crate::common::loaded::Delivered;
use flitsim_engine::routing::{Algorithm, Knowledge, RoutingChoice, Tables};
use flitsim_engine::{
    ChannelDelay, ConfigError, Crossbar, Engine, EngineConfig, FlowControl, MatchingStart,
    NewPacket, PimDraw, Pipeline, Port, Routing, VcReallocation,
};
use flitsim_keys::Words;
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{
    Arrangement, Butterfly, Dragonfly, Ends, Grid, HyperX, Network, NodeId, Xgft,
};

/// Networks whose terminals can be ports, with routings.
fn networks() -> Vec<(Network, &'static [&'static str])> {
    let concentrated = |network: Network| network.concentrated(3).unwrap();
    let grid = |ends| Grid::new(&[3, 4], ends).unwrap().into_network();
    let text = "from,to\na,s\ns,a\nb,s\ns,b\nc,t\nt,c\ns,t\nt,s\nt,u\nu,s\n\n\
                    node,kind,x,y\na,terminal,0,0\nb,terminal,0,1\nc,terminal,2,0\n\
                    s,switch,1,0\nt,switch,1,1\nu,switch,1,2\n";
    let file = "switches.csv";
    let switches = parse_csv(Source { file, text }, None).unwrap();
    vec![
        (
            concentrated(grid(Ends::Open)),
            &["dimension-order", "duato", "o1turn"],
        ),
        (
            concentrated(grid(Ends::Ring)),
            &["dimension-order", "duato", "valiant", "ugal"],
        ),
        (
            concentrated(HyperX::new(&[3, 3], &[]).unwrap().into_network()),
            &["dimension-order", "minimal", "dal", "valiant", "ugal"],
        ),
        (
            concentrated(
                Dragonfly::new(4, 1, 5, Arrangement::Relative)
                    .unwrap()
                    .into_network(),
            ),
            &["minimal", "up-down", "ugal"],
        ),
        (
            Xgft::new(&[3, 3], &[1, 3]).unwrap().into_network(),
            &[
                "nearest-common-ancestor",
                "up-down",
                "nhop",
                "nbc",
                "enhanced-nbc",
            ],
        ),
        (
            Butterfly::new(2, 3).unwrap().into_network(),
            &["destination-tag"],
        ),
        (switches, &["hop-class"]),
    ]
}

/// A terminal that has nobody but itself to send to, by each routing of networks of a file.
fn alone() -> impl Iterator<Item = (Network, &'static [&'static str])> {
    let text = "from,to\na,s\ns,a\ns,t\nt,s\n\nnode,kind\na,terminal\ns,switch\nt,switch\n";
    let file = "alone.csv";
    let one = move |name| (parse_csv(Source { file, text }, None).unwrap(), name);
    let names: [&[&str]; 4] = [&["up-down"], &["hop-class"], &["minimal"], &["nhop"]];
    names.into_iter().map(one)
}

/// The router and the traffic of case `number` on one of the networks, with its terminals as ports.
fn run_case(number: u64) -> Option<String> {
    let networks = networks();
    let count = networks.len();
    let (network, routings) = &networks[number as usize % count];
    let name = routings[number as usize / count % routings.len()];
    let mut case = Case::new(number);
    case.permutation = None;
    suit_channels(&mut case.config, network);
    let config = &mut case.config;
    let mut choice = RoutingChoice::from(Algorithm::named(name).unwrap());
    if number.is_multiple_of(2) {
        choice.options.knowledge = Knowledge::Global;
    }
    let least = choice.virtual_channels_min(network, &Tables::default());
    config.virtual_channels = config.virtual_channels.max(least);
    config.pipeline.get_or_insert(STAGES);
    config.injection = Port::Channel;
    (config.injection_buffers, config.terminal_ports) = (true, true);
    (config.ejection, config.ejection_vcs) = (Port::Channel, 0);
    queues(&mut Dice::new(!case.seed), config);
    if config.crossbar == Crossbar::Port && Dice::new(case.seed).coin() {
        [config.wavefront, config.maximum] = [MatchingStart::Rotating; 2];
        config.pim = PimDraw::Start;
    }
    if config.flow_control == FlowControl::StoreAndForward {
        config.flow_control = FlowControl::Wormhole;
    }
    let vcs = config.virtual_channels;
    let relation = choice.relation(network, vcs, &Tables::default()).unwrap();
    let is_wormhole = config.flow_control == FlowControl::Wormhole;
    if relation.has_escape() && is_wormhole {
        config.vc_reallocation = VcReallocation::Atomic;
    }
    if count == 7 && name == "dimension-order" && is_wormhole && config.vc_allocator.is_none() {
        // Channels alone have an order on a mesh.
        let is_mesh = number.is_multiple_of(count as u64);
        config.interleave_flits = !(is_mesh && Dice::new(case.seed).coin());
    }
    let report = match relation.looks() {
        Some(_) => compare_looking(&case, network, &relation, &relation),
        None => compare(&case, network, Ordered::<_, false>(relation)),
    };
    (!report.is_empty()).then(|| format!("case {number}, {name}: {report}{case:#?}\n"))
}

#[test]
fn the_engine_equals_the_oracle_with_terminals_as_ports() {
    run_numbered("PORTS", || tier::cases(250), run_case);
}

/// A packet alone passes the routers between its terminals, and the wires of all channels.
#[test]
fn without_load_a_packet_takes_the_time_of_the_routers_between_its_ports() {
    for (network, routings) in networks().into_iter().chain(alone()) {
        let choice = RoutingChoice::from(Algorithm::named(routings[0]).unwrap());
        let relation = choice.relation(&network, 4, &Tables::default()).unwrap();
        for (routing, speculative, wire, flits) in
            [(1, false, 0, 1), (0, false, 2, 5), (0, true, 0, 4)]
        {
            let config = EngineConfig {
                buffer_flits: 16,
                pipeline: Some(Pipeline { routing, ..STAGES }),
                speculative,
                injection_buffers: true,
                terminal_ports: true,
                channel_delay: ChannelDelay::Uniform(wire),
                ..EngineConfig::default()
            };
            let engine = |config: &EngineConfig| {
                Engine::new(
                    &network,
                    Any::<false, true>::new(&relation),
                    config.clone(),
                    1,
                    Delivered::default(),
                )
            };
            let mut engine = engine(&config).unwrap();
            let last = network.terminals() - 1;
            for (from, to) in [(0, 1), (0, last), (2, 0), (1, 1)] {
                let (from, to) = (from.min(last), to.min(last));
                let before = engine.counters().flit_hops;
                let start = engine.cycle();
                engine.offer(NewPacket {
                    source: NodeId(from),
                    destination: NodeId(to),
                    flits,
                    entropy: 0,
                });
                while !engine.is_idle() {
                    engine.step();
                    assert!(engine.cycle() < start + 1000, "{routings:?}: no way");
                }
                let taken = engine.cycle() - start;
                let channels = (engine.counters().flit_hops - before) / u64::from(flits);
                let routers = (channels - 1) * u64::from(config.head_cycles());
                let wires = channels * u64::from(wire);
                assert_eq!(taken, routers + wires + u64::from(flits) - 1, "{config:?}");
                let one = |_: NodeId, tell: &mut dyn FnMut(NodeId, f64)| tell(NodeId(to), 1.0);
                let alone = expected_sampled(&network, &relation, &config, &[NodeId(from)], one);
                let alone = alone.unwrap();
                assert_eq!(alone.zero_load_latency_mean(flits), taken as f64);
                assert_eq!(alone.hops_mean, channels as f64);
                engine.skip_to(engine.cycle() + 32);
            }
            engine.check_invariants();
        }
    }
}

/// A port takes a flit a cycle: only what leaves a router for another waits for the period.
#[test]
fn a_period_is_that_of_channels_between_routers() {
    let mesh = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let network = mesh.concentrated(2).unwrap();
    let choice = RoutingChoice::from(Algorithm::named("dimension-order").unwrap());
    let relation = choice.relation(&network, 4, &Tables::default()).unwrap();
    let mut config = EngineConfig {
        buffer_flits: 32,
        pipeline: Some(STAGES),
        injection_buffers: true,
        terminal_ports: true,
        channel_period: 4,
        ..EngineConfig::default()
    };
    config.set_periods_of_ports(&network);
    for to in [0, 1, 2, 17] {
        let mut engine = Engine::new(
            &network,
            Any::<false, true>::new(&relation),
            config.clone(),
            1,
            Delivered::default(),
        )
        .unwrap();
        engine.offer(NewPacket {
            source: NodeId(0),
            destination: NodeId(to),
            flits: 5,
            entropy: 0,
        });
        while !engine.is_idle() {
            engine.step();
        }
        let one = |_: NodeId, tell: &mut dyn FnMut(NodeId, f64)| tell(NodeId(to), 1.0);
        let alone = expected_sampled(&network, &relation, &config, &[NodeId(0)], one).unwrap();
        assert_eq!(
            alone.zero_load_latency_mean(5),
            engine.cycle() as f64,
            "{to}"
        );
        let between = if to < 2 { 1.0 } else { 0.25 };
        assert_eq!(alone.ideal_throughput, between, "{to}");
    }
}

#[test]
fn a_terminal_with_channels_to_several_routers_is_no_port() {
    let mesh = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let config = EngineConfig {
        pipeline: Some(STAGES),
        injection_buffers: true,
        terminal_ports: true,
        ..EngineConfig::default()
    };
    let refused = config.validate(&mesh);
    assert!(matches!(
        refused,
        Err(ConfigError::NoPort {
            terminal: NodeId(0)
        })
    ));
    assert_eq!(config.validate(&mesh.concentrated(2).unwrap()), Ok(()));
}
