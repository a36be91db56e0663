//! The warm-up from a start that is not empty: a network full of packets, by a burst or by a time of
//! overload, and then a low load. Truncation finds where the congestion ends, and the means of what
//! follows are unbiased; without it they are far too high.

use crate::tier;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Routing};
use flitsim_measure::measurement::recorder::Recorder;
use flitsim_measure::measurement::stopping::{Controller, Decide, Decision, Outcome, Pace};
use flitsim_measure::measurement::{MeasureSettings, Warmup};
use flitsim_measure::point::Status;
use flitsim_measure::simulate::stream_seed;
use flitsim_random::mix;
use flitsim_topology::{Ends, Grid, Network};
use flitsim_traffic::{Arrival, PacketLength, Traffic, TrafficPlan};

const LOAD: f64 = 0.25;
const FLITS: u32 = 4;

/// Cycles before the warm-up is first judged: 2,000 packets at one a cycle.
const FIRST_CHECKPOINT: u64 = 2_000;

/// What a run begins with.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// An empty network.
    Empty,
    /// So many packets in every source queue, to nodes drawn uniformly.
    Burst { packets: usize },
    /// So many cycles past saturation.
    Overload { cycles: u64 },
}

struct Setup {
    network: Network,
    traffic: TrafficPlan,
}

impl Setup {
    fn new() -> Self {
        Self {
            network: Grid::uniform(4, 2, Ends::Open).unwrap().into_network(),
            traffic: TrafficPlan {
                length: PacketLength::Fixed(FLITS),
                ..TrafficPlan::default()
            },
        }
    }

    fn traffic(&self, load: f64, seed: u64) -> Traffic {
        Traffic::new(&self.traffic, &self.network, load, seed).unwrap()
    }

    /// The packets that a run begins with, cycle by cycle.
    fn before(&self, start: Start, seed: u64) -> Vec<Vec<Arrival>> {
        let mut traffic = self.traffic(0.9, mix(seed));
        let packets_of = |cycle| {
            let mut packets = Vec::new();
            traffic.arrivals(cycle, |packet| packets.push(packet));
            packets
        };
        match start {
            Start::Empty => Vec::new(),
            Start::Burst { packets } => {
                let all = (0..).flat_map(packets_of);
                vec![all.take(16 * packets).collect()]
            }
            Start::Overload { cycles } => (0..cycles).map(packets_of).collect(),
        }
    }

    /// One run as the program measures it, but for its start.
    fn run(&self, start: Start, settings: MeasureSettings, seed: u64) -> Outcome {
        let seed = stream_seed(seed, LOAD, 0);
        let config = EngineConfig::default();
        let grid = self.network.grid().unwrap();
        let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true);
        let recorder = Recorder::new();
        let mut engine =
            Engine::new(&self.network, routing.unwrap(), config, mix(seed), recorder).unwrap();
        let mut controller = Controller::new(
            settings,
            Pace {
                terminals: self.network.terminals(),
                offered_flits: LOAD,
                packet_flits: f64::from(FLITS),
                hottest_flits: 0.0,
                traversal_cycles: 10,
                correlation_cycles: 0,
            },
        );
        let before = self.before(start, seed);
        let mut traffic = self.traffic(LOAD, seed);
        let mut until = controller.first_checkpoint();
        loop {
            let cycle = engine.cycle();
            if cycle >= until || engine.probe().is_settled(cycle) {
                match controller.decide(cycle, engine.probe_mut()) {
                    Decision::Continue { until: next } => until = next,
                    Decision::Done(outcome) => return outcome,
                }
            }
            for &packet in before.get(cycle as usize).into_iter().flatten() {
                offer(&mut engine, packet);
            }
            traffic.arrivals(cycle, |packet| offer(&mut engine, packet));
            engine.step();
        }
    }

    /// Of `count` runs: in how many the interval holds `truth`, the mean error over the truth, and the
    /// mean warm-up in cycles.
    fn runs(&self, start: Start, warmup: Warmup, truth: f64, count: u32) -> (u32, f64, f64) {
        let settings = MeasureSettings {
            warmup,
            relative_error: 0.04,
            max_cycles: 40_000,
            ..unlimited()
        };
        let (mut held, mut error, mut cycles) = (0, 0.0, 0.0);
        for seed in 0..count {
            let outcome = self.run(start, settings, seed.into());
            // From a congested start a run measured whole does not converge in that time.
            let is_biased = warmup != Warmup::Auto;
            assert!(
                outcome.status == Status::Converged || is_biased,
                "{start:?}: {outcome:?}"
            );
            let latency = outcome.latency.unwrap();
            held += u32::from((latency.mean - truth).abs() <= latency.half_width);
            error += (latency.mean / truth - 1.0) / f64::from(count);
            cycles += outcome.warmup_cycles as f64 / f64::from(count);
        }
        println!("{start:?}, {warmup:?}: {held} of {count}, {error:+.4}, {cycles:.0} cycles");
        (held, error, cycles)
    }
}

/// No latency is too high.
fn unlimited() -> MeasureSettings {
    MeasureSettings {
        latency_limit: f64::MAX,
        ..MeasureSettings::default()
    }
}

fn offer<R: Routing>(engine: &mut Engine<'_, R, Recorder>, packet: Arrival) {
    let cycle = engine.cycle();
    engine.offer(NewPacket {
        source: packet.source,
        destination: packet.destination,
        flits: packet.flits,
        entropy: packet.entropy,
    });
    engine.probe_mut().created(cycle, packet.flits);
}

#[test]
fn truncation_removes_the_bias_of_a_congested_start() {
    if tier::is_left_out() {
        return;
    }
    let setup = Setup::new();
    let long = MeasureSettings {
        warmup: Warmup::Cycles(5_000),
        relative_error: 0.0,
        max_cycles: 300_000,
        ..unlimited()
    };
    let truth = setup.run(Start::Empty, long, 1 << 40).latency.unwrap();
    assert!(truth.relative_half_width() < 0.005, "{truth:?}");

    let (held, error, _) = setup.runs(Start::Empty, Warmup::Auto, truth.mean, 40);
    assert!(held >= 33 && error.abs() < 0.01, "{held}, {error}");
    for start in [
        Start::Burst { packets: 400 },
        Start::Overload { cycles: 1_500 },
    ] {
        let (held, error, warmup) = setup.runs(start, Warmup::Auto, truth.mean, 40);
        assert!(
            held >= 33 && error.abs() < 0.01,
            "{start:?}: {held}, {error}"
        );
        // The congestion lasts past the first look, which must not take it for steady.
        assert!(
            warmup > 1.2 * FIRST_CHECKPOINT as f64,
            "{start:?}: {warmup}"
        );
        // Measured whole, the congestion is in the mean.
        let (_, error, _) = setup.runs(start, Warmup::Cycles(0), truth.mean, 6);
        assert!(error > 0.5, "{start:?}: {error}");
    }
}

#[test]
fn a_run_too_short_to_tell_is_no_overload() {
    let setup = Setup::new();
    for max_cycles in 10..200 {
        let settings = MeasureSettings {
            max_cycles,
            ..unlimited()
        };
        let outcome = setup.run(Start::Empty, settings, max_cycles);
        assert_eq!(outcome.status, Status::MaxCycles, "{max_cycles}");
    }
}
