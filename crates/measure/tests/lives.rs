//! Points that are given up and go on, as often as it takes, are those that nothing happened to.

use flitsim_engine::routing::{Algorithm, DimensionOrder, RoutingChoice, Tables, Tie};
use flitsim_engine::{Allocator, EngineConfig, Pipeline};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::details::Details;
use flitsim_measure::point::PointResult;
use flitsim_measure::simulate::{Keeper, Monitor, NoMonitor, SimulateError};
use flitsim_measure::workload::{Work, Workload};
use flitsim_measure::{Offered, OperatingPoint};
use flitsim_random::{Address, Draw, Pcg64Mcg};
use flitsim_topology::archive::Archive;
use flitsim_topology::file::Source;
use flitsim_topology::{ChannelId, Ends, Grid, HyperX, Network};
use flitsim_traffic::{Bernoulli, OnOff, PacketLength, Pareto, Process, Trace, TrafficPlan};
use std::fmt::Write;
use std::io::{self, Cursor};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Gives a point up, and keeps it, when it has been looked at so many times.
struct Life {
    before: Option<Vec<u8>>,
    looks: AtomicU32,
    after: std::sync::Mutex<Option<Vec<u8>>>,
}

impl Keeper for Life {
    fn is_due(&self, _: u64, _: bool) -> bool {
        self.looks.fetch_sub(1, Ordering::Relaxed) == 1
    }

    fn keep(&self, save: &mut dyn FnMut(&mut Archive<'_>)) {
        let mut bytes = Vec::new();
        let mut archive = Archive::saving(&mut bytes);
        save(&mut archive);
        archive.finish().unwrap();
        *self.after.lock().unwrap() = Some(bytes);
    }

    fn kept(&self) -> io::Result<Option<Archive<'_>>> {
        let bytes = self.before.clone();
        Ok(bytes.map(|bytes| Archive::loading(Box::new(Cursor::new(bytes)))))
    }
}

impl Monitor for Life {
    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }

    fn is_cancelled(&self) -> bool {
        self.after.lock().unwrap().is_some()
    }
}

/// What `simulate` says at last, and how many lives it took.
pub fn in_lives<T>(
    dice: &mut Pcg64Mcg,
    simulate: impl Fn(&dyn Monitor) -> Result<T, SimulateError>,
) -> (T, u32) {
    let (mut before, mut lives) = (None, 1);
    loop {
        let life = Life {
            before,
            looks: AtomicU32::new(1 + dice.below(5)),
            after: Default::default(),
        };
        match simulate(&life) {
            Err(SimulateError::Cancelled) => {}
            result => return (result.unwrap(), lives),
        }
        before = life.after.into_inner().unwrap();
        lives += 1;
    }
}

/// Packets of which every other waits for the one before it.
fn trace(network: &Network, dice: &mut Pcg64Mcg) -> Workload {
    let mut text = "cycle,source,destination,flits,packet,depends_on,delay\n".to_owned();
    for row in 0..200 {
        let [source, destination] = [(); 2].map(|()| dice.below(network.terminals()));
        let _ = match row % 2 {
            0 => writeln!(text, "{},{source},{destination},3,p{row},,", row * 20),
            _ => writeln!(text, ",{source},{destination},2,p{row},p{},700", row - 1),
        };
    }
    let source = Source {
        file: "trace.csv",
        text: &text,
    };
    Workload::Trace(Arc::new(Trace::parse(network, source, None).unwrap()))
}

fn workload(network: &Network, dice: &mut Pcg64Mcg) -> (Workload, u64) {
    let closed_loop = |requests| Workload::ClosedLoop {
        service_cycles: 30,
        reply: PacketLength::Fixed(4),
        requests,
    };
    match dice.below(4) {
        0 => (trace(network, dice), 1),
        1 => (Workload::Batch, 150),
        2 => (closed_loop(Some(60)), 3),
        _ => (closed_loop(None), 3),
    }
}

fn router(dice: &mut Pcg64Mcg) -> EngineConfig {
    let router = EngineConfig {
        virtual_channels: 2,
        injection_vcs: 2,
        ..EngineConfig::default()
    };
    match dice.below(4) {
        0 => EngineConfig {
            pipeline: Some(Pipeline {
                routing: 1,
                vc_allocation: 1,
                switch_allocation: 1,
                traversal: 1,
            }),
            ..router
        },
        1 => EngineConfig {
            allocator: Allocator::Random,
            delay: 3,
            ..router
        },
        _ => router,
    }
}

fn process(dice: &mut Pcg64Mcg) -> Process {
    let (burst_cycles, idle_cycles) = (20.0, 60.0);
    match dice.below(3) {
        0 => Bernoulli.into(),
        1 => OnOff {
            burst_cycles,
            idle_cycles,
        }
        .into(),
        _ => Pareto {
            burst_cycles,
            idle_cycles,
            shape: 1.5,
        }
        .into(),
    }
}

/// Checks a random point; says whether it took more than three lives, was dense, was in parts and had stages.
fn goes_on(case: u64) -> [bool; 4] {
    let dice = &mut Address::new(7).with(case).generator();
    let ends = [Ends::Open, Ends::Ring][dice.below(2) as usize];
    let network = Grid::uniform(4, 2, ends).unwrap().into_network();
    let traffic = TrafficPlan {
        process: process(dice),
        length: PacketLength::Fixed(1 + dice.below(6)),
        ..TrafficPlan::default()
    };
    let (workload, amount) = workload(&network, dice);
    let offered = match case % 3 {
        0 => Offered::Work(Work {
            workload: &workload,
            amount,
            cycle_time: 1.0,
        }),
        _ => Offered::Flits([0.05_f64, 0.3, 2.0][dice.below(3) as usize].min(traffic.load_most())),
    };
    let (router, has_details) = (router(dice), dice.below(3) == 0);
    let details = if has_details {
        Details::all()
    } else {
        Details::default()
    };
    let point = OperatingPoint {
        settings: MeasureSettings {
            relative_error: 0.05,
            max_cycles: 12_000,
            details,
            ..MeasureSettings::default()
        },
        replicas: 1 + dice.below(3),
        seed: case,
        threads: NonZeroUsize::new(1 + dice.below(2) as usize).unwrap(),
        ..OperatingPoint::new(&network, &router, &traffic, offered)
    };
    let relation = || {
        let grid = network.grid().unwrap();
        DimensionOrder::new(grid, 2, Tie::Random, true)
            .unwrap()
            .into()
    };
    let simulate = |monitor: &dyn Monitor| point.simulate_under(relation(), monitor);
    let whole = simulate(&NoMonitor).unwrap();
    let (result, lives) = in_lives(dice, simulate);
    assert_eq!(
        format!("{result:?}"),
        format!("{whole:?}"),
        "case {case}: {point:#?}"
    );
    let is_dense = point.engine_for(&relation()).is_dense();
    let is_parted = !is_dense && point.threads.get() > 1;
    [lives > 3, is_dense, is_parted, router.pipeline.is_some()]
}

#[test]
fn a_point_that_goes_on_is_one_that_nothing_happened_to() {
    let half = |cases: Range<u64>| cases.map(goes_on).collect::<Vec<_>>();
    let kinds = std::thread::scope(|scope| {
        let first = scope.spawn(move || half(0..32));
        let second = half(32..64);
        let first = first.join().unwrap_or_else(|panic| resume_unwind(panic));
        [first, second].concat()
    });
    let counts = [0, 1, 2, 3].map(|kind| kinds.iter().filter(|of_case| of_case[kind]).count());
    assert!(counts.iter().all(|&count| count > 4), "{counts:?}");
}

/// A relation that looks at queues is not simulated in parts, whatever is asked for.
#[test]
fn a_point_that_cannot_be_parted_goes_on() {
    let network = HyperX::new(&[4, 4], &[]).unwrap().into_network();
    let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
    let ugal = RoutingChoice::from(Algorithm::Ugal);
    let point = OperatingPoint {
        settings: MeasureSettings {
            relative_error: 0.05,
            max_cycles: 6_000,
            ..MeasureSettings::default()
        },
        is_proved: true,
        threads: NonZeroUsize::new(2).unwrap(),
        ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.3))
    };
    let simulate = |monitor: &dyn Monitor| {
        let relation = ugal.relation(&network, 4, &Tables::default()).unwrap();
        point.simulate_under(relation, monitor)
    };
    let whole = simulate(&NoMonitor).unwrap();
    let (result, lives) = in_lives(&mut Address::new(9).generator(), simulate);
    assert!(lives > 1);
    assert_eq!(format!("{result:?}"), format!("{whole:?}"));
}

#[test]
fn the_state_of_another_engine_is_refused() {
    let network = Grid::uniform(4, 2, Ends::Open).unwrap().into_network();
    let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
    let routing = DimensionOrder::new(network.grid().unwrap(), 4, Tie::Random, true).unwrap();
    let point = OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.3));
    let life = |before, looks| Life {
        before,
        looks: AtomicU32::new(looks),
        after: Default::default(),
    };
    let first = life(None, 2);
    let dense = point.simulate_under(routing.clone().into(), &first);
    assert_eq!(dense.unwrap_err(), SimulateError::Cancelled);
    let bytes = first.after.into_inner().unwrap();
    let refused = |bytes: Option<Vec<u8>>| {
        let sparse = point.simulate(&routing, &life(bytes, 0));
        matches!(sparse.unwrap_err(), SimulateError::Checkpoint(_))
    };
    assert!(refused(bytes.clone()));
    assert!(refused(
        bytes.map(|bytes| bytes[..bytes.len() / 2].to_vec())
    ));
}

/// A mesh of nine three times over, with all that can be told of it.
fn told() -> PointResult {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let router = EngineConfig::default();
    let traffic = TrafficPlan {
        length: PacketLength::Fixed(4),
        ..TrafficPlan::default()
    };
    let point = OperatingPoint {
        settings: MeasureSettings {
            relative_error: 0.1,
            max_cycles: 20_000,
            details: Details::all(),
            ..MeasureSettings::default()
        },
        replicas: 3,
        ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.2))
    };
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, router.virtual_channels, Tie::Random, true).unwrap();
    let point = point.simulate_under(routing.clone().into(), &NoMonitor);
    point.unwrap()
}

#[test]
fn details_change_nothing_but_what_is_told() {
    let network = Grid::uniform(3, 2, Ends::Open).unwrap().into_network();
    let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
    let grid = network.grid().unwrap();
    let routing = DimensionOrder::new(grid, router.virtual_channels, Tie::Random, true).unwrap();
    for case in 0..6 {
        let (workload, amount) = workload(&network, &mut Address::new(5).with(case).generator());
        let work = Work {
            workload: &workload,
            amount,
            cycle_time: 1.0,
        };
        let told = |details| {
            let point = OperatingPoint {
                settings: MeasureSettings {
                    max_cycles: 12_000,
                    details,
                    ..MeasureSettings::default()
                },
                ..OperatingPoint::new(&network, &router, &traffic, Offered::Work(work))
            };
            let result = point.simulate_under(routing.clone().into(), &NoMonitor);
            let mut result = result.unwrap();
            assert_eq!(result.details.take().is_some(), !details.is_empty());
            format!("{result:?}")
        };
        assert_eq!(
            told(Details::all()),
            told(Details::default()),
            "case {case}"
        );
    }
}

#[test]
fn details_of_replicas_agree_with_one_another_and_with_the_point() {
    let point = told();
    let details = point.details.as_ref().unwrap();
    let (sources, distances) = (
        details.sources.as_ref().unwrap(),
        details.distances.as_ref().unwrap(),
    );
    let class = &details.classes.as_ref().unwrap()[0];
    let packets = [
        sources.iter().map(|source| source.group.packets()).sum(),
        distances.iter().map(|group| group.packets()).sum(),
        class.group.packets(),
        class.histogram.count(),
        details.histogram.as_ref().unwrap().count(),
    ];
    assert_eq!(packets, [point.packets_measured; 5]);
    let accepted: u64 = sources.iter().map(|source| source.accepted_flits).sum();
    let is_near = |is: f64, near: f64| assert!((is / near - 1.0).abs() < 0.05, "{is}, {near}");
    let created: u64 = sources.iter().map(|source| source.created_flits).sum();
    let received: u64 = sources.iter().map(|source| source.received_flits).sum();
    is_near(created as f64, accepted as f64);
    // By packets that have arrived whole, and by flits.
    is_near(received as f64, accepted as f64);
    assert_eq!(received, class.accepted_flits);
    is_near(
        accepted as f64 / details.window_cycles as f64 / 9.0,
        point.accepted_flits,
    );
    // A flit is sent over as many channels as its packet takes hops.
    let channels = details.channels.as_ref().unwrap();
    let of = |channel| channels.channel(ChannelId(channel));
    let sent: u64 = (0..24).map(|channel| of(channel).sent_flits).sum();
    let hops = point.latency.as_ref().unwrap().hops_mean;
    is_near(sent as f64, accepted as f64 * hops);
    // None stays for long where so little is under way.
    let waited: u64 = (0..24).map(|channel| of(channel).flit_cycles).sum();
    assert!((sent..20 * sent).contains(&waited), "{waited} of {sent}");
}

#[test]
fn a_slower_clock_makes_latencies_longer_and_rates_lower() {
    let (fast, slow) = (told(), told().in_cycles_of(2.0));
    let latencies = |point: &PointResult| {
        let of = point.latency.unwrap();
        [
            of.mean,
            of.sampled,
            of.ci95,
            of.p50,
            of.p95,
            of.p99,
            of.max,
            of.network_mean,
        ]
    };
    assert_eq!(
        latencies(&slow),
        latencies(&fast).map(|cycles| 2.0 * cycles)
    );
    let rates = |point: &PointResult| {
        let least = point.fairness.as_ref().unwrap().accepted_min;
        [
            point.offered_flits,
            point.accepted_flits,
            point.accepted_ci95,
            least,
        ]
    };
    assert_eq!(rates(&slow), rates(&fast).map(|flits| flits / 2.0));
    for (slow, fast) in slow.latency_buckets.iter().zip(&fast.latency_buckets) {
        assert_eq!((slow.low, slow.high), (2.0 * fast.low, 2.0 * fast.high));
    }
    assert_eq!(slow.cycles, fast.cycles);
}
