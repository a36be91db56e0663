//! Relations for proofs and their negative twins.

use flitsim_engine::routing::{Symmetry, vc_range};
use flitsim_engine::{Candidate, Candidates, Head, Routing, VcMask};
use flitsim_topology::file::{Source, parse_csv};
use flitsim_topology::{ChannelId, Direction, Grid, MinimalPaths, Network, NodeId, Star};

fn push(candidates: &mut Candidates, channel: ChannelId, vcs: VcMask, priority: u8) {
    candidates.push(Candidate {
        channel,
        vcs,
        priority,
    });
}

/// `R` with all virtual channels taken as one: what classes are there for.
pub struct OneClass<R>(pub R);

impl<R: Routing> Routing for OneClass<R> {
    const DETERMINISTIC: bool = R::DETERMINISTIC;

    fn has_escape(&self) -> bool {
        self.0.has_escape()
    }

    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.0.choices(source, destination)
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        self.0.initial(source, destination, choice)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let mut inner = Candidates::default();
        self.0.route(head, &mut inner);
        for candidate in inner.as_slice() {
            candidates.push(Candidate {
                vcs: 1,
                ..*candidate
            });
        }
    }

    fn advance(&self, head: Head, channel: ChannelId, vc: u32) -> u64 {
        self.0.advance(head, channel, vc)
    }
}

/// Duato's protocol on a grid: any channel that leads closer on the adaptive virtual channels; or the
/// lowest dimension on an escape: virtual channel 0, and on tori 1 where the wrap channel is not
/// ahead (Dally & Seitz 1987).
pub struct Duato<'n> {
    pub grid: &'n Grid,
    pub virtual_channels: u32,
    pub symmetry: Symmetry,
    /// Whether rings have a second escape.
    pub has_dateline: bool,
}

impl<'n> Duato<'n> {
    pub fn new(grid: &'n Grid, virtual_channels: u32) -> Self {
        Self {
            grid,
            virtual_channels,
            symmetry: Symmetry::None,
            has_dateline: (0..grid.dimensions()).any(|i| grid.is_ring(i)),
        }
    }

    fn escapes(&self) -> u32 {
        1 + u32::from(self.has_dateline)
    }

    /// The way in `dimension`, upward where both are as short, and the escape.
    fn escape(&self, head: Head, dimension: usize) -> (Direction, u32) {
        let [from, to] = [head.node, head.destination].map(|n| self.grid.coordinate(n, dimension));
        let k = self.grid.radices()[dimension];
        let is_up = match self.grid.is_ring(dimension) {
            true => 2 * ((to + k - from) % k) <= k,
            false => to > from,
        };
        let is_wrapping = self.grid.is_ring(dimension) && is_up != (to > from);
        let escape = u32::from(self.has_dateline && !is_wrapping);
        match is_up {
            true => (Direction::Up, escape),
            false => (Direction::Down, escape),
        }
    }
}

impl Routing for Duato<'_> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let grid = self.grid;
        let adaptive = vc_range(self.escapes(), self.virtual_channels);
        grid.for_each_minimal_channel(head.node, head.destination, |channel| {
            push(candidates, channel, adaptive, 0);
        });
        let differs =
            |&i: &usize| grid.coordinate(head.node, i) != grid.coordinate(head.destination, i);
        let lowest = (0..grid.dimensions()).find(differs).unwrap();
        let (way, escape) = self.escape(head, lowest);
        let channel = grid.channel(head.node, lowest, way).unwrap();
        push(candidates, channel, 1 << escape, 1);
    }

    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & vc_range(0, self.escapes())
    }

    fn symmetry(&self) -> Symmetry {
        self.symmetry
    }
}

/// Any channel that leads closer, on any virtual channel, without escape.
pub struct MinimalAdaptive<'n> {
    pub grid: &'n Grid,
    pub virtual_channels: u32,
}

impl Routing for MinimalAdaptive<'_> {
    const DETERMINISTIC: bool = false;

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let all = vc_range(0, self.virtual_channels);
        self.grid
            .for_each_minimal_channel(head.node, head.destination, |channel| {
                push(candidates, channel, all, 0);
            });
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Translations
    }
}

/// Any channel that leads closer, on virtual channel 1, or on virtual channel 0 as an escape that
/// is none: it is as free as the rest.
pub struct FreeEscape<'n, M>(pub &'n M);

impl<M: MinimalPaths> Routing for FreeEscape<'_, M> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        for (priority, vcs) in [(0, 0b10), (1, 0b01)] {
            self.0
                .for_each_minimal_channel(head.node, head.destination, |channel| {
                    push(candidates, channel, vcs, priority);
                });
        }
    }

    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & 1
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Automorphisms
    }
}

/// Enhanced negative-hop routing with bonus cards on a star graph (Kiasari & Sarbazi-Azad, section
/// 2.2): any of `adaptive` virtual channels of any channel that leads closer; else a class from the
/// negative hops made up to the bonus. Escapes are the classes.
pub struct EnhancedNbc<'n> {
    pub star: &'n Star,
    pub adaptive: u32,
    pub classes: u32,
}

impl Routing for EnhancedNbc<'_> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        true
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let (star, used) = (self.star, head.state as u32);
        let distance = star.distance(head.node, head.destination);
        let need = match star.colour(head.node) {
            true => distance / 2,
            false => distance.div_ceil(2) - 1,
        };
        let top = self.classes.saturating_sub(need).max(used);
        let classes = vc_range(self.adaptive + used, self.adaptive + top);
        star.for_each_minimal_channel(head.node, head.destination, |channel| {
            push(candidates, channel, vc_range(0, self.adaptive), 0);
        });
        if classes != 0 {
            star.for_each_minimal_channel(head.node, head.destination, |channel| {
                push(candidates, channel, classes, 1);
            });
        }
    }

    fn advance(&self, head: Head, _: ChannelId, vc: u32) -> u64 {
        let class = match vc < self.adaptive {
            true => head.state,
            false => u64::from(vc - self.adaptive),
        };
        class + u64::from(self.star.colour(head.node))
    }

    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        candidate.vcs & !vc_range(0, self.adaptive)
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::ColourPreservingAutomorphisms
    }
}

/// A network of terminals from its channels, in the form `0>1 1>2`.
pub fn network(channels: &str) -> Network {
    let mut text = "from,to\n".to_owned();
    let mut nodes: Vec<&str> = Vec::new();
    for channel in channels.split_whitespace() {
        let (from, to) = channel.split_once('>').unwrap();
        text += &format!("{from},{to}\n");
        nodes.extend([from, to]);
    }
    nodes.sort_unstable();
    nodes.dedup();
    text += "\nnode,kind\n";
    nodes
        .iter()
        .for_each(|node| text += &format!("{node},terminal\n"));
    let file = "net.csv";
    let network = parse_csv(Source { file, text: &text }, None).unwrap();
    for (id, node) in (0..).zip(nodes) {
        assert_eq!(network.name(NodeId(id)), node, "numbers are names");
    }
    network
}

/// A way on: the next node, the virtual channel, and whether it is an escape.
pub type Step = (u32, u32, bool);

/// A relation written down hop by hop: `next(source, at, destination)` are the ways on at `at` of
/// packets from `source`, which the state remembers.
pub struct Script<'n, F, const ESCAPE: bool> {
    pub network: &'n Network,
    pub next: F,
}

impl<F: Fn(u32, u32, u32) -> Vec<Step> + Send + Sync, const ESCAPE: bool> Script<'_, F, ESCAPE> {
    fn steps(&self, head: Head) -> impl Iterator<Item = (ChannelId, u32, bool)> {
        let steps = (self.next)(head.state as u32, head.node.0, head.destination.0);
        steps.into_iter().map(move |(to, vc, is_escape)| {
            let mut channels = self.network.outgoing(head.node).map(ChannelId);
            let channel = channels.find(|&c| self.network.target(c) == NodeId(to));
            (channel.unwrap(), vc, is_escape)
        })
    }
}

/// By channel. Sorted here, and not in what is compiled for every script.
fn escapes_last(mut steps: Vec<(ChannelId, u32, bool)>) -> Vec<(ChannelId, u32, bool)> {
    steps.sort_by_key(|&(channel, _, is_escape)| (is_escape, channel));
    steps
}

impl<F: Fn(u32, u32, u32) -> Vec<Step> + Send + Sync, const E: bool> Routing for Script<'_, F, E> {
    const DETERMINISTIC: bool = false;

    fn has_escape(&self) -> bool {
        E
    }

    fn initial(&self, source: NodeId, _: NodeId, _: u32) -> u64 {
        u64::from(source.0)
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        for (channel, vc, is_escape) in escapes_last(self.steps(head).collect()) {
            push(candidates, channel, 1 << vc, u8::from(is_escape));
        }
    }

    fn escape_vcs(&self, _: Head, candidate: Candidate) -> VcMask {
        match candidate.priority {
            0 => 0,
            _ => candidate.vcs,
        }
    }
}
