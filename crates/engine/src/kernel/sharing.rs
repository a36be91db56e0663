//! Buffers whose places the virtual channels of a port share: what a sender knows of them.
//!
//! A virtual channel's credits are the places that it may take: those of its own that are free, and all shared
//! ones that are. So whoever asks for credits need not know of sharing; but a flit that takes a shared place
//! takes a credit of each virtual channel of its port, and the place gives each one back.
//!
//! Invariant: of a port, the credits of each virtual channel are what its reserve is more than its places
//! taken, and what the shared places are more than those taken beyond reserves.

use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::{NO_OWNER, port_vcs};
use crate::kernel::wiring::Wiring;
use crate::{EngineConfig, Probe, VcReallocation};
use flitsim_topology::archived;
use flitsim_topology::memory::bytes_of;

/// Places taken in the buffers of ports, as their senders know.
#[derive(Debug)]
pub(crate) struct Sharing {
    /// By lane; empty where every virtual channel has its own places only.
    used: Vec<u16>,
    reserve: u32,
    /// Virtual channels of a channel, of an injection port and of the way to a terminal.
    vcs: [u32; 3],
    /// The local ivcs below 64, of the router whose turn it is, that lost their credits to others in this cycle.
    withdrawn: u64,
}

archived! { Sharing { ; fixed used; rebuilt reserve, vcs, withdrawn } }

impl Sharing {
    /// Of `lanes` lanes, where `config` asks for any.
    pub(super) fn new(config: &EngineConfig, lanes: usize) -> Self {
        Self {
            used: vec![0; if config.shares_buffers() { lanes } else { 0 }],
            reserve: config.buffer_reserve(),
            vcs: port_vcs(config),
            withdrawn: 0,
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

    /// The local ivcs whose requests were withdrawn since this was asked last.
    #[inline(always)]
    pub(super) fn take_withdrawn(&mut self) -> u64 {
        std::mem::take(&mut self.withdrawn)
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.used)
    }

    /// The virtual channels of the port of `lane`.
    pub(crate) fn lanes_beside(&self, lane: u32, wiring: Wiring) -> std::ops::Range<u32> {
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

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// A flit has taken a place of `lane`, and a credit of it: if the place was a shared one, then of the others, too.
    /// Whether `lane` has another.
    #[inline(never)]
    pub(super) fn place_taken(&mut self, sharing: &mut Sharing, lane: u32) -> bool {
        let used = &mut sharing.used[lane as usize];
        *used += 1;
        let others = match u32::from(*used) <= sharing.reserve {
            true => 0..0,
            false => sharing.lanes_beside(lane, self.wiring),
        };
        for other in others {
            if other != lane {
                let sender = &mut self.lanes[other as usize].sender;
                *sender = sender.without_credit();
                if sender.credits() == 0 {
                    self.withdraw(sharing, other);
                }
            }
        }
        self.lanes[lane as usize].sender.credits() > 0
    }

    /// There is no room for the flit that would go to `lane`: it bids no more.
    fn withdraw(&mut self, sharing: &mut Sharing, lane: u32) {
        let owner = self.owners[lane as usize];
        if owner != NO_OWNER {
            let ivc = self.wiring.first_ivc(self.sender_of(lane)) + u32::from(owner);
            let (word, bit) = self.wiring.word_of(ivc);
            self.routers[word].requesting &= !bit;
            sharing.withdrawn |= bit;
        }
    }

    /// A place of `lane` has come back, and a credit for it: if it is a shared one, then for the others, too.
    #[inline(never)]
    pub(super) fn place_back(&mut self, stages: &mut Stages, lane: u32) {
        let sharing = &mut stages.sharing;
        let used = &mut sharing.used[lane as usize];
        *used -= 1;
        let (used, reserve) = (u32::from(*used), sharing.reserve);
        let others = match used < reserve {
            true => 0..0,
            false => sharing.lanes_beside(lane, self.wiring),
        };
        for other in others {
            if other != lane {
                let sender = &mut self.lanes[other as usize].sender;
                *sender = sender.with_credit();
                if sender.credits() == 1 {
                    self.first_credit(stages, other);
                }
            }
        }
        let is_atomic = self.config.vc_reallocation == VcReallocation::Atomic;
        let is_source = self.wiring.is_injection(lane) && !self.wiring.is_ejection(lane);
        if used == 0 && is_atomic && !is_source && self.owners[lane as usize] == NO_OWNER {
            self.free_emptied(stages, lane);
        }
    }
}
