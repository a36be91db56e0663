//! Which input virtual channels wait for which, and those that wait in vain (Dally & Towles,
//! section 14.1: the wait-for relation of agents and resources).
//!
//! An input virtual channel (ivc) *drains* if ever another flit leaves it. It does so without
//! waiting where its front packet is at its destination, or has an output with room in the buffer at
//! its far end, credits under way counted. Else it waits for another ivc to drain:
//!
//! - with an output whose buffer is full: for that buffer;
//! - without one: for any of its candidates. One that is to be emptied first (atomic reallocation),
//!   or has not room for a whole packet, for the buffer at its far end; any other that a packet
//!   holds, for the ivc from which that packet sends.
//!
//! What cannot reach an ivc that drains by itself never drains: the first of them to send a flit
//! would have found room, or a virtual channel let go, and neither comes but by a flit that leaves
//! one of those that it waits for. All waiting is for any of several, so one search backwards finds
//! them. That one flit leaves does not mean that all will: where flits still close up, more is taken
//! to drain than does, and a later look finds the rest. What was found once is found again.

use super::still::Still;
use crate::kernel::lane::Lane;
use crate::kernel::wiring::{EJECT, NONE};
use crate::routing::{Undecided, drawn};
use crate::{Candidates, FlowControl, Head, Packet, VcReallocation};
use flitsim_topology::{ChannelId, NodeId};
use std::collections::HashMap;

/// One ivc waits for another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The ivc whose front packet waits.
    pub(super) from: u32,
    /// The ivc that would have to drain.
    pub(super) to: u32,
    /// What it waits for: an output virtual channel.
    pub(super) ovc: u32,
    /// Whether it waits to claim it, and not for room in its buffer.
    pub(super) is_claim: bool,
}

/// The ivcs that wait in vain.
pub(super) struct WaitForGraph {
    /// The ivcs, ascending.
    pub(super) stuck: Vec<u32>,
    /// Their waits, in ascending order of the ivcs that wait.
    pub(super) waits: Vec<Wait>,
    credits_under_way: HashMap<u32, u32>,
}

impl WaitForGraph {
    pub(super) fn of(engine: &dyn Still) -> Self {
        let mut credits_under_way = HashMap::new();
        for ovc in engine.credits_due().iter() {
            *credits_under_way.entry(ovc).or_insert(0) += 1;
        }
        let mut graph = Self {
            stuck: Vec::new(),
            waits: Vec::new(),
            credits_under_way,
        };
        let mut candidates = Candidates::with_degree(engine.wiring().degree_max);
        let ivcs = engine.ivcs();
        let (state, wiring) = (engine.state(), engine.wiring());
        for ivc in 0..ivcs as u32 {
            let name = state.lane_into(ivc, wiring);
            if name == NONE {
                continue;
            }
            let input = state.lanes[name as usize];
            let to_terminal = input.output == EJECT || wiring.is_ejection(input.output);
            // Most have nothing that waits.
            if !to_terminal && (input.output != NONE || input.reader.ready() > 0) {
                graph.enter(engine, ivc, input, &mut candidates);
            }
        }
        graph.keep_those_in_vain(ivcs);
        graph
    }

    /// Adds the waits of `ivc`, which `input` leads into, if it does not drain by itself.
    fn enter(&mut self, engine: &dyn Still, ivc: u32, input: Lane, candidates: &mut Candidates) {
        if input.output != NONE {
            if self.room(engine, input.output) == 0 {
                self.stuck.push(ivc);
                for ovc in self.hold_room_of(engine, input.output) {
                    self.waits.push(Wait {
                        from: ivc,
                        to: engine.far_ivc(ovc),
                        ovc,
                        is_claim: false,
                    });
                }
            }
            return;
        }
        let packet = engine
            .packets()
            .get(engine.first_packet(engine.state().lane_into(ivc, engine.wiring())));
        let head = engine.head_at(ivc, packet);
        let waits_for_tail = engine.config().flow_control == FlowControl::StoreAndForward
            && head.arrived.is_some()
            && input.reader.ready() < packet.flits;
        if head.node == head.destination || waits_for_tail || is_to_decide(engine, head, packet) {
            return;
        }
        candidates.clear();
        engine.route(head, candidates);
        let first = self.waits.len();
        for candidate in candidates.as_slice() {
            let mut vcs = candidate.vcs;
            while vcs != 0 {
                let vc = vcs.trailing_zeros();
                vcs &= vcs - 1;
                let ovc = engine.wiring().ovc(candidate.channel, vc);
                let Some(to) = self.claim_waits_for(engine, ivc, ovc, packet.flits) else {
                    self.waits.truncate(first);
                    return;
                };
                self.waits.push(Wait {
                    from: ivc,
                    to,
                    ovc,
                    is_claim: true,
                });
            }
        }
        self.stuck.push(ivc);
    }

    /// The ivc that must drain before a packet of `flits` flits in `ivc` can claim `ovc`; `None` where
    /// it can without.
    fn claim_waits_for(&self, engine: &dyn Still, ivc: u32, ovc: u32, flits: u32) -> Option<u32> {
        let is_too_full = match (
            engine.config().vc_reallocation,
            engine.config().flow_control,
        ) {
            (VcReallocation::Atomic, _) => self.held(engine, ovc) > 0,
            (VcReallocation::NonAtomic, FlowControl::Wormhole) => false,
            (VcReallocation::NonAtomic, _) => self.room(engine, ovc) < flits,
        };
        // Whoever holds it leaves no more room than there is.
        if is_too_full {
            return Some(engine.far_ivc(ovc));
        }
        let owned = match engine.config().interleave_flits {
            true => Some(ovc),
            false => engine.holder_of(engine.wiring().channel_of(ovc)),
        };
        owned.and_then(|ovc| engine.owner_of(ovc)).or_else(|| {
            let kept = engine.state().kept.iter().position(|&kept| kept == ovc);
            kept.map(|ivc| ivc as u32).filter(|&keeper| keeper != ivc)
        })
    }

    /// Free places in the buffer at the far end of `ovc`, once credits under way have arrived.
    fn room(&self, engine: &dyn Still, ovc: u32) -> u32 {
        let config = engine.config();
        let reserve = config.buffer_reserve();
        let beside = engine.beside(ovc);
        let shared = beside.len() as u32 * (config.buffer_flits - reserve);
        let beyond = beside.map(|ovc| self.held(engine, ovc).saturating_sub(reserve));
        let own = reserve.saturating_sub(self.held(engine, ovc));
        own + (shared - beyond.sum::<u32>())
    }

    /// Flits in the buffer at the far end of `ovc`, and under way to it.
    fn held(&self, engine: &dyn Still, ovc: u32) -> u32 {
        engine.taken(ovc) - self.credits_under_way.get(&ovc).copied().unwrap_or(0)
    }

    /// The virtual channels of which any flit that leaves its buffer may make room for `ovc`, which has none:
    /// itself, and those that have taken shared places.
    fn hold_room_of(&self, engine: &dyn Still, ovc: u32) -> Vec<u32> {
        let reserve = engine.config().buffer_reserve();
        let holds = |&other: &u32| other == ovc || self.held(engine, other) > reserve;
        engine.beside(ovc).filter(holds).collect()
    }

    /// Leaves those of `ivcs` ivcs that reach none that drains by itself.
    fn keep_those_in_vain(&mut self, ivcs: usize) {
        // All others drain, and nothing has to be kept of them.
        if self.stuck.is_empty() {
            return;
        }
        let mut drains = vec![true; ivcs];
        for &ivc in &self.stuck {
            drains[ivc as usize] = false;
        }
        self.waits.sort_unstable_by_key(|wait| wait.to);
        let mut reached: Vec<u32> = Vec::new();
        for index in 0..self.waits.len() {
            let Wait { from, to, .. } = self.waits[index];
            if drains[to as usize] && !std::mem::replace(&mut drains[from as usize], true) {
                reached.push(from);
            }
        }
        while let Some(ivc) = reached.pop() {
            let first = self.waits.partition_point(|wait| wait.to < ivc);
            for wait in self.waits[first..].iter().take_while(|w| w.to == ivc) {
                if !std::mem::replace(&mut drains[wait.from as usize], true) {
                    reached.push(wait.from);
                }
            }
        }
        self.stuck.retain(|&ivc| !drains[ivc as usize]);
        self.waits.retain(|wait| !drains[wait.from as usize]);
        self.waits.sort_by_key(|wait| wait.from);
    }

    /// The packets whose heads are in the ivcs that wait in vain: their slots and ivcs.
    pub(super) fn heads(&self, engine: &dyn Still) -> Vec<(u32, u32)> {
        let mut heads = Vec::new();
        for &ivc in &self.stuck {
            let into = engine.state().lane_into(ivc, engine.wiring());
            let Some(ovc) = Some(into).filter(|&lane| !engine.holds_whole(lane)) else {
                let lane = engine.state().lanes[into as usize];
                if lane.has_head() {
                    heads.push((lane.packet(), ivc));
                }
                continue;
            };
            let held = self.held(engine, ovc);
            engine.for_held_heads(ovc, held, |slot| heads.push((slot, ivc)));
        }
        heads
    }

    /// The packet at the front of `ivc`, or that holds its output while its next flits are still
    /// behind.
    pub(super) fn packet_of(&self, engine: &dyn Still, mut ivc: u32) -> u32 {
        while let Some(ovc) = engine.ovc_into(ivc) {
            let is_empty = self.held(engine, ovc) == 0;
            let Some(owner) = engine.owner_of(ovc).filter(|_| is_empty) else {
                break;
            };
            ivc = owner;
        }
        engine.first_packet(engine.state().lane_into(ivc, engine.wiring()))
    }
}

impl dyn Still + '_ {
    /// The ivc at the far end of `ovc`.
    fn far_ivc(&self, ovc: u32) -> u32 {
        self.state().end_of(ovc, self.wiring())
    }

    /// The ovc that leads into `ivc`; `None` at an injection port.
    fn ovc_into(&self, ivc: u32) -> Option<u32> {
        let lane = self.state().lane_into(ivc, self.wiring());
        (!self.wiring().is_injection(lane)).then_some(lane)
    }

    /// The virtual channels of the channel of `ovc`, if they share buffers; else itself.
    fn beside(&self, ovc: u32) -> std::ops::Range<u32> {
        match self.stages() {
            Some(stages) if self.config().shares_buffers() => {
                stages.sharing.lanes_beside(ovc, self.wiring())
            }
            _ => ovc..ovc + 1,
        }
    }

    /// The head of `packet`, at the front of `ivc`, as the relation sees it.
    fn head_at(&self, ivc: u32, packet: &Packet) -> Head {
        let arrived = self.ovc_into(ivc);
        Head {
            node: NodeId(self.wiring().router_of(ivc)),
            arrived: arrived.map(|ovc| (self.wiring().channel_of(ovc), self.wiring().vc_of(ovc))),
            destination: packet.destination,
            state: packet.state,
        }
    }

    /// Visits the packets whose heads are among the `held` flits in the buffer at the far end of `ovc`,
    /// or under way to it, first to last: their slots.
    fn for_held_heads(&self, ovc: u32, held: u32, mut visit: impl FnMut(u32)) {
        let lane = self.state().lanes[ovc as usize];
        // How far the flits go of the packet that has the output.
        let mut passed = 0;
        if lane.output != NONE {
            if lane.has_head() && held > 0 {
                visit(lane.packet());
            }
            passed = lane.remaining();
        }
        while passed < held {
            let place = lane.reader.front().wrapping_add(passed as u16);
            let slot = self.state().heads[self.state().buffers.place(ovc, place)];
            visit(slot);
            passed = passed.saturating_add(self.packets().get(slot).flits);
        }
    }

    /// An ovc as its channel and virtual channel.
    pub(super) fn name_of(&self, ovc: u32) -> (ChannelId, u32) {
        (self.wiring().channel_of(ovc), self.wiring().vc_of(ovc))
    }
}

/// Whether `head`, of `packet`, is yet to decide where it is: then it has not asked for anything.
fn is_to_decide(engine: &dyn Still, head: Head, packet: &Packet) -> bool {
    let decides = |choice| {
        let packet = Undecided {
            node: head.node,
            source: packet.source,
            destination: packet.destination,
            flits: packet.flits,
            choice,
        };
        engine.decides(packet)
    };
    drawn(head.state).is_some_and(decides)
}
