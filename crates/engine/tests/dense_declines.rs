//! Heads that decline, in step, what they are granted: on the dense engine, too, they hold nobody up for long.

use crate::common::any::Any;
use crate::common::loaded::Delivered;
use crate::compare::dense_fit;
use crate::dense::in_stages;
use crate::oracle::case::Dice;
use crate::oracle::log::Deliveries;
use crate::tier;
use flitsim_engine::{Candidates, DenseEngine, Engine, EngineConfig, Head, Matching, NewPacket};
use flitsim_engine::{Pipeline, Routing, VcMask, Vectors};
use flitsim_topology::{ChannelId, Ends, Grid, Network, NodeId};

/// Of a 3×3 mesh.
const MIDDLE: NodeId = NodeId(4);
const AROUND: [NodeId; 4] = [NodeId(1), NodeId(3), NodeId(5), NodeId(7)];

/// All nodes around the middle send there and through it to each other. Of the channels out of the middle, packets of
/// each may take virtual channels of their own.
#[derive(Clone, Debug)]
struct Through<'n> {
    network: &'n Network,
    first: VcMask,
    vcs: [VcMask; 4],
}

impl Routing for Through<'_> {
    const DETERMINISTIC: bool = true;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (to, vcs) = match head.arrived {
            Some((channel, _)) => {
                let from = self.network.source(channel);
                let place = AROUND.iter().position(|&node| node == from);
                (head.destination, self.vcs[place.expect("a neighbour")])
            }
            None => (MIDDLE, self.first),
        };
        let mut channels = self.network.outgoing(head.node).map(ChannelId);
        let channel = channels.find(|&channel| self.network.target(channel) == to);
        candidates.add(channel.expect("a neighbour"), vcs);
    }
}

/// Whether both engines do the same in case `number`.
fn agree(network: &Network, number: u64) -> bool {
    let mut dice = Dice::new(number ^ 0x6465_636c_696e_6573);
    let channels = dice.pick(&[2, 2, 4]);
    let all = (1 << channels) - 1;
    let victim = dice.from(0, 2) as usize;
    let alone = 1 << dice.from(0, channels - 1);
    let way = Through {
        network,
        first: dice.pick(&[1, all]),
        vcs: std::array::from_fn(|place| if place == victim { alone } else { all }),
    };
    let plain = EngineConfig {
        virtual_channels: channels,
        injection_vcs: channels,
        buffer_flits: dice.pick(&[2, 4, 8]),
        ..EngineConfig::default()
    };
    let stages = in_stages(plain);
    let config = EngineConfig {
        pipeline: Some(Pipeline {
            routing: dice.from(0, 1),
            vc_allocation: dice.from(1, 2),
            switch_allocation: 1,
            traversal: 1,
        }),
        speculative: dice.coin(),
        vc_allocator: Some(dice.pick(&[
            Matching::SeparableOutputFirst,
            Matching::Islip { iterations: 1 },
            Matching::Islip { iterations: 2 },
        ])),
        ..stages
    };
    let flits = dice.from(1, 2);
    let to = AROUND[3];
    // What each sends in turn: to the last, or to the middle, or to a third.
    let turns: Vec<Vec<NodeId>> = (0..3)
        .map(|place| {
            if place == victim {
                return vec![to];
            }
            (0..dice.from(1, 4))
                .map(|_| dice.pick(&[to, to, MIDDLE, AROUND[(place + 1) % 3]]))
                .collect()
        })
        .collect();
    let routing = Any::<true>::new(&way);
    let fit = dense_fit(network, &config, flits).with(Vectors::Baseline);
    let dense = DenseEngine::new(network, routing, &config, 1, fit, Deliveries::nothing());
    let sparse = Engine::new(network, routing, config.clone(), 1, Delivered::nothing());
    let (mut dense, mut sparse) = (dense.expect("dense"), sparse.expect("sparse"));
    for turn in 0..300 {
        for (place, turns) in turns.iter().enumerate() {
            let packet = NewPacket {
                source: AROUND[place],
                destination: turns[turn % turns.len()],
                flits,
                entropy: 0,
            };
            sparse.offer(packet);
            dense.offer_tagged(packet, 0);
        }
    }
    (0..600).all(|_| {
        sparse.step();
        dense.step();
        sparse.counters() == dense.counters()
    })
}

#[test]
fn heads_that_decline_in_step_hold_nobody_up_in_either_engine() {
    let network = Grid::uniform(3, 2, Ends::Open)
        .expect("a mesh")
        .into_network();
    // With the dense engine's count of declined grants left out, cases 1,341, 1,453 and 3,120 are the first of eight in
    // 4,000 that differ.
    let cases = 1_300..1_300 + tier::one_in(13, 2_600);
    let differ: Vec<u64> = cases.filter(|&number| !agree(&network, number)).collect();
    assert!(differ.is_empty(), "the engines differ in cases {differ:?}");
}
