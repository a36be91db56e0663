//! Networks in layers, one way through: with a table of ways, and for each source and channel the
//! virtual channels that it may take, as a file might say it. No cycle, no deadlock.

use crate::oracle::case::Dice;
use flitsim_engine::{Candidate, Candidates, Head, Routing, VcMask};
use flitsim_random::mix;
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{ChannelId, Network, NodeId};

/// The layers and who leads to whom.
#[derive(Clone, Debug)]
pub struct Layers {
    /// Nodes of each layer.
    widths: Vec<u32>,
    links: Vec<(u32, u32)>,
    masks: u64,
}

impl Layers {
    /// Some layers.
    pub fn new(dice: &mut Dice) -> Self {
        let inner = dice.from(1, 3);
        let mut widths = vec![dice.from(2, 5)];
        widths.extend((0..inner).map(|_| dice.from(1, 2)));
        widths.push(dice.from(1, 4));
        let mut links = Vec::new();
        let mut first = 0;
        for pair in widths.windows(2) {
            let next = first + pair[0];
            // Everybody leads on, and everybody is led to.
            for node in first..next {
                links.push((node, next + dice.from(0, pair[1] - 1)));
            }
            for node in next..next + pair[1] {
                links.push((first + dice.from(0, pair[0] - 1), node));
            }
            first = next;
        }
        links.sort_unstable();
        links.dedup();
        Self {
            widths,
            links,
            masks: dice.word(),
        }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.widths.iter().sum()
    }

    /// The network.
    pub fn network(&self) -> Network {
        // A file wants a path from everywhere to everywhere. The way back is not in the table.
        let outer = self.nodes() - self.widths[self.widths.len() - 1]..self.nodes();
        let back = outer.flat_map(|from| (0..self.widths[0]).map(move |to| (from, to)));
        let lines = self
            .links
            .iter()
            .copied()
            .chain(back)
            .map(|(a, b)| format!("{a},{b}\n"));
        let text = format!("from,to\n{}", lines.collect::<String>());
        let source = Source {
            file: "layers.csv",
            text: &text,
        };
        parse_csv(source, None).expect("layers")
    }

    /// A node, mostly of the first layer, and one behind it.
    pub fn pair(&self, dice: &mut Dice) -> (u32, u32) {
        let source = match dice.from(0, 3) {
            0 => dice.from(0, self.nodes() - 1),
            _ => dice.from(0, self.widths[0] - 1),
        };
        let mut at = source;
        loop {
            let onward: Vec<u32> = (self.links.iter())
                .filter(|link| link.0 == at)
                .map(|link| link.1)
                .collect();
            if onward.is_empty() || (at != source && dice.from(0, 5) == 0) {
                return (source, at);
            }
            at = dice.pick(&onward);
        }
    }

    /// The table.
    pub fn routing(&self, network: &Network, virtual_channels: u32) -> Table {
        let nodes = self.nodes() as usize;
        let mut next = vec![vec![None; nodes]; nodes];
        for (to, next) in (0..).zip(&mut next) {
            // Links lead to higher numbers.
            for at in (0..to).rev() {
                let mut channels = network.outgoing(NodeId(at)).map(ChannelId);
                next[at as usize] = channels.find(|&channel| {
                    let there = network.target(channel).0;
                    there == to || next[there as usize].is_some()
                });
            }
        }
        Table {
            next,
            masks: self.masks,
            virtual_channels,
        }
    }
}

/// What the file says.
#[derive(Clone, Debug)]
pub struct Table {
    /// By destination and node.
    next: Vec<Vec<Option<ChannelId>>>,
    masks: u64,
    virtual_channels: u32,
}

impl Routing for Table {
    const DETERMINISTIC: bool = true;

    fn initial(&self, source: NodeId, _: NodeId, _: u32) -> u64 {
        u64::from(source.0)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let Some(channel) = self.next[head.destination.index()][head.node.index()] else {
            return;
        };
        let all: VcMask = (1 << self.virtual_channels) - 1;
        let some = mix(self.masks ^ head.state << 32 ^ u64::from(channel.0)) & all;
        candidates.push(Candidate {
            channel,
            vcs: if some == 0 { all } else { some },
            priority: 0,
        });
    }
}
