//! Whether the extended dependency graph has a cycle, without its edges: there are far more of them
//! than of hops, for every escape behind any number of other hops counts.
//!
//! Every vertex gets a height, above those of all vertices that it depends on. Destinations raise
//! heights one after another until nothing changes: then the heights are an order of the graph,
//! each edge of which was looked at, so there is no cycle. (They are the lengths of the longest
//! chains, for nothing is raised without need.) Each height comes with the dependency that it is
//! due to. A cycle among those is a cycle of the graph, and shows at the latest when a height
//! exceeds the number of vertices.
//!
//! Invariant: destinations are taken in blocks of fixed size, whose raises are put together in
//! order, so the heights after every block do not depend on the number of threads.

use super::Task;
use super::cycle;
use super::explore::Explorer;
use crate::Routing;

/// Destinations whose raises are put together at a time.
const BLOCK: usize = 128;

const NONE: u32 = u32::MAX;

struct Heights {
    /// By vertex, from 0.
    height: Vec<u32>,
    /// By vertex: the dependency that its height is due to; `NONE` for sinks.
    due_to: Vec<u32>,
}

/// A vertex, a height that it has at least, and the vertex that this is due to.
type Raise = (u32, u32, u32);

/// Finds heights for the extended graph, or a cycle of it.
pub(super) fn settle<R: Routing>(task: &Task<'_, R>) -> Result<(), Vec<u32>> {
    let vertices = task.frame.vertices() as usize;
    let mut heights = Heights {
        height: vec![0; vertices],
        due_to: vec![NONE; vertices],
    };
    let mut destinations = task.destinations.clone();
    loop {
        let mut is_settled = true;
        for (number, block) in (0u64..).zip(destinations.chunks(BLOCK)) {
            let done = number * BLOCK as u64;
            let raises = task.map(block, done, |explorer, destination| {
                explorer.explore(destination, None);
                raises_of(task, explorer, &heights)
            });
            for (vertex, height, due_to) in raises.into_iter().flatten() {
                if height > heights.height[vertex as usize] {
                    heights.height[vertex as usize] = height;
                    heights.due_to[vertex as usize] = due_to;
                    is_settled = false;
                }
            }
        }
        if is_settled {
            return Ok(());
        }
        if let Some(cycle) = cycle::of_functional(&heights.due_to) {
            return Err(cycle);
        }
        // Chains that run against the order of destinations are long in one direction only.
        destinations.reverse();
    }
}

/// The raises that packets to the destination explored ask for.
fn raises_of<R: Routing>(
    task: &Task<'_, R>,
    explorer: &Explorer<'_, R>,
    heights: &Heights,
) -> Vec<Raise> {
    // By configuration: the greatest height of an escape that a packet there may ask for, at once
    // or after other hops, and that escape.
    let mut above = vec![(0, NONE); explorer.configurations.len()];
    let mut raises = Vec::new();
    let vertex_of = |index: usize| {
        let configuration = explorer.configurations[index];
        task.frame.vertex(configuration.channel, configuration.vc)
    };
    for &index in explorer.order.iter().rev() {
        let mut greatest = (0, NONE);
        for hop in explorer.hops(index as usize) {
            let to = hop.to();
            let here = if hop.is_escape() {
                let escape = vertex_of(to);
                // What this very pass will raise the escape to counts already.
                let height = heights.height[escape as usize].max(above[to].0 + 1);
                (height, escape)
            } else if task.has_indirect() {
                above[to]
            } else {
                continue;
            };
            if here.0 > greatest.0 || here.0 == greatest.0 && here.1 < greatest.1 {
                greatest = here;
            }
        }
        above[index as usize] = greatest;
        let vertex = vertex_of(index as usize);
        if greatest.0 + 1 > heights.height[vertex as usize] {
            raises.push((vertex, greatest.0 + 1, greatest.1));
        }
    }
    raises
}
