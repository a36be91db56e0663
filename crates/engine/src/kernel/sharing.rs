//! Buffers whose places the virtual channels of a port share: what a sender knows of them.
//!
//! A virtual channel's credits are the places that it may take: those of its own that are free, and all shared
//! ones that are. So whoever asks for credits need not know of sharing; but a flit that takes a shared place
//! takes a credit of each virtual channel of its port, and the place gives each one back.
//!
//! Invariant: of a port, the credits of each virtual channel are what its reserve is more than its places
//! taken, and what the shared places are more than those taken beyond reserves.

use crate::EngineConfig;
use crate::kernel::state::port_vcs;
use crate::kernel::wiring::Wiring;
use flitsim_topology::archived;
use flitsim_topology::memory::bytes_of;
use std::ops::Range;

/// Places taken in the buffers of ports, as their senders know.
#[derive(Debug)]
pub(crate) struct Sharing {
    /// By lane; empty where every virtual channel has its own places only.
    used: Vec<u16>,
    reserve: u32,
    /// Virtual channels of a channel, of an injection port and of the way to a terminal.
    vcs: [u32; 3],
}

archived! { Sharing { ; fixed used; rebuilt reserve, vcs } }

impl Sharing {
    /// Of `lanes` lanes that share; none where none does.
    pub(super) fn new(config: &EngineConfig, lanes: usize) -> Self {
        Self {
            used: vec![0; lanes],
            reserve: config.buffer_reserve(),
            vcs: port_vcs(config),
        }
    }

    /// Whether there is any.
    #[inline(always)]
    pub(super) fn is_on(&self) -> bool {
        !self.used.is_empty()
    }

    /// Places that the virtual channel `lane` has taken, as its sender knows; `None` without sharing.
    pub(crate) fn used(&self, lane: u32) -> Option<u32> {
        self.used.get(lane as usize).map(|&used| u32::from(used))
    }

    /// A flit takes a place of `lane`. The virtual channels that have a credit less.
    #[inline]
    pub(super) fn take(&mut self, lane: u32, wiring: Wiring) -> Range<u32> {
        let used = &mut self.used[lane as usize];
        *used += 1;
        let is_shared = u32::from(*used) > self.reserve;
        self.concerned(is_shared, lane, wiring)
    }

    /// A place of `lane` comes back. The virtual channels that have a credit more.
    #[inline]
    pub(super) fn give_back(&mut self, lane: u32, wiring: Wiring) -> Range<u32> {
        let used = &mut self.used[lane as usize];
        *used -= 1;
        let is_shared = u32::from(*used) >= self.reserve;
        self.concerned(is_shared, lane, wiring)
    }

    /// Whom a place of `lane` concerns.
    fn concerned(&self, is_shared: bool, lane: u32, wiring: Wiring) -> Range<u32> {
        match is_shared {
            true => self.lanes_beside(lane, wiring),
            false => lane..lane + 1,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.used)
    }

    /// The virtual channels of the port of `lane`.
    pub(crate) fn lanes_beside(&self, lane: u32, wiring: Wiring) -> Range<u32> {
        let [of_channel, of_injection, of_ejection] = self.vcs;
        let vcs = match (wiring.is_injection(lane), wiring.is_ejection(lane)) {
            (_, true) => of_ejection,
            (true, _) => of_injection,
            _ => of_channel,
        };
        let first = lane - wiring.vc_of(lane);
        first..first + vcs
    }
}
