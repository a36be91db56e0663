//! A program of one's own: flitsim with one routing more. ROMM, on meshes of two dimensions, goes by way of a
//! random node of the rectangle between source and destination, along the rows first to it and from it (Nesson
//! & Johnsson, "ROMM routing on mesh and torus networks", SPAA 1995).
//!
//! A scenario names it as any other (`algorithm = "romm-2d"`); every command knows it:
//!
//! ```text
//! cargo run --release --example own_program -- verify mine.toml
//! cargo run --release --example own_program -- sweep mine.toml
//! ```

use flitsim_engine::routing::{Description, Fit, Needs, Own, OwnRelation, Spread, vc_range};
use flitsim_engine::{Candidate, Candidates, ConfigError, Head, Routing, VcMask};
use flitsim_topology::{ChannelId, Direction, Ends, Grid, NodeId};
use std::cmp::Ordering;
use std::process::ExitCode;

/// Registers the routing, and is flitsim.
pub fn main() -> ExitCode {
    if let Err(error) = flitsim::register_routing(romm()) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    flitsim::main()
}

/// What flitsim is told of the routing.
pub fn romm() -> Own {
    Own {
        description: Description {
            name: "romm-2d",
            keys: &[],
            fits: |network| match network.grid() {
                Some(grid) if grid.ends() == Ends::Open && grid.dimensions() == 2 => Fit::Yes,
                _ => Fit::No,
            },
            needs: Needs::Whole,
            // One class to the node on the way, and one from it.
            virtual_channels_min: |_| 2,
            is_minimal: true,
            spread: Spread::Fixed,
            escape_vcs: None,
        },
        build: |site| {
            let mesh = site.network.grid();
            let half = site.virtual_channels / 2;
            let vcs = [vc_range(0, half), vc_range(half, site.virtual_channels)];
            let mesh = mesh.ok_or_else(|| ConfigError::Routing {
                reason: "romm-2d needs a mesh".to_owned(),
            })?;
            Ok(OwnRelation::new(Romm { mesh, vcs }))
        },
    }
}

/// ROMM on a mesh of two dimensions.
struct Romm<'n> {
    mesh: &'n Grid,
    /// The virtual channels to the node on the way, and those from it.
    vcs: [VcMask; 2],
}

/// In the state of a packet: it has passed the node on the way, which is the rest of the state.
const PASSED: u64 = 1 << 32;

impl Romm<'_> {
    fn has_passed(head: Head) -> bool {
        head.state & PASSED != 0 || head.node.index() as u64 == head.state
    }

    /// How far apart two nodes are along `dimension`, and the lower of their coordinates.
    fn side(&self, one: NodeId, other: NodeId, dimension: usize) -> (u32, u32) {
        let [one, other] = [one, other].map(|node| self.mesh.coordinate(node, dimension));
        (one.abs_diff(other) + 1, one.min(other))
    }
}

impl Routing for Romm<'_> {
    // Once a packet has drawn the node on its way, there is one way on.
    const DETERMINISTIC: bool = true;

    // Each node of the rectangle is as likely as any other.
    fn choices(&self, source: NodeId, destination: NodeId) -> u32 {
        self.side(source, destination, 0).0 * self.side(source, destination, 1).0
    }

    fn initial(&self, source: NodeId, destination: NodeId, choice: u32) -> u64 {
        let (columns, left) = self.side(source, destination, 0);
        let (_, bottom) = self.side(source, destination, 1);
        let on_the_way = [left + choice % columns, bottom + choice / columns];
        self.mesh.node_at(&on_the_way).index() as u64
    }

    fn route(&self, head: Head, candidates: &mut Candidates) {
        let passed = Self::has_passed(head);
        let to = match passed {
            true => head.destination,
            false => NodeId(head.state as u32),
        };
        for dimension in [0, 1] {
            let here = self.mesh.coordinate(head.node, dimension);
            let direction = match here.cmp(&self.mesh.coordinate(to, dimension)) {
                Ordering::Equal => continue,
                Ordering::Less => Direction::Up,
                Ordering::Greater => Direction::Down,
            };
            if let Some(channel) = self.mesh.channel(head.node, dimension, direction) {
                candidates.push(Candidate {
                    channel,
                    vcs: self.vcs[usize::from(passed)],
                    priority: 0,
                });
            }
            return;
        }
    }

    fn advance(&self, head: Head, _: ChannelId, _: u32) -> u64 {
        match Self::has_passed(head) {
            true => head.state | PASSED,
            false => head.state,
        }
    }
}
