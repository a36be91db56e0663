//! All lines of an express cube together: numbers of nodes, switches and channels, and the rule that
//! leads from one router to the next.

use super::exit::{Exit, channels_of};
use super::line::Line;
use super::{ExpressChannel, ExpressParameters, Interchanges, turns, widths};
use crate::error::check_size;
use crate::families::common::coordinates::{Coordinates, nodes_of};
use crate::graph::Channel;
use crate::memory::bytes_of;
use crate::search::Distances;
use crate::{Annotations, ChannelId, Direction, Graph, NodeId, TopologyError};

/// In place of the first switch of a line whose interchanges all stand at crossings.
const AT_CROSSINGS: u32 = u32::MAX;

/// Where a switch stands, and what it is. One that serves several dimensions says so of dimension 0;
/// it stands below [`node`](Self::node) in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interchange {
    /// The dimension whose lines it belongs to.
    pub dimension: u32,
    /// b: it stands between the nodes at coordinates b − 1 and b of this dimension.
    pub boundary: u32,
    /// Its interchange's level, from 1.
    pub level: u32,
    /// Which of its interchange's modules it is, in the order in which packets upward pass them.
    pub module: u32,
    /// The node above it, at coordinate b.
    pub node: NodeId,
}

/// Parallel channels between the same two routers, with consecutive identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The first of them.
    pub first: ChannelId,
    /// How many there are, at least 1.
    pub channels: u32,
}

/// Coordinates and interchanges of an express cube.
#[derive(Clone, Debug)]
pub struct ExpressCube {
    parameters: ExpressParameters,
    /// One for each dimension.
    pub(super) lines: Vec<Line>,
    pub(super) terminals: u32,
    /// Of the nodes.
    pub(super) coordinates: Coordinates,
    /// The switches of a single dimension.
    pub(super) switches: Vec<Switch>,
    /// The first switch of every line of each dimension, or [`AT_CROSSINGS`].
    line_start: Vec<Vec<u32>>,
    /// The node above every switch that serves all dimensions; they come after the others.
    crossings: Vec<NodeId>,
    /// `crossing_elements[crossing * dimensions + i]`: what it is on the line of dimension i.
    crossing_elements: Vec<u32>,
    /// The first channel out of every node in each dimension, then that out of every switch of a
    /// single dimension, then that out of every other switch in each dimension.
    first_channel: Vec<u32>,
}

/// A switch of a single dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    dimension: u32,
    /// What it is on its line.
    pub(super) element: u32,
    /// The node at coordinate 0 of its line.
    pub(super) on_line: NodeId,
}

impl ExpressCube {
    /// Bytes of its tables.
    pub(super) fn table_bytes(&self) -> u64 {
        let lines = self.line_start.iter().map(bytes_of).sum::<u64>();
        self.coordinates.bytes()
            + bytes_of(&self.switches)
            + lines
            + bytes_of(&self.crossings)
            + bytes_of(&self.crossing_elements)
            + bytes_of(&self.first_channel)
    }

    /// The express cube of the given parameters.
    ///
    /// # Errors
    /// [`TopologyError::Parameter`] for a condition of the family that does not hold, and
    /// [`TopologyError::TooLarge`] before the memory for all lines is touched.
    pub fn new(parameters: ExpressParameters) -> Result<Self, TopologyError> {
        const REMEDY: &str = "fewer dimensions or smaller radices";
        parameters.check()?;
        let nodes = nodes_of(&parameters.radices);
        let local = u128::from(parameters.parallel(0));
        // Nodes and local channels alone, before a line is built.
        let mut channels = 0u128;
        for &k in &parameters.radices {
            let of_dimension = (nodes / u128::from(k)).saturating_mul(u128::from(k - 1));
            channels = channels.saturating_add(of_dimension.saturating_mul(2 * local));
        }
        check_size(nodes, channels, REMEDY)?;
        let lines: Vec<Line> = parameters
            .radices
            .iter()
            .map(|&radix| Line::new(radix, &parameters))
            .collect();
        channels = 0;
        let mut routers = nodes;
        for (line, &k) in lines.iter().zip(&parameters.radices) {
            let copies = nodes / u128::from(k);
            channels += copies * u128::from(line.channels());
            routers += copies * line.modules().len() as u128;
        }
        check_size(routers, channels, REMEDY)?;
        let mut cube = Self {
            lines,
            terminals: nodes as u32,
            coordinates: Coordinates::new(parameters.radices.clone()),
            switches: Vec::new(),
            line_start: Vec::new(),
            crossings: Vec::new(),
            crossing_elements: Vec::new(),
            first_channel: Vec::new(),
            parameters,
        };
        cube.number();
        Ok(cube)
    }

    /// Numbers nodes, switches and channels.
    fn number(&mut self) {
        let mut channel = 0;
        for node in (0..self.terminals).map(NodeId) {
            for (line, &a) in self.lines.iter().zip(self.coordinates.of(node)) {
                self.first_channel.push(channel);
                channel += channels_of(line.exits(u32::from(a)));
            }
        }
        for dimension in 0..self.dimensions() {
            let k = self.radices()[dimension];
            let mut starts = Vec::with_capacity((self.terminals / k) as usize);
            for line in 0..self.terminals / k {
                let on_line = self.start_of(dimension, line);
                if self.is_crossing(on_line, Some(dimension)) {
                    starts.push(AT_CROSSINGS);
                    continue;
                }
                starts.push(self.terminals + self.switches.len() as u32);
                for element in k..self.lines[dimension].elements() {
                    self.switches.push(Switch {
                        dimension: dimension as u32,
                        element,
                        on_line,
                    });
                    self.first_channel.push(channel);
                    channel += channels_of(self.lines[dimension].exits(element));
                }
            }
            self.line_start.push(starts);
        }
        let spacing = self.parameters.spacing();
        for node in (0..self.terminals).map(NodeId) {
            if !self.is_crossing(node, None) {
                continue;
            }
            self.crossings.push(node);
            for (dimension, line) in self.lines.iter().enumerate() {
                let element = line.interchange_at(self.coordinate(node, dimension), spacing);
                self.crossing_elements.push(element);
                self.first_channel.push(channel);
                channel += channels_of(line.exits(element));
            }
        }
    }

    /// Whether interchanges of all dimensions are one below `node`, in the dimensions but `except`.
    fn is_crossing(&self, node: NodeId, except: Option<usize>) -> bool {
        self.parameters.interchanges == Interchanges::Interleaved
            && (0..self.dimensions())
                .filter(|&i| Some(i) != except)
                .all(|i| self.parameters.is_boundary(self.coordinate(node, i)))
    }

    /// The graph of this express cube: every node has a terminal, no interchange has one.
    pub(crate) fn graph(&self) -> Graph {
        let mut channels = Vec::new();
        let mut bits = Vec::new();
        for router in (0..self.routers()).map(NodeId) {
            self.for_each_element(router, |dimension, node, element| {
                let line = &self.lines[dimension];
                for exit in line.exits(element) {
                    let target = self.router(dimension, node, exit.to);
                    channels.extend((0..exit.parallel).map(|_| Channel {
                        source: router,
                        target,
                        length_pitches: exit.length_pitches as f32,
                    }));
                    let width = widths::bits_of(&self.parameters, line, element, exit);
                    bits.extend(width.into_iter().cycle().take(exit.parallel as usize));
                }
            });
        }
        let graph = Graph::new(self.routers(), self.terminals, &channels);
        graph.with_annotations(Annotations {
            width_bits: (!bits.is_empty()).then_some(bits),
            ..Annotations::default()
        })
    }

    /// Visits every dimension of `router`, a node of its line there, and what it is on that line.
    fn for_each_element(&self, router: NodeId, mut visit: impl FnMut(usize, NodeId, u32)) {
        let Some(switch) = router.index().checked_sub(self.terminals as usize) else {
            for dimension in 0..self.dimensions() {
                visit(dimension, router, self.coordinate(router, dimension));
            }
            return;
        };
        if let Some(at) = self.switches.get(switch) {
            visit(at.dimension as usize, at.on_line, at.element);
        } else if let Some(&node) = self.crossings.get(switch - self.switches.len()) {
            let n = self.dimensions();
            let first = (switch - self.switches.len()) * n;
            for (dimension, &element) in self.crossing_elements[first..first + n].iter().enumerate()
            {
                visit(dimension, node, element);
            }
        }
    }

    pub(super) fn routers(&self) -> u32 {
        self.terminals + self.switches()
    }

    /// The node at coordinate 0 of the `line`-th line of `dimension`.
    fn start_of(&self, dimension: usize, line: u32) -> NodeId {
        let stride = self.coordinates.stride(dimension);
        let k = self.parameters.radices[dimension];
        NodeId(line / stride * stride * k + line % stride)
    }

    /// The router of `element` on the line of `dimension` through `node`.
    pub(super) fn router(&self, dimension: usize, node: NodeId, element: u32) -> NodeId {
        let stride = self.coordinates.stride(dimension);
        let k = self.parameters.radices[dimension];
        let (below, above) = (node.0 % stride, node.0 / (stride * k));
        let at = |a: u32| NodeId(above * stride * k + a * stride + below);
        let Some(module) = element.checked_sub(k) else {
            return at(element);
        };
        match self.line_start[dimension][(above * stride + below) as usize] {
            AT_CROSSINGS => {
                let node = at(self.lines[dimension].coordinate(element));
                let crossing = self.crossings.binary_search(&node);
                let crossing = crossing.expect("such a line has its interchanges at crossings");
                NodeId(self.terminals + (self.switches.len() + crossing) as u32)
            }
            first => NodeId(first + module),
        }
    }

    /// What it was built from.
    pub fn parameters(&self) -> &ExpressParameters {
        &self.parameters
    }

    /// Nodes of each dimension, dimension 0 first.
    pub fn radices(&self) -> &[u32] {
        &self.parameters.radices
    }

    /// Number of dimensions.
    #[inline]
    pub fn dimensions(&self) -> usize {
        self.lines.len()
    }

    /// Number of switches: interchanges, or the modules that they are made of.
    pub fn switches(&self) -> u32 {
        (self.switches.len() + self.crossings.len()) as u32
    }

    /// How many of the switches serve all dimensions: the last of them. None where interchanges are
    /// separate.
    pub fn crossings(&self) -> u32 {
        self.crossings.len() as u32
    }

    /// Coordinate a_i of the node `node` in dimension `dimension`.
    ///
    /// # Panics
    /// If `node` is a switch.
    #[inline]
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> u32 {
        self.coordinates.at(node, dimension)
    }

    /// All coordinates of the node `node`, dimension 0 first.
    ///
    /// # Panics
    /// If `node` is a switch.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        self.coordinates.of(node)
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below its radix.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        self.coordinates.node_at(coordinates)
    }

    /// The switch `switch`; `None` for a node with a terminal, or beyond the last switch.
    pub fn interchange(&self, switch: NodeId) -> Option<Interchange> {
        let mut found = None;
        if switch.0 >= self.terminals {
            self.for_each_element(switch, |dimension, on_line, element| {
                found.get_or_insert((dimension, on_line, element));
            });
        }
        let (dimension, on_line, element) = found?;
        let module =
            self.lines[dimension].modules()[(element - self.radices()[dimension]) as usize];
        Some(Interchange {
            dimension: dimension as u32,
            boundary: module.boundary,
            level: module.level,
            module: module.index,
            node: self.router(dimension, on_line, module.boundary),
        })
    }

    /// The way on from router `at` to the node `destination` under the paper's rule, dimension 0
    /// first: at an interchange the highest level that does not pass the destination. `None` at the
    /// destination.
    ///
    /// An interchange of several dimensions is at the coordinates of the node above it: there, a
    /// packet that is right in one dimension goes on in the next in which it is not, or down to the
    /// node, if that is its destination, over the channel of the last dimension.
    #[inline]
    pub fn way(&self, at: NodeId, destination: NodeId) -> Option<Way> {
        self.ways(at, destination)?.next()
    }

    /// As [`way`](Self::way), and behind it those of the lower levels.
    #[inline]
    pub fn ways(&self, at: NodeId, destination: NodeId) -> Option<impl Iterator<Item = Way>> {
        let (dimension, element, place) = self.place(at, destination)?;
        let target = self.coordinate(destination, dimension);
        let exits = self.lines[dimension].exits_to(element, target);
        Some(exits.map(move |exit| Way {
            first: ChannelId(self.first_channel[place] + exit.first),
            channels: exit.parallel,
        }))
    }

    /// Whether the way on of [`way`](Self::way) is still to pass the ends of its ring.
    #[inline]
    pub fn wraps(&self, at: NodeId, destination: NodeId) -> bool {
        let place = self.parameters.rings.then(|| self.place(at, destination));
        place.flatten().is_some_and(|(dimension, element, _)| {
            let target = self.coordinate(destination, dimension);
            self.lines[dimension].wraps(element, target)
        })
    }

    /// The dimension in which a packet at router `at` goes on, what the router is on its line, and the place of the
    /// first channel of that.
    #[inline]
    fn place(&self, at: NodeId, destination: NodeId) -> Option<(usize, u32, usize)> {
        let there = self.coordinates(destination);
        let n = there.len();
        let wrong = |node| {
            let here = self.coordinates(node);
            (0..n).find(|&i| here[i] != there[i])
        };
        Some(match at.index().checked_sub(self.terminals as usize) {
            None => {
                let dimension = wrong(at)?;
                let element = self.coordinate(at, dimension);
                (dimension, element, at.index() * n + dimension)
            }
            Some(switch) => match self.switches.get(switch) {
                Some(one) => {
                    let place = self.coordinates.len() + switch;
                    (one.dimension as usize, one.element, place)
                }
                None => {
                    let crossing = switch - self.switches.len();
                    let dimension = wrong(self.crossings[crossing]).unwrap_or(n - 1);
                    let place = crossing * n + dimension;
                    let first = self.coordinates.len() + self.switches.len();
                    (dimension, self.crossing_elements[place], first + place)
                }
            },
        })
    }

    /// What `channel`, which leaves router `source`, is for, and the way that it leads in its
    /// dimension; `None` if it does not leave there.
    pub fn channel(
        &self,
        source: NodeId,
        channel: ChannelId,
    ) -> Option<(ExpressChannel, Direction)> {
        let n = self.dimensions();
        let mut place = match source.index().checked_sub(self.terminals as usize) {
            None => source.index() * n,
            Some(switch) => {
                let crossing = switch.saturating_sub(self.switches.len());
                self.coordinates.len() + (switch - crossing) + crossing * n
            }
        };
        let mut found = None;
        self.for_each_element(source, |dimension, _, element| {
            let line = &self.lines[dimension];
            let first = self.first_channel[place];
            place += 1;
            let Some(offset) = channel.0.checked_sub(first) else {
                return;
            };
            let leaves = |e: &Exit| (e.first..e.first + e.parallel).contains(&offset);
            let exits = line.exits(element);
            if let Some(index) = exits.iter().position(leaves) {
                let way = Direction::up_if(index < line.upward(element));
                found = Some((exits[index].kind, way));
            }
        });
        found
    }

    /// Channels from node `from` to node `to` under the paper's rule. It never passes the
    /// destination, so that a shorter way may exist that does.
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        let (here, there) = (self.coordinates(from), self.coordinates(to));
        turns::hops(&self.parameters, &self.lines, here, there)
    }

    /// The distances between nodes under the paper's rule, as [`ExpressCube::hops`] counts them: in
    /// time of the square of the radix for each dimension, however many nodes there are.
    pub fn route_distances(&self) -> Distances {
        if self.parameters.interchanges == Interchanges::Interleaved {
            return turns::distances(&self.parameters, &self.lines);
        }
        let mut diameter = 0;
        let mut mean = 0.0;
        for (line, &k) in self.lines.iter().zip(self.radices()) {
            let (most, sum) = line.hops_of_all_pairs();
            diameter += most;
            mean += sum as f64 / (f64::from(k) * f64::from(k));
        }
        let nodes = f64::from(self.terminals);
        Distances {
            diameter,
            mean_with_self: mean,
            mean_without_self: mean * nodes / (nodes - 1.0),
        }
    }

    /// The channels, both ways together, between the two halves of a straight cut across the widest
    /// dimension, before or behind the interchange there, whichever cuts fewer, but before those of
    /// several dimensions; `None` if its radix is odd, for then no straight cut there leaves halves.
    pub fn bisection_channels(&self) -> Option<u64> {
        let radices = self.radices();
        let widest = (0..radices.len()).max_by_key(|&i| (radices[i], i))?;
        let k = radices[widest];
        if !k.is_multiple_of(2) {
            return None;
        }
        let line = &self.lines[widest];
        let before = line.ways_below(k / 2).map(|(_, e)| u64::from(e.parallel));
        let before: u64 = before.sum();
        let starts = self.line_start[widest].iter();
        let at_crossings = starts.filter(|&&first| first == AT_CROSSINGS).count() as u64;
        let others = u64::from(self.terminals / k) - at_crossings;
        Some(others * line.channels_across(k / 2) + at_crossings * before)
    }

    /// Wire density: the bits, both ways together, of the channels of one line of `dimension` between
    /// the nodes a − 1 and a, for every a from 1; `None` unless the cube has widths.
    pub fn line_density_bits(&self, dimension: usize) -> Option<Vec<u64>> {
        self.parameters.widths.as_ref()?;
        let line = &self.lines[dimension];
        let bits = |(element, exit): (u32, &Exit)| {
            let bits = widths::bits_of(&self.parameters, line, element, exit);
            bits.map_or(0, |bits| u64::from(bits) * u64::from(exit.parallel))
        };
        let places = 1..self.radices()[dimension];
        Some(places.map(|a| line.ways_below(a).map(bits).sum()).collect())
    }
}
