//! A router in stages (Dally & Towles, section 16.1), and all that its allocators and the ports of
//! terminals can be beside those of the ideal router. What each option means is in `docs/flow.md`.
//!
//! It works on the engine's lanes, credits and packets in phases of its own, chosen once for a run. What
//! waits for a stage to be over waits in one of three wheels; `acts_from` says of every input virtual channel
//! from when on its front flit may ask or bid, so that a timer, a flit or a credit that comes earlier
//! changes nothing.

mod by_masks;
mod claim;
mod deliver;
mod depart;
mod feed;
mod mask;
mod matching;
mod places;
mod starts;
mod switch;
mod uncontested;
mod ways;

use crate::kernel::partition::Partition;
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe, E: Partition> Engine<'_, R, P, E> {
    /// Simulates the current cycle.
    #[inline(never)]
    pub(super) fn step_in_stages(&mut self) {
        let Some(mut stages) = self.stages.take() else {
            return;
        };
        self.progress = false;
        for internal in 0..stages.internal {
            stages.begin(self.cycle, internal);
            if internal == 0 {
                self.deliver_in_stages(&mut stages);
                self.feed(&mut stages);
            } else {
                self.end_stages(&mut stages);
            }
            if R::LOOKS {
                self.decide(Some(&stages));
            }
            self.claim_in_stages(&mut stages);
            self.parts().switch_in_stages(&mut stages);
            self.set_off(&mut stages);
        }
        self.stages = Some(stages);
        self.refill();
        self.cycle += 1;
    }
}
