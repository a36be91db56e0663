//! A shortest circle of packets that wait on one another.
//!
//! A packet's flits may lie in many input virtual channels (ivcs), each waiting for the one ahead:
//! those steps are the packet itself and count nothing; a step counts where it leads to another
//! packet, or to a virtual channel that someone must let go.

use super::wait_for::{Wait, WaitForGraph};
use std::collections::VecDeque;

/// Not reached.
const NONE: u32 = u32::MAX;

/// Steps after which the shortest circle so far will do: a second or so.
const STEPS_LIMIT: u64 = 100_000_000;

/// Waits among the stuck ivcs, which are numbered as they stand in `stuck`.
struct Circles {
    /// By ivc: where its waits begin.
    first: Vec<u32>,
    /// By wait: the ivc that waits, the one that it leads to, and whether it counts.
    steps: Vec<(u32, u32, bool)>,
    /// By ivc: how far from the start, and the wait that led there.
    reached: Vec<(u32, u32)>,
    touched: Vec<u32>,
    queue: VecDeque<u32>,
    steps_taken: u64,
}

/// One step of a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// What waits for what.
    pub(super) wait: Wait,
    /// The packet that waits.
    pub(super) packet: u32,
    /// Whether it leads to another packet, or to what someone must let go.
    pub(super) counts: bool,
}

/// The circle with the fewest packets; empty where none is closed. `packets` are those of the stuck
/// ivcs.
pub(super) fn shortest(graph: &WaitForGraph, packets: &[u32]) -> Vec<Step> {
    let mut circles = Circles::new(graph, packets);
    let Some(start) = circles.on_a_circle() else {
        return Vec::new();
    };
    let (mut least, mut best) = circles.through(start, NONE).unwrap_or_default();
    for start in 0..graph.stuck.len() as u32 {
        if circles.steps_taken > STEPS_LIMIT {
            break;
        }
        if let Some(shorter) = circles.through(start, least) {
            (least, best) = shorter;
        }
    }
    let step = |wait: u32| {
        let (from, _, counts) = circles.steps[wait as usize];
        Step {
            wait: graph.waits[wait as usize],
            packet: packets[from as usize],
            counts,
        }
    };
    best.into_iter().map(step).collect()
}

impl Circles {
    fn new(graph: &WaitForGraph, packets: &[u32]) -> Self {
        let index_of = |ivc| graph.stuck.binary_search(&ivc).expect("waits stay within");
        let steps = graph.waits.iter().map(|wait| {
            let (from, to) = (index_of(wait.from), index_of(wait.to));
            let counts = wait.is_claim || packets[from] != packets[to];
            (from as u32, to as u32, counts)
        });
        let begins = |ivc| graph.waits.partition_point(|wait| wait.from < ivc) as u32;
        let mut first: Vec<u32> = graph.stuck.iter().map(|&ivc| begins(ivc)).collect();
        first.push(graph.waits.len() as u32);
        Self {
            first,
            steps: steps.collect(),
            reached: vec![(NONE, NONE); graph.stuck.len()],
            touched: Vec::new(),
            queue: VecDeque::new(),
            steps_taken: 0,
        }
    }

    fn waits_of(&self, ivc: u32) -> std::ops::Range<u32> {
        self.first[ivc as usize]..self.first[ivc as usize + 1]
    }

    /// An ivc on some circle: walks on by first waits, from each ivc not met before, until one is
    /// met again on the same walk.
    fn on_a_circle(&self) -> Option<u32> {
        let mut met_by = vec![NONE; self.reached.len()];
        for start in 0..self.reached.len() as u32 {
            let mut ivc = start;
            while met_by[ivc as usize] == NONE {
                met_by[ivc as usize] = start;
                let Some(wait) = self.waits_of(ivc).next() else {
                    break;
                };
                ivc = self.steps[wait as usize].1;
                if met_by[ivc as usize] == start {
                    return Some(ivc);
                }
            }
        }
        None
    }

    /// The shortest circle through `start`, if it is shorter than `least`: its length and waits.
    fn through(&mut self, start: u32, least: u32) -> Option<(u32, Vec<u32>)> {
        for ivc in self.touched.drain(..) {
            self.reached[ivc as usize] = (NONE, NONE);
        }
        self.queue.clear();
        self.queue.push_back(start);
        self.touched.push(start);
        self.reached[start as usize] = (0, NONE);
        let mut shortest = least;
        let mut closing = None;
        // What a step without a count reaches comes to the front: distances never fall.
        while let Some(ivc) = self.queue.pop_front() {
            let here = self.reached[ivc as usize].0;
            if here >= shortest {
                break;
            }
            for wait in self.waits_of(ivc) {
                self.steps_taken += 1;
                let (_, to, counts) = self.steps[wait as usize];
                let length = here + u32::from(counts);
                if to == start && length < shortest {
                    shortest = length;
                    closing = Some(wait);
                } else if length < self.reached[to as usize].0 {
                    self.reached[to as usize] = (length, wait);
                    self.touched.push(to);
                    match counts {
                        true => self.queue.push_back(to),
                        false => self.queue.push_front(to),
                    }
                }
            }
        }
        let mut wait = closing?;
        let mut circle = vec![wait];
        while self.steps[wait as usize].0 != start {
            wait = self.reached[self.steps[wait as usize].0 as usize].1;
            circle.push(wait);
        }
        circle.reverse();
        Some((shortest, circle))
    }
}
