//! Files that describe no network: what is said of them, and of which place.

use flitsim_topology::file::{Source, parse_csv, parse_graphml};
use flitsim_topology::{FileError, Network};

fn csv(text: &str) -> Result<Network, FileError> {
    let file = "net.csv";
    parse_csv(Source { file, text }, None)
}

fn graphml(text: &str) -> Result<Network, FileError> {
    let file = "net.graphml";
    parse_graphml(Source { file, text })
}

#[track_caller]
fn assert_refused(network: Result<Network, FileError>, message: &str) {
    assert_eq!(network.unwrap_err().to_string(), message);
}

#[test]
fn channel_lists_that_do_not_hold_are_refused_with_the_place() {
    let cases = [
        (
            "from,to\na,b\nb,a\n\n a , b\n",
            "net.csv:5:1: the channel from `a` to `b` stands here \
          again; it is in line 2 already (parallel channels need different numbers in a column \
          `parallel`)",
        ),
        (
            "from,to\na,b\nb,b\n",
            "net.csv:3:3: a channel from `b` to itself: a channel joins two \
          different nodes",
        ),
        (
            "from,to\na,b\nb,c\nc,a\nd,a\n",
            "net.csv:5:1: no channel enters terminal `d`: each \
          terminal needs one out and one in",
        ),
        (
            "from,to\na,b\nb,a\na,c\n",
            "net.csv:4:3: no channel leaves terminal `c`: each terminal \
          needs one out and one in",
        ),
        (
            "from,to\na,b\nb,a\nc,d\nd,c\n",
            "net.csv:4:1: no path leads from `a` to `c`: every node \
          must reach every other",
        ),
        (
            "from,to\na,b\nb,a\na,c\nc,d\nd,c\n",
            "net.csv:4:3: no path leads from `c` to `a`: every \
          node must reach every other",
        ),
        (
            "",
            "net.csv: the file is empty; expected `from,to[,width,length,delay,parallel]`, or \
          `node[,kind,x,y]` for a list of nodes",
        ),
        (
            "from,to\n",
            "net.csv: there is no channel; a network has two or more",
        ),
        (
            "node\na\n",
            "net.csv: there is no channel list; expected the header \
          `from,to[,width,length,delay,parallel]`",
        ),
        (
            "a,b\nb,a\n",
            "net.csv:1:1: a table begins with its header; expected \
          `from,to[,width,length,delay,parallel]`, or `node[,kind,x,y]` for a list of nodes",
        ),
        (
            "from,to,lenght\na,b,1\n",
            "net.csv:1:9: the channel list has no column `lenght` (did you \
          mean `length`?); its columns are from, to, width, length, delay, parallel",
        ),
        (
            "from,width\na,1\n",
            "net.csv:1:1: the channel list needs a column `to`",
        ),
        (
            "from,to,to\na,b,c\n",
            "net.csv:1:9: column `to` stands twice in the header",
        ),
        (
            "from,to\na,b\nb\n",
            "net.csv:3:1: this row has 1 cells; the header has 2",
        ),
        (
            "from,to\na,\"b\nb,a\n",
            "net.csv:2:3: a quoted cell ends with `\"` before the next comma \
          or the end of the line; a quote in it is written twice",
        ),
        (
            "from,to,delay\na,b,-1\nb,a,0\n",
            "net.csv:2:5: `-1` is no delay: expected a whole number \
          of cycles from 0 to 100000",
        ),
        (
            "from,to,width\nä,b,0\nb,a,1\n",
            "net.csv:2:5: `0` is no width: expected a whole number \
          of bits from 1 to 4294967295",
        ),
        (
            "from,to,length\na,b,1e300\nb,a,1\n",
            "net.csv:2:5: `1e300` is no length: expected a number \
          of node pitches from 0 to 3.4e38",
        ),
        (
            "from,to,delay\na,b,1\nb,a,\n",
            "net.csv:3:1: `delay` is missing here, and given \
          elsewhere: give it everywhere, or nowhere",
        ),
        (
            "from,to\na,\nb,a\n",
            "net.csv:2:3: `` cannot name a node: a name is not empty and has no \
          control characters",
        ),
        (
            "from,to\na,b\nb,a\n\nfrom,to\na,c\n",
            "net.csv:5:1: a second channel list: there is one \
          already",
        ),
    ];
    for (text, message) in cases {
        assert_refused(csv(text), message);
    }
}

#[test]
fn lists_of_nodes_that_do_not_hold_are_refused_with_the_place() {
    let with_nodes = |nodes: &str, channels: &str| {
        let nodes = Source {
            file: "nodes.csv",
            text: nodes,
        };
        parse_csv(
            Source {
                file: "net.csv",
                text: channels,
            },
            Some(nodes),
        )
    };
    let pair = "from,to\nleft,right\nright,left\n";
    let cases = [
        (
            "node\nleft\nrigth\n",
            "net.csv:2:6: there is no node `right` (did you mean `rigth`?)\n\
             net.csv:3:1: there is no node `right` (did you mean `rigth`?)",
        ),
        (
            "node,kind\nleft,terminal\nright,swich\n",
            "nodes.csv:3:7: `swich` is no kind: expected \
          `terminal` or `switch` (did you mean `switch`?)",
        ),
        (
            "node\nleft\nright\nleft\n",
            "nodes.csv:4:1: node `left` stands here again; it is in line \
          2 already",
        ),
        (
            "node,kind\nleft,switch\nright,switch\n",
            "nodes.csv: there is no terminal: all 2 nodes \
          are switches",
        ),
        (
            "node,x\nleft,1\nright,2\n",
            "nodes.csv:2:1: `y` is missing here, and given elsewhere: \
          give it everywhere, or nowhere",
        ),
        (
            "node,x,y\nleft,1,2\nright,,\n",
            "nodes.csv:3:1: `x` is missing here, and given \
          elsewhere: give it everywhere, or nowhere",
        ),
        (
            "node\nleft\nright\nalone\n",
            "nodes.csv:4:1: no channel leaves terminal `alone`: each \
          terminal needs one out and one in",
        ),
        (
            "node,kind\nleft,terminal\nright,terminal\nalone,switch\n",
            "nodes.csv:4:1: no path leads \
          from `left` to `alone`: every node must reach every other",
        ),
        (
            "from,to\n",
            "nodes.csv:1:1: a table begins with its header; expected the header \
          `node[,kind,x,y]`",
        ),
    ];
    for (nodes, message) in cases {
        assert_refused(with_nodes(nodes, pair), message);
    }
    let twice = format!("{pair}\nnode\nleft\nright\n");
    assert_refused(
        with_nodes("node\nleft\nright\n", &twice),
        "net.csv:5:1: a second list of nodes: there is one already",
    );
}

#[test]
fn graphml_that_does_not_hold_is_refused_with_the_place() {
    let pair = r#"<node id="a"/><node id="b"/><edge source="a" target="b"/>"#;
    let graph = |inside: &str| {
        graphml(&format!(
            "<graphml>\n<graph edgedefault=\"directed\">\n{inside}\n</graph>\n</graphml>"
        ))
    };
    assert!(graph(&format!("{pair}<edge source=\"b\" target=\"a\"/>")).is_ok());
    let cases = [
        (
            r#"<node id="a"/><node/>"#,
            "net.graphml:3:15: element `node` needs an attribute `id`",
        ),
        (
            pair,
            "net.graphml:3:7: no channel enters terminal `a`: each terminal needs one out and \
          one in",
        ),
        (
            r#"<node id="abc"/><edge source="abc" target="abd"/>"#,
            "net.graphml:3:36: there is no \
          node `abd` (did you mean `abc`?)",
        ),
        (
            "<hyperedge/>",
            "net.graphml:3:1: element `hyperedge`: a channel joins two nodes",
        ),
        (
            r#"<node id="a"><graph/></node>"#,
            "net.graphml:3:14: element `graph`: a node cannot hold \
          a graph of its own",
        ),
        (
            "<edge>",
            "net.graphml:4:1: expected 'edge' tag, not 'graph' at 4:1",
        ),
    ];
    for (inside, message) in cases {
        assert_refused(graph(inside), message);
    }
    let cases = [
        (
            "",
            "net.graphml: the file is empty; expected a `graphml` element",
        ),
        (
            "<svg/>",
            "net.graphml:1:1: element `svg`: expected `graphml` as the outermost",
        ),
        (
            "<graphml/>",
            "net.graphml:1:1: element `graphml`: it has no `graph`",
        ),
        (
            "<graphml><graph/></graphml>",
            "net.graphml:1:10: element `graph` needs an attribute \
          `edgedefault`",
        ),
        (
            "<graphml>\n<key id=\"k\" for=\"edge\" attr.name=\"lenght\"/><graph/></graphml>",
            "net.graphml:2:1: the graph has no column `lenght` (did you mean `length`?); its columns \
          are width, length, delay, parallel",
        ),
    ];
    for (text, message) in cases {
        assert_refused(graphml(text), message);
    }
}

#[test]
fn a_document_nested_beyond_reason_is_refused_or_read_but_never_the_end() {
    let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert!(graphml(&deep).is_err());
    assert!(graphml(&"<a>".repeat(200_000)).is_err());
}

/// A node that a wrong row would have listed is not called unknown below.
#[test]
fn all_rows_that_do_not_hold_are_told_and_nothing_that_follows_from_them() {
    let rows = "node,x,y\na,0,0\nb,zero,0\nc,0\n\nfrom,to\na,b\nb,c\nc,a\n";
    assert_refused(
        csv(rows),
        "net.csv:3:3: `zero` is no x: expected a number from -3.4e38 to 3.4e38\n\
         net.csv:4:1: this row has 2 cells; the header has 3",
    );
}

#[test]
fn below_a_cell_that_goes_on_over_its_line_nothing_is_read() {
    assert_refused(
        csv("from,to,width\na,a,8\na,\"b\nc\",8\nb,b,8\n"),
        "net.csv:2:3: a channel from `a` to itself: a channel joins two different nodes\n\
         net.csv:3:3: a quoted cell ends with `\"` before the next comma or the end of the line; a quote in it is \
         written twice",
    );
}

#[test]
fn of_many_wrong_rows_ten_are_told() {
    for (wrong, told) in [(2, 2), (10, 10), (11, 10), (500, 10)] {
        let text = format!("from,to\na,b\n{}b,a\n", "a,a\n".repeat(wrong));
        let message = csv(&text).unwrap_err().to_string();
        assert_eq!(message.lines().count(), told, "{message}");
        for (line, at) in message.lines().zip(3..) {
            let start = format!("net.csv:{at}:3: a channel from `a` to itself");
            assert!(line.starts_with(&start), "{line}");
        }
    }
}
