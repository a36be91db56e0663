//! The families of networks: their names in scenario files.

/// The kinds that can be built.
pub(super) const KINDS: [(&str, Kind); 11] = [
    ("torus", Kind::Torus),
    ("mesh", Kind::Mesh),
    ("hypercube", Kind::Hypercube),
    ("express-cube", Kind::ExpressCube),
    ("butterfly-fat-tree", Kind::ButterflyFatTree),
    ("fat-pyramid", Kind::FatPyramid),
    ("star", Kind::Star),
    ("pruned-torus", Kind::PrunedTorus),
    ("manhattan-torus", Kind::ManhattanTorus),
    ("pruned-manhattan-torus", Kind::PrunedManhattanTorus),
    ("file", Kind::File),
];

/// A family of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// k-ary n-cube: every dimension a ring.
    Torus,
    /// Every dimension a line.
    Mesh,
    /// Two nodes a dimension.
    Hypercube,
    /// A mesh with interchanges and express channels.
    ExpressCube,
    /// Processors below switches with two parents each.
    ButterflyFatTree,
    /// The same, each copy of a level a mesh.
    FatPyramid,
    /// Permutations, joined by swaps with the first place.
    Star,
    /// A torus with part of its links.
    PrunedTorus,
    /// A torus with one way of each link.
    ManhattanTorus,
    /// A torus with one way of part of its links.
    PrunedManhattanTorus,
    /// The user's own.
    File,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|(_, kind)| *kind)
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|(word, _)| *word == name).map(|k| k.1)
    }

    /// The name in scenario files.
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |k| k.0)
    }
}
