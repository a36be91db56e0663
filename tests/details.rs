//! What a point tells beyond its row: the parts sum to the whole, channels carry what the analysis
//! says, buffers hold what a count of every flit's stay says, and asking changes no point.

use flitsim::dispatch::expected_of;
use flitsim::measurement::details::{
    BufferTotal, ClassTotal, Details, GroupTotal, PointDetails, SourceTotal,
};
use flitsim::point::{PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::results::Row;
use flitsim::scenario::{Load, Overrides, Plan, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim_topology::ChannelId;
use std::path::Path;

fn plan(text: &str) -> Plan {
    Plan::parse(
        Path::new("details.toml"),
        text.to_owned(),
        Overrides::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

fn series(text: &str) -> SeriesPlan {
    plan(text).series.swap_remove(0)
}

fn load(flits: f64) -> Load {
    Load {
        in_unit: flits,
        flits,
    }
}

fn simulate(series: &SeriesPlan, flits: f64) -> PointResult {
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    simulate_point(&proved, load(flits), 5, &NoMonitor).expect("a resolved plan runs")
}

fn details(point: &PointResult) -> &PointDetails {
    point.details.as_ref().expect("details were asked for")
}

const MESH: &str = "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n";
const MIX: &str = "[traffic]\npacket_flits = 4\npattern = \"mix\"\nmix = [\n\
     { pattern = \"neighbour\", weight = 3 }, { pattern = \"bit-complement\", weight = 1 } ]\n";
const ALL: &str = "[measure]\nrelative_error = 0.05\ndetails = [\"all\"]\n";

#[test]
fn asking_changes_no_point() {
    let seen = [
        (MESH, MIX, 0.3, Status::Converged),
        (MESH, MIX, 0.9, Status::Saturated),
        (
            "[topology]\nkind = \"torus\"\nradix = 4\ndimensions = 2\n[routing]\nalgorithm = \"duato\"\n",
            "[sweep]\nreplicas = 2\n",
            0.3,
            Status::Converged,
        ),
    ];
    for (topology, more, flits, status) in seen {
        let plan = plan(&format!("{topology}{more}{ALL}"));
        let asked = &plan.series[0];
        let mut plain = asked.clone();
        plain.measure.details = Details::default();
        let row = |series: &SeriesPlan| {
            let point = simulate(series, flits);
            assert_eq!(point.details.is_some(), !series.measure.details.is_empty());
            Row::new(&plan, series, load(flits), &point)
        };
        let row_plain = row(&plain);
        assert_eq!(row(asked), row_plain);
        assert_eq!(row_plain.status, status);
    }
}

/// Whether the groups' packets and latencies are the point's.
fn check_groups<'g>(point: &PointResult, groups: impl Iterator<Item = &'g GroupTotal> + Clone) {
    let packets: u64 = groups.clone().map(GroupTotal::packets).sum();
    assert_eq!(packets, point.packets_measured);
    let latency = point.latency.expect("a stable point");
    let sum_of = |of: fn(&GroupTotal) -> Option<f64>| {
        let sums = groups
            .clone()
            .map(|g| g.packets() as f64 * of(g).unwrap_or(0.0));
        sums.sum::<f64>() / packets as f64
    };
    let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(is_near(sum_of(GroupTotal::latency_mean), latency.sampled));
    assert!(is_near(
        sum_of(GroupTotal::network_latency_mean),
        latency.network_mean
    ));
    assert!(is_near(sum_of(GroupTotal::hops_mean), latency.hops_mean));
    let max = groups.filter_map(GroupTotal::latency_max).max();
    assert_eq!(max.map(|max| max as f64), Some(latency.max));
}

#[test]
fn the_parts_sum_to_the_point() {
    let series = series(&format!("{MESH}{MIX}{ALL}"));
    let point = simulate(&series, 0.3);
    let all = details(&point);
    let classes = all.classes.as_ref().unwrap();
    let sources = all.sources.as_ref().unwrap();
    check_groups(&point, classes.iter().map(|class| &class.group));
    check_groups(&point, sources.iter().map(|source| &source.group));
    check_groups(&point, all.distances.as_ref().unwrap().iter());
    let counted = all.histogram.as_ref().unwrap().buckets().map(|(_, _, n)| n);
    assert_eq!(counted.sum::<u64>(), point.packets_measured);

    // Loads: what each counts is what the point counts, but for packets that straddle an end.
    let per_node = |flits: u64| flits as f64 / all.window_cycles as f64 / 16.0;
    let accepted: u64 = classes.iter().map(|class| class.accepted_flits).sum();
    assert!((per_node(accepted) - point.accepted_flits).abs() < 1e-12);
    let received: u64 = sources.iter().map(|source| source.received_flits).sum();
    assert_eq!(received, accepted);
    let by_source: u64 = sources.iter().map(|source| source.accepted_flits).sum();
    assert!(
        by_source.abs_diff(accepted) < 500,
        "{by_source}, {accepted}"
    );
    let slowest = sources.iter().map(|s| s.accepted_flits).min().unwrap();
    let fairness = point.fairness.unwrap();
    assert_eq!(
        fairness.accepted_min,
        slowest as f64 / all.window_cycles as f64
    );
    assert!(
        fairness
            .index
            .is_some_and(|index| (0.99..=1.0).contains(&index)),
        "{fairness:?}"
    );

    // Three packets of four go to the neighbour.
    let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["neighbour", "bit-complement"]);
    let share = classes[0].group.packets() as f64 / point.packets_measured as f64;
    assert!((share - 0.75).abs() < 0.02, "{share}");
    // (x, y) to (x + 1, y + 1), from the last coordinate back to the first; to (3 - x, 3 - y).
    let hops = |class: &ClassTotal| class.group.hops_mean().unwrap();
    assert!((hops(&classes[0]) - 3.0).abs() < 0.1 && (hops(&classes[1]) - 4.0).abs() < 0.1);
}

#[test]
fn replicas_are_pooled() {
    let series = series(&format!("{MESH}{ALL}[sweep]\nreplicas = 3\n"));
    let point = simulate(&series, 0.2);
    let all = details(&point);
    let packets: u64 = all
        .sources
        .iter()
        .flatten()
        .map(|s| s.group.packets())
        .sum();
    assert_eq!(packets, point.packets_measured);
    let channels = all.channels.as_ref().unwrap();
    let sent = (0..series.network.channels()).map(|c| channels.channel(ChannelId(c)).sent_flits);
    let hops = sent.sum::<u64>() as f64 / all.window_cycles as f64 / 16.0 / point.accepted_flits;
    assert!(
        (hops / point.latency.unwrap().hops_mean - 1.0).abs() < 0.03,
        "{hops}"
    );
}

/// Packets hardly ever meet: H + F cycles over H channels, but for one in a group now and then.
#[test]
fn at_hardly_any_load_each_distance_has_its_zero_load_latency() {
    let series = series(&format!("{MESH}[traffic]\npacket_flits = 6\n{ALL}"));
    let point = simulate(&series, 1e-4);
    let distances = details(&point).distances.as_ref().unwrap();
    assert_eq!(distances.len(), 7, "3 + 3 hops at most, and none at 0");
    assert_eq!(distances[0].packets(), 0);
    for (hops, group) in (1..).zip(&distances[1..]) {
        let latency = group.latency_mean().unwrap();
        let least = f64::from(hops + 6);
        assert!((least..least + 0.2).contains(&latency), "{hops}: {latency}");
        let error = group.latency_ci95();
        assert!(error.is_none_or(|error| error < 0.3), "{hops}: {error:?}");
    }
}

#[test]
fn channels_carry_what_the_analysis_says() {
    let text = "[router]\nvirtual_channels = 2\n[traffic]\npacket_flits = 2\n";
    let series = series(&format!("{MESH}{text}{ALL}"));
    let (flits, point) = (0.2, simulate(&series, 0.2));
    assert_eq!(point.status, Status::Converged);
    let all = details(&point);
    let channels = all.channels.as_ref().unwrap();
    let expected = expected_of(&series).unwrap();
    let cycles = all.window_cycles as f64;
    let mut squares = 0.0;
    for (id, &gamma) in (0..).map(ChannelId).zip(&expected.channel_loads) {
        let total = channels.channel(id);
        let vcs = [0, 1].map(|vc| channels.virtual_channel(id, vc));
        let sum = |of: fn(&BufferTotal) -> u64| vcs.iter().map(of).sum::<u64>();
        assert_eq!(sum(|vc| vc.sent_flits), total.sent_flits);
        assert_eq!(sum(|vc| vc.flit_cycles), total.flit_cycles);
        assert!(total.occupied_cycles <= sum(|vc| vc.occupied_cycles));
        // A flit is in the buffer for at least the router's delay of one cycle.
        assert!(total.flit_cycles + 2 >= total.sent_flits);
        // Packets choose their ways independently: flits vary like 2 times a Poisson number.
        let load = gamma * flits;
        let score = (total.sent_flits as f64 / cycles - load) / (2.0 * load / cycles).sqrt();
        assert!(score.abs() < 5.0, "{id:?}: {score}");
        squares += score * score;
    }
    let mean_square = squares / expected.channel_loads.len() as f64;
    assert!((0.4..1.8).contains(&mean_square), "{mean_square}");
}

const HOT: u32 = 5;

fn hotspot(fraction: f64) -> SeriesPlan {
    let traffic = format!(
        "[traffic]\npacket_flits = 4\npattern = \"hotspot\"\nnodes = [{HOT}]\nfraction = {fraction}\n"
    );
    series(&format!("{MESH}{traffic}{ALL}"))
}

#[test]
fn the_hot_node_shows() {
    let point = simulate(&hotspot(0.2), 0.2);
    assert_eq!(point.status, Status::Converged);
    let all = details(&point);
    let rate = |flits: u64| flits as f64 / all.window_cycles as f64;
    let sources: &[SourceTotal] = all.sources.as_ref().unwrap();
    for (node, source) in (0..).zip(sources) {
        // Each of 15 sends it a fifth, and its share of the rest; the others share their own.
        let expected = match node == HOT {
            true => 0.2 * (15.0 * 0.2 + 0.8),
            false => 0.2 * (14.0 * 0.8 + 1.0) / 15.0,
        };
        let received = rate(source.received_flits);
        assert!(
            (received / expected - 1.0).abs() < 0.1,
            "node {node}: {received}, {expected}"
        );
    }
    let classes = all.classes.as_ref().unwrap();
    let [hot, background] = &classes[..] else {
        panic!("two classes")
    };
    assert_eq!(
        (hot.name.as_str(), background.name.as_str()),
        ("hotspot", "background")
    );
    assert_eq!(hot.accepted_flits, sources[HOT as usize].received_flits);
    assert!(hot.group.latency_mean() > background.group.latency_mean());
    // The busiest channel leads to the hot node.
    let (network, channels) = (hotspot(0.2).network, all.channels.as_ref().unwrap());
    let ids = (0..network.channels()).map(ChannelId);
    let busiest = ids
        .max_by_key(|&id| channels.channel(id).sent_flits)
        .unwrap();
    assert_eq!(network.target(busiest).0, HOT);
}

/// 16 nodes of which 15 send 0.95 + 0.05 / 15 of a share f to one: it is offered 1.03 flits a cycle,
/// whose backlog grows by no more than arrivals vary. What a terminal cannot take is saturated,
/// however short the run and however loose the error.
#[test]
fn a_hot_spot_past_its_terminal_is_saturated_however_short_the_run() {
    let mut series = hotspot(0.2);
    series.measure.details = Details::default();
    for relative_error in [0.5, 0.2] {
        series.measure.relative_error = relative_error;
        for over in [1.005, 1.03] {
            let point = simulate(&series, over / (15.0 * 0.2 + 0.8));
            assert_eq!(point.status, Status::Saturated, "{over}: {point:?}");
            assert_eq!(point.latency, None);
            assert!(point.accepted_flits > 0.0 && point.fairness.is_some());
        }
        let point = simulate(&series, 0.9 / (15.0 * 0.2 + 0.8));
        assert_eq!(point.status, Status::Converged);
    }
    // A terminal without that limit takes them all.
    series.engine.ejection = flitsim_engine::Port::Unlimited;
    let point = simulate(&series, 1.03 / (15.0 * 0.2 + 0.8));
    assert_eq!(point.status, Status::Converged);
}

/// Past saturation there are no latencies, and the loads and channels tell where it is.
#[test]
fn a_saturated_point_tells_who_gets_what() {
    let plan = plan(&format!("{MESH}{MIX}{ALL}"));
    let point = simulate(&plan.series[0], 0.9);
    assert_eq!(point.status, Status::Saturated);
    let table = |detail| {
        flitsim::results::details::table(detail, &plan.series[0], &point).expect("asked for")
    };
    use flitsim::measurement::details::Detail;
    assert!(table(Detail::Histogram).rows.is_empty());
    let classes = table(Detail::Classes);
    let column = |name| classes.columns.iter().position(|c| *c == name).unwrap();
    let accepted = classes
        .rows
        .iter()
        .map(|row| row[column("accepted_flits")].as_f64().unwrap());
    assert!((accepted.sum::<f64>() - point.accepted_flits).abs() < 0.01);
    assert!(
        classes
            .rows
            .iter()
            .all(|row| row[column("latency_mean")].is_null())
    );
    // Who shares fewer channels gets more through; over 16 seeds it is 0.990 to 0.9955.
    assert!(
        point.fairness.unwrap().index.unwrap() < 0.997,
        "{:?}",
        point.fairness
    );
    let sources = table(Detail::Sources);
    assert_eq!(sources.rows.len(), 16);
}

/// A batch of packets of F flits of w bits over wires of one pitch: each hop and the way to the terminal take a read,
/// a write, a switch and its allocation a flit; each hop the wire a flit and an allocation a head.
fn energy_is_arithmetic(crossbar: &str, ways: f64) {
    let plan = plan(&format!(
        "{MESH}[router]\nvirtual_channels = 2\nbuffer_flits = 8\ncrossbar = \"{crossbar}\"\n\
         [traffic]\nmode = \"batch\"\npackets = 20\n\
         packet_flits = 5\n[channel]\nwidth_bits = 16\ncycle_time = 2.0\n[energy]\nbuffer_write = 1\n\
         buffer_read = 0.1\ncrossbar = 0.01\nlink = 0.001\nvc_allocation = 1000\nswitch_allocation = 100\n\
         leakage_buffer = 0.5\nleakage_crossbar = 0.002\nleakage_link = 0.01\npitch_mm = 3\nclock_ghz = 0.5\n"
    ));
    let batch = &plan.series[0];
    let point = simulate(batch, 20.0);
    let row = Row::new(&plan, batch, load(20.0), &point);
    let hops = row.hops_mean.expect("all arrived");
    let (flits, bits) = (5.0, 16.0);
    let packet = flits * bits * (1.11 * (hops + 1.0) + 0.003 * hops)
        + 1000.0 * hops
        + 100.0 * flits * (hops + 1.0);
    let close = |found: Option<f64>, wanted: f64| {
        let found = found.expect("it is there");
        assert!((found / wanted - 1.0).abs() < 1e-5, "{found}, {wanted}");
    };
    close(row.energy_per_packet_pj, packet);
    // 48 channels and 16 terminals with 2 buffers each; switches of 3, 4 and 5 ports.
    let crosspoints = 4.0 * 9.0 + 8.0 * 16.0 + 4.0 * 25.0;
    let buffers = 2.0 * 8.0 * (48.0 + 16.0);
    let leakage = bits * (0.5 * buffers + 0.002 * crosspoints * ways + 0.01 * 48.0 * 3.0);
    close(row.leakage_mw, leakage);
    let nanoseconds = row.makespan_cycles.expect("a batch ends") / 0.5;
    close(row.power_mw, 320.0 * packet / nanoseconds + leakage);
}

#[test]
fn energy_is_arithmetic_on_hops() {
    // A switch has one way for each input port, or one for each of its virtual channels.
    energy_is_arithmetic("port", 1.0);
    energy_is_arithmetic("vc", 2.0);
    // Without a table, only what was asked for is counted, and nothing is claimed.
    let counted = series(&format!("{MESH}[measure]\ndetails = [\"energy\"]\n"));
    let point = simulate(&counted, 0.1);
    assert!(details(&point).energy.is_some());
    let plan = plan(MESH);
    let row = Row::new(&plan, &counted, load(0.1), &point);
    assert_eq!((row.energy_per_packet_pj, row.power_mw), (None, None));
}

#[test]
fn what_takes_energy_is_what_channels_carried() {
    let asked = format!(
        "{MESH}[router]\nvirtual_channels = 2\n[measure]\ndetails = [\"channels\", \"energy\"]\n\
         [sweep]\nreplicas = 2\n"
    );
    let asked = series(&asked);
    let point = simulate(&asked, 0.3);
    let found = details(&point);
    let (channels, energy) = (
        found.channels.as_ref().unwrap(),
        found.energy.as_ref().unwrap(),
    );
    let mut sent = 0;
    for channel in (0..asked.network.channels()).map(ChannelId) {
        let flits = channels.channel(channel).sent_flits;
        assert_eq!(
            energy
                .of_channel(&asked.network, channel, &asked.engine)
                .link_traversals,
            flits
        );
        sent += flits;
    }
    assert!(sent > 10_000, "{sent}");
    let accepted = point.accepted_flits * 16.0 * found.window_cycles as f64;
    let ejected: u64 = asked
        .network
        .living_terminals()
        .map(|node| energy.of_node(node, &asked.engine).crossbar_traversals)
        .sum();
    assert!(
        (ejected as f64 / accepted - 1.0).abs() < 0.01,
        "{ejected}, {accepted}"
    );
}

/// At ports, packets to their own terminal go over two channels: without load latency and hops are those of the
/// analysis, and what leaks are the buffers in routers and their switches.
#[test]
fn ports_are_measured_as_they_are() {
    let ports = |network: &str| {
        plan(&format!(
            "[topology]\n{network}\n[router]\nterminal_ports = true\ninjection_buffers = true\nvirtual_channels = 2\n\
             buffer_flits = 8\npipeline = {{}}\n[traffic]\npacket_flits = 5\nself = true\n[channel]\n\
             width_bits = 16\ncycle_time = 1.0\n[energy]\nleakage_buffer = 0.5\nleakage_crossbar = 0.002\n\
             pitch_mm = 3\nclock_ghz = 0.5\n"
        ))
    };
    for (network, hops) in [
        (
            "kind = \"mesh\"\nradix = 2\ndimensions = 2\nterminals = 4",
            Some(1.0),
        ),
        ("kind = \"butterfly-fat-tree\"\nprocessors = 16", None),
    ] {
        let plan = ports(network);
        let series = &plan.series[0];
        let point = simulate(series, 0.01);
        let row = Row::new(&plan, series, load(0.01), &point);
        let close = |found: Option<f64>, wanted: f64, share: f64| {
            let found = found.expect("it is there");
            assert!(
                (found / wanted - 1.0).abs() < share,
                "{network}: {found}, {wanted}"
            );
        };
        let alone = expected_of(series).unwrap().zero_load_latency_mean(5);
        close(row.latency_mean, alone, 0.02);
        close(row.latency_sampled, alone, 0.02);
        if let Some(hops) = hops {
            close(row.hops_mean, hops, 0.04);
            // 8 channels between routers, and 16 from terminals; switches of 6 ports.
            close(
                row.leakage_mw,
                16.0 * (0.5 * 2.0 * 8.0 * 24.0 + 0.002 * 4.0 * 36.0),
                1e-5,
            );
        }
    }
}

/// Of eight terminals at four routers, four send to themselves and four one hop on: links of terminals are no hops, and
/// a packet that takes none of them has not fewer than none.
#[test]
fn hops_are_those_between_routers_in_the_row_and_in_the_details() {
    for router in [
        "",
        "terminal_ports = true\ninjection_buffers = true\npipeline = {}\n",
    ] {
        let plan = plan(&format!(
            "[topology]\nkind = \"mesh\"\nradix = 2\ndimensions = 2\nterminals = 2\n[router]\n{router}\
             [traffic]\npattern = \"bit-reverse\"\npacket_flits = 2\n{ALL}"
        ));
        let series = &plan.series[0];
        let point = simulate(series, 0.2);
        let all = details(&point);
        let packets = all.distances.iter().flatten().map(GroupTotal::packets);
        let &[home, away] = &packets.collect::<Vec<_>>()[..] else {
            panic!("none takes two hops");
        };
        let hops = away as f64 / (home + away) as f64;
        assert!((hops - 0.5).abs() < 0.05, "{hops}");
        let row = Row::new(&plan, series, load(0.2), &point);
        assert!((row.hops_mean.unwrap() - hops).abs() < 1e-5);
        let class = &all.classes.as_ref().unwrap()[0];
        assert_eq!(class.group.hops_mean(), Some(hops));
    }
}

#[test]
fn a_trace_is_a_class_of_its_own_and_what_ends_has_no_intervals() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let rows: String = (0..400)
        .map(|cycle| format!("{cycle},{},3,4\n", cycle % 3))
        .collect();
    std::fs::write(&file, format!("cycle,source,destination,flits\n{rows}")).expect("a trace");
    let trace = format!("[traffic]\npattern = \"trace\"\npath = {:?}\n", file.path());
    let batch = "[traffic]\nmode = \"batch\"\npackets = 40\n".to_owned();
    for (traffic, name) in [(trace, "trace"), (batch, "uniform")] {
        let point = simulate(&series(&format!("{MESH}{traffic}{ALL}")), 1.0);
        let [class] = &details(&point).classes.as_ref().expect("classes")[..] else {
            panic!("one class");
        };
        assert_eq!(class.name, name);
        let sources = details(&point).sources.iter().flatten();
        let mut groups = sources.map(|source| &source.group).chain([&class.group]);
        assert!(groups.all(|group| group.latency_ci95().is_none()));
    }
}
