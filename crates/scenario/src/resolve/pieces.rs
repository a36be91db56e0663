//! The tables of a series as far as nothing is wrong with them, and the checks of one against another.
//!
//! Invariant: a check runs only where nothing is wrong with what it looks at, so that no fault follows
//! from another.

use super::offered::{Offered, Offers};
use super::said::Said;
use super::{Context, Overrides};
use crate::channel::{Channel, WIDTH_BITS};
use crate::cost::{Cost, Derived};
use crate::energy::Energy;
use crate::error::Fault;
use crate::faults::FaultTable;
use crate::load::Sweep;
use crate::networks::Networks;
use crate::overlay::SeriesTables;
use crate::router::Router;
use crate::routing::RoutingTable;
use crate::topology::TopologyTable;
use crate::traffic::TrafficTable;
use crate::{measure, room};
use flitsim_engine::{ConfigError, FlowControl};
use flitsim_measure::measurement::MeasureSettings;
use flitsim_measure::measurement::details::Detail;
use flitsim_measure::workload::Workload;
use flitsim_topology::Network;
use flitsim_topology::memory::available_bytes;
use flitsim_traffic::TrafficPlan;
use std::sync::Arc;

/// What was found to be wrong.
#[derive(Default)]
pub(super) struct Found(pub(super) Vec<Fault>);

impl Found {
    fn keep<T>(&mut self, checked: Result<T, Fault>) -> Option<T> {
        checked.map_err(|fault| self.0.push(fault)).ok()
    }

    fn keep_all<T>(&mut self, checked: Result<T, Vec<Fault>>) -> Option<T> {
        checked.map_err(|faults| self.0.extend(faults)).ok()
    }
}

/// The tables of a series as far as nothing is wrong with them.
pub(super) struct Pieces {
    pub(super) said: Said,
    pub(super) router: Router,
    pub(super) channel: Channel,
    pub(super) topology: Option<TopologyTable>,
    pub(super) whole: Option<Arc<Network>>,
    pub(super) network: Option<Arc<Network>>,
    pub(super) routing: Option<RoutingTable>,
    pub(super) derived: Option<Option<Derived>>,
    /// Bits of a flit.
    pub(super) width_bits: Option<u32>,
    pub(super) traffic: Option<TrafficTable>,
    pub(super) measure: Option<MeasureSettings>,
    pub(super) energy: Option<Energy>,
    pub(super) sweep: Option<Sweep>,
}

/// What the checks of a series give.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) plan: Option<TrafficPlan>,
    pub(super) workload: Option<Option<Workload>>,
    pub(super) offers: Option<Offers>,
}

impl Pieces {
    pub(super) fn read(
        series: &SeriesTables,
        context: &mut Context<'_>,
        found: &mut Found,
    ) -> Self {
        let said = Said::read(series, &context.reader, &mut found.0);
        let topology = said.topology.are_all_sound();
        let topology = topology.then(|| TopologyTable::of(&said.topology));
        let topology = topology.and_then(|table| found.keep(table));
        let networks = &mut context.networks;
        let built = topology.as_ref().map(|table| networks.whole(table));
        let whole = built.and_then(|network| found.keep(network));
        // How many terminals a router has changes nothing of how routers are joined.
        if !said.topology.are_all_sound() && said.topology.are_sound_but("terminals") {
            let routers = TopologyTable::of(&said.topology);
            let routers = routers.and_then(|table| networks.whole(&table));
            found.keep(routers);
        }
        let damaged = said
            .faults
            .are_all_sound()
            .then(|| FaultTable::of(&said.faults));
        let network = match (&whole, damaged) {
            (Some(whole), Some(faults)) => found.keep_all(networks.damaged(whole, &faults)),
            _ => None,
        };
        let sweep = Sweep::of(&said.sweep).and_then(|sweep| found.keep(sweep));
        found.keep(measure::check_warmup(&said.measure));
        let measure = said.measure.are_all_sound();
        let mut measure = measure.then(|| measure::of(&said.measure));
        let energy = said.energy.are_all_sound().then_some(&said.energy);
        let energy = energy.and_then(Energy::of);
        if let (Some(_), Some(measure)) = (energy, &mut measure) {
            measure.details = measure.details.union(Detail::Energy.into());
        }
        let mut pieces = Self {
            router: Router::of(&said.router),
            channel: Channel::of(&said.channel),
            routing: None,
            derived: None,
            width_bits: None,
            traffic: None,
            measure,
            energy,
            sweep,
            topology,
            whole,
            network,
            said,
        };
        pieces.route(found);
        pieces.derive_width(networks, found);
        pieces.send(context.seed, found);
        pieces
    }

    fn route(&mut self, found: &mut Found) {
        let values = &self.said.routing;
        if let (Some(topology), Some(network)) = (&self.topology, &self.network)
            && values.are_sound(&["algorithm"])
            && values.are_complete()
        {
            self.routing = found.keep_all(RoutingTable::of(values, topology, network));
        }
    }

    /// The width of flits, and what follows from it for the channels.
    fn derive_width(&mut self, networks: &mut Networks, found: &mut Found) {
        let (Some(topology), Some(whole)) = (&self.topology, &self.whole) else {
            return;
        };
        let values = &self.said.channel;
        if !self.said.cost.are_all_sound() || !values.are_sound(&["width_bits"]) {
            return;
        }
        let given = self.channel.width_bits.as_ref();
        let word = topology.value.word();
        // Faults change nothing of what was built.
        let derived = Cost::of(&self.said.cost).and_then(|cost| {
            cost.derive(whole, &word, given, |reference| networks.whole(reference))
        });
        let Some(derived) = found.keep(derived) else {
            return;
        };
        let own_widths = whole.annotations().and_then(|a| a.width_bits.as_ref());
        let widest = own_widths.and_then(|widths| widths.iter().copied().max());
        let width_bits = match (derived, given, widest) {
            (Some(derived), ..) => derived.width_bits,
            (_, Some(given), _) => given.value,
            (_, _, widest) => widest.unwrap_or(values.get(&WIDTH_BITS)),
        };
        self.channel.cycle_time *= derived.map_or(1.0, |derived| derived.cycle_time);
        self.width_bits = Some(width_bits);
        self.derived = Some(derived);
        if let Some(network) = self.network.as_ref().filter(|_| values.are_all_sound()) {
            let applied = self
                .channel
                .apply(&mut self.router.config, network, width_bits);
            if found.keep(applied).is_none() {
                self.derived = None;
            }
        }
    }

    fn send(&mut self, seed: u64, found: &mut Found) {
        if let Some(width_bits) = self.width_bits
            && self.said.traffic.are_all_sound()
        {
            let network = self.network.as_deref();
            let traffic = TrafficTable::of(&self.said.traffic, width_bits, seed, network);
            self.traffic = found.keep_all(traffic);
        }
    }

    /// Checks the tables against one another.
    pub(super) fn check(&mut self, overrides: Overrides, found: &mut Found) -> Checked {
        let mut checked = Checked::default();
        let said = &self.said.router;
        if let Some(traffic) = &self.traffic
            && said.are_sound(&["buffer_flits", "flow_control"])
        {
            found.keep(self.router.check_packets_fit(traffic.longest_flits()));
        }
        found.0.extend(self.router.contradictions(said));
        let Some(network) = self.network.clone() else {
            return checked;
        };
        let is_routed = self.check_routing(&network, overrides, found);
        let said = &self.said.router;
        if let Some(traffic) = &self.traffic {
            checked.plan = found.keep(traffic.plan(&network));
            let whole = self.router.config.flow_control != FlowControl::Wormhole;
            let buffer_flits = whole.then_some(self.router.config.buffer_flits);
            if said.are_sound(&["buffer_flits", "flow_control"]) {
                checked.workload = found.keep(traffic.workload(&network, buffer_flits));
            }
        }
        let has_channels = self.derived.is_some() && self.said.channel.are_all_sound();
        if said.are_all_sound() && has_channels {
            found.keep(self.check_size(&network));
            if let Some(measure) = self.measure {
                let config = &self.router.config;
                found.keep(measure::check_affordable(
                    &self.said.measure,
                    measure.details,
                    &network,
                    config,
                ));
            }
        }
        let routing = self.routing.as_ref().filter(|_| is_routed);
        if let (true, Some(topology), Some(traffic), Some(sweep)) = (
            has_channels && said.are_sound(&["injection", "crossbar"]),
            &self.topology,
            &self.traffic,
            &self.sweep,
        ) && (routing.is_some() || !sweep.is_routed(&network))
        {
            let offered = Offered {
                topology: topology.value.word(),
                network: &network,
                config: &self.router.config,
                channel: &self.channel,
                routing,
                traffic,
                sweep,
            };
            checked.offers = found.keep(offered.loads(overrides.load));
            if let Some(offers) = &checked.offers
                && !overrides.are_loads_optional
            {
                found.0.extend(offers.refused.iter().cloned());
            }
        }
        checked
    }

    /// Whether the algorithm holds on the network, as far as it is known.
    fn check_routing(
        &mut self,
        network: &Network,
        overrides: Overrides,
        found: &mut Found,
    ) -> bool {
        let Some(routing) = &self.routing else {
            return false;
        };
        if !self.said.router.are_sound(&["virtual_channels"]) {
            return false;
        }
        if self.said.router.are_all_sound() {
            let algorithm = routing.choice.algorithm;
            let checked = self
                .router
                .check_ports(&self.said.router, network, algorithm);
            found.keep(checked);
        }
        let virtual_channels = &self.router.virtual_channels;
        let allow_deadlock = overrides.allow_deadlock;
        let checked = routing.check(network, virtual_channels, allow_deadlock);
        let Some(has_escape) = found.keep(checked) else {
            return false;
        };
        if has_escape {
            self.router.suit_escape();
        }
        true
    }

    /// Refuses routers for which there are no numbers or no memory.
    fn check_size(&self, network: &Network) -> Result<(), Fault> {
        let config = &self.router.config;
        let too_large = |message: String, label: &str| {
            Fault::new(self.router.size_place(), message)
                .label(label)
                .help("fewer virtual channels, smaller buffers or a smaller network")
        };
        match config.validate(network) {
            // Told at its key.
            Ok(()) | Err(ConfigError::NoPort { .. } | ConfigError::Contradiction(_)) => {}
            Err(error) => return Err(too_large(error.to_string(), "too large for this network")),
        }
        room::check(network, config, available_bytes())
            .map_err(|message| too_large(message, "too much for this machine"))
    }
}
