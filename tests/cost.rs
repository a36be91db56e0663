//! Units that compare: widths from costs, cycles of other lengths, wires as long as the layout says,
//! channels of unequal widths. Figures of the papers are named where they are tested.

use crate::tier;
use flitsim::dispatch::expected_of;
use flitsim::point::{LatencySummary, PointResult, Status};
use flitsim::proof::ProvedSeries;
use flitsim::scenario::{Overrides, Plan, SeriesPlan};
use flitsim::simulate::NoMonitor;
use flitsim::simulate_point;
use flitsim_engine::{ChannelDelay, EngineConfig};
use flitsim_topology::ChannelId;
use flitsim_topology::layout::WireModel;
use flitsim_traffic::PacketLength;
use std::path::Path;

fn plan_in(folder: &Path, text: &str) -> Plan {
    let path = folder.join("cost.toml");
    Plan::parse(&path, text.to_owned(), Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn plan(text: &str) -> Plan {
    plan_in(Path::new(""), text)
}

fn scenario(name: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    Plan::read(&path.join(name), Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The mean latency in an empty network, in reference cycles.
fn zero_load(series: &SeriesPlan) -> f64 {
    let PacketLength::Fixed(flits) = series.traffic.length else {
        panic!("packets of one length");
    };
    let expected = expected_of(series).expect("a routing that delivers");
    expected.zero_load_latency_mean(flits) * series.cycle_time
}

/// Greenberg & Guan, table 1 at n = 1024, and the latencies that follow from its widths for packets
/// of 320 bits: hops and flits, computed apart from this program.
#[test]
fn four_networks_of_1024_processors_at_equal_bisection() {
    if tier::is_left_out() {
        return;
    }
    let plan = scenario("cost.toml");
    for (series, (name, width_bits, latency)) in plan.series.iter().zip([
        ("fat-tree", 32, 19.34),
        ("mesh", 32, 31.33),
        ("fat-pyramid", 11, 38.01),
        ("hypercube", 2, 165.00),
    ]) {
        assert_eq!(
            (series.name.as_str(), series.width_bits),
            (name, width_bits)
        );
        let found = zero_load(series);
        assert!((found - latency).abs() < 0.05, "{name}: {found}");
        assert_eq!(series.definition["channel"]["width_bits"], width_bits);
    }
}

/// Any pair: by formula, by search of all halvings, by the best cut known. Parhami & Kwai, table 1:
/// at equal bisection a pruned torus has channels twice, a pruned Manhattan torus four times as wide.
#[test]
fn widths_at_equal_bisection_of_networks_of_every_kind() {
    let width = |topology: &str| {
        let text = format!(
            "[topology]\n{topology}\n[cost]\nconstraint = \"bisection\"\nwidth_bits = 32\n\
             reference = {{ kind = \"torus\", radix = 4, dimensions = 3 }}\n\
             [router]\nvirtual_channels = 8\n"
        );
        plan(&text).series[0].width_bits
    };
    let cube = "radix = 4\ndimensions = 3";
    assert_eq!(width(&format!("kind = \"torus\"\n{cube}")), 32);
    assert_eq!(width(&format!("kind = \"pruned-torus\"\n{cube}")), 64);
    assert_eq!(width(&format!("kind = \"manhattan-torus\"\n{cube}")), 64);
    assert_eq!(
        width(&format!("kind = \"pruned-manhattan-torus\"\n{cube}")),
        128
    );
    // The line is cut through a local and an express link, the torus through 32.
    let line = "kind = \"express-cube\"\nradix = 64\ndimensions = 1\ninterval = 4\nlevels = 1";
    assert_eq!(width(line), 32 * 64 / 4);
}

/// Kiasari & Sarbazi-Azad, figure 2 (a) at zero load, and equations 6 and 9: the hypercube's
/// channels are 11/15 and 4/7 as wide.
#[test]
fn a_star_and_a_hypercube_at_equal_bisection_and_equal_pin_out() {
    let pair = scenario("star-hypercube.toml");
    for (series, (ratio, latency)) in
        pair.series
            .iter()
            .zip([(1.0, 35.714), (11.0 / 15.0, 48.447), (4.0 / 7.0, 62.173)])
    {
        assert!(
            (series.cycle_time * ratio - 1.0).abs() < 1e-12,
            "{}",
            series.name
        );
        assert_eq!(series.width_bits, 32, "flits stay as they are");
        let found = zero_load(series);
        assert!((found - latency).abs() < 1e-3, "{}: {found}", series.name);
    }
    // The larger pair: 0.6 and 0.5.
    for (constraint, ratio) in [("bisection", 0.6), ("pin-out", 0.5)] {
        let larger = plan(&format!(
            "topology = {{ kind = \"hypercube\", dimensions = 10 }}\n\
             traffic.packet_bits = 320\n\
             [cost]\nconstraint = \"{constraint}\"\nwidth_bits = 50\n\
             reference = {{ kind = \"star\", symbols = 6 }}\n[sweep]\nload = 0.01\n"
        ));
        assert_eq!(f64::from(larger.series[0].width_bits), 50.0 * ratio);
    }
}

/// Greenberg & Guan's tables 2 and 3 at n = 64, and a printed width that is not the nearest.
#[test]
fn a_series_may_name_its_own_width() {
    let text = "traffic.packet_bits = 320\n[sweep]\nload = 0.01\n\
        [topology]\nkind = \"butterfly-fat-tree\"\nprocessors = 64\n\
        [cost]\nconstraint = \"area\"\nreference = { kind = \"mesh\", radix = 8, dimensions = 2 }\n\
        [[series]]\nname = \"nearest\"\n\
        [[series]]\nname = \"as printed\"\ncost.width_bits = 10\n\
        [[series]]\nname = \"pins\"\ncost.constraint = \"pin-out\"\n\
        [[series]]\nname = \"wider\"\nchannel.width_bits = 64\n\
        [[series]]\nname = \"hypercube\"\ntopology = { kind = \"hypercube\", dimensions = 6 }\n";
    let plan = plan(text);
    let widths: Vec<u32> = plan.series.iter().map(|s| s.width_bits).collect();
    assert_eq!(widths, [11, 10, 31, 64, 6]);
    let flits: Vec<u32> = (widths.iter()).map(|w| 320u32.div_ceil(*w)).collect();
    for (series, flits) in plan.series.iter().zip(flits) {
        assert_eq!(series.traffic.length, PacketLength::Fixed(flits));
    }
}

fn run(text: &str) -> PointResult {
    let plan = plan(text);
    let series = &plan.series[0];
    let proved = ProvedSeries::prove(series, false).expect("free of deadlock");
    simulate_point(&proved, series.loads[0], 3, &NoMonitor).expect("a resolved plan runs")
}

fn mesh(cycle_time: &str, load: f64, latency_limit: u32) -> String {
    format!(
        "[topology]\nkind = \"mesh\"\nradix = 4\ndimensions = 2\n[traffic]\npacket_flits = 4\n\
         [channel]\n{cycle_time}\n[measure]\nwarmup = 500\nmax_cycles = 4_000\n\
         latency_limit = {latency_limit}\n[sweep]\nload = {load}\n"
    )
}

#[test]
fn cycles_twice_as_long_and_half_the_load_give_twice_the_latency() {
    let fast = run(&mesh("", 0.3, 500));
    let slow = run(&mesh("cycle_time = 2", 0.15, 1_000));
    let [of_fast, of_slow] = [&fast, &slow].map(|point| point.latency.expect("a stable point"));
    let twice = LatencySummary {
        mean: 2.0 * of_fast.mean,
        sampled: 2.0 * of_fast.sampled,
        ci95: 2.0 * of_fast.ci95,
        p50: 2.0 * of_fast.p50,
        p95: 2.0 * of_fast.p95,
        p99: 2.0 * of_fast.p99,
        max: 2.0 * of_fast.max,
        network_mean: 2.0 * of_fast.network_mean,
        ..of_fast
    };
    assert_eq!(of_slow, twice);
    assert_eq!(slow.offered_flits, 0.15);
    assert_eq!(slow.accepted_flits, fast.accepted_flits / 2.0);
    assert_eq!(slow.accepted_ci95, fast.accepted_ci95 / 2.0);
    assert_eq!(
        (slow.cycles, slow.warmup_cycles),
        (fast.cycles, fast.warmup_cycles)
    );
    assert_eq!(slow.packets_measured, fast.packets_measured);
    // The limit is in reference cycles too: 14 cycles of two each are above 20.
    assert!(of_fast.mean < 20.0 && of_slow.mean > 20.0);
    let limited = run(&mesh("cycle_time = 2", 0.15, 20));
    assert_eq!(limited.status, Status::Saturated);
    assert_ne!(run(&mesh("", 0.3, 20)).status, Status::Saturated);
    // A real number: the full injection bandwidth is not rounded past itself.
    let plan = plan(&mesh("cycle_time = 1.3", 1.0 / 1.3, 500));
    assert_eq!(plan.series[0].loads[0].flits, 1.0 / 1.3);
}

const EXPRESS: &str = "sweep.load = 0.01\n\
    [topology]\nkind = \"express-cube\"\nradix = 16\ndimensions = 1\ninterval = 4\nlevels = 1\n";

#[test]
fn wires_take_as_long_as_the_layout_makes_them() {
    for (name, model) in [
        ("constant", WireModel::Constant),
        ("logarithmic", WireModel::Logarithmic),
        ("linear", WireModel::Linear),
    ] {
        let pipelined = plan(&format!("{EXPRESS}[channel]\nmodel = \"{name}\"\n"));
        let clock = format!("{EXPRESS}[channel]\nmodel = \"{name}\"\nwires = \"clock\"\n");
        let clock = plan(&clock);
        let (series, clock) = (&pipelined.series[0], &clock.series[0]);
        let mut longest: f64 = 1.0;
        for channel in (0..series.network.channels()).map(ChannelId) {
            let delay = model.delay(f64::from(series.network.length_pitches(channel)));
            let beyond_the_hop = delay.ceil() as u32 - 1;
            assert_eq!(series.engine.channel_delay_of(channel), beyond_the_hop);
            longest = longest.max(delay);
        }
        assert_eq!(series.cycle_time, 1.0);
        assert_eq!(clock.cycle_time, longest, "{name}");
        assert_eq!(clock.engine.channel_delay, ChannelDelay::Uniform(0));
        let expected = match name {
            "constant" => 1.0,
            "logarithmic" => 3.0,
            _ => 4.0,
        };
        assert_eq!(longest, expected, "an express channel is four pitches long");
    }
    let text =
        format!("{EXPRESS}[channel]\nmodel = \"linear\"\nwires = \"clock\"\ncycle_time = 0.5\n");
    assert_eq!(plan(&text).series[0].cycle_time, 2.0);
}

#[test]
fn the_channels_of_a_file_are_as_slow_and_as_wide_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "from,to,width,length,delay\na,b,32,8,5\nb,a,32,8,5\nb,c,8,1,0\nc,b,8,1,0\n";
    std::fs::write(folder.path().join("line.csv"), text).expect("a file");
    let of = |channel: &str| -> (EngineConfig, SeriesPlan) {
        let text = format!(
            "[topology]\nkind = \"file\"\npath = \"line.csv\"\n[traffic]\npacket_bits = 128\n\
             [sweep]\nload = 0.01\n[channel]\n{channel}\n"
        );
        let series = plan_in(folder.path(), &text).series.remove(0);
        (series.engine.clone(), series)
    };
    let (own, series) = of("");
    assert_eq!(series.width_bits, 32, "the widest channel's");
    assert_eq!(
        own.channel_delay,
        ChannelDelay::PerChannel(vec![5, 5, 0, 0])
    );
    assert_eq!(own.channel_periods, [1, 1, 4, 4]);
    // 4 flits: a to b takes 2 + 5 + 3 cycles, b to c 2 + 3 · 4, a to c 3 + 5 + 3 · 4.
    let mean = (10.0 + 14.0 + 20.0) / 3.0;
    assert!(
        (zero_load(&series) - mean).abs() < 1e-9,
        "{}",
        zero_load(&series)
    );
    let (wide, _) = of("model = \"logarithmic\"\nwidth_bits = 64\nperiod = 2");
    assert_eq!(
        wide.channel_delay,
        ChannelDelay::PerChannel(vec![3, 3, 0, 0])
    );
    assert_eq!(wide.channel_periods, [4, 4, 16, 16]);
    let (narrow, _) = of("delay = 1\nwidth_bits = 8");
    assert_eq!(narrow.channel_delay, ChannelDelay::Uniform(1));
    assert_eq!(
        (narrow.channel_period, narrow.channel_periods.len()),
        (1, 0)
    );
}

#[test]
fn what_has_its_default_leaves_the_definition_as_it_was() {
    let definition = |text: &str| plan(&mesh(text, 0.3, 500)).series[0].definition.clone();
    let default = definition("");
    assert_eq!(default, definition("cycle_time = 1.0"));
    assert_eq!(
        default["channel"].to_string(),
        "{\"delay\":0,\"period\":1,\"width_bits\":32}"
    );
    assert_ne!(default, definition("cycle_time = 1.5"));
    assert_ne!(default, definition("model = \"linear\""));
}
