//! What every family with shortest paths in closed form must agree with: breadth-first search.

use flitsim_topology::{ChannelId, MinimalPaths, Network, NodeId, properties};

/// Checks `paths` against `network`, for every pair of nodes.
pub fn check_minimal_paths(network: &Network, paths: &impl MinimalPaths) {
    let mut farthest = 0;
    for to in (0..network.nodes()).map(NodeId) {
        let distances = properties::distances_to(network, to);
        for from in (0..network.nodes()).map(NodeId) {
            let distance = distances[from.index()];
            assert_eq!(paths.distance(from, to), distance, "{from} to {to}");
            farthest = farthest.max(distance);
            let mut visited = Vec::new();
            paths.for_each_minimal_channel(from, to, |channel| visited.push(channel));
            let closer = |&c: &ChannelId| {
                distances[network.target(c).index()] + 1 == distances[from.index()]
            };
            let expected: Vec<_> = network
                .outgoing(from)
                .map(ChannelId)
                .filter(closer)
                .collect();
            assert_eq!(visited, expected, "{from} to {to}");
        }
    }
    assert_eq!(paths.diameter(), farthest);
    assert_eq!(
        paths.is_bipartite(),
        properties::two_colouring(network).is_some()
    );
    if paths.is_bipartite() {
        for channel in (0..network.channels()).map(ChannelId) {
            let ends = [network.source(channel), network.target(channel)];
            assert_ne!(paths.colour(ends[0]), paths.colour(ends[1]), "{channel}");
        }
    }
}
