//! What one simulated point yields: the numbers of a row of `points.csv`.

/// How a point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The interval of the mean latency met the wanted relative error.
    Converged,
    /// The cycle limit came first.
    MaxCycles,
    /// The network does not deliver what is offered, or its mean latency is above the limit.
    Saturated,
    /// Packets wait on one another for ever.
    Deadlock,
}

impl Status {
    /// The word in `points.csv`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxCycles => "max-cycles",
            Self::Saturated => "saturated",
            Self::Deadlock => "deadlock",
        }
    }
}

/// Latencies of the packets measured, in cycles. A saturated point has none: its mean would only
/// tell how long the run was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencySummary {
    /// Mean, from creation to the arrival of the last flit.
    pub mean: f64,
    /// Half-width of the mean's 95 % confidence interval.
    pub ci95: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
    /// Mean from the cycle the head flit enters the network.
    pub network_mean: f64,
    /// Mean number of router-to-router channels.
    pub hops_mean: f64,
}

/// The outcome of one simulated point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointResult {
    /// Offered load, flits per node per cycle, as asked for.
    pub offered_flits: f64,
    /// Accepted load, flits per node per cycle.
    pub accepted_flits: f64,
    /// Half-width of the accepted load's 95 % confidence interval.
    pub accepted_ci95: f64,
    /// Latencies; `None` where saturated or deadlocked, or where no packet was measured.
    pub latency: Option<LatencySummary>,
    /// Packets born in the measurement window and delivered.
    pub packets_measured: u64,
    /// The cycle in which the measurement window begins.
    pub warmup_cycles: u64,
    /// Cycles simulated in all.
    pub cycles: u64,
    /// How the point ended.
    pub status: Status,
    /// Flits moved over router-to-router channels in all cycles simulated.
    pub flit_hops: u64,
}

impl PointResult {
    /// The same where a simulated cycle takes `cycle_time` reference cycles: latencies, and loads as
    /// rates, in reference cycles. What counts the cycles of the run stays as it is.
    #[must_use]
    pub fn in_cycles_of(self, cycle_time: f64) -> Self {
        let latency = self.latency.map(|latency| LatencySummary {
            mean: latency.mean * cycle_time,
            ci95: latency.ci95 * cycle_time,
            p50: latency.p50 * cycle_time,
            p95: latency.p95 * cycle_time,
            p99: latency.p99 * cycle_time,
            max: latency.max * cycle_time,
            network_mean: latency.network_mean * cycle_time,
            hops_mean: latency.hops_mean,
        });
        Self {
            offered_flits: self.offered_flits / cycle_time,
            accepted_flits: self.accepted_flits / cycle_time,
            accepted_ci95: self.accepted_ci95 / cycle_time,
            latency,
            ..self
        }
    }
}
