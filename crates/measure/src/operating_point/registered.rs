//! Points under a relation of the registry. The cycle loops of all of them are compiled here, once, and not
//! again in every crate that simulates.

use super::{OperatingPoint, Stability, Watched};
use crate::engine_choice::EngineChoice;
use crate::measurement::stopping::StabilitySettings;
use crate::point::PointResult;
use crate::simulate::begun::kept_parts;
use crate::simulate::machine::DENSE;
use crate::simulate::{Monitor, SimulateError};
use flitsim_engine::Routing;
use flitsim_engine::routing::{Relation, WithRouting};
use std::num::NonZeroUsize;

impl OperatingPoint<'_> {
    /// As [`OperatingPoint::simulate`], under one of flitsim's own relations.
    ///
    /// # Errors
    /// As [`OperatingPoint::simulate`].
    pub fn simulate_under(
        &self,
        relation: Relation<'_>,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        self.check()?;
        let point = self.like_kept(monitor)?;
        let engine = point.engine_for(&relation);
        // Else it is neither asked for nor expected to be faster.
        if point.engine == self.engine {
            monitor.engine(&engine);
        }
        match engine.is_dense() {
            true => relation.with_plain(SimulateDensely(&point, monitor)),
            // Need not be fast: of relations that do not look at queues, two kinds are enough.
            false if !point.settings.details.is_empty() => match relation.looks() {
                Some(_) => point.watched(monitor).in_detail(&relation),
                None => relation.with_plain(SimulateInDetail(point.watched(monitor))),
            },
            false => match point.in_parts(&relation) {
                Some(point) => relation.with_plain(SimulateInParts(point.watched(monitor))),
                None => relation.with(SimulateAlone(point.watched(monitor))),
            },
        }
    }

    /// The same on an engine like that whose state there is to go on from.
    fn like_kept(&self, monitor: &dyn Monitor) -> Result<Self, SimulateError> {
        let Some(parts) = kept_parts(monitor)? else {
            return Ok(*self);
        };
        let engine = match parts & DENSE {
            0 => EngineChoice::Sparse,
            _ => EngineChoice::Dense,
        };
        let threads = NonZeroUsize::new((parts & !DENSE) as usize);
        Ok(Self {
            engine,
            threads: threads.unwrap_or(self.threads),
            ..*self
        })
    }

    /// As [`OperatingPoint::is_delivered`], under one of flitsim's own relations.
    ///
    /// # Errors
    /// As [`OperatingPoint::is_delivered`].
    pub fn is_delivered_under(
        &self,
        relation: Relation<'_>,
        settings: StabilitySettings,
        monitor: &dyn Monitor,
    ) -> Result<PointResult, SimulateError> {
        self.check_packets()?;
        if self.engine_for(&relation).is_dense() {
            return relation.with_plain(IsDeliveredDensely(self, settings, monitor));
        }
        match self.in_parts(&relation) {
            Some(point) => {
                relation.with_plain(IsDeliveredInParts(point.stability(settings, monitor)?))
            }
            None => relation.with(IsDeliveredAlone(self.stability(settings, monitor)?)),
        }
    }
}

/// What is asked of a point, as a relation is handed to it.
macro_rules! asked {
    ($($name:ident<$life:lifetime>($($field:ty),*), $this:ident, $routing:ident => $then:expr;)*) => {$(
        struct $name<$life>($($field),*);

        impl WithRouting for $name<'_> {
            type Output = Result<PointResult, SimulateError>;

            fn call<R: Routing + Clone>(self, $routing: R) -> Self::Output {
                let $this = self;
                $then
            }
        }
    )*};
}

asked! {
    SimulateAlone<'a>(Watched<'a>), it, routing => it.0.alone(&routing);
    SimulateInParts<'a>(Watched<'a>), it, routing => it.0.in_parts(&routing);
    SimulateInDetail<'a>(Watched<'a>), it, routing => it.0.in_detail(&routing);
    SimulateDensely<'a>(&'a OperatingPoint<'a>, &'a dyn Monitor), it, routing =>
        it.0.simulate_densely(&routing, it.1);
    IsDeliveredAlone<'a>(Stability<'a>), it, routing => it.0.alone(&routing);
    IsDeliveredInParts<'a>(Stability<'a>), it, routing => it.0.in_parts(&routing);
    IsDeliveredDensely<'a>(&'a OperatingPoint<'a>, StabilitySettings, &'a dyn Monitor), it, routing =>
        it.0.is_delivered_densely(&routing, it.1, it.2);
}
