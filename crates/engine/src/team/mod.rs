//! Threads inside one run: the routers of a large network in parts, a thread each.
//!
//! Nothing that a router does in a cycle decides what another does in it (see the README beside the
//! phases), so the parts simulate a cycle on their own, and exchange what crossed from one to another before the
//! next. What happens is the same, flit for flit, as in one engine, whatever the number of parts:
//! random draws are addressed by router and cycle, and arbitration never sees a part's own numbers.

mod dense;
mod sparse;

pub use dense::DenseTeam;
pub use sparse::SparseTeam;

use crate::post::Post;
use crate::{Counters, Deadlock, NewPacket};
use flitsim_topology::archive::Archived;
use flitsim_topology::archived;
use flitsim_topology::memory::Memory;
use std::ops::Range;

/// An engine of consecutive routers of a network, and what goes from it to the other parts and back.
pub trait Member: Archived + Send {
    /// What sees it.
    type Probe;
    /// What one part sends another in a cycle.
    type Mailbox: Send;

    /// Its routers.
    fn routers(&self) -> &Range<u32>;

    /// The cycle that the next step simulates.
    fn cycle(&self) -> u64;

    /// Lets the cycles up to `cycle` pass, in which nothing happens anywhere.
    fn pass_to(&mut self, cycle: u64);

    /// Totals since cycle 0.
    fn counters(&self) -> Counters;

    /// The bytes that it keeps, part by part.
    fn memory(&self) -> Memory;

    /// What sees it.
    fn probe_mut(&mut self) -> &mut Self::Probe;

    /// What goes to other parts, and has come from them.
    fn post(&mut self) -> &mut Post<Self::Mailbox>;

    /// Creates a packet of one of its terminals in the current cycle.
    fn offer(&mut self, new: NewPacket, tag: u32);

    /// Takes in what has come from other parts, and simulates the current cycle.
    fn step_with_mail(&mut self);

    /// Whether, without packets, nothing is under way that takes more than the next cycle, mail included.
    fn is_settled(&mut self) -> bool;

    /// The packets whose heads wait, where packets are in the network and nothing can ever move again; `None`
    /// where nobody looks for that. To be called between cycles.
    fn find_frozen(members: &mut [Self]) -> Option<Deadlock>
    where
        Self: Sized;
}

/// A network of routers in motion, on several threads: those of the rayon pool that it is called in.
///
/// Every part has a probe of its own, which sees what happens at its routers; of a packet whose head has
/// left the part, it sees what the packet was then. A team is for relations that are proved free of
/// deadlock: at most it sees when nothing moves any more, not which packets wait on which.
#[derive(Debug)]
pub struct Team<M> {
    members: Vec<M>,
}

archived! { Team<M> where [M: Archived] { ; fixed members } }

impl<M: Member> Team<M> {
    /// How many parts there are.
    pub fn parts(&self) -> u32 {
        self.members.len() as u32
    }

    /// The cycle that the next [`Team::step`] simulates.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.members[0].cycle()
    }

    /// The bytes that the parts keep; what borders them, and the mail, is small beside it and not counted.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        for member in &self.members {
            memory.extend(&member.memory());
        }
        memory
    }

    /// Totals since cycle 0.
    pub fn counters(&self) -> Counters {
        self.members.iter().map(Member::counters).sum()
    }

    /// The probes of the parts, in the order of their routers.
    pub fn probes_mut(&mut self) -> impl Iterator<Item = &mut M::Probe> {
        self.members.iter_mut().map(Member::probe_mut)
    }

    /// The packets whose heads wait, where packets are in the network and nothing can ever move again:
    /// a proof that was wrong. Which wait on which is not told; of dense engines, none are. To be called between
    /// cycles.
    pub fn find_frozen(&mut self) -> Option<Deadlock> {
        M::find_frozen(&mut self.members)
    }

    /// Whether no packet is queued or in the network.
    pub fn is_idle(&self) -> bool {
        let counters = self.counters();
        counters.packets_offered == counters.packets_delivered
    }

    /// Creates a packet in the current cycle, as an engine of the whole network. Numbers of packets are a
    /// part's own here, so there is none to return.
    ///
    /// # Panics
    /// As [`Engine::offer_tagged`](crate::Engine::offer_tagged).
    #[inline]
    pub fn offer_tagged(&mut self, new: NewPacket, tag: u32) {
        let source = new.source.0;
        let members = &mut self.members;
        let index = members.partition_point(|member| member.routers().end <= source);
        members[index].offer(new, tag);
    }

    /// Simulates the current cycle.
    pub fn step(&mut self) {
        flitsim_topology::parallel::for_each(&mut self.members, &Member::step_with_mail);
        self.exchange();
    }

    /// Hands over what crossed in the last cycle.
    fn exchange(&mut self) {
        for to in 1..self.members.len() {
            let (before, rest) = self.members.split_at_mut(to);
            let receiver = rest[0].post();
            for (from, sender) in before.iter_mut().enumerate() {
                let sender = sender.post();
                std::mem::swap(&mut sender.outgoing[to], &mut receiver.incoming[from]);
                std::mem::swap(&mut receiver.outgoing[from], &mut sender.incoming[to]);
            }
        }
    }

    /// Lets empty cycles pass, up to `cycle`, at once.
    ///
    /// # Panics
    /// In debug builds, if a packet is queued or in the network.
    pub fn skip_to(&mut self, cycle: u64) {
        debug_assert!(self.is_idle(), "only empty cycles can be skipped");
        while self.cycle() < cycle && !self.members.iter_mut().all(Member::is_settled) {
            self.step();
        }
        for member in &mut self.members {
            member.pass_to(cycle);
        }
    }
}
