//! Express cubes of three dimensions in oblique projection: interchanges on the lines between the
//! nodes, express channels as bridges beside them.

use super::is_crossing;
use crate::NodeId;
use crate::families::common::picture::oblique;
use crate::families::common::picture::path::{Path, Point};
use crate::families::common::picture::plan::{Plan, straight};
use crate::families::express::{ExpressChannel, ExpressCube, Interchange};
use crate::links::Link;

/// Places the nodes and draws the links of an express cube of three dimensions.
pub(super) fn draw(plan: &mut Plan, cube: &ExpressCube) {
    let boundaries = [0, 1, 2].map(|dimension| boundaries(cube, dimension));
    // Lines to the back are too short for interchanges of several modules.
    let most = modules(cube, cube.parameters().levels);
    let room = [0.0, 0.0, 0.5 * f64::from(most - 1)];
    let depth = along(cube.radices()[2], &boundaries[2], room[2]);
    let directions = oblique::directions(depth);
    let place_of_node = |node: NodeId| {
        let steps = (0..3)
            .map(|d| directions[d] * along(cube.coordinate(node, d), &boundaries[d], room[d]));
        steps.fold(Point::default(), |sum, step| sum + step)
    };
    for index in 0..plan.places.len() {
        let node = NodeId(index as u32);
        plan.places[index] = match cube.interchange(node) {
            None => place_of_node(node),
            Some(interchange) => {
                let of_dimensions = if is_crossing(cube, node) {
                    0..3
                } else {
                    interchange.dimension..interchange.dimension + 1
                };
                of_dimensions.fold(place_of_node(interchange.node), |place, dimension| {
                    let at = dimension as usize;
                    let step = directions[at] * (1.0 + room[at]);
                    let of_dimension = Interchange {
                        dimension,
                        ..interchange
                    };
                    place - before_node(cube, of_dimension, step)
                })
            }
        };
    }
    plan.radius = 0.2;
    let path = |link: &Link| {
        let (from, to) = (plan.place(link.source), plan.place(link.target));
        let (up, height) = oblique::bridge(dimension_of(cube, link));
        let higher = match cube.channel(link.source, link.channel) {
            Some((ExpressChannel::Express(level), _)) => level - 1,
            _ if is_next(cube, link, &boundaries) => return straight(link, from, to),
            _ => 0,
        };
        Path::bridge(from, to, up, height(higher) + 0.06 * f64::from(link.index))
    };
    plan.paths = plan.links.iter().map(path).collect();
}

/// The boundaries of a dimension that hold interchanges, in ascending order.
fn boundaries(cube: &ExpressCube, dimension: u32) -> Vec<u32> {
    let nodes: u32 = cube.radices().iter().product();
    let switches = (nodes..nodes + cube.switches()).map(NodeId);
    let mut found: Vec<u32> = switches
        .filter_map(|switch| cube.interchange(switch))
        .filter(|interchange| interchange.dimension == dimension)
        .map(|interchange| interchange.boundary)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Steps from the node at coordinate 0 to that at `coordinate`.
fn along(coordinate: u32, boundaries: &[u32], room: f64) -> f64 {
    let passed = boundaries.iter().filter(|&&b| b <= coordinate).count();
    f64::from(coordinate) + passed as f64 * room
}

fn modules(cube: &ExpressCube, level: u32) -> u32 {
    cube.parameters().decomposition.modules(level)
}

/// The way from an interchange's module to the node above it, where `step` leads there from the node
/// below.
fn before_node(cube: &ExpressCube, interchange: Interchange, step: Point) -> Point {
    let dimension = interchange.dimension as usize;
    let modules = modules(cube, interchange.level);
    if modules > 1 || dimension == 2 {
        let part = f64::from(modules - interchange.module) / f64::from(modules + 1);
        return step * part;
    }
    step.unit() * oblique::between(dimension)
}

fn dimension_of(cube: &ExpressCube, link: &Link) -> usize {
    let of_switch = |node| cube.interchange(node).map(|i| i.dimension as usize);
    // The node that a switch stands below; links up to that one are its own dimension's.
    let above = |node| cube.interchange(node).map_or(node, |i| i.node);
    let (from, to) = (above(link.source), above(link.target));
    let differs = |&d: &usize| cube.coordinate(from, d) != cube.coordinate(to, d);
    (0..cube.dimensions())
        .find(differs)
        .or_else(|| of_switch(link.source))
        .or_else(|| of_switch(link.target))
        .unwrap_or(0)
}

/// Whether nothing stands between the ends of a link.
fn is_next(cube: &ExpressCube, link: &Link, boundaries: &[Vec<u32>; 3]) -> bool {
    let dimension = dimension_of(cube, link);
    // Twice the coordinate for nodes; boundaries are odd, with their modules.
    let place = |node| match cube.interchange(node) {
        None => (2 * cube.coordinate(node, dimension), None),
        Some(i) => (2 * cube.coordinate(i.node, dimension) - 1, Some(i)),
    };
    let (mut low, mut high) = (place(link.source), place(link.target));
    if low.0 > high.0 {
        (low, high) = (high, low);
    }
    match (low.1, high.1) {
        (Some(a), Some(b)) => low.0 == high.0 && a.module.abs_diff(b.module) == 1,
        (Some(a), None) => high.0 == low.0 + 1 && a.module + 1 == modules(cube, a.level),
        (None, Some(b)) => high.0 == low.0 + 1 && b.module == 0,
        (None, None) => high.0 == low.0 + 2 && !boundaries[dimension].contains(&(high.0 / 2)),
    }
}
