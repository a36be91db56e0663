//! What SVG documents say above a picture, and where the heads of arrows and lines side by side are.

use flitsim_topology::draw::{
    ChannelClass, ChannelLine, ChannelStyle, Colour, Drawing, NodeKind, NodeMark, Path, Piece,
    Point, Style, svg,
};
use flitsim_topology::{ChannelId, Ends, NodeId};

use crate::networks::grid;

/// Two nodes, and what leads from the first to the second; there may be a channel back.
fn joined_by(path: &Path, is_two_way: bool) -> Drawing {
    let mark = |place| NodeMark {
        place,
        kind: NodeKind::Terminal,
        label: String::new(),
        second_label: String::new(),
        detail: String::new(),
    };
    let line = |[source, target]: [u32; 2], path, opposite| ChannelLine {
        source: NodeId(source),
        target: NodeId(target),
        path,
        class: 0,
        opposite,
    };
    let back = ChannelId(1);
    let mut channels = vec![line([0, 1], path.clone(), is_two_way.then_some(back))];
    if is_two_way {
        channels.push(line([1, 0], path.reversed(), Some(ChannelId(0))));
    }
    Drawing {
        width: 120.0,
        height: 40.0,
        radius: 10.0,
        line_width: 2.0,
        nodes: vec![mark(path.start), mark(path.end())],
        channels,
        classes: vec![ChannelClass {
            name: "channel".to_owned(),
            colour: Colour::BLUE,
            faint: false,
        }],
        captions: Vec::new(),
        note: String::new(),
    }
}

const A: Point = Point::new(0.0, 0.0);

/// The lines of `title` above a picture.
fn title_lines(title: &str) -> Vec<String> {
    let drawing = joined_by(&Path::line(A, Point::new(100.0, 0.0)), false);
    let style = Style {
        title,
        ..Style::default()
    };
    let picture = svg(&drawing, &style);
    let xml = roxmltree::Document::parse(&picture).expect("well-formed");
    let lines = xml
        .descendants()
        .filter(|node| node.attribute("font-weight") == Some("bold"));
    lines
        .map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn words_of_a_title_are_not_torn_apart() {
    assert_eq!(title_lines(""), [""; 0]);
    // 44 characters fit.
    let (one, two) = ("o".repeat(20), "t".repeat(23));
    assert_eq!(
        title_lines(&format!("{one} {two}")),
        [format!("{one} {two}")]
    );
    assert_eq!(
        title_lines(&format!("{one}n  {two} three")),
        [format!("{one}n"), format!("{two} three")]
    );
    // What is too long is broken where its keys end.
    let (channels, nodes) = ("c".repeat(30), "n".repeat(10));
    assert_eq!(
        title_lines(&format!("a file:channels={channels},nodes={nodes}")),
        [
            "a file:".to_owned(),
            format!("channels={channels},"),
            format!("nodes={nodes}")
        ]
    );
}

#[test]
fn sizes_have_their_thousands_set_apart() {
    for (radices, ends, size) in [
        (&[7][..], Ends::Ring, ">7 nodes, 14 channels; "),
        (&[1_000], Ends::Ring, ">1,000 nodes, 2,000 channels; "),
        (&[2; 10], Ends::Open, ">1,024 nodes, 10,240 channels; "),
    ] {
        let drawing = Drawing::of(&grid(radices, ends)).unwrap();
        let picture = svg(&drawing, &Style::default());
        assert!(picture.contains(size), "{size}");
    }
}

/// The tip touches the target's mark, 10.6 pixels before the end along the line.
#[test]
fn the_head_of_an_arrow_is_on_the_line() {
    let bent = Path {
        start: A,
        pieces: vec![
            Piece::Line(Point::new(50.0, 0.0)),
            Piece::Line(Point::new(50.0, 5.0)),
        ],
    };
    for (path, head) in [
        (
            Path::line(A, Point::new(100.0, 0.0)),
            "\"M89.4 0L83 -2.88L83 2.88Z\"",
        ),
        (bent, "\"M44.4 0L38 -2.88L38 2.88Z\""),
        // The line is not as long: at its start.
        (
            Path::line(A, Point::new(5.0, 0.0)),
            "\"M0 0L-4 -1.8L-4 1.8Z\"",
        ),
    ] {
        let picture = svg(&joined_by(&path, false), &Style::default());
        assert!(picture.contains(head), "{picture}");
    }
}

#[test]
fn lines_side_by_side_keep_their_ends_and_to_the_right() {
    let drawing = joined_by(&Path::line(A, Point::new(100.0, 0.0)), true);
    let channel = |id| ChannelStyle {
        emphasised: id == ChannelId(0),
        ..ChannelStyle::default()
    };
    let style = Style {
        channel: &channel,
        ..Style::default()
    };
    let picture = svg(&drawing, &style);
    for data in ["M0 0L7 2L93 2L100 0", "M100 0L93 -2L7 -2L0 0"] {
        assert!(picture.contains(&format!("\"{data}\"")), "{picture}");
    }
}
