//! Parhami & Kwai, "Comparing four classes of torus-based parallel architectures": figures 4, 5 and 7
//! to 16 by the model, figure 6's arithmetic, and the networks of the text.

mod graphs;

use super::super::table::{Cell, KIND, MODEL, Table};
use super::{ComputedError, Parameters, formula};
use flitsim_models::ModelError;
use flitsim_models::pruned_torus::contention::delay_cycles;
use flitsim_models::pruned_torus::figures::{Comparison, relative_latency};
use flitsim_models::pruned_torus::latency::{Latency, Model};
use flitsim_models::pruned_torus::parameters::Torus;

/// The table `name`.
///
/// # Errors
/// [`ComputedError`].
pub fn table(name: &str, parameters: &Parameters) -> Result<Table, ComputedError> {
    match name {
        "latencies" => latencies(parameters),
        "ends" => ends(parameters),
        "contenders" => contenders(parameters),
        "contention" => contention(parameters),
        "radices" => radices(parameters),
        "relative" => relative(parameters),
        "series" => series(parameters),
        "two-and-three-dimensions" => two_and_three_dimensions(parameters),
        _ => graphs::table(name, parameters),
    }
}

fn comparison(parameters: &Parameters) -> Result<Comparison, ComputedError> {
    let radix = parameters.number("radix")? as u32;
    let bits = parameters.number("message_bits")?;
    formula(Comparison::new(
        radix,
        bits,
        parameters.number("switch_cycles")?,
    ))
}

/// Figures 8 to 12: latency against load, at even steps up to the last saturation.
fn latencies(parameters: &Parameters) -> Result<Table, ComputedError> {
    let comparison = comparison(parameters)?;
    let columns = [
        KIND,
        "network",
        "load",
        "latency",
        "utilization",
        "cut_through",
        "contention",
        "simplified",
    ];
    let mut table = Table::new(&columns);
    let rows = formula(comparison.rows(parameters.number("steps")? as u32))?;
    for (index, torus) in Torus::ALL.into_iter().enumerate() {
        for row in &rows {
            let found = row.networks[index];
            let part = |of: fn(&Latency) -> f64| Cell::from(found.as_ref().map(of));
            let simplified = formula(comparison.0[index].latency_simplified(row.load))?;
            table.push([
                MODEL.into(),
                torus.name().into(),
                row.load.into(),
                part(|l| l.cycles),
                part(|l| l.utilization),
                part(|l| l.cut_through),
                part(|l| l.contention_cycles),
                simplified.into(),
            ]);
        }
    }
    Ok(table)
}

/// Of each network the latency without load, under both switchings, and saturation; and against the
/// full torus the shares of the torus's saturation between which this network is the faster.
fn ends(parameters: &Parameters) -> Result<Table, ComputedError> {
    let columns = [
        "L",
        "s",
        "network",
        "flits",
        "width",
        "store_and_forward",
        "latency0",
        "saturation",
        "ahead_from",
        "ahead_to",
    ];
    let mut table = Table::new(&columns);
    let radix = parameters.number("radix")? as u32;
    for bits in parameters.numbers("message_bits")? {
        for switch in parameters.numbers("switch_cycles")? {
            let comparison = formula(Comparison::new(radix, bits, switch))?;
            for (torus, model) in Torus::ALL.into_iter().zip(&comparison.0) {
                let ahead = formula(ahead(model, &comparison.0[0]))?;
                table.push([
                    bits.into(),
                    switch.into(),
                    torus.name().into(),
                    model.flits().into(),
                    (96.0 / f64::from(torus.degree(3))).into(),
                    model.store_and_forward_cycles().into(),
                    model.zero_load_cycles().into(),
                    model.saturation().into(),
                    ahead.map(|(from, _)| from).into(),
                    ahead.map(|(_, to)| to).into(),
                ]);
            }
        }
    }
    Ok(table)
}

/// The first and the last of 1000 even steps up to the saturation of `other` at which `model` is
/// faster.
fn ahead(model: &Model, other: &Model) -> Result<Option<(f64, f64)>, ModelError> {
    let mut span: Option<(f64, f64)> = None;
    for step in 0..1000 {
        let share = f64::from(step) / 1000.0;
        let load = share * other.saturation();
        if let (Some(own), Some(others)) = (model.latency(load)?, other.latency(load)?)
            && own.cycles < others.cycles
        {
            span = Some((span.map_or(share, |(from, _)| from), share));
        }
    }
    Ok(span)
}

/// The class of the parameter `network`.
fn torus(parameters: &Parameters, name: &str) -> Result<Torus, ComputedError> {
    let word = parameters.word(name)?;
    let found = Torus::ALL.into_iter().find(|torus| torus.name() == word);
    let kinds = "torus, pruned, directed or pruned-directed";
    found.ok_or_else(|| ComputedError::Parameter(name.to_owned(), kinds))
}

/// Figure 7: how likely i packets contend for a channel.
fn contenders(parameters: &Parameters) -> Result<Table, ComputedError> {
    let bits = parameters.number("message_bits")?;
    let radix = parameters.number("radix")? as u32;
    let model = formula(Model::of_torus(
        torus(parameters, "network")?,
        radix,
        bits,
        3.0,
    ))?;
    let mut table = Table::new(&["utilization", "i", "r"]);
    for utilization in parameters.numbers("utilizations")? {
        let load = utilization * model.saturation();
        if let Some(chain) = formula(model.contention(load))? {
            for i in 0..=parameters.number("most")? as usize {
                let share = chain.contenders(i);
                table.push([utilization.into(), (i as f64).into(), share.into()]);
            }
        }
    }
    Ok(table)
}

/// Section 5: T_c by the chain and in closed form, and β by Little's law.
fn contention(parameters: &Parameters) -> Result<Table, ComputedError> {
    let comparison = comparison(parameters)?;
    let columns = [
        "network",
        "utilization",
        "chain",
        "closed",
        "apart",
        "little",
    ];
    let mut table = Table::new(&columns);
    for (torus, model) in Torus::ALL.into_iter().zip(&comparison.0) {
        let flit_hops = model.flits() * model.mean_distance();
        let inputs = torus.degree(3) - u32::from(!torus.is_one_way());
        for utilization in parameters.numbers("utilizations")? {
            let load = utilization * model.saturation();
            let Some(chain) = formula(model.contention(load))? else {
                continue;
            };
            let counted = chain.delay_cycles(flit_hops);
            let closed = formula(delay_cycles(utilization, inputs, flit_hops))?;
            let queue_flits = chain.waiting_packets() * model.flits();
            let by_little = closed * utilization / model.mean_distance();
            table.push([
                torus.name().into(),
                utilization.into(),
                counted.into(),
                closed.into(),
                (counted / closed - 1.0).abs().into(),
                (queue_flits / by_little - 1.0).abs().into(),
            ]);
        }
    }
    Ok(table)
}

/// Figure 13: latency against the radix.
fn radices(parameters: &Parameters) -> Result<Table, ComputedError> {
    let switch = parameters.number("switch_cycles")?;
    let mut table = Table::new(&[KIND, "L", "network", "k", "load", "latency"]);
    for bits in parameters.numbers("message_bits")? {
        for torus in [Torus::Full, Torus::Pruned, Torus::Manhattan] {
            for radix in parameters.numbers("radices")? {
                for load in parameters.numbers("loads")? {
                    let model = formula(Model::of_torus(torus, radix as u32, bits, switch))?;
                    let latency = formula(model.latency(load))?;
                    table.push([
                        MODEL.into(),
                        bits.into(),
                        torus.name().into(),
                        radix.into(),
                        load.into(),
                        latency.map(|l| l.cycles).into(),
                    ]);
                }
            }
        }
    }
    Ok(table)
}

/// Figures 14 to 16: the latency of one network over that of another.
fn relative(parameters: &Parameters) -> Result<Table, ComputedError> {
    let (first, second) = (torus(parameters, "first")?, torus(parameters, "second")?);
    let first_switch = parameters.number("first_switch_cycles")?;
    let second_switch = parameters.number("second_switch_cycles")?;
    let columns = ["L", "flits", "load", "k", "ratio"];
    let mut table = Table::new(&columns);
    for bits in parameters.numbers("message_bits")? {
        for load in parameters.numbers("loads")? {
            for radix in parameters.numbers("radices")? {
                let k = radix as u32;
                let one = formula(Model::of_torus(first, k, bits, first_switch))?;
                let other = formula(Model::of_torus(second, k, bits, second_switch))?;
                table.push([
                    bits.into(),
                    one.flits().into(),
                    load.into(),
                    radix.into(),
                    formula(relative_latency(&one, &other, load))?.into(),
                ]);
            }
        }
    }
    Ok(table)
}

/// Section 6: the model, its simplified form, and the first terms of that one's series, derived and
/// as printed, for the pruned torus. `derived_slope` and `printed_slope` are the change from zero
/// load over that of the simplified form.
fn series(parameters: &Parameters) -> Result<Table, ComputedError> {
    let model = comparison(parameters)?.0[1];
    let columns = [
        "utilization",
        "latency",
        "simplified",
        "derived",
        "printed",
        "derived_slope",
        "printed_slope",
    ];
    let mut table = Table::new(&columns);
    for utilization in parameters.numbers("utilizations")? {
        let load = utilization * model.saturation();
        let simplified = formula(model.latency_simplified(load))?;
        let derived = formula(model.latency_series(load))?;
        let printed = formula(model.latency_series_printed(load))?;
        let zero = model.zero_load_cycles();
        let slope = |of: f64| simplified.map(|simplified| (of - zero) / (simplified - zero));
        table.push([
            utilization.into(),
            formula(model.latency(load))?.map(|l| l.cycles).into(),
            simplified.into(),
            derived.into(),
            printed.into(),
            slope(derived).into(),
            slope(printed).into(),
        ]);
    }
    Ok(table)
}

/// The abstract: a 2-D torus, pruned and full 3-D tori of as many nodes and pins.
fn two_and_three_dimensions(parameters: &Parameters) -> Result<Table, ComputedError> {
    let radix = parameters.number("radix")? as u32;
    let bits = parameters.number("message_bits")?;
    let switch = parameters.number("switch_cycles")?;
    let comparison = comparison(parameters)?;
    // As many nodes in the plane: k³ = side². Δ of an even ring is a quarter of it.
    let side = f64::from(radix).powf(1.5).round();
    let flits = Torus::Pruned.flits(bits);
    let plane = formula(Model::new(4, false, side / 2.0, flits, switch))?;
    let columns = [
        KIND, "network", "degree", "distance", "load", "share", "latency",
    ];
    let mut table = Table::new(&columns);
    let end = comparison.0[0].saturation();
    let [full, pruned, ..] = comparison.0;
    for (name, degree, model) in [
        ("2-D torus", 4_u32, plane),
        ("3-D torus", 6, full),
        ("pruned 3-D torus", 4, pruned),
    ] {
        for step in 0..60 {
            let share = f64::from(step) / 60.0;
            table.push([
                MODEL.into(),
                name.into(),
                degree.into(),
                model.mean_distance().into(),
                (share * end).into(),
                share.into(),
                formula(model.latency(share * end))?
                    .map(|l| l.cycles)
                    .into(),
            ]);
        }
    }
    Ok(table)
}
