//! The families of networks, one folder each, and the list of them.
//!
//! A family is added by its folder and one line below. All else asks [`Family`], and matches over
//! [`Shape`] name every family, so that what is forgotten does not compile.

pub(crate) mod common;
pub(crate) mod define;
pub mod express;
mod family;
pub mod fat_tree;
mod file;
pub(crate) mod grid;
pub(crate) mod sparse_torus;
mod star;

pub use define::Kind;
pub(crate) use family::Family;
pub use file::{FileDefinition, UserNetwork};

pub use express::{ExpressCube, ExpressParameters};
pub use fat_tree::{FatTree, FatTreeDefinition, FatTreeKind};
pub use grid::{Grid, GridDefinition};
pub use sparse_torus::{SparseTorus, SparseTorusDefinition, Thinning};
pub use star::{Star, StarDefinition};

/// The list, in the order of the documentation: each family's type, the name by which a network is
/// asked for it, and what scenarios say of it.
macro_rules! families {
    ($then:ident) => {
        $then! {
            /// A torus, mesh or hypercube, of any radices.
            Grid, grid, GridDefinition;
            /// A mesh with express channels.
            ExpressCube, express_cube, ExpressParameters;
            /// A butterfly fat-tree or fat-pyramid.
            FatTree, fat_tree, FatTreeDefinition;
            /// A star graph.
            Star, star, StarDefinition;
            /// A pruned torus, a Manhattan torus, or a pruned Manhattan torus.
            SparseTorus, sparse_torus, SparseTorusDefinition;
        }
    };
}
pub(crate) use families;

/// Those of them that know their shortest paths in closed form; all others are searched.
macro_rules! families_with_paths {
    ($then:ident) => {
        $then! { Grid, Star, SparseTorus }
    };
}
pub(crate) use families_with_paths;

macro_rules! shape {
    ($($(#[$doc:meta])* $family:ident, $name:ident, $definition:ident;)*) => {
        /// What is known of a network beyond its graph: the coordinates that routing relies on.
        #[derive(Clone, Debug)]
        pub enum Shape {
            $($(#[$doc])* $family($family),)*
            /// The user's own, from a file or from code, or what is left of a network where
            /// something has failed: nothing is known but the graph.
            File(UserNetwork),
        }

        impl Shape {
            pub(crate) fn family(&self) -> &dyn Family {
                match self {
                    $(Self::$family(family) => family,)*
                    Self::File(network) => network,
                }
            }
        }
    };
}
families!(shape);
