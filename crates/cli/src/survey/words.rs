//! How figures were found, in words.

use super::ThroughputMethod;
use flitsim_topology::properties::{
    BisectionMethod, Connectivity, ConnectivityMethod, FaultDiameter, FaultMethod,
};

/// `formula`, `exact` or `bound`.
pub const fn bisection_method(method: BisectionMethod) -> &'static str {
    match method {
        BisectionMethod::Formula => "formula",
        BisectionMethod::Exact => "exact",
        BisectionMethod::Bound => "bound",
    }
}

/// `flows`, `theorem` or `bound`.
pub const fn connectivity_method(method: ConnectivityMethod) -> &'static str {
    match method {
        ConnectivityMethod::Flows => "flows",
        ConnectivityMethod::Theorem(_) => "theorem",
        ConnectivityMethod::Bound => "bound",
    }
}

/// How many failures part a network, and how that is known.
pub fn failures(found: &Connectivity) -> String {
    let failures = found.failures;
    match found.method {
        ConnectivityMethod::Flows => format!("{failures} (by flows: exact)"),
        ConnectivityMethod::Theorem(theorem) => format!("{failures} ({theorem})"),
        ConnectivityMethod::Bound => format!("at most {failures} (the least degree)"),
    }
}

/// The largest diameter that faults leave, and which faults were tried.
pub fn fault_diameter(found: &FaultDiameter) -> String {
    let hops = match found.diameter {
        Some(hops) => hops.to_string(),
        None => "none: parted".to_owned(),
    };
    let faults = match found.faults {
        1 => "1 node failing".to_owned(),
        faults => format!("{faults} nodes failing"),
    };
    match found.method {
        FaultMethod::Exhaustive => format!("{hops} ({faults}, all sets)"),
        FaultMethod::Sampled { sets } => format!("at least {hops} ({faults}, {sets} sets tried)"),
    }
}

/// How the ideal throughput was found.
pub const fn throughput_method(method: ThroughputMethod) -> &'static str {
    match method {
        ThroughputMethod::Formula => "closed form of the busiest channel's load",
        ThroughputMethod::ExactLoads => "exact loads of all channels under this routing",
        ThroughputMethod::EvenSplit => "adaptive packets split evenly over their ways",
        ThroughputMethod::EvenLoads => "upper bound: all channels loaded alike",
        ThroughputMethod::TerminalChannels => "upper bound: what a terminal's channels take",
    }
}
