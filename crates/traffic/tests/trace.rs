//! Traces, batches and closed loops: what is refused, and what comes when.

use flitsim_random::{Draw, Pcg64Mcg};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{Ends, Grid, Network, NodeId};
use flitsim_traffic::{
    Arrival, Batch, BitComplement, ClosedLoop, Exchange, PacketLength, Pattern, Replay, Trace,
    TrafficPlan, Uniform,
};
use rand::SeedableRng;
use std::collections::{BTreeMap, BTreeSet};

fn line(nodes: u32) -> Network {
    Grid::uniform(nodes, 1, Ends::Open).unwrap().into_network()
}

fn parse(text: &str) -> Result<Trace, String> {
    let source = Source {
        file: "t.csv",
        text,
    };
    Trace::parse(&line(8), source, None).map_err(|error| error.to_string())
}

const HEADER: &str = "cycle,source,destination,flits,packet,depends_on,delay\n";

#[test]
fn what_is_wrong_has_its_line_and_column() {
    for (rows, expected) in [
        ("5,0,8,1,,,\n", "t.csv:2:5: there is no node `8`"),
        (
            "5,0,1,0,,,\n",
            "t.csv:2:7: `0` is no length: expected a whole number of flits from 1",
        ),
        ("-5,0,1,1,,,\n", "t.csv:2:1: `-5` is no cycle"),
        ("1.5,0,1,1,,,\n", "t.csv:2:1: `1.5` is no cycle"),
        (",0,1,1,,,\n", "t.csv:2:1: there is no cycle here"),
        (
            "5,0,1,1,,,\n\n4,0,1,1,,,\n",
            "t.csv:4:1: cycle 4 stands below cycle 5 in line 2",
        ),
        // A cycle that is not there is no beginning of a new order.
        (
            "5,0,1,1,a,,\n,0,1,1,,a,\n4,0,1,1,,,\n",
            "t.csv:4:1: cycle 4 stands below cycle 5 in line 2",
        ),
        (
            "5,0,1,1,a,,\n5,0,1,1,a,,\n",
            "t.csv:3:9: packet `a` stands here again; it is in line 2",
        ),
        ("5,0,1,1,a b,,\n", "t.csv:2:9: `a b` cannot name a packet"),
        (
            "5,0,1,1,\"a\"\"b\",,\n",
            "t.csv:2:9: `a\"b` cannot name a packet",
        ),
        (
            "5,0,1,1,abc,,\n5,0,1,1,,abc; abd,\n",
            "t.csv:3:15: there is no packet `abd` to depend on (did you mean `abc`?)",
        ),
        (
            "5,0,1,1,,b,\n",
            "t.csv:2:10: there is no packet `b` to depend on: no packet has a name",
        ),
        (
            "5,0,1,1,a,,3\n",
            "t.csv:2:12: a delay counts from the delivery",
        ),
        ("5,0,1,1,a,,\n5,0,1,1,,a,x\n", "t.csv:3:12: `x` is no delay"),
        (
            "5,0,1,1,a,a,\n",
            "t.csv:2:1: packets wait for each other's delivery, and none can be created: a -> a (",
        ),
        (
            "5,0,1,1,x,b,\n5,0,1,1,a,c,\n5,0,1,1,b,a,\n5,0,1,1,c,b,\n",
            "t.csv:3:1: packets wait for each other's delivery, and none can be created: a -> c -> b -> a (each",
        ),
        ("", "t.csv: there is no packet"),
        (
            "5,0,1\n",
            "t.csv:2:1: this row has 3 cells; the header has 7",
        ),
    ] {
        let message = parse(&format!("{HEADER}{rows}")).expect_err(rows);
        assert!(
            message.starts_with(expected),
            "{rows}\n{message}\n{expected}"
        );
    }
    let message = parse("cycle,source,destination\n0,0,1\n").unwrap_err();
    assert_eq!(message, "t.csv:1:1: the trace needs a column `flits`");
    let long: String = (0..20)
        .map(|i| format!("0,0,1,1,p{i},p{},\n", (i + 1) % 20))
        .collect();
    let message = parse(&format!("{HEADER}{long}")).unwrap_err();
    assert!(
        message.contains("p6 -> p7 -> (12 more) -> p0 (each"),
        "{message}"
    );
}

#[test]
fn names_of_a_file_are_names_of_a_trace_but_switches_send_nothing() {
    let text = "from,to\nalice,s\ns,alice\nbob,s\ns,bob\n\nnode,kind\nalice,terminal\nbob,terminal\ns,switch\n";
    let network = parse_csv(
        Source {
            file: "n.csv",
            text,
        },
        None,
    )
    .unwrap();
    let parse = |text: &str| {
        let source = Source {
            file: "t.csv",
            text,
        };
        Trace::parse(&network, source, Some(4)).map_err(|error| error.to_string())
    };
    let header = "cycle,source,destination,flits\n";
    assert!(parse(&format!("{header}0,bob,alice,4\n")).is_ok());
    for (row, expected) in [
        ("0,bob,s,4", "t.csv:2:7: `s` is a switch"),
        (
            "0,bob,alcie,4",
            "t.csv:2:7: there is no node `alcie` (did you mean `alice`?)",
        ),
        (
            "0,bob,alice,5",
            "t.csv:2:13: a packet of 5 flits does not fit a buffer of 4 flits",
        ),
    ] {
        let message = parse(&format!("{header}{row}\n")).unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn columns_may_stand_in_any_order_and_comments_anywhere() {
    let trace = parse(
        "# A comment.\ncycle,delay,flits,packet,destination,source,depends_on\n\n# Another.\n\
         7,,3,a,1,0,\n,9,4,b,2,1,\"a\"\n",
    );
    let trace = trace.unwrap();
    assert_eq!(
        (trace.packets(), trace.flits(), trace.dependencies()),
        (2, 7, 1)
    );
    // The second waits for the first, and 9 cycles more.
    assert_eq!(trace.cycle_last(), 16);
    let mut replay = Replay::new(&trace, 1.0, 1);
    let mut seen = Vec::new();
    replay.arrivals(7, |packet, tag| {
        seen.push((packet.source.0, packet.flits, tag))
    });
    replay.delivered(0, 20);
    assert_eq!(replay.next_arrival(), 29);
    replay.arrivals(29, |packet, tag| {
        seen.push((packet.source.0, packet.flits, tag))
    });
    assert_eq!(seen, [(0, 3, 0), (1, 4, 1)]);
}

/// A row of a trace made up at random.
struct Made {
    cycle: u64,
    depends_on: Vec<usize>,
    delay: u64,
}

fn made_up(rng: &mut Pcg64Mcg, rows: usize) -> (Vec<Made>, String) {
    let mut made: Vec<Made> = Vec::new();
    let mut text = HEADER.to_owned();
    let mut cycle = 0;
    for row in 0..rows {
        cycle += u64::from(rng.below(4));
        let on = rng.below(3) * u32::from(row > 0 && rng.below(2) == 0);
        let depends_on: Vec<usize> = (0..on).map(|_| rng.below(row as u32) as usize).collect();
        let is_open = !depends_on.is_empty() && rng.below(2) == 0;
        let delay = u64::from(rng.below(20)) * u64::from(!depends_on.is_empty());
        let names: Vec<String> = depends_on.iter().map(|on| format!("n{on}")).collect();
        let said = if is_open {
            String::new()
        } else {
            cycle.to_string()
        };
        let between = ["; ", " ", ";"][rng.below(3) as usize];
        text += &format!(
            "{said},{},{},1,n{row},{},{delay}\n",
            rng.below(8),
            rng.below(8),
            names.join(between)
        );
        made.push(Made {
            cycle: if is_open { 0 } else { cycle },
            depends_on,
            delay,
        });
    }
    (made, text)
}

/// Every packet is created in the cycle that its row says, or its delay after the last of what it
/// depends on, whichever is later; whatever the network does in between, and in whatever order the
/// deliveries of a cycle are told.
#[test]
fn packets_come_when_their_rows_say() {
    for seed in 0..40 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (made, text) = made_up(&mut rng, 60);
        let trace = parse(&text).unwrap();
        let mut replay = Replay::new(&trace, 1.0, seed);
        let mut under_way: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut arrived = vec![0; made.len()];
        let mut created = vec![u64::MAX; made.len()];
        let mut cycle = 0;
        loop {
            let mut delivered = under_way.remove(&cycle).unwrap_or_default();
            if rng.below(2) == 0 {
                delivered.reverse();
            }
            for tag in delivered {
                arrived[tag as usize] = cycle;
                replay.delivered(tag, cycle);
            }
            let mut last = None;
            replay.arrivals(cycle, |_, tag| {
                assert!(last < Some(tag), "in the order of the rows");
                last = Some(tag);
                created[tag as usize] = cycle;
                let at = cycle + 1 + u64::from(rng.below(30));
                under_way.entry(at).or_default().push(tag);
            });
            if replay.next_arrival() == u64::MAX && under_way.is_empty() {
                break;
            }
            cycle += 1;
        }
        for (row, made) in made.iter().enumerate() {
            let after = made.depends_on.iter().map(|&on| arrived[on]).max();
            let due = after.map_or(0, |after| after + made.delay);
            assert_eq!(created[row], due.max(made.cycle), "row {row} of\n{text}");
        }
    }
}

fn closed_loop(outstanding: u32, requests: Option<u64>) -> ClosedLoop {
    ClosedLoop {
        outstanding,
        service_cycles: 3,
        request: PacketLength::Bimodal {
            short_flits: 1,
            long_flits: 5,
            long_share: 0.5,
        },
        reply: PacketLength::Fixed(9),
        requests,
    }
}

const UNIFORM: Pattern = Pattern::Uniform(Uniform {
    include_self: false,
});

/// What a closed loop sends over a network that takes 1 to `slow` cycles at random.
fn exchanged(plan: &ClosedLoop, slow: u32, cycles: u64) -> Vec<(u64, Arrival, u64)> {
    let network = line(8);
    let mut exchange = Exchange::new(plan.clone(), &UNIFORM, &network, 1).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(slow));
    let mut under_way: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut sent = Vec::new();
    for cycle in 0..cycles {
        for tag in under_way.remove(&cycle).unwrap_or_default() {
            exchange.delivered(tag, cycle);
        }
        exchange.arrivals(cycle, |packet, tag| {
            let at = cycle + 1 + u64::from(rng.below(slow));
            under_way.entry(at).or_default().push(tag);
            sent.push((cycle, packet, at));
        });
    }
    sent
}

#[test]
fn every_request_is_answered_and_as_many_are_outstanding_as_may_be() {
    let plan = closed_loop(3, None);
    let sent = exchanged(&plan, 10, 2_000);
    let is_reply = |packet: &Arrival| packet.flits == 9;
    assert!(
        sent.iter()
            .filter(|(_, packet, _)| is_reply(packet))
            .count()
            > 1_000
    );
    for node in (0..8).map(NodeId) {
        // A node's requests less the replies that it has got.
        let mut changes = BTreeMap::new();
        for (cycle, packet, arrived) in &sent {
            if !is_reply(packet) && packet.source == node {
                *changes.entry(*cycle).or_insert(0) += 1;
            }
            if is_reply(packet) && packet.destination == node {
                *changes.entry(*arrived).or_insert(0) -= 1;
            }
        }
        let mut outstanding = 0;
        for (cycle, change) in changes.range(..1_900) {
            outstanding += change;
            assert_eq!(outstanding, 3, "node {node} after cycle {cycle}");
        }
    }
    // Each reply goes back to one who asked, the service after the request came.
    let mut asked: BTreeMap<(NodeId, NodeId, u64), u64> = BTreeMap::new();
    for (cycle, packet, arrived) in &sent {
        let (from, to) = (packet.source, packet.destination);
        if is_reply(packet) {
            let count = asked.get_mut(&(to, from, cycle - 3)).expect("a request");
            *count -= 1;
        } else {
            *asked.entry((from, to, *arrived)).or_insert(0) += 1;
        }
    }
}

/// The requests of a node are the same, in the same order, on a fast network and on a slow one.
#[test]
fn requests_do_not_depend_on_the_network() {
    let plan = closed_loop(2, Some(50));
    let of = |slow| {
        let sent = exchanged(&plan, slow, 20_000);
        let requests = sent.iter().filter(|(_, packet, _)| packet.flits < 9);
        let mut requests: Vec<Arrival> = requests.map(|(_, packet, _)| *packet).collect();
        assert_eq!((requests.len(), sent.len()), (8 * 50, 2 * 8 * 50));
        requests.sort_by_key(|packet| packet.source);
        requests
    };
    let fast = of(1);
    assert_eq!(fast, of(40));
    let flits: BTreeSet<u32> = fast.iter().map(|packet| packet.flits).collect();
    assert_eq!(flits, BTreeSet::from([1, 5]));
}

#[test]
fn a_batch_is_all_there_at_once() {
    let plan = TrafficPlan {
        pattern: Pattern::BitComplement(BitComplement),
        length: PacketLength::Fixed(3),
        ..TrafficPlan::default()
    };
    let mut batch = Batch::new(&plan, 5, &line(8), 1).unwrap();
    assert_eq!(batch.next_arrival(), 0);
    let mut sent = Vec::new();
    batch.arrivals(|packet| sent.push((packet.source.0, packet.destination.0, packet.flits)));
    let expected = (0..8).flat_map(|node| [(node, 7 - node, 3); 5]);
    assert_eq!(sent, expected.collect::<Vec<_>>());
    assert_eq!(batch.next_arrival(), u64::MAX);
}
