//! The kernel: the state of the routers, and the phases of a cycle in their order: deliver, inject,
//! allocate virtual channels (which routes), allocate the switch, traverse. See the README beside.

mod active;
mod allocate_switch;
mod allocate_vc;
mod ask;
mod best;
pub(crate) mod bits;
mod cells;
mod decide;
mod deliver;
mod engine;
mod fast_paths;
mod inject;
pub(crate) mod invariant;
mod islip;
pub(crate) mod lane;
mod memory;
mod park;
pub(crate) mod partition;
mod parts;
mod read_ahead;
mod receive;
mod rotation;
mod sharing;
pub(crate) mod staged;
mod stages;
mod start;
pub(crate) mod state;
mod switch_by_masks;
pub(crate) mod timing;
mod traverse;
mod vc_allocation;
mod wait;
pub(crate) mod wheel;
pub(crate) mod wiring;

pub use engine::{Counters, Engine};
