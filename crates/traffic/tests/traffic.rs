//! What the traffic of a plan promises: its rate, its order, the same packets every time, and
//! refusals that say what would be right.

use flitsim_topology::{Ends, Grid, Network, NodeId};
use flitsim_traffic::{
    Arrival, Bernoulli, Hotspot, PacketLength, Pattern, PatternError, Periodic, Poisson, Process,
    RandomPermutation, Shuffle, Tornado, Traffic, TrafficError, TrafficPlan, Uniform,
};

const PROCESSES: [Process; 3] = [
    Process::Bernoulli(Bernoulli),
    Process::Poisson(Poisson),
    Process::Periodic(Periodic),
];

fn torus(radix: u32) -> Network {
    Grid::uniform(radix, 2, Ends::Ring).unwrap().into_network()
}

fn plan(process: Process, flits: u32) -> TrafficPlan {
    TrafficPlan {
        process,
        length: PacketLength::Fixed(flits),
        ..TrafficPlan::default()
    }
}

/// The packets of the cycles below `cycles`, each cycle visited.
fn visit_all(mut traffic: Traffic, cycles: u64) -> Vec<(u64, Arrival)> {
    let mut packets = Vec::new();
    for cycle in 0..cycles {
        traffic.arrivals(cycle, |packet| packets.push((cycle, packet)));
    }
    packets
}

/// The packets of the cycles below `cycles`, only those with arrivals visited.
fn skip(mut traffic: Traffic, cycles: u64) -> Vec<(u64, Arrival)> {
    let mut packets = Vec::new();
    loop {
        let cycle = traffic.next_arrival();
        if cycle >= cycles {
            return packets;
        }
        let before = packets.len();
        traffic.arrivals(cycle, |packet| packets.push((cycle, packet)));
        assert!(packets.len() > before, "no packet in cycle {cycle}");
    }
}

#[test]
fn realised_rate_is_the_rate_asked() {
    let network = torus(8);
    for process in PROCESSES {
        for (load, flits) in [
            (1e-6, 1),
            (1e-4, 16),
            (0.003, 1),
            (0.05, 16),
            (0.4, 4),
            (0.4, 1),
            (0.95, 1),
            (1.0, 1),
            (16.0, 16),
        ] {
            let rate = load / f64::from(flits);
            // About 20,000 packets, or 300,000 cycles where those are too rare.
            let cycles = ((20_000.0 / (64.0 * rate)) as u64).clamp(300, 100_000_000);
            let packets = skip(
                Traffic::new(&plan(process, flits), &network, load, 3).unwrap(),
                cycles,
            );
            let wanted = 64.0 * cycles as f64 * rate;
            let tolerance = match process {
                Process::Bernoulli(Bernoulli) => 4.0 * (wanted * (1.0 - rate)).sqrt(),
                Process::Poisson(Poisson) => 4.0 * wanted.sqrt(),
                // Each node is off by a packet at most.
                _ => 4.0 * 64f64.sqrt(),
            };
            let off = packets.len() as f64 - wanted;
            assert!(
                off.abs() <= tolerance,
                "{process:?} at {load}: {off} packets off {wanted}"
            );
            assert!(packets.iter().all(|(_, packet)| packet.flits == flits));
        }
    }
}

#[test]
fn every_node_offers_the_same_load() {
    let network = torus(4);
    for process in PROCESSES {
        let traffic = Traffic::new(&plan(process, 1), &network, 0.2, 9).unwrap();
        let mut counts = [0u32; 16];
        for (_, packet) in visit_all(traffic, 20_000) {
            counts[packet.source.index()] += 1;
        }
        for count in counts {
            assert!((f64::from(count) - 4000.0).abs() < 4.5 * 4000f64.sqrt());
        }
    }
}

#[test]
fn bernoulli_never_creates_two_packets_at_once() {
    let network = torus(4);
    for load in [0.5, 1.0] {
        let packets = visit_all(
            Traffic::new(&plan(Process::Bernoulli(Bernoulli), 1), &network, load, 1).unwrap(),
            2_000,
        );
        let mut at: Vec<_> = packets.iter().map(|(c, p)| (*c, p.source)).collect();
        at.dedup();
        assert_eq!(at.len(), packets.len());
    }
}

#[test]
fn sources_ascend_within_a_cycle() {
    let network = torus(16);
    for process in PROCESSES {
        for load in [0.01, 0.3, 1.0] {
            let packets = visit_all(
                Traffic::new(&plan(process, 1), &network, load, 2).unwrap(),
                500,
            );
            assert!(packets.is_sorted_by_key(|(cycle, packet)| (*cycle, packet.source)));
        }
    }
}

#[test]
fn skipping_empty_cycles_changes_nothing() {
    let network = torus(4);
    for process in PROCESSES {
        for load in [1e-5, 1e-3, 0.02, 0.5, 1.0] {
            let new = || Traffic::new(&plan(process, 1), &network, load, 4).unwrap();
            let cycles = 100_000.min((2_000.0 / load) as u64);
            assert_eq!(visit_all(new(), cycles), skip(new(), cycles), "{process:?}");
        }
    }
}

#[test]
fn no_load_no_packets() {
    let network = torus(4);
    for process in PROCESSES {
        let traffic = Traffic::new(&plan(process, 16), &network, 0.0, 1).unwrap();
        assert_eq!(traffic.next_arrival(), u64::MAX);
        assert!(visit_all(traffic, 1_000).is_empty());
    }
}

#[test]
fn default_plan_leaves_the_source_out() {
    let network = torus(4);
    let traffic = Traffic::new(&TrafficPlan::default(), &network, 1.0, 1).unwrap();
    let packets = visit_all(traffic, 10_000);
    assert!(packets.iter().all(|(_, p)| p.source != p.destination));
    let with_self = TrafficPlan {
        pattern: Pattern::Uniform(Uniform { include_self: true }),
        ..TrafficPlan::default()
    };
    let packets = visit_all(Traffic::new(&with_self, &network, 1.0, 1).unwrap(), 10_000);
    let own = packets.iter().filter(|(_, p)| p.source == p.destination);
    let wanted = packets.len() as f64 / 16.0;
    assert!((own.count() as f64 - wanted).abs() < 4.0 * wanted.sqrt());
}

/// The first packets of a seed. A change here changes every result that users have: it belongs
/// under "Results change" in the changelog. These and the digests below were found twice: here and
/// by an independent program that inverts the laws in decimal arithmetic of 80 digits.
#[test]
fn first_packets_are_golden() {
    let network = torus(4);
    let hotspot = Pattern::Hotspot(Hotspot {
        nodes: vec![NodeId(5), NodeId(10)],
        rates: Vec::new(),
        fraction: 0.5,
        include_self: false,
    });
    let mut table = String::new();
    for (process, pattern) in [
        (
            Process::Bernoulli(Bernoulli),
            TrafficPlan::default().pattern,
        ),
        (Process::Poisson(Poisson), hotspot),
        (
            Process::Periodic(Periodic),
            Pattern::RandomPermutation(RandomPermutation { seed: 7 }),
        ),
    ] {
        let plan = TrafficPlan {
            pattern,
            process,
            length: PacketLength::Fixed(4),
        };
        let traffic = Traffic::new(&plan, &network, 0.5, 1).unwrap();
        for (cycle, packet) in visit_all(traffic, 100).into_iter().take(6) {
            table += &format!(
                "{} {cycle} {}->{} {:016x}\n",
                process.name(),
                packet.source,
                packet.destination,
                packet.entropy
            );
        }
    }
    assert_eq!(table, GOLDEN, "\n{table}");
}

/// All of the first 10,000 cycles, folded: FNV-1a over cycles, nodes and entropy.
#[test]
fn long_runs_are_golden() {
    let network = torus(8);
    let digest = |process, load| {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let traffic = Traffic::new(&plan(process, 4), &network, load, 11).unwrap();
        for (cycle, p) in visit_all(traffic, 10_000) {
            for word in [
                cycle,
                p.source.0.into(),
                p.destination.0.into(),
                p.flits.into(),
                p.entropy,
            ] {
                for byte in word.to_le_bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
        hash
    };
    let digests: Vec<String> = PROCESSES
        .iter()
        .flat_map(|&process| [0.02, 0.3, 3.9].map(|load| digest(process, load)))
        .map(|hash| format!("{hash:016x}"))
        .collect();
    assert_eq!(digests, GOLDEN_DIGESTS);
}

/// What a pattern does not decide is the same under all of them, so that they are compared under the
/// same arrivals: who sends in which cycle, how much, and the word for choices at the source.
#[test]
fn patterns_share_arrivals() {
    let network = torus(8);
    let arrivals = |pattern| {
        let plan = TrafficPlan {
            pattern,
            process: Process::Bernoulli(Bernoulli),
            length: PacketLength::Bimodal {
                short_flits: 1,
                long_flits: 5,
                long_share: 0.3,
            },
        };
        let packets = visit_all(Traffic::new(&plan, &network, 0.5, 4).unwrap(), 1_000);
        let of = |(cycle, p): (u64, Arrival)| (cycle, p.source, p.flits, p.entropy);
        packets.into_iter().map(of).collect::<Vec<_>>()
    };
    let hotspot = Pattern::Hotspot(Hotspot {
        nodes: vec![NodeId(5)],
        rates: Vec::new(),
        fraction: 0.5,
        include_self: false,
    });
    let uniform = arrivals(TrafficPlan::default().pattern);
    assert!(uniform.len() > 10_000);
    assert_eq!(arrivals(hotspot), uniform);
    assert_eq!(arrivals(Pattern::Tornado(Tornado)), uniform);
}

#[test]
fn seeds_give_different_packets() {
    let network = torus(4);
    let packets = |seed| {
        visit_all(
            Traffic::new(&TrafficPlan::default(), &network, 1.0, seed).unwrap(),
            1_000,
        )
    };
    assert_eq!(packets(1), packets(1));
    assert_ne!(packets(1), packets(2));
}

#[test]
fn refusals() {
    let network = torus(4);
    let error = |plan: &TrafficPlan, load| Traffic::new(plan, &network, load, 1).unwrap_err();
    for load in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(
            error(&plan(Process::Bernoulli(Bernoulli), 16), load),
            TrafficError::InvalidLoad { .. }
        ));
    }
    assert_eq!(
        error(&plan(Process::Bernoulli(Bernoulli), 2), 2.5).to_string(),
        "a load of 2.5 flits/node/cycle is more than the process `bernoulli` can offer: with \
         packets of 2 flits, at most 2 flits/node/cycle (1 packets a node a cycle)"
    );
    assert!(Traffic::new(&plan(Process::Poisson(Poisson), 2), &network, 2.5, 1).is_ok());
    assert!(matches!(
        error(&plan(Process::Poisson(Poisson), 2), 129.0),
        TrafficError::LoadTooHigh {
            load_most: 128.0,
            ..
        }
    ));
    for flits in [0, PacketLength::FLITS_MOST + 1, u32::MAX] {
        let plan = plan(Process::Bernoulli(Bernoulli), flits);
        assert_eq!(error(&plan, 0.1), TrafficError::PacketLength { flits });
        assert!(plan.validate(&network).is_err());
    }
    let three = torus(3);
    let shuffle = TrafficPlan {
        pattern: Pattern::Shuffle(Shuffle),
        ..TrafficPlan::default()
    };
    assert!(shuffle.validate(&network).is_ok());
    assert_eq!(
        shuffle.validate(&three).unwrap_err(),
        TrafficError::Pattern(PatternError::NeedsPowerOfTwo {
            pattern: "shuffle",
            terminals: 9
        })
    );
}

#[test]
fn every_load_up_to_the_highest_is_accepted() {
    let network = torus(2);
    for process in PROCESSES {
        for flits in [1, 3, 7, 16, 100] {
            let plan = plan(process, flits);
            let most = plan.load_most();
            assert_eq!(most, process.rate_most() * f64::from(flits));
            assert!(Traffic::new(&plan, &network, most, 1).is_ok());
            assert!(Traffic::new(&plan, &network, most.next_up(), 1).is_err());
        }
    }
}

const GOLDEN: &str = "\
bernoulli 0 0->10 4fc15c622ece3451
bernoulli 1 4->15 2dcbfa298af6a975
bernoulli 2 2->6 077c0d468c0f015a
bernoulli 2 12->4 121d70207596a08d
bernoulli 2 14->5 db3bc3aec9ca30d1
bernoulli 3 1->2 b8b71aa6af1050f5
poisson 0 0->10 9a75b1ed1c7426ed
poisson 1 4->10 fd536c4dddbf0ede
poisson 2 2->5 60ac6f0c55104085
poisson 2 2->5 4e469127a6036dc5
poisson 2 12->5 456b1036bb433d72
poisson 2 14->1 59c3942f0659fdb8
periodic 0 3->5 a6668a01ac6f2d9a
periodic 0 5->11 7d8bfcfb4c6ef4b6
periodic 1 7->15 d435811d3714d1cf
periodic 1 8->14 41e015fc4b19ebda
periodic 1 9->1 17b5a410079a5f63
periodic 1 13->12 08a50660924310e3
";

const GOLDEN_DIGESTS: [&str; 9] = [
    "2038efd93c9af20d",
    "f3eed4fb0ee2bf68",
    "038c6fba1f638306",
    "21fb87ba28b55fb5",
    "05f8e0e89b5b5fb7",
    "936b2b365de7e3cb",
    "13645965e1d82e3c",
    "033b0c34bb464a15",
    "3094a3dab4e76b4e",
];
