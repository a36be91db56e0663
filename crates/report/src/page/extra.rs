//! What a page shows of a point beyond its row: how often each latency was seen, and how busy each
//! channel was.

use flitsim_measure::point::LatencyBucket;
use serde_json::{Value, json};

/// Bars of a histogram.
const BARS_MOST: f64 = 40.0;

/// The share of the packets that the bars show; the others are told by their number.
const SHOWN: f64 = 0.995;

/// The bars of `buckets`: where they start, how wide each is, how many packets each stands for, and
/// how many lie beyond. Null where there is no bucket.
pub fn bars(buckets: &[LatencyBucket]) -> Value {
    let all: u64 = buckets.iter().map(|bucket| bucket.packets).sum();
    let Some(first) = buckets.first() else {
        return Value::Null;
    };
    let mut seen = 0;
    let last = buckets.iter().find(|bucket| {
        seen += bucket.packets;
        seen as f64 >= SHOWN * all as f64
    });
    let start = first.low.floor();
    let end = last.map_or(first.high, |bucket| bucket.high) + 1.0;
    let width = round_up((end - start) / BARS_MOST);
    let mut bars = vec![0u64; ((end - start) / width).ceil() as usize];
    let mut beyond = 0;
    for bucket in buckets {
        // A bucket is narrower than a bar wherever one is wider than a cycle.
        match bars.get_mut(((bucket.low - start) / width) as usize) {
            Some(bar) => *bar += bucket.packets,
            None => beyond += bucket.packets,
        }
    }
    json!({ "from": start, "width": width, "packets": bars, "beyond": beyond })
}

/// The least of 1, 2, 5, 10, 20, … that is not below `width`.
fn round_up(width: f64) -> f64 {
    let mut power = 1.0;
    loop {
        for step in [1.0, 2.0, 5.0] {
            if step * power >= width {
                return step * power;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packet_is_in_a_bar_or_beyond() {
        let bucket = |low: u32, packets| LatencyBucket {
            low: f64::from(low),
            high: f64::from(low),
            packets,
        };
        let mut buckets: Vec<_> = (20..90).map(|low| bucket(low, 100)).collect();
        buckets.push(bucket(5_000, 7));
        let bars = bars(&buckets);
        assert_eq!(bars["width"], 2.0);
        let packets = bars["packets"].as_array().unwrap();
        assert_eq!(packets.len(), 35);
        assert!(packets.iter().all(|packets| packets == 200));
        assert_eq!(bars["beyond"], 7);
        assert_eq!(super::bars(&[]), Value::Null);
        assert_eq!(super::bars(&buckets[..1])["packets"], json!([100]));
    }
}
