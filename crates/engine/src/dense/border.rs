//! Which routers of the network an engine has, and where they border on others: what crosses goes by
//! [`Mailbox`], the heads of packets one by one, the words of planes that others read as they are.

use super::row::Word;
use crate::Packet;
use crate::packet::Packets;
use crate::post::Post;
use flitsim_topology::{ChannelId, Network, NodeId, archived};
use std::ops::Range;

/// The end of a packet that has arrived.
pub(super) const EJECT: u32 = u32::MAX;

/// Whether `end` is an input virtual channel of another part, where `own` are here.
#[inline(always)]
pub(super) fn is_beyond(end: u32, own: usize) -> bool {
    end != EJECT && end as usize >= own
}

/// Routers of which a part has whole numbers: the lanes of the longest rows.
const ROUTERS_A_SHARE: u32 = 32;

/// What one part sends another in a cycle.
#[derive(Debug, Default)]
pub struct Mailbox {
    /// Of its routers at the border, in their order, what they sent and passed on.
    words: Vec<u64>,
    /// Heads: the input virtual channel that they go to, as the receiving part numbers it, and their packets.
    heads: Vec<(u32, Packet)>,
}

archived! { Mailbox { words, heads } }

impl Mailbox {
    /// Whether it has nothing to tell.
    pub(crate) fn is_quiet(&self) -> bool {
        self.heads.is_empty() && self.words.iter().all(|&word| word == 0)
    }
}

/// An input virtual channel of another part.
#[derive(Clone, Copy, Debug)]
struct Far {
    part: u32,
    ivc: u32,
}

/// The routers of an engine, among those of its network.
#[derive(Debug)]
pub(crate) struct Border {
    /// Those of all parts, and which are here.
    parts: Vec<Range<u32>>,
    own: usize,
    /// By exit, a channel that leaves them: the first input virtual channel at its end.
    exits: Vec<Far>,
    /// By part: the routers here whose words are read there, and those there whose words are read here.
    gives: Vec<Vec<Range<u32>>>,
    takes: Vec<Vec<Range<u32>>>,
    pub(crate) post: Post<Mailbox>,
}

archived! { Border { post; rebuilt parts, own, exits, gives, takes } }

impl Border {
    /// All routers of `network`, which border on none.
    pub(crate) fn of_whole(network: &Network) -> Self {
        Self::new(network, split(network.nodes(), 1), 0)
    }

    /// The routers `parts[own]` of `network`, where `parts` are all.
    pub(crate) fn new(network: &Network, parts: Vec<Range<u32>>, own: usize) -> Self {
        let here = &parts[own];
        let edges = |part: &Range<u32>| match part == here {
            true => (Vec::new(), Vec::new()),
            false => (edge(network, here, part), edge(network, part, here)),
        };
        let (gives, takes) = parts.iter().map(edges).unzip();
        Self {
            own,
            exits: Vec::new(),
            gives,
            takes,
            post: Post::of(parts.len()),
            parts,
        }
    }

    pub(crate) fn routers(&self) -> &Range<u32> {
        &self.parts[self.own]
    }

    /// The input virtual channel at `bit` of `target`, whose routers have `stride` of them, at the end of a
    /// channel of `vcs`. Those of other parts come after all that are here, by exit.
    pub(super) fn end(&mut self, target: NodeId, bit: usize, stride: usize, vcs: usize) -> u32 {
        let has = |part: &Range<u32>| part.contains(&target.0);
        let part = self.parts.iter().position(has).expect("it is in a part");
        let there = (target.0 - self.parts[part].start) as usize * stride + bit;
        if part == self.own {
            return there as u32;
        }
        self.exits.push(Far {
            part: part as u32,
            ivc: there as u32,
        });
        (self.routers().len() * stride + (self.exits.len() - 1) * vcs) as u32
    }

    /// The head of `packet` crosses to the input virtual channel at bit `beyond`, counted from the first of the first exit.
    #[cold]
    pub(super) fn send(&mut self, beyond: usize, vcs: usize, packet: Packet) {
        let far = self.exits[beyond / vcs];
        let ivc = far.ivc + (beyond % vcs) as u32;
        self.post.outgoing[far.part as usize]
            .heads
            .push((ivc, packet));
    }

    /// Writes the words of `planes` at the edges of the part, where a router's are from `first` on.
    pub(super) fn give<W: Word>(&mut self, planes: [&[W]; 2], first: usize) {
        for (gives, mailbox) in self.gives.iter().zip(&mut self.post.outgoing) {
            mailbox.words.clear();
            for range in gives {
                let range = first + range.start as usize..first + range.end as usize;
                for plane in planes {
                    let words = plane[range.clone()].iter();
                    mailbox.words.extend(words.map(|word| word.bits()));
                }
            }
        }
    }

    /// Takes in what has come from other parts: the words at their edges into `planes`; and heads, of which `queue` is
    /// told the input virtual channel and the slot.
    pub(super) fn receive<W: Word>(
        &mut self,
        planes: [&mut [W]; 2],
        first: usize,
        packets: &mut Packets,
        mut queue: impl FnMut(&mut Packets, usize, u32),
    ) {
        self.take(planes, first);
        for mailbox in &mut self.post.incoming {
            for (ivc, packet) in mailbox.heads.drain(..) {
                let slot = packets.insert(packet);
                queue(packets, ivc as usize, slot);
            }
        }
    }

    fn take<W: Word>(&self, planes: [&mut [W]; 2], first: usize) {
        let [sent, passed] = planes;
        for (takes, mailbox) in self.takes.iter().zip(&self.post.incoming) {
            let mut words = mailbox.words.iter();
            for range in takes {
                let range = first + range.start as usize..first + range.end as usize;
                for plane in [&mut *sent, &mut *passed] {
                    for (place, &word) in plane[range.clone()].iter_mut().zip(&mut words) {
                        *place = W::of(word);
                    }
                }
            }
        }
    }
}

/// The routers of `part` with a channel to or from one of `other`.
fn edge(network: &Network, part: &Range<u32>, other: &Range<u32>) -> Vec<Range<u32>> {
    let borders = |&node: &u32| {
        let to = |channel: u32| network.target(ChannelId(channel));
        let incoming = network.incoming(NodeId(node));
        let sources = incoming.iter().map(|&channel| network.source(channel));
        let mut ends = network.outgoing(NodeId(node)).map(to).chain(sources);
        ends.any(|end| other.contains(&end.0))
    };
    let mut edge: Vec<Range<u32>> = Vec::new();
    for node in part.clone().filter(borders) {
        match edge.last_mut() {
            Some(last) if last.end == node => last.end += 1,
            _ => edge.push(node..node + 1),
        }
    }
    edge
}

/// `nodes` routers in `parts` ranges, as long as each other but for what their blocks make of it.
pub(crate) fn split(nodes: u32, parts: u32) -> Vec<Range<u32>> {
    let shares = nodes.div_ceil(ROUTERS_A_SHARE);
    let parts = parts.min(shares);
    let start = |part: u32| {
        let share = u64::from(shares) * u64::from(part) / u64::from(parts);
        (share as u32 * ROUTERS_A_SHARE).min(nodes)
    };
    (0..parts)
        .map(|part| start(part)..start(part + 1))
        .collect()
}
