//! Which point starts first: the costly ones, so that no core is left alone with one at the end.

use flitsim_scenario::SeriesPlan;
use flitsim_scenario::plan::Load;

/// Indices of `points`, the costliest first, equals in scenario order. The cost of a cycle is about
/// the flits that move, so nodes times load orders points well enough; how many cycles a point
/// takes is not known before it runs.
pub fn costliest_first(points: &[(&SeriesPlan, Load)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // A stable sort: equals stay in scenario order.
    order.sort_by(|&a, &b| cost(points[b]).total_cmp(&cost(points[a])));
    order
}

/// Cost of simulating a point, in no unit: only comparisons and shares mean something.
pub fn cost((series, load): (&SeriesPlan, Load)) -> f64 {
    // Cycles cost something even when nothing is offered.
    let busy = (load.flits * series.cycle_time).max(0.0) + 0.01;
    f64::from(series.network.terminals()) * busy * f64::from(series.replicas.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::points_of;
    use crate::testing::plan;

    #[test]
    fn the_costliest_point_starts_first() {
        let plan = plan(&[("small", &[0.1, 0.5]), ("other", &[0.5, 0.3])]);
        let points: Vec<_> = points_of(&plan).collect();
        assert_eq!(costliest_first(&points), [1, 2, 3, 0]);
    }
}
