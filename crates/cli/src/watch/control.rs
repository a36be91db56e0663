//! What keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use flitsim_measure::live::SLOT_CYCLES;

/// Cycles a second, from slow enough to follow a flit to as many as there is time for.
const SPEEDS: [u64; 11] = [
    1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000,
];

/// The speed at the start.
const SPEED_FIRST: usize = 6;

/// What the numbers in a map's nodes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Flits in a router's buffers.
    Buffers,
    /// Packets in a terminal's source queue.
    Queues,
}

/// What is asked of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// The end.
    Quit,
    /// This many cycles at once.
    Step(u64),
    /// The next load above, or below.
    Load {
        /// Above.
        up: bool,
    },
    /// The next series of the scenario.
    NextSeries,
}

/// How the display runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Nothing moves but by steps.
    pub is_paused: bool,
    /// What the numbers in nodes count.
    pub value: Value,
    speed: usize,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            is_paused: false,
            value: Value::Buffers,
            speed: SPEED_FIRST,
        }
    }
}

impl Control {
    /// The keys, for the last line of the screen.
    pub const KEYS: &'static str =
        "q quit  space pause  s S step  + - speed  ↑ ↓ load  v queues  tab series";

    /// Cycles a second.
    pub fn cycles_per_second(self) -> u64 {
        SPEEDS[self.speed]
    }

    /// A key was pressed.
    pub fn press(&mut self, key: KeyEvent) -> Action {
        if key.kind == KeyEventKind::Release {
            return Action::Nothing;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            // The terminal is in raw mode: Ctrl-C comes as a key.
            KeyCode::Char('c' | 'd') if is_control => return Action::Quit,
            _ if is_control => {}
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Action::Quit,
            KeyCode::Char(' ' | 'p') => self.is_paused = !self.is_paused,
            KeyCode::Char('s' | '.') => return self.step(1),
            KeyCode::Char('S') => return self.step(SLOT_CYCLES),
            KeyCode::Char('+' | '=') | KeyCode::Right => {
                self.speed = (self.speed + 1).min(SPEEDS.len() - 1);
            }
            KeyCode::Char('-' | '_') | KeyCode::Left => self.speed = self.speed.saturating_sub(1),
            KeyCode::Up | KeyCode::Char(']') => return Action::Load { up: true },
            KeyCode::Down | KeyCode::Char('[') => return Action::Load { up: false },
            KeyCode::Char('v') => {
                self.value = match self.value {
                    Value::Buffers => Value::Queues,
                    Value::Queues => Value::Buffers,
                };
            }
            KeyCode::Tab => return Action::NextSeries,
            _ => {}
        }
        Action::Nothing
    }

    /// Stepping pauses: what moves by itself cannot be stepped.
    fn step(&mut self, cycles: u64) -> Action {
        self.is_paused = true;
        Action::Step(cycles)
    }
}

/// The next round load above or below `load`, by 5 to 10 % of it.
pub(super) fn next_load(load: f64, up: bool) -> f64 {
    if load < 1e-6 {
        return if up { 0.001 } else { 0.0 };
    }
    // Going down from 0.2 is going through 0.19: the step of what lies below counts.
    let within = if up { load } else { load * (1.0 - 1e-9) };
    let decade = 10f64.powi((within.log10() + 1e-12).floor() as i32);
    let step = match within / decade {
        mantissa if mantissa < 2.0 - 1e-9 => 0.1,
        mantissa if mantissa < 5.0 - 1e-9 => 0.2,
        _ => 0.5,
    } * decade;
    let steps = load / step;
    let next = if up {
        (steps + 1e-6).floor() + 1.0
    } else {
        (steps - 1e-6).ceil() - 1.0
    };
    // Ten digits: sums of tenths are not what is typed.
    format!("{:.9e}", next * step).parse().unwrap_or(load)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(control: &mut Control, code: KeyCode) -> Action {
        control.press(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn every_way_out_is_a_way_out() {
        let mut control = Control::default();
        for code in [KeyCode::Char('q'), KeyCode::Esc] {
            assert_eq!(press(&mut control, code), Action::Quit);
        }
        let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(control.press(interrupt), Action::Quit);
        assert_eq!(press(&mut control, KeyCode::Char('c')), Action::Nothing);
    }

    #[test]
    fn a_step_pauses_and_space_goes_on() {
        let mut control = Control::default();
        assert_eq!(press(&mut control, KeyCode::Char('s')), Action::Step(1));
        assert!(control.is_paused);
        assert_eq!(press(&mut control, KeyCode::Char('S')), Action::Step(256));
        assert_eq!(press(&mut control, KeyCode::Char(' ')), Action::Nothing);
        assert!(!control.is_paused);
    }

    #[test]
    fn speeds_end_at_both_ends() {
        let mut control = Control::default();
        assert_eq!(control.cycles_per_second(), 1_000);
        for _ in 0..20 {
            press(&mut control, KeyCode::Char('+'));
        }
        assert_eq!(control.cycles_per_second(), 1_000_000);
        for _ in 0..20 {
            press(&mut control, KeyCode::Left);
        }
        assert_eq!(control.cycles_per_second(), 1);
    }

    #[test]
    fn loads_are_round_and_up_and_down_meet() {
        let mut load = 0.1;
        let mut loads = vec![load];
        while load < 1.0 {
            load = next_load(load, true);
            loads.push(load);
        }
        assert_eq!(loads[..4], [0.1, 0.11, 0.12, 0.13]);
        assert!(loads.contains(&0.2) && loads.contains(&0.22) && loads.contains(&0.55));
        assert_eq!(loads.last(), Some(&1.0));
        for pair in loads.windows(2) {
            assert_eq!(next_load(pair[1], false), pair[0], "below {}", pair[1]);
        }
        // A load of the scenario that is not round joins the ladder.
        assert_eq!(next_load(0.333, true), 0.34);
        assert_eq!(next_load(0.333, false), 0.32);
        assert_eq!(next_load(0.0, true), 0.001);
        assert_eq!(next_load(0.0, false), 0.0);
    }
}
