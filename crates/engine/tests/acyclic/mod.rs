//! Small networks of links, and whether a relation is free of deadlock on them.

use crate::common::any::verify;
use flitsim_analysis::verify::{Reason, VerifyOptions};
use flitsim_engine::{EngineConfig, Routing};
use flitsim_topology::Network;

/// Whether the dependencies between virtual channels have an order.
///
/// # Panics
/// If a packet may not arrive.
pub fn is_acyclic(network: &Network, routing: &impl Routing, virtual_channels: u32) -> bool {
    let config = EngineConfig {
        virtual_channels,
        ..EngineConfig::default()
    };
    let proof = verify(network, routing, &VerifyOptions::of(&config));
    assert!(proof.reaches_every_pair, "{:?}", proof.verdict);
    assert!(matches!(proof.reason(), None | Some(Reason::Cycle)));
    proof.is_free()
}

/// A connected network of links in random order: a tree, and `more` links; node 0 and those whose
/// bit is set in `terminals` are terminals.
pub fn links(parents: &[usize], more: &[(usize, usize)], terminals: u64) -> String {
    let n = parents.len() + 1;
    let tree = parents
        .iter()
        .enumerate()
        .map(|(i, &p)| (i + 1, p % (i + 1)));
    let more = more.iter().map(|&(a, b)| (a % n, b % n));
    let mut text = String::from("from,to,parallel\n");
    for (number, (a, b)) in tree.chain(more).filter(|(a, b)| a != b).enumerate() {
        text += &format!("{a},{b},{number}\n{b},{a},{number}\n");
    }
    text += "\nnode,kind\n";
    for node in 0..n {
        let is_terminal = node == 0 || terminals >> (node % 64) & 1 == 1;
        let kind = if is_terminal { "terminal" } else { "switch" };
        text += &format!("{node},{kind}\n");
    }
    text
}
