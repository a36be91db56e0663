//! Places of buffers that virtual channels share: who else has a credit less or more. See `kernel::sharing`.

use crate::kernel::partition::Partition;
use crate::kernel::parts::Parts;
use crate::kernel::staged::Stages;
use crate::kernel::state::NO_OWNER;
use crate::{Probe, VcReallocation};

impl<P: Probe, E: Partition> Parts<'_, P, E> {
    /// A flit has taken a place of `lane`, and a credit of it: if the place was a shared one, then of the others, too.
    /// Whether `lane` has another.
    #[inline(never)]
    pub(super) fn place_taken(&mut self, stages: &mut Stages, lane: u32) -> bool {
        for other in stages.sharing.take(lane, self.wiring) {
            if other != lane {
                let sender = &mut self.lanes[other as usize].sender;
                *sender = sender.without_credit();
                if sender.credits() == 0 {
                    self.withdraw(other);
                }
            }
        }
        self.lanes[lane as usize].sender.credits() > 0
    }

    /// There is no room for the flit that would go to `lane`: it bids no more.
    fn withdraw(&mut self, lane: u32) {
        let owner = self.owners[lane as usize];
        if owner != NO_OWNER {
            let ivc = self.wiring.first_ivc(self.sender_of(lane)) + u32::from(owner);
            let (word, bit) = self.wiring.word_of(ivc);
            self.routers[word].requesting &= !bit;
        }
    }

    /// A place of `lane` has come back, and a credit for it: if it is a shared one, then for the others, too.
    #[inline(never)]
    pub(super) fn place_back(&mut self, stages: &mut Stages, lane: u32) {
        for other in stages.sharing.give_back(lane, self.wiring) {
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
        let is_empty = stages.sharing.used(lane) == Some(0);
        if is_empty && is_atomic && !is_source && self.owners[lane as usize] == NO_OWNER {
            self.free_emptied(stages, lane);
        }
    }
}
