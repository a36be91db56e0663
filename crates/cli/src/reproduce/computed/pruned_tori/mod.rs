//! Parhami & Kwai, "Comparing four classes of torus-based parallel architectures": figures 4, 5 and 7
//! to 16 by the model, figure 6's arithmetic, and the networks of the text.

mod cayley;
mod graphs;

pub use graphs::TABLES as COUNTED;

use super::super::table::{KIND, MODEL, Table, row};
use super::formula::{BadParameter, Computed, Failure, Formula, Parameters, one_of};
use flitsim_models::ModelError;
use flitsim_models::pruned_torus::contention::delay_cycles;
use flitsim_models::pruned_torus::figures::{Comparison, relative_latency};
use flitsim_models::pruned_torus::latency::{Latency, Model};
use flitsim_models::pruned_torus::parameters::Torus;

/// The tables of the model, by name.
pub const MODELLED: &[(&str, Formula)] = &[
    ("latencies", latencies),
    ("ends", ends),
    ("contenders", contenders),
    ("contention", contention),
    ("radices", radices),
    ("relative", relative),
    ("series", series),
    ("two-and-three-dimensions", two_and_three_dimensions),
    ("cayley", cayley::cayley),
    ("switches", switches),
];

fn comparison(parameters: &Parameters) -> Result<Comparison, Failure> {
    let radix = parameters.whole("radix")?;
    let bits = parameters.number("message_bits")?;
    let switch = parameters.number("switch_cycles")?;
    Ok(Comparison::new(radix, bits, switch)?)
}

/// Figures 8 to 12: latency against load, at even steps up to the last saturation.
fn latencies(parameters: &Parameters) -> Computed {
    let comparison = comparison(parameters)?;
    let mut table = Table::default();
    let rows = comparison.rows(parameters.whole("steps")?)?;
    for (index, torus) in Torus::ALL.into_iter().enumerate() {
        for row in &rows {
            let found = row.networks[index];
            let part = |of: fn(&Latency) -> f64| found.as_ref().map(of);
            row! { table;
                KIND => MODEL,
                "network" => torus.name(),
                "load" => row.load,
                "latency" => part(|l| l.cycles),
                "utilization" => part(|l| l.utilization),
                "cut_through" => part(|l| l.cut_through),
                "contention" => part(|l| l.contention_cycles),
                "simplified" => comparison.0[index].latency_simplified(row.load)?,
            }
        }
    }
    Ok(table)
}

/// Of each network the latency without load, under both switchings, and saturation; and against the
/// full torus the shares of the torus's saturation between which this network is the faster.
fn ends(parameters: &Parameters) -> Computed {
    let mut table = Table::default();
    let radix = parameters.whole("radix")?;
    for bits in parameters.numbers("message_bits")? {
        for switch in parameters.numbers("switch_cycles")? {
            let comparison = Comparison::new(radix, bits, switch)?;
            for (torus, model) in Torus::ALL.into_iter().zip(&comparison.0) {
                let ahead = ahead(model, &comparison.0[0])?;
                row! { table;
                    "L" => bits,
                    "s" => switch,
                    "network" => torus.name(),
                    "flits" => model.flits(),
                    "width" => 96.0 / f64::from(torus.degree(3)),
                    "store_and_forward" => model.store_and_forward_cycles(),
                    "latency0" => model.zero_load_cycles(),
                    "saturation" => model.saturation(),
                    "ahead_from" => ahead.map(|(from, _)| from),
                    "ahead_to" => ahead.map(|(_, to)| to),
                }
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

/// The class that the parameter `name` names.
fn torus(parameters: &Parameters, name: &str) -> Result<Torus, BadParameter> {
    let all = Torus::ALL.map(|torus| (torus.name(), torus));
    let words = "torus, pruned, directed or pruned-directed";
    one_of(parameters, name, &all, words)
}

/// Figure 7: how likely i packets contend for a channel.
fn contenders(parameters: &Parameters) -> Computed {
    let bits = parameters.number("message_bits")?;
    let radix = parameters.whole("radix")?;
    let model = Model::of_torus(torus(parameters, "network")?, radix, bits, 3.0)?;
    let mut table = Table::default();
    for utilization in parameters.numbers("utilizations")? {
        let load = utilization * model.saturation();
        if let Some(chain) = model.contention(load)? {
            for i in 0..=parameters.number("most")? as usize {
                let share = chain.contenders(i);
                row!(table; "utilization" => utilization, "i" => i, "r" => share);
            }
        }
    }
    Ok(table)
}

/// Section 5: T_c by the chain and in closed form, and β by Little's law.
fn contention(parameters: &Parameters) -> Computed {
    let comparison = comparison(parameters)?;
    let mut table = Table::default();
    for (torus, model) in Torus::ALL.into_iter().zip(&comparison.0) {
        let flit_hops = model.flits() * model.mean_distance();
        let inputs = torus.degree(3) - u32::from(!torus.is_one_way());
        for utilization in parameters.numbers("utilizations")? {
            let load = utilization * model.saturation();
            let Some(chain) = model.contention(load)? else {
                continue;
            };
            let counted = chain.delay_cycles(flit_hops);
            let closed = delay_cycles(utilization, inputs, flit_hops)?;
            let queue_flits = chain.waiting_packets() * model.flits();
            let by_little = closed * utilization / model.mean_distance();
            row! { table;
                "network" => torus.name(),
                "utilization" => utilization,
                "chain" => counted,
                "closed" => closed,
                "apart" => (counted / closed - 1.0).abs(),
                "little" => (queue_flits / by_little - 1.0).abs(),
            }
        }
    }
    Ok(table)
}

/// Figure 13: latency against the radix.
fn radices(parameters: &Parameters) -> Computed {
    let switch = parameters.number("switch_cycles")?;
    let mut table = Table::default();
    for bits in parameters.numbers("message_bits")? {
        for torus in [Torus::Full, Torus::Pruned, Torus::Manhattan] {
            for radix in parameters.numbers("radices")? {
                for load in parameters.numbers("loads")? {
                    let model = Model::of_torus(torus, radix as u32, bits, switch)?;
                    let latency = model.latency(load)?;
                    row! { table;
                        KIND => MODEL,
                        "L" => bits,
                        "network" => torus.name(),
                        "k" => radix,
                        "load" => load,
                        "latency" => latency.map(|l| l.cycles),
                    }
                }
            }
        }
    }
    Ok(table)
}

/// Figures 14 to 16: the latency of one network over that of another.
fn relative(parameters: &Parameters) -> Computed {
    let (first, second) = (torus(parameters, "first")?, torus(parameters, "second")?);
    let first_switch = parameters.number("first_switch_cycles")?;
    let second_switch = parameters.number("second_switch_cycles")?;
    let mut table = Table::default();
    for bits in parameters.numbers("message_bits")? {
        for load in parameters.numbers("loads")? {
            for radix in parameters.numbers("radices")? {
                let k = radix as u32;
                let one = Model::of_torus(first, k, bits, first_switch)?;
                let other = Model::of_torus(second, k, bits, second_switch)?;
                row! { table;
                    "L" => bits,
                    "flits" => one.flits(),
                    "load" => load,
                    "k" => radix,
                    "ratio" => relative_latency(&one, &other, load)?,
                }
            }
        }
    }
    Ok(table)
}

/// Section 5: without load, from which message length on a thinner network is faster than the full torus
/// for its wider links, against the delay s of a switch: F + s (Δ - 1) is linear in L for each.
fn switches(parameters: &Parameters) -> Computed {
    let radix = parameters.whole("radix")?;
    let mut table = Table::default();
    for torus in Torus::ALL.into_iter().skip(1) {
        for switch in parameters.numbers("switch_cycles")? {
            let zero = |torus: Torus, bits: f64| -> Result<f64, ModelError> {
                Ok(Model::of_torus(torus, radix, bits, switch)?.zero_load_cycles())
            };
            let behind =
                |bits: f64| Ok::<_, ModelError>(zero(torus, bits)? - zero(Torus::Full, bits)?);
            let (short, long) = (behind(96.0)?, behind(192.0)?);
            row! { table;
                "network" => torus.name(),
                "s" => switch,
                "L" => 96.0 + 96.0 * short / (short - long),
            }
        }
    }
    Ok(table)
}

/// Section 6: the model, its simplified form, and the first terms of that one's series, derived and
/// as printed, for the pruned torus. `derived_slope` and `printed_slope` are the change from zero
/// load over that of the simplified form.
fn series(parameters: &Parameters) -> Computed {
    let model = comparison(parameters)?.0[1];
    let mut table = Table::default();
    for utilization in parameters.numbers("utilizations")? {
        let load = utilization * model.saturation();
        let simplified = model.latency_simplified(load)?;
        let derived = model.latency_series(load)?;
        let printed = model.latency_series_printed(load)?;
        let zero = model.zero_load_cycles();
        let slope = |of: f64| simplified.map(|simplified| (of - zero) / (simplified - zero));
        let full = model.latency(load)?;
        // Simplified but for p_w, which is the chain's and not ρ.
        let waiting = simplified.zip(full.as_ref());
        let waiting = waiting.map(|(s, l)| s + zero * (l.cut_through + utilization - 1.0));
        row! { table;
            "utilization" => utilization,
            "latency" => full.map(|l| l.cycles),
            "simplified" => simplified,
            "simplified, own p_w" => waiting,
            "derived" => derived,
            "printed" => printed,
            "derived_slope" => slope(derived),
            "printed_slope" => slope(printed),
        }
    }
    Ok(table)
}

/// The abstract: a 2-D torus, pruned and full 3-D tori of as many nodes and pins.
fn two_and_three_dimensions(parameters: &Parameters) -> Computed {
    let radix = parameters.whole("radix")?;
    let bits = parameters.number("message_bits")?;
    let switch = parameters.number("switch_cycles")?;
    let comparison = comparison(parameters)?;
    // As many nodes in the plane: k³ = side². Δ of an even ring is a quarter of it.
    let side = f64::from(radix).powf(1.5).round();
    let flits = Torus::Pruned.flits(bits);
    let plane = Model::new(4, false, side / 2.0, flits, switch)?;
    let mut table = Table::default();
    let end = comparison.0[0].saturation();
    let [full, pruned, ..] = comparison.0;
    for (name, degree, model) in [
        ("2-D torus", 4_u32, plane),
        ("3-D torus", 6, full),
        ("pruned 3-D torus", 4, pruned),
    ] {
        for step in 0..60 {
            let share = f64::from(step) / 60.0;
            row! { table;
                KIND => MODEL,
                "network" => name,
                "degree" => degree,
                "distance" => model.mean_distance(),
                "load" => share * end,
                "share" => share,
                "latency" => model.latency(share * end)?
                                .map(|l| l.cycles),
            }
        }
    }
    Ok(table)
}
