//! The loop that shows a simulation: cycles as fast as asked for, a frame, the keys.

use super::control::{Action, Control, next_load};
use super::map::Map;
use super::paint::paint;
use super::render::render;
use super::screen::Screen;
use super::simulation::Simulation;
use super::view::{Heading, View};
use crate::interrupt;
use crossterm::event::{self, Event};
use crossterm::terminal::size;
use flitsim_measure::live::Stopped;
use flitsim_scenario::{Load, SeriesPlan};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// From frame to frame, and how much of it may go into simulating.
const FRAME: Duration = Duration::from_millis(50);
const SIMULATING_MOST: Duration = Duration::from_millis(40);

/// The largest screen that is drawn.
const COLUMNS_MOST: u16 = 1000;
const LINES_MOST: u16 = 500;

/// Why the display ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The user has seen enough; what had stopped the simulation by then.
    Quit(Option<Stopped>),
    /// On to the next series.
    NextSeries,
}

/// Shows `watched`, a simulation of `series` that began with `load`, on `out`, the terminal. `control`
/// outlives a series.
///
/// # Errors
/// A terminal that cannot be written to or read from.
pub fn show(
    watched: &mut Simulation<'_>,
    series: &SeriesPlan,
    load: Load,
    heading: &Heading,
    control: &mut Control,
    in_colour: bool,
    out: &mut impl Write,
) -> io::Result<Left> {
    let map = Map::of(&series.network);
    let mut load = load;
    let mut message: Option<String> = None;
    let mut before: Option<Screen> = None;
    let mut owed = Owed::default();
    loop {
        let start = Instant::now();
        if !control.is_paused {
            owed.pay(watched, control.cycles_per_second());
        }
        // A terminal that claims more is not drawn in full.
        let (width, height) = size()?;
        let (width, height) = (width.min(COLUMNS_MOST), height.min(LINES_MOST));
        let view = View {
            heading,
            network: &series.network,
            config: &series.engine,
            map: map.as_ref(),
            moment: &watched.moment(),
            control: *control,
            load: load.in_unit,
            message: message.as_deref(),
        };
        let screen = render(&view, width, height);
        paint(out, &screen, before.as_ref(), in_colour)?;
        before = Some(screen);
        // Nothing moves: nothing to draw before a key, but a signal must be seen.
        let is_still = control.is_paused || watched.is_stopped();
        let wait = if is_still { 4 * FRAME } else { FRAME };
        while event::poll(wait.saturating_sub(start.elapsed()))? {
            let action = match event::read()? {
                Event::Key(key) => control.press(key),
                Event::Resize(..) => {
                    before = None;
                    break;
                }
                _ => continue,
            };
            message = None;
            match action {
                Action::Nothing => {}
                Action::Quit => return Ok(Left::Quit(watched.moment().stopped)),
                Action::NextSeries => return Ok(Left::NextSeries),
                Action::Step(cycles) => watched.advance(cycles),
                Action::Load { up } => message = change_load(watched, series, &mut load, up),
            }
            if is_still {
                break;
            }
        }
        if control.is_paused {
            owed = Owed::default();
        }
        if interrupt::is_asked_for() {
            return Ok(Left::Quit(watched.moment().stopped));
        }
    }
}

/// Takes the next load; says why where it cannot.
fn change_load(
    watched: &mut Simulation<'_>,
    series: &SeriesPlan,
    load: &mut Load,
    up: bool,
) -> Option<String> {
    if let Some(workload) = &series.workload {
        let name = workload.name();
        return Some(format!(
            "{name} has no load to change; --load gives its amount"
        ));
    }
    let scale = series.load_scale;
    let in_unit = next_load(load.in_unit, up);
    let flits = in_unit * scale.flits_per_unit;
    if flits > scale.flits_most {
        return Some(format!(
            "{in_unit} {} is more than can be offered",
            series.load_unit
        ));
    }
    let next = Load { in_unit, flits };
    match watched.set_load(next) {
        Ok(()) => {
            *load = next;
            None
        }
        Err(error) => Some(format!("the load stays: {error}")),
    }
}

/// Cycles that the clock asks for and that have not been simulated.
#[derive(Default)]
struct Owed {
    cycles: f64,
    paid: Option<Instant>,
}

impl Owed {
    /// Simulates what time asks for, as much as there is time for: what cannot be done is forgotten.
    fn pay(&mut self, watched: &mut Simulation<'_>, cycles_per_second: u64) {
        let now = Instant::now();
        let passed = self.paid.map_or(FRAME, |paid| now - paid);
        self.paid = Some(now);
        let wanted = passed.min(2 * FRAME).as_secs_f64() * cycles_per_second as f64;
        self.cycles = wanted + self.cycles.fract();
        let mut at_once = 1;
        while self.cycles >= 1.0 && now.elapsed() < SIMULATING_MOST {
            let cycles = at_once.min(self.cycles as u64);
            watched.advance(cycles);
            self.cycles -= cycles as f64;
            // A cycle of a large network may take as long as a frame.
            at_once *= 2;
        }
    }
}
