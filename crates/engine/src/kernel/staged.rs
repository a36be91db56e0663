//! What routers in stages remember beside what all do; their phases are in `stages`.

use crate::config::{Arbiter, Begins, Matching};
use crate::kernel::active::ActiveSet;
use crate::kernel::ask::Ask;
use crate::kernel::best::{Best, Key};
use crate::kernel::cells::Cells;
use crate::kernel::partition::Partition;
use crate::kernel::rotation::Rotation;
use crate::kernel::sharing::Sharing;
use crate::kernel::timing::Timing;
use crate::kernel::wheel::Wheel;
use crate::kernel::wiring::Wiring;
use crate::routing::VcMask;
use crate::{Crossbar, EngineConfig, Port};
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, Network, archived};

/// Grants in a row that heads may decline before a virtual channel's turn moves on without a match: heads that take
/// others in step could otherwise hold it for ever.
pub(crate) const DECLINED_MOST: u8 = 16;

/// What routers in stages remember beside what all do.
#[derive(Debug)]
pub(crate) struct Stages {
    pub(super) timing: Timing,
    pub(super) vc_arbiter: Arbiter,
    pub(super) switch_arbiter: Arbiter,
    pub(super) vc_matching: Option<Matching>,
    pub(super) switch_matching: Matching,
    /// Where they begin.
    pub(super) vc_begins: Begins,
    pub(super) switch_begins: Begins,
    /// Whether the switch is allocated on masks.
    pub(super) by_masks: bool,
    /// Whether flits wait for their channel behind the switch.
    pub(super) has_queues: bool,
    /// Internal cycles in a cycle, and the current one since cycle 0: the cycle itself unless there are several.
    pub(super) internal: u64,
    pub(super) now: u64,
    /// With several: cycles until a flit that wins now has crossed the switch.
    pub(super) crossing: u64,
    /// By internal cycle, in which it is so: ivcs at whose front a head without an output asks for one.
    pub(super) asking: Wheel,
    /// The same: ivcs whose front flit has an output with room, and bids for it.
    pub(super) bidding: Wheel,
    /// Ivcs to be looked at, because a stage is over.
    pub(super) timers: Wheel,
    /// Flits on their way to a terminal: the packet's slot, and whether it is its head and its tail.
    pub(super) leaving: Wheel,
    /// By ivc: the first internal cycle in which its front flit may ask for a virtual channel, or bid for the switch.
    pub(super) acts_from: Vec<u64>,
    /// By ivc: the local output that it bids for.
    pub(super) out: Vec<u16>,
    /// By router and 64 of its ivcs: the heads that bid before they have a virtual channel.
    pub(super) speculating: Vec<u64>,
    /// By router and 64 of its ivcs: those that keep their way through the switch; empty where none does.
    pub(super) holding: Vec<u64>,
    /// By channel that a packet has to itself: the other virtual channels that are free; empty where none has one.
    pub(super) others: Vec<VcMask>,
    /// By terminal: what its source is sending; empty where packets are ready as a whole.
    pub(super) feeds: Vec<Feed>,
    /// The first lane that no source sends into over its terminal's channel: 0 unless terminals are ports.
    pub(super) ports_end: u32,
    /// The terminals whose sources are sending.
    pub(super) feeding: ActiveSet,
    /// By lane: the local ivc that a virtual channel takes first, below the grants in a row that were declined.
    pub(super) grant_turns: Vec<u32>,
    /// By ivc: the output virtual channel of its router that it takes first.
    pub(super) accept_turns: Vec<u16>,
    /// By first ivc of an input of the switch: the output that it takes first.
    pub(super) input_turns: Vec<u16>,
    /// By lane and local ivc, and by output and local ivc: the cycle after that in which the one took the
    /// other last; empty where no matrix arbiter needs it.
    pub(super) vc_taken: Vec<u64>,
    pub(super) switch_taken: Vec<u64>,
    /// By input port as a channel: the credits that it sent last; empty where all that come free in a cycle go.
    pub(super) returns: Vec<Return>,
    /// What the virtual channels of a port have taken of its buffers, where they share them.
    pub(crate) sharing: Sharing,
    /// Where allocators begin by the numbers of ports.
    pub(super) rotation: Rotation,
    pub(super) scratch: Scratch,
}

archived! { Stages {
    asking, bidding, timers, leaving, feeding, sharing, rotation; fixed acts_from, out, speculating, holding, others, feeds,
    grant_turns, accept_turns, input_turns, vc_taken, switch_taken, returns; rebuilt timing, vc_arbiter, switch_arbiter,
    vc_matching, switch_matching, vc_begins, switch_begins, by_masks, has_queues, internal, now, crossing, ports_end, scratch
} }

/// What a cycle uses and leaves empty.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) asks: Vec<Ask>,
    /// Those that were matched, each with its virtual channel.
    pub(super) granted_vcs: Vec<(Ask, u32)>,
    /// By local ivc: the virtual channels that grant themselves to its head.
    pub(super) offered: Vec<VcMask>,
    /// The routers where several heads ask for one channel; then those where flits meet in the switch.
    pub(super) contested: Vec<u32>,
    pub(super) bids: Vec<Bid>,
    /// By way out of the switch or virtual channel, and by local ivc: the place of the best so far in one
    /// of the two lists, with what it is compared by.
    pub(super) best: Vec<Best>,
    pub(super) touched: Vec<u32>,
    pub(super) granted: Vec<Best>,
    pub(super) accepting: Vec<u32>,
    pub(super) cells: Cells,
    /// The local ivcs of a router whose front flit won the switch.
    pub(super) winners: Vec<u32>,
    /// Where winners are found before any leaves: the same of all routers, as ivcs.
    pub(super) moves: Vec<u32>,
    /// Where it takes the same time everywhere: lanes that a flit has been sent over, and lanes of which a
    /// place came free.
    pub(super) sent: Vec<u32>,
    pub(super) returned: Vec<u32>,
}

/// What a network's routers are, by which what they remember is counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) nodes: u128,
    pub(super) channels: u128,
    pub(super) terminals: u128,
    /// Virtual channels that every port has room for, and input virtual channels every router.
    pub(super) vcs: u128,
    pub(super) ivcs_each: u128,
}

/// How long the lists of [`Stages`] are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    ivcs: u128,
    words: u128,
    holding: u128,
    others: u128,
    feeds: u128,
    grant_turns: u128,
    accept_turns: u128,
    vc_taken: u128,
    switch_taken: u128,
    returns: u128,
    used: u128,
    moves: u128,
    /// Of channels, those sent over and those with a place come free; and of routers, the contested.
    listed: u128,
    rotation_bytes: u128,
}

impl Counts {
    /// `None` where routers are not in stages.
    pub(super) fn of(config: &EngineConfig, shape: Shape) -> Option<Self> {
        if !config.is_staged() {
            return None;
        }
        let Shape {
            nodes,
            channels,
            terminals,
            vcs,
            ivcs_each,
        } = shape;
        let ivcs = nodes * ivcs_each;
        let words = nodes * ivcs_each.div_ceil(64);
        let ways = channels + 2 * terminals;
        let matches = config.vc_allocator.is_some();
        let is_matrix = |matching| config.arbiter_of(matching) == Arbiter::Matrix;
        let or_none = |wanted: bool, count: u128| if wanted { count } else { 0 };
        Some(Self {
            ivcs,
            words,
            holding: or_none(config.hold_switch, words),
            others: or_none(!config.interleave_flits, ways),
            feeds: or_none(config.injection_buffers, terminals),
            grant_turns: or_none(matches, ways * vcs),
            accept_turns: or_none(matches, ivcs),
            vc_taken: or_none(
                matches && is_matrix(config.vc_allocator),
                ways * vcs * ivcs_each,
            ),
            switch_taken: or_none(
                is_matrix(Some(config.switch_matching())),
                (channels + nodes) * ivcs_each,
            ),
            returns: or_none(config.internal_speedup > 1, channels + terminals),
            used: or_none(config.shares_buffers(), ways * vcs),
            // One for each way out of a switch.
            moves: (channels + nodes) * u128::from(config.output_speedup),
            listed: 2 * channels + nodes,
            rotation_bytes: or_none(
                config.keys_of_starts().next().is_some(),
                Rotation::bytes_for([nodes, ivcs_each / vcs, channels]),
            ),
        })
    }

    /// Bytes that the lists take.
    pub(super) fn bytes(&self) -> u128 {
        // As the types of the lists are, which a test holds: cycles and masks, then turns and places taken, then lists and
        // the turns that count.
        let long = self.ivcs + self.words + self.holding + self.others;
        let long = long + self.vc_taken + self.switch_taken;
        let short = 2 * self.ivcs + self.accept_turns + self.used;
        let lists = 4 * (self.moves + self.listed + self.grant_turns);
        let feeds = self.feeds * size_of::<Feed>() as u128;
        let returns = self.returns * size_of::<Return>() as u128;
        8 * long + lists + 2 * short + feeds + returns + self.rotation_bytes
    }
}

impl Stages {
    /// Those of the routers of `partition`, where `config` asks for any.
    pub(super) fn of(
        network: &Network,
        partition: &impl Partition,
        wiring: Wiring,
        config: &EngineConfig,
    ) -> Option<Box<Self>> {
        let [nodes, channels, terminals] = [
            partition.routers(network),
            partition.channels(network),
            partition.terminals(network),
        ]
        .map(|count| count as usize);
        config.is_staged().then(|| {
            Box::new(Self {
                rotation: Rotation::of(network, partition, wiring, config),
                ..Self::new(config, wiring, [nodes, channels, terminals])
            })
        })
    }

    fn new(
        config: &EngineConfig,
        wiring: Wiring,
        [nodes, channels, terminals]: [usize; 3],
    ) -> Self {
        let switch_matching = config.switch_matching();
        let matchings = [config.vc_allocator, Some(switch_matching)];
        let [vc_arbiter, switch_arbiter] = matchings.map(|matching| config.arbiter_of(matching));
        let [vc_begins, switch_begins] = matchings.map(|matching| config.begins(matching));
        let or_empty = |wanted: bool, len: usize| if wanted { len } else { 0 };
        let local = 1usize << wiring.router_shift;
        let shape = Shape {
            nodes: nodes as u128,
            channels: channels as u128,
            terminals: terminals as u128,
            vcs: u128::from(wiring.vcs()),
            ivcs_each: local as u128,
        };
        let counts = Counts::of(config, shape).expect("routers in stages");
        let [ivcs, moves] = [counts.ivcs, counts.moves].map(|count| count as usize);
        let outputs = wiring.degree_max + 1;
        let ways_out = outputs * config.output_speedup as usize;
        let targets = (outputs << wiring.vc_shift).max(ways_out);
        let timing = Timing::new(config);
        let longest = timing.asks_after.max(timing.bids_after_claim) + 1;
        let has_cells = matchings.into_iter().flatten().any(Matching::looks_at_all);
        // Where heads ask for several channels there can be more; the lists then grow.
        let of_packet = local * config.virtual_channels.max(config.ejection_vcs) as usize;
        let cells = [local, targets + local, of_packet].map(|count| or_empty(has_cells, count));
        Self {
            timing,
            vc_arbiter,
            switch_arbiter,
            vc_matching: config.vc_allocator,
            switch_matching,
            vc_begins,
            switch_begins,
            by_masks: by_masks(config, wiring, switch_arbiter),
            has_queues: config.has_output_queues(),
            internal: u64::from(config.internal_speedup),
            now: 0,
            crossing: 0,
            asking: Wheel::new(longest as u32, nodes * outputs),
            bidding: Wheel::new(longest as u32, nodes * outputs / 2),
            timers: Wheel::new(longest as u32, nodes * outputs / 2),
            leaving: Wheel::new(
                timing.to_terminal as u32 + 1 + config.port_wire_max() + config.queue_cycles_max(),
                terminals * 2,
            ),
            acts_from: vec![0; ivcs],
            out: vec![0; ivcs],
            speculating: vec![0; counts.words as usize],
            holding: vec![0; counts.holding as usize],
            others: vec![0; counts.others as usize],
            feeds: vec![Feed::default(); counts.feeds as usize],
            ports_end: or_empty(config.terminal_ports, terminals << wiring.vc_shift) as u32,
            feeding: ActiveSet::new(terminals),
            grant_turns: vec![0; counts.grant_turns as usize],
            input_turns: vec![0; ivcs],
            accept_turns: vec![0; counts.accept_turns as usize],
            vc_taken: vec![0; counts.vc_taken as usize],
            switch_taken: vec![0; counts.switch_taken as usize],
            returns: vec![Return::default(); counts.returns as usize],
            sharing: Sharing::new(config, counts.used as usize),
            rotation: Rotation::default(),
            scratch: Scratch::new([nodes, channels, moves, local, targets, of_packet], cells),
        }
    }

    /// Whether sources send flit by flit.
    pub(super) fn has_buffers(&self) -> bool {
        !self.feeds.is_empty()
    }

    /// Internal cycle `internal` of `cycle` begins.
    pub(super) fn begin(&mut self, cycle: u64, internal: u64) {
        self.now = cycle * self.internal + internal;
        self.crossing = self.timing.crossing(internal, self.internal);
    }

    /// What a credit of `port` waits that leaves in `cycle`: a port sends some once a cycle, and all that came free in
    /// one internal cycle together.
    pub(super) fn credit_wait(&mut self, port: ChannelId, cycle: u64) -> u64 {
        let now = self.now;
        let Some(last) = self.returns.get_mut(port.index()) else {
            return 0;
        };
        if last.freed_before != now + 1 {
            last.next = cycle.max(last.next) + 1;
            last.freed_before = now + 1;
        }
        last.next - 1 - cycle
    }

    /// Whether the front flit of `ivc`, a head without an output or not, waits for a cycle to come, as of the start of `cycle`.
    pub(super) fn is_timed(&self, ivc: u32, cycle: u64, is_head: bool) -> bool {
        let is_to_come = self.acts_from[ivc as usize] >= cycle * self.internal;
        let has = |wheel: &Wheel| wheel.iter().any(|timed| timed == ivc);
        let known = if is_head { &self.asking } else { &self.bidding };
        is_to_come && (has(known) || !is_head && has(&self.timers))
    }

    fn wheels(&self) -> [&Wheel; 4] {
        [&self.asking, &self.bidding, &self.timers, &self.leaving]
    }

    /// Bytes of what is counted in [`Counts`].
    pub(super) fn bytes(&self) -> u64 {
        let turns = [&self.accept_turns, &self.input_turns].map(bytes_of);
        let turns = turns.iter().sum::<u64>() + bytes_of(&self.grant_turns);
        let taken = bytes_of(&self.vc_taken) + bytes_of(&self.switch_taken);
        let of_ivcs = bytes_of(&self.acts_from) + bytes_of(&self.out) + bytes_of(&self.speculating);
        let kept = bytes_of(&self.holding) + bytes_of(&self.others);
        let all = turns + taken + of_ivcs + kept + bytes_of(&self.feeds) + bytes_of(&self.returns);
        all + self.scratch.bytes() + self.sharing.bytes() + self.rotation.bytes()
    }

    /// Bytes of what is under way.
    pub(super) fn bytes_of_wheels(&self) -> u64 {
        self.wheels().map(Wheel::bytes).iter().sum()
    }

    /// Whether terminals are ports.
    pub(super) fn has_ports(&self) -> bool {
        self.ports_end > 0
    }

    /// What a credit takes longer from a terminal than from a channel's end, beside the wire there.
    pub(super) fn way_cycles(&self) -> u32 {
        self.timing.to_terminal as u32 + 1
    }

    /// Whether something is under way that only time can stop.
    pub(super) fn is_busy(&self) -> bool {
        self.wheels().iter().any(|wheel| wheel.pending() > 0)
    }
}

/// Whether the switch is allocated on masks: see `stages::by_masks`.
fn by_masks(config: &EngineConfig, wiring: Wiring, arbiter: Arbiter) -> bool {
    wiring.words <= 2
        && wiring.outputs_fit_word()
        && !config.switch_matching().looks_at_all()
        && arbiter == Arbiter::RoundRobin
        && config.crossbar == Crossbar::Port
        && [config.input_speedup, config.output_speedup] == [1; 2]
        && [config.injection, config.ejection] == [Port::Channel; 2]
        && config.channel_period_max() == 1
}

/// The credits that an input port sent last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Return {
    /// The internal cycle after that in which their places came free; 0 before any has.
    freed_before: u64,
    /// The first cycle in which others can leave.
    next: u64,
}

archived! { Return { freed_before, next } }

/// What a source is sending.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feed {
    pub(crate) slot: u32,
    /// Flits that have not been sent.
    pub(crate) left: u32,
    /// The virtual channel that the packet goes to, once its head has been sent; before, the one that
    /// the last packet took.
    pub(crate) vc: u8,
    pub(crate) is_under_way: bool,
}

archived! { Feed { slot, left, vc, is_under_way } }

impl Feed {
    /// The source begins with the packet in `slot`.
    pub(crate) fn begin(&mut self, slot: u32, flits: u32) {
        (self.slot, self.left, self.is_under_way) = (slot, flits, false);
    }
}

impl Stages {
    /// The source of `terminal` begins with the packet in `slot`.
    pub(crate) fn begin_feed(&mut self, terminal: u32, slot: u32, flits: u32) {
        self.feeds[terminal as usize].begin(slot, flits);
        self.feeding.insert(terminal);
    }

    /// Flits that sources have begun to send and still have.
    pub(crate) fn flits_to_feed(&self) -> u64 {
        self.feeds.iter().map(|feed| u64::from(feed.left)).sum()
    }
}

/// A flit that could leave in this cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bid {
    pub(super) local: u32,
    /// Its input of the switch, by its first local ivc, and where the next input stands.
    pub(super) position: u32,
    pub(super) next: u32,
    pub(super) output: u32,
    /// The way out of the switch, counted through all outputs.
    pub(super) way_out: u32,
    /// 1 of a head that has no virtual channel yet.
    pub(super) is_guess: u64,
    /// What its input, and its output, compare it by.
    pub(super) at_input: [u64; 2],
    pub(super) at_output: Key,
}

impl Scratch {
    /// For so many routers, channels, ways out of all switches, ivcs of a router, virtual channels or ways out of its
    /// switch, and pairs of a packet with them.
    fn new(counts: [usize; 6], cells: [usize; 3]) -> Self {
        let [nodes, channels, moves, local, targets, of_packet] = counts;
        Self {
            asks: Vec::with_capacity(local),
            granted_vcs: Vec::with_capacity(local),
            offered: vec![0; local],
            contested: Vec::with_capacity(nodes),
            sent: Vec::with_capacity(channels),
            returned: Vec::with_capacity(channels),
            bids: Vec::with_capacity(local.max(of_packet)),
            best: vec![Best::NONE; targets],
            touched: Vec::with_capacity(targets),
            granted: vec![Best::NONE; local],
            accepting: Vec::with_capacity(local),
            cells: Cells::new(cells),
            winners: Vec::with_capacity(local),
            moves: Vec::with_capacity(moves),
        }
    }

    fn bytes(&self) -> u64 {
        let lists = [&self.moves, &self.sent, &self.returned, &self.contested];
        lists.map(bytes_of).iter().sum()
    }

    /// The output of `bid` takes it.
    pub(super) fn grant(&mut self, bid: &Bid, place: u32) {
        let [first, second] = bid.at_input;
        let offered = Best {
            key: [first, second, 0, 0],
            place,
            target: bid.way_out,
        };
        if self.granted[bid.position as usize].offer(offered) {
            self.accepting.push(bid.position);
        }
    }
}
