//! What the routers remember, as flat arrays.
//!
//! An input virtual channel (ivc) is read by its own router alone; an output virtual channel (ovc) is
//! claimed by its sender alone. A [`Lane`] has both ends. A router changes counts at the far ends of its
//! lanes, and reads them only to say what will wait or request in the next cycle; nothing of the cycle at hand
//! is decided by them, so the order in which routers are visited does not matter.

use crate::kernel::fast_paths::Needs;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::wait::Wait;
use crate::kernel::wiring::{NONE, Wiring};
use crate::packet::Queue;
use crate::routing::{Knowledge, VcMask, vc_range};
use crate::{Candidates, EngineConfig};
use flitsim_topology::archive::{Archive, Archived};
use flitsim_topology::{ChannelId, Network, NodeId, archived};

/// A terminal's source queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) queue: Queue,
    /// The injection virtual channels that hold no packet.
    pub(crate) free: u64,
}

archived! { Source { queue, free } }

/// The sender's end of a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// The virtual channels that may be claimed.
    pub(crate) free_vcs: VcMask,
    /// The heads that wait for one of its virtual channels and for nothing else, in the order in
    /// which they came: see `kernel::park`.
    pub(crate) parked: Queue,
    /// The virtual channel preferred among equals.
    pub(crate) vc_pointer: u8,
    /// Heads that found none free are to be told when one is: see [`Router::freed`].
    pub(crate) is_wanted: bool,
}

archived! { Link { free_vcs, parked, vc_pointer, is_wanted } }

/// What a router knows of its ivcs, as bits, and where its channels begin. A router of more than 64
/// ivcs has one for each 64 of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Router {
    /// The ivcs with a flit, an output, and a credit.
    pub(crate) requesting: u64,
    /// The ivcs whose front flit is a head without an output, those parked at a channel excepted.
    pub(crate) waiting: u64,
    /// Of every port, the virtual channels that a round-robin arbiter puts forward before the
    /// others: those after the one that it took last.
    pub(crate) ahead: u64,
    /// The local outputs of which a virtual channel was freed while it was wanted; of those above 64
    /// modulo 64, and in the first word.
    pub(crate) freed: u64,
    /// Its first channel out.
    pub(crate) first_channel: u32,
    /// How many channels out there are.
    pub(crate) channels: u32,
}

archived! { Router { requesting, waiting, ahead, freed; rebuilt first_channel, channels } }

impl Router {
    /// Nothing waits or requests; the channels out are `out`.
    fn new(out: std::ops::Range<u32>) -> Self {
        Self {
            requesting: 0,
            waiting: 0,
            ahead: u64::MAX,
            freed: 0,
            first_channel: out.start,
            channels: out.len() as u32,
        }
    }

    /// Notes that a virtual channel of `channel`, one of its own, was freed.
    pub(crate) fn note_freed(&mut self, channel: ChannelId) {
        self.freed |= 1 << ((channel.0 - self.first_channel) & 63);
    }
}

#[derive(Debug)]
pub(crate) struct State {
    /// The virtual channels, by ovc, then the injection virtual channels, by terminal.
    pub(crate) lanes: Vec<Lane>,
    /// By ovc: the local ivc of its sender whose packet holds it, [`NO_OWNER`] where none does.
    pub(crate) owners: Vec<u16>,
    /// By port: the first of the lanes that end there, [`NONE`] where none do.
    pub(crate) inputs: Vec<u32>,
    /// By channel, then by terminal: the ivc that the first of its lanes ends in.
    pub(crate) ends: Vec<u32>,
    /// By ivc: the local output that it holds, where a router has up to 64 of them.
    pub(crate) out_of: Vec<u8>,
    /// By channel.
    pub(crate) links: Vec<Link>,
    /// By ovc, a power of two of places each, the buffer at its far end: where a head stands, the
    /// slot of its packet. What stands elsewhere means nothing.
    pub(crate) heads: Vec<u32>,
    pub(crate) buffers: Buffers,
    /// The credits of a lane whose buffer is empty, where it shares it, all of its port: of channels, of injection
    /// ports, and of the ways to terminals. Of a part, whose lanes may end elsewhere, what none has.
    emptied: [u32; 3],
    /// The first lanes of the latter two.
    kinds_from: [usize; 2],
    /// By router and 64 of its ivcs.
    pub(crate) routers: Vec<Router>,
    /// By router: how many of its masks' words it uses, where the widest needs several. One hub of
    /// thousands of channels is not paid for in every router.
    pub(crate) words_of: Vec<u16>,
    /// By channel and ejection, those of a router side by side, and way out of the switch: the local ivc that
    /// a round-robin output takes first.
    pub(crate) out_pointers: Vec<u16>,
    /// By terminal.
    pub(crate) sources: Vec<Source>,
    /// By channel: the cycle from which it takes the next flit; empty where every cycle will do. With several
    /// ways out of the switch, by way to a terminal, too.
    pub(crate) next_free: Vec<u64>,
    /// By ovc: the cycle in which its last flit becomes ready; empty where flits cannot overtake.
    pub(crate) last_ready: Vec<u64>,
    /// By ivc: how the head waits that is there. Empty where heads park, and in routers in stages.
    pub(crate) waits: Vec<Wait>,
    /// By ivc: the lane that its head keeps from others until it has an output, [`NONE`] for none.
    /// Empty where a head needs no room for its whole packet.
    pub(crate) kept: Vec<u32>,
    /// By ivc: the cycle after that in which a flit left it last; where an input's virtual channels take turns, by the
    /// first of an input: who is next. Empty where arbiters need not know.
    pub(crate) served: Vec<u64>,
}

archived! { State {
    ;
    fixed owners, out_of, links, routers, out_pointers, sources, next_free, last_ready, waits, kept, served;
    rebuilt lanes, heads, emptied, kinds_from, inputs, ends, buffers, words_of;
    then archive_lanes
} }

/// Stands for no owner of a lane: no router has so many ivcs.
pub(crate) const NO_OWNER: u16 = u16::MAX;

impl State {
    /// The lane that ends in `ivc`, [`NONE`] where none does.
    #[inline(always)]
    pub(crate) fn lane_into(&self, ivc: u32, wiring: Wiring) -> u32 {
        lane_into(&self.inputs, ivc, wiring)
    }

    /// The ivc that `lane` ends in.
    #[inline]
    pub(crate) fn end_of(&self, lane: u32, wiring: Wiring) -> u32 {
        end_of(&self.ends, lane, wiring)
    }

    /// The lanes that hold something, with the heads in their buffers. In the others, where the next flit goes
    /// does not matter: they may be as they were built.
    fn archive_lanes(&mut self, archive: &mut Archive<'_>) {
        let (emptied, kinds_from, places) = (self.emptied, self.kinds_from, self.buffers.places);
        for (lanes, first) in self.lanes.chunks_mut(64).zip((0..).step_by(64)) {
            let holds = |(lane, place): (&Lane, u32)| {
                let before = |&&from: &&usize| from <= first + place as usize;
                let kind = kinds_from.iter().filter(before).count();
                u64::from(!lane.is_empty(emptied[kind])) << place
            };
            let mut busy = lanes.iter().zip(0..).map(holds).sum::<u64>();
            busy.archive(archive);
            while busy != 0 {
                let place = busy.trailing_zeros() as usize;
                busy &= busy - 1;
                // A damaged word may name more than there are.
                let Some(lane) = lanes.get_mut(place) else {
                    return archive.refuse("there are fewer lanes here");
                };
                lane.archive(archive);
                let heads = (first + place) * places..(first + place + 1) * places;
                let heads = self.heads.get_mut(heads).unwrap_or_default();
                heads.iter_mut().for_each(|head| head.archive(archive));
            }
        }
    }

    pub(crate) fn new<E: Partition>(
        network: &Network,
        partition: &E,
        wiring: Wiring,
        config: &EngineConfig,
        parks: bool,
    ) -> Self {
        let ivcs = wiring.ivcs(partition.routers(network));
        let channels = partition.channels(network) as usize;
        let ovcs = channels << wiring.vc_shift;
        let terminals = partition.terminals(network) as usize;
        let nodes = partition.routers(network) as usize;
        let buffer_shift = config.buffer_most().next_power_of_two().trailing_zeros();
        let needs = Needs::of(config);
        let or_empty = |wanted: bool, len: usize| if wanted { len } else { 0 };
        let injections = terminals << wiring.vc_shift;
        let staged = config.is_staged();
        let to_terminals = or_empty(config.ejection_vcs > 0, terminals);
        // By the ways to terminals as channels: behind those from terminals.
        let queues_to_terminals = or_empty(config.queues_to_terminals(), 2 * to_terminals);
        let lanes = ovcs + injections + (to_terminals << wiring.vc_shift);
        let buffered = ovcs + or_empty(config.injection_buffers, injections);
        let (inputs, ends) = wire_up(network, partition, wiring);
        let source = Source {
            queue: Queue::EMPTY,
            free: match config.injection_buffers {
                // It sends one packet after another.
                true => 1,
                false => vc_range(0, config.injection_vcs),
            },
        };

        let router =
            |word: usize| Router::new(partition.outgoing(network, (word / wiring.words) as u32));
        Self {
            lanes: empty_lanes(config, [ovcs, injections, lanes - ovcs - injections]),
            owners: vec![NO_OWNER; if staged { lanes } else { ovcs }],
            inputs,
            ends,
            out_of: vec![0; or_empty(wiring.outputs_fit_word(), ivcs)],
            links: links(config, channels, terminals),
            // Zeros are not written: at a light load most places are never touched.
            heads: vec![0; buffered << buffer_shift],
            emptied: emptied(config, E::IS_PART),
            kinds_from: [ovcs, ovcs + injections],
            buffers: Buffers {
                places: 1 << buffer_shift,
                place_bits: ((1u32 << buffer_shift) - 1) as u16,
            },
            routers: (0..nodes * wiring.words).map(router).collect(),
            words_of: (0..or_empty(wiring.words > 1, nodes) as u32)
                .map(|router| {
                    let ports = network.in_degree(partition.node(router));
                    let is_terminal = router < partition.terminals(network);
                    let ivcs = (ports + usize::from(is_terminal)) << wiring.vc_shift;
                    ivcs.div_ceil(64) as u16
                })
                .collect(),
            out_pointers: vec![0; (channels + nodes) * config.output_speedup as usize],
            sources: vec![source; terminals],
            next_free: vec![0; or_empty(needs.next_free, channels + queues_to_terminals)],
            last_ready: vec![0; or_empty(needs.last_ready, ovcs)],
            waits: vec![Wait::default(); or_empty(!parks && !staged, ivcs)],
            kept: vec![NONE; or_empty(needs.kept, ivcs)],
            served: vec![0; or_empty(needs.served, ivcs)],
        }
    }
}

/// Virtual channels of a channel, of an injection port, and of the way to a terminal.
pub(super) fn port_vcs(config: &EngineConfig) -> [u32; 3] {
    [
        config.virtual_channels,
        config.injection_vcs,
        config.ejection_vcs,
    ]
}

/// The credits of lanes whose buffers are empty, by which lanes those of a part cannot be told.
fn emptied(config: &EngineConfig, is_part: bool) -> [u32; 3] {
    match is_part {
        true => [u32::MAX; 3],
        false => port_vcs(config).map(|vcs| config.flits_most(vcs)),
    }
}

/// The lanes of channels, of injection ports and of the ways to terminals, so many as `counts` has it.
fn empty_lanes(config: &EngineConfig, counts: [usize; 3]) -> Vec<Lane> {
    let mut lanes = Vec::with_capacity(counts.iter().sum());
    for (vcs, count) in port_vcs(config).into_iter().zip(counts) {
        let empty = Lane::new(config.flits_most(vcs) as u16);
        lanes.resize(lanes.len() + count, empty);
    }
    lanes
}

/// The senders' ends of `channels` channels and, where these have virtual channels, of the ways to
/// `terminals` terminals: behind as many places that nobody uses, so that a lane tells its own.
fn links(config: &EngineConfig, channels: usize, terminals: usize) -> Vec<Link> {
    let of = |vcs| Link {
        free_vcs: vc_range(0, vcs),
        parked: Queue::EMPTY,
        vc_pointer: 0,
        is_wanted: false,
    };
    let to_terminals = if config.ejection_vcs > 0 {
        2 * terminals
    } else {
        0
    };
    let mut links = Vec::with_capacity(channels + to_terminals);
    links.resize(channels, of(config.virtual_channels));
    links.resize(channels + to_terminals, of(config.ejection_vcs));
    links
}

/// The lane that ends in `ivc`, by [`State::inputs`]; [`NONE`] where none does.
#[inline(always)]
pub(crate) fn lane_into(inputs: &[u32], ivc: u32, wiring: Wiring) -> u32 {
    inputs[wiring.port_of(ivc) as usize] | wiring.vc_of(ivc)
}

/// The ivc that `lane` ends in, by [`State::ends`].
#[inline(always)]
pub(crate) fn end_of(ends: &[u32], lane: u32, wiring: Wiring) -> u32 {
    ends[wiring.channel_of(lane).index()] | wiring.vc_of(lane)
}

/// How the buffers, of a power of two of places each, lie in one array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers {
    /// The places of one: a product takes fewer instructions than a shift by what is not known.
    places: usize,
    place_bits: u16,
}

impl Buffers {
    /// Where place `place`, modulo the places there are, of the buffer at the far end of `ovc`
    /// stands in [`State::heads`].
    #[inline]
    pub(crate) fn place(self, ovc: u32, place: u16) -> usize {
        ovc as usize * self.places + usize::from(place & self.place_bits)
    }
}

/// Where every lane ends: the first lane of each port, and the first ivc of each channel and terminal.
fn wire_up(network: &Network, partition: &impl Partition, wiring: Wiring) -> (Vec<u32>, Vec<u32>) {
    let routers = partition.routers(network);
    let links = partition.channels(network) + partition.terminals(network);
    let mut ends = vec![NONE; links as usize];
    let mut inputs = vec![NONE; wiring.ivcs(routers) >> wiring.vc_shift];
    for router in 0..routers {
        let incoming = network.incoming(partition.node(router));
        let channels = incoming.iter().map(|&channel| partition.entering(channel));
        let is_terminal = router < partition.terminals(network);
        let terminal = is_terminal.then(|| partition.channels(network) + router);
        let first_port = wiring.port_of(wiring.first_ivc(router));
        for (port, link) in (first_port..).zip(channels.chain(terminal)) {
            inputs[port as usize] = link << wiring.vc_shift;
            ends[link as usize] = port << wiring.vc_shift;
        }
    }
    (inputs, ends)
}

/// Most terminals for which there is room in [`Scratch::vacant`] ahead.
const VACANT_ROOM_MAX: usize = 1 << 16;

/// Buffers that a cycle uses and leaves empty, so that it never allocates.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) events: Vec<u32>,
    pub(crate) candidates: Candidates,
    pub(crate) looks: Looks,
    /// Heads in the order in which they claim, with what orders them.
    pub(crate) heads: Vec<(Key, u32)>,
    /// Ivcs whose front flit leaves.
    pub(crate) moves: Vec<u32>,
    /// Terminals of which an injection virtual channel is free again.
    pub(crate) vacant: Vec<u32>,
    /// By local output: the local ivcs put to it, as bits. All zero between routers.
    pub(crate) requests_of: [u64; 64],
    pub(crate) switch: SwitchScratch,
}

/// What a cycle uses where packets look at queues; empty where none does.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// By lane: flits of the packets whose heads ask for it. All zero between cycles.
    pub(crate) asking: Vec<u64>,
    /// The lanes that are asked for.
    pub(crate) asked: Vec<u32>,
    /// The packets that have not decided: the slot, the ivc and the router where its head is, and the number
    /// that was drawn for it.
    pub(crate) undecided: Vec<(u32, u32, NodeId, u32)>,
    /// Whether packets behind others in their buffers count.
    pub(crate) has_behind: bool,
}

impl Looks {
    pub(crate) fn of_lanes(lanes: usize, knowledge: Option<Knowledge>) -> Self {
        let lanes = if knowledge.is_some() { lanes } else { 0 };
        Self {
            has_behind: knowledge == Some(Knowledge::Global),
            asking: vec![0; lanes],
            asked: Vec::with_capacity(lanes),
            undecided: Vec::with_capacity(lanes),
        }
    }
}

/// What random and oldest-first arbiters compare: the least wins.
pub(crate) type Key = (u64, u64);

/// What one router's switch allocation remembers while it runs.
#[derive(Debug)]
pub(crate) struct SwitchScratch {
    /// By local output: the first request after a round-robin pointer so far.
    pub(crate) nearest: Vec<Nearest>,
    /// By local output: the best request so far.
    pub(crate) best: Vec<Request>,
    /// The outputs that have a request.
    pub(crate) touched: Vec<u16>,
    /// iSLIP: the requests whose input and output are not matched.
    pub(crate) requests: Vec<Request>,
    /// iSLIP: by the position of an input, the grant that it would accept.
    pub(crate) grants: Vec<Request>,
    /// iSLIP: the inputs, by position, that have a grant.
    pub(crate) granted: Vec<u16>,
}

/// A request for an output before a round-robin arbiter, in one word: how far the input is ahead of the
/// pointer, the local ivc, and where the next input stands. The least is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nearest(u64);

impl Nearest {
    pub(crate) const NONE: Self = Self(u64::MAX);

    #[inline]
    pub(crate) const fn new(distance: u32, local: u32, next: u32) -> Self {
        Self((distance as u64) << 32 | (local as u64) << 16 | next as u64)
    }

    #[inline]
    pub(crate) const fn local(self) -> u32 {
        (self.0 >> 16) as u16 as u32
    }

    #[inline]
    pub(crate) const fn next(self) -> u16 {
        self.0 as u16
    }
}

/// An input's request for an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) key: Key,
    /// The local ivc whose flit it is.
    pub(crate) local: u32,
    pub(crate) output: u32,
    /// Where the input stands for round-robin: its first local ivc.
    pub(crate) position: u32,
    /// Where the next input stands: where a round-robin output looks first once it took this one.
    pub(crate) next: u32,
}

impl Request {
    pub(crate) const NONE: Self = Self {
        key: (u64::MAX, u64::MAX),
        local: NONE,
        output: NONE,
        position: NONE,
        next: NONE,
    };
}

impl Scratch {
    pub(crate) fn new(wiring: Wiring, terminals: usize) -> Self {
        let ivcs = 1 << wiring.router_shift;
        let outputs = wiring.degree_max + 1;
        Self {
            looks: Looks::default(),
            events: Vec::new(),
            candidates: Candidates::with_degree(wiring.degree_max),
            heads: Vec::with_capacity(ivcs),
            moves: Vec::with_capacity(ivcs),
            vacant: Vec::with_capacity(terminals.min(VACANT_ROOM_MAX)),
            requests_of: [0; 64],
            switch: SwitchScratch {
                nearest: vec![Nearest::NONE; outputs],
                best: vec![Request::NONE; outputs],
                touched: Vec::with_capacity(outputs),
                requests: Vec::with_capacity(ivcs),
                grants: vec![Request::NONE; ivcs],
                granted: Vec::with_capacity(ivcs),
            },
        }
    }
}
