//! A steady state observed with nothing but counters: no statistics to go wrong.

use crate::any::Any;
use crate::census::Census;
use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Routing};
use flitsim_topology::{Ends, Grid, Network};
use flitsim_traffic::{Arrival, PacketLength, Traffic, TrafficPlan};

/// What a source creates, as the engine takes it.
pub fn new_packet(arrival: &Arrival) -> NewPacket {
    NewPacket {
        source: arrival.source,
        destination: arrival.destination,
        flits: arrival.flits,
        entropy: arrival.entropy,
    }
}

/// What a network did over a window of cycles.
pub struct Observed {
    /// Flits created per node per cycle.
    pub offered: f64,
    /// Flits consumed per node per cycle.
    pub accepted: f64,
    /// Flits created and not consumed at the end, per node.
    pub backlog: f64,
    /// Mean hops of the packets delivered, and the standard error of that mean.
    pub hops_mean: f64,
    /// See `hops_mean`.
    pub hops_error: f64,
    /// By channel: flits per cycle.
    pub channel_flits: Vec<f64>,
}

/// A network, its router and its traffic.
pub struct Setup {
    /// The network.
    pub network: Network,
    /// Its routers.
    pub config: EngineConfig,
    /// As [`DimensionOrder::new`] takes it.
    pub tie: Tie,
    /// Likewise.
    pub vc_balance: bool,
    /// Who sends what to whom.
    pub traffic: TrafficPlan,
}

impl Setup {
    /// An 8-ary 2-cube or an 8×8 mesh, with V virtual channels of `buffer_flits` flits.
    pub fn eight(ends: Ends, virtual_channels: u32, buffer_flits: u32, packet_flits: u32) -> Self {
        Self {
            network: Grid::uniform(8, 2, ends).unwrap().into_network(),
            config: EngineConfig {
                virtual_channels,
                injection_vcs: virtual_channels,
                buffer_flits,
                ..EngineConfig::default()
            },
            tie: Tie::Random,
            vc_balance: true,
            traffic: TrafficPlan {
                length: PacketLength::Fixed(packet_flits),
                ..TrafficPlan::default()
            },
        }
    }

    /// Dimension order.
    pub fn routing(&self) -> DimensionOrder<'_> {
        let grid = self.network.grid().unwrap();
        let vcs = self.config.virtual_channels;
        DimensionOrder::new(grid, vcs, self.tie, self.vc_balance).unwrap()
    }

    /// Simulates `cycles` cycles at `load` flits per node per cycle in dimension order, and observes
    /// the second half.
    pub fn observe(&self, load: f64, cycles: u64, seed: u64) -> Observed {
        self.observe_under(self.routing(), load, cycles, seed)
    }

    /// The same under `routing`.
    fn observe_under<R: Routing>(&self, routing: R, load: f64, cycles: u64, seed: u64) -> Observed {
        // Of no type but these, so that both are compiled here.
        match R::DETERMINISTIC {
            true => self.observe_deterministic(Any::new(&routing), load, cycles, seed),
            false => self.observe_adaptive(Any::new(&routing), load, cycles, seed),
        }
    }

    fn observe_deterministic(
        &self,
        routing: Any<'_, true>,
        load: f64,
        cycles: u64,
        seed: u64,
    ) -> Observed {
        self.observe_any(routing, load, cycles, seed)
    }

    fn observe_adaptive(
        &self,
        routing: Any<'_, false>,
        load: f64,
        cycles: u64,
        seed: u64,
    ) -> Observed {
        self.observe_any(routing, load, cycles, seed)
    }

    fn observe_any(&self, routing: impl Routing, load: f64, cycles: u64, seed: u64) -> Observed {
        let mut traffic = Traffic::new(&self.traffic, &self.network, load, seed).unwrap();
        let census = || Census::of_channels(self.network.channels());
        let config = self.config.clone();
        let mut engine = Engine::new(&self.network, routing, config, seed, census()).unwrap();
        let mut before = engine.counters();
        for cycle in 0..cycles {
            if cycle == cycles / 2 {
                engine.check_invariants();
                before = engine.counters();
                *engine.probe_mut() = census();
            }
            traffic.arrivals(cycle, |arrival| {
                engine.offer(new_packet(&arrival));
            });
            engine.step();
        }
        engine.check_invariants();
        let after = engine.counters();
        let window = (cycles - cycles / 2) as f64;
        let nodes = f64::from(self.network.terminals());
        let channel_flits = &engine.probe().channel_flits;
        let counts = engine.probe().delivered;
        let hops_mean = counts.hops / counts.packets;
        let variance = counts.hops_squared / counts.packets - hops_mean * hops_mean;
        Observed {
            offered: (after.flits_offered - before.flits_offered) as f64 / window / nodes,
            accepted: (after.flits_ejected - before.flits_ejected) as f64 / window / nodes,
            backlog: (after.flits_offered - after.flits_ejected) as f64 / nodes,
            hops_mean,
            hops_error: (variance / counts.packets).sqrt(),
            channel_flits: channel_flits
                .iter()
                .map(|&flits| flits as f64 / window)
                .collect(),
        }
    }

    /// Whether the network delivers `load` in dimension order: nothing but what is under way is left
    /// behind.
    pub fn is_stable_at(&self, load: f64) -> bool {
        self.is_stable_under(self.routing(), load)
    }

    /// The same under `routing`.
    pub fn is_stable_under(&self, routing: impl Routing, load: f64) -> bool {
        let cycles = 20_000;
        let observed = self.observe_under(routing, load, cycles, 1);
        // A deficit of half a per cent of the load over the run would pile up more than this.
        observed.backlog < 0.005 * load * cycles as f64
    }
}
