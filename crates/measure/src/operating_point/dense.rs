//! Which of the two engines simulates a point: the dense one where it can and where it is faster.

use super::{Offered, OperatingPoint, Stability};
use crate::engine_choice::{EngineChoice, EngineUse};
use crate::measurement::recorder::Recorder;
use crate::measurement::stopping::StabilitySettings;
use crate::point::PointResult;
use crate::simulate::crew::{Crew, Seen};
use crate::simulate::{Monitor, SimulateError};
use flitsim_engine::routing::{DimensionOrder, Relation};
use flitsim_engine::{ConfigError, DenseEngine, DenseTeam, Routing, Unfit, Vectors};
use flitsim_random::{Address, mix};
use flitsim_topology::NodeId;

/// Routers for which a thread of dense engines is worth what it waits for the others.
const ROUTERS_A_THREAD: u32 = 512;

/// Packets drawn to estimate a mean distance.
const PACKETS_DRAWN: u32 = 256;

/// For what it says of networks and routers, whatever the relation.
type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, Recorder>;

impl<'a> OperatingPoint<'a> {
    /// Which engine simulates it under `relation`.
    pub fn engine_for(&self, relation: &Relation<'_>) -> EngineUse {
        let flits = match (self.engine, self.offered) {
            (EngineChoice::Sparse, _) => return EngineUse::SparseAsked,
            (_, Offered::Flits(flits)) if self.settings.details.is_empty() => flits,
            _ => return EngineUse::SparseNeeded,
        };
        if relation.looks().is_some() {
            return EngineUse::SparseOnly(Unfit::Relation);
        }
        // Dimension order has the virtual channels that it needs, or is another relation.
        if !self.is_proved && !matches!(relation, Relation::DimensionOrder(_)) {
            return EngineUse::SparseWatched;
        }
        let longest = self.traffic.length.longest_flits();
        if let Err(unfit) = Dense::fits(self.network, self.router, longest) {
            return EngineUse::SparseOnly(unfit);
        }
        if self.router.is_staged() && !relation.is_deterministic() {
            return EngineUse::SparseOnly(Unfit::Adaptive);
        }
        if self.engine == EngineChoice::Dense {
            return EngineUse::DenseAsked;
        }
        let hops = flits * self.mean_distance();
        let even = Dense::break_even(self.network, self.router, Vectors::Widest);
        if hops < even {
            EngineUse::SparseIdle(hops)
        } else {
            EngineUse::DenseBusy(hops)
        }
    }

    /// About the mean hops of a packet, weighted as the traffic does: of some that are drawn.
    fn mean_distance(&self) -> f64 {
        let (Some(grid), Ok(destinations)) = (
            self.network.grid(),
            self.traffic.pattern.compile(self.network),
        ) else {
            return 0.0;
        };
        let terminals = u64::from(self.network.terminals());
        let drawn = (0..PACKETS_DRAWN).map(|packet| {
            let source = NodeId((u64::from(packet) * terminals / u64::from(PACKETS_DRAWN)) as u32);
            if !destinations.sends(source) {
                return 0;
            }
            let mut rng = Address::new(self.seed).with(u64::from(packet)).generator();
            grid.distance(source, destinations.draw(source, &mut rng))
        });
        f64::from(drawn.sum::<u32>()) / f64::from(PACKETS_DRAWN)
    }

    /// Dense engines under `routing`.
    fn dense<R: Routing + Clone>(
        &self,
        routing: &R,
        recorder: impl Fn() -> Recorder,
    ) -> impl Fn(u64) -> Result<DenseEngine<'a, R, Recorder>, ConfigError> {
        let (network, router, vectors) = (self.network, self.router, Vectors::Widest);
        move |stream| {
            let (routing, seed) = (routing.clone(), mix(stream));
            DenseEngine::new(network, routing, router, seed, vectors, recorder())
        }
    }

    /// Crews of dense engines, likewise.
    fn dense_crew<R: Routing + Clone>(
        &self,
        routing: &R,
        recorder: impl Fn() -> Recorder,
    ) -> impl Fn(u64) -> Result<Crew<DenseTeam<'a, R, Seen>>, ConfigError> {
        let (network, router, parts) = (self.network, self.router, self.parts());
        move |stream| {
            let (seed, vectors, probe) = (mix(stream), Vectors::Widest, Seen::default);
            let team = DenseTeam::new(network, routing, router, seed, parts, vectors, probe)?;
            Ok(Crew::dense(team, recorder()))
        }
    }

    /// The point on as many threads as a crew of dense engines has; `None` for one.
    fn in_dense_parts(&self) -> Option<Self> {
        self.on_at_most(self.network.nodes() / ROUTERS_A_THREAD)
    }

    /// As [`OperatingPoint::simulate`], by the dense engine.
    pub(super) fn simulate_densely<R: Routing + Clone>(
        &self,
        routing: &R,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        let watched = self.watched(monitor);
        let Offered::Flits(flits) = self.offered else {
            return Err(SimulateError::NotAnOpenLoop);
        };
        let recorder = watched.recorder();
        if let Some(point) = self.in_dense_parts() {
            let crew = point.dense_crew(routing, recorder);
            return point.on_threads(|| watched.open_loop(flits, crew))?;
        }
        watched.open_loop(flits, self.dense(routing, recorder))
    }

    /// As [`OperatingPoint::is_delivered`], by the dense engine.
    pub(super) fn is_delivered_densely<R: Routing + Clone>(
        &self,
        routing: &R,
        settings: StabilitySettings,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        let Offered::Flits(flits) = self.offered else {
            return Err(SimulateError::NotAnOpenLoop);
        };
        let test = Stability {
            watched: self.watched(monitor),
            flits,
            settings,
        };
        let stream = self.stream(0);
        if let Some(point) = self.in_dense_parts() {
            let crew = point.dense_crew(routing, Recorder::new);
            return point.on_threads(|| test.over(crew(stream)?))?;
        }
        test.over(self.dense(routing, Recorder::new)(stream)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_lives;
    use super::*;
    use crate::measurement::MeasureSettings;
    use crate::simulate::NoMonitor;
    use flitsim_engine::routing::{Algorithm, RoutingChoice, Tables, Tie};
    use flitsim_engine::{ChannelDelay, EngineConfig, Matching, Pipeline, VcReallocation};
    use flitsim_topology::{Ends, Grid, Network};
    use flitsim_traffic::{PacketLength, TrafficPlan};
    use std::num::NonZeroUsize;

    const STAGES: Pipeline = Pipeline {
        routing: 1,
        vc_allocation: 1,
        switch_allocation: 1,
        traversal: 1,
    };

    fn network(radices: &[u32], ends: Ends) -> Network {
        Grid::new(radices, ends).expect("a grid").into_network()
    }

    fn relation(network: &Network, vcs: u32) -> Relation<'_> {
        let grid = network.grid().expect("a grid");
        let routing = DimensionOrder::new(grid, vcs, Tie::Random, true);
        routing.expect("enough virtual channels").into()
    }

    /// Duato's, where there are virtual channels for it.
    fn adaptive(network: &Network, vcs: u32) -> Option<Relation<'_>> {
        let choice = RoutingChoice::from(Algorithm::Duato);
        choice.relation(network, vcs, &Tables::default()).ok()
    }

    #[test]
    fn both_engines_give_the_same_point() {
        let cases: [(&[u32], Ends, u32, f64); 6] = [
            (&[8, 8], Ends::Open, 2, 0.3),
            (&[8, 8], Ends::Ring, 2, 0.4),
            (&[7, 5], Ends::Ring, 4, 0.9),
            (&[3, 4, 5], Ends::Open, 8, 0.3),
            (&[2, 2, 2, 2, 2], Ends::Open, 1, 0.2),
            (&[6, 6], Ends::DirectedRing, 2, 0.1),
        ];
        for (radices, ends, vcs, load) in cases {
            let network = network(radices, ends);
            let router = EngineConfig {
                virtual_channels: vcs,
                injection_vcs: vcs,
                ..EngineConfig::default()
            };
            let traffic = TrafficPlan {
                length: PacketLength::Fixed(5),
                ..TrafficPlan::default()
            };
            let staged = EngineConfig {
                pipeline: Some(STAGES),
                vc_allocator: Some(Matching::Islip { iterations: 2 }),
                ejection_vcs: vcs,
                injection_buffers: true,
                channel_delay: ChannelDelay::Uniform(1),
                ..router.clone()
            };
            let relations = [
                Some((relation(&network, vcs), router.clone())),
                Some((relation(&network, vcs), staged)),
                adaptive(&network, vcs).map(|relation| (relation, router)),
            ];
            for (relation, router) in relations.into_iter().flatten() {
                let router = EngineConfig {
                    vc_reallocation: match relation.has_escape() {
                        true => VcReallocation::Atomic,
                        false => VcReallocation::NonAtomic,
                    },
                    ..router
                };
                let results = [EngineChoice::Sparse, EngineChoice::Dense].map(|engine| {
                    let point = OperatingPoint {
                        settings: MeasureSettings {
                            relative_error: 0.1,
                            max_cycles: 20_000,
                            ..MeasureSettings::default()
                        },
                        replicas: 2,
                        is_proved: true,
                        engine,
                        ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(load))
                    };
                    let is_dense = engine == EngineChoice::Dense;
                    assert_eq!(point.engine_for(&relation).is_dense(), is_dense);
                    let result = point.simulate_under(relation.clone(), &NoMonitor);
                    let tested = point.is_delivered_under(
                        relation.clone(),
                        StabilitySettings {
                            resolution_flits: 0.02,
                            max_cycles: 5_000,
                        },
                        &NoMonitor,
                    );
                    format!("{result:?} {tested:?}")
                });
                assert_eq!(results[0], results[1], "{radices:?}, {ends:?}");
            }
        }
    }

    /// The network is large enough for two threads; whole, and in several lives.
    #[test]
    fn threads_give_the_same_point() {
        let (network, traffic) = (network(&[32, 32], Ends::Ring), TrafficPlan::default());
        let plain = EngineConfig::default();
        let staged = EngineConfig {
            pipeline: Some(STAGES),
            vc_allocator: Some(Matching::Islip { iterations: 1 }),
            ejection_vcs: 4,
            injection_buffers: true,
            ..plain.clone()
        };
        for router in [plain, staged] {
            let told = |threads, is_interrupted| {
                let point = OperatingPoint {
                    settings: MeasureSettings {
                        relative_error: 0.05,
                        max_cycles: 800,
                        ..MeasureSettings::default()
                    },
                    threads: NonZeroUsize::new(threads).expect("threads"),
                    engine: EngineChoice::Dense,
                    ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.2))
                };
                assert_eq!(point.in_dense_parts().is_some(), threads > 1);
                let relation = || relation(&network, 4);
                let settings = StabilitySettings {
                    resolution_flits: 0.05,
                    max_cycles: 400,
                };
                let tested = point.is_delivered_under(relation(), settings, &NoMonitor);
                let simulate = |monitor: &dyn Monitor| point.simulate_under(relation(), monitor);
                let result = match is_interrupted {
                    false => simulate(&NoMonitor).expect("a result"),
                    true => {
                        let dice = &mut Address::new(3).generator();
                        let (result, lives) = in_lives(dice, simulate);
                        assert!(lives > 1, "{lives}");
                        result
                    }
                };
                format!("{result:?} {tested:?}")
            };
            let one = told(1, false);
            assert_eq!(one, told(2, false));
            assert_eq!(one, told(2, true));
        }
    }

    #[test]
    fn the_load_chooses() {
        let network = network(&[8, 8], Ends::Open);
        let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
        let engine = |load| {
            let point = OperatingPoint::new(&network, &router, &traffic, Offered::Flits(load));
            point.engine_for(&relation(&network, 4))
        };
        assert!(matches!(engine(0.001), EngineUse::SparseIdle(_)));
        assert!(matches!(engine(0.4), EngineUse::DenseBusy(hops) if (1.8..2.5).contains(&hops)));
        let mut slow = router.clone();
        slow.delay = 2;
        let point = OperatingPoint::new(&network, &slow, &traffic, Offered::Flits(0.4));
        let only = EngineUse::SparseOnly(Unfit::Router("delay"));
        assert_eq!(point.engine_for(&relation(&network, 4)), only);
        let staged = EngineConfig {
            pipeline: Some(STAGES),
            vc_allocator: Some(Matching::SeparableInputFirst),
            ejection_vcs: 2,
            injection_buffers: true,
            ..router
        };
        let point = OperatingPoint::new(&network, &staged, &traffic, Offered::Flits(0.4));
        assert!(point.engine_for(&relation(&network, 4)).is_dense());
        let odd_even = RoutingChoice::from(Algorithm::OddEven);
        let odd_even = odd_even.relation(&network, 4, &Tables::default());
        let point = OperatingPoint {
            is_proved: true,
            ..point
        };
        let only = EngineUse::SparseOnly(Unfit::Adaptive);
        assert_eq!(point.engine_for(&odd_even.expect("it fits")), only);
    }
}
