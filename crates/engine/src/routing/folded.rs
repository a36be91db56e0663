//! A relation on fewer virtual channels than it needs: what a user gets who insists, and what a
//! verifier refuses with the cycle that too few virtual channels close.
//!
//! Some virtual channels that follow one another fall together: as a rule those from the last one
//! on, so that class c of the relation becomes min(c, V − 1). Whatever the relation keeps apart by
//! state stays apart; whatever it keeps apart by virtual channel may meet, and wait for itself.

use super::options::Knowledge;
use super::queues::{Queues, Undecided};
use super::relation::{Candidate, Candidates, Head, Routing, VcMask, vc_range};
use super::symmetry::Symmetry;
use flitsim_topology::{ChannelId, NodeId};
use std::cmp::Ordering;
use std::ops::Range;

/// A relation folded onto fewer virtual channels.
///
/// Slow: it asks the relation twice for every hop.
#[derive(Clone, Debug)]
pub struct Folded<R> {
    inner: R,
    /// The virtual channel on which others fall.
    first: u32,
    /// How many others: those of the relation after `first`.
    surplus: u32,
}

impl<R: Routing> Folded<R> {
    /// `inner` on `virtual_channels` virtual channels: the last and all after it fall together.
    ///
    /// # Panics
    /// Unless there are 1 to 64.
    pub fn new(inner: R, virtual_channels: u32) -> Self {
        assert!(
            (1..=64).contains(&virtual_channels),
            "1 to 64 virtual channels"
        );
        Self::at(inner, virtual_channels - 1, 64 - virtual_channels)
    }

    /// `inner` on `surplus` fewer virtual channels: that many after `first` fall on it, and those
    /// after them move down.
    ///
    /// # Panics
    /// Unless `first` and `surplus` are together below 64.
    pub fn at(inner: R, first: u32, surplus: u32) -> Self {
        assert!(
            first < 64 && surplus < 64 - first,
            "virtual channels up to 63"
        );
        Self {
            inner,
            first,
            surplus,
        }
    }

    fn fold(&self, vcs: VcMask) -> VcMask {
        let kept = vcs & vc_range(0, self.first);
        let moved = vcs >> self.surplus & !vc_range(0, self.first + 1);
        let folded = vcs & self.unfold(self.first);
        kept | VcMask::from(folded != 0) << self.first | moved
    }

    /// The virtual channels of the relation that fall on `vc`.
    fn unfold(&self, vc: u32) -> VcMask {
        match vc.cmp(&self.first) {
            Ordering::Less => 1 << vc,
            Ordering::Equal => vc_range(vc, vc + self.surplus + 1),
            Ordering::Greater => 1 << (vc + self.surplus),
        }
    }

    fn candidates(&self, head: Head) -> Candidates {
        let mut candidates = Candidates::default();
        self.inner.route(head, &mut candidates);
        candidates
    }
}

/// What is queued, by the virtual channels of the relation.
struct Unfolded<'a, R> {
    all: &'a dyn Queues,
    folded: &'a Folded<R>,
}

impl<R: Routing> Queues for Unfolded<'_, R> {
    fn flits(&self, channel: ChannelId, vcs: VcMask) -> u64 {
        self.all.flits(channel, self.folded.fold(vcs))
    }
}

impl<R: Routing> Routing for Folded<R> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = R::LOOKS;

    fn looks(&self) -> Option<Knowledge> {
        self.inner.looks()
    }

    fn decide(
        &self,
        packet: Undecided,
        queues: &dyn Queues,
        candidates: &mut Candidates,
    ) -> Option<u32> {
        let (all, folded) = (queues, self);
        let queues = Unfolded { all, folded };
        self.inner.decide(packet, &queues, candidates)
    }

    fn at_rest(&self, source: NodeId, destination: NodeId) -> Range<u32> {
        self.inner.at_rest(source, destination)
    }

    fn has_escape(&self) -> bool {
        self.inner.has_escape()
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.inner.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.inner.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        for &candidate in self.candidates(head).as_slice() {
            candidates.push(Candidate {
                vcs: self.fold(candidate.vcs),
                ..candidate
            });
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        let allowed = self
            .candidates(head)
            .as_slice()
            .iter()
            .find_map(|candidate| {
                let vcs = candidate.vcs & self.unfold(vc);
                (candidate.channel == channel && vcs != 0).then(|| vcs.trailing_zeros())
            });
        debug_assert!(
            allowed.is_some(),
            "a virtual channel that the relation does not offer"
        );
        self.inner.advance(head, channel, allowed.unwrap_or(vc))
    }

    fn escape_vcs(&self, head: Head, candidate: Candidate) -> VcMask {
        let candidates = self.candidates(head);
        let same =
            |c: &&Candidate| (c.channel, c.priority) == (candidate.channel, candidate.priority);
        let escapes = candidates.as_slice().iter().filter(same);
        escapes
            .map(|&original| self.fold(self.inner.escape_vcs(head, original)))
            .fold(0, |all, vcs| all | vcs)
            & candidate.vcs
    }

    /// Automorphisms keep virtual channels, folded or not.
    fn symmetry(&self) -> Symmetry {
        self.inner.symmetry()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::{DimensionOrder, Tie};
    use flitsim_topology::{Ends, Grid};

    #[test]
    fn a_dateline_folds_onto_one_virtual_channel() {
        let network = Grid::uniform(4, 1, Ends::DirectedRing)
            .unwrap()
            .into_network();
        let grid = network.grid().unwrap();
        let two = DimensionOrder::new(grid, 2, Tie::Random, false).unwrap();
        let one = Folded::new(&two, 1);
        // 3 → 0 crosses the dateline: class 0 on the wrap channel, class 1 behind it.
        let (source, destination) = (NodeId(3), NodeId(1));
        let mut head = Head {
            node: source,
            arrived: None,
            destination,
            state: one.initial(source, destination, 0),
        };
        for (class, node) in [(0, 0), (1, 1)] {
            let mut candidates = Candidates::default();
            one.route(head, &mut candidates);
            let [only] = candidates.as_slice() else {
                panic!("one way on");
            };
            assert_eq!(only.vcs, 1);
            let mut unfolded = Candidates::default();
            two.route(head, &mut unfolded);
            assert_eq!(unfolded.as_slice()[0].vcs, 1 << class);
            head.state = one.advance(head, only.channel, 0);
            head.arrived = Some((only.channel, 0));
            head.node = network.target(only.channel);
            assert_eq!(head.node, NodeId(node));
        }
    }

    #[test]
    fn folding_and_unfolding_agree() {
        let network = Grid::uniform(4, 1, Ends::Open).unwrap().into_network();
        let routing = DimensionOrder::new(network.grid().unwrap(), 8, Tie::Random, false).unwrap();
        let folded = Folded::new(&routing, 3);
        assert_eq!(folded.fold(0b1), 0b1);
        assert_eq!(folded.fold(0b1000_0000), 0b100);
        assert_eq!(folded.fold(0b0101_0110), 0b110);
        assert_eq!(folded.unfold(0), 1);
        assert_eq!(folded.unfold(2), !0b11);
    }

    #[test]
    fn those_after_the_fold_move_down() {
        let network = Grid::uniform(4, 1, Ends::Open).unwrap().into_network();
        let routing = DimensionOrder::new(network.grid().unwrap(), 8, Tie::Random, false).unwrap();
        // 0, {1, 2, 3}, 4 and 5 become 0, 1, 2 and 3.
        let folded = Folded::at(&routing, 1, 2);
        for (whole, fewer) in [
            (0b1, 0b1),
            (0b10, 0b10),
            (0b1000, 0b10),
            (0b1_0000, 0b100),
            (0b11_0101, 0b1111),
        ] {
            assert_eq!(folded.fold(whole), fewer, "{whole:b}");
        }
        let all = (0..4).map(|vc| folded.unfold(vc));
        assert!(all.eq([0b1, 0b1110, 0b1_0000, 0b10_0000]));
    }
}
