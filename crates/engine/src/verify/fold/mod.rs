//! Proofs of large networks by their parts: dimension order ring by ring, Valiant's routing leg by leg.

mod legs;
mod product;
mod ring;

pub use legs::verify_by_legs;
pub use product::verify_by_product;
