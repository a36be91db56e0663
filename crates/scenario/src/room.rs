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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_the_memory_is_told_before_it_is_built() {
        let network = flitsim_topology::Grid::uniform(64, 2, flitsim_topology::Ends::Ring);
        let network = network.unwrap().into_network();
        let config = EngineConfig {
            virtual_channels: 64,
            injection_vcs: 64,
            buffer_flits: 1_024,
            ..EngineConfig::default()
        };
        assert_eq!(check(&network, &config, Some(u64::MAX)), Ok(()));
        // 16,384 channels of 64 virtual channels of 1,024 flits are 4 GiB.
        let refused = check(&network, &config, Some(3 << 30)).unwrap_err();
        assert!(refused.contains("4096 routers"), "{refused}");
        assert!(refused.contains("3221225472 are available"), "{refused}");
        assert_eq!(check(&network, &config, None), Ok(()));
        let config = EngineConfig {
            buffer_flits: 8_192,
            ..config
        };
        let refused = check(&network, &config, None).unwrap_err();
        assert!(refused.contains("the limit is 17179869184"), "{refused}");
        let bytes = bytes_estimate(&network, &config);
        assert_eq!(
            at_once_most(bytes, Some(u64::MAX)) as u128,
            u128::from(u64::MAX) / bytes
        );
        assert_eq!(at_once_most(bytes, Some((2 * bytes) as u64)), 2);
        // Small ones are nobody's business.
        let small = EngineConfig::default();
        assert_eq!(check(&network, &small, Some(0)), Ok(()));
    }
}
