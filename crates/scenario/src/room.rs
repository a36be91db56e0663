//! Whether the machine has the memory that simulations take.

use flitsim_engine::EngineConfig;
use flitsim_topology::Network;

/// Bytes that a terminal takes beside its router: what is counted of it, and when it sends next.
const TERMINAL_BYTES: u128 = 32;

/// Bytes up to which a simulation is taken on where the system does not tell what there is.
const UNKNOWN_BYTES: u64 = 16 << 30;

/// Bytes below which it does not matter what there is.
const SMALL_BYTES: u128 = 64 << 20;

/// Bytes that one simulation of `network` takes beside the network itself.
pub fn bytes_estimate(network: &Network, config: &EngineConfig) -> u128 {
    config.memory_estimate(network) + u128::from(network.terminals()) * TERMINAL_BYTES
}

/// How many simulations of `bytes` bytes each fit `available` bytes at once; any number of small ones.
pub fn at_once_most(bytes: u128, available: Option<u64>) -> usize {
    if bytes <= SMALL_BYTES {
        return usize::MAX;
    }
    let most = u128::from(available.unwrap_or(UNKNOWN_BYTES)) / bytes;
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Whether the routers of `network` fit `available` bytes; told before any of them is touched.
pub(super) fn check(
    network: &Network,
    config: &EngineConfig,
    available: Option<u64>,
) -> Result<(), String> {
    let bytes = bytes_estimate(network, config);
    if at_once_most(bytes, available) > 0 {
        return Ok(());
    }
    let (nodes, each) = (network.nodes(), bytes / u128::from(network.nodes().max(1)));
    let against = match available {
        Some(available) => format!("{available} are available"),
        None => format!("the limit is {UNKNOWN_BYTES} where the system does not say what it has"),
    };
    Err(format!(
        "simulating {nodes} routers would take about {bytes} bytes ({each} each); {against}"
    ))
}
