//! A cycle of the extended dependency graph, made short and explained.

use super::Task;
use super::cycle::{self, Graph};
use super::dependencies::next_bit;
use super::explore::Explorer;
use super::reason::{DependencyKind, ExtendedDependency};
use super::symmetry::Group;
use flitsim_engine::Routing;
use flitsim_topology::{ChannelId, NodeId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most vertices for which all edges are written down: 32 MiB of them.
const VERTICES_MOST: u32 = 1 << 14;

/// The most words of the sets of escapes of one destination's configurations.
const WORDS_MOST: usize = 1 << 24;

/// Destinations of which all ways are kept at a time.
const BLOCK: usize = 64;

/// All edges, as bit rows.
struct Rows {
    vertices: u32,
    words: usize,
    rows: Vec<AtomicU64>,
}

impl Graph for Rows {
    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn next(&self, vertex: u32, cursor: &mut u64) -> Option<u32> {
        let row = &self.rows[vertex as usize * self.words..][..self.words];
        next_bit(row, cursor)
    }
}

/// The shortest cycle of the extended graph, or `cycle` where the graph is too large.
pub(super) fn shorten<R: Routing>(task: &Task<'_, R>, cycle: Vec<u32>) -> Vec<u32> {
    let vertices = task.frame.vertices();
    if vertices > VERTICES_MOST || cycle.len() == 1 {
        return cycle;
    }
    let words = vertices.div_ceil(64) as usize;
    let rows = Rows {
        vertices,
        words,
        rows: (0..vertices as usize * words)
            .map(|_| AtomicU64::new(0))
            .collect(),
    };
    let is_complete = task.map(&task.destinations, 0, |explorer, destination| {
        explorer.explore(destination, None);
        add_edges(task, explorer, &rows)
    });
    if is_complete.contains(&false) {
        return cycle;
    }
    cycle::shortest(&rows, cycle::EDGES_MOST).unwrap_or(cycle)
}

/// Adds the edges that packets to the destination explored make; false where that takes too much
/// memory.
fn add_edges<R: Routing>(task: &Task<'_, R>, explorer: &Explorer<'_, R>, rows: &Rows) -> bool {
    let words = rows.words;
    let Some(size) = explorer.configurations.len().checked_mul(words) else {
        return false;
    };
    if size > WORDS_MOST {
        return false;
    }
    // By configuration: the escapes that a packet there may ask for, at once or after other hops.
    let mut escapes = vec![0u64; size];
    for &index in explorer.order.iter().rev() {
        let own = index as usize * words;
        for hop in explorer.hops(index as usize) {
            let to = explorer.configurations[hop.to()];
            if hop.is_escape() {
                let bit = task.frame.vertex(to.channel, to.vc);
                escapes[own + (bit / 64) as usize] |= 1 << (bit % 64);
            } else if task.has_indirect() {
                for word in 0..words {
                    escapes[own + word] |= escapes[hop.to() * words + word];
                }
            }
        }
        let configuration = explorer.configurations[index as usize];
        let vertex = task.frame.vertex(configuration.channel, configuration.vc);
        let row = &rows.rows[vertex as usize * words..][..words];
        for (word, &bits) in row.iter().zip(&escapes[own..own + words]) {
            if word.load(Relaxed) & bits != bits {
                word.fetch_or(bits, Relaxed);
            }
        }
    }
    true
}

/// How a packet that holds `from` comes to wait for `to`, behind `via`.
#[derive(Clone)]
struct Way {
    kind: DependencyKind,
    destination: NodeId,
    from: (ChannelId, u32),
    via: Vec<(ChannelId, u32)>,
    to: (ChannelId, u32),
}

/// The virtual channels of the cycle, and how a packet that holds one comes to wait for the next.
pub(super) fn explain<R: Routing>(
    task: &Task<'_, R>,
    cycle: &[u32],
) -> (Vec<(ChannelId, u32)>, Vec<ExtendedDependency>) {
    let mut best: Vec<Option<Way>> = vec![None; cycle.len()];
    for (number, block) in (0u64..).zip(task.destinations.chunks(BLOCK)) {
        let found = task.map(block, number * BLOCK as u64, |explorer, destination| {
            explorer.explore(destination, None);
            let next = (0..cycle.len()).map(|i| cycle[(i + 1) % cycle.len()]);
            let pairs = cycle.iter().copied().zip(next);
            pairs
                .map(|(from, to)| simplest(task, explorer, from, to))
                .collect::<Vec<_>>()
        });
        let key = |way: &Way| (way.kind, way.via.len(), way.destination);
        for ways in found {
            for (best, way) in best.iter_mut().zip(ways) {
                let ways = best.take().into_iter().chain(way);
                *best = ways.min_by_key(key);
            }
        }
    }
    let ways: Vec<Way> = best.into_iter().flatten().collect();
    let ways = match &task.group {
        Some(group) => lift(group, &ways),
        None => ways,
    };
    let dependency = |way: &Way| ExtendedDependency {
        kind: way.kind,
        destination: way.destination,
        via: way.via.clone(),
    };
    let vertices = ways.iter().map(|way| way.from).collect();
    (vertices, ways.iter().map(dependency).collect())
}

/// A cycle of the network from one of classes: images of the ways, each of which begins where the
/// one before ends, until they come back.
fn lift(group: &Group<'_>, ways: &[Way]) -> Vec<Way> {
    debug_assert!(group.orbits().is_none(), "images of channels are no path");
    let mut lifted: Vec<Way> = Vec::new();
    let first = ways[0].from;
    for way in ways.iter().cycle() {
        let begin = lifted.last().map_or(first, |before: &Way| before.to);
        if lifted.len().is_multiple_of(ways.len()) && !lifted.is_empty() && begin == first {
            break;
        }
        let by = group.element(way.from.0, begin.0);
        let image = |(channel, vc)| (group.image_of_channel(by, channel), vc);
        lifted.push(Way {
            kind: way.kind,
            destination: group.image(by, way.destination),
            from: image(way.from),
            via: way.via.iter().copied().map(image).collect(),
            to: image(way.to),
        });
    }
    lifted
}

/// The simplest way in which a packet to the destination explored that holds `from` comes to wait
/// for the escape `to`.
fn simplest<R: Routing>(
    task: &Task<'_, R>,
    explorer: &Explorer<'_, R>,
    from: u32,
    to: u32,
) -> Option<Way> {
    let held = |index: usize| {
        let configuration = explorer.configurations[index];
        (configuration.channel, configuration.vc)
    };
    let vertex_of = |index: usize| {
        let (channel, vc) = held(index);
        task.frame.vertex(channel, vc)
    };
    let starts = (0..explorer.configurations.len()).filter(|&index| vertex_of(index) == from);
    let ways = starts.filter_map(|start| {
        let (via, end) = path(task, explorer, start, |index| vertex_of(index) == to)?;
        let (as_escape, _) = explorer.entered[start];
        let kind = match (as_escape, via.is_empty()) {
            (true, true) => DependencyKind::Direct,
            (false, true) => DependencyKind::DirectCross,
            (true, false) => DependencyKind::Indirect,
            (false, false) => DependencyKind::IndirectCross,
        };
        Some((kind, start, via, end))
    });
    let (kind, start, via, end) = ways.min_by_key(|(kind, _, via, _)| (*kind, via.len()))?;
    Some(Way {
        kind,
        destination: explorer.destination,
        from: held(start),
        via: via.into_iter().map(held).collect(),
        to: held(end),
    })
}

/// The configurations between `start` and a hop of the escape subrelation to one that `is_end`, and
/// that one, breadth first over hops that are not of it; `None` where there is no such way.
fn path<R: Routing>(
    task: &Task<'_, R>,
    explorer: &Explorer<'_, R>,
    start: usize,
    is_end: impl Fn(usize) -> bool,
) -> Option<(Vec<usize>, usize)> {
    let mut before = std::collections::BTreeMap::from([(start, start)]);
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(index) = waiting.pop_front() {
        for hop in explorer.hops(index) {
            if hop.is_escape() {
                if is_end(hop.to()) {
                    let mut via = Vec::new();
                    let mut at = index;
                    while at != start {
                        via.push(at);
                        at = before[&at];
                    }
                    via.reverse();
                    return Some((via, hop.to()));
                }
            } else if task.has_indirect() && !before.contains_key(&hop.to()) {
                before.insert(hop.to(), index);
                waiting.push_back(hop.to());
            }
        }
    }
    None
}
