//! The least solution of x = g(x) by damped iteration, and the proof that there is none.
//!
//! Invariant: `g` is increasing and convex where it is defined, as all latencies here are: sums of
//! powers of the utilization with positive coefficients. Then the residual g(x) − x is convex too,
//! and what the iteration sees is a proof: a residual that grows while it is positive never comes
//! back to 0, and an iteration that starts below the least solution never passes it.

/// How far from 0 a residual may be, over x.
const TOLERANCE: f64 = 1e-13;

/// The damping of the first step: g(x) itself is not passed.
const FIRST_DAMPING: f64 = 0.5;

/// Steps after which the residual is as small as rounding lets it be.
const STEPS_MOST: u32 = 1_000;

/// How an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FixedPoint {
    /// At the least solution.
    At {
        /// The solution.
        value: f64,
        /// Steps taken.
        steps: u32,
    },
    /// With the proof that there is no solution.
    Nowhere {
        /// Steps taken.
        steps: u32,
    },
}

impl FixedPoint {
    /// The solution, where there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::At { value, .. } => Some(value),
            Self::Nowhere { .. } => None,
        }
    }
}

/// The least x ≥ `start` with x = g(x), for a `g` that is increasing and convex, with
/// g(`start`) ≥ `start`, and `None` from where on it is not defined.
///
/// Each step is damped, x + θ (g(x) − x). The first θ is a half; after that the last two residuals
/// say how much damping the slope of `g` asks for, so that near saturation, where plain iteration
/// takes thousands of steps, some dozens do.
///
/// ```
/// use flitsim_models::fixed_point::{FixedPoint, least};
///
/// // x = 1 + x²/5 has the solutions (5 ± √5) / 2; x = 2 + x²/5 has none.
/// let found = least(1.0, |x| Some(1.0 + x * x / 5.0)).value().unwrap();
/// assert!((found - (5.0 - 5f64.sqrt()) / 2.0).abs() < 1e-12);
/// assert_eq!(least(2.0, |x| Some(2.0 + x * x / 5.0)).value(), None);
/// ```
pub fn least(start: f64, mut g: impl FnMut(f64) -> Option<f64>) -> FixedPoint {
    let mut x = start;
    let mut last: Option<(f64, f64)> = None;
    for steps in 0..STEPS_MOST {
        let Some(image) = g(x) else {
            return FixedPoint::Nowhere { steps };
        };
        let residual = image - x;
        if residual <= TOLERANCE * x.abs() {
            return FixedPoint::At { value: x, steps };
        }
        let damping = match last {
            None => FIRST_DAMPING,
            Some((x_before, residual_before)) => {
                if residual >= residual_before {
                    return FixedPoint::Nowhere { steps };
                }
                (x - x_before) / (residual_before - residual)
            }
        };
        last = Some((x, residual));
        let next = x + damping * residual;
        if next <= x {
            return FixedPoint::At { value: x, steps };
        }
        x = next;
    }
    FixedPoint::Nowhere { steps: STEPS_MOST }
}

/// The end of the loads from 0 up to which `holds`: between 0, where it must hold, and `high`, where
/// it must not. To the last bits of a double.
pub fn boundary(high: f64, mut holds: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, high);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return low;
        }
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_is_the_least_and_comes_from_below() {
        let mut highest = 0.0f64;
        let found = least(1.0, |x| {
            highest = highest.max(x);
            Some(1.0 + 0.2 * x * x)
        });
        let expected = (5.0 - 5f64.sqrt()) / 2.0;
        assert!((found.value().unwrap() - expected).abs() < 1e-12);
        assert!(highest <= expected + 1e-12, "{highest}");
    }

    #[test]
    fn a_solution_where_curves_touch_is_told_from_one_missed_by_a_hair() {
        // x = a + x²/4 has its double solution x = 2 at a = 1.
        let near = |a: f64| least(a, move |x| Some(a + x * x / 4.0));
        assert!((near(1.0 - 1e-12).value().unwrap() - 2.0).abs() < 1e-5);
        assert_eq!(near(1.0 + 1e-9).value(), None);
        assert!((boundary(2.0, |a| near(a).value().is_some()) - 1.0).abs() < 1e-10);
    }

    #[test]
    fn where_g_ends_there_is_no_solution() {
        let found = least(1.0, |x| (x < 3.0).then_some(x + 1.0));
        assert!(matches!(found, FixedPoint::Nowhere { .. }));
    }

    #[test]
    fn a_constant_is_found_at_once() {
        assert_eq!(
            least(5.0, |_| Some(5.0)),
            FixedPoint::At {
                value: 5.0,
                steps: 0
            }
        );
    }
}
