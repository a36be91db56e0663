//! Traffic of one's own: a halo exchange. Every node computes, sends its border to its four neighbours,
//! and goes on once it has theirs. How much time is lost to the network, and does it matter whether
//! neighbours in the program are neighbours in the network?
//!
//! The caller owns the loop: it offers packets, steps a cycle, and learns from a probe what has arrived.
//!
//! Run it with `cargo run --release --example own_traffic`.

use flitsim_engine::routing::{DimensionOrder, Tie};
use flitsim_engine::{Engine, EngineConfig, NewPacket, Packet, Probe};
use flitsim_topology::{Ends, Grid, Network, NodeId};
use std::error::Error;

const SIDE: u32 = 8;
const COMPUTE_CYCLES: u64 = 200;
const ITERATIONS: u32 = 20;

/// Remembers which packets have arrived.
#[derive(Default)]
struct Arrivals(Vec<Packet>);

impl Probe for Arrivals {
    fn packet_delivered(&mut self, _: u64, packet: &Packet) {
        self.0.push(*packet);
    }
}

/// A process: how many borders it has, by the parity of the iteration (a neighbour may be one ahead),
/// and what it does next.
#[derive(Clone, Default)]
struct Process {
    iteration: u32,
    borders: [u32; 2],
    /// The cycle in which it has computed; `None` while it waits for borders.
    ready: Option<u64>,
}

/// The neighbours of process `p` on a torus of processes.
fn neighbours(p: u32) -> [u32; 4] {
    let (x, y) = (p % SIDE, p / SIDE);
    let at = |x: u32, y: u32| y % SIDE * SIDE + x % SIDE;
    [
        at(x + 1, y),
        at(x + SIDE - 1, y),
        at(x, y + 1),
        at(x, y + SIDE - 1),
    ]
}

/// Cycles that all iterations take, where process p runs on node `place(p)`, a permutation.
fn run(
    network: &Network,
    border_flits: u32,
    place: impl Fn(u32) -> u32,
) -> Result<u64, Box<dyn Error>> {
    let config = EngineConfig::default();
    let grid = network.grid().ok_or("a torus has coordinates")?;
    let routing = DimensionOrder::new(grid, config.virtual_channels, Tie::Random, true)?;
    let mut engine = Engine::new(network, routing, config, 1, Arrivals::default())?;
    let processes = SIDE * SIDE;
    let mut process_on = vec![0; processes as usize];
    (0..processes).for_each(|p| process_on[place(p) as usize] = p);
    let first = Process {
        ready: Some(COMPUTE_CYCLES),
        ..Process::default()
    };
    let mut all = vec![first; processes as usize];
    loop {
        let cycle = engine.cycle();
        for p in 0..processes {
            let process = &mut all[p as usize];
            if process.ready == Some(cycle) {
                process.ready = None;
                for (i, to) in (0u64..).zip(neighbours(p)) {
                    let packet = NewPacket {
                        source: NodeId(place(p)),
                        destination: NodeId(place(to)),
                        flits: border_flits,
                        // What the source draws ties from: any number that is not always the same.
                        entropy: (u64::from(p) * 4 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                    };
                    // The tag comes back with the packet.
                    engine.offer_tagged(packet, process.iteration % 2);
                }
            }
        }
        engine.step();
        for packet in std::mem::take(&mut engine.probe_mut().0) {
            let p = process_on[packet.destination.index()];
            all[p as usize].borders[packet.tag as usize] += 1;
        }
        for process in &mut all {
            let parity = (process.iteration % 2) as usize;
            if process.ready.is_none() && process.borders[parity] == 4 {
                process.borders[parity] = 0;
                process.iteration += 1;
                if process.iteration < ITERATIONS {
                    process.ready = Some(engine.cycle() + COMPUTE_CYCLES);
                }
            }
        }
        if all.iter().all(|process| process.iteration == ITERATIONS) {
            return Ok(engine.cycle());
        }
    }
}

/// Compares two placements over lengths of borders.
///
/// # Errors
/// A network that cannot be built.
pub fn main() -> Result<(), Box<dyn Error>> {
    let network = Grid::uniform(SIDE, 2, Ends::Ring)?.into_network();
    println!("Share of the time spent computing, {COMPUTE_CYCLES} cycles an iteration:");
    println!("border, flits  in place  scattered");
    for border_flits in [4, 16, 64, 256] {
        let share =
            |cycles: u64| 100.0 * (u64::from(ITERATIONS) * COMPUTE_CYCLES) as f64 / cycles as f64;
        let in_place = share(run(&network, border_flits, |p| p)?);
        // 64 is a power of two, so any odd factor permutes the nodes.
        let scattered = share(run(&network, border_flits, |p| p * 37 % (SIDE * SIDE))?);
        println!("{border_flits:13}  {in_place:6.1} %  {scattered:7.1} %");
    }
    Ok(())
}
