//! What one simulated point yields, pooled over its replicas: the numbers of a row of `points.csv`.

mod deadlock;
pub mod replicas;
mod result;

pub use crate::measurement::stopping::Status;
pub use deadlock::DeadlockReport;
pub use result::{Fairness, LatencyBucket, LatencySummary, Mean, PointResult, WorkloadSummary};
