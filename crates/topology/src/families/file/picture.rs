//! The user's own network: at the places that its file gives, or at places found for it.

use crate::Graph;
use crate::families::common::picture::path::{Path, Point};
use crate::families::common::picture::{Plan, stress};

/// Nodes are at least this far apart, in pitches.
const APART: f64 = 0.7;

/// The picture of a network of which nothing is known but its graph, and perhaps places.
pub(super) fn plan(graph: &Graph) -> Plan {
    let mut plan = Plan::new(graph);
    let given = graph.annotations().and_then(|a| a.positions.as_ref());
    plan.places = match given {
        Some(positions) => to_pitches(positions),
        None => with_room(stress::places(graph)),
    };
    push_apart(&mut plan.places);
    plan.note = match given {
        Some(_) => String::new(),
        None => "Places were found so that distances in the picture follow distances in hops: the \
                 file gives none."
            .to_owned(),
    };
    plan.straight_paths();
    bend_round_nodes(&mut plan);
    plan
}

/// The given places, in a unit in which half of the nodes are at most a pitch from the nearest.
fn to_pitches(positions: &[[f32; 2]]) -> Vec<Point> {
    let places = positions
        .iter()
        .map(|p| Point::new(f64::from(p[0]), f64::from(p[1])));
    let places: Vec<Point> = places.collect();
    let median = median_of_nearest(&places);
    let low = places
        .iter()
        .fold(Point::new(f64::INFINITY, f64::INFINITY), |low, p| {
            Point::new(low.x.min(p.x), low.y.min(p.y))
        });
    let widest = places.iter().map(|&p| (p - low).norm()).fold(0.0, f64::max);
    // Far outliers must not make the picture endless: they come closer, in proportion.
    let limit = 4.0 * places.len() as f64 + 4.0;
    let scale = if median.is_finite() && widest > 0.0 {
        (1.0 / median).min(limit / widest)
    } else {
        1.0
    };
    places.into_iter().map(|p| (p - low) * scale).collect()
}

/// The found places, farther apart where the network is so dense that nodes would crowd.
fn with_room(places: Vec<Point>) -> Vec<Point> {
    let scale = (1.0 / median_of_nearest(&places)).clamp(1.0, 3.0);
    places.into_iter().map(|p| p * scale).collect()
}

/// How far half of the nodes are at most from the nearest that is not in the same place; infinite
/// where all are in one.
fn median_of_nearest(places: &[Point]) -> f64 {
    let nearest = |place: &Point| {
        let others = places.iter().map(|other| place.distance(*other));
        others.filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min)
    };
    let mut nearest: Vec<f64> = places.iter().map(nearest).collect();
    nearest.sort_by(f64::total_cmp);
    nearest[nearest.len() / 2]
}

/// Bends links that would pass through nodes that they do not join, as little as clears them; a picture that shows
/// a link to where there is none would lie.
fn bend_round_nodes(plan: &mut Plan) {
    /// Bows that are tried on either side, each higher than the one before.
    const BOWS_MOST: usize = 24;
    /// Pairs of a link and a node for which one is: in large pictures fewer are.
    const PAIRS: usize = 4_000_000;
    let bows = (PAIRS / (plan.places.len() * plan.links.len()).max(1)).min(BOWS_MOST) as u32;
    let wanted = 1.2 * plan.radius;
    for (at, link) in plan.links.iter().enumerate() {
        let clearance = |path: &Path| {
            let points = path.points();
            let others = plan.places.iter().enumerate();
            let others = others
                .filter(|(node, _)| *node != link.source.index() && *node != link.target.index());
            let nearest = |place: Point| {
                let pieces = points.windows(2);
                let near = pieces.map(|ends| distance(place, ends[0], ends[1]));
                near.fold(f64::INFINITY, f64::min)
            };
            others
                .map(|(_, &place)| nearest(place))
                .fold(f64::INFINITY, f64::min)
        };
        let straight = &plan.paths[at];
        let mut best = (clearance(straight), straight.clone());
        let (from, to) = (straight.start, straight.end());
        let heights = (1..=bows).flat_map(|step| [1.0, -1.0].map(|side| side * f64::from(step)));
        // Parallel links bend beside one another.
        let heights = heights.map(|height| 0.5 * plan.radius * height + 0.2 * link.set_off());
        for height in heights {
            if best.0 >= wanted {
                break;
            }
            let path = Path::bow(from, to, height);
            let clear = clearance(&path);
            if clear > best.0 {
                best = (clear, path);
            }
        }
        plan.paths[at] = best.1;
    }
}

/// How far `place` is from the straight line between `from` and `to`.
fn distance(place: Point, from: Point, to: Point) -> f64 {
    let (way, ahead) = (to - from, place - from);
    let square = way.x * way.x + way.y * way.y;
    let along = (ahead.x * way.x + ahead.y * way.y) / square.max(1e-12);
    place.distance(from + way * along.clamp(0.0, 1.0))
}

/// Moves nodes that are too close away from each other, a few times over.
fn push_apart(places: &mut [Point]) {
    const ROUNDS: usize = 30;
    for _ in 0..ROUNDS {
        let mut moved = false;
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                let way = places[b] - places[a];
                let distance = way.norm();
                if distance >= APART {
                    continue;
                }
                moved = true;
                // Nodes in one place part in directions that differ from pair to pair.
                let way = if distance > 1e-9 {
                    way.unit()
                } else {
                    Point::new(1.0, (b as f64) * 0.37 - (a as f64) * 0.21).unit()
                };
                let push = way * ((APART - distance) * 0.55 + 1e-3);
                places[a] = places[a] - push;
                places[b] = places[b] + push;
            }
        }
        if !moved {
            return;
        }
    }
}
