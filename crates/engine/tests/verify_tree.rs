//! Proofs of fat-trees by one processor: they say what full enumeration says.

use crate::common::any::verify;
use crate::verify_large::{AstrayTo, assert_symmetric, options};

use flitsim_analysis::verify::{Coverage, Extent};
use flitsim_engine::routing::{
    HopClass, MinimalAdaptive as ShortestPaths, NearestCommonAncestor, Symmetry,
};
use flitsim_engine::{Candidates, Head, Routing};
use flitsim_topology::fat_tree::{Switch, Way};
use flitsim_topology::{ChannelId, FatTree, MinimalTable, Network, NodeId};

/// The nearest common ancestor, but half of the packets go up a level, down over the switch next to
/// their own, and from there as ever: packets go up behind a way down.
struct Detour<'n>(NearestCommonAncestor<'n>, &'n FatTree, &'n Network);

impl Routing for Detour<'_> {
    const DETERMINISTIC: bool = false;

    fn choices(&self, _: NodeId, _: NodeId) -> u32 {
        self.1.levels().min(2)
    }

    fn initial(&self, _: NodeId, _: NodeId, choice: u32) -> u64 {
        u64::from(choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let way = match (head.state, self.1.switch(head.node), head.arrived) {
            (1, Some(Switch { level: 1, .. }), Some((channel, _))) => {
                let from = self.1.switch(self.2.source(channel)).unwrap();
                Way::Down((from.x & 1 | (from.y & 1) << 1) ^ 1)
            }
            (1, ..) => Way::Up(0),
            _ => return self.0.route(head, candidates),
        };
        candidates.add(self.1.channel(head.node, way).unwrap(), 1);
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        let turns = self
            .1
            .switch(head.node)
            .is_some_and(|switch| switch.level == 1);
        head.state & u64::from(!turns)
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}

#[test]
fn one_processor_of_a_fat_tree_proves_as_much_as_all() {
    for levels in 1..=3u32 {
        let network = FatTree::butterfly(4u32.pow(levels)).unwrap().into_network();
        let tree = network.fat_tree().unwrap();
        let paths = MinimalTable::new(&network).unwrap();
        for vcs in [1, 3] {
            let common = NearestCommonAncestor::new(tree, vcs).unwrap();
            assert!(assert_symmetric(&network, &common, vcs, 1).is_free());
            let minimal = ShortestPaths::new(&paths, vcs).unwrap();
            assert!(assert_symmetric(&network, &minimal, vcs, 1).is_free());
        }
        let vcs = HopClass::virtual_channels_min(&&paths);
        let hops = HopClass::new(&paths, vcs).unwrap();
        assert!(assert_symmetric(&network, &hops, vcs, 1).is_free());
        for node in [0, network.terminals() / 2, network.terminals() - 1] {
            let hops = HopClass::new(&paths, vcs).unwrap();
            let astray = AstrayTo(hops, NodeId(node), Symmetry::Translations);
            let proof = verify(&network, &astray, &options(vcs, Extent::Symmetric));
            assert_eq!(proof.coverage, Coverage::Full);
        }
        // What is refused is shown on the network itself.
        let detour = Detour(NearestCommonAncestor::new(tree, 1).unwrap(), tree, &network);
        let [full, symmetric] = [Extent::Full, Extent::Symmetric]
            .map(|extent| verify(&network, &detour, &options(1, extent)));
        assert_eq!(full.is_free(), levels == 1);
        assert_eq!(symmetric.coverage == Coverage::Full, levels > 1);
        assert_eq!(symmetric.cycle(), full.cycle());
    }
}
