//! Elements, numbers and paths as text.

use flitsim_topology::draw::markup::{Element, number, push_path};
use flitsim_topology::draw::{Path, Point};

#[test]
fn nothing_gets_through_unescaped() {
    let element = Element::new("text").set("id", "\"><script>");
    assert_eq!(
        element.text("a < b & 'c'\u{0}"),
        "<text id=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &#39;c&#39;</text>\n"
    );
}

#[test]
fn numbers_are_short() {
    for (value, text) in [
        (1.0, "1"),
        (0.1 + 0.2, "0.3"),
        (-0.001, "0"),
        (f64::NAN, "0"),
    ] {
        assert_eq!(number(value), text);
    }
}

#[test]
fn data_of_a_path() {
    let mut data = String::new();
    push_path(
        &mut data,
        &Path::line(Point::new(0.0, 1.0), Point::new(2.5, 3.0)),
    );
    assert_eq!(data, "M0 1L2.5 3");
}
