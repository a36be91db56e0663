//! A deadlock as results report it: in the network's names.

use flitsim_engine::Deadlock;
use flitsim_topology::{Network, archived};
use serde::{Deserialize, Serialize};

/// Packets that wait for each other for ever, in the network's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadlockReport {
    /// The cycle in which they were found.
    pub cycle: u64,
    /// Packets in the network that can never move again.
    pub packets: usize,
    /// The virtual channels that some of them hold and wait for, once round the circle, each as
    /// `from->to#vc`. Empty where a packet has no way on and waits for nothing.
    pub circle: Vec<String>,
}

archived! { DeadlockReport { cycle, packets, circle } }

impl DeadlockReport {
    /// What the watchdog found, in the names of `network`.
    pub fn new(deadlock: &Deadlock, network: &Network) -> Self {
        let circle = deadlock.circle.iter().map(|&(channel, vc)| {
            let from = network.name(network.source(channel));
            let to = network.name(network.target(channel));
            format!("{from}->{to}#{vc}")
        });
        Self {
            cycle: deadlock.cycle,
            packets: deadlock.packets.len(),
            circle: circle.collect(),
        }
    }

    /// A sentence, with the first `channels_most` channels of the circle.
    pub fn sentence(&self, channels_most: usize) -> String {
        let Self {
            cycle,
            packets,
            circle,
        } = self;
        if circle.is_empty() {
            return format!(
                "deadlock by cycle {cycle}: {packets} of the packets in the network can never move \
                 again"
            );
        }
        let shown = circle.len().min(channels_most);
        let mut names = circle[..shown].join(", ");
        if shown < circle.len() {
            names += &format!(" and {} more", circle.len() - shown);
        }
        format!(
            "deadlock by cycle {cycle}: {packets} of the packets in the network wait on one another \
             for ever, round {} channels: {names}",
            circle.len()
        )
    }
}
