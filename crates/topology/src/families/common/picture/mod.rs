//! What pictures of networks are made of.

pub(crate) mod cartesian;
pub(crate) mod circle;
pub(crate) mod colour;
pub(crate) mod lattice;
pub(crate) mod oblique;
pub(crate) mod path;
pub(crate) mod plan;
pub(crate) mod stress;

pub(crate) use plan::Plan;
