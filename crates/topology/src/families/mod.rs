//! The families of networks, one folder each, and the list of them.
//!
//! A family is added by its folder and one line below. All else asks [`Family`], and matches over
//! [`Shape`](crate::Shape) name every family, so that what is forgotten does not compile.

mod butterfly;
pub(crate) mod common;
pub(crate) mod define;
pub mod dragonfly;
pub mod express;
pub(crate) mod family;
pub mod fat_tree;
mod file;
pub(crate) mod grid;
mod hyperx;
mod random_regular;
mod slim_fly;
pub(crate) mod sparse_torus;
mod star;
mod xgft;

pub use define::Kind;
pub(crate) use family::Family;
pub use file::{FileDefinition, UserNetwork};

pub use butterfly::{Butterfly, ButterflyDefinition};
pub use dragonfly::{Arrangement, Dragonfly, DragonflyDefinition};
pub use express::{ExpressCube, ExpressParameters};
pub use fat_tree::{FatTree, FatTreeDefinition, FatTreeKind};
pub use grid::{Grid, GridDefinition};
pub use hyperx::{HyperX, HyperXDefinition};
pub use random_regular::{RandomRegular, RandomRegularDefinition};
pub use slim_fly::{SlimFly, SlimFlyDefinition};
pub use sparse_torus::{SparseTorus, SparseTorusDefinition, Thinning};
pub use star::{Star, StarDefinition};
pub use xgft::{Xgft, XgftDefinition};

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
            /// A HyperX, or a fully connected network.
            HyperX, hyperx, HyperXDefinition;
            /// A dragonfly.
            Dragonfly, dragonfly, DragonflyDefinition;
            /// A Slim Fly.
            SlimFly, slim_fly, SlimFlyDefinition;
            /// A random regular graph.
            RandomRegular, random_regular, RandomRegularDefinition;
            /// A fat-tree: a k-ary n-tree or another XGFT.
            Xgft, xgft, XgftDefinition;
            /// A butterfly, or k-ary n-fly.
            Butterfly, butterfly, ButterflyDefinition;
        }
    };
}
pub(crate) use families;

/// Those of them that know their shortest paths in closed form; all others are searched.
macro_rules! families_with_paths {
    ($then:ident) => {
        $then! { Grid, Star, SparseTorus, HyperX, SlimFly }
    };
}
pub(crate) use families_with_paths;
