//! Shortest paths of tori, meshes and hypercubes.

use flitsim_topology::{Ends, Grid};

use crate::common;

#[test]
fn shortest_paths_of_grids_are_those_of_breadth_first_search() {
    let lists: [&[u32]; 9] = [
        &[2],
        &[3],
        &[8],
        &[2, 2, 2, 2],
        &[4, 4],
        &[5, 5],
        &[5, 4, 3],
        &[2, 3, 4],
        &[6, 2, 4],
    ];
    for radices in lists {
        for ends in [Ends::Open, Ends::Ring, Ends::DirectedRing] {
            let network = Grid::new(radices, ends).unwrap().into_network();
            common::check_minimal_paths(&network, network.grid().unwrap());
        }
    }
}
