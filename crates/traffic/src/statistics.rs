//! Test support: how far a sample lies from what is expected, in standard deviates.

/// Pearson's chi-square of `counts` against `probabilities`, which sum to 1, turned into a standard
/// normal deviate (Wilson & Hilferty 1931). Every expected count should be 5 or more.
pub fn chi_square_deviates(counts: &[u64], probabilities: &[f64]) -> f64 {
    assert_eq!(counts.len(), probabilities.len());
    let total = counts.iter().sum::<u64>() as f64;
    let sum: f64 = probabilities.iter().sum();
    assert!((sum - 1.0).abs() < 1e-9, "the probabilities sum to {sum}");
    let mut chi_square = 0.0;
    for (&count, &probability) in counts.iter().zip(probabilities) {
        let expected = total * probability;
        assert!(expected >= 5.0, "only {expected} expected in a class");
        chi_square += (count as f64 - expected).powi(2) / expected;
    }
    let spread = 2.0 / (9.0 * (counts.len() - 1) as f64);
    ((chi_square / (counts.len() - 1) as f64).cbrt() - (1.0 - spread)) / spread.sqrt()
}
