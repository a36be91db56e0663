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
//! Invariant: destinations are taken in blocks of fixed size. Those of a block read the heights
//! before it, and of what they ask for the greatest counts, so the heights after every block do not
//! depend on the number of threads; and memory grows with the vertices alone.

use super::Task;
use super::cycle;
use super::explore::Explorer;
use flitsim_engine::Routing;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Destinations that read the same heights.
const BLOCK: usize = 128;

const NONE: u32 = u32::MAX;

/// The height of a vertex, and the dependency that it is due to, `NONE` for sinks. The greater the
/// height, the greater the number, and for the same height, the less the vertex that it is due to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Height(u64);

impl Height {
    const SINK: Self = Self(0);

    fn new(height: u32, due_to: u32) -> Self {
        Self(u64::from(height) << 32 | u64::from(!due_to))
    }

    fn height(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn due_to(self) -> u32 {
        !(self.0 as u32)
    }
}

/// Finds heights for the extended graph, or a cycle of it.
pub(super) fn settle<R: Routing>(task: &Task<'_, R>) -> Result<(), Vec<u32>> {
    let vertices = task.frame.vertices() as usize;
    let mut heights = vec![Height::SINK; vertices];
    let raised: Vec<AtomicU64> = (0..vertices).map(|_| AtomicU64::new(0)).collect();
    let mut destinations = task.destinations.clone();
    loop {
        let mut is_settled = true;
        for (number, block) in (0u64..).zip(destinations.chunks(BLOCK)) {
            let done = number * BLOCK as u64;
            task.map(block, done, |explorer, destination| {
                explorer.explore(destination, None);
                raise(task, explorer, &heights, &raised);
            });
            for (height, raised) in heights.iter_mut().zip(&raised) {
                let raised = Height(raised.load(Relaxed));
                is_settled &= raised.height() <= height.height();
                *height = raised;
            }
        }
        if is_settled {
            return Ok(());
        }
        let due_to: Vec<u32> = heights.iter().map(|height| height.due_to()).collect();
        if let Some(cycle) = cycle::of_functional(&due_to) {
            return Err(cycle);
        }
        // Chains that run against the order of destinations are long in one direction only.
        destinations.reverse();
    }
}

/// Raises what packets to the destination explored ask for.
fn raise<R: Routing>(
    task: &Task<'_, R>,
    explorer: &Explorer<'_, R>,
    heights: &[Height],
    raised: &[AtomicU64],
) {
    // By configuration: the greatest height of an escape that a packet there may ask for, at once
    // or after other hops, and that escape.
    let mut above = vec![(0, NONE); explorer.configurations.len()];
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
                let height = heights[escape as usize].height().max(above[to].0 + 1);
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
        if greatest.0 + 1 > heights[vertex as usize].height() {
            let height = Height::new(greatest.0 + 1, greatest.1);
            if raised[vertex as usize].load(Relaxed) < height.0 {
                raised[vertex as usize].fetch_max(height.0, Relaxed);
            }
        }
    }
}
