//! What an engine begins with.

use crate::kernel::active::ActiveSet;
use crate::kernel::bits::Ports;
use crate::kernel::fast_paths::FastPaths;
use crate::kernel::partition::Partition;
use crate::kernel::staged::Stages;
use crate::kernel::state::{Looks, Scratch, State};
use crate::kernel::timing::Timing;
use crate::kernel::wheel::{NextCycle, Wheel};
use crate::kernel::wiring::Wiring;
use crate::packet::Packets;
use crate::routing::Knowledge;
use crate::{Crossbar, EngineConfig, FlitKind, FlowControl};
use flitsim_topology::Network;

/// The parts of an [`Engine`](crate::Engine) that are the same whatever its relation and its probe, so that they
/// are compiled once for all of them.
pub(super) struct Start {
    pub(super) wiring: Wiring,
    pub(super) state: State,
    pub(super) packets: Packets,
    pub(super) flits_due: Wheel,
    pub(super) credits_due: Wheel,
    pub(super) waits_next: NextCycle,
    pub(super) requests_next: NextCycle,
    pub(super) waiting: ActiveSet,
    pub(super) requesting: ActiveSet,
    pub(super) scratch: Scratch,
    pub(super) router_cycles: [u64; 4],
    pub(super) source_cycles: u64,
    pub(super) stages: Option<Box<Stages>>,
    pub(super) fast_paths: FastPaths,
    pub(super) ports: Ports,
}

/// Most packets for which there is room ahead: large networks are seldom full, and make more room
/// where they are.
const PACKETS_ROOM_MAX: usize = 1 << 16;

impl Start {
    /// That of the routers of `partition`, all empty, under a relation that is deterministic and does not look at
    /// queues, or that looks at those of which `looks` tells.
    #[inline(never)]
    pub(super) fn new<E: Partition>(
        network: &Network,
        partition: &E,
        config: &EngineConfig,
        is_deterministic: bool,
        looks: Option<Knowledge>,
    ) -> Self {
        let first = partition.node(0).0;
        let nodes = first..first + partition.routers(network);
        let wiring = Wiring::new(network, nodes, partition.channels(network), config);
        let channels = partition.channels(network) as usize;
        let wire_max = config.channel_delay.most() + config.queue_cycles_max();
        let router_cycles = router_cycles(config);
        let delay_max = router_cycles.iter().copied().max().unwrap_or(1) as u32;
        // Body flits that a slow head held back become ready with it, in one cycle.
        let flits_at_once =
            channels * (1 + config.delay.saturating_sub(config.body_delay) as usize);
        let credits_at_once = match config.crossbar {
            Crossbar::Port => channels,
            Crossbar::Vc => channels * config.virtual_channels as usize,
        };
        let terminals = partition.terminals(network) as usize;
        let packets = 64 + terminals * (1 + config.injection_vcs as usize);
        let packets = packets.min(PACKETS_ROOM_MAX);
        let injections = terminals * config.injection_vcs as usize;
        let lanes = (channels + terminals) << wiring.vc_shift;
        let fast_paths = FastPaths::new(config, wiring, lanes, is_deterministic);
        let stages = Stages::of(network, partition, wiring, config);
        let state = State::new(network, partition, wiring, config, fast_paths.parks);
        let requests_at_once = channels + credits_at_once;
        let credit_delay_max = config.credit_delay + stages.as_ref().map_or(0, |s| s.way_cycles());
        let or_none = |wanted: bool, events: usize| if wanted { events } else { 0 };
        let nodes = partition.routers(network) as usize;
        Self {
            state,
            packets: Packets::with_capacity(packets),
            flits_due: Wheel::new(
                wire_max + delay_max,
                or_none(!fast_paths.is_plain, flits_at_once + injections),
            ),
            credits_due: Wheel::new(
                wire_max + config.port_wire_max() + credit_delay_max,
                or_none(!fast_paths.is_plain, credits_at_once),
            ),
            waits_next: NextCycle::new(or_none(fast_paths.is_plain, channels + injections)),
            requests_next: NextCycle::new(or_none(fast_paths.is_plain, requests_at_once)),
            waiting: ActiveSet::new(nodes),
            requesting: ActiveSet::new(nodes),
            scratch: Scratch {
                looks: Looks::of_lanes(lanes, looks),
                ..Scratch::new(wiring, terminals)
            },
            wiring,
            router_cycles,
            source_cycles: config.pipeline.map_or(u64::from(config.delay) - 1, |_| 0),
            stages,
            fast_paths,
            ports: Ports::new(wiring.vc_shift),
        }
    }
}

/// Cycles that a flit spends in a router, by its kind: under store-and-forward the head's time
/// counts from the arrival of its tail.
fn router_cycles(config: &EngineConfig) -> [u64; 4] {
    if config.pipeline.is_some() {
        // From the switch on, or from the queue behind it.
        return [Timing::new(config).to_terminal + 1; 4];
    }
    let mut cycles = [u64::from(config.body_delay); 4];
    for head in [false, true] {
        for tail in [false, true] {
            if head || tail && config.flow_control == FlowControl::StoreAndForward {
                cycles[FlitKind { head, tail }.index()] = u64::from(config.delay);
            }
        }
    }
    cycles
}
