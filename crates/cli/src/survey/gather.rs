//! Finding everything, stage by stage.

use super::{Depth, IdealThroughput, Stages, Subject};
use flitsim_topology::cost::{UnitCost, pin_out};
use flitsim_topology::layout::{
    DensityProfile, Layout, LayoutDensity, ThompsonArea, WireLengths, layout_density, row_density,
};
use flitsim_topology::properties::{
    Bisection, Connectivity, DistanceProfile, FaultDiameter, Symmetry, channel_connectivity,
    degree_max, node_connectivity, two_colouring,
};
use flitsim_topology::{Network, NodeId};

/// What was found of a network.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The network.
    pub subject: Subject,
    /// The most channels out of a router, its terminal's not counted.
    pub degree_max: u32,
    /// The fewest channels out of a router.
    pub degree_min: u32,
    /// The distances between terminals; `None` where one cannot reach another.
    pub distances: Option<DistanceProfile>,
    /// Whether every channel joins two colours.
    pub is_bipartite: bool,
    /// Whether all nodes look alike, where known.
    pub is_node_symmetric: Option<bool>,
    /// Whether all channels look alike, where known.
    pub is_channel_symmetric: Option<bool>,
    /// Channels between two halves.
    pub bisection: Bisection,
    /// What faults do, where it was asked for.
    pub faults: Option<Faults>,
    /// The largest diameter that fewer faults than the connectivity leave, by theorem.
    pub fault_diameter_bound: Option<u32>,
    /// Pins in all, as the papers count them.
    pub pin_out: u64,
    /// What it costs with channels one wire wide.
    pub unit_cost: UnitCost,
    /// Wires a row or column of the layout, where a paper gives them.
    pub layout_density: Option<LayoutDensity>,
    /// The wires across every cut of the layout's rows, where a layout is known.
    pub row_density: Option<DensityProfile>,
    /// The rectangle that the layout takes.
    pub area: Option<ThompsonArea>,
    /// The lengths of the wires.
    pub wires: WireLengths,
    /// The most uniform traffic that the channels carry.
    pub throughput: Option<IdealThroughput>,
}

/// What faults do.
#[derive(Clone, Debug)]
pub struct Faults {
    /// Nodes whose loss parts terminals.
    pub nodes: Connectivity,
    /// Channels whose loss parts terminals.
    pub channels: Connectivity,
    /// The largest diameter that fewer failing nodes leave.
    pub diameter: Option<FaultDiameter>,
}

impl Survey {
    /// Finds everything of `subject`.
    pub fn of(subject: &Subject, depth: Depth, stages: &dyn Stages) -> Self {
        let (mut survey, symmetry) = Self::begin(subject, stages);
        survey.end(depth, &symmetry, stages, |_| {});
        survey
    }

    /// Finds all but faults and throughput, which may take longest.
    pub fn begin(subject: &Subject, stages: &dyn Stages) -> (Self, Symmetry) {
        let network = &*subject.living();
        stages.stage("symmetry");
        let symmetry = Symmetry::of(network);
        (Self::begun(subject, network, &symmetry, stages), symmetry)
    }

    /// Finds the rest of what [`begin`](Self::begin) has found; `known` looks at it after faults and at the end.
    pub fn end(
        &mut self,
        depth: Depth,
        symmetry: &Symmetry,
        stages: &dyn Stages,
        mut known: impl FnMut(&Self),
    ) {
        let network = &*self.subject.living();
        self.faults = (depth == Depth::Whole).then(|| Faults::of(network, symmetry, stages));
        known(self);
        stages.stage("channel loads");
        let terminals = f64::from(network.living_terminals_count().max(1));
        let at_terminals = f64::from(network.hops_at_terminals()) * (1.0 - 1.0 / terminals);
        let distances = self.distances.as_ref();
        let mean = distances.map(|found| found.mean_with_self() + at_terminals);
        self.throughput = IdealThroughput::of(&self.subject, depth, mean);
        known(self);
    }

    /// All but faults and throughput.
    fn begun(
        subject: &Subject,
        network: &Network,
        symmetry: &Symmetry,
        stages: &dyn Stages,
    ) -> Self {
        stages.stage("distances");
        let distances = DistanceProfile::of(network, symmetry, &|done, of| stages.done(done, of));
        stages.stage("bisection");
        let bisection = Bisection::of(network);
        stages.stage("layout");
        let degrees = (0..network.nodes()).map(|node| network.outgoing(NodeId(node)).len() as u32);
        Self {
            degree_max: degree_max(network),
            degree_min: degrees.min().unwrap_or(0),
            is_bipartite: two_colouring(network).is_some(),
            is_node_symmetric: symmetry.is_node_symmetric(),
            is_channel_symmetric: symmetry.is_channel_symmetric(),
            fault_diameter_bound: network.fault_diameter_bound(),
            pin_out: pin_out(network),
            unit_cost: UnitCost::of(network, bisection.channels),
            layout_density: layout_density(network),
            area: ThompsonArea::of(network),
            row_density: match network.grid() {
                Some(grid) => Some(row_density(grid)),
                None => Layout::of(network).map(|layout| layout.row_density(network)),
            },
            wires: WireLengths::of(network),
            subject: subject.clone(),
            distances,
            bisection,
            faults: None,
            throughput: None,
        }
    }
}

impl Faults {
    fn of(network: &Network, symmetry: &Symmetry, stages: &dyn Stages) -> Self {
        stages.stage("connectivity");
        let nodes = node_connectivity(network, symmetry);
        let channels = channel_connectivity(network, symmetry);
        stages.stage("fault diameter");
        let faults = nodes.failures.saturating_sub(1);
        let done = |done, of| stages.done(done, of);
        Self {
            nodes,
            channels,
            diameter: FaultDiameter::of(network, symmetry, faults, &done),
        }
    }
}
