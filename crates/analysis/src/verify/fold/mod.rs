//! Proofs of large networks by their parts: dimension order ring by ring, Valiant's routing leg by leg.

mod legs;
mod parts;
mod product;
mod ring;

pub use legs::verify_by_legs;
pub use parts::verify_leg_by_leg;
pub use product::verify_by_product;
