//! Pairs of nodes by distance.

/// Pairs by distance where the distance is a sum of two, each as one of the lists counts.
pub(crate) fn convolved(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate() {
        for (sum, &y) in sums[i..].iter_mut().zip(b) {
            *sum += x * y;
        }
    }
    while sums.len() > 1 && sums.last() == Some(&0) {
        sums.pop();
    }
    sums
}
