//! `flitsim watch`: a network alive in the terminal.
//!
//! A [`Simulation`] runs one series at one load, the same packets as `flitsim run` has, and
//! tells what is happening now: a [`Moment`]. [`render`] makes a screen of it, a pure function; [`show`]
//! writes what has changed since the last one; [`Terminal`] gives the terminal back as it was, however
//! the program ends.
//!
//! Invariant: what is simulated does not depend on how fast, or how often, it is looked at.

mod control;
mod heat;
mod map;
mod moment;
mod paint;
mod render;
mod screen;
mod show;
mod simulation;
mod spark;
mod spread;
mod terminal;
mod view;

pub use control::Control;
pub use flitsim_measure::live::Stopped;
pub use map::Map;
pub use moment::Moment;
pub use render::render;
pub use screen::Tone;
pub use show::{Left, show};
pub use simulation::Simulation;
pub use terminal::{Terminal, leave};
pub use view::{Heading, View};
