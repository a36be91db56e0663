//! Star graphs, by recursion: S_3 is a hexagon, S_n is n drawings of S_{n−1} in a circle, one for
//! each last symbol, joined by the channels that swap positions 1 and n.
//!
//! Each of the n drawings is turned, and mirrored where that helps, so that these channels are short
//! and pass other nodes at a distance.

use super::Star;
use crate::families::common::picture::colour::Colour;
use crate::families::common::picture::path::Point;
use crate::families::common::picture::plan::{Plan, class};
use crate::links::Link;
use crate::{Graph, NodeId};
use std::f64::consts::TAU;

/// Room between two drawings of S_{n−1}.
const BETWEEN: f64 = 1.9;

/// The picture of a star graph.
pub(super) fn plan(graph: &Graph, star: &Star) -> Plan {
    let mut plan = Plan::new(graph);
    let symbols = star.symbols();
    plan.places = places(star, symbols);
    let names = (0..star.nodes()).map(|node| {
        let digits = star.permutation(NodeId(node)).map(|s| s.to_string());
        digits.collect::<String>()
    });
    let names: Vec<String> = names.collect();
    let detail = |name: &String| format!("permutation {name}");
    plan.details = names.iter().map(detail).collect();
    plan.second_labels = names;
    // Both names have to fit.
    plan.radius = if symbols <= 4 { 0.34 } else { 0.25 };
    plan.classes = (2..=symbols)
        .map(|i| {
            class(
                format!("swaps positions 1 and {i}"),
                Colour::of_class(i as usize - 2),
            )
        })
        .collect();
    if symbols >= 5 {
        // For the copies to be seen behind what joins them.
        plan.classes[symbols as usize - 2].faint = true;
    }
    let swapped = |link: &Link| {
        let swap = |&i: &u32| star.neighbour(link.source, i) == link.target;
        (2..=symbols).find(swap).map_or(0, |i| i as usize - 2)
    };
    plan.classify(swapped);
    plan.straight_paths();
    plan
}

/// The places of the first `symbols`! nodes, which are a star graph themselves, round the origin.
fn places(star: &Star, symbols: u32) -> Vec<Point> {
    match symbols {
        0 | 1 => return vec![Point::default()],
        2 => return vec![Point::new(-0.5, 0.0), Point::new(0.5, 0.0)],
        3 => return hexagon(star),
        _ => {}
    }
    let one = places(star, symbols - 1);
    let radius = one.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let circle = (radius + BETWEEN / 2.0) / (TAU / 2.0 / f64::from(symbols)).sin();
    let first = if symbols == 4 { -0.375 } else { -0.25 };
    let centre = |copy| Point::polar(circle, TAU * (f64::from(copy) / f64::from(symbols) + first));
    let copies = Copies {
        star,
        symbols,
        centres: (0..symbols).map(centre).collect(),
        one,
    };
    copies.placed_best()
}

/// The six nodes of S_3 in the order in which its two kinds of channels lead round.
fn hexagon(star: &Star) -> Vec<Point> {
    let mut places = vec![Point::default(); 6];
    let mut node = NodeId(0);
    for step in 0..6u32 {
        places[node.index()] = Point::polar(1.0, TAU * (f64::from(step) / 6.0 - 0.25));
        node = star.neighbour(node, 2 + step % 2);
    }
    places
}

/// Drawings of S_{n−1}, to be turned.
struct Copies<'a> {
    star: &'a Star,
    symbols: u32,
    centres: Vec<Point>,
    /// A single one, round the origin.
    one: Vec<Point>,
}

/// How a drawing of S_{n−1} is turned: by so many parts of a circle, mirrored or not.
#[derive(Clone, Copy, Debug)]
struct Turn {
    angle: f64,
    mirrored: bool,
}

impl Copies<'_> {
    /// All nodes, with the drawings turned in the way that costs least of those found.
    fn placed_best(&self) -> Vec<Point> {
        // Beyond S_5 lines pass close to nodes however the drawings are turned.
        let parts = if self.symbols <= 5 { 24 } else { 12 };
        let turns: Vec<Turn> = (0..2 * parts)
            .map(|turn| Turn {
                angle: TAU * f64::from(turn / 2) / f64::from(parts),
                mirrored: turn % 2 == 1,
            })
            .collect();
        let placed = |copy: usize| -> Vec<Vec<Point>> {
            turns.iter().map(|&turn| self.placed(copy, turn)).collect()
        };
        let placed: Vec<Vec<Vec<Point>>> = (0..self.centres.len()).map(placed).collect();
        let best = least_sum(&self.costs(&placed), turns.len());
        let copies = placed.into_iter().zip(best);
        copies
            .flat_map(|(mut placed, turn)| placed.swap_remove(turn))
            .collect()
    }

    /// The places of the nodes of a copy, turned.
    fn placed(&self, copy: usize, turn: Turn) -> Vec<Point> {
        let (sin, cos) = (turn.angle.sin(), turn.angle.cos());
        let place = |&p: &Point| {
            let x = if turn.mirrored { -p.x } else { p.x };
            self.centres[copy] + Point::new(x * cos - p.y * sin, x * sin + p.y * cos)
        };
        self.one.iter().map(place).collect()
    }

    /// By pair of copies a < b, then turn of a, then turn of b: what the channels between the two
    /// cost.
    fn costs(&self, placed: &[Vec<Vec<Point>>]) -> Vec<(usize, usize, Vec<f64>)> {
        let size = self.one.len();
        let mut costs = Vec::new();
        for a in 0..placed.len() {
            for b in a + 1..placed.len() {
                let links: Vec<[usize; 2]> = (0..size)
                    .filter_map(|node| {
                        let from = NodeId((a * size + node) as u32);
                        let to = self.star.neighbour(from, self.symbols).index();
                        (to / size == b).then_some([node, to % size])
                    })
                    .collect();
                let cost = |[one, other]: [&Vec<Point>; 2]| {
                    links
                        .iter()
                        .map(|&link| self.cost([one, other], link))
                        .sum()
                };
                let pairs = placed[a]
                    .iter()
                    .flat_map(|one| placed[b].iter().map(move |o| [one, o]));
                costs.push((a, b, pairs.map(cost).collect()));
            }
        }
        costs
    }

    /// How long a channel between two copies is, with a fine for each node that it passes close.
    fn cost(&self, copies: [&Vec<Point>; 2], link: [usize; 2]) -> f64 {
        const CLOSE: f64 = 0.5;
        const FINE: f64 = 6.0;
        let (from, to) = (copies[0][link[0]], copies[1][link[1]]);
        let mut cost = from.distance(to);
        if self.symbols <= 5 {
            for (places, own) in copies.into_iter().zip(link) {
                for (node, &place) in places.iter().enumerate() {
                    if node != own {
                        let near = distance_to_line(place, from, to);
                        cost += FINE * (1.0 - near / CLOSE).max(0.0);
                    }
                }
            }
        }
        cost
    }
}

/// A choice of one of `choices` for each of several, with the sum of the costs of all pairs as small
/// as a descent from many starts finds it.
fn least_sum(costs: &[(usize, usize, Vec<f64>)], choices: usize) -> Vec<usize> {
    const STARTS: usize = 60;
    // Sums that differ by rounding alone are equal, and the first found wins.
    const LESS: f64 = 1e-6;
    let count = costs.iter().map(|&(_, b, _)| b + 1).max().unwrap_or(1);
    let sum = |chosen: &[usize], of: Option<usize>| -> f64 {
        let concerned =
            |&&(a, b, _): &&(usize, usize, Vec<f64>)| of.is_none_or(|c| a == c || b == c);
        let cost =
            |(a, b, costs): &(usize, usize, Vec<f64>)| costs[chosen[*a] * choices + chosen[*b]];
        costs.iter().filter(concerned).map(cost).sum()
    };
    let mut best = (f64::INFINITY, vec![0; count]);
    for start in 0..STARTS {
        let mut chosen: Vec<usize> = (0..count)
            .map(|i| (start * (7 * i + 1) + i * i * start * 3) % choices)
            .collect();
        loop {
            let before = sum(&chosen, None);
            for i in 0..count {
                let mut least = (sum(&chosen, Some(i)), chosen[i]);
                for choice in 0..choices {
                    chosen[i] = choice;
                    let cost = sum(&chosen, Some(i));
                    if cost < least.0 - LESS {
                        least = (cost, choice);
                    }
                }
                chosen[i] = least.1;
            }
            if sum(&chosen, None) > before - LESS {
                break;
            }
        }
        let cost = sum(&chosen, None);
        if cost < best.0 - LESS {
            best = (cost, chosen);
        }
    }
    best.1
}

/// How far `point` is from the straight line between two others.
fn distance_to_line(point: Point, from: Point, to: Point) -> f64 {
    let way = to - from;
    let length = way.norm();
    if length == 0.0 {
        return point.distance(from);
    }
    let unit = way * (1.0 / length);
    let ahead = point - from;
    let along = (ahead.x * unit.x + ahead.y * unit.y).clamp(0.0, length);
    point.distance(from + unit * along)
}
