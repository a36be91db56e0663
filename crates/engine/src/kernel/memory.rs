//! What the engine keeps, part by part, and what it will keep before anything is built.

use crate::config::PLACE_BYTES;
use crate::kernel::fast_paths::Needs;
use crate::kernel::lane::Lane;
use crate::kernel::staged::{Counts, Shape, Stages};
use crate::kernel::state::{Link, Looks, Router, Scratch, Source, State};
use crate::{Engine, EngineConfig};
use flitsim_topology::memory::{Memory, bytes_of};
use flitsim_topology::{Network, NodeId};

impl<R, P, E> Engine<'_, R, P, E> {
    /// The bytes that the engine keeps, part by part: what its arrays have room for. The network, the
    /// routing relation and the probe are not its own.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        self.state.account(&mut memory);
        memory.add("packets", self.packets.bytes());
        let stages = self.stages.as_deref();
        let wheels = self.flits_due.bytes() + self.credits_due.bytes();
        let lists = self.waits_next.bytes() + self.requests_next.bytes();
        let timers = stages.map_or(0, Stages::bytes_of_wheels);
        memory.add("events", wheels + lists + timers);
        let sets = self.waiting.bytes() + self.requesting.bytes();
        let feeding = stages.map_or(0, |stages| stages.feeding.bytes());
        memory.add("active sets", sets + feeding);
        memory.add("scratch", self.scratch.bytes());
        if let Some(stages) = stages {
            memory.add("stages", stages.bytes());
        }
        memory
    }
}

impl State {
    fn account(&self, memory: &mut Memory) {
        memory.add("lanes", bytes_of(&self.lanes) + bytes_of(&self.owners));
        memory.add(
            "maps of inputs",
            bytes_of(&self.inputs) + bytes_of(&self.out_of),
        );
        memory.add("ends of lanes", bytes_of(&self.ends));
        memory.add("links", bytes_of(&self.links));
        memory.add("flit buffers", bytes_of(&self.heads));
        let masks = bytes_of(&self.routers) + bytes_of(&self.words_of);
        memory.add("router masks", masks);
        memory.add("pointers of arbiters", bytes_of(&self.out_pointers));
        memory.add("sources", bytes_of(&self.sources));
        let slow = bytes_of(&self.next_free) + bytes_of(&self.last_ready);
        if slow > 0 {
            memory.add("delays of channels", slow);
        }
        for (name, bytes) in [
            ("turns of inputs", bytes_of(&self.waits)),
            ("kept outputs", bytes_of(&self.kept)),
            ("last services", bytes_of(&self.served)),
        ] {
            if bytes > 0 {
                memory.add(name, bytes);
            }
        }
    }
}

impl Scratch {
    fn bytes(&self) -> u64 {
        let switch = &self.switch;
        let lists = bytes_of(&self.events) + bytes_of(&self.moves) + bytes_of(&self.vacant);
        let arbiters = bytes_of(&switch.nearest) + bytes_of(&switch.best);
        let islip = bytes_of(&switch.requests) + bytes_of(&switch.grants);
        let small = bytes_of(&switch.touched) + bytes_of(&switch.granted);
        lists + bytes_of(&self.heads) + arbiters + islip + small + self.looks.bytes()
    }
}

impl Looks {
    fn bytes(&self) -> u64 {
        bytes_of(&self.asking) + bytes_of(&self.asked) + bytes_of(&self.undecided)
    }
}

impl EngineConfig {
    /// About the bytes that [`Engine::new`] will take for `network`, told before anything is touched:
    /// all but packets, events, and what only some relations need (the order in which heads came).
    pub fn memory_estimate(&self, network: &Network) -> u128 {
        let nodes = u128::from(network.nodes());
        let channels = u128::from(network.channels());
        let terminals = u128::from(network.terminals());
        let ports = (0..network.nodes())
            .map(NodeId)
            .map(|node| network.in_degree(node) + usize::from(node.0 < network.terminals()));
        let ports = ports.max().unwrap_or(1).next_power_of_two() as u128;
        let vcs = u128::from(self.room_vcs());
        let buffer = u128::from(self.buffer_most().next_power_of_two());
        let of = |count: u128, bytes: usize| count * bytes as u128;
        let ways = channels + terminals * (1 + u128::from(self.ejection_vcs > 0));
        let owned = if self.is_staged() { ways } else { channels };
        let lanes = of(ways * vcs, size_of::<Lane>()) + of(owned * vcs, size_of::<u16>());
        let inputs = of(nodes * ports, size_of::<u32>()) + of(nodes * ports * vcs, size_of::<u8>());
        let to_terminals = 2 * terminals * u128::from(self.ejection_vcs > 0);
        let links = of(channels + to_terminals, size_of::<Link>());
        let buffered = channels + terminals * u128::from(self.injection_buffers);
        let flits = of(buffered * vcs * buffer, PLACE_BYTES);
        let words = (ports * vcs).div_ceil(64);
        let words_of = if words > 1 { size_of::<u16>() } else { 0 };
        let masks = of(nodes * words, size_of::<Router>()) + of(nodes, words_of);
        let ways_out = u128::from(self.output_speedup);
        let pointers = of((channels + nodes) * ways_out, size_of::<u16>());
        let sources = of(terminals, size_of::<Source>());
        let ends = of(channels + terminals, size_of::<u32>());
        let ivcs = nodes * ports * vcs;
        let needs = Needs::of(self);
        let some = |needed: bool, count: u128, bytes: usize| of(count * u128::from(needed), bytes);
        let queues_to_terminals = to_terminals * u128::from(self.queues_to_terminals());
        let free = channels + queues_to_terminals;
        let delays = some(needs.next_free, free, size_of::<u64>())
            + some(needs.last_ready, channels * vcs, size_of::<u64>());
        let of_inputs =
            some(needs.kept, ivcs, size_of::<u32>()) + some(needs.served, ivcs, size_of::<u64>());
        let stages = Counts::of(
            self,
            Shape {
                nodes,
                channels,
                terminals,
                vcs,
                ivcs_each: ports * vcs,
            },
        );
        let stages = stages.map_or(0, |counts| counts.bytes());
        let rest = delays + of_inputs + stages;
        lanes + inputs + links + flits + masks + pointers + sources + ends + rest
    }
}
