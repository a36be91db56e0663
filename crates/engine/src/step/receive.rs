//! Receive: what crossed from other parts of the network in the last cycle, before anything else of
//! this one. It then counts as it would had it come from a router of this part.

use crate::extent::{Crossing, Extent, Mail, Part};
use crate::{Engine, Probe, Routing};

impl<R: Routing, P: Probe> Engine<'_, R, P, Part> {
    /// Takes in what has come.
    pub(crate) fn receive(&mut self) {
        let mut incoming = std::mem::take(&mut self.extent.border().incoming);
        for mail in &mut incoming {
            self.take_in(mail);
            mail.clear();
        }
        self.extent.border().incoming = incoming;
    }

    fn take_in(&mut self, mail: &Mail) {
        for &(lane, due) in &mail.credits {
            if self.ways.is_plain {
                self.parts().credit_back(lane);
            } else {
                self.credits_due.push(due, lane);
            }
        }
        let mut packets = mail.packets.iter();
        for &Crossing {
            lane,
            place,
            kind,
            due,
        } in &mail.flits
        {
            if kind.head
                && let Some(&packet) = packets.next()
            {
                let index = self.state.buffers.place(lane, place);
                self.state.heads[index] = self.packets.insert(packet);
            }
            if !self.ways.is_plain {
                self.flits_due.push(due, lane);
            } else if self.flit_in(lane) == 1 {
                self.wake(lane);
            }
        }
    }
}
