//! The star graph and the hypercube of about as many nodes, at equal cost (A. E. Kiasari &
//! H. Sarbazi-Azad, "A comparative performance analysis of n-cubes and star graphs", 2006).
//!
//! Equations 1 to 3 are [`Star::latency`] and [`Hypercube::latency`], equations 4 to 9 the functions
//! of this module, figure 2 is [`figure_2`]. Assumptions: Poisson sources, uniform destinations other
//! than the source, fixed messages, one cycle a hop, any number of messages on their way in at once
//! (V injection virtual channels simulate that), destinations that take all that comes.
//!
//! The appendix leaves out how a channel's rate, the wait at the source and V̄ follow; the module
//! `channel` has them marked. E(H_n) is printed as n 2^n; it is n 2^(n−1) links.

mod channel;
mod figure;
mod hypercube;
mod routes;
mod star;
mod widths;

pub use channel::{Latency, busy_probabilities, multiplexing, wait_cycles};
pub use figure::{Figure2, Figure2Row, Panel, figure_2};
pub use hypercube::{Hypercube, distance_shares, mean_distance};
pub use routes::{Destinations, destinations};
pub use star::{Star, all_busy_probability, escape_classes};
pub use widths::{
    bisection_ratio, hypercube_bisection_wires, hypercube_pins, pin_out_ratio,
    star_bisection_wires, star_pins,
};
