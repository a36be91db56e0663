//! What random cases have of routers in stages: pipelines, allocators, queues, buffers that are shared.

use super::case::Dice;
use flitsim_engine::{
    Allocator, Arbiter, BufferSharing, Crossbar, EngineConfig, FlowControl, InputArbiter, Matching,
    MatchingStart, PimDraw, Pipeline, Port, VcRequests,
};

/// What routers in stages have, and allocators and terminals' ports, on top of `config`.
pub fn stages(dice: &mut Dice, config: &mut EngineConfig) {
    let slow = |dice: &mut Dice, least: u32| match dice.from(0, 2) {
        0 => dice.from(least, 3),
        _ => 1,
    };
    if config.flow_control != FlowControl::StoreAndForward && dice.from(0, 3) > 0 {
        config.pipeline = Some(Pipeline {
            routing: dice.from(0, 1) * slow(dice, 0),
            vc_allocation: slow(dice, 1),
            switch_allocation: slow(dice, 1),
            traversal: slow(dice, 0),
        });
        config.speculative = dice.coin();
    }
    allocators(dice, config);
    if [config.injection, config.ejection] == [Port::Channel; 2]
        && config.crossbar == Crossbar::Port
    {
        let starts = [MatchingStart::LongestWaiting, MatchingStart::Rotating];
        config.wavefront = dice.pick(&starts);
        config.maximum = dice.pick(&starts);
        config.pim = dice.pick(&[PimDraw::Uniform, PimDraw::Start]);
    }
    let goes_by_waiting = match config.switch_allocator {
        Some(Matching::Wavefront) => config.wavefront == MatchingStart::LongestWaiting,
        Some(Matching::Maximum) => config.maximum == MatchingStart::LongestWaiting,
        _ => false,
    };
    if !goes_by_waiting {
        config.input_arbiter =
            dice.pick(&[InputArbiter::LeastRecentlyServed, InputArbiter::RoundRobin]);
    }
    if config.ejection == Port::Channel && dice.coin() {
        config.ejection_vcs = dice.from(1, 5);
    }
    config.injection_buffers =
        config.injection == Port::Channel && config.pipeline.is_some() && dice.coin();
    // One number says the rounds of all.
    if let Allocator::Islip { iterations } = &mut config.allocator {
        *iterations = 1;
    }
}

/// Queues behind the switch, with several ways into them.
pub fn queues(dice: &mut Dice, config: &mut EngineConfig) {
    config.output_queues = dice.from(0, 3) == 0;
    let is_bounded =
        config.ejection_vcs > 0 || config.terminal_ports || config.ejection == Port::Unlimited;
    if is_bounded {
        config.output_speedup = dice.pick(&[1, 1, 2, 3, 4]);
    }
    let has_way = config.injection_buffers && (config.ejection_vcs > 0 || config.terminal_ports);
    if let Some(stages) = &mut config.pipeline
        && has_way
        && dice.from(0, 2) == 0
    {
        config.internal_speedup = dice.from(2, 5);
        let most = config.internal_speedup;
        stages.switch_allocation = stages.switch_allocation.min(most);
        if dice.coin() {
            stages.traversal = dice.from(0, 120);
        }
    }
}

/// Virtual channels that share the buffers of their port.
pub fn share(dice: &mut Dice, config: &mut EngineConfig) {
    let reserve = dice.from(1, config.buffer_flits);
    config.buffer_sharing = dice.pick(&[BufferSharing::Shared, BufferSharing::Dynamic { reserve }]);
}

/// Allocators and arbiters by name.
pub fn allocators(dice: &mut Dice, config: &mut EngineConfig) {
    let matching = |dice: &mut Dice| {
        let iterations = dice.from(1, 3);
        dice.pick(&[
            None,
            Some(Matching::SeparableInputFirst),
            Some(Matching::SeparableOutputFirst),
            Some(Matching::Islip { iterations }),
            Some(Matching::Pim { iterations }),
            Some(Matching::Wavefront),
            Some(Matching::Maximum),
        ])
    };
    if config.flow_control == FlowControl::Wormhole {
        config.vc_allocator = matching(dice);
    }
    if config.vc_allocator.is_some() && !config.speculative && dice.coin() {
        config.vc_requests = VcRequests::AllChannels;
    }
    config.switch_allocator = matching(dice);
    config.hold_switch = dice.from(0, 3) == 0;
    if config.crossbar == Crossbar::Port {
        config.input_speedup = dice.pick(&[1, 1, 1, 2, 3]);
    }
    config.arbiter = dice.pick(&[
        None,
        Some(Arbiter::RoundRobin),
        Some(Arbiter::Matrix),
        Some(Arbiter::OldestFirst),
        Some(Arbiter::Random),
    ]);
}
