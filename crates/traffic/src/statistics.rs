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
    deviates(chi_square, counts.len() - 1)
}

/// A value of chi-square as a standard normal deviate.
fn deviates(chi_square: f64, freedom: usize) -> f64 {
    let spread = 2.0 / (9.0 * freedom as f64);
    ((chi_square / freedom as f64).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// How far two samples of equal size are from having one law: chi-square over classes that hold 10
/// or more of both together, cut where the sorted values allow it.
pub fn two_sample_deviates(ours: &[u64], theirs: &[u64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let of = |values: &[u64], first| values.iter().map(move |&v| (v, first)).collect::<Vec<_>>();
    let mut all = [of(ours, true), of(theirs, false)].concat();
    all.sort_unstable();
    let least = (all.len() / 40).max(10);
    let (mut chi_square, mut classes) = (0.0, 0);
    let mut class = [0.0, 0.0];
    for (i, &(value, is_ours)) in all.iter().enumerate() {
        class[usize::from(is_ours)] += 1.0;
        let ends = all.get(i + 1).is_none_or(|&(next, _)| next != value);
        // What is left behind the last class is a class of its own if it is large enough.
        if ends && class[0] + class[1] >= least as f64 {
            chi_square += (class[0] - class[1]).powi(2) / (class[0] + class[1]);
            classes += 1;
            class = [0.0, 0.0];
        }
    }
    assert!(classes > 1, "one class tells nothing");
    // Both samples are of one size, which takes a degree of freedom.
    deviates(chi_square, classes - 1)
}
