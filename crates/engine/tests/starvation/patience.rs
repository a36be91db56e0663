//! How long a head or a flit may have to wait: what the kernel's promise comes to, in numbers.
//!
//! Let a router have `inputs` virtual channels coming in, at `ports` ports of at most `vcs` each.
//!
//! - *The switch.* A port puts that flit forward again and again which is first there, until it
//!   wins; each loss brings its port nearer to the first at the output, so at most `ports` cycles
//!   pass. Others of the port that are nearer in turn may come in between, once each (`vcs`), and
//!   then all that are ahead of it win before it does (`vcs` again): `vcs`² · `ports` cycles. An
//!   iSLIP port has its turns among outputs, too: times `ports`.
//! - *Virtual channels.* A head is passed by those that came before it, one of each other input, and
//!   by as many more as its own flit waits at the switch.
//!
//! - *By name.* An input of the switch takes turns among outputs under every allocator that has a name, and
//!   where heads are matched, each virtual channel takes its turns among the inputs by itself.
//!
//! - *Declined grants.* A virtual channel's turn that heads decline moves on after so many, and comes nearer to each
//!   other input with that: so many times the inputs, for each way that a head may take.
//!
//! - *Kept ways.* A turn is a packet's, not a flit's: times the flits of the longest packet.
//!
//! Random arbiters only make waiting improbable: with a chance of one in n a time, 28·n losses in a
//! row come once in 10¹². Where the oldest packet goes first, it may wait for a younger one that has
//! its virtual channel, and that one for all that are older than it: as many as there are at a time.

use flitsim_engine::{Allocator, Arbiter, Crossbar, EngineConfig, Matching, Port};
use flitsim_topology::{Network, NodeId};

/// The bounds, by node.
#[derive(Clone, Debug)]
pub struct Patience {
    inputs: Vec<u32>,
    switch: Vec<u32>,
    /// Times that a virtual channel may be granted to others.
    grants: Vec<u32>,
    /// How many times as long it may take, by chance or by age.
    times: u32,
}

/// Whether the oldest packet goes first anywhere.
pub fn is_by_age(config: &EngineConfig) -> bool {
    config.allocator == Allocator::OldestFirst || config.arbiter == Some(Arbiter::OldestFirst)
}

/// Whether virtual channels grant themselves in turn to heads that may take another.
fn may_decline(config: &EngineConfig) -> bool {
    let takes_turns = match config.arbiter {
        Some(arbiter) => arbiter == Arbiter::RoundRobin,
        None => matches!(
            config.allocator,
            Allocator::RoundRobin | Allocator::Islip { .. }
        ),
    };
    match config.vc_allocator {
        Some(Matching::Islip { .. }) => true,
        Some(Matching::SeparableOutputFirst) => takes_turns,
        _ => false,
    }
}

/// The longest packet of a case.
const FLITS_MOST: u32 = 16;

/// Heads in a row that may decline a virtual channel before its turn moves on.
const DECLINED_MOST: u32 = 16;

/// Losses in a row that come once in 10¹², by the odds.
const UNLUCKY: u32 = 28;

impl Patience {
    /// Of the routers of `network`, where `packets` wait at the sources at most.
    /// Heads come to each node over `come_over` virtual channels of a channel.
    pub fn new(
        network: &Network,
        config: &EngineConfig,
        packets: u32,
        come_over: impl Fn(NodeId) -> u32,
    ) -> Self {
        let declined = if may_decline(config) {
            DECLINED_MOST
        } else {
            0
        };
        let of_node = |node: u32| {
            let come_over = come_over(NodeId(node));
            let vcs = come_over.max(config.injection_vcs);
            let channels = network.incoming(NodeId(node)).len() as u32;
            let inputs = channels * come_over + config.injection_vcs;
            let ports = channels + 1;
            let switch = match config.crossbar {
                Crossbar::Vc => inputs,
                Crossbar::Port if config.injection == Port::Unlimited => vcs * vcs * (ports + vcs),
                Crossbar::Port => vcs * vcs * ports,
            };
            let takes_turns =
                config.is_staged() || matches!(config.allocator, Allocator::Islip { .. });
            let passes = match config.vc_allocator {
                Some(_) => inputs * config.virtual_channels * ports,
                None => inputs,
            };
            let held = if config.hold_switch { FLITS_MOST } else { 1 };
            let switch = switch * held * if takes_turns { ports + 1 } else { 1 };
            (passes, (switch, declined * inputs))
        };
        let (inputs, both): (Vec<u32>, Vec<_>) = (0..network.nodes()).map(of_node).unzip();
        let (switch, grants) = both.into_iter().unzip();
        let matchings = [config.vc_allocator, config.switch_allocator];
        let draws = matches!(config.arbiter, Some(Arbiter::Random))
            || config.allocator == Allocator::Random
            || (matchings.iter()).any(|matching| matches!(matching, Some(Matching::Pim { .. })));
        let times = match (is_by_age(config), draws) {
            (true, _) => packets + inputs.iter().sum::<u32>(),
            (false, true) => UNLUCKY,
            (false, false) => 1,
        };
        Self {
            inputs,
            switch,
            grants,
            times,
        }
    }

    /// Heads that may leave past another that may take `ways`.
    pub fn passes(&self, node: usize, ways: usize) -> u32 {
        let all = self.inputs[node] + self.switch[node] + self.grants[node] * ways as u32;
        all.saturating_mul(self.times)
    }

    /// Cycles in which a flit could leave and does not. A virtual channel may seem free while a
    /// head that has it waits at the switch.
    pub fn misses(&self, node: usize, ways: Option<usize>) -> u32 {
        let [heads, grants] = match ways {
            Some(ways) => [1 + self.inputs[node], self.grants[node] * ways as u32],
            None => [1, 0],
        };
        (self.switch[node].saturating_mul(heads) + grants).saturating_mul(self.times)
    }
}
