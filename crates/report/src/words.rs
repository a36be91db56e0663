//! What was simulated, in words for people.

use flitsim_engine::{Allocator, ChannelDelay, Crossbar, FlowControl};
use flitsim_measure::workload::Workload;
use flitsim_scenario::{SeriesPlan, faults};
use flitsim_traffic::PacketLength;

/// `many` things: `1 point`, `2 points`, `3 series`.
pub fn count(many: u64, thing: &str) -> String {
    let plural = if many == 1 || thing.ends_with('s') {
        ""
    } else {
        "s"
    };
    format!("{many} {thing}{plural}")
}

/// The network of a series.
pub fn network(series: &SeriesPlan) -> String {
    let network = &series.network;
    let mut words = format!(
        "{}, {}, {}",
        series.topology,
        count(u64::from(network.living_terminals_count()), "node"),
        count(u64::from(network.channels()), "channel"),
    );
    if let Some(failed) = faults::described(network) {
        words.push_str(&format!(", without {failed}"));
    }
    match &series.engine.channel_delay {
        ChannelDelay::Uniform(0) => {}
        ChannelDelay::Uniform(delay) => {
            let cycles = count(u64::from(*delay), "cycle");
            words.push_str(&format!(", {cycles} on each wire"));
        }
        ChannelDelay::PerChannel(_) => words.push_str(&different_delays(series)),
    }
    if series.engine.channel_period > 1 {
        let period = series.engine.channel_period;
        words.push_str(&format!(", a flit every {period} cycles on a channel"));
    }
    words
}

/// Delays that differ: those of kinds of channels, as the scenario says them.
fn different_delays(series: &SeriesPlan) -> String {
    let said = &series.definition["channel"];
    let kinds = [
        ("global_delay", "between groups"),
        ("terminal_delay", "at terminals"),
    ];
    let of_kinds: Vec<String> = kinds
        .iter()
        .filter_map(|(key, which)| Some(format!("{} {which}", said[*key].as_u64()?)))
        .collect();
    match (said["delay"].as_u64(), of_kinds.is_empty()) {
        (Some(delay), false) => {
            let cycles = count(delay, "cycle");
            format!(", {cycles} on each wire, {}", of_kinds.join(", "))
        }
        (None, false) => format!(", wires of different delays, {}", of_kinds.join(", ")),
        (_, true) => ", wires of different delays".to_owned(),
    }
}

/// The routing algorithm of a series with its options.
pub fn routing(series: &SeriesPlan) -> String {
    let mut words = series.routing.name().to_owned();
    if let Some(options) = series.definition["routing"].as_object() {
        for (name, value) in options.iter().filter(|(name, _)| *name != "algorithm") {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            words.push_str(&format!(", {name} = {value}"));
        }
    }
    words
}

/// The router of a series.
pub fn router(series: &SeriesPlan) -> String {
    let engine = &series.engine;
    let switching = match engine.flow_control {
        FlowControl::Wormhole => "wormhole",
        FlowControl::VirtualCutThrough => "virtual cut-through",
        FlowControl::StoreAndForward => "store-and-forward",
    };
    let allocation = match engine.allocator {
        Allocator::RoundRobin => "round-robin allocation".to_owned(),
        Allocator::Islip { iterations } => {
            format!("iSLIP with {}", count(u64::from(iterations), "iteration"))
        }
        Allocator::Random => "random allocation".to_owned(),
        Allocator::OldestFirst => "oldest-first allocation".to_owned(),
    };
    let mut words = format!(
        "{switching}, {} of {}, head delay {}, {allocation}",
        count(u64::from(engine.virtual_channels), "virtual channel"),
        count(u64::from(engine.buffer_flits), "flit"),
        count(u64::from(engine.delay), "cycle"),
    );
    if engine.shares_buffers() {
        let own = count(u64::from(engine.buffer_reserve()), "flit");
        words.push_str(&format!(", buffers shared but for {own} of each"));
    }
    if engine.crossbar == Crossbar::Vc {
        words.push_str(", an own way into the switch for each virtual channel");
    }
    words
}

/// The traffic of a series.
pub fn traffic(series: &SeriesPlan) -> String {
    let traffic = &series.traffic;
    let pattern = traffic.pattern.name();
    let flits = length(&traffic.length);
    match &series.workload {
        None => format!(
            "{pattern} destinations, {} arrivals, packets of {flits}",
            traffic.process.name(),
        ),
        Some(Workload::Trace(trace)) => format!(
            "a trace of {}, {} in all, {}",
            count(trace.packets(), "packet"),
            count(trace.flits(), "flit"),
            match trace.dependencies() {
                1 => "1 dependency".to_owned(),
                many => format!("{many} dependencies"),
            }
        ),
        Some(Workload::Batch) => format!("a batch: {pattern} destinations, packets of {flits}"),
        Some(Workload::ClosedLoop {
            service_cycles,
            reply,
            requests,
        }) => format!(
            "a closed loop: {pattern} destinations, requests of {flits}{}, {} of service, replies \
             of {}",
            requests.map_or_else(String::new, |each| format!(", {each} a node")),
            count(*service_cycles, "cycle"),
            length(reply),
        ),
    }
}

/// The length of packets.
fn length(length: &PacketLength) -> String {
    let flits = flitsim_sweep::results::number::brief(length.mean_flits(), 6);
    let mean = match length {
        PacketLength::Fixed(_) => "",
        _ => " in the mean",
    };
    let plural = if flits == "1" { "" } else { "s" };
    format!("{flits} flit{plural}{mean}")
}

/// `word` so that a POSIX shell takes it as one word, quoted only where it must be.
pub fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+=@%".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// What a column of results is, with its unit, loads in `load_unit`; other columns are called by their names.
pub fn column(column: &str, load_unit: Option<&str>) -> String {
    let label = match column {
        "load" => {
            let is_amount = load_unit.is_some_and(|unit| Workload::UNITS.contains(&unit));
            let what = if is_amount { "amount" } else { "offered load" };
            return format!("{what} ({})", load_unit.unwrap_or("each in its unit"));
        }
        "offered_flits" => "offered load (flits/node/cycle)",
        "accepted_flits" => "accepted load (flits/node/cycle)",
        "accepted_min" => "accepted load of the slowest node (flits/cycle)",
        "latency_mean" => "mean packet latency (cycles)",
        "latency_p50" => "median packet latency (cycles)",
        "latency_p95" => "95th percentile of packet latency (cycles)",
        "latency_p99" => "99th percentile of packet latency (cycles)",
        "latency_max" => "largest packet latency (cycles)",
        "network_latency_mean" => "mean network latency (cycles)",
        "hops_mean" => "mean hops",
        "packets_measured" => "packets measured",
        "warmup_cycles" => "warm-up (cycles)",
        "cycles" => "cycles simulated",
        "latency_sampled" => "mean packet latency as sampled (cycles)",
        "latency_difference" => "difference of mean latencies (cycles)",
        "rounds_measured" => "requests with their replies measured",
        "makespan_cycles" => "makespan (cycles)",
        "round_trip_mean" => "mean round trip (cycles)",
        "fairness" => "fairness (Jain's index)",
        "energy_per_packet_pj" => "energy of a packet (pJ)",
        "power_mw" => "power (mW)",
        "leakage_mw" => "power of leakage (mW)",
        other => other,
    };
    label.to_owned()
}

/// The column of the half-widths of the intervals of `column`, as results name it.
pub fn interval_of(column: &str) -> String {
    let stem = ["_mean", "_flits", "_cycles"].iter();
    let stem = stem.fold(column, |stem, end| stem.strip_suffix(end).unwrap_or(stem));
    format!("{stem}_ci95")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_sweep::testing::plan;

    #[test]
    fn series_are_told_in_words() {
        let plan = plan(&[("a", &[0.1])]);
        let series = &plan.series[0];
        assert_eq!(
            network(series),
            "mesh:radix=4,dimensions=2, 16 nodes, 48 channels"
        );
        assert_eq!(
            router(series),
            "wormhole, 4 virtual channels of 8 flits, head delay 1 cycle, round-robin allocation"
        );
        assert_eq!(
            traffic(series),
            "uniform destinations, bernoulli arrivals, packets of 16 flits"
        );
    }

    #[test]
    fn a_file_name_cannot_leave_its_quotes() {
        assert_eq!(shell_quoted("first-curve.toml"), "first-curve.toml");
        assert_eq!(shell_quoted("a b'; rm.toml"), r"'a b'\''; rm.toml'");
        assert_eq!(shell_quoted(""), "''");
    }
}
