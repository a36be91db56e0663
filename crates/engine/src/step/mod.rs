//! The phases of a cycle, one a file, in the order in which they run: deliver, inject, allocate
//! virtual channels (which routes), allocate the switch, traverse.

mod allocate_switch;
mod allocate_vc;
mod claims;
mod deliver;
mod inject;
mod islip;
mod park;
mod parts;
mod read_ahead;
mod receive;
mod switch_by_masks;
mod traverse;
