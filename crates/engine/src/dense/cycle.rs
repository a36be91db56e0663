//! One cycle, block by block: a pass, heads one by one, a pass, heads and tails one by one.

use super::around::Around;
use super::block::{Blocks, Layout, Scratch};
use super::border::Border;
use super::compiled::Passes;
use super::links::Links;
use super::pass::Outbox;
use super::row::Word;
use super::site::{Ivc, Outlet, Site};
use crate::packet::Packets;
use crate::{Probe, Routing};
use flitsim_topology::{Network, archived};

/// Routers whose input virtual channels are bits of a `W`, `V` a port.
#[derive(Debug)]
pub(super) struct Core<W: Layout<V>, const V: usize> {
    /// The first of them, in the network.
    first: usize,
    blocks: Blocks<W, V>,
    links: Links<W, V>,
    scratch: Scratch<W>,
    gathered: [Vec<W>; 2],
    /// By router, in the order of masks.
    ivcs: Vec<Ivc>,
    /// The same: the cycle, modulo 2^32, in which the head came that waits there.
    came: Vec<u32>,
    /// By router and slot, its terminal's, which is none, included.
    outlets: Vec<Outlet>,
    /// By router of the network, with room for a block before and after: what was sent and passed in the last
    /// cycle, and in the one before.
    sent: [Vec<W>; 2],
    passed: [Vec<W>; 2],
    /// Which of the two the next cycle writes.
    turn: usize,
}

archived! { Core<W, V> where [W: Layout<V>, const V: usize] {
    blocks, sent, passed, turn; fixed ivcs, came, outlets; rebuilt first, links, scratch, gathered
} }

/// Blocks after which moves are counted, before they overflow.
const BLOCKS_COUNTED: usize = 1024;

impl<W: Layout<V>, const V: usize> Core<W, V> {
    pub(super) fn new(network: &Network, buffer_flits: u32, border: &mut Border) -> Self {
        let routers = border.routers().clone();
        let mut links = Links::new(network, 1, &routers);
        let (slots, count) = (links.slots(), routers.len());
        let stride = (slots + 1) * V;
        let mut outlets = vec![Outlet::NONE; count * (slots + 1)];
        for output in links.outputs(network, &routers) {
            outlets[output.router * (slots + 1) + output.slot] = Outlet {
                channel: output.channel,
                end: border.end(output.target, output.rank * V, stride, V),
                vc_turn: 0,
            };
        }
        let ivcs = links.take_ivcs(&routers, |inlet, _| Ivc::new(inlet));
        let all = (network.nodes() as usize).div_ceil(W::LANES);
        let plane = || vec![W::of(0); (all + 2) * W::LANES];
        Self {
            first: routers.start as usize,
            blocks: Blocks::new(links.kind_of.len(), slots, buffer_flits),
            scratch: Scratch::new(),
            gathered: links.room(),
            ivcs,
            came: vec![0; count * stride],
            outlets,
            sent: [plane(), plane()],
            passed: [plane(), plane()],
            turn: 0,
            links,
        }
    }

    /// The packet in `slot` enters injection virtual channel `vc` of the router at `place`.
    #[inline(never)]
    pub(super) fn inject(&mut self, place: usize, vc: usize, slot: u32, _flits: u32) {
        let slots = self.links.slots();
        let bit = slots * V + vc;
        self.ivcs[place * (slots + 1) * V + bit].put(slot);
        let masks = self.blocks.masks(place / W::LANES);
        masks.injecting.insert(place % W::LANES, 1 << bit);
    }

    /// Simulates a cycle.
    pub(super) fn step<R: Routing, P: Probe>(&mut self, probe: &mut P, around: &mut Around<'_, R>)
    where
        W: Passes<V>,
    {
        let (now, before) = (self.turn, 1 - self.turn);
        self.turn = before;
        let [sent, sent_before] = pair(&mut self.sent, now);
        let [passed, passed_before] = pair(&mut self.passed, now);
        for (index, &kind) in self.links.kind_of.iter().enumerate() {
            // First, for a block without a packet ends early.
            if index % BLOCKS_COUNTED == BLOCKS_COUNTED - 1 {
                count(&mut self.scratch, probe, around);
            }
            let base = self.first + (index + 1) * W::LANES;
            let before = [&*sent_before, &*passed_before];
            let inbox = self.links.inbox(index, before, base, &mut self.gathered);
            let mut outbox = Outbox { sent, passed, base };
            let kind = &self.links.kinds[kind as usize];
            let mut site = Site {
                block: self.blocks.block(index),
                scratch: &mut self.scratch,
                links: &self.links,
                node: self.first + index * W::LANES,
                place: index * W::LANES,
                ivcs: &mut self.ivcs,
                came: &mut self.came,
                outlets: &mut self.outlets,
            };
            let (level, emptied_at) = (around.level, around.emptied_at);
            let (block, scratch) = (&mut site.block, &mut *site.scratch);
            if !W::deliver(level, block, kind, &inbox, emptied_at, scratch) {
                outbox.clear();
                continue;
            }
            if site.scratch.called.is_any() {
                site.serve_waiting(around);
            }
            if site.scratch.fresh.is_any() {
                site.route_fresh(around);
            }
            W::switch(level, &mut site.block, kind, &mut outbox, site.scratch);
            if P::EACH_FLIT {
                site.tell_flits(probe, around);
            }
            if site.scratch.moving.is_any() {
                site.move_heads(around);
            }
            if site.scratch.delivered.is_any() || site.scratch.injected.is_any() {
                site.end_tails(probe, around);
            }
        }
        count(&mut self.scratch, probe, around);
    }

    /// Takes in what has come from other parts.
    pub(super) fn receive(&mut self, border: &mut Border, packets: &mut Packets) {
        let last = 1 - self.turn;
        let planes = [&mut *self.sent[last], &mut *self.passed[last]];
        border.receive(planes, W::LANES, packets, |packets, ivc, slot| {
            packets.pass_on(&mut self.ivcs[ivc].heads, slot);
        });
    }

    /// Hands on what other parts read of the last cycle.
    pub(super) fn give(&self, border: &mut Border) {
        let last = 1 - self.turn;
        border.give([&self.sent[last], &self.passed[last]], W::LANES);
    }

    /// Whether, without packets, nothing is under way that takes more than the next cycle.
    pub(super) fn is_settled(&self) -> bool {
        true
    }

    /// Bytes of its parts, each with its name.
    pub(super) fn bytes(&self) -> [(&'static str, u64); 3] {
        let planes = 4 * size_of_val(&*self.sent[0]);
        let inputs = size_of_val(&*self.ivcs) + size_of_val(&*self.came);
        let links = self.links.bytes() + size_of_val(&*self.outlets);
        [
            ("rows of routers", self.blocks.bytes() + planes as u64),
            ("input virtual channels", inputs as u64),
            ("links", links as u64),
        ]
    }
}

/// Counts what left since this was last done.
fn count<W: Word, R, P: Probe>(
    scratch: &mut Scratch<W>,
    probe: &mut P,
    around: &mut Around<'_, R>,
) {
    let [moves, ejections] = scratch.count();
    around.counters.flit_hops += moves;
    around.counters.flits_ejected += ejections;
    if !P::EACH_FLIT && ejections > 0 {
        probe.flits_ejected(around.cycle, ejections as u32);
    }
}

/// Plane `now` and the other.
fn pair<W>(planes: &mut [Vec<W>; 2], now: usize) -> [&mut [W]; 2] {
    let [a, b] = planes;
    if now == 0 { [a, b] } else { [b, a] }
}
