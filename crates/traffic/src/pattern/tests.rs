//! Every pattern's exact rule, and how a network without it is refused.

use super::*;
use crate::statistics::chi_square_deviates;
use crate::stream::{Purpose, Streams};
use flitsim_topology::{Ends, Grid};

fn torus(radices: &[u32]) -> Network {
    Grid::new(radices, Ends::Ring).unwrap().into_network()
}

fn hotspot(nodes: &[u32], fraction: f64, include_self: bool) -> Pattern {
    rated(nodes, &[], fraction, include_self)
}

fn rated(nodes: &[u32], rates: &[u32], fraction: f64, include_self: bool) -> Pattern {
    Pattern::Hotspot(Hotspot {
        nodes: nodes.iter().copied().map(NodeId).collect(),
        rates: rates.to_vec(),
        fraction,
        include_self,
    })
}

#[test]
fn draws_follow_the_demand() {
    let network = torus(&[5, 4]);
    let streams = Streams::new(8);
    let patterns = [
        Pattern::Uniform(Uniform { include_self: true }),
        Pattern::Uniform(Uniform {
            include_self: false,
        }),
        hotspot(&[7], 0.2, false),
        hotspot(&[7], 0.2, true),
        hotspot(&[19, 0, 3], 0.5, false),
        hotspot(&[3, 0, 19], 0.0, false),
        hotspot(&[3, 0, 19], 1.0, false),
        hotspot(&[3, 0, 19], 1.0, true),
        rated(&[3, 0, 19], &[1, 5, 2], 0.7, false),
        rated(&[3, 0, 19], &[1, 5, 2], 1.0, true),
        Pattern::Neighbour(Neighbour),
        Pattern::RandomPermutation(RandomPermutation { seed: 3 }),
    ];
    for pattern in patterns {
        let destinations = pattern.compile(&network).unwrap();
        for source in [0, 3, 7, 11, 19].map(NodeId) {
            let mut expected = Vec::new();
            destinations.demand(source, &mut |node, p| expected.push((node, p)));
            assert!(expected.is_sorted_by_key(|&(node, _)| node));
            assert!(expected.iter().all(|&(_, p)| p > 0.0));
            let mut counts = vec![0u64; expected.len()];
            for cycle in 0..20_000 {
                let mut rng = streams.event(Purpose::Packets, source.0, cycle);
                let to = destinations.draw(source, &mut rng);
                let class = expected.binary_search_by_key(&to, |&(node, _)| node);
                counts[class.expect("a destination without demand")] += 1;
            }
            let probabilities: Vec<f64> = expected.iter().map(|&(_, p)| p).collect();
            assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            if counts.len() > 1 {
                let z = chi_square_deviates(&counts, &probabilities);
                assert!(z.abs() < 4.0, "{pattern:?} from {source}: {z} deviates");
            }
        }
    }
}

#[test]
fn the_hottest_receives_what_the_demand_sums_to() {
    let network = torus(&[5, 4]);
    let mix = |weight| MixPart {
        pattern: hotspot(&[7], 0.5, false),
        weight,
    };
    let uniform = MixPart {
        pattern: Pattern::Uniform(Uniform { include_self: true }),
        weight: 2.0,
    };
    for (pattern, most) in [
        (hotspot(&[7], 0.2, false), 0.8 + 19.0 * 0.2),
        (hotspot(&[7], 0.2, true), 0.8 + 20.0 * 0.2),
        (hotspot(&[19, 0, 3], 0.5, false), 0.5 + 17.0 / 6.0 + 0.5),
        (hotspot(&[19, 0, 3], 0.5, true), 0.5 + 20.0 / 6.0),
        (hotspot(&[3], 0.0, false), 1.0),
        (rated(&[7, 3], &[3, 1], 0.5, true), 0.5 + 20.0 * 0.375),
        (
            rated(&[7, 3], &[3, 1], 0.5, false),
            0.5 + 18.0 * 0.375 + 0.5,
        ),
        (Pattern::Tornado(Tornado), 1.0),
        (
            Pattern::Uniform(Uniform {
                include_self: false,
            }),
            1.0,
        ),
        (
            Pattern::Mix(vec![mix(2.0), uniform]),
            1.0 + 0.5 * (19.0 * 0.5 - 0.5),
        ),
    ] {
        let destinations = pattern.compile(&network).unwrap();
        let mut received = [0.0; 20];
        for source in (0..20).map(NodeId) {
            destinations.demand(source, &mut |to, share| received[to.index()] += share);
        }
        let summed = received.into_iter().fold(0.0, f64::max);
        let found = destinations.received_most(&network).unwrap();
        assert!(
            (found - summed).abs() < 1e-12,
            "{pattern:?}: {found}, {summed}"
        );
        assert!((found - most).abs() < 1e-12, "{pattern:?}: {found}, {most}");
    }
    let large = torus(&[64, 64]);
    let reach = Reach::Radius(2);
    let local = Pattern::Local(Local {
        reach,
        include_self: false,
    });
    let local = local.compile(&large).unwrap();
    assert_eq!(local.received_most(&large), None);
}

#[test]
fn a_packet_tells_its_part_of_a_mixture() {
    let network = torus(&[5, 4]);
    let part = |pattern, weight| MixPart { pattern, weight };
    let mix = Pattern::Mix(vec![
        part(Pattern::Neighbour(Neighbour), 3.0),
        part(Pattern::Tornado(Tornado), 1.0),
    ]);
    let [neighbour, tornado, mix] = [
        Pattern::Neighbour(Neighbour),
        Pattern::Tornado(Tornado),
        mix,
    ]
    .map(|p| p.compile(&network).unwrap());
    let streams = Streams::new(8);
    let mut parts = [0; 2];
    for cycle in 0..4_000 {
        let mut rng = streams.event(Purpose::Packets, 3, cycle);
        let (to, part) = mix.draw_with_part(NodeId(3), &mut rng);
        let rule = [&neighbour, &tornado][part as usize];
        assert_eq!(Some(to), rule.permutation().map(|to| to[3]));
        parts[part as usize] += 1;
    }
    assert!((2_850..3_150).contains(&parts[0]), "{parts:?}");
}

#[test]
fn permutations_permute_on_every_grid() {
    for radices in [&[8, 8][..], &[5, 5], &[4, 3, 4], &[2, 2, 2, 2], &[7]] {
        let network = torus(radices);
        for pattern in [
            Pattern::Transpose(Transpose),
            Pattern::BitComplement(BitComplement),
            Pattern::BitReverse(BitReverse),
            Pattern::Shuffle(Shuffle),
            Pattern::Tornado(Tornado),
            Pattern::Neighbour(Neighbour),
            Pattern::RandomPermutation(RandomPermutation { seed: 1 }),
        ] {
            let Ok(destinations) = pattern.compile(&network) else {
                continue;
            };
            let mut seen = vec![false; network.terminals() as usize];
            for to in destinations.permutation().unwrap() {
                assert!(!std::mem::replace(&mut seen[to.index()], true));
            }
            assert!(seen.iter().all(|&s| s), "{pattern:?} on {radices:?}");
        }
    }
}

/// Rules on coordinates and on address bits agree where both are defined.
#[test]
fn coordinates_and_bits_agree_on_powers_of_two() {
    for radices in [&[8, 8][..], &[4, 4, 4, 4], &[2, 2, 2, 2, 2, 2]] {
        let network = torus(radices);
        let compiled = |pattern: Pattern| pattern.compile(&network).unwrap();
        let terminals = network.terminals();
        assert_eq!(
            compiled(Pattern::Transpose(Transpose))
                .permutation()
                .unwrap(),
            &*bits::transpose(terminals).unwrap()
        );
        assert_eq!(
            compiled(Pattern::BitComplement(BitComplement))
                .permutation()
                .unwrap(),
            &*bits::complement(terminals).unwrap()
        );
    }
    let line = torus(&[16]);
    assert_eq!(
        Pattern::Transpose(Transpose)
            .compile(&line)
            .unwrap()
            .permutation(),
        Some(&*bits::transpose(16).unwrap())
    );
}

#[test]
fn refusals_say_what_is_needed() {
    let refusal = |pattern: Pattern, radices: &[u32]| {
        let error = pattern.compile(&torus(radices)).unwrap_err();
        error.to_string()
    };
    for (message, expected) in [
        (
            refusal(Pattern::BitReverse(BitReverse), &[5, 5]),
            "power of two",
        ),
        (refusal(Pattern::Shuffle(Shuffle), &[6, 6]), "there are 36"),
        (
            refusal(Pattern::Transpose(Transpose), &[4, 8]),
            "they are 4 and 8",
        ),
        (
            refusal(Pattern::Transpose(Transpose), &[8]),
            "8 terminals have 3",
        ),
        (refusal(Pattern::Tornado(Tornado), &[2, 2]), "at least 3"),
        (refusal(hotspot(&[], 0.1, false), &[4]), "at least one"),
        (refusal(hotspot(&[4], 0.1, false), &[4]), "are 0 to 3"),
        (refusal(hotspot(&[1, 3, 1], 0.1, false), &[4]), "twice"),
        (refusal(hotspot(&[1], 1.5, false), &[4]), "is 1.5"),
        (refusal(hotspot(&[1], f64::NAN, false), &[4]), "is NaN"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
    let alone = uniform::Alike::new("uniform", 1, false).unwrap_err();
    assert!(alone.to_string().contains("at least 2 terminals"));
}
