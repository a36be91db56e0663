//! Papers reproduced: every table and figure computed or simulated anew, every claim checked.
//!
//! A paper is a folder of `scenarios/papers/`: `items.toml` says what it consists of, `claims.toml`
//! what it claims and how that is read off the items' tables, and each simulated item has its
//! scenario, which `flitsim sweep` takes as well.

pub mod claim_page;
pub mod claims;
pub mod computed;
pub mod figure;
pub mod items;
pub mod library;
pub mod measure;
pub mod modelled;
pub mod page;
pub mod run;
pub mod simulated;
pub mod table;
