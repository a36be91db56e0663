//! Classes of traffic: the parts of a mixture, or the packets to the hot nodes of a hotspot and the
//! background; under any other pattern there is one.

use flitsim_engine::Packet;
use flitsim_traffic::{Hotspot, MixPart, Pattern};

/// How the packets of a pattern are told apart.
#[derive(Clone, Debug)]
pub struct Classes {
    names: Vec<String>,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// All alike.
    One,
    /// By the tag.
    Parts,
    /// By terminal: whether it is hot. A packet that the uniform share sends to a hot node is hot:
    /// it shares its fate.
    Hot(Box<[bool]>),
}

impl Classes {
    /// The classes of `pattern` on `terminals` terminals.
    pub fn of(pattern: &Pattern, terminals: u32) -> Self {
        let (names, rule) = match pattern {
            Pattern::Mix(parts) => {
                let name = |part: &MixPart| part.pattern.name().to_owned();
                (parts.iter().map(name).collect(), Rule::Parts)
            }
            Pattern::Hotspot(Hotspot { nodes, .. }) => {
                let mut hot = vec![false; terminals as usize];
                nodes.iter().for_each(|node| hot[node.index()] = true);
                let names = ["hotspot", "background"].map(str::to_owned);
                (names.to_vec(), Rule::Hot(hot.into_boxed_slice()))
            }
            other => (vec![other.name().to_owned()], Rule::One),
        };
        Self { names, rule }
    }

    /// What they are called, in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The class of `packet`, whose tag is its part of a mixture.
    #[inline]
    pub fn class_of(&self, packet: &Packet) -> usize {
        match &self.rule {
            Rule::One => 0,
            Rule::Parts => packet.tag as usize,
            Rule::Hot(hot) => usize::from(!hot[packet.destination.index()]),
        }
    }
}
