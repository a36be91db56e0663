//! What takes energy, counted by the engine's probe and again from the oracle's log.

use crate::oracle::log::{Event, What};
use flitsim_engine::{Actions, Activity, EngineConfig};
use flitsim_topology::{ChannelId, Network, NodeId};
use std::collections::BTreeSet;

/// Empty where the network has drained and each flit of each packet, as the oracle's `log` has it, was written into
/// the injection buffer of its source and into one behind every channel that it took, read from each,
/// granted the switch and across it once for every time it was read; and each head had a virtual channel for every
/// channel, and for its terminal where there are `ejection_vcs`. A terminal at a port sends without a switch and
/// receives without a buffer.
pub fn difference(
    log: &[Event],
    activity: &Activity,
    network: &Network,
    config: &EngineConfig,
) -> String {
    let mut channels = vec![Actions::default(); network.channels() as usize];
    let mut nodes = vec![Actions::default(); network.nodes() as usize];
    let mut packets = BTreeSet::new();
    for Event { what, packet, .. } in log {
        packets.insert(packet);
        match *what {
            What::Sent { channel, head, .. } => {
                let on = &mut channels[channel as usize];
                let ends_at = |node: NodeId| config.terminal_ports && node.0 < network.terminals();
                on.link_traversals += 1;
                if !ends_at(network.source(ChannelId(channel))) {
                    on.switch_allocations += 1;
                    on.crossbar_traversals += 1;
                    on.vc_allocations += u64::from(head);
                }
                if !ends_at(network.target(ChannelId(channel))) {
                    on.buffer_writes += 1;
                    on.buffer_reads += 1;
                }
            }
            What::Ejected { .. } if config.terminal_ports => {}
            What::Ejected { node, head, .. } => {
                let at = &mut nodes[node as usize];
                at.switch_allocations += 1;
                at.crossbar_traversals += 1;
                at.vc_allocations += u64::from(head && config.ejection_vcs > 0);
                let source = &mut nodes[packet.source as usize];
                source.buffer_writes += 1;
                source.buffer_reads += 1;
            }
            What::Entered | What::Delivered { .. } => {}
        }
    }
    let mut report = String::new();
    let mut compare = |what: &dyn std::fmt::Debug, recounted: Actions, counted: Actions| {
        if recounted != counted {
            report +=
                &format!("energy of {what:?}\n  oracle: {recounted:?}\n  engine: {counted:?}\n");
        }
    };
    for (channel, recounted) in (0..).map(ChannelId).zip(channels) {
        compare(
            &channel,
            recounted,
            activity.of_channel(network, channel, config),
        );
    }
    for (node, recounted) in (0..).map(NodeId).zip(nodes) {
        compare(&node, recounted, activity.of_node(node, config));
    }
    if activity.packets() != packets.len() as u64 {
        report += &format!(
            "energy of {} packets, not {}\n",
            activity.packets(),
            packets.len()
        );
    }
    report
}
