//! Which of the two engines simulates a point: the dense one where it can and where it is faster.

use super::{Offered, OperatingPoint};
use crate::engine_choice::{EngineChoice, EngineUse};
use crate::measurement::recorder::Recorder;
use crate::measurement::stopping::StabilitySettings;
use crate::point::PointResult;
use crate::simulate::crew::{Crew, Seen};
use crate::simulate::machine::DENSE;
use crate::simulate::{Monitor, SimulateError};
use flitsim_engine::routing::{DimensionOrder, Relation};
use flitsim_engine::{ConfigError, DenseEngine, DenseTeam, Fit, Routing, Unfit};
use flitsim_random::{Address, mix};
use flitsim_topology::{MinimalPaths, Network, NodeId, Paths, distances_from};

/// Routers for which a thread of dense engines is worth what it waits for the others.
const ROUTERS_A_THREAD: u32 = 512;

/// Packets drawn to estimate a mean distance.
const PACKETS_DRAWN: u32 = 256;

/// Of them from one source, where a search finds distances.
const DRAWS_A_SEARCH: usize = 32;

/// The most flits a cycle that the channels of `network` carry over `hops` hops each in the mean. Where there are switches, those
/// between them over all hops but the first and the last.
fn carried_most(network: &Network, hops: f64) -> f64 {
    let (mut channels, mut hops) = (f64::from(network.channels()), hops);
    if network.terminals() < network.nodes() {
        let at = |node: NodeId| network.in_degree(node) + network.outgoing(node).len();
        let at_terminals: usize = (0..network.terminals()).map(NodeId).map(at).sum();
        channels -= at_terminals as f64;
        hops -= 2.0;
    }
    // A star of terminals has none between switches.
    match channels > 0.0 && hops > 0.0 {
        true => channels / hops,
        false => f64::INFINITY,
    }
}

/// For what it says of networks and routers, whatever the relation.
type Dense<'n> = DenseEngine<'n, DimensionOrder<'n>, Recorder>;

impl<'a> OperatingPoint<'a> {
    /// Which engine simulates the point under `relation`.
    pub fn engine_for(&self, relation: &Relation<'_>) -> EngineUse {
        let flits = match (self.engine, self.offered) {
            (EngineChoice::Sparse, _) => return EngineUse::SparseAsked,
            (_, Offered::Flits(flits)) if self.settings.details.is_empty() => flits,
            _ => return EngineUse::SparseNeeded,
        };
        let fit = match Dense::takes(relation, self.router).and_then(|()| self.fits_densely()) {
            Ok(fit) => fit,
            Err(unfit) => return EngineUse::SparseOnly(unfit),
        };
        // Dimension order has the virtual channels that it needs, or is another relation.
        if !self.is_proved && !matches!(relation, Relation::DimensionOrder(_)) {
            return EngineUse::SparseWatched;
        }
        if self.engine == EngineChoice::Dense {
            return EngineUse::DenseAsked;
        }
        let hops = self.hops_a_router(flits);
        if hops < fit.break_even(self.network, self.router) {
            EngineUse::SparseIdle(hops)
        } else {
            EngineUse::DenseBusy(hops)
        }
    }

    /// How a dense engine simulates it, whatever the relation.
    fn fits_densely(&self) -> Result<Fit, Unfit> {
        let longest = self.traffic.length.longest_flits();
        Dense::fits(self.network, self.router, longest)
    }

    /// About the flit-hops of a node in a cycle, where terminals offer `flits` each, or what channels can carry at most: by the
    /// hops of some packets that are drawn.
    fn hops_a_router(&self, flits: f64) -> f64 {
        let network = self.network;
        let Ok(destinations) = self.traffic.pattern.compile(network) else {
            return 0.0;
        };
        let paths = Paths::in_closed_form(network);
        // Without a closed form each source takes a search.
        let draws = paths.as_ref().map_or(DRAWS_A_SEARCH, |_| 1);
        let terminals = u64::from(network.terminals());
        let mut hops = 0u64;
        for packet in (0..PACKETS_DRAWN).step_by(draws) {
            let source = NodeId((mix(u64::from(packet)) % terminals) as u32);
            if !destinations.sends(source) || !network.is_living(source) {
                continue;
            }
            let found = paths.is_none().then(|| distances_from(network, source));
            for packet in packet..packet + draws as u32 {
                let mut rng = Address::new(self.seed).with(u64::from(packet)).generator();
                let destination = destinations.draw(source, &mut rng);
                let distance = match (&paths, &found) {
                    (Some(paths), _) => paths.distance(source, destination),
                    (None, Some(found)) => found[destination.index()],
                    (None, None) => 0,
                };
                hops += u64::from(distance);
            }
        }
        let mean = hops as f64 / f64::from(PACKETS_DRAWN);
        let [terminals, nodes] = [network.terminals(), network.nodes()].map(f64::from);
        let accepted = flits.min(carried_most(network, mean) / terminals);
        accepted * mean * terminals / nodes
    }

    /// Dense engines under `routing`.
    fn dense<R: Routing + Clone>(
        &self,
        routing: &R,
        recorder: impl Fn() -> Recorder,
    ) -> impl Fn(u64) -> Result<DenseEngine<'a, R, Recorder>, ConfigError> {
        let (network, router) = (self.network, self.router);
        let fit = self.fits_densely().expect("a point that fits");
        move |stream| {
            let (routing, seed) = (routing.clone(), mix(stream));
            DenseEngine::new(network, routing, router, seed, fit, recorder())
        }
    }

    /// Crews of dense engines, likewise.
    fn dense_crew<R: Routing + Clone>(
        &self,
        routing: &R,
        recorder: impl Fn() -> Recorder,
    ) -> impl Fn(u64) -> Result<Crew<DenseTeam<'a, R, Seen>>, ConfigError> {
        let (network, router, parts) = (self.network, self.router, self.parts());
        let fit = self.fits_densely().expect("a point that fits");
        move |stream| {
            let (seed, probe) = (mix(stream), Seen::default);
            let team = DenseTeam::new(network, routing, router, seed, parts, fit, probe)?;
            Ok(Crew::new(DENSE, team, recorder()))
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
        let test = self.stability(settings, monitor)?;
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
    use super::*;
    use crate::Offered;
    use flitsim_engine::EngineConfig;
    use flitsim_topology::{Ends, Grid};
    use flitsim_traffic::TrafficPlan;
    use std::num::NonZeroUsize;

    #[test]
    fn large_grids_are_parted_among_threads() {
        let (router, traffic) = (EngineConfig::default(), TrafficPlan::default());
        for (radix, threads, is_parted) in [(8, 2, false), (32, 1, false), (32, 2, true)] {
            let grid = Grid::uniform(radix, 2, Ends::Ring).expect("a grid");
            let network = grid.into_network();
            let point = OperatingPoint {
                threads: NonZeroUsize::new(threads).expect("threads"),
                engine: EngineChoice::Dense,
                ..OperatingPoint::new(&network, &router, &traffic, Offered::Flits(0.2))
            };
            assert_eq!(point.in_dense_parts().is_some(), is_parted);
        }
    }
}
