//! The screen of a moment: a pure function of what is happening, the settings and the size.

use super::control::{Control, Value};
use super::heat::{draw_full, draw_short};
use super::screen::{Screen, Tone};
use super::spark::sparkline;
use super::spread::draw_spread;
use super::view::View;
use flitsim_measure::live::Stopped;
use flitsim_topology::draw::grouped as thousands;

/// Rows below which there are no sparklines: what remains is for the map.
const ROWS_WITH_SPARKLINES: u16 = 12;

/// The screen, `width` columns by `height` rows; what does not fit is left out, the keys last.
pub fn render(view: &View<'_>, width: u16, height: u16) -> Screen {
    let mut screen = Screen::new(width, height);
    if width == 0 || height == 0 {
        return screen;
    }
    for x in 0..width {
        screen.set(x, 0, ' ', Tone::Title);
    }
    screen.text(0, 0, &view.heading.title, Tone::Title);
    let mut y = 1;
    for line in wrapped(&fields(view), width) {
        if y >= height {
            break;
        }
        screen.text(0, y, &line, Tone::Strong);
        y += 1;
    }
    if let Some(message) = alert(view) {
        for line in wrapped_words(&message, width).into_iter().take(4) {
            screen.text(0, y, &line, Tone::Alert);
            y += 1;
        }
    }
    if height >= ROWS_WITH_SPARKLINES {
        draw_sparklines(&mut screen, y, view);
        y += 2;
    }
    // The last row is for the keys.
    let rows = height.saturating_sub(y + 1);
    if rows >= 2 {
        draw_picture(&mut screen, y, rows, view);
    }
    if height > y {
        screen.text(0, height - 1, Control::KEYS, Tone::Faint);
    }
    screen
}

/// The figures, a field each.
fn fields(view: &View<'_>) -> Vec<String> {
    let moment = view.moment;
    let state = match (&moment.stopped, view.control.is_paused) {
        (Some(Stopped::AllArrived), _) => "all packets have arrived".to_owned(),
        (Some(Stopped::Deadlock(_)), _) => "deadlock".to_owned(),
        (None, true) => "paused".to_owned(),
        (None, false) => format!(
            "{} cycles a second",
            thousands(view.control.cycles_per_second())
        ),
    };
    let latency = moment
        .latency
        .map_or("–".to_owned(), |mean| format!("{mean:.1}"));
    vec![
        format!("cycle {}", thousands(moment.cycle)),
        format!("load {} {}", view.load, view.heading.load_unit),
        format!("offered {:.4}", moment.offered),
        format!("accepted {:.4} flits/node/cycle", moment.accepted),
        format!("latency {latency} cycles"),
        format!("packets under way {}", thousands(moment.under_way)),
        format!("in source queues {}", thousands(moment.waiting())),
        state,
    ]
}

fn alert(view: &View<'_>) -> Option<String> {
    match &view.moment.stopped {
        Some(Stopped::Deadlock(sentence)) => Some(sentence.clone()),
        _ => view.message.map(str::to_owned),
    }
}

/// `fields` side by side, as many to a line as fit.
fn wrapped(fields: &[String], width: u16) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for field in fields {
        let long = field.chars().count();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 3 + long <= usize::from(width) => {
                *line = format!("{line}   {field}");
            }
            _ => lines.push(field.clone()),
        }
    }
    lines
}

/// A sentence in lines.
fn wrapped_words(text: &str, width: u16) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= usize::from(width) => {
                *line = format!("{line} {word}");
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn draw_sparklines(screen: &mut Screen, y: u16, view: &View<'_>) {
    let accepted: Vec<_> = view
        .moment
        .accepted_history
        .iter()
        .map(|&x| Some(x))
        .collect();
    let latency = &view.moment.latency_history;
    for (y, label, values) in [(y, "accepted", &accepted), (y + 1, "latency ", latency)] {
        let x = screen.text(0, y, label, Tone::Plain) + 1;
        let width = screen.width();
        let shown = &values[values.len().saturating_sub(usize::from(width))..];
        let most = shown.iter().flatten().copied().fold(0.0, f64::max);
        let scale = match y {
            _ if most == 0.0 => String::new(),
            _ if most < 10.0 => format!(" 0–{most:.3}"),
            _ => format!(" 0–{most:.0}"),
        };
        let room = width.saturating_sub(x + scale.chars().count() as u16);
        if room < 4 {
            continue;
        }
        sparkline(screen, (x, y), room, values, most);
        screen.text(x + room, y, &scale, Tone::Faint);
    }
}

/// The legend and the map, or what stands in its place.
fn draw_picture(screen: &mut Screen, y: u16, rows: u16, view: &View<'_>) {
    let cycles = view.moment.cycles;
    let Some(map) = view.map else {
        let legend = "channels by their use (only networks of 1 or 2 dimensions have a map)";
        screen.text(0, y, legend, Tone::Faint);
        draw_spread(screen, (y + 1, rows - 1), view);
        return;
    };
    let nodes = match view.control.value {
        Value::Buffers => "flits in buffers",
        Value::Queues => "packets in queues",
    };
    let legend = match map.pitch(screen.width(), rows - 1) {
        Some(pitch) => {
            draw_full(map, screen, y + 1, pitch, view);
            format!("nodes: {nodes}; lines: channel use in tenths, {cycles} cycles, → ← ↓ ↑")
        }
        None => match draw_short(map, screen, (y + 1, rows - 1), view) {
            1 => format!("left: busiest channel of each node, in tenths; right: {nodes}"),
            block => format!(
                "most in {block}×{block} nodes, left: channel use in tenths; right: {nodes}"
            ),
        },
    };
    screen.text(0, y, &legend, Tone::Faint);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        let shown = [0, 999, 1_000, 12_345, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn fields_fill_lines_and_words_too() {
        let fields = ["cycle 1", "load 2", "a long one"].map(str::to_owned);
        assert_eq!(wrapped(&fields, 20), ["cycle 1   load 2", "a long one"]);
        assert_eq!(wrapped(&fields, 1).len(), 3);
        assert_eq!(wrapped_words("to be or not", 5), ["to be", "or", "not"]);
    }
}
