//! Pictures of every family: each node and channel is there, and in a place of its own.

use crate::drawn;

use drawn::{families, from_list};
use flitsim_topology::draw::{
    ChannelStyle, Colour, DrawError, Drawing, NodeKind, Path, Point, Style, dot, svg,
};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};
use std::collections::{BTreeSet, HashMap};

fn drawn(network: &Network) -> Drawing {
    Drawing::of(network).expect("small enough to draw")
}

#[test]
fn every_channel_leads_from_its_source_to_its_target() {
    for (name, network) in families() {
        let drawing = drawn(&network);
        assert_eq!(drawing.nodes.len(), network.nodes() as usize, "{name}");
        assert_eq!(
            drawing.channels.len(),
            network.channels() as usize,
            "{name}"
        );
        for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
            let ends = [network.source(id), network.target(id)];
            let places = ends.map(|node| drawing.nodes[node.index()].place);
            for (end, place) in [line.path.start, line.path.end()].into_iter().zip(places) {
                assert!(end.distance(place) < 1e-6, "{name}: channel {id}");
            }
            assert!(line.class < drawing.classes.len(), "{name}: channel {id}");
            if let Some(opposite) = line.opposite {
                let back = &drawing.channels[opposite.index()];
                assert_eq!(network.source(opposite), ends[1], "{name}: channel {id}");
                assert_eq!(network.target(opposite), ends[0], "{name}: channel {id}");
                assert_eq!(back.opposite, Some(id), "{name}: channel {id}");
                assert_eq!(back.path, line.path.reversed(), "{name}: channel {id}");
            }
        }
    }
}

#[test]
fn no_two_marks_overlap_and_all_are_within_the_picture() {
    for (name, network) in families() {
        let drawing = drawn(&network);
        for (i, a) in drawing.nodes.iter().enumerate() {
            let radius = drawing.radius_of(NodeId(i as u32));
            let within = |at: f64, end: f64| at >= radius && at + radius <= end;
            assert!(
                within(a.place.x, drawing.width) && within(a.place.y, drawing.height),
                "{name}: node {i}"
            );
            for (j, b) in drawing.nodes.iter().enumerate().skip(i + 1) {
                let least = radius + drawing.radius_of(NodeId(j as u32));
                let apart = a.place.distance(b.place);
                assert!(
                    apart > least,
                    "{name}: nodes {i} and {j}, {apart} < {least}"
                );
            }
        }
    }
}

/// No line passes through the mark of a node that it does not join: such a picture would lie. The
/// most crowded pictures cannot always help it; nodes are drawn over lines there.
#[test]
fn lines_pass_by_the_nodes_that_they_do_not_join() {
    for (name, network) in families() {
        let crowded = ["star 5", "express 5^3", "express 5^3, turning"];
        let crowded = crowded.contains(&name.as_str());
        if crowded || name.contains("pyramid") {
            continue;
        }
        let drawing = drawn(&network);
        for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
            let points = line.path.points();
            for (node, mark) in (0..).map(NodeId).zip(&drawing.nodes) {
                if node == network.source(id) || node == network.target(id) {
                    continue;
                }
                let near = points.windows(2).map(|p| distance(mark.place, p[0], p[1]));
                let near = near.fold(f64::INFINITY, f64::min);
                // A line that just touches a mark is still seen to go on.
                let least = 0.75 * drawing.radius_of(node);
                assert!(near > least, "{name}: channel {id} through node {node}");
            }
        }
    }
}

fn distance(point: Point, from: Point, to: Point) -> f64 {
    let (way, ahead) = (to - from, point - from);
    let square = way.x * way.x + way.y * way.y;
    let along = (ahead.x * way.x + ahead.y * way.y) / square.max(1e-12);
    point.distance(from + way * along.clamp(0.0, 1.0))
}

/// Different links have different lines, parallel ones and those along one row included.
#[test]
fn no_two_links_share_a_line() {
    for (name, network) in families() {
        let drawing = drawn(&network);
        let mut middles: HashMap<[i64; 2], ChannelId> = HashMap::new();
        for (id, line) in (0..).map(ChannelId).zip(&drawing.channels) {
            if line.opposite.is_some_and(|opposite| opposite < id) {
                continue;
            }
            let key = |p: Point| [p.x, p.y].map(|v| (v * 10.0).round() as i64);
            let points = line.path.points();
            let length: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
            let middle = at(&line.path, length / 2.0);
            let ends = key(line.path.start).max(key(line.path.end()));
            if let Some(other) = middles.insert(key(middle), id) {
                let same = &drawing.channels[other.index()].path;
                let shared = key(same.start).max(key(same.end())) == ends;
                assert!(!shared, "{name}: channels {id} and {other}");
            }
        }
    }
}

/// The point at `distance` along a path.
fn at(path: &Path, distance: f64) -> Point {
    let mut left = distance;
    for pair in path.points().windows(2) {
        let length = pair[0].distance(pair[1]);
        if left <= length && length > 0.0 {
            return pair[0] + (pair[1] - pair[0]) * (left / length);
        }
        left -= length;
    }
    path.end()
}

#[test]
fn pictures_are_well_formed_xml_with_finite_numbers() {
    for (name, network) in families() {
        let drawing = drawn(&network);
        let title = format!("<{name}> & \"so on\"");
        let picture = svg(
            &drawing,
            &Style {
                title: &title,
                ..Style::default()
            },
        );
        let xml = roxmltree::Document::parse(&picture).expect("well-formed");
        assert_eq!(xml.root_element().tag_name().name(), "svg", "{name}");
        assert!(
            !picture.contains("NaN") && !picture.contains("inf"),
            "{name}"
        );
        let texts = xml.descendants().filter_map(|n| n.text());
        assert!(texts.collect::<String>().contains(&title), "{name}");
        let marks = xml.descendants().filter(|n| {
            let title = n.first_element_child();
            title.is_some_and(|t| t.tag_name().name() == "title") && n.tag_name().name() != "svg"
        });
        assert_eq!(marks.count(), drawing.nodes.len(), "{name}");
        let again = svg(
            &drawn(&network),
            &Style {
                title: &title,
                ..Style::default()
            },
        );
        assert_eq!(picture, again, "{name}: the same bytes each time");
    }
}

#[test]
fn kinds_of_nodes_are_told_apart() {
    let of = |name: &str| {
        let network = families().into_iter().find(|(n, _)| n == name);
        let drawing = drawn(&network.expect("a family of this name").1);
        [NodeKind::Terminal, NodeKind::Switch, NodeKind::Interchange].map(|k| drawing.count(k))
    };
    assert_eq!(of("butterfly 64"), [64, 28, 0]);
    assert_eq!(of("express 16, i = 4"), [16, 0, 3]);
    assert_eq!(of("file with places"), [2, 3, 0]);
}

/// Dally, figures 1 and 3: express channels are over the line of nodes, higher for higher levels.
#[test]
fn express_channels_rise_level_by_level() {
    let network = families()
        .into_iter()
        .find(|(name, _)| name == "express 16, i = 2, l = 3");
    let network = network.expect("a family of this name").1;
    let drawing = drawn(&network);
    let line = drawing.nodes[0].place.y;
    let mut heights: HashMap<&str, BTreeSet<i64>> = HashMap::new();
    for channel in &drawing.channels {
        let top = channel
            .path
            .points()
            .iter()
            .map(|p| line - p.y)
            .fold(0.0, f64::max);
        let class = drawing.classes[channel.class].name.as_str();
        heights.entry(class).or_default().insert(top.round() as i64);
    }
    let of = |class: &str| heights[class].iter().copied().collect::<Vec<_>>();
    let (local, first, second) = (
        of("local channel"),
        of("express channel of level 1"),
        of("express channel of level 2"),
    );
    assert_eq!(
        (local.len(), first.len(), second.len()),
        (1, 1, 1),
        "{heights:?}"
    );
    assert!(
        local[0] == 0 && local[0] < first[0] && first[0] < second[0],
        "{heights:?}"
    );
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    for (radices, ends) in [(&[50, 41][..], Ends::Ring), (&[2; 11][..], Ends::Open)] {
        let network = Grid::new(radices, ends).expect("a grid").into_network();
        let error = Drawing::of(&network).expect_err("too large");
        assert_eq!(
            error,
            DrawError::TooLarge {
                nodes: network.nodes(),
                channels: network.channels(),
            }
        );
        let message = error.to_string();
        assert!(
            message.contains("2000 nodes and 20000 channels"),
            "{message}"
        );
    }
    let largest = Grid::new(&[50, 40], Ends::Ring).expect("a grid");
    assert!(Drawing::of(&largest.into_network()).is_ok());
}

#[test]
fn a_channel_of_its_own_style_runs_beside_the_other_way() {
    let network = Grid::uniform(3, 2, Ends::Open)
        .expect("a mesh")
        .into_network();
    let drawing = drawn(&network);
    let hot = ChannelId(0);
    let channel = |id| ChannelStyle {
        colour: (id == hot).then_some(Colour::VERMILION),
        emphasised: id == hot,
        tooltip: (id == hot).then(|| "90 % < full".to_owned()),
        ..ChannelStyle::default()
    };
    let plain = svg(&drawing, &Style::default());
    let key = [(Colour::VERMILION, "waits")];
    let styled = svg(
        &drawing,
        &Style {
            channel: &channel,
            key: &key,
            note: "a note",
            ..Style::default()
        },
    );
    roxmltree::Document::parse(&styled).expect("well-formed");
    let hot = Colour::VERMILION.to_string();
    assert!(!plain.contains(&hot) && styled.contains(&hot));
    assert!(styled.contains("<title>90 % &lt; full</title>"));
    assert!(styled.contains(">waits<") && styled.contains(">a note<"));
    // Links that are alike both ways have no heads; the hot channel and the one back have.
    assert_eq!(plain.matches("Z\" fill").count(), 0);
    assert_eq!(styled.matches("Z\" fill").count(), 2);
}

#[test]
fn one_way_channels_have_heads_and_are_in_the_key() {
    let network = Grid::uniform(8, 1, Ends::DirectedRing)
        .expect("a ring")
        .into_network();
    let drawing = drawn(&network);
    assert!(drawing.has_one_way_channels());
    let picture = svg(&drawing, &Style::default());
    assert!(picture.contains("one-way channel"));
    let heads = picture.lines().find(|line| line.contains("Z\" fill"));
    assert_eq!(heads.expect("heads").matches('Z').count(), 8);
}

#[test]
fn places_of_a_file_are_kept() {
    let drawing = drawn(&from_list(true));
    let place = |i: usize| drawing.nodes[i].place;
    // x to the right, y downward, one unit for both.
    let unit = (place(1).x - place(0).x) / 2.0;
    assert!(unit > 0.0);
    assert!((place(2).y - place(0).y - unit).abs() < 1e-6);
    assert!((place(4).y - place(0).y - 2.0 * unit).abs() < 1e-6);
}

#[test]
fn places_that_a_file_gives_twice_are_told_apart() {
    let text = "from,to\na,b\nb,a\nb,c\nc,b\n\nnode,x,y\na,1,1\nb,1,1\nc,1,1\n";
    let source = flitsim_topology::file::Source {
        file: "one.csv",
        text,
    };
    let network = flitsim_topology::file::parse_csv(source, None).expect("a network");
    let drawing = drawn(&network);
    for (i, a) in drawing.nodes.iter().enumerate() {
        for b in &drawing.nodes[i + 1..] {
            assert!(a.place.distance(b.place) > 2.0 * drawing.radius);
        }
    }
}

/// What Graphviz is told: each node once, each channel once, alone or with the one back.
#[test]
fn dot_names_every_node_and_every_channel() {
    for (name, network) in families() {
        let text = dot(&network);
        let lines = || text.lines().map(str::trim);
        let quoted = |node: NodeId| {
            let label = network.name(node).into_owned();
            match label.bytes().all(|b| b.is_ascii_digit()) {
                true => label,
                false => format!("\"{label}\""),
            }
        };
        let mut nodes: Vec<&str> = lines()
            .filter(|line| !line.contains("->") && line.ends_with(';'))
            .map(|line| line.split([' ', ';']).next().unwrap_or_default())
            .filter(|word| !["graph", "node", "edge"].contains(word))
            .collect();
        nodes.sort_unstable();
        let mut expected: Vec<String> = (0..network.nodes()).map(|n| quoted(NodeId(n))).collect();
        expected.sort_unstable();
        assert_eq!(nodes, expected, "{name}");
        let mut channels = BTreeSet::new();
        for line in lines().filter(|line| line.contains("->")) {
            let ids = line
                .split("id=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let ids: Vec<ChannelId> = ids
                .expect("an id")
                .split(' ')
                .map(|id| ChannelId(id[1..].parse().expect("a number")))
                .collect();
            let ends = format!(
                "{} -> {} [",
                quoted(network.source(ids[0])),
                quoted(network.target(ids[0]))
            );
            assert!(line.starts_with(&ends), "{name}: {line}");
            assert_eq!(line.contains("dir=both"), ids.len() == 2, "{name}: {line}");
            if let [one, back] = ids[..] {
                assert_eq!(network.source(one), network.target(back), "{name}: {line}");
                assert_eq!(network.target(one), network.source(back), "{name}: {line}");
            }
            for id in ids {
                assert!(channels.insert(id), "{name}: channel {id} twice");
            }
        }
        assert_eq!(channels.len(), network.channels() as usize, "{name}");
    }
}

#[test]
fn dot_says_what_differs_between_the_two_ways() {
    let text = "from,to,delay\n\"a \"\"b\"\" \\\",c,1\nc,\"a \"\"b\"\" \\\",2\n";
    let source = flitsim_topology::file::Source {
        file: "x.csv",
        text,
    };
    let network = flitsim_topology::file::parse_csv(source, None).expect("a network");
    let text = dot(&network);
    assert!(
        text.contains("\"a \\\"b\\\" \\\\\" -> \"c\" [id=\"c0\""),
        "{text}"
    );
    assert!(
        text.contains("delay=1") && text.contains("delay=2"),
        "{text}"
    );
    assert!(
        !text.contains("dir=both") && !text.contains("pos="),
        "{text}"
    );
}
