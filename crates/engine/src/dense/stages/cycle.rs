//! One cycle of routers in stages, block by block.

use super::block::{StagedBlocks, StagedScratch};
use super::compiled::StagedPasses;
use super::heads::{Ivc, Outlet, Site};
use super::pass::StagedInbox;
use super::rules::Rules;
use crate::dense::around::Around;
use crate::dense::block::{Kind, Scratch};
use crate::dense::border::Border;
use crate::dense::links::Links;
use crate::dense::pass::Outbox;
use crate::dense::row::Word;
use crate::flit::Flit;
use crate::kernel::staged::Feed;
use crate::kernel::wheel::Wheel;
use crate::packet::Packets;
use crate::{EngineConfig, Probe, Routing};
use fearless_simd::Level;
use flitsim_topology::{Network, NodeId, archived};

/// Blocks after which moves are counted, before they overflow.
const BLOCKS_COUNTED: usize = 1024;

/// Routers in stages whose input virtual channels are bits of a `W`, `V` a port.
#[derive(Debug)]
pub(in crate::dense) struct Core<W: Word, const V: usize> {
    rules: Rules,
    /// The first of them, in the network.
    first: usize,
    blocks: StagedBlocks<W, V>,
    links: Links<W, V>,
    scratch: StagedScratch<W>,
    /// By router, in the order of masks.
    ivcs: Vec<Ivc>,
    /// By router and slot, its terminal's included.
    outlets: Vec<Outlet<V>>,
    /// By terminal: what its source is sending; and by block, those that are.
    feeds: Vec<Feed>,
    feeding: Vec<u32>,
    /// By cycle, going round, and router of the network, with room for a block before and after: what was sent, and
    /// passed on.
    sent: Vec<Vec<W>>,
    passed: Vec<Vec<W>>,
    /// Cycles that were simulated.
    turn: usize,
    /// Flits on their way to a terminal: all where a probe wants each, else tails. And how many there are,
    /// by cycle, going round.
    leaving: Wheel,
    arriving: Vec<u64>,
    events: Vec<u32>,
}

archived! { Core<W, V> where [W: Word, const V: usize] {
    blocks, turn, leaving; fixed ivcs, outlets, feeds, feeding, sent, passed, arriving; rebuilt rules, first, links, scratch, events
} }

impl<W: Word, const V: usize> Core<W, V> {
    pub(in crate::dense) fn new(
        network: &Network,
        config: &EngineConfig,
        border: &mut Border,
    ) -> Self {
        let rules = Rules::of(config).expect("stages that fit");
        let routers = border.routers().clone();
        let mut links = Links::new(network, rules.ways, &routers);
        let (slots, count) = (links.slots(), routers.len());
        let (stride, blocks) = ((slots + 1) * V, links.kind_of.len());
        let mut outlets = vec![Outlet::NONE; count * (slots + 1)];
        for output in links.outputs(network, &routers) {
            let end = border.end(output.target, output.rank * V, stride, V);
            outlets[output.router * (slots + 1) + output.slot] = Outlet::new(output.channel, end);
        }
        let ivcs = links.take_ivcs(&routers, Ivc::new);
        let all = (network.nodes() as usize).div_ceil(W::LANES);
        let plane = || vec![W::of(0); (all + 2) * W::LANES];
        let planes = || (0..rules.planes()).map(|_| plane()).collect();
        Self {
            rules,
            first: routers.start as usize,
            blocks: StagedBlocks::new(blocks, slots, config.buffer_flits, rules),
            scratch: StagedScratch::new(),
            ivcs,
            outlets,
            feeds: vec![Feed::default(); count],
            feeding: vec![0; blocks],
            sent: planes(),
            passed: planes(),
            turn: 0,
            leaving: Wheel::new(rules.to_terminal as u32 + 1, count * 2),
            arriving: vec![0; rules.to_terminal as usize + 1],
            events: Vec::with_capacity(count * 2),
            links,
        }
    }

    /// The plane of the last cycle.
    fn last(&self) -> usize {
        let planes = self.sent.len();
        (self.turn + planes - 1) % planes
    }

    /// Takes in what has come from other parts.
    pub(in crate::dense) fn receive(&mut self, border: &mut Border, packets: &mut Packets) {
        let last = self.last();
        let planes = [&mut *self.sent[last], &mut *self.passed[last]];
        border.receive(planes, W::LANES, packets, |packets, ivc, slot| {
            packets.pass_on(&mut self.ivcs[ivc].heads, slot);
        });
    }

    /// Hands on what other parts read of the last cycle.
    pub(in crate::dense) fn give(&self, border: &mut Border) {
        let last = self.last();
        border.give([&self.sent[last], &self.passed[last]], W::LANES);
    }

    /// Whether, without packets, nothing is under way.
    pub(in crate::dense) fn is_settled(&self) -> bool {
        let planes = self.sent.iter().chain(&self.passed);
        planes.flatten().all(|word| word.bits() == 0)
    }

    /// The source at `place` begins with the packet in `slot`.
    #[inline(never)]
    pub(in crate::dense) fn inject(&mut self, place: usize, _vc: usize, slot: u32, flits: u32) {
        self.feeds[place].begin(slot, flits);
        self.feeding[place / W::LANES] |= 1 << (place % W::LANES);
    }

    /// Simulates a cycle.
    pub(in crate::dense) fn step<R: Routing, P: Probe>(
        &mut self,
        probe: &mut P,
        around: &mut Around<'_, R>,
    ) where
        W: StagedPasses<V>,
    {
        self.arrive_at_terminals(probe, around);
        let (turn, planes, rules) = (self.turn, self.sent.len(), self.rules);
        self.turn += 1;
        let now = turn % planes;
        let before = |cycles: usize| (turn + planes - cycles) % planes;
        // What is written in this cycle is not what is read in it.
        let mut sent = std::mem::take(&mut self.sent[now]);
        let mut passed = std::mem::take(&mut self.passed[now]);
        for (index, &kind) in self.links.kind_of.iter().enumerate() {
            // First, for a block without a packet ends early.
            if index % BLOCKS_COUNTED == BLOCKS_COUNTED - 1 {
                let leave = count(&mut self.scratch.common, around);
                self.arriving[arrival(around.cycle, rules)] += leave;
            }
            let base = self.first + (index + 1) * W::LANES;
            let inbox = StagedInbox {
                sent: &self.sent[before(rules.flits_after)],
                passed: &self.passed[before(rules.credits_after)],
                ejected: &self.sent[before(rules.ejected_after)],
                drawn: &self.passed[before(rules.drawn_after)],
                base,
            };
            let mut outbox = Outbox {
                sent: &mut sent,
                passed: &mut passed,
                base,
            };
            let kind = &self.links.kinds[kind as usize];
            let mut site = Site {
                rules,
                block: self.blocks.block(index, turn),
                scratch: &mut self.scratch,
                links: &self.links,
                node: self.first + index * W::LANES,
                place: index * W::LANES,
                ivcs: &mut self.ivcs,
                outlets: &mut self.outlets,
                leaving: &mut self.leaving,
            };
            let sources = (&mut self.feeding[index], &mut *self.feeds);
            site.cycle(kind, &inbox, &mut outbox, sources, probe, around);
        }
        self.sent[now] = sent;
        self.passed[now] = passed;
        let leave = count(&mut self.scratch.common, around);
        self.arriving[arrival(around.cycle, rules)] += leave;
    }

    /// Flits come to the ends of their ways.
    fn arrive_at_terminals<R, P: Probe>(&mut self, probe: &mut P, around: &mut Around<'_, R>) {
        let (cycle, places) = (around.cycle, self.arriving.len() as u64);
        let ejections = std::mem::take(&mut self.arriving[(cycle % places) as usize]);
        around.counters.flits_ejected += ejections;
        if !P::EACH_FLIT && ejections > 0 {
            probe.flits_ejected(cycle, ejections as u32);
        }
        self.leaving.take(cycle, &mut self.events);
        for &word in &self.events {
            let flit = Flit::of_word(word);
            let packet = around.packets.get(flit.packet);
            if P::EACH_FLIT {
                let node = NodeId(packet.destination.0);
                probe.flit_ejected(cycle, node, flit.kind, packet);
            }
            if flit.kind.tail {
                around.counters.packets_delivered += 1;
                probe.packet_delivered(cycle + 1, packet);
                probe.packet_retired(cycle + 1, packet, flit.packet);
                around.packets.remove(flit.packet);
            }
        }
        self.events.clear();
    }

    /// Bytes of its parts, each with its name.
    pub(in crate::dense) fn bytes(&self) -> [(&'static str, u64); 3] {
        let planes = 2 * self.sent.len() * size_of_val(&*self.sent[0]);
        let feeds = size_of_val(&*self.feeds) + size_of_val(&*self.feeding);
        let links = self.links.bytes() + size_of_val(&*self.outlets);
        [
            ("rows of routers", self.blocks.bytes() + planes as u64),
            (
                "input virtual channels",
                (size_of_val(&*self.ivcs) + feeds) as u64 + self.leaving.bytes(),
            ),
            ("links", links as u64),
        ]
    }
}

impl<W: StagedPasses<V>, const V: usize> Site<'_, W, V> {
    /// Simulates a cycle of the block.
    #[inline(always)]
    fn cycle<R: Routing, P: Probe>(
        &mut self,
        kind: &Kind<W, V>,
        inbox: &StagedInbox<'_, W>,
        outbox: &mut Outbox<'_, W>,
        (feeding, feeds): (&mut u32, &mut [Feed]),
        probe: &mut P,
        around: &mut Around<'_, R>,
    ) {
        let (level, emptied_at) = (around.level, around.emptied_at);
        let (block, scratch) = (&mut self.block, &mut *self.scratch);
        W::arrive(level, block, kind, inbox, emptied_at, scratch);
        if *feeding != 0 {
            self.feed(feeding, feeds, probe, around);
        }
        let Rules {
            speculates,
            asks_after,
            ..
        } = self.rules;
        let asks_at_once = asks_after == 0;
        // Who bids while he asks is served before the passes.
        if speculates && W::come(level, &mut self.block, kind, self.scratch) {
            if asks_at_once {
                self.route_fresh(around);
            }
            self.serve(level);
        }
        let (block, scratch) = (&mut self.block, &mut *self.scratch);
        if !W::switch(level, self.rules, block, kind, outbox, scratch) {
            outbox.clear();
            return;
        }
        // Else nobody bids in the cycle in which he is given a virtual channel, so that heads are served after
        // the passes: these wait where they read a vector of which a word has just been written.
        if asks_at_once && !speculates {
            self.route_fresh(around);
            if self.scratch.any_asking {
                W::call(level, &self.block, self.scratch);
            }
        }
        if P::EACH_FLIT {
            self.tell_flits(probe, around);
        }
        if self.scratch.common.moving.is_any() {
            self.move_heads(around);
        }
        if self.scratch.common.delivered.is_any() && !P::EACH_FLIT {
            self.end_tails(around.cycle);
        }
        if !speculates {
            W::claim(self);
        }
        if !asks_at_once && self.scratch.common.fresh.is_any() {
            self.route_fresh(around);
        }
    }

    /// Heads that ask are served, and bid.
    #[inline(always)]
    fn serve(&mut self, level: Level) {
        let none = W::of(0).row();
        (self.scratch.guesses, self.scratch.given) = (none, none);
        if self.scratch.any_asking {
            W::call(level, &self.block, self.scratch);
            W::claim(self);
        }
    }
}

/// Counts what left since this was last done. The flits that left for terminals.
fn count<W: Word, R>(scratch: &mut Scratch<W>, around: &mut Around<'_, R>) -> u64 {
    let [moves, ejections] = scratch.count();
    around.counters.flit_hops += moves;
    ejections
}

/// Where what leaves in `cycle` is counted until it is at its terminal.
fn arrival(cycle: u64, rules: Rules) -> usize {
    ((cycle + rules.to_terminal) % (rules.to_terminal + 1)) as usize
}
