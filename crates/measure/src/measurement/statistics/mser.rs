//! Truncation of the initial transient: MSER-5.
//!
//! Invariant: the truncation is the one that makes the interval of the mean of what remains the
//! narrowest, so it weighs the bias of keeping the transient against the noise of dropping data.
//!
//! Sources: K. P. White, "An effective truncation heuristic for bias reduction in simulation
//! output", Simulation 69(6), 1997, section 3; K. P. White, M. J. Cobb, S. C. Spratt, "A comparison
//! of five steady-state truncation heuristics for simulation", WSC 2000, for the batches of five.

/// Observations in each of the batches that the rule looks at.
pub const BATCH: usize = 5;

/// Batches below which nothing can be said.
pub const BATCHES_MIN: usize = 10;

/// Batches at the end that are always kept: a handful of values that happen to be alike would
/// otherwise look like the end of a transient.
const TAIL: usize = 5;

/// Where the rule cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Observations to drop: a multiple of `BATCH`.
    pub observations: usize,
    /// Whether at most half of the batches are dropped. Where it is false the transient may not be
    /// over, and the series must grow.
    pub accepted: bool,
}

/// The truncation of `series` by MSER-5: with n batch means Z, the d that minimises
/// sum over i >= d of (Z_i - mean of Z from d on)^2 / (n - d)^2. An incomplete last batch is left
/// out. `None` where there are fewer than `BATCHES_MIN` batches.
pub fn mser5(series: &[f64]) -> Option<Truncation> {
    let means: Vec<f64> = series
        .chunks_exact(BATCH)
        .map(|batch| batch.iter().sum::<f64>() / BATCH as f64)
        .collect();
    let n = means.len();
    if n < BATCHES_MIN {
        return None;
    }
    // From the end to the front, so that each step adds one value to the running moments
    // (Welford's update: no cancellation).
    let (mut mean, mut squares) = (0.0, 0.0);
    let (mut best, mut best_at) = (f64::INFINITY, 0);
    for d in (0..n).rev() {
        let kept = (n - d) as f64;
        let step = means[d] - mean;
        mean += step / kept;
        squares += step * (means[d] - mean);
        // `<=`: of equal truncations the shortest.
        if n - d >= TAIL && squares / (kept * kept) <= best {
            best = squares / (kept * kept);
            best_at = d;
        }
    }
    Some(Truncation {
        observations: best_at * BATCH,
        accepted: best_at <= n / 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// Uniform in -0.5..0.5.
    fn noise() -> impl Iterator<Item = f64> {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        std::iter::repeat_with(move || rng.random::<f64>() - 0.5)
    }

    /// The definition, term by term.
    fn by_definition(series: &[f64]) -> usize {
        let means: Vec<f64> = series
            .chunks_exact(5)
            .map(|b| b.iter().sum::<f64>() / 5.0)
            .collect();
        let n = means.len();
        let statistic = |d: usize| {
            let rest = &means[d..];
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            let squares: f64 = rest.iter().map(|z| (z - mean) * (z - mean)).sum();
            squares / (rest.len() * rest.len()) as f64
        };
        (0..=n - TAIL)
            .min_by(|&a, &b| statistic(a).total_cmp(&statistic(b)))
            .unwrap()
            * 5
    }

    #[test]
    fn equals_the_definition() {
        for length in [50, 52, 200, 999] {
            let series: Vec<f64> = (0..length)
                .zip(noise())
                .map(|(i, noise)| noise + 20.0 * (-f64::from(i) / 30.0).exp())
                .collect();
            let truncation = mser5(&series).unwrap();
            assert_eq!(truncation.observations, by_definition(&series));
        }
    }

    #[test]
    fn cuts_a_step_exactly() {
        let series: Vec<f64> = (0..200).map(|i| if i < 40 { 9.0 } else { 5.0 }).collect();
        let truncation = mser5(&series).unwrap();
        assert_eq!((truncation.observations, truncation.accepted), (40, true));
    }

    #[test]
    fn keeps_a_constant_whole() {
        assert_eq!(mser5(&[3.0; 100]).unwrap().observations, 0);
    }

    #[test]
    fn rejects_a_trend() {
        let series: Vec<f64> = (0..500)
            .zip(noise())
            .map(|(i, noise)| f64::from(i) + noise)
            .collect();
        assert!(!mser5(&series).unwrap().accepted);
    }

    #[test]
    fn says_nothing_of_too_little() {
        assert_eq!(mser5(&[1.0; 49]), None);
        assert_eq!(mser5(&[]), None);
    }
}
