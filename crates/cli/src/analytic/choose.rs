//! Which model fits a series, and why none does.

use super::{Fit, Model};
use flitsim_analysis::uniform::channel_load_max;
use flitsim_engine::routing::{AfterEscape, Algorithm};
use flitsim_engine::{ChannelDelay, Crossbar, FlowControl, Port, Selection};
use flitsim_models::ModelError;
use flitsim_models::express_cube::{Delays, hops, shares};
use flitsim_models::k_ary_n_cube::latency::store_and_forward;
use flitsim_models::pruned_torus::latency::Model as Torus;
use flitsim_models::star_hypercube::{Hypercube, Star, escape_classes};
use flitsim_scenario::{RoutingChoice, SeriesPlan};
use flitsim_topology::express::{Decomposition, Interchanges};
use flitsim_topology::properties::grid_distances;
use flitsim_topology::{Ends, ExpressCube, Grid, Shape, SparseTorus};
use flitsim_traffic::{PacketLength, Pattern, Process, Uniform};

/// Above so much difference between the mean distances with and without the source among the
/// destinations, a reader is told.
const SELF_TOLD: f64 = 0.01;

/// Why no model fits a series.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(String);

impl From<ModelError> for Misfit {
    fn from(error: ModelError) -> Self {
        Self(error.to_string())
    }
}

fn misfit(reason: impl Into<String>) -> Misfit {
    Misfit(reason.into())
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), Misfit> {
    if holds { Ok(()) } else { Err(Misfit(reason())) }
}

/// The router and its wires, as far as models know them, in the network's own cycles.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// t_r.
    router: f64,
    /// t_c.
    wire: f64,
    /// p.
    period: f64,
}

impl Fit {
    /// The model that fits `series`.
    ///
    /// # Errors
    /// [`Misfit`], the first reason why none does.
    pub fn of(series: &SeriesPlan) -> Result<Self, Misfit> {
        if series.network.damage().is_some() {
            return Err(misfit(
                "channels or nodes have failed, and models are for whole networks",
            ));
        }
        if let Some(workload) = &series.workload {
            let name = workload.name();
            return Err(misfit(format!(
                "the traffic is {name}, and models have an open loop"
            )));
        }
        let Pattern::Uniform(Uniform { include_self }) = series.traffic.pattern else {
            let name = series.traffic.pattern.name();
            return Err(misfit(format!(
                "the pattern is `{name}`, and models have uniform traffic"
            )));
        };
        let timing = timing(series)?;
        let mut fit = match series.network.shape() {
            Shape::Star(star) => of_star(series, star.symbols(), timing)?,
            Shape::SparseTorus(torus) => of_sparse_torus(series, torus, timing)?,
            Shape::ExpressCube(cube) => of_express_cube(series, cube, timing, include_self)?,
            Shape::Grid(grid) => of_grid(series, grid, timing, include_self)?,
            _ => return Err(misfit(format!("there is no model of {}", series.topology))),
        };
        fit.cycle_time = series.cycle_time;
        fit.remarks.extend(self_remark(&fit, series, include_self));
        Ok(fit)
    }

    fn new(model: Model, uncounted_cycles: f64) -> Self {
        Self {
            model,
            cycle_time: 1.0,
            uncounted_cycles,
            remarks: Vec::new(),
        }
    }
}

fn timing(series: &SeriesPlan) -> Result<Timing, Misfit> {
    let engine = &series.engine;
    let ChannelDelay::Uniform(wire) = engine.channel_delay else {
        return Err(misfit(
            "wires differ in their delay, and models have one for all",
        ));
    };
    ensure(engine.channel_periods.is_empty(), || {
        "channels differ in their width, and models have one for all".to_owned()
    })?;
    ensure(engine.pipeline.is_none(), || {
        "its routers are in stages, and models have one `delay` for all flits".to_owned()
    })?;
    // Flits faster than their head only wait behind it, where channels do not spread them.
    let keeps_up = match engine.channel_period {
        1 => engine.body_delay <= engine.delay,
        _ => engine.body_delay == engine.delay,
    };
    ensure(
        keeps_up || series.traffic.length.longest_flits() == 1,
        || {
            format!(
                "`body_delay` is {} and `delay` {}, and models have one `delay` for all flits",
                engine.body_delay, engine.delay
            )
        },
    )?;
    Ok(Timing {
        router: f64::from(engine.delay),
        wire: f64::from(wire),
        period: f64::from(engine.channel_period),
    })
}

fn of_star(series: &SeriesPlan, symbols: u32, timing: Timing) -> Result<Fit, Misfit> {
    if series.routing.algorithm != Algorithm::EnhancedNbc {
        return Err(wrong_routing(series, "star graphs", "enhanced-nbc"));
    }
    let classes = series.routing.options.escape_classes;
    let flits = of_adaptive_wormhole(series, timing)?;
    let classes = classes.map_or_else(|| escape_classes(symbols), Ok)?;
    let virtual_channels = series.engine.virtual_channels;
    let star = Star::with_classes(symbols, flits, virtual_channels, classes, 1.0)?;
    Ok(with_router_remarks(
        Fit::new(Model::Star(star, flits), 0.0),
        series,
    ))
}

fn of_hypercube(series: &SeriesPlan, dimensions: u32, timing: Timing) -> Result<Fit, Misfit> {
    let flits = of_adaptive_wormhole(series, timing)?;
    let cube = Hypercube::new(dimensions, flits, series.engine.virtual_channels, 1.0)?;
    Ok(with_router_remarks(
        Fit::new(Model::Hypercube(cube, flits), 0.0),
        series,
    ))
}

/// What both models of Kiasari & Sarbazi-Azad need; the flits of a message.
fn of_adaptive_wormhole(series: &SeriesPlan, timing: Timing) -> Result<f64, Misfit> {
    let flow_control = series.engine.flow_control;
    ensure(flow_control == FlowControl::Wormhole, || {
        "its model is for `flow_control = \"wormhole\"`".to_owned()
    })?;
    ensure(
        (timing.router, timing.wire, timing.period) == (1.0, 0.0, 1.0),
        || {
            "its model has one cycle a hop: `delay = 1`, no wire delay, `period = 1`; `cycle_time` \
         makes cycles longer"
                .to_owned()
        },
    )?;
    independent_arrivals(series)?;
    fixed_flits(series)
}

fn with_router_remarks(mut fit: Fit, series: &SeriesPlan) -> Fit {
    let engine = &series.engine;
    let is_open = engine.crossbar == Crossbar::Vc
        && engine.injection_vcs >= engine.virtual_channels
        && engine.ejection == Port::Unlimited;
    if !is_open {
        fit.remarks.push(
            "the model has no limit at terminals and within routers: `crossbar = \"vc\"`, \
             `ejection = \"unlimited\"`, and as many `injection_vcs` as `virtual_channels`; a \
             simulation without them saturates earlier"
                .to_owned(),
        );
    }
    if engine.selection != Selection::Random {
        fit.remarks.push(
            "the model's messages take any free virtual channel alike: `selection = \"random\"`; \
             one that avoids busy channels has lower latencies under load"
                .to_owned(),
        );
    }
    fit
}

fn of_grid(
    series: &SeriesPlan,
    grid: &Grid,
    timing: Timing,
    include_self: bool,
) -> Result<Fit, Misfit> {
    let radices = grid.radices();
    let is_hypercube = grid.ends() != Ends::DirectedRing && radices.iter().all(|&k| k == 2);
    let is_duato = matches!(
        (series.routing.algorithm, series.routing.escape),
        (Algorithm::Duato, None) | (Algorithm::MinimalAdaptive, Some(Algorithm::DimensionOrder))
    ) && series.routing.options.after_escape == AfterEscape::Return;
    let flow_control = series.engine.flow_control;
    if is_hypercube && is_duato && flow_control == FlowControl::Wormhole {
        return of_hypercube(series, radices.len() as u32, timing);
    }
    ensure(series.routing.is_minimal(), || not_minimal(series))?;
    let is_two_way_torus = grid.ends() == Ends::Ring && radices.iter().all(|&k| k > 2);
    if is_two_way_torus && flow_control == FlowControl::VirtualCutThrough {
        let degree = 2 * radices.len() as u32;
        let mean_distance = grid_distances(grid).mean_with_self;
        return of_torus(series, degree, false, mean_distance, timing);
    }
    let others = others_factor(series, include_self);
    let load = others * channel_load_max(grid, series.routing.options.tie);
    let mean_distance = others * grid_distances(grid).mean_with_self;
    let saturation_flits = 1.0 / (load * timing.period);
    let flits = series.traffic.length.mean_flits();
    if flow_control == FlowControl::StoreAndForward {
        ensure(
            (timing.router, timing.wire, timing.period) == (1.0, 0.0, 1.0),
            || {
                "the model of store-and-forward has `delay = 1`, no wire delay and `period = 1`"
                    .to_owned()
            },
        )?;
        let model = Model::ZeroLoad {
            name: "dally-store-and-forward",
            cycles: store_and_forward(mean_distance, flits),
            saturation_flits,
        };
        return Ok(Fit::new(model, timing.router));
    }
    let model = Model::ZeroLoad {
        name: "dally-wormhole",
        cycles: delays(timing).conventional(mean_distance, flits),
        saturation_flits,
    };
    Ok(Fit::new(model, timing.router - timing.period))
}

/// What distances and channel loads are multiplied by where packets to the source itself, which use no
/// channel, become packets to others: N/(N − 1).
fn others_factor(series: &SeriesPlan, include_self: bool) -> f64 {
    let nodes = f64::from(series.network.terminals());
    if include_self {
        1.0
    } else {
        nodes / (nodes - 1.0)
    }
}

/// A simulated packet passes one router more than channels, and its last flit comes F − 1 periods
/// after its first.
fn delays(timing: Timing) -> Delays {
    Delays {
        node: timing.router,
        wire: timing.wire,
        period: timing.period,
    }
}

fn of_sparse_torus(
    series: &SeriesPlan,
    torus: &SparseTorus,
    timing: Timing,
) -> Result<Fit, Misfit> {
    ensure(series.routing.is_minimal(), || not_minimal(series))?;
    let is_cut_through = series.engine.flow_control == FlowControl::VirtualCutThrough;
    ensure(is_cut_through, || {
        "the model of thinned-out tori is for `flow_control = \"virtual-cut-through\"`".to_owned()
    })?;
    let is_one_way = torus.thinning().is_one_way();
    let mean_distance = torus.distances().mean_with_self;
    of_torus(series, torus.degree(), is_one_way, mean_distance, timing)
}

fn of_torus(
    series: &SeriesPlan,
    degree: u32,
    is_one_way: bool,
    mean_distance: f64,
    timing: Timing,
) -> Result<Fit, Misfit> {
    ensure(timing.period == 1.0, || {
        "the model of tori under virtual cut-through has `period = 1`".to_owned()
    })?;
    independent_arrivals(series)?;
    let flits = fixed_flits(series)?;
    let switch = timing.router + timing.wire;
    let model = Torus::new(degree, is_one_way, mean_distance, flits, switch)?;
    // The source's and the destination's routers, less the cycle of the first flit.
    Ok(Fit::new(Model::Torus(model), timing.router + switch - 1.0))
}

fn of_express_cube(
    series: &SeriesPlan,
    cube: &ExpressCube,
    timing: Timing,
    include_self: bool,
) -> Result<Fit, Misfit> {
    let parameters = cube.parameters();
    let flow_control = series.engine.flow_control;
    ensure(flow_control != FlowControl::StoreAndForward, || {
        "the model of express cubes is not for store-and-forward".to_owned()
    })?;
    let is_plain = parameters.interleaved <= 1
        && parameters.decomposition == Decomposition::Module
        && parameters.interchanges == Interchanges::Separate
        && !parameters.rings
        && parameters.widths.is_none();
    ensure(
        is_plain && series.routing == RoutingChoice::from(Algorithm::Express),
        || {
            "the model of express cubes is for lines, not rings, and interchanges that are whole modules, \
         separate for each dimension and not interleaved, under `express`"
            .to_owned()
        },
    )?;
    let (interval, levels) = (u64::from(parameters.interval), parameters.levels);
    let mut channels = parameters.channels_per_level.clone();
    channels.resize(levels as usize + 1, 1);
    let (mut mean_hops, mut mean_distance, mut saturation) = (0.0, 0.0, f64::INFINITY);
    for &radix in &parameters.radices {
        mean_hops += hops::mean_of_line(radix, interval, levels)?;
        let k = f64::from(radix);
        mean_distance += (k * k - 1.0) / (3.0 * k);
        let capacity = shares::capacity_flits_per_node(radix.into(), interval, &channels)?;
        saturation = saturation.min(capacity);
    }
    let others = others_factor(series, include_self);
    // The simulator's wires have one delay, whatever their length: it counts by hops.
    let by_hop = Delays {
        node: timing.router + timing.wire,
        wire: 0.0,
        period: timing.period,
    };
    let flits = series.traffic.length.mean_flits();
    let model = Model::ZeroLoad {
        name: "dally-express-cube",
        cycles: by_hop.latency(others * mean_hops, others * mean_distance, flits),
        saturation_flits: saturation / (others * timing.period),
    };
    Ok(Fit::new(model, timing.router - timing.period))
}

fn not_minimal(series: &SeriesPlan) -> String {
    format!(
        "`{}` leaves shortest paths, and models have those",
        series.routing.name()
    )
}

fn wrong_routing(series: &SeriesPlan, networks: &str, algorithm: &str) -> Misfit {
    misfit(format!(
        "the model of {networks} is for `{algorithm}`, and the algorithm is `{}`",
        series.routing.name()
    ))
}

fn independent_arrivals(series: &SeriesPlan) -> Result<(), Misfit> {
    let process = &series.traffic.process;
    let holds = matches!(process, Process::Bernoulli(_) | Process::Poisson(_));
    ensure(holds, || {
        let name = process.name();
        format!(
            "the process is `{name}`, and the model has arrivals that do not depend on each other"
        )
    })
}

fn fixed_flits(series: &SeriesPlan) -> Result<f64, Misfit> {
    match series.traffic.length {
        PacketLength::Fixed(flits) => Ok(f64::from(flits)),
        _ => Err(misfit(
            "packets differ in length, and the model has one for all",
        )),
    }
}

/// What the choice of destinations does to the mean distance, where a reader would see it. Models
/// without contention take the scenario's.
fn self_remark(fit: &Fit, series: &SeriesPlan, include_self: bool) -> Option<String> {
    let counts_self = match fit.model {
        Model::Star(..) | Model::Hypercube(..) => false,
        Model::Torus(_) => true,
        Model::ZeroLoad { .. } => include_self,
    };
    let difference = 1.0 / f64::from(series.network.terminals());
    (counts_self != include_self && difference > SELF_TOLD).then(|| {
        let percent = 100.0 * difference;
        format!(
            "its model counts the source {} the destinations, and the scenario does not agree: \
             paths differ by {percent:.1} %; `[traffic] self = {counts_self}` makes them alike",
            if counts_self { "among" } else { "not among" }
        )
    })
}
