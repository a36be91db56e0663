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
    /// How many times as long it may take, by chance or by age.
    times: u32,
}

/// Whether the oldest packet goes first anywhere.
pub fn is_by_age(config: &EngineConfig) -> bool {
    config.allocator == Allocator::OldestFirst || config.arbiter == Some(Arbiter::OldestFirst)
}

/// The longest packet of a case.
const FLITS_MOST: u32 = 16;

/// Losses in a row that come once in 10¹², by the odds.
const UNLUCKY: u32 = 28;

impl Patience {
    /// Of the routers of `network`, where `packets` wait at the sources at most.
    pub fn new(network: &Network, config: &EngineConfig, packets: u32) -> Self {
        let vcs = config.virtual_channels.max(config.injection_vcs);
        let of_node = |node: u32| {
            let channels = network.incoming(NodeId(node)).len() as u32;
            let inputs = channels * config.virtual_channels + config.injection_vcs;
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
            (
                passes,
                switch * held * if takes_turns { ports + 1 } else { 1 },
            )
        };
        let (inputs, switch): (Vec<u32>, _) = (0..network.nodes()).map(of_node).unzip();
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
            times,
        }
    }

    /// Heads that may leave past another.
    pub fn passes(&self, node: usize) -> u32 {
        (self.inputs[node] + self.switch[node]).saturating_mul(self.times)
    }

    /// Cycles in which a flit could leave and does not. A virtual channel may seem free while a
    /// head that has it waits at the switch.
    pub fn misses(&self, node: usize, is_head: bool) -> u32 {
        let heads = if is_head { 1 + self.inputs[node] } else { 1 };
        self.switch[node]
            .saturating_mul(heads)
            .saturating_mul(self.times)
    }
}
