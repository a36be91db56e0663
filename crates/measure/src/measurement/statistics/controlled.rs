//! A ratio by batch means, with control variates: sums of the same batches whose expectation is known
//! to be 0, and with which the numerators go up and down.
//!
//! With X_i, N_i and C_i a batch's numerator, denominator and control, R = ΣX / ΣN and b the slope of the
//! residuals X_i - R N_i over C_i by least squares, the estimate is R - b ΣC / ΣN: what chance put into the
//! controls is taken out again. Its residuals are X_i - b C_i less the estimate times N_i. Each control
//! costs a degree of freedom, and the half-width grows by the square root of 1 + (ΣC)² / (m S), with m
//! batches and S the sum of squares of C about its mean, for b is estimated too (Lavenberg & Welch 1981,
//! equation 20). Several controls are first made orthogonal, one after another.
//!
//! Invariant: without controls nothing is added to or multiplied with anything.

use super::{
    BATCHES_MIN, BATCHES_TESTED_MIN, Correlation, Estimate, is_correlated, lag_1_autocorrelation,
    merge_pairs, student_t_975,
};

/// The least share of a control's own sum of squares that the controls before it must leave of it.
const REST_MIN: f64 = 1e-9;

/// By what share of its correlation with its variance the half-width of a mean that was waited for is wider.
const AWAITED_WIDER: f64 = 0.25;

/// The values of batches, of each of which there are as many.
struct Batches {
    numerators: Vec<f64>,
    denominators: Vec<f64>,
    controls: Vec<Vec<f64>>,
}

/// What least squares make of them.
struct Fit {
    ratio: f64,
    /// What is left of the numerators; their sum is 0.
    residuals: Vec<f64>,
    /// Controls that were of use.
    controls: usize,
    /// What the variance is to be multiplied by, for the slopes are estimated.
    inflation: f64,
}

/// The ratio of the sums of `numerators` and `denominators`, with its 95 % interval by batch means (the
/// ratio estimator: batches count by the weight of their denominators), corrected by `controls`: each has
/// one value per batch, with expectation 0.
///
/// The values are those of many short batches. Neighbours are merged in pairs until the residuals of
/// adjacent batches are not significantly correlated. Where even [`BATCHES_TESTED_MIN`] batches are
/// correlated, the estimate is not `trusted`. The half-width is the widest of those made of that number of
/// batches, of half of it, and so on down to [`BATCHES_MIN`]: a correlation too small for the test at one
/// length shows at twice the length, and a rule that stops where the half-width is small would otherwise
/// favour the runs in which it comes out small by chance. With fewer than [`BATCHES_MIN`] batches no slope
/// is estimated.
///
/// `None` where the denominators sum to 0 or there are fewer than two values.
///
/// # Panics
/// If numerators, denominators and controls are not equally many.
pub fn controlled_ratio_by_batch_means(
    numerators: &[f64],
    denominators: &[f64],
    controls: &[Vec<f64>],
    correlation: Correlation,
) -> Option<Estimate> {
    assert_eq!(numerators.len(), denominators.len());
    assert!(controls.iter().all(|c| c.len() == numerators.len()));
    let total: f64 = denominators.iter().sum();
    if numerators.len() < 2 || total <= 0.0 {
        return None;
    }
    let has_slopes = numerators.len() >= BATCHES_MIN;
    let mut batches = Batches {
        numerators: numerators.to_vec(),
        denominators: denominators.to_vec(),
        controls: controls.iter().filter(|_| has_slopes).cloned().collect(),
    };
    let mut fit = batches.fit(total);
    let mut correlated = is_correlated(&fit.residuals);
    while correlated && fit.residuals.len() / 2 >= BATCHES_TESTED_MIN {
        batches.merge();
        fit = batches.fit(total);
        correlated = is_correlated(&fit.residuals);
    }
    let trusted = !correlated && fit.residuals.len() >= BATCHES_TESTED_MIN;
    let mut widest = (fit.half_width_of_sum(correlation), fit.residuals.len());
    let ratio = fit.ratio;
    while fit.residuals.len() / 2 >= BATCHES_MIN {
        merge_pairs(&mut fit.residuals);
        let half_width = fit.half_width_of_sum(correlation);
        if half_width > widest.0 {
            widest = (half_width, fit.residuals.len());
        }
    }
    Some(Estimate {
        mean: ratio,
        sampled: numerators.iter().sum::<f64>() / total,
        half_width: widest.0 / total,
        batches: widest.1,
        trusted,
    })
}

impl Batches {
    fn merge(&mut self) {
        merge_pairs(&mut self.numerators);
        merge_pairs(&mut self.denominators);
        self.controls.iter_mut().for_each(merge_pairs);
    }

    /// The fit of batches whose denominators sum to `total`.
    fn fit(&self, total: f64) -> Fit {
        let m = self.numerators.len() as f64;
        let ratio = self.numerators.iter().sum::<f64>() / total;
        let pairs = || self.numerators.iter().zip(&self.denominators);
        let own: Vec<f64> = pairs().map(|(x, n)| x - ratio * n).collect();
        let mut fit = Fit {
            ratio,
            residuals: own.clone(),
            controls: 0,
            inflation: 1.0,
        };
        let mut used: Vec<(Vec<f64>, f64)> = Vec::new();
        for control in &self.controls {
            let mut rest = control.clone();
            for (other, squares) in &used {
                let slope = products(&rest, other) / squares;
                subtract(&mut rest, slope, other);
            }
            let squares = products(&rest, &rest);
            if squares <= REST_MIN * products(control, control) {
                continue;
            }
            let slope = products(&own, &rest) / squares;
            let sum: f64 = rest.iter().sum();
            let correction = slope * sum / total;
            fit.ratio -= correction;
            subtract(&mut fit.residuals, slope, &rest);
            subtract(&mut fit.residuals, -correction, &self.denominators);
            fit.inflation += sum * sum / (m * squares);
            used.push((rest, squares));
        }
        fit.controls = used.len();
        fit
    }
}

impl Fit {
    /// Half-width of the 95 % interval of the sum of residuals whose mean is 0.
    fn half_width_of_sum(&self, correlation: Correlation) -> f64 {
        let m = self.residuals.len() as f64;
        let degrees = self.residuals.len() - 1 - self.controls;
        let squares: f64 = self.residuals.iter().map(|z| z * z).sum();
        let widening = match correlation {
            Correlation::Tested => 1.0,
            Correlation::Widens | Correlation::Awaited => {
                let r = (lag_1_autocorrelation(&self.residuals) + 1.0 / m).clamp(0.0, 0.5);
                (1.0 + r) / (1.0 - r)
            }
        };
        let variance = squares * widening * self.inflation / degrees as f64;
        let half_width = student_t_975(degrees) * (variance * m).sqrt();
        match correlation {
            Correlation::Awaited => half_width * (1.0 + AWAITED_WIDER * self.goes_with_variance()),
            Correlation::Tested | Correlation::Widens => half_width,
        }
    }

    /// The correlation of residuals with their squares, where that is positive.
    fn goes_with_variance(&self) -> f64 {
        let squares: Vec<f64> = self.residuals.iter().map(|z| z * z).collect();
        let both = products(&self.residuals, &self.residuals) * products(&squares, &squares);
        if both <= 0.0 {
            return 0.0;
        }
        (products(&self.residuals, &squares) / both.sqrt()).max(0.0)
    }
}

/// The sum of products about both means.
fn products(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let pairs = a.iter().zip(b);
    pairs.map(|(x, y)| (x - mean_a) * (y - mean_b)).sum()
}

fn subtract(from: &mut [f64], factor: f64, values: &[f64]) {
    for (x, value) in from.iter_mut().zip(values) {
        *x -= factor * value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    /// A thousand runs of 256 batches: how often the mean of 10 is held, mean bias and half-width.
    fn runs(controls: impl Fn(&[f64], &[f64]) -> Vec<Vec<f64>>) -> (u32, f64, f64) {
        let (mut held, mut bias, mut width) = (0, 0.0, 0.0);
        for seed in 0..1000 {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let mut noise = || rng.random::<f64>() + rng.random::<f64>() - 1.0;
            let (mut x, mut n) = (Vec::new(), Vec::new());
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..256 {
                let (first, second) = (noise(), noise());
                let weight = 100.0 + 20.0 * first;
                // Not quite linear in the controls.
                let mean = 10.0 + 3.0 * first + 2.0 * second + first * second + noise();
                x.push(mean * weight - 3.0 * 20.0 / 6.0);
                n.push(weight);
                a.push(first);
                b.push(second);
            }
            let estimate =
                controlled_ratio_by_batch_means(&x, &n, &controls(&a, &b), Correlation::Widens);
            let estimate = estimate.unwrap();
            held += u32::from((estimate.mean - 10.0).abs() <= estimate.half_width);
            bias += estimate.mean - 10.0;
            width += estimate.half_width;
        }
        (held, bias / 1000.0, width / 1000.0)
    }

    #[test]
    fn controls_narrow_the_interval_and_it_still_covers() {
        let (held, _, wide) = runs(|_, _| Vec::new());
        assert!((940..=980).contains(&held), "{held}");
        let (held, bias, width) = runs(|a, b| vec![a.to_vec(), b.to_vec()]);
        assert!((930..=980).contains(&held), "{held}");
        // Of 300 a + 200 b + 140 a b + 60 a^2 + 100 noise the controls take the first two terms.
        assert!((wide / width - 3.16).abs() < 0.1, "{}", wide / width);
        assert!(bias.abs() < 0.01, "{bias}");
    }

    #[test]
    fn controls_that_say_nothing_new_are_left_out() {
        let (_, _, width) = runs(|a, b| vec![a.to_vec(), b.to_vec()]);
        let (held, _, same) = runs(|a, b| {
            let sum = a.iter().zip(b).map(|(a, b)| a - 2.0 * b).collect();
            vec![a.to_vec(), vec![0.5; a.len()], b.to_vec(), sum]
        });
        assert!((930..=980).contains(&held), "{held}");
        assert!((width - same).abs() < 1e-9);
    }

    #[test]
    fn few_batches_do_without() {
        let values: Vec<f64> = (0..20).map(f64::from).collect();
        let estimate = |controls: &[Vec<f64>]| {
            controlled_ratio_by_batch_means(&values, &[1.0; 20], controls, Correlation::Tested)
        };
        assert_eq!(estimate(std::slice::from_ref(&values)), estimate(&[]));
        assert_eq!(estimate(&[]).map(|e| e.mean == e.sampled), Some(true));
    }

    /// How often of a thousand a mean of 6 is held that was waited for until its half-width was three tenths:
    /// of values that are mostly small, and large in spells.
    fn waited(correlation: Correlation) -> u32 {
        let run = |seed| {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let mut values: Vec<f64> = Vec::new();
            loop {
                let wanted = (values.len() * 3 / 2).max(BATCHES_TESTED_MIN);
                values.extend((values.len()..wanted).map(|_| -rng.random::<f64>().ln().powi(3)));
                let ones = vec![1.0; values.len()];
                let estimate = controlled_ratio_by_batch_means(&values, &ones, &[], correlation);
                let estimate = estimate.unwrap();
                if estimate.trusted && estimate.relative_half_width() <= 0.3 {
                    return (estimate.mean - 6.0).abs() <= estimate.half_width;
                }
            }
        };
        (0..1000).map(|seed| u32::from(run(seed))).sum()
    }

    #[test]
    fn a_mean_that_goes_with_its_half_width_is_held_where_it_is_waited_for() {
        let (plain, awaited) = (waited(Correlation::Widens), waited(Correlation::Awaited));
        assert!(plain < 930, "{plain}");
        assert!((930..=975).contains(&awaited), "{awaited}");
    }
}
