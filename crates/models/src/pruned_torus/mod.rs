//! Full, pruned, Manhattan and pruned Manhattan tori (B. Parhami & D.-M. Kwai, "Comparing four
//! classes of torus-based parallel architectures: network parameters and communication performance",
//! 2004).
//!
//! [`parameters`] has theorems 1 to 4 and table 1, [`contention`] the Markov chain of section 5,
//! [`latency`] the model of latency and its approximations, [`figures`] figures 4, 5 and 7 to 16.
//! Assumptions of the model: virtual cut-through with buffers of any size, every node and every
//! channel alike, independent arrivals, a packet's next channel any but the one it came by.
//!
//! | printed | what is wrong | here |
//! | --- | --- | --- |
//! | table 1, diameters of the one-way tori | they hold for k ≡ 0 mod 4 only | [`parameters::Torus::diameter_printed`], [`parameters::Torus::diameter`] |
//! | section 3.E, edge-transitivity | false for both pruned tori: channels of dimensions 1 and up carry more than the mean, so that a simulation saturates earlier | [`latency`] is as printed |
//! | T = (F + s (Δ − 1)) (1 − p_w) + T_c | waiting shortens what is not waiting | as printed |
//! | the series of section 6, − s | + s | [`latency::Model::latency_series_printed`], [`latency::Model::latency_series`] |

pub mod contention;
pub mod figures;
pub mod latency;
pub mod parameters;
