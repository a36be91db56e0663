//! All lines of an express cube together: numbers of nodes, switches and channels, and the rule that
//! leads from one router to the next.

use super::line::{Exit, Line};
use super::{ExpressChannel, ExpressParameters};
use crate::network::Channel;
use crate::properties::Distances;
use crate::{ChannelId, Direction, Network, NodeId, Shape, TopologyError};

/// The most channels an express cube may have, as of a grid.
const CHANNELS_LIMIT: u128 = 1 << 26;

/// Where a switch stands, and what it is.
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
    /// `coordinates[node * dimensions + i]` = a_i, of the nodes.
    coordinates: Vec<u16>,
    /// The dimension and the line's element of every switch.
    pub(super) switches: Vec<(u32, u32)>,
    /// The first switch of each dimension, and the end.
    switch_start: Vec<u32>,
    /// The first channel out of every node in each dimension, then that out of every switch.
    first_channel: Vec<u32>,
}

impl ExpressCube {
    /// The express cube of the given parameters.
    ///
    /// # Errors
    /// [`TopologyError::Express`] for a condition of the family that does not hold, or as of a grid:
    /// [`TopologyError::NoDimensions`], [`TopologyError::RadixTooSmall`],
    /// [`TopologyError::RadixTooLarge`], and [`TopologyError::TooLarge`] before the memory for all
    /// lines is touched.
    pub fn new(parameters: ExpressParameters) -> Result<Self, TopologyError> {
        parameters.validate()?;
        let nodes = parameters.radices.iter().fold(1u128, |product, &radix| {
            product.saturating_mul(u128::from(radix))
        });
        let local = u128::from(parameters.parallel(0));
        // Nodes and local channels alone, before a line is built.
        let mut channels = 0u128;
        for &k in &parameters.radices {
            let of_dimension = (nodes / u128::from(k)).saturating_mul(u128::from(k - 1));
            channels = channels.saturating_add(of_dimension.saturating_mul(2 * local));
        }
        check_size(nodes, channels)?;
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
        check_size(routers, channels)?;
        let mut cube = Self {
            lines,
            terminals: nodes as u32,
            coordinates: Vec::new(),
            switches: Vec::new(),
            switch_start: Vec::new(),
            first_channel: Vec::new(),
            parameters,
        };
        cube.number();
        Ok(cube)
    }

    /// Numbers nodes, switches and channels.
    fn number(&mut self) {
        let radices = &self.parameters.radices;
        let mut address = vec![0u16; radices.len()];
        let mut channel = 0;
        for _ in 0..self.terminals {
            self.coordinates.extend_from_slice(&address);
            for (line, &a) in self.lines.iter().zip(&address) {
                self.first_channel.push(channel);
                channel += channels_of(line.exits(u32::from(a)));
            }
            for (a, &k) in address.iter_mut().zip(radices) {
                *a += 1;
                if u32::from(*a) < k {
                    break;
                }
                *a = 0;
            }
        }
        self.switch_start.push(self.terminals);
        for (dimension, (line, &k)) in (0..).zip(self.lines.iter().zip(radices)) {
            for _ in 0..self.terminals / k {
                for element in k..line.elements() {
                    self.switches.push((dimension, element));
                    self.first_channel.push(channel);
                    channel += channels_of(line.exits(element));
                }
            }
            let end = self.terminals + self.switches.len() as u32;
            self.switch_start.push(end);
        }
    }

    /// The network of this express cube: every node has a terminal, no interchange has one.
    pub fn into_network(self) -> Network {
        let mut channels = Vec::new();
        let mut push = |source, target, exit: &Exit| {
            channels.extend((0..exit.parallel).map(|_| Channel {
                source,
                target,
                length_pitches: exit.length_pitches as f32,
            }));
        };
        for node in (0..self.terminals).map(NodeId) {
            for (dimension, line) in self.lines.iter().enumerate() {
                for exit in line.exits(self.coordinate(node, dimension)) {
                    push(node, self.router(dimension, node, exit.to), exit);
                }
            }
        }
        for switch in (self.terminals..self.routers()).map(NodeId) {
            let (dimension, element) = self.switches[(switch.0 - self.terminals) as usize];
            let dimension = dimension as usize;
            let on_line = self.first_of_line(dimension, switch);
            for exit in self.lines[dimension].exits(element) {
                push(switch, self.router(dimension, on_line, exit.to), exit);
            }
        }
        let routers = self.routers();
        Network::new(routers, self.terminals, &channels, Shape::ExpressCube(self))
    }

    fn routers(&self) -> u32 {
        self.terminals + self.switches.len() as u32
    }

    pub(super) fn stride(&self, dimension: usize) -> u32 {
        self.parameters.radices[..dimension].iter().product()
    }

    /// The node at coordinate 0 of the line of `dimension` that `switch` is on.
    pub(super) fn first_of_line(&self, dimension: usize, switch: NodeId) -> NodeId {
        let modules = self.lines[dimension].modules().len() as u32;
        let line = (switch.0 - self.switch_start[dimension]) / modules;
        let stride = self.stride(dimension);
        let k = self.parameters.radices[dimension];
        NodeId(line / stride * stride * k + line % stride)
    }

    /// The router of `element` on the line of `dimension` through `node`.
    pub(super) fn router(&self, dimension: usize, node: NodeId, element: u32) -> NodeId {
        let stride = self.stride(dimension);
        let k = self.parameters.radices[dimension];
        let (below, above) = (node.0 % stride, node.0 / (stride * k));
        match element.checked_sub(k) {
            None => NodeId(above * stride * k + element * stride + below),
            Some(module) => {
                let modules = self.lines[dimension].modules().len() as u32;
                let line = above * stride + below;
                NodeId(self.switch_start[dimension] + line * modules + module)
            }
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
        self.switches.len() as u32
    }

    /// Coordinate a_i of the node `node` in dimension `dimension`.
    ///
    /// # Panics
    /// If `node` is a switch.
    #[inline]
    pub fn coordinate(&self, node: NodeId, dimension: usize) -> u32 {
        u32::from(self.coordinates(node)[dimension])
    }

    /// All coordinates of the node `node`, dimension 0 first.
    ///
    /// # Panics
    /// If `node` is a switch.
    #[inline]
    pub fn coordinates(&self, node: NodeId) -> &[u16] {
        let n = self.lines.len();
        &self.coordinates[node.index() * n..][..n]
    }

    /// The node with the given coordinates, dimension 0 first.
    ///
    /// # Panics
    /// If there are not as many coordinates as dimensions, or one is not below its radix.
    pub fn node_at(&self, coordinates: &[u32]) -> NodeId {
        assert_eq!(coordinates.len(), self.dimensions());
        let mut node = 0;
        for (&a, &k) in coordinates.iter().zip(self.radices()).rev() {
            assert!(a < k, "coordinate {a} is not below the radix {k}");
            node = node * k + a;
        }
        NodeId(node)
    }

    /// The switch `switch`; `None` for a node with a terminal, or beyond the last switch.
    pub fn interchange(&self, switch: NodeId) -> Option<Interchange> {
        let place = switch.0.checked_sub(self.terminals)?;
        let &(dimension, element) = self.switches.get(place as usize)?;
        let line = dimension as usize;
        let module = self.lines[line].modules()[(element - self.radices()[line]) as usize];
        let node = self.router(line, self.first_of_line(line, switch), module.boundary);
        Some(Interchange {
            dimension,
            boundary: module.boundary,
            level: module.level,
            module: module.index,
            node,
        })
    }

    /// The way on from router `at` to the node `destination` under the paper's rule, dimension 0
    /// first: at an interchange the highest level that does not pass the destination. `None` at the
    /// destination.
    #[inline]
    pub fn way(&self, at: NodeId, destination: NodeId) -> Option<Way> {
        let there = self.coordinates(destination);
        let (first, exit) = if at.0 < self.terminals {
            let here = self.coordinates(at);
            let dimension = (0..here.len()).find(|&i| here[i] != there[i])?;
            let exit = self.lines[dimension]
                .exit(u32::from(here[dimension]), u32::from(there[dimension]))?;
            let first = self.first_channel[at.index() * here.len() + dimension];
            (first, exit)
        } else {
            let switch = (at.0 - self.terminals) as usize;
            let (dimension, element) = self.switches[switch];
            let target = u32::from(there[dimension as usize]);
            let exit = self.lines[dimension as usize].exit(element, target)?;
            let first = self.first_channel[self.coordinates.len() + switch];
            (first, exit)
        };
        Some(Way {
            first: ChannelId(first + exit.first),
            channels: exit.parallel,
        })
    }

    /// What `channel`, which leaves router `source`, is for, and the way that it leads in its
    /// dimension; `None` if it does not leave there.
    pub fn channel(
        &self,
        source: NodeId,
        channel: ChannelId,
    ) -> Option<(ExpressChannel, Direction)> {
        let find = |first: u32, line: &Line, element: u32| {
            let offset = channel.0.checked_sub(first)?;
            let (upward, exits) = (line.upward(element), line.exits(element));
            let leaves = |e: &Exit| (e.first..e.first + e.parallel).contains(&offset);
            let index = exits.iter().position(leaves)?;
            let way = if index < upward {
                Direction::Up
            } else {
                Direction::Down
            };
            Some((exits[index].kind, way))
        };
        if let Some(switch) = source.index().checked_sub(self.terminals as usize) {
            let &(dimension, element) = self.switches.get(switch)?;
            let first = self.first_channel[self.coordinates.len() + switch];
            return find(first, &self.lines[dimension as usize], element);
        }
        (0..self.dimensions()).find_map(|dimension| {
            let first = self.first_channel[source.index() * self.dimensions() + dimension];
            find(
                first,
                &self.lines[dimension],
                self.coordinate(source, dimension),
            )
        })
    }

    /// Channels from node `from` to node `to` under the paper's rule. It never passes the
    /// destination, so that a shorter way may exist that does.
    pub fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        (0..self.dimensions())
            .map(|i| self.lines[i].hops(self.coordinate(from, i), self.coordinate(to, i)))
            .sum()
    }

    /// The distances between nodes under the paper's rule, as [`ExpressCube::hops`] counts them: in
    /// time of the square of the radix for each dimension, however many nodes there are.
    pub fn route_distances(&self) -> Distances {
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
    /// dimension, before or behind the interchange there, whichever cuts fewer; `None` if its radix
    /// is odd, for then no straight cut there leaves halves.
    pub fn bisection_channels(&self) -> Option<u64> {
        let radices = self.radices();
        let widest = (0..radices.len()).max_by_key(|&i| (radices[i], i))?;
        let k = radices[widest];
        let lines = u64::from(self.terminals / k);
        k.is_multiple_of(2)
            .then(|| lines * self.lines[widest].channels_across(k / 2))
    }
}

fn channels_of(exits: &[Exit]) -> u32 {
    exits.iter().map(|exit| exit.parallel).sum()
}

fn check_size(nodes: u128, channels: u128) -> Result<(), TopologyError> {
    if channels <= CHANNELS_LIMIT {
        return Ok(());
    }
    Err(TopologyError::TooLarge {
        nodes,
        channels,
        gibibytes: channels.saturating_mul(40) >> 30,
        limit: CHANNELS_LIMIT,
    })
}
