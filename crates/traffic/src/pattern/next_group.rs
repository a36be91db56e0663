//! Each group of terminals to the next: on a dragonfly all packets of a group then want the one channel
//! to that group (the worst case of Kim, Dally, Scott & Abts, "Technology-driven, highly-scalable
//! dragonfly topology", ISCA 2008).

use super::law::{Context, Kind, Law};
use crate::PatternError;
use flitsim_keys::{Description, Fault, Key, Values};
use flitsim_random::Draw;
use flitsim_topology::{Network, NodeId};
use rand::Rng;

/// Each group of consecutive terminals to the next, the last to the first: to any of it alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextGroup {
    /// Terminals of a group; those of a dragonfly's where `None`.
    pub group: Option<u32>,
}

const GROUP: Key<Option<u32>> = Key::integer(
    "group",
    1..=1 << 24,
    "terminals",
    "next-group: how many consecutive terminals form a group. The default is a dragonfly's group.",
)
.optional_as("a dragonfly's group");

impl Kind for NextGroup {
    const KEYS: &'static [Description] = &const { [GROUP.described()] };

    type Law = Groups;

    fn read(values: &Values, _: &Context<'_>) -> Result<Self, Fault> {
        let group = values.get(&GROUP);
        Ok(Self { group })
    }

    fn compile(&self, network: &Network) -> Result<Groups, PatternError> {
        let of_dragonfly = || {
            let each = network.concentration().map_or(1, |family| family.each());
            Some(network.routers().dragonfly()?.routers() * each)
        };
        let group = self.group.or_else(of_dragonfly);
        let group = group.ok_or(PatternError::NeedsGroups)?;
        let terminals = network.terminals();
        if !terminals.is_multiple_of(group) || terminals == group {
            return Err(PatternError::NotInGroups { group, terminals });
        }
        Ok(Groups { group, terminals })
    }

    fn remedy(&self, error: &PatternError) -> Option<String> {
        match error {
            PatternError::NeedsGroups => {
                Some("say how many terminals are a group, such as `group = 8`".to_owned())
            }
            PatternError::NotInGroups { terminals, .. } => Some(format!(
                "`group` is a divisor of {terminals} below it, such as {}",
                (1..=terminals / 2).rfind(|&size| terminals.is_multiple_of(size))?
            )),
            _ => None,
        }
    }
}

/// Groups of terminals, each all to the next.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    group: u32,
    terminals: u32,
}

impl Groups {
    /// The first terminal of the group that `source` sends to.
    fn next(&self, source: NodeId) -> u32 {
        (source.0 / self.group + 1) * self.group % self.terminals
    }
}

impl Law for Groups {
    #[inline]
    fn draw<R: Rng + ?Sized>(&self, source: NodeId, rng: &mut R) -> NodeId {
        NodeId(self.next(source) + rng.below(self.group))
    }

    fn demand(&self, source: NodeId, visit: &mut dyn FnMut(NodeId, f64)) {
        let first = self.next(source);
        for destination in first..first + self.group {
            visit(NodeId(destination), 1.0 / f64::from(self.group));
        }
    }

    fn received_most(&self) -> Option<f64> {
        Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_topology::{Arrangement, Dragonfly, Ends, Grid};

    #[test]
    fn by_hand() {
        let ring = Grid::new(&[6], Ends::Ring).unwrap().into_network();
        let law = NextGroup { group: Some(2) }.compile(&ring).unwrap();
        let sent = |source| {
            let mut all = Vec::new();
            law.demand(NodeId(source), &mut |to, share| all.push((to.0, share)));
            all
        };
        assert_eq!(sent(1), [(2, 0.5), (3, 0.5)]);
        assert_eq!(sent(4), [(0, 0.5), (1, 0.5)]);
        for group in [4, 6, 7] {
            assert!(NextGroup { group: Some(group) }.compile(&ring).is_err());
        }
        assert_eq!(
            NextGroup { group: None }.compile(&ring).unwrap_err(),
            PatternError::NeedsGroups
        );
    }

    #[test]
    fn a_dragonfly_has_groups_of_its_own() {
        let dragonfly = Dragonfly::new(4, 2, 9, Arrangement::Absolute).unwrap();
        let network = dragonfly.into_network().concentrated(2).unwrap();
        let law = NextGroup { group: None }.compile(&network).unwrap();
        assert_eq!((law.group, law.terminals), (8, 72));
    }
}
