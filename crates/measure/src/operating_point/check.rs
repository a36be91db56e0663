//! What a point must hold before it is simulated, beside what router and traffic say themselves.

use super::{Offered, OperatingPoint};
use crate::measurement::{MeasureSettings, Warmup};
use crate::simulate::SimulateError;

impl OperatingPoint<'_> {
    /// Refuses settings out of their range, and packets that would never move.
    pub(super) fn check(&self) -> Result<(), SimulateError> {
        self.settings.check()?;
        self.check_packets()
    }

    /// Refuses packets that would never move.
    pub(crate) fn check_packets(&self) -> Result<(), SimulateError> {
        let router = self.router;
        // The longest packet of a trace takes a walk.
        if router.takes_packets(u32::MAX) {
            return Ok(());
        }
        let length = &self.traffic.length;
        let packet_flits = match self.offered {
            Offered::Flits(_) => length.longest_flits(),
            Offered::Work(work) => work.workload.longest_flits(length),
        };
        match router.takes_packets(packet_flits) {
            true => Ok(()),
            false => Err(SimulateError::PacketsDoNotFit {
                buffer_flits: router.buffer_flits,
                packet_flits,
            }),
        }
    }
}

impl MeasureSettings {
    /// Refuses what is out of its range.
    fn check(&self) -> Result<(), SimulateError> {
        let Self {
            warmup,
            relative_error,
            max_cycles,
            latency_limit,
            details: _,
        } = *self;
        let wrong = |name, value: &dyn ToString, range| {
            let value = value.to_string();
            Err(SimulateError::Setting { name, value, range })
        };
        if let Warmup::Cycles(cycles) = warmup
            && cycles >= max_cycles
        {
            return wrong("warmup", &cycles, "less than `max_cycles`");
        }
        if max_cycles == 0 {
            return wrong("max_cycles", &max_cycles, "1 or more");
        }
        if relative_error.is_nan() || relative_error < 0.0 {
            return wrong("relative_error", &relative_error, "0 or more");
        }
        if latency_limit.is_nan() || latency_limit <= 0.0 {
            return wrong("latency_limit", &latency_limit, "more than 0");
        }
        Ok(())
    }
}
