//! The ways into and out of the switch of a router, by its speed-ups, and the bids for them.

use crate::EngineConfig;
use crate::config::InputArbiter;
use crate::kernel::bits::cyclic_distance;
use crate::kernel::engine::Here;
use crate::kernel::staged::{Bid, Stages};
use crate::kernel::wiring::Wiring;

/// Which input virtual channels share a way into the switch of a router, and which a way out.
#[derive(Clone, Copy)]
pub(super) struct Ways {
    wiring: Wiring,
    /// Of a port.
    into: u32,
    out: u32,
    /// Whether the virtual channels of an input take turns, whatever their outputs.
    in_turn: bool,
}

impl Ways {
    pub(super) const fn of(config: &EngineConfig, wiring: Wiring) -> Self {
        Self {
            wiring,
            into: config.input_speedup,
            out: config.output_speedup,
            in_turn: matches!(config.input_arbiter, InputArbiter::RoundRobin),
        }
    }

    /// The bid of local ivc `local` for local output `output`.
    #[inline(always)]
    pub(super) fn bid(self, local: u32, output: u32) -> Bid {
        let position = self.input_of(local);
        let next = match self.into {
            1 => position + self.wiring.vcs(),
            _ => position + 1,
        };
        Bid {
            local,
            position,
            next,
            output,
            way_out: match self.out {
                1 => output,
                ways => output * ways + modulo(self.wiring.port_of(local), ways),
            },
            is_guess: 0,
            at_input: [0; 2],
            at_output: [0; 4],
        }
    }

    /// The first local ivc of the input of the switch that `local` goes through.
    #[inline(always)]
    fn input_of(self, local: u32) -> u32 {
        let vc = local & (self.wiring.vcs() - 1);
        let port = local - vc;
        match self.into {
            1 => port,
            ways => port + modulo(vc, ways),
        }
    }

    /// Ivc `ivc` has had its turn in cycle `now`. Where virtual channels take turns, `served` has for the first of an
    /// input who is next.
    #[inline(always)]
    pub(super) fn has_had_its_turn(self, served: &mut [u64], ivc: u32, now: u64) {
        match self.in_turn {
            false => served[ivc as usize] = now + 1,
            true => {
                let vc = ivc & (self.wiring.vcs() - 1);
                served[self.input_of(ivc) as usize] = u64::from(vc) + 1;
            }
        }
    }

    /// The least of an input's ivcs is the first in turn, or was served longest ago.
    #[inline(always)]
    pub(super) fn turn_of(self, served: &[u64], ivc: u32) -> u64 {
        match self.in_turn {
            false => served[ivc as usize],
            true => {
                let vc = ivc & (self.wiring.vcs() - 1);
                let next = served[self.input_of(ivc) as usize] as u32;
                u64::from(cyclic_distance(next, vc))
            }
        }
    }

    /// `bid` has won in the first round.
    #[inline(always)]
    pub(super) fn move_turns(
        self,
        out_pointers: &mut [u16],
        stages: &mut Stages,
        here: Here,
        bid: &Bid,
    ) {
        out_pointers[self.pointer_of(here, bid)] = bid.next as u16;
        stages.input_turns[here.ivc(bid.position) as usize] = bid.output as u16 + 1;
        if !stages.switch_taken.is_empty() {
            stages.switch_taken[self.switch_place(here, bid)] = stages.now + 1;
        }
    }

    /// Where it is kept whose turn it is on the way out of `bid`.
    pub(super) fn pointer_of(self, here: Here, bid: &Bid) -> usize {
        here.first_pointer as usize * self.out as usize + bid.way_out as usize
    }

    /// Where a matrix arbiter keeps when `bid`'s input was taken by its output.
    pub(super) fn switch_place(self, here: Here, bid: &Bid) -> usize {
        let output = (here.first_pointer + bid.output) as usize;
        output << self.wiring.router_shift | bid.position as usize
    }
}

/// `number` modulo `ways`, mostly two, without a division.
#[inline(always)]
const fn modulo(number: u32, ways: u32) -> u32 {
    match ways {
        2 => number & 1,
        _ => number % ways,
    }
}
