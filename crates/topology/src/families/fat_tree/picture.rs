//! Butterfly fat-trees and fat-pyramids: processors at the bottom, levels of switches above them,
//! the copies of a level side by side (Greenberg & Guan, figures 1 and 2).
//!
//! The fat-tree is drawn flat: blocks of four side by side, so that processors stand in the order
//! in which the bits of X and Y alternate. The fat-pyramid is drawn as planes in oblique
//! projection, one for each copy of a level, for its meshes to be seen.

use super::{FatTree, FatTreeKind};
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::path::Point;
use crate::families::common::picture::plan::{Caption, Plan, class, faint};
use crate::links::Link;
use crate::{Graph, NodeId};

/// The picture of a fat-tree or fat-pyramid.
pub(super) fn plan(graph: &Graph, tree: &FatTree) -> Plan {
    let mut plan = Plan::new(graph);
    for (node, detail) in (0..).map(NodeId).zip(&mut plan.details) {
        *detail = match tree.switch(node) {
            None => format!("processor {:?}", tree.position(node)),
            Some(s) => format!(
                "switch of level {}, copy {}, block ({}, {})",
                s.level, s.copy, s.x, s.y
            ),
        };
    }
    classify(&mut plan, tree);
    let place = match tree.kind() {
        FatTreeKind::Butterfly => place_flat,
        FatTreeKind::Pyramid => place_plane,
    };
    for node in (0..graph.nodes()).map(NodeId) {
        plan.places[node.index()] = place(tree, node);
    }
    if tree.kind() == FatTreeKind::Butterfly {
        // Steep enough for the lines to be told apart, however wide the tree.
        let width = tree.processors() as f64;
        let top = height(tree, tree.levels() - 1);
        let stretch = (0.42 * width / top).max(1.0);
        plan.places.iter_mut().for_each(|p| p.y *= stretch);
        plan.radius = 0.36;
    }
    plan.straight_paths();
    name_levels(&mut plan, tree);
    plan
}

/// Links of processors, links up to the first and second copy, meshes.
fn classify(plan: &mut Plan, tree: &FatTree) {
    plan.classes = vec![
        class("processor's link", Colour::GREY),
        class("link to an even copy above", Colour::BLUE),
        class("link to an odd copy above", Colour::VERMILION),
        class("mesh of a copy", Colour::GREEN),
    ];
    if tree.kind() == FatTreeKind::Pyramid {
        // The meshes are what is to be seen.
        plan.classes[0] = faint("processor's link", Colour::GREY);
        plan.classes[1].faint = true;
        plan.classes[2].faint = true;
    }
    let class_of = |link: &Link| {
        let ends = [link.source, link.target].map(|node| tree.switch(node));
        match ends {
            [Some(a), Some(b)] if a.level == b.level => 3,
            [Some(a), Some(b)] => {
                let upper = if a.level > b.level { a } else { b };
                1 + (upper.copy % 2) as usize
            }
            _ => 0,
        }
    };
    plan.classify(class_of);
}

/// The bits of `x` and `y`, those of x lower.
fn alternate(x: u32, y: u32) -> u32 {
    (0..16).fold(0, |z, bit| {
        z | (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1)
    })
}

/// How far level `level` is above the processors: more where links are longer.
fn height(tree: &FatTree, level: u32) -> f64 {
    let step = |h: u32| 1.6 + 0.55 * f64::from(h) + 0.12 * f64::from(2u32 << h).min(24.0);
    let all: f64 = (0..=level).map(step).sum();
    all * (1.0 + 0.15 * f64::from(tree.levels()))
}

fn place_flat(tree: &FatTree, node: NodeId) -> Point {
    let Some(switch) = tree.switch(node) else {
        let (x, y) = tree.position(node);
        let index = alternate(x, y);
        // A little room between the fours.
        return Point::new(f64::from(index) * 0.85 + f64::from(index / 4) * 0.6, 0.0);
    };
    let four = 4.0 * 0.85 + 0.6;
    let blocks = f64::from(1u32 << (2 * switch.level)) * four;
    let copies = f64::from(1u32 << switch.level);
    let within = (f64::from(switch.copy) + 0.5) / copies * blocks;
    let x = f64::from(alternate(switch.x, switch.y)) * blocks + within;
    // The middle of four marks is at half of three steps, not of four and the room.
    let x = x - four / 2.0 + 1.5 * 0.85;
    Point::new(x, -height(tree, switch.level))
}

/// The direction of y on a plane; x leads to the right.
const BACK: Point = Point::new(0.42, -0.5);

fn place_plane(tree: &FatTree, node: NodeId) -> Point {
    const BETWEEN_COPIES: f64 = 1.6;
    let Some(switch) = tree.switch(node) else {
        let (x, y) = tree.position(node);
        return Point::new(f64::from(x), 0.0) + BACK * f64::from(y);
    };
    let row = f64::from(1u32 << tree.levels());
    // Planes of all levels are about as wide as the processors', the copies together.
    let side = f64::from(tree.side(switch.level));
    let pitch = if switch.level == 0 { 2.0 } else { 1.7 };
    let copies = f64::from(1u32 << switch.level);
    let width = (side - 1.0) * (pitch + BACK.x * pitch);
    let step = width + BETWEEN_COPIES;
    let all = step * (copies - 1.0) + width;
    let middle = (row - 1.0) / 2.0 * (1.0 + BACK.x);
    let left = middle - all / 2.0 + step * f64::from(switch.copy);
    let up = (row - 1.0) / 2.0 * -BACK.y * 2.0;
    let above: f64 = (1..=switch.level)
        .map(|h| f64::from(tree.side(h - 1)) * 1.7 * -BACK.y + 1.4)
        .sum();
    Point::new(left, -(up + 1.6 + above))
        + Point::new(f64::from(switch.x) * pitch, 0.0)
        + BACK * (f64::from(switch.y) * pitch)
}

/// Says at the left of each level what it is.
fn name_levels(plan: &mut Plan, tree: &FatTree) {
    let mut lowest: Vec<f64> = vec![f64::NEG_INFINITY; tree.levels() as usize + 1];
    for (node, place) in (0..).map(NodeId).zip(&plan.places) {
        let level = tree.switch(node).map_or(0, |s| s.level as usize + 1);
        lowest[level] = lowest[level].max(place.y);
    }
    for (level, y) in lowest.into_iter().enumerate() {
        let text = match level {
            0 => "processors".to_owned(),
            1 => "level 0".to_owned(),
            _ => format!("level {}, {} copies", level - 1, 1u32 << (level - 1)),
        };
        plan.captions.push(Caption {
            place: Point::new(0.0, y + 0.08),
            text,
        });
    }
}
