//! Addressed randomness: a draw depends on what it is for (seed, purpose, node, cycle) and on nothing
//! that happened elsewhere, so that neither the order of events nor the number of threads shows.
//!
//! An [`Address`] is hashed to the 128 bits of state of a [`Pcg64Mcg`], the generator of one event;
//! where one word is enough it is a hash itself, by [`mix`]. Different addresses are different
//! states, never different streams of one state: those of a PCG may be correlated.
//!
//! ```
//! use flitsim_random::{Address, Draw};
//! use rand::seq::SliceRandom;
//!
//! let node_5 = Address::new(1).with(5);
//! let mut of_cycle_9 = node_5.with(9).generator();
//! assert!(of_cycle_9.below(16) < 16);
//! let mut order = [0, 1, 2, 3];
//! order.shuffle(&mut of_cycle_9);
//! ```
//!
//! Invariant: integers only, and golden vectors pin every value on every platform.

mod address;
mod draw;

pub use address::{Address, mix};
pub use draw::{Draw, Ratio};
pub use rand_pcg::Pcg64Mcg;
