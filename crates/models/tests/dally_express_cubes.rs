//! Express cubes against numbers computed independently of flitsim, and against the networks.

use flitsim_models::ModelError;
use flitsim_models::express_cube::figure::figure_4;
use flitsim_models::express_cube::{self, Delays, hops, mixed, shares};
use flitsim_topology::express::{self, ExpressChannel};
use flitsim_topology::{ChannelId, ExpressCube, ExpressParameters, NodeId};

fn line(radix: u32, interval: u32, levels: u32) -> ExpressCube {
    ExpressCube::new(ExpressParameters::new(radix, 1, interval, levels)).unwrap()
}

/// H at D = 256, i = 4, l = 3: 14 from every source.
#[test]
fn hops_of_equation_5_are_the_same_from_every_source() {
    assert_eq!(hops::hierarchical(256, 4, 3).unwrap(), 14);
    for source in 0..256 {
        assert_eq!(hops::between(source, source + 256, 4, 3).unwrap(), 14);
    } // Equation 5 is exact wherever i^l divides D.
    for (interval, levels) in [(2u64, 1u32), (2, 4), (3, 2), (4, 2), (4, 3), (5, 2)] {
        let block = interval.pow(levels);
        for distance in [1, 2, 5].map(|blocks| blocks * block) {
            let expected = hops::hierarchical(distance, interval, levels).unwrap();
            for source in 0..block {
                let found = hops::between(source, source + distance, interval, levels).unwrap();
                assert_eq!(found, expected, "{interval} {levels} {distance} {source}");
            }
        }
    }
}

/// Figure 4 at D = 256, in T_w: wire 256, plain 16640, flat 2304, hierarchical 1152.
#[test]
fn figure_4_at_256() {
    let row = figure_4(256).unwrap();
    assert_eq!((row.wire, row.conventional), (256.0, 16640.0));
    assert_eq!((row.flat, row.hierarchical), (2304.0, 1152.0));
    let delays = Delays::of_ratio(64.0).unwrap();
    assert_eq!(delays.flat(256, 16, 0.0).unwrap(), 2304.0);
    assert_eq!(delays.hierarchical(256, 4, 3, 0.0).unwrap(), 1152.0);
    assert_eq!(delays.conventional(256.0, 10.0), 16650.0);
}

/// Before the first express channel the flat cube costs what the plain one does, but for the
/// interchange on the way: 64 at most. From D = 24 on it gains.
#[test]
fn the_first_distance_by_express_is_24() {
    assert_eq!(hops::first_express_distance(16, 8).unwrap(), 24);
    let gain = |d: u64| {
        let row = figure_4(d).unwrap();
        row.conventional - row.flat
    };
    assert!((1..24).all(|d| (-64.0..=0.0).contains(&gain(d))));
    assert!((24..200).all(|d| gain(d) > 0.0));
}

/// Equations 6 and 7 for k = 64, i = 2, l = 3: .0625 .125 .25 .5625, by the formula only.
#[test]
fn the_worked_example_of_equation_6() {
    let example = shares::of_example(64, 2, 3).unwrap();
    assert_eq!(example, [0.0625, 0.125, 0.25, 0.5625]);
    assert_eq!(shares::allocate(&example, 8).unwrap(), [1, 1, 2, 4]);
    // As printed the shares begin at half of that; in truth they are these.
    assert_eq!(
        shares::printed(64, 2, 3).unwrap()[..3],
        [0.03125, 0.0625, 0.125]
    );
    assert_eq!(
        shares::share(64, 2, 3).unwrap(),
        [0.0625, 0.0625, 0.125, 0.75]
    );
    for level in 0..=3 {
        let true_share = shares::share(64, 2, 3).unwrap()[level as usize];
        assert_eq!(true_share, express::level_share(64, 2, 3, level));
        let of_example = example[level as usize];
        assert_eq!(of_example, express::level_share_printed(64, 2, 3, level));
    }
}

/// The true shares, counted: every packet from one half to the other, and the channel by which it
/// leaves the interchange in the middle.
#[test]
fn shares_are_those_of_the_channels_across_the_middle() {
    for (radix, interval, levels) in [(16, 4, 1), (32, 2, 3), (64, 4, 2), (64, 2, 3)] {
        let cube = line(radix, interval, levels);
        let middle = radix / 2;
        let network = cube.clone().into_network();
        let is_middle = |&switch: &NodeId| cube.interchange(switch).unwrap().boundary == middle;
        let interchange = (radix..network.nodes())
            .map(NodeId)
            .find(is_middle)
            .unwrap();
        let mut counts = vec![0u32; levels as usize + 1];
        for to in middle..radix {
            let way = cube.way(interchange, NodeId(to)).unwrap();
            match cube.channel(interchange, way.first).unwrap().0 {
                ExpressChannel::Local => counts[0] += 1,
                ExpressChannel::Express(level) => counts[level as usize] += 1,
                ExpressChannel::Internal => panic!("whole modules have none"),
            }
        }
        let shares = shares::share(radix.into(), interval.into(), levels).unwrap();
        for (count, share) in counts.iter().zip(shares) {
            let counted = f64::from(*count) / f64::from(middle);
            assert!(
                (counted - share).abs() < 1e-12,
                "{radix} {interval} {levels}: {counts:?}"
            );
        }
    }
}

/// The corrected digits against the network, every pair; the printed ones are short by the carry.
#[test]
fn hops_are_those_of_the_network() {
    let mut printed_differs = 0;
    for (radix, interval, levels) in [(16, 4, 1), (17, 3, 2), (32, 2, 3), (64, 4, 2), (20, 2, 4)] {
        let cube = line(radix, interval, levels);
        for a in 0..radix {
            for b in 0..radix {
                let (i, from, to) = (u64::from(interval), u64::from(a), u64::from(b));
                let found = hops::between(from, to, i, levels).unwrap();
                assert_eq!(found, u64::from(cube.hops(NodeId(a), NodeId(b))), "{a} {b}");
                if a < b {
                    let printed = hops::by_digits_printed(from, to, i, levels).unwrap();
                    printed_differs += u32::from(printed != found);
                }
            }
        }
        let mean = hops::mean_of_line(radix, interval.into(), levels).unwrap();
        assert!((mean - cube.route_distances().mean_with_self).abs() < 1e-12);
    }
    // The largest line at once.
    assert!(hops::mean_of_line(65_535, 4, 3).unwrap() > 340.0);
    assert!(printed_differs > 1000, "{printed_differs}");
}

/// The fewest hops from `source` on to every node of a line of `nodes`, built by the words of section
/// III-C and its footnote 5: before every multiple of i_1 an interchange, with a channel to the next
/// of its level and of each level below it. No channel leads back, so that none passes the destination.
fn searched(source: u64, nodes: u64, radices: &[u64]) -> Vec<u64> {
    let (node, interchange) = (|n: u64| 2 * n as usize + 1, |n: u64| 2 * n as usize);
    let has_interchange = |n: u64| n > 0 && n.is_multiple_of(radices[0]);
    let mut hops = vec![u64::MAX; 2 * nodes as usize + 2];
    hops[node(source)] = 0;
    for at in source..nodes {
        if has_interchange(at) && hops[interchange(at)] != u64::MAX {
            let next = hops[interchange(at)] + 1;
            hops[node(at)] = hops[node(at)].min(next);
            let mut apart = 1;
            for radix in radices {
                apart *= radix;
                if at.is_multiple_of(apart) && at + apart < nodes {
                    let there = interchange(at + apart);
                    hops[there] = hops[there].min(next);
                }
            }
        }
        let next = hops[node(at)].saturating_add(1);
        let there = match has_interchange(at + 1) {
            true => interchange(at + 1),
            false => node(at + 1),
        };
        hops[there] = hops[there].min(next);
    }
    (0..nodes).map(|n| hops[node(n)]).collect()
}

/// Mixed radices: every pair of a line against a search; with one radix what equation 5 has.
#[test]
fn hops_of_mixed_radices_are_those_of_a_search() {
    let nodes = 150;
    for radices in [
        &[2, 4, 8][..],
        &[8, 4, 2],
        &[4, 4, 4],
        &[3, 5],
        &[6],
        &[2; 6],
    ] {
        let reach = mixed::reach(radices).unwrap();
        for a in 0..nodes {
            let hops = searched(a, nodes, radices);
            for b in a..nodes {
                let found = mixed::between(a, b, radices).unwrap();
                assert_eq!(found, hops[b as usize], "{radices:?}: {a} to {b}");
                assert_eq!(found, mixed::between(b, a, radices).unwrap());
            }
            for distance in [1, 3].map(|blocks| blocks * reach) {
                let found = mixed::between(a, a + distance, radices).unwrap();
                assert_eq!(found, mixed::hierarchical(distance, radices).unwrap());
            }
        }
    }
    for (a, b) in [(0, 255), (7, 100), (30, 34), (63, 64)] {
        let single = hops::between(a, b, 4, 3).unwrap();
        assert_eq!(mixed::between(a, b, &[4, 4, 4]).unwrap(), single);
    }
    assert_eq!(mixed::hierarchical(256, &[4, 4, 4]).unwrap(), 14);
    assert_eq!(mixed::hierarchical(256, &[2, 4, 8]).unwrap(), 16);
    for broken in [&[][..], &[2, 1], &[1 << 20, 1 << 20]] {
        assert!(mixed::reach(broken).is_err(), "{broken:?}");
    }
    assert!(mixed::hierarchical(100, &[2, 4, 8]).is_err());
}

/// Equation 3 is exact for every source, and equation 4 its mean over sources where i is odd, when
/// (i + 1)/2 is a whole number of pitches and its message a real one.
#[test]
fn equations_3_and_4_against_every_source() {
    for interval in 2..=7u64 {
        for multiple in 1..=5 {
            let distance = multiple * interval;
            let expected = hops::flat(distance, interval).unwrap();
            for source in 0..interval {
                let found = hops::between(source, source + distance, interval, 1).unwrap();
                assert_eq!(found, expected);
            }
            let mean = hops::flat_mean(distance, interval).unwrap();
            assert_eq!(mean, expected as f64);
            assert_eq!(hops::flat_mean_printed(distance, interval).unwrap(), mean);
        }
    }
    // The average message starts (i + 1)/2 pitches before an interchange: node i/2 − 1/2.
    for interval in [3u64, 5, 7] {
        let source = (interval - 1) / 2;
        let mut printed_differs = false;
        for distance in interval.div_ceil(2)..6 * interval {
            let walked = hops::between(source, source + distance, interval, 1).unwrap() as f64;
            assert_eq!(
                hops::flat_mean(distance, interval).unwrap(),
                walked,
                "{interval} {distance}"
            );
            printed_differs |= hops::flat_mean_printed(distance, interval).unwrap() != walked;
        }
        assert!(
            printed_differs,
            "the print's sign makes a difference for i = {interval}"
        );
    }
}

/// Sentences of sections III-A, III-D and V.
#[test]
fn what_the_text_says_of_distances() {
    // With i = α far messages take about twice the time of a wire.
    assert_eq!(express_cube::asymptotic_slope(64.0, 64, 1).unwrap(), 2.0);
    assert_eq!(express_cube::asymptotic_slope(64.0, 4, 3).unwrap(), 2.0);
    assert_eq!(express_cube::asymptotic_slope(64.0, 16, 1).unwrap(), 5.0);
    // Beyond α i log_i α = 768 at most three times, in the mean over the places of the source; from
    // single ones up to 3.39 times, and more than three times up to D = 1151.
    assert!((express_cube::crossover_distance(64.0, 4).unwrap() - 768.0).abs() < 1e-9);
    let delays = Delays::of_ratio(64.0).unwrap();
    for distance in 769..2000 {
        let of = |source| hops::between(source, source + distance, 4, 3).unwrap() as f64;
        let ratio = |hops: f64| delays.latency(hops, distance as f64, 0.0) / distance as f64;
        let mean = (0..64).map(of).sum::<f64>() / 64.0;
        assert!(ratio(mean) < 3.0, "{distance}");
        let worst = (0..64).map(of).fold(0.0, f64::max);
        assert!(
            ratio(worst) < 3.39 && (ratio(worst) < 3.0 || distance <= 1151),
            "{distance}"
        );
    }
    // i = √D is best: no other interval that divides D has fewer hops.
    let best = express_cube::best_interval(144.0).unwrap() as u64;
    for interval in [2, 3, 4, 6, 8, 9, 16, 18, 24] {
        assert!(hops::flat(144, interval).unwrap() > hops::flat(144, best).unwrap());
    }
    assert_eq!(hops::flat(144, best).unwrap(), 24);
    // The J-Machine: 80 wires a node and 15-wire channels have room for four, three of them express.
    assert_eq!(shares::express_channels(60.0, 15.0).unwrap(), 3);
    assert_eq!(shares::express_channels(80.0, 15.0).unwrap(), 4);
    let hops = express_cube::short_distance_hops(64.0, 4).unwrap();
    assert!((hops - 9.0).abs() < 1e-12);
    assert_eq!(
        express_cube::crossing_cost(&Delays::of_ratio(64.0).unwrap()),
        64.0
    );
}

/// The busiest channel of every level, by walking all pairs of a line.
#[test]
fn loads_are_those_of_the_network() {
    for (radix, interval, levels) in [
        (16, 4, 1),
        (64, 4, 2),
        (64, 2, 3),
        (64, 4, 1),
        (40, 4, 2),
        (30, 3, 2),
        (23, 4, 1),
        (37, 2, 4),
        (10, 3, 4),
    ] {
        let cube = line(radix, interval, levels);
        let network = cube.clone().into_network();
        let mut counts = vec![0u32; network.channels() as usize];
        for from in 0..radix {
            for to in 0..radix {
                let mut at = NodeId(from);
                while let Some(way) = cube.way(at, NodeId(to)) {
                    counts[way.first.index()] += 1;
                    at = network.target(way.first);
                }
            }
        }
        let mut busiest = vec![0.0f64; levels as usize + 1];
        for (channel, &count) in counts.iter().enumerate() {
            let channel = ChannelId(channel as u32);
            let level = match cube.channel(network.source(channel), channel).unwrap().0 {
                ExpressChannel::Local => 0,
                ExpressChannel::Express(level) => level as usize,
                ExpressChannel::Internal => panic!("whole modules have none"),
            };
            busiest[level] = busiest[level].max(f64::from(count) / f64::from(radix));
        }
        let found = shares::busiest_loads(radix.into(), interval.into(), levels).unwrap();
        for (found, counted) in found.iter().zip(&busiest) {
            assert!(
                (found - counted).abs() < 1e-9,
                "{radix} {interval} {levels}: {found:?} {busiest:?}"
            );
        }
    }
    // In the middle the top level carries its share of the k/4 flits each way.
    let share = shares::share(64, 2, 3).unwrap()[3];
    assert_eq!(shares::busiest_loads(64, 2, 3).unwrap()[3], 16.0 * share);
}

/// More channels on the top level raise throughput until the local channels limit.
#[test]
fn capacity_follows_the_busiest_level() {
    let capacity = |channels: &[u32]| shares::capacity_flits_per_node(64, 4, channels).unwrap();
    // k/4 flits cross the middle each way, 7/8 of them by express: 14.
    assert!((capacity(&[1, 1]) - 1.0 / 14.0).abs() < 1e-12);
    assert!((capacity(&[1, 3]) / capacity(&[1, 1]) - 3.0).abs() < 1e-12);
    // The 4 nodes of the first block send 60/64 of their flits up.
    assert!((capacity(&[1, 16]) - 1.0 / 3.75).abs() < 1e-12);
}

#[test]
fn what_the_model_is_not_made_for_is_refused() {
    let delays = Delays::of_ratio(64.0).unwrap();
    let refused = |result: Result<f64, ModelError>| {
        assert!(
            matches!(result, Err(ModelError::OutOfDomain { .. })),
            "{result:?}"
        );
    };
    refused(delays.flat(250, 16, 1.0));
    refused(delays.flat(0, 16, 1.0));
    refused(delays.hierarchical(250, 4, 3, 1.0));
    refused(delays.hierarchical(256, 1, 3, 1.0));
    refused(delays.hierarchical(256, 4, 0, 1.0));
    refused(delays.flat_mean(2, 16, 1.0));
    refused(delays.flat_mean_printed(2, 16, 1.0));
    refused(hops::by_digits_printed(5, 5, 4, 1).map(|hops| hops as f64));
    refused(hops::between(0, 5, 4, 17).map(|hops| hops as f64));
    refused(hops::first_express_distance(4, 4).map(|hops| hops as f64));
    refused(shares::share(64, 2, 6).map(|shares| shares[0]));
    refused(shares::allocate(&[0.5, 0.5], 1).map(|channels| f64::from(channels[0])));
    refused(shares::express_channels(10.0, 15.0).map(f64::from));
    refused(shares::capacity_flits_per_node(64, 4, &[1, 0]));
    refused(Delays::of_ratio(0.0).map(|delays| delays.node));
    refused(express_cube::best_interval(0.0));
    refused(express_cube::crossover_distance(1.0, 4));
    refused(express_cube::short_distance_hops(0.5, 4));
}
