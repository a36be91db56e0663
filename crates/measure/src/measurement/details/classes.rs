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

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::NodeId;
    use flitsim_traffic::Uniform;

    #[test]
    fn a_packet_is_of_its_part_or_as_hot_as_where_it_goes() {
        let class = |pattern: &Pattern| {
            let classes = Classes::of(pattern, 4);
            let of = |node, tag| {
                let destination = NodeId(node);
                classes.class_of(&Packet {
                    destination,
                    tag,
                    ..Packet::default()
                })
            };
            ([of(0, 0), of(1, 1), of(2, 2)], classes.names().to_vec())
        };
        let uniform = || {
            Pattern::Uniform(Uniform {
                include_self: false,
            })
        };
        assert_eq!(class(&uniform()).0, [0, 0, 0]);
        let hot = Pattern::Hotspot(Hotspot {
            nodes: vec![NodeId(1)],
            rates: Vec::new(),
            fraction: 0.5,
            include_self: false,
        });
        assert_eq!(
            class(&hot),
            (
                [1, 0, 1],
                ["hotspot", "background"].map(str::to_owned).to_vec()
            )
        );
        let part = |pattern| MixPart {
            weight: 0.5,
            pattern,
        };
        let mix = Pattern::Mix(vec![part(uniform()), part(hot), part(uniform())]);
        assert_eq!(class(&mix).0, [0, 1, 2]);
    }
}
