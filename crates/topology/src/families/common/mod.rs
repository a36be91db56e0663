//! What families are made of, and what they tell of themselves is made of.

pub(crate) mod coordinates;
pub(crate) mod cut;
pub(crate) mod density;
pub(crate) mod guess;
pub(crate) mod pairs;
pub(crate) mod picture;
pub(crate) mod places;
pub(crate) mod plane;
pub(crate) mod profile;
pub(crate) mod raster;
pub(crate) mod sizes;
pub(crate) mod unit_cost;
