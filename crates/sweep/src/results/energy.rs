//! What a point takes: its counted actions by the numbers of `[energy]`.

use flitsim_engine::Actions;
use flitsim_measure::measurement::details::PointDetails;
use flitsim_measure::point::PointResult;
use flitsim_scenario::SeriesPlan;
use flitsim_topology::{ChannelId, NodeId};

/// Actions at one place.
pub(super) struct Place {
    /// The channel; `None` at a node, or of all places together.
    pub(super) channel: Option<ChannelId>,
    /// The channel's source, or the node; `None` where all places are taken together.
    pub(super) node: Option<NodeId>,
    /// What was done.
    pub(super) actions: Actions,
    /// What it took, in picojoules, where there is a table.
    pub(super) picojoules: Option<f64>,
}

/// The actions of a point of `series`: those of each channel, then those at each terminal's node. `None` where they
/// were not counted.
pub(super) fn places<'a>(
    series: &'a SeriesPlan,
    details: &'a PointDetails,
) -> Option<impl Iterator<Item = Place> + 'a> {
    let activity = details.energy.as_ref()?;
    let network = &*series.network;
    let took = |actions: &Actions, length: f32| {
        let energy = series.energy.as_ref()?;
        Some(energy.picojoules(actions, series.width_bits, length))
    };
    let channels = (0..network.channels()).map(ChannelId).map(move |channel| {
        let actions = activity.of_channel(network, channel, &series.engine);
        Place {
            channel: Some(channel),
            node: Some(network.source(channel)),
            actions,
            picojoules: took(&actions, network.length_pitches(channel)),
        }
    });
    let terminals = network.living_terminals().map(move |node| {
        let actions = activity.of_node(node, &series.engine);
        Place {
            channel: None,
            node: Some(node),
            actions,
            picojoules: took(&actions, 0.0),
        }
    });
    Some(channels.chain(terminals))
}

/// What a point takes.
pub(super) struct PointEnergy {
    picojoules: f64,
    packets: u64,
    window_nanoseconds: f64,
    /// At all times.
    pub(super) leakage_mw: f64,
}

impl PointEnergy {
    /// That of a point of `series`; `None` where the series has no table.
    pub(super) fn of(series: &SeriesPlan, result: &PointResult) -> Option<Self> {
        let energy = series.energy.as_ref()?;
        let details = result.details.as_deref()?;
        let cycles = details.window_cycles as f64 * details.cycle_time;
        Some(Self {
            picojoules: places(series, details)?
                .filter_map(|at| at.picojoules)
                .sum(),
            packets: details.energy.as_ref()?.packets(),
            window_nanoseconds: cycles / energy.clock_ghz,
            leakage_mw: energy.leakage_mw(&series.network, &series.engine, series.width_bits),
        })
    }

    /// Picojoules for each packet, without leakage.
    pub(super) fn per_packet_pj(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.picojoules / self.packets as f64)
    }

    /// The mean power, leakage included.
    pub(super) fn power_mw(&self) -> Option<f64> {
        let is_measured = self.window_nanoseconds > 0.0;
        is_measured.then(|| self.picojoules / self.window_nanoseconds + self.leakage_mw)
    }
}
