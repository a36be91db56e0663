//! Routing as a pure relation, which maps where a head is, where it goes and the state it carries
//! to the virtual channels that it may take next. The engine calls the relation and a verifier
//! enumerates it, so what is proved is what runs.
//!
//! A routing algorithm is one file here and a line in `registry`; the file says everything that
//! other modules ask about it.

mod choice;
mod classes;
mod concentrated;
mod dal;
mod description;
mod destination_tag;
mod detour;
mod dimension_order;
mod drawn_ancestor;
mod duato;
mod enhanced_nbc;
mod express;
mod fat_pyramid;
mod fewest_descents;
mod folded;
mod hop_class;
mod hyperx_order;
mod minimal;
mod minimal_adaptive;
mod nbc;
mod nearest_common_ancestor;
mod nhop;
mod o1turn;
mod odd_even;
mod options;
mod own;
mod planar_adaptive;
mod pruned_order;
mod queues;
mod registry;
mod relation;
mod symmetry;
mod table;
mod tables;
mod turn_model;
mod ugal;
mod up_down;
mod valiant;
mod with_escape;
mod xgft_ancestor;

pub use choice::RoutingChoice;
pub use concentrated::BetweenRouters;
pub use dal::Dal;
pub use description::{Description, Fit, Needs, Site, Spread};
pub use destination_tag::DestinationTag;
pub use detour::Detour;
pub use dimension_order::DimensionOrder;
pub use duato::{Duato, ECube};
pub use enhanced_nbc::EnhancedNbc;
pub use express::Express;
pub use fat_pyramid::FatPyramid;
pub use fewest_descents::FewestDescents;
pub use folded::Folded;
pub use hop_class::HopClass;
pub use hyperx_order::HyperXOrder;
pub use minimal::LocalGlobalLocal;
pub use minimal_adaptive::MinimalAdaptive;
pub use nbc::Nbc;
pub use nearest_common_ancestor::NearestCommonAncestor;
pub use nhop::NegativeHop;
pub use o1turn::O1Turn;
pub use odd_even::OddEven;
pub use options::{
    AfterEscape, Ascent, GroupClasses, Knowledge, Levels, OptionKey, Options, Order, RingClasses,
    Tie,
};
pub use own::{Own, OwnRelation};
pub use planar_adaptive::PlanarAdaptive;
pub use pruned_order::PrunedOrder;
pub use queues::{Empty, Queues, Undecided};
pub(crate) use queues::{drawn, undecided};
pub use registry::{Algorithm, Between, Legs, OverEscape, Relation, register};
pub use relation::{
    Candidate, Candidates, Head, Plain, Routing, VcMask, Way, WithRouting, each_vc, vc_range,
};
pub use symmetry::Symmetry;
pub use table::{SourceRoutes, Table, TableError, TableProblem};
pub use tables::Tables;
pub use turn_model::{TurnModel, TurnRule};
pub use ugal::Ugal;
pub use up_down::{AdaptiveUpDown, UpDown};
pub use valiant::Valiant;
pub use with_escape::WithEscape;
pub use xgft_ancestor::XgftAncestor;
