//! The dense engine: passes over all routers of a busy grid, many routers at once. The README beside
//! this file has the layout.

mod around;
mod block;
mod cycle;
mod engine;
mod links;
mod pass;
mod row;
mod site;
mod stages;

pub use engine::{DenseEngine, Unfit, Vectors};
