//! Orbits, and what is said of symmetry, on every family.

use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::properties::{Automorphisms, Symmetry, distances_from, distances_to};
use flitsim_topology::{
    Arrangement, ChannelId, Dragonfly, Ends, FatTree, Grid, Network, NodeId, Thinning,
};
use networks::{express, grid, small, sparse, star};

use crate::networks;

/// What is said of nodes and of channels.
fn symmetric(network: &Network) -> (Option<bool>, Option<bool>) {
    let symmetry = Symmetry::of(network);
    (
        symmetry.is_node_symmetric(),
        symmetry.is_channel_symmetric(),
    )
}

#[test]
fn orbits_hold_every_terminal_and_channel_once() {
    for (name, network) in small() {
        let symmetry = Symmetry::of(&network);
        let terminals = symmetry.terminal_orbits().iter().map(|orbit| orbit.size);
        assert_eq!(terminals.sum::<u32>(), network.terminals(), "{name}");
        let channels = symmetry.channel_orbits().iter().map(|orbit| orbit.size);
        assert_eq!(channels.sum::<u32>(), network.channels(), "{name}");
    }
}

/// The distances there and back that a terminal sees, sorted.
fn profile(network: &Network, node: NodeId) -> Vec<(u32, u32)> {
    let (there, back) = (distances_from(network, node), distances_to(network, node));
    let mut profile: Vec<_> = there.into_iter().zip(back).collect();
    profile.truncate(network.terminals() as usize);
    profile.sort_unstable();
    profile
}

#[test]
fn terminals_of_an_orbit_see_the_same_distances() {
    for (name, network) in small() {
        let symmetry = Symmetry::of(&network);
        let mut profiles = std::collections::BTreeMap::<_, u32>::new();
        for node in (0..network.terminals()).map(NodeId) {
            *profiles.entry(profile(&network, node)).or_default() += 1;
        }
        // As many see a profile as the orbits of those that see it say.
        for orbit in symmetry.terminal_orbits() {
            let seen = profiles.get_mut(&profile(&network, orbit.representative));
            *seen.unwrap() -= orbit.size;
        }
        assert!(profiles.values().all(|&left| left == 0), "{name}");
        match symmetry.is_node_symmetric() {
            Some(true) => assert_eq!(profiles.len(), 1, "{name}"),
            Some(false) => assert!(symmetry.terminal_orbits().len() > 1, "{name}"),
            None => {}
        }
    }
}

#[test]
fn tori_hypercubes_and_star_graphs_are_symmetric_in_nodes_and_channels() {
    let both = (Some(true), Some(true));
    for radix in [2, 3, 4, 5, 8] {
        for dimensions in 1..=3 {
            let radices = vec![radix; dimensions];
            for ends in [Ends::Ring, Ends::DirectedRing] {
                let torus = grid(&radices, ends);
                assert_eq!(symmetric(&torus), both, "{radices:?} {ends:?}");
            }
        }
    }
    assert_eq!(symmetric(&grid(&[2; 10], Ends::Open)), both);
    for symbols in 2..=7 {
        assert_eq!(symmetric(&star(symbols)), both, "{symbols}");
    }
}

#[test]
fn rings_of_different_radices_have_channels_of_different_kinds() {
    for ends in [Ends::Ring, Ends::DirectedRing] {
        assert_eq!(
            symmetric(&grid(&[4, 6], ends)),
            (Some(true), Some(false)),
            "{ends:?}"
        );
    }
}

#[test]
fn meshes_are_not_symmetric() {
    assert_eq!(
        symmetric(&grid(&[4, 4], Ends::Open)),
        (Some(false), Some(false))
    );
    let symmetry = Symmetry::of(&grid(&[6, 6], Ends::Open));
    // The triangle of a quadrant, its diagonal included.
    assert_eq!(symmetry.terminal_orbits().len(), 6);
}

/// Parhami & Kwai, section 3.E, claim that all four classes are node- and edge-transitive. The nodes
/// are all alike; the channels of neither pruned network are: more shortest paths lead over some.
#[test]
fn pruned_tori_are_node_but_not_channel_symmetric() {
    for radix in [4, 6, 8, 12] {
        let channels = |thinning| symmetric(&sparse(radix, 3, thinning));
        assert_eq!(channels(Thinning::Manhattan), (Some(true), Some(true)));
        assert_eq!(channels(Thinning::Pruned), (Some(true), Some(false)));
        assert_eq!(
            channels(Thinning::PrunedManhattan),
            (Some(true), Some(false))
        );
    }
    // In two dimensions nothing is pruned.
    let torus = symmetric(&sparse(6, 2, Thinning::Pruned));
    assert_eq!(torus, (Some(true), Some(true)));
}

#[test]
fn the_processors_of_a_fat_tree_are_alike_and_those_of_a_fat_pyramid_are_not() {
    for processors in [4, 16, 64, 1024] {
        let tree = FatTree::butterfly(processors).unwrap().into_network();
        let symmetry = Symmetry::of(&tree);
        assert_eq!(symmetry.is_node_symmetric(), Some(true));
        // Up and down on every level.
        let levels = processors.ilog2() as usize / 2;
        assert_eq!(symmetry.channel_orbits().len(), 2 * levels);
        assert_eq!(symmetry.node_orbits() as usize, 1 + levels);
    }
    let pyramid = FatTree::pyramid(64).unwrap().into_network();
    assert_eq!(symmetric(&pyramid), (Some(false), Some(false)));
}

#[test]
fn a_reflection_of_an_express_cube_counts_only_where_its_ends_are_alike() {
    let reflections = |network: &Network| {
        let symmetry = Symmetry::of(network);
        let generators = symmetry.generators().iter();
        generators
            .filter(|what| what.contains("reflection"))
            .count()
    };
    // Interchanges at 4, 8 and 12 of 16 nodes; at 4, 8, 12 and 16 of 18, but not at 2, 6, ..
    assert_eq!(reflections(&express(&[16], 4, 2)), 1);
    assert_eq!(reflections(&express(&[18], 4, 2)), 0);
    // Of 10 nodes, 4 and 8 are of the second level; their mirror images 6 and 2 are not.
    assert_eq!(reflections(&express(&[8, 10], 2, 2)), 1);
}

#[test]
fn a_guess_that_is_no_automorphism_is_dropped() {
    let names = |thinning| {
        let symmetry = Symmetry::of(&sparse(8, 3, thinning));
        symmetry.generators().join(", ")
    };
    // An exchange of dimensions 0 and 1 is suggested for all of them.
    assert!(names(Thinning::Manhattan).contains("exchange of dimensions 0 and 1"));
    assert!(!names(Thinning::Pruned).contains("exchange"));
    assert!(!names(Thinning::PrunedManhattan).contains("exchange"));
}

#[test]
fn only_automorphisms_pass() {
    let mut passed = 0;
    for (name, network) in small() {
        let channels = |image: &dyn Fn(NodeId) -> NodeId| {
            let all = (0..network.channels()).map(ChannelId);
            let ends = all.map(|c| (image(network.source(c)), image(network.target(c))));
            let mut ends: Vec<_> = ends.collect();
            ends.sort_unstable();
            ends
        };
        let Some(automorphisms) = Automorphisms::of(&network, false) else {
            continue;
        };
        for images in automorphisms.images() {
            // Terminals to terminals, each node to one of its own.
            let mut sorted = images.clone();
            let (terminals, switches) = sorted.split_at_mut(network.terminals() as usize);
            terminals.sort_unstable();
            switches.sort_unstable();
            assert!((0..network.nodes()).map(NodeId).eq(sorted), "{name}");
            let image = |node: NodeId| images[node.index()];
            assert_eq!(channels(&image), channels(&|node| node), "{name}");
            passed += 1;
        }
    }
    assert!(passed > 200, "{passed}");
}

#[test]
fn one_way_rings_cannot_be_reflected_and_not_all_dragonflies_rotated() {
    let names = |network: &Network| Symmetry::of(network).generators().join(", ");
    let (shift, reflection) = ("shift of dimension 0", "reflection of dimension 0");
    let both = format!("{shift}, {reflection}");
    assert_eq!(names(&grid(&[6], Ends::Ring)), both);
    assert_eq!(names(&grid(&[6], Ends::Open)), reflection);
    assert_eq!(names(&grid(&[6], Ends::DirectedRing)), shift);
    // The rotation is suggested for all of them.
    let rotates = |arrangement| {
        let dragonfly = Dragonfly::new(4, 2, 9, arrangement).unwrap();
        names(&dragonfly.into_network()).contains("rotation of the groups")
    };
    assert!(rotates(Arrangement::Relative) && rotates(Arrangement::Circulant));
    assert!(!rotates(Arrangement::Absolute));
}

#[test]
fn of_a_network_from_a_file_only_differences_are_known() {
    let file = |text| {
        let source = Source {
            file: "net.csv",
            text,
        };
        symmetric(&parse_csv(source, None).unwrap())
    };
    assert_eq!(file("from,to\n0,1\n1,2\n2,0\n"), (None, None));
    let path = "from,to\n0,1\n1,0\n1,2\n2,1\n";
    assert_eq!(file(path), (Some(false), Some(false)));
}

#[test]
fn large_networks_take_little_time() {
    let torus = Symmetry::of(&grid(&[256, 256], Ends::Ring));
    assert_eq!(torus.is_channel_symmetric(), Some(true));
    let star = Symmetry::of(&star(9));
    assert_eq!(star.is_channel_symmetric(), Some(true));
    assert_eq!(star.node_orbits(), 1);
    let mesh = Symmetry::of(&grid(&[256, 256], Ends::Open));
    assert_eq!(mesh.terminal_orbits().len(), 128 * 129 / 2);
}

#[test]
fn what_is_no_automorphism_is_refused() {
    let is_one = |network: &Network, image: &dyn Fn(u32) -> u32| {
        let images: Vec<NodeId> = (0..network.nodes()).map(|a| NodeId(image(a))).collect();
        Automorphisms::is_one(network, &images)
    };
    let ring = Grid::uniform(6, 1, Ends::Ring).unwrap().into_network();
    assert!(is_one(&ring, &|a| (a + 2) % 6));
    assert!(is_one(&ring, &|a| 5 - a));
    // A permutation, but 1 and 2 are neighbours no more.
    assert!(!is_one(&ring, &|a| [1, 0, 2, 3, 4, 5][a as usize]));
    // Not a permutation, or not of these nodes.
    assert!(!is_one(&ring, &|a| a / 2));
    assert!(!is_one(&ring, &|a| a + 1));
    assert!(!Automorphisms::is_one(&ring, &[NodeId(0)]));
    // One-way rings cannot be reflected.
    let one_way = Grid::uniform(6, 1, Ends::DirectedRing).unwrap();
    assert!(!is_one(&one_way.into_network(), &|a| 5 - a));
    // Processor 0 and the switch, 4, exchange places.
    let tree = FatTree::butterfly(4).unwrap().into_network();
    assert!(is_one(&tree, &|a| a));
    assert!(!is_one(&tree, &|a| 4 - a));
}
