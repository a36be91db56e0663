//! What a point can tell beyond its row: latencies by class, by distance and by source, the
//! histogram, and what each channel and virtual channel carried. Off unless asked for.
//!
//! Invariant: [`Detailed`] watches the same packets and cycles as the [`Recorder`] inside it, which
//! alone decides anything. So a point is the same with details and without.
//!
//! [`Recorder`]: super::recorder::Recorder

mod channels;
mod classes;
mod detailed;
mod groups;
mod kinds;
mod own;
mod totals;
mod window;

pub use channels::{BufferTotal, ChannelTotals};
pub use classes::Classes;
pub use detailed::Detailed;
pub use groups::GroupTotal;
pub use kinds::{Detail, Details, register_statistic};
pub use own::{Happened, OwnStatistic, OwnTotal, Registered, StatisticRefused};
pub use totals::{ClassTotal, PointDetails, SourceTotal};
