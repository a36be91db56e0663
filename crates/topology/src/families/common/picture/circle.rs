//! Nodes on a circle, joined by chords: of three on a circle none is between the others. Chords that would
//! pass close by a node between their ends bend towards the middle.

use super::path::{Path, Point};
use super::plan::Plan;
use crate::Graph;
use std::f64::consts::TAU;

/// Room between two groups, and from a router to its terminals.
const APART: f64 = 1.2;

/// From one of several bent lines between two nodes to the next.
const BESIDE: f64 = 0.2;

/// How far chords stay within the circle in their middle, if they join no neighbours.
const WITHIN: f64 = 0.9;

/// Places the `routers` last nodes on a circle, groups of `group` apart from each other, and outside of
/// each router its share of the other nodes, side by side.
pub(crate) fn circle(graph: &Graph, routers: u32, group: u32) -> Plan {
    let mut plan = Plan::new(graph);
    let first = graph.nodes() - routers;
    let each = first / routers.max(1);
    let pitch = f64::from(each.max(1));
    let groups = f64::from(routers.div_ceil(group));
    let gap = if groups > 1.0 && group > 1 {
        APART
    } else {
        0.0
    };
    let around = f64::from(routers) * pitch + groups * gap;
    let radius = (around / TAU).max(0.8);
    let at = |radius: f64, along: f64| Point::polar(radius, TAU * (along / around - 0.25));
    for router in 0..routers {
        let along = f64::from(router) * pitch + f64::from(router / group) * gap;
        let place = at(radius, along + pitch / 2.0);
        plan.places[(first + router) as usize] = place;
        let aside = Point::new(-place.y, place.x).unit();
        for terminal in 0..each {
            let from_middle = f64::from(terminal) - f64::from(each - 1) / 2.0;
            let outward = place.unit() * APART;
            plan.places[(router * each + terminal) as usize] =
                place + outward + aside * from_middle;
        }
    }
    plan.straight_paths();
    for (link, path) in plan.links.iter().zip(&mut plan.paths) {
        let (from, to) = (
            plan.places[link.source.index()],
            plan.places[link.target.index()],
        );
        let middle = (from + to) * 0.5;
        let is_chord = link.source.0.min(link.target.0) >= first && from.distance(to) > 1.5 * pitch;
        let missing = WITHIN - (radius - middle.norm());
        if is_chord && missing > 0.0 && radius > 2.0 * WITHIN {
            // To the left of the way, as a bow counts, if the middle of the circle is there.
            let side = (to - from).left();
            let inward = -(side.x * middle.x + side.y * middle.y);
            *path = Path::bow(from, to, missing.copysign(inward) + link.set_off() * BESIDE);
        }
    }
    plan
}
