//! Traces: packets that a file lists, some of which wait for the delivery of others.
//!
//! # Format
//! A table of comma-separated values in the form of channel lists (`flitsim_topology::file`). Its
//! header begins with `cycle`; the other columns may stand in any order.
//!
//! ```csv
//! cycle,source,destination,flits,packet,depends_on,delay
//! 0,0,5,1,ask,,
//! ,5,0,16,answer,ask,20
//! 100,3,4,8,,,
//! ```
//!
//! | column | what it holds |
//! | --- | --- |
//! | `cycle` | the cycle in which the packet is created, or with `depends_on` the earliest; empty there: none |
//! | `source`, `destination` | terminals, by the names of the network |
//! | `flits` | the packet's length |
//! | `packet` | its name, for others to depend on: any text without spaces, semicolons and quotes |
//! | `depends_on` | names of packets that must be delivered before it is created, spaces or semicolons between them |
//! | `delay` | cycles from the last of these deliveries to its creation; 0 where empty |
//!
//! Rows are in ascending order of `cycle`. A packet may depend on one that stands below it, but
//! packets that wait for each other are refused.
//!
//! Invariant: a [`Trace`] can be replayed to its end: every dependency is delivered before what
//! depends on it. It takes 20 bytes a packet, or with dependencies 32 and 4 for each of them.

mod circle;
mod packets;
mod parse;
mod replay;

pub use packets::Trace;
pub use replay::Replay;
