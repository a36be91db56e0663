//! `flitsim watch`: a network alive in the terminal.
//!
//! A [`Simulation`] runs one series at one load, the same packets as `flitsim run` has, and tells what
//! is happening now: a [`Moment`]. [`render`] makes a [`Screen`] of it, a pure function; [`paint`]
//! writes what has changed since the last one; [`Terminal`] gives the terminal back as it was, however
//! the program ends.
//!
//! Invariant: what is simulated does not depend on how fast, or how often, it is looked at.

mod control;
mod gauge;
mod map;
mod paint;
mod render;
mod screen;
mod show;
mod simulation;
mod spark;
mod spread;
mod terminal;

pub use control::{Action, Control, Value};
pub use gauge::{Gauge, SLOT_CYCLES, Slot};
pub use map::Map;
pub use paint::paint;
pub use render::{Heading, View, render};
pub use screen::{Cell, Screen, Tone};
pub use show::{Left, show};
pub use simulation::{Moment, Simulation, Stopped, Watched, simulated};
pub use terminal::{Terminal, leave};
