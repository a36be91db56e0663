//! Express cubes: nodes in lines with the interchanges between them, express channels as bridges
//! over the line, higher ones for higher levels (Dally's figures 1 to 3 and 6).
//!
//! Three dimensions are drawn in oblique projection. Else dimensions 0, 2, .. lie to the right, 1, 3,
//! .. downward. An interchange of a dimension stands in its line between the nodes b − 1 and b; one of
//! a higher dimension, just before the node b; one of all dimensions, before it both ways.

mod oblique;

use super::{ExpressChannel, ExpressCube, Interchange};
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::lattice::{Axis, Lattice, Side};
use crate::families::common::picture::plan::{NodeKind, Plan, class};
use crate::links::Link;
use crate::{Graph, NodeId};
use std::collections::BTreeMap;

/// A column, or row: the index of its nodes, then what stands before those: dimensions from the
/// highest, modules from the first. The nodes themselves come last.
type Slot = (u32, u32, u32);

const NODES_OF_SLOT: (u32, u32) = (u32::MAX, 0);

/// The picture of an express cube.
pub(super) fn plan(graph: &Graph, cube: &ExpressCube) -> Plan {
    let mut plan = Plan::new(graph);
    let mut slots: Vec<[Slot; 2]> = Vec::with_capacity(plan.places.len());
    for node in (0..graph.nodes()).map(NodeId) {
        slots.push(match cube.interchange(node) {
            None => index_of(cube, node).map(at_nodes),
            Some(interchange) => {
                plan.kinds[node.index()] = NodeKind::Interchange;
                plan.details[node.index()] = detail(cube, node, interchange);
                let mut slots = index_of(cube, interchange.node).map(at_nodes);
                let dimensions = if is_crossing(cube, node) {
                    0..2.min(cube.dimensions() as u32)
                } else {
                    interchange.dimension..interchange.dimension + 1
                };
                for dimension in dimensions {
                    let slot = &mut slots[dimension as usize % 2];
                    slot.1 = u32::MAX - 1 - dimension;
                    slot.2 = interchange.module;
                }
                slots
            }
        });
        if cube.interchange(node).is_none() {
            plan.details[node.index()] = coordinates(cube, node);
        }
    }
    classify(&mut plan, cube);
    if cube.dimensions() == 3 {
        oblique::draw(&mut plan, cube);
        return plan;
    }
    let [columns, rows] = [0, 1].map(|along| {
        let used = slots.iter().map(|slots| (slots[along], 0));
        let mut used: BTreeMap<Slot, usize> = used.collect();
        for (index, at) in used.values_mut().enumerate() {
            *at = index;
        }
        used
    });
    let cell = |slots: &[Slot; 2]| [columns[&slots[0]], rows[&slots[1]]];
    // A long line is seen from far away: its bridges are higher.
    let (first_height, track_height) = if cube.dimensions() == 1 {
        let far = (columns.len() as f64 / 40.0).max(1.0);
        (0.62 * far, 0.42 * far)
    } else {
        (0.62, 0.3)
    };
    let lattice = Lattice {
        cells: slots.iter().map(cell).collect(),
        axes: [axis(&columns), axis(&rows)],
        side: |_| Side::Before,
        first_height,
        track_height,
    };
    lattice.draw(&mut plan);
    plan
}

/// Whether `switch` is an interchange of all dimensions: those come last.
pub(super) fn is_crossing(cube: &ExpressCube, switch: NodeId) -> bool {
    let nodes: u32 = cube.radices().iter().product();
    switch.0 >= nodes + cube.switches() - cube.crossings()
}

fn detail(cube: &ExpressCube, switch: NodeId, interchange: Interchange) -> String {
    let Interchange {
        level,
        boundary,
        dimension,
        ..
    } = interchange;
    match is_crossing(cube, switch) {
        true => format!(
            "interchange of all dimensions below {}",
            coordinates(cube, interchange.node)
        ),
        false => {
            format!("interchange of level {level} at boundary {boundary} of dimension {dimension}")
        }
    }
}

fn coordinates(cube: &ExpressCube, node: NodeId) -> String {
    let list: Vec<String> = cube.coordinates(node).iter().map(u16::to_string).collect();
    format!("({})", list.join(", "))
}

fn at_nodes(index: u32) -> Slot {
    (index, NODES_OF_SLOT.0, NODES_OF_SLOT.1)
}

/// Which column and row of nodes a node is in.
fn index_of(cube: &ExpressCube, node: NodeId) -> [u32; 2] {
    [0, 1].map(|first| {
        let dimensions = (first..cube.dimensions()).step_by(2).rev();
        dimensions.fold(0, |index, i| {
            index * cube.radices()[i] + cube.coordinate(node, i)
        })
    })
}

/// Interchanges stand close to the nodes beside them.
fn axis(slots: &BTreeMap<Slot, usize>) -> Axis {
    let mut axis = Axis::even(slots.len());
    let keys: Vec<_> = slots.keys().collect();
    for (gap, pair) in axis.gaps[1..].iter_mut().zip(keys.windows(2)) {
        let interchanges = pair.iter().filter(|slot| slot.1 != NODES_OF_SLOT.0).count();
        *gap = [1.0, 0.72, 0.62][interchanges];
    }
    axis
}

/// Local channels, those of each level, and those within interchanges.
fn classify(plan: &mut Plan, cube: &ExpressCube) {
    let kind = |link: &Link| {
        let known = cube.channel(link.source, link.channel);
        known.map_or(ExpressChannel::Local, |(kind, _)| kind)
    };
    let kinds: Vec<ExpressChannel> = plan.links.iter().map(kind).collect();
    let mut seen: Vec<ExpressChannel> = kinds.clone();
    seen.sort_unstable();
    seen.dedup();
    let name = |kind: &ExpressChannel| match *kind {
        ExpressChannel::Local => class("local channel", Colour::BLUE),
        ExpressChannel::Express(level) if cube.parameters().levels == 1 => {
            class("express channel", Colour::of_class(level as usize))
        }
        ExpressChannel::Express(level) => {
            let name = format!("express channel of level {level}");
            class(name, Colour::of_class(level as usize))
        }
        ExpressChannel::Internal => class("within an interchange", Colour::GREY),
    };
    plan.classes = seen.iter().map(name).collect();
    let class_of = |kind: &ExpressChannel| seen.binary_search(kind).unwrap_or(0);
    plan.class_of = kinds.iter().map(class_of).collect();
}
