//! Where wavefronts and maximum matchings begin that rotate, by one diagonal or input in every cycle with a request, as
//! BookSim2's do (`wavefront.cpp`, `_pri`; `maxsize.cpp`, `_prio`), and the numbers of ports that they, and the places that
//! PIM draws, go by.
//!
//! On grids a port has the number 2d of its neighbour up dimension d, or 2d + 1 down, whether there are others or not;
//! in a HyperX its place by dimension, neighbour and channel. There terminals come last, or first where a router has
//! several and in a HyperX (`kncube.cpp`, `cmesh.cpp`, `flatfly_onchip.cpp`). Elsewhere ports come as their channels do,
//! and a terminal without one last.

use crate::EngineConfig;
use crate::kernel::partition::Partition;
use crate::kernel::wiring::Wiring;
use flitsim_topology::memory::bytes_of;
use flitsim_topology::{ChannelId, Direction, Network, NodeId, archived};

/// Heads are matched with virtual channels, or flits with ways through the switch.
#[derive(Clone, Copy)]
pub(super) enum Requests {
    Heads,
    Flits,
}

/// The allocators of all routers; nothing where ports need no numbers.
#[derive(Debug, Default)]
pub(super) struct Rotation {
    /// By router and port in.
    into: Vec<u16>,
    /// By output, as pointers are.
    out: Vec<u16>,
    /// By router: ports.
    sides: Vec<u32>,
    /// By router: the diagonal, or the input, to begin with, of heads and of flits.
    next: Vec<[u32; 2]>,
}

archived! { Rotation { ; fixed next; rebuilt into, out, sides } }

/// The numbers of a router's ports.
struct Numbers {
    into: Vec<u16>,
    out: Vec<u16>,
    ports: u32,
}

impl Rotation {
    pub(super) fn of(
        network: &Network,
        partition: &impl Partition,
        wiring: Wiring,
        config: &EngineConfig,
    ) -> Self {
        let mut all = Self::default();
        if config.keys_of_starts().next().is_none() {
            return all;
        }
        let routers = partition.routers(network);
        let ports = 1usize << (wiring.router_shift - wiring.vc_shift);
        all.next = vec![[0; 2]; routers as usize];
        let channels = partition.channels(network);
        all.out = vec![0; (channels + routers) as usize];
        // Memory is counted before it is taken.
        all.into.reserve_exact(ports * routers as usize);
        all.sides.reserve_exact(routers as usize);
        for router in 0..routers {
            let mut numbers = Numbers::of(network, partition.node(router), config);
            let first = partition.outgoing(network, router).start + router;
            all.out[first as usize..][..numbers.out.len()].copy_from_slice(&numbers.out);
            numbers.into.resize(ports, 0);
            all.into.append(&mut numbers.into);
            all.sides.push(numbers.ports);
        }
        let counts = [routers.into(), ports as u128, channels.into()];
        debug_assert_eq!(u128::from(all.bytes()), Self::bytes_for(counts));
        all
    }

    /// Bytes that `nodes` of `ports` ports in, and all `channels`, take.
    pub(super) const fn bytes_for([nodes, ports, channels]: [u128; 3]) -> u128 {
        nodes * (2 * ports + 12) + 2 * (channels + nodes)
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes_of(&self.into) + bytes_of(&self.out) + bytes_of(&self.sides) + bytes_of(&self.next)
    }

    /// The numbers of the port of `ivc` and of the output with pointer `pointer`.
    pub(super) fn numbers(&self, wiring: Wiring, ivc: u32, pointer: u32) -> [u32; 2] {
        let port = ivc >> wiring.vc_shift;
        [self.into[port as usize], self.out[pointer as usize]].map(u32::from)
    }

    /// Inputs or outputs of `router` that have numbers, `each` a port.
    pub(super) fn side(&self, router: u32, each: u32) -> u32 {
        self.sides[router as usize] * each
    }

    /// Where an allocator of `each` a port begins in `router`, and how many places there are. The next time it begins one
    /// further.
    pub(super) fn begin(&mut self, router: u32, of: Requests, each: u32) -> [u32; 2] {
        let side = self.side(router, each);
        let next = &mut self.next[router as usize][of as usize];
        let first = *next;
        *next = (first + 1) % side;
        [first, side]
    }
}

impl Numbers {
    fn of(network: &Network, node: NodeId, config: &EngineConfig) -> Self {
        let routers = network.routers();
        let has_own = !config.terminal_ports && node.0 < network.terminals();
        let into: Vec<ChannelId> = network.incoming(node).iter().copied().collect();
        let out: Vec<ChannelId> = network.outgoing(node).map(ChannelId).collect();
        let places = |count: usize| (0..count as u16).collect::<Vec<u16>>();
        let mut numbers = Self {
            into: places(into.len() + usize::from(has_own)),
            out: places(out.len() + usize::from(has_own)),
            ports: (into.len().max(out.len()) + usize::from(has_own)) as u32,
        };
        let between = |channel: &ChannelId| network.course(*channel).dimension;
        let is_linked = |channels: &[ChannelId]| channels.iter().any(|c| between(c).is_some());
        if !is_linked(&into) && !is_linked(&out) {
            return numbers;
        }
        // Terminals at channels of their own come in their order, before all others.
        let terminals = out
            .iter()
            .filter(|channel| between(channel).is_none())
            .count() as u16;
        let own_first = u16::from(has_own && routers.hyperx().is_some());
        let first = terminals + own_first;
        if let Some(grid) = routers.grid() {
            let lines = 2 * grid.dimensions() as u16;
            let all = |channels: &[ChannelId], below: Direction| -> Vec<u16> {
                let mut of_terminals = 0..;
                let numbers = channels.iter().filter_map(|channel| {
                    let course = network.course(*channel);
                    let is_below = u16::from(course.direction == Some(below));
                    match course.dimension {
                        Some(dimension) => Some(first + 2 * dimension as u16 + is_below),
                        None => of_terminals.next(),
                    }
                });
                numbers.chain(has_own.then_some(lines)).collect()
            };
            // What leads up comes from below.
            (numbers.into, numbers.out) = (all(&into, Direction::Up), all(&out, Direction::Down));
            numbers.ports = u32::from(first + lines) + u32::from(has_own);
        } else if routers.hyperx().is_some() {
            let all = |channels: &[ChannelId], end: &dyn Fn(ChannelId) -> NodeId| -> Vec<u16> {
                let keys = channels.iter().zip(0usize..);
                let mut order: Vec<_> = keys
                    .map(|(channel, place)| (between(channel), end(*channel), place))
                    .collect();
                order.sort_unstable();
                let mut numbers = vec![0; channels.len()];
                for ((.., place), number) in order.into_iter().zip(own_first..) {
                    numbers[place] = number;
                }
                numbers.extend(has_own.then_some(0));
                numbers
            };
            numbers.into = all(&into, &|channel| network.source(channel));
            numbers.out = all(&out, &|channel| network.target(channel));
        }
        numbers
    }
}
