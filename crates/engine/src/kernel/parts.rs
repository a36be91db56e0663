//! What the flits that leave touch, each part by a reference of its own.
//!
//! The phases from the switch on work on these references and not on the engine: a slice that is a
//! local keeps its place and its length in registers, and what was checked against the length once
//! need not be checked again; behind the engine's own pointer every write might change both. And
//! nothing here knows the routing algorithm, so this is compiled once for all of them.

use crate::kernel::active::ActiveSet;
use crate::kernel::bits::Ports;
use crate::kernel::engine::{Counters, Here};
use crate::kernel::fast_paths::FastPaths;
use crate::kernel::lane::Lane;
use crate::kernel::partition::Partition;
use crate::kernel::state::{Buffers, Key, Link, Router, Source, SwitchScratch, lane_into};
use crate::kernel::vc_allocation::next_packet;
use crate::kernel::wheel::{NextCycle, Wheel};
use crate::kernel::wiring::Wiring;
use crate::packet::Packets;
use crate::random::{Purpose, draw};
use crate::{Allocator, Engine, EngineConfig};
use flitsim_topology::Network;

/// The engine's parts; see [`State`] and [`Engine`] for what each is.
pub(crate) struct Parts<'a, P, E> {
    pub(crate) cycle: u64,
    pub(crate) seed: u64,
    pub(crate) network: &'a Network,
    pub(crate) partition: &'a mut E,
    pub(crate) config: &'a EngineConfig,
    pub(crate) wiring: Wiring,
    pub(crate) fast_paths: FastPaths,
    pub(crate) ports: &'a Ports,
    pub(crate) router_cycles: [u64; 4],
    pub(crate) lanes: &'a mut [Lane],
    pub(crate) owners: &'a mut [u16],
    pub(crate) inputs: &'a [u32],
    pub(crate) out_of: &'a [u8],
    pub(crate) links: &'a mut [Link],
    pub(crate) ends: &'a [u32],
    pub(crate) heads: &'a mut [u32],
    pub(crate) buffers: Buffers,
    pub(crate) routers: &'a mut [Router],
    pub(crate) words_of: &'a [u16],
    pub(crate) out_pointers: &'a mut [u16],
    pub(crate) sources: &'a mut [Source],
    pub(crate) next_free: &'a mut [u64],
    pub(crate) last_ready: &'a mut [u64],
    pub(crate) served: &'a mut [u64],
    pub(crate) packets: &'a mut Packets,
    pub(crate) flits_due: &'a mut Wheel,
    pub(crate) credits_due: &'a mut Wheel,
    pub(crate) waits_next: &'a mut NextCycle,
    pub(crate) requests_next: &'a mut NextCycle,
    pub(crate) waiting: &'a mut ActiveSet,
    pub(crate) requesting: &'a mut ActiveSet,
    pub(crate) requests_of: &'a mut [u64; 64],
    pub(crate) switch: &'a mut SwitchScratch,
    pub(crate) moves: &'a mut Vec<u32>,
    pub(crate) vacant: &'a mut Vec<u32>,
    pub(crate) counters: &'a mut Counters,
    pub(crate) progress: &'a mut bool,
    pub(crate) probe: &'a mut P,
}

impl<P, E: Partition> Parts<'_, P, E> {
    #[inline(always)]
    pub(super) fn here(&self, router: u32) -> Here {
        Here::of(router, self.wiring, self.routers, self.words_of)
    }

    /// The packet of the flit at the front of `lane`, which has a flit ready.
    #[inline]
    fn next_packet(&self, lane: u32) -> u32 {
        next_packet(lane, self.lanes, self.heads, self.buffers, self.wiring)
    }

    /// What the random and oldest-first allocators compare: the least goes first.
    #[inline]
    pub(super) fn key(&self, here: Here, local: u32, purpose: Purpose) -> Key {
        if self.config.allocator == Allocator::Random {
            let router = self.partition.node(here.router).0;
            let word = draw(self.seed, purpose, router, self.cycle, local);
            return (word, u64::from(local));
        }
        let lane = lane_into(self.inputs, here.ivc(local), self.wiring);
        let packet = self.packets.get(self.next_packet(lane));
        let source = u64::from(packet.source.0);
        (packet.created, source << 32 | u64::from(local))
    }
}

impl<R, P, E: Partition> Engine<'_, R, P, E> {
    /// The parts.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> Parts<'_, P, E> {
        Parts {
            cycle: self.cycle,
            seed: self.seed,
            network: self.network,
            partition: &mut self.partition,
            config: &self.config,
            wiring: self.wiring,
            fast_paths: self.fast_paths,
            ports: &self.ports,
            router_cycles: self.router_cycles,
            lanes: &mut self.state.lanes,
            owners: &mut self.state.owners,
            inputs: &self.state.inputs,
            out_of: &self.state.out_of,
            links: &mut self.state.links,
            ends: &self.state.ends,
            heads: &mut self.state.heads,
            buffers: self.state.buffers,
            routers: &mut self.state.routers,
            words_of: &self.state.words_of,
            out_pointers: &mut self.state.out_pointers,
            sources: &mut self.state.sources,
            next_free: &mut self.state.next_free,
            last_ready: &mut self.state.last_ready,
            served: &mut self.state.served,
            packets: &mut self.packets,
            flits_due: &mut self.flits_due,
            credits_due: &mut self.credits_due,
            waits_next: &mut self.waits_next,
            requests_next: &mut self.requests_next,
            waiting: &mut self.waiting,
            requesting: &mut self.requesting,
            requests_of: &mut self.scratch.requests_of,
            switch: &mut self.scratch.switch,
            moves: &mut self.scratch.moves,
            vacant: &mut self.scratch.vacant,
            counters: &mut self.counters,
            progress: &mut self.progress,
            probe: &mut self.probe,
        }
    }
}
