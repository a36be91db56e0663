//! Charts and pages: what people look at.
//!
//! Invariant: everything here is a pure function from rows to text, with the same bytes on every
//! machine. Nothing that is drawn or written refers to anything outside its own file.

pub mod bars;
pub mod chart;
mod curve;
pub mod figure;
pub mod frame;
#[cfg(test)]
mod gallery;
pub mod html;
mod key;
mod notes;
pub mod page;
mod palette;
#[cfg(feature = "png")]
pub mod pdf;
pub mod plot;
#[cfg(feature = "png")]
pub mod png;
pub mod prospect;
mod scale;
#[cfg(feature = "png")]
mod scene;
pub mod svg;
mod text;
mod wall;
pub mod words;

pub use figure::{Curve, CurvePoint, Figure};
#[cfg(feature = "png")]
pub use scene::PictureError;
