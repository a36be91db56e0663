//! Lines and colours that pictures are made of.

use flitsim_topology::draw::{Colour, Path, Point};

const A: Point = Point::new(0.0, 0.0);
const B: Point = Point::new(10.0, 0.0);
const UP: Point = Point::new(0.0, -1.0);

#[test]
fn what_is_reversed_is_the_same_line_and_twice_as_it_was() {
    for path in [
        Path::line(A, B),
        Path::bow(A, B, 2.0),
        Path::bridge(A, B, UP, 1.0),
    ] {
        let back = path.reversed();
        assert_eq!((back.start, back.end()), (B, A));
        for (point, same) in back.points().iter().rev().zip(path.points()) {
            assert!(point.distance(same) < 1e-9, "{path:?}");
        }
        assert_eq!(back.reversed(), path);
    }
}

#[test]
fn a_bow_is_as_high_as_asked_for_and_to_the_left() {
    let points = Path::bow(A, B, 2.0).points();
    let middle = points[points.len() / 2];
    assert!(middle.distance(Point::new(5.0, -2.0)) < 1e-9, "{middle:?}");
}

#[test]
fn a_bridge_reaches_its_height_and_no_more() {
    for length in [1.0, 3.0, 30.0] {
        let end = Point::new(length, 0.0);
        let path = Path::bridge(A, end, UP, 1.5);
        let top = path.points().iter().map(|p| -p.y).fold(0.0, f64::max);
        assert!((top - 1.5).abs() < 1e-9, "{top}");
        assert_eq!((path.start, path.end()), (A, end));
    }
}

#[test]
fn a_colour_mixed_with_white() {
    assert_eq!(Colour::BLUE.to_string(), "#0072b2");
    assert_eq!(Colour::BLUE.lighter(1.0), Colour::BLUE);
    assert_eq!(Colour::BLUE.lighter(0.0), Colour(255, 255, 255));
    assert_eq!(Colour(0, 100, 200).lighter(0.5), Colour(128, 178, 228));
}
