//! Points, and the lines and curves that channels are drawn as.
//!
//! Invariant: a path has at least one piece, so that it has an end.

use std::ops::{Add, Mul, Sub};

/// A place in a picture: x to the right, y downward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downward.
    pub y: f64,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The distance from the origin.
    pub fn norm(self) -> f64 {
        // Not `hypot`, whose last bit differs from machine to machine.
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// The distance between two points.
    pub fn distance(self, other: Self) -> f64 {
        (self - other).norm()
    }

    /// The same way, one unit long; the x axis where there is no way at all.
    pub(crate) fn unit(self) -> Self {
        let norm = self.norm();
        if norm > 0.0 {
            self * (1.0 / norm)
        } else {
            Self::new(1.0, 0.0)
        }
    }

    /// A quarter turn to the left as seen on a page: from "to the right" to "upward".
    pub(crate) fn left(self) -> Self {
        Self::new(self.y, -self.x)
    }

    /// The point at `angle` radians, clockwise from the right, on a circle round the origin.
    pub(crate) fn polar(radius: f64, angle: f64) -> Self {
        Self::new(radius * angle.cos(), radius * angle.sin())
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

/// A part of a path, from where the part before it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// A straight line to a point.
    Line(Point),
    /// A cubic Bézier curve: two control points, then the end.
    Curve([Point; 3]),
}

impl Piece {
    /// Where it ends.
    pub fn end(&self) -> Point {
        match *self {
            Self::Line(end) | Self::Curve([_, _, end]) => end,
        }
    }
}

/// A line that consists of straight and curved pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it begins.
    pub start: Point,
    /// Its pieces, at least one.
    pub pieces: Vec<Piece>,
}

/// Straight lines that a curve is taken for where its length matters.
const STEPS_PER_CURVE: u32 = 12;

impl Path {
    /// A straight line.
    pub fn line(start: Point, end: Point) -> Self {
        Self {
            start,
            pieces: vec![Piece::Line(end)],
        }
    }

    /// A curve that leaves the straight line by `height` in its middle, to the left of the way from
    /// `start` to `end`; the straight line itself where `height` is 0.
    pub fn bow(start: Point, end: Point, height: f64) -> Self {
        if height == 0.0 {
            return Self::line(start, end);
        }
        let way = end - start;
        // A cubic's middle is three quarters of the way to its control points.
        let aside = way.unit().left() * (height / 0.75);
        let first = start + way * 0.25 + aside;
        let second = start + way * 0.75 + aside;
        Self {
            start,
            pieces: vec![Piece::Curve([first, second, end])],
        }
    }

    /// A bridge from `start` to `end`: up by `height` in the direction `up`, straight on, and down.
    pub fn bridge(start: Point, end: Point, up: Point, height: f64) -> Self {
        let length = start.distance(end);
        let ramp = (0.35 + 0.8 * height).min(length / 2.0);
        let (way, rise) = ((end - start).unit() * ramp, up * height);
        let mut pieces = vec![Piece::Curve([
            start + way * 0.2 + rise * 0.75,
            start + way * 0.5 + rise,
            start + way + rise,
        ])];
        if 2.0 * ramp < length {
            pieces.push(Piece::Line(end - way + rise));
        }
        pieces.push(Piece::Curve([
            end - way * 0.5 + rise,
            end - way * 0.2 + rise * 0.75,
            end,
        ]));
        Self { start, pieces }
    }

    /// Where it ends.
    pub fn end(&self) -> Point {
        self.pieces.last().map_or(self.start, Piece::end)
    }

    /// The same line from its end to its start.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for (i, piece) in self.pieces.iter().enumerate().rev() {
            let to = match i.checked_sub(1) {
                Some(before) => self.pieces[before].end(),
                None => self.start,
            };
            pieces.push(match *piece {
                Piece::Line(_) => Piece::Line(to),
                Piece::Curve([first, second, _]) => Piece::Curve([second, first, to]),
            });
        }
        Self {
            start: self.end(),
            pieces,
        }
    }

    /// The line with every point moved as `map` says.
    #[must_use]
    pub(crate) fn map(&self, map: impl Fn(Point) -> Point) -> Self {
        let piece = |piece: &Piece| match *piece {
            Piece::Line(end) => Piece::Line(map(end)),
            Piece::Curve(points) => Piece::Curve(points.map(&map)),
        };
        Self {
            start: map(self.start),
            pieces: self.pieces.iter().map(piece).collect(),
        }
    }

    /// Points on the line, close enough together to take it for a polygon; its start and end are
    /// the first and the last of them.
    pub fn points(&self) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut from = self.start;
        for piece in &self.pieces {
            match *piece {
                Piece::Line(end) => points.push(end),
                Piece::Curve([first, second, end]) => {
                    for step in 1..STEPS_PER_CURVE {
                        let t = f64::from(step) / f64::from(STEPS_PER_CURVE);
                        let s = 1.0 - t;
                        points.push(
                            from * (s * s * s)
                                + first * (3.0 * s * s * t)
                                + second * (3.0 * s * t * t)
                                + end * (t * t * t),
                        );
                    }
                    points.push(end);
                }
            }
            from = piece.end();
        }
        points
    }

    /// The same line moved aside by `distance`, to the left of the way from its start to its end.
    /// Its ends stay where they are, so that it still begins and ends in its nodes.
    #[must_use]
    pub(crate) fn aside(&self, distance: f64, keep: f64) -> Self {
        let points = self.points();
        let moved = |i: usize| {
            let before = points[i.saturating_sub(1)];
            let after = points[(i + 1).min(points.len() - 1)];
            points[i] + (after - before).unit().left() * distance
        };
        let last = points.len() - 1;
        // Both ends leave the mark of the node in the direction of the line, then run beside it.
        let ahead = (points[1] - points[0]).unit() * keep;
        let behind = (points[last - 1] - points[last]).unit() * keep;
        let mut pieces = vec![Piece::Line(moved(0) + ahead)];
        pieces.extend((1..last).map(|i| Piece::Line(moved(i))));
        pieces.push(Piece::Line(moved(last) + behind));
        pieces.push(Piece::Line(points[last]));
        Self {
            start: self.start,
            pieces,
        }
    }

    /// The point `distance` before the end along the line, and the way that the line goes there;
    /// the start where the line is not as long.
    pub(crate) fn before_end(&self, distance: f64) -> (Point, Point) {
        let points = self.points();
        let mut left = distance;
        for pair in points.windows(2).rev() {
            let length = pair[0].distance(pair[1]);
            let way = (pair[1] - pair[0]).unit();
            if length > 0.0 && left <= length {
                return (pair[1] - way * left, way);
            }
            left -= length;
        }
        (self.start, (points[1] - points[0]).unit())
    }
}
