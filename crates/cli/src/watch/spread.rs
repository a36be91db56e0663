//! What stands in place of a map where a network has none: how many channels are how busy, and where
//! most is going on.

use super::screen::{Screen, Tone};
use super::view::View;
use flitsim_topology::{ChannelId, NodeId};

/// Names in a list of the busiest.
const NAMED_MOST: usize = 5;

/// Draws into the `height` rows from `top` on.
pub(super) fn draw_spread(screen: &mut Screen, (top, height): (u16, u16), view: &View<'_>) {
    let lists = lists(view, usize::from(screen.width()));
    // The lists follow where there is room for them.
    let bins = if height >= 10 + lists.len() as u16 {
        10
    } else {
        5
    };
    let mut counts = vec![0u32; bins];
    for &used in &view.moment.used {
        let bin = (used * bins as f32 + 1e-4) as usize;
        counts[bin.min(bins - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let room = usize::from(screen.width()).saturating_sub(22);
    let step = 100 / bins;
    let rows = (top..top.saturating_add(height)).zip(counts.iter().enumerate());
    for (y, (bin, &count)) in rows {
        let label = format!("{:3}–{:3} %", bin * step, (bin + 1) * step);
        let x = screen.text(0, y, &label, Tone::Plain) + 1;
        // One channel is one column at least: it may be the one that matters.
        let bar = (count as usize * room).div_ceil(most as usize);
        let bar: String = std::iter::repeat_n('█', bar).collect();
        let x = screen.text(x, y, &bar, Tone::Plain);
        screen.text(x + 1, y, &count.to_string(), Tone::Plain);
    }
    let first = top + bins as u16;
    let rows = first..top.saturating_add(height).max(first);
    for (y, line) in rows.zip(&lists) {
        screen.text(0, y, line, Tone::Plain);
    }
}

/// The busiest channels, the fullest buffers, the longest source queues; as many of each as `width` holds.
fn lists(view: &View<'_>, width: usize) -> [String; 3] {
    let network = view.network;
    let channel = |i: usize| {
        let id = ChannelId(i as u32);
        let (from, to) = (network.source(id), network.target(id));
        let percent = f64::from(view.moment.used[i]) * 100.0;
        format!(
            "{}->{} {percent:.0} %",
            network.name(from),
            network.name(to)
        )
    };
    let name = |i: usize| network.name(NodeId(i as u32));
    let moment = view.moment;
    [
        list("busiest channels", width, &moment.used, 0.0, channel),
        list("fullest buffers", width, &moment.buffered, 0, |i| {
            format!("{} {} flits", name(i), moment.buffered[i])
        }),
        list("longest queues", width, &moment.queued, 0, |i| {
            format!("{} {} packets", name(i), moment.queued[i])
        }),
    ]
}

/// The largest of `values` above `least`, each as `word` has it; equal ones in their order.
fn list<T: PartialOrd + Copy>(
    title: &str,
    width: usize,
    values: &[T],
    least: T,
    word: impl Fn(usize) -> String,
) -> String {
    let mut order: Vec<usize> = (0..values.len()).filter(|&i| values[i] > least).collect();
    let by_value = |&a: &usize, &b: &usize| {
        let order = values[b].partial_cmp(&values[a]);
        order.unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(&b))
    };
    if order.len() > NAMED_MOST {
        order.select_nth_unstable_by(NAMED_MOST, by_value);
        order.truncate(NAMED_MOST);
    }
    order.sort_by(by_value);
    let mut text = format!("{title}:");
    if order.is_empty() {
        text += " none";
    }
    for (rank, word) in order.into_iter().map(word).enumerate() {
        let comma = if rank == 0 { " " } else { ", " };
        if rank > 0 && text.chars().count() + 2 + word.chars().count() > width {
            break;
        }
        text += comma;
        text += &word;
    }
    text
}
