//! What is known of a network beyond its graph.

use super::Concentrated;
use crate::families::*;

macro_rules! shape {
    ($($(#[$doc:meta])* $family:ident, $name:ident, $definition:ident;)*) => {
        /// What is known of a network beyond its graph: the coordinates that routing relies on.
        #[derive(Clone, Debug)]
        pub enum Shape {
            $($(#[$doc])* $family($family),)*
            /// Any of them with several terminals at every router.
            Concentrated(Concentrated),
            /// The user's own, from a file or from code, or what is left of a network where
            /// something has failed: nothing is known but the graph.
            File(UserNetwork),
        }

        impl Shape {
            pub(crate) fn family(&self) -> &dyn Family {
                match self {
                    $(Self::$family(family) => family,)*
                    Self::Concentrated(family) => family,
                    Self::File(network) => network,
                }
            }
        }
    };
}
families!(shape);
