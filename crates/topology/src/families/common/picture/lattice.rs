//! Nodes in columns and rows, with links along them, but for few: links between neighbours are
//! straight, others are bridges over what is between, on *tracks* of different heights.
//!
//! This is the collinear layout of VLSI theory in two dimensions. A bridge over another has a higher
//! track; bridges that would cross, and parallel ones, have different tracks; bridges that only meet
//! at a node share one. So no two lines of a row overlap.

use super::path::{Path, Point};
use super::plan::{Plan, straight};

/// The side of a row, or column, that a bridge is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Above a row, to the left of a column.
    Before,
    /// Below a row, to the right of a column.
    Behind,
}

/// The columns or the rows.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The least distance of each from the one before; that of the first is not used.
    pub gaps: Vec<f64>,
    /// How far the nodes of each are moved sideways along it, so that lines pass between them.
    pub shifts: Vec<f64>,
}

impl Axis {
    /// `count` of them, a pitch apart.
    pub(crate) fn even(count: usize) -> Self {
        Self {
            gaps: vec![1.0; count],
            shifts: vec![0.0; count],
        }
    }
}

/// Which cell each node is in, and how far apart things are.
pub(crate) struct Lattice<F: Fn(usize) -> Side> {
    /// By node: column and row, all different.
    pub cells: Vec<[usize; 2]>,
    /// The columns, then the rows.
    pub axes: [Axis; 2],
    /// The side that a link is on if it needs a bridge, by its index.
    pub side: F,
    /// Height of the lowest bridges, and from track to track.
    pub first_height: f64,
    pub track_height: f64,
}

/// How a link is drawn within its row or column.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Route {
    Straight,
    Bridge { side: Side, track: u32 },
}

/// A link within its row or column.
#[derive(Clone, Copy, Debug)]
struct Span {
    link: usize,
    low: usize,
    high: usize,
}

impl Span {
    fn length(&self) -> usize {
        self.high - self.low
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.low < other.high && other.low < self.high
    }

    fn holds(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high && self.length() > other.length()
    }
}

impl<F: Fn(usize) -> Side> Lattice<F> {
    /// Places the nodes and draws the links. One that is neither within a row nor within a column,
    /// such as that to an interchange of two dimensions, is a straight line, on the slant.
    pub(crate) fn draw(&self, plan: &mut Plan) {
        let mut routes = vec![Route::Straight; plan.links.len()];
        // By row, then by column: the height of the bridges before and behind it.
        let row_heights = self.route(plan, 0, &mut routes);
        let column_heights = self.route(plan, 1, &mut routes);
        let columns = offsets(&self.axes[0].gaps, &column_heights);
        let rows = offsets(&self.axes[1].gaps, &row_heights);
        for (place, &[column, row]) in plan.places.iter_mut().zip(&self.cells) {
            place.x = columns[column] + self.axes[1].shifts[row];
            place.y = rows[row] + self.axes[0].shifts[column];
        }
        let mut paths = Vec::with_capacity(routes.len());
        for (link, &route) in plan.links.iter().zip(&routes) {
            let (from, to) = (plan.place(link.source), plan.place(link.target));
            let horizontal =
                self.cells[link.source.index()][1] == self.cells[link.target.index()][1];
            paths.push(match route {
                Route::Straight => straight(link, from, to),
                Route::Bridge { side, track } => {
                    let up = match side {
                        Side::Before => -1.0,
                        Side::Behind => 1.0,
                    };
                    let up = if horizontal {
                        Point::new(0.0, up)
                    } else {
                        Point::new(up, 0.0)
                    };
                    Path::bridge(from, to, up, self.height(track))
                }
            });
        }
        plan.paths = paths;
    }

    fn height(&self, track: u32) -> f64 {
        self.first_height + f64::from(track) * self.track_height
    }

    /// Routes the links along dimension `along` of the cells, 0 within rows and 1 within columns.
    /// Returns how high the bridges of each row, or column, are on both sides.
    fn route(&self, plan: &Plan, along: usize, routes: &mut [Route]) -> Vec<[f64; 2]> {
        let lines = self.axes[1 - along].gaps.len();
        let mut spans: Vec<Vec<Span>> = vec![Vec::new(); lines];
        let mut taken = vec![vec![false; self.axes[along].gaps.len()]; lines];
        for cell in &self.cells {
            taken[cell[1 - along]][cell[along]] = true;
        }
        for (index, link) in plan.links.iter().enumerate() {
            let ends = [link.source, link.target].map(|node| self.cells[node.index()]);
            if ends[0][1 - along] == ends[1][1 - along] {
                spans[ends[0][1 - along]].push(Span {
                    link: index,
                    low: ends[0][along].min(ends[1][along]),
                    high: ends[0][along].max(ends[1][along]),
                });
            }
        }
        let shifts = &self.axes[along].shifts;
        let mut heights = Vec::with_capacity(lines);
        for (spans, taken) in spans.iter_mut().zip(&taken) {
            spans.retain(|span| {
                let level = shifts[span.low] == shifts[span.high];
                let in_the_way = |i: usize| taken[i] && !(level && shifts[i] != shifts[span.low]);
                (span.low + 1..span.high).any(in_the_way)
            });
            heights.push([Side::Before, Side::Behind].map(|side| {
                let of_side = spans.iter().filter(|span| (self.side)(span.link) == side);
                let tracks = assign_tracks(of_side.copied().collect());
                for (span, track) in &tracks {
                    routes[span.link] = Route::Bridge {
                        side,
                        track: *track,
                    };
                }
                let highest = tracks.iter().map(|&(_, track)| track).max();
                highest.map_or(0.0, |track| self.height(track))
            }));
        }
        heights
    }
}

/// A track for each span: above the tracks of all spans within it, and its own among those that it
/// overlaps.
fn assign_tracks(mut spans: Vec<Span>) -> Vec<(Span, u32)> {
    spans.sort_by_key(|span| (span.length(), span.low, span.link));
    let mut placed: Vec<(Span, u32)> = Vec::with_capacity(spans.len());
    for span in spans {
        let over = placed.iter().filter(|(other, _)| span.holds(other));
        let mut track = over.map(|&(_, track)| track + 1).max().unwrap_or(0);
        let mut beside: Vec<u32> = placed
            .iter()
            .filter(|(other, _)| span.overlaps(other))
            .map(|&(_, track)| track)
            .collect();
        beside.sort_unstable();
        for taken in beside {
            track += u32::from(taken == track);
        }
        placed.push((span, track));
    }
    placed
}

/// Where each column or row is: far enough from the one before for the bridges between them.
fn offsets(gaps: &[f64], heights: &[[f64; 2]]) -> Vec<f64> {
    /// Room between the highest bridges of neighbours, or between bridges and marks.
    const CLEAR: f64 = 0.42;
    let mut at = 0.0;
    let mut offsets = Vec::with_capacity(gaps.len());
    for (i, &gap) in gaps.iter().enumerate() {
        if i > 0 {
            let bridges = heights[i - 1][1] + heights[i][0];
            at += if bridges > 0.0 {
                gap.max(bridges + CLEAR)
            } else {
                gap
            };
        }
        offsets.push(at);
    }
    offsets
}
