//! Places for the nodes of any graph: distances in the picture follow distances in the graph.
//!
//! A first guess from the distances to a few nodes far from each other (Brandes & Pich, "Eigensolver
//! methods for progressive multidimensional scaling of large data", 2006), then each node in turn
//! moves to where the stress Σ (|p_i − p_j| − d_ij)² / d_ij² of its own pairs is least (Gansner,
//! Koren & North, "Graph drawing by stress majorization", 2004, section 2.3).
//!
//! Only sums, products, quotients and square roots, so that every machine finds the same places.

use super::path::Point;
use crate::{ChannelId, Graph, NodeId};
use flitsim_random::Pcg64Mcg;
use rand::{RngExt, SeedableRng};

/// Places about 1 apart for neighbours.
pub(crate) fn places(graph: &Graph) -> Vec<Point> {
    let distances = all_distances(graph);
    let nodes = distances.len();
    let mut places = first_guess(&distances);
    let mut rng = Pcg64Mcg::seed_from_u64(0);
    for place in &mut places {
        // Nodes that see the same distances would stay in one place for ever.
        *place = *place + Point::new(jitter(&mut rng), jitter(&mut rng));
    }
    // About as much work whatever the size.
    let rounds = (60_000_000 / (nodes * nodes).max(1)).clamp(15, 250);
    for _ in 0..rounds {
        for node in 0..nodes {
            places[node] = least_stress(&places, node, &distances[node]);
        }
    }
    lay_down(graph, &mut places);
    places
}

/// Hops between all nodes, with channels taken for two-way ones.
fn all_distances(graph: &Graph) -> Vec<Vec<u16>> {
    let nodes = graph.nodes() as usize;
    let mut all = Vec::with_capacity(nodes);
    let mut queue = Vec::with_capacity(nodes);
    for start in (0..graph.nodes()).map(NodeId) {
        let mut hops = vec![u16::MAX; nodes];
        hops[start.index()] = 0;
        queue.clear();
        queue.push(start);
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next];
            next += 1;
            let ahead = graph.outgoing(node).map(|c| graph.target(ChannelId(c)));
            let behind = graph.incoming(node);
            let behind = behind.iter().map(|&c| graph.source(c));
            for other in ahead.chain(behind) {
                if hops[other.index()] == u16::MAX {
                    hops[other.index()] = hops[node.index()] + 1;
                    queue.push(other);
                }
            }
        }
        all.push(hops);
    }
    all
}

/// A number from −0.15 to 0.15.
fn jitter(rng: &mut Pcg64Mcg) -> f64 {
    0.3 * (rng.random::<f64>() - 0.5)
}

/// Nodes far from each other: each is the farthest from those before it.
fn pivots(distances: &[Vec<u16>]) -> Vec<usize> {
    const MOST: usize = 40;
    let mut pivots = vec![0];
    let mut nearest = distances[0].clone();
    while pivots.len() < MOST.min(distances.len()) {
        let farthest = (0..nearest.len()).rev().max_by_key(|&node| nearest[node]);
        let Some(pivot) = farthest.filter(|&node| nearest[node] > 0) else {
            break;
        };
        pivots.push(pivot);
        for (near, &far) in nearest.iter_mut().zip(&distances[pivot]) {
            *near = far.min(*near);
        }
    }
    pivots
}

/// Classical scaling of the squared distances to the pivots.
fn first_guess(distances: &[Vec<u16>]) -> Vec<Point> {
    let pivots = pivots(distances);
    let rows: Vec<Vec<f64>> = distances
        .iter()
        .map(|row| {
            pivots
                .iter()
                .map(|&p| -0.5 * f64::from(row[p]).powi(2))
                .collect()
        })
        .collect();
    let centred = centre(rows, pivots.len());
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..2 {
        let start = pivots.iter().map(|_| 1.0 + jitter(&mut rng));
        let mut vector: Vec<f64> = start.collect();
        for _ in 0..60 {
            // Without the part along the axis that is known already.
            for known in &found {
                let along = dot(&vector, known);
                vector
                    .iter_mut()
                    .zip(known)
                    .for_each(|(v, k)| *v -= along * k);
            }
            let image: Vec<f64> = centred.iter().map(|row| dot(row, &vector)).collect();
            vector.fill(0.0);
            for (row, share) in centred.iter().zip(&image) {
                vector
                    .iter_mut()
                    .zip(row)
                    .for_each(|(v, r)| *v += share * r);
            }
            let norm = dot(&vector, &vector).sqrt();
            if norm > 0.0 {
                vector.iter_mut().for_each(|v| *v /= norm);
            }
        }
        found.push(vector);
    }
    let place = |row: &Vec<f64>| Point::new(dot(row, &found[0]), dot(row, &found[1]));
    let places: Vec<Point> = centred.iter().map(place).collect();
    // The scale does not matter much: the nodes are to be apart, not far apart.
    let widest = places.iter().map(|p| p.norm()).fold(0.0, f64::max);
    let farthest = distances.iter().flatten().copied().max().unwrap_or(1);
    let scale = if widest > 0.0 {
        f64::from(farthest) / 2.0 / widest
    } else {
        1.0
    };
    places.into_iter().map(|p| p * scale).collect()
}

/// Subtracts the means of rows and columns, and adds the mean of all.
fn centre(mut rows: Vec<Vec<f64>>, columns: usize) -> Vec<Vec<f64>> {
    let count = rows.len() as f64;
    let mut means = vec![0.0; columns];
    for row in &rows {
        means.iter_mut().zip(row).for_each(|(m, r)| *m += r / count);
    }
    let all = means.iter().sum::<f64>() / columns as f64;
    for row in &mut rows {
        let mean = row.iter().sum::<f64>() / columns as f64;
        row.iter_mut()
            .zip(&means)
            .for_each(|(r, m)| *r += all - mean - m);
    }
    rows
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The place of `node` at which its stress would be least if each other node pulled or pushed in
/// the direction in which it is now.
fn least_stress(places: &[Point], node: usize, distances: &[u16]) -> Point {
    let here = places[node];
    let mut sum = Point::default();
    let mut weights = 0.0;
    for (other, (&there, &hops)) in places.iter().zip(distances).enumerate() {
        // No node is farther than a 16-bit number, unless there is no way to it at all.
        if other == node || hops == u16::MAX {
            continue;
        }
        let wanted = f64::from(hops);
        let weight = 1.0 / (wanted * wanted);
        let way = here - there;
        sum = sum + (there + way.unit() * wanted) * weight;
        weights += weight;
    }
    if weights > 0.0 {
        sum * (1.0 / weights)
    } else {
        here
    }
}

/// Turns the picture: where most channels are at right angles, so that they lie along the axes; else
/// so that it is wider than high.
fn lay_down(graph: &Graph, places: &mut [Point]) {
    let count = places.len() as f64;
    let middle = places.iter().fold(Point::default(), |sum, &p| sum + p) * (1.0 / count);
    // The direction of the greatest spread is half the angle of (xx − yy, 2 xy).
    let mut spread = Point::default();
    for place in places.iter_mut() {
        *place = *place - middle;
        spread = spread + square(*place);
    }
    // Directions at right angles are the same when their angle is multiplied by four.
    let ways = (0..graph.channels()).map(ChannelId).map(|channel| {
        let ends = [graph.source(channel), graph.target(channel)];
        (places[ends[0].index()] - places[ends[1].index()]).unit()
    });
    let grain = ways.fold(Point::default(), |sum, way| sum + square(square(way)));
    let turn = if grain.norm() > 0.6 * f64::from(graph.channels()) {
        half(half(grain.unit()))
    } else {
        half(spread.unit())
    };
    for p in places {
        *p = Point::new(p.x * turn.x + p.y * turn.y, p.y * turn.x - p.x * turn.y);
    }
}

/// The direction of twice the angle, as in the product of complex numbers.
fn square(p: Point) -> Point {
    Point::new(p.x * p.x - p.y * p.y, 2.0 * p.x * p.y)
}

/// The direction of half the angle of a direction.
fn half(unit: Point) -> Point {
    let cos = ((1.0 + unit.x) / 2.0).max(0.0).sqrt();
    let sin = ((1.0 - unit.x) / 2.0).max(0.0).sqrt();
    Point::new(cos, if unit.y < 0.0 { -sin } else { sin })
}
