//! Which load to try next, and what is known of the saturation so far.
//!
//! Invariant: `low` was found stable and `high` unstable (or stand for what is known without
//! simulation), and all loads that were left undecided lie between them. Nothing here simulates, so
//! the loads tried depend on the verdicts only.

/// What was found of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The network delivers it.
    Stable,
    /// The network does not.
    Unstable,
    /// The limit of cycles came first.
    Undecided,
}

/// A search for the load at which verdicts turn from stable to unstable: from a first guess in
/// growing steps until both sides are known, then by bisection.
#[derive(Clone, Debug)]
pub struct Bracket {
    low: f64,
    high: f64,
    /// Between these, both included, loads were left undecided.
    undecided: Option<(f64, f64)>,
    /// How near the two sides must come.
    width: f64,
    guess: Option<f64>,
    stride: f64,
    low_tried: bool,
    high_tried: bool,
}

impl Bracket {
    /// A search between the load 0, which is stable, and `high`, which is not, that begins at
    /// `guess` and ends where the two sides are no more than `width` apart.
    ///
    /// # Panics
    /// If `high` or `width` is not a positive number.
    pub fn new(high: f64, guess: f64, width: f64) -> Self {
        assert!(high > 0.0 && high.is_finite() && width > 0.0);
        Self {
            low: 0.0,
            high,
            undecided: None,
            width,
            guess: (guess > 0.0 && guess < high).then_some(guess),
            stride: width,
            low_tried: false,
            high_tried: false,
        }
    }

    /// The highest load known to be stable.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The lowest load known to be unstable.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether the sides are as near as they should be.
    pub fn is_narrow(&self) -> bool {
        // Steps of one width meet their end but for rounding.
        self.high - self.low <= self.width * (1.0 + 1e-9)
    }

    /// The load to try next; `None` where the search is over.
    pub fn next_load(&mut self) -> Option<f64> {
        if let Some(guess) = self.guess.take() {
            return Some(guess);
        }
        let (below, above) = self.undecided.unwrap_or((self.high, self.low));
        let is_wide = |from: f64, to: f64| to - from > self.width * (1.0 + 1e-9);
        if is_wide(self.low, below) {
            // Below what is not stable, while no stable load is known.
            let step = (!self.low_tried).then_some(below - self.stride);
            let must_go_up = self.low_tried && !self.high_tried && self.undecided.is_none();
            let step = step.or(must_go_up.then_some(self.low + self.stride));
            return Some(self.step_or_middle(step, self.low, below));
        }
        if self.undecided.is_some() && is_wide(above, self.high) {
            let step = (!self.high_tried).then_some(above + self.stride);
            return Some(self.step_or_middle(step, above, self.high));
        }
        None
    }

    /// A step where it stays well between the two sides, and the middle otherwise. Steps grow.
    fn step_or_middle(&mut self, step: Option<f64>, low: f64, high: f64) -> f64 {
        let room = 0.25 * self.width;
        match step {
            Some(step) if step > low + room && step < high - room => {
                self.stride *= 2.0;
                step
            }
            _ => low + 0.5 * (high - low),
        }
    }

    /// What was found of `load`, which [`Bracket::next_load`] gave.
    pub fn learn(&mut self, load: f64, verdict: Verdict) {
        match verdict {
            Verdict::Stable => {
                self.low = self.low.max(load);
                self.low_tried = true;
            }
            Verdict::Unstable => {
                self.high = self.high.min(load);
                self.high_tried = true;
            }
            Verdict::Undecided => {
                let (from, to) = self.undecided.unwrap_or((load, load));
                self.undecided = Some((from.min(load), to.max(load)));
            }
        }
        // A verdict beyond an undecided load decides it as well.
        self.undecided = self
            .undecided
            .filter(|&(from, to)| from > self.low && to < self.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches where loads up to `saturation` are stable, and those within `haze` of it are left
    /// undecided. Returns the bracket and the loads tried.
    fn search(guess: f64, saturation: f64, haze: f64) -> (Bracket, Vec<f64>) {
        let mut bracket = Bracket::new(1.0, guess, 0.01);
        let mut tried = Vec::new();
        while let Some(load) = bracket.next_load() {
            assert!(load > bracket.low() && load < bracket.high(), "{tried:?}");
            assert!(tried.len() < 40, "{tried:?}");
            tried.push(load);
            let verdict = match load - saturation {
                off if off.abs() < haze => Verdict::Undecided,
                off if off <= 0.0 => Verdict::Stable,
                _ => Verdict::Unstable,
            };
            bracket.learn(load, verdict);
        }
        (bracket, tried)
    }

    #[test]
    fn the_sides_close_in_on_the_saturation_from_any_guess() {
        for guess in [0.0, 1e-6, 0.1, 0.42, 0.5, 0.95, 1.0, 2.0] {
            for saturation in [0.0001, 0.009, 0.1, 0.4242, 0.5, 0.987, 0.9999] {
                let (bracket, tried) = search(guess, saturation, 0.0);
                assert!(bracket.is_narrow());
                assert!(bracket.low() <= saturation && saturation <= bracket.high());
                assert!(tried.len() <= 14, "{guess} {saturation}: {tried:?}");
            }
        }
    }

    #[test]
    fn a_good_guess_takes_two_points() {
        assert_eq!(search(0.425, 0.42, 0.0).1.len(), 2);
        assert_eq!(search(0.415, 0.42, 0.0).1.len(), 2);
    }

    #[test]
    fn undecided_loads_are_left_between_the_sides() {
        for guess in [0.1, 0.42, 0.5] {
            let (bracket, _) = search(guess, 0.42, 0.03);
            assert!(!bracket.is_narrow());
            assert!((0.38..=0.39).contains(&bracket.low()), "{bracket:?}");
            assert!((0.45..=0.46).contains(&bracket.high()), "{bracket:?}");
        }
    }
}
