//! Receive: what crossed from other parts of the network in the last cycle, before anything else of
//! this one. It then counts as it would had it come from a router of this part.

use crate::kernel::partition::{Mailbox, Part, Partition, RemoteFlit};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P, Part> {
    /// Takes in what has come.
    pub(crate) fn receive(&mut self) {
        let mut incoming = std::mem::take(&mut self.partition.border().post.incoming);
        for mailbox in &mut incoming {
            self.take_in(mailbox);
            mailbox.clear();
        }
        self.partition.border().post.incoming = incoming;
    }

    fn take_in(&mut self, mailbox: &Mailbox) {
        for &(lane, due) in &mailbox.credits {
            if self.fast_paths.is_plain {
                self.parts().credit_back(lane);
            } else {
                self.credits_due.push(due, lane);
            }
        }
        let mut packets = mailbox.packets.iter();
        for &RemoteFlit {
            lane,
            place,
            kind,
            due,
        } in &mailbox.flits
        {
            if kind.head
                && let Some(&packet) = packets.next()
            {
                let index = self.state.buffers.place(lane, place);
                self.state.heads[index] = self.packets.insert(packet);
            }
            if !self.fast_paths.is_plain {
                self.flits_due.push(due, lane);
            } else if self.flit_in(lane) == 1 {
                self.wake(lane);
            }
        }
    }
}
