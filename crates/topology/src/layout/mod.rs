//! Where nodes and wires lie.

mod wire_model;

pub use wire_model::WireModel;
