//! What a relation may say of the automorphisms of its network that it respects.

/// A group of automorphisms of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The identity alone.
    None,
    /// The translations: of rings, the addition of coordinates; of binary dimensions, their
    /// exclusive or; of the star graph, the renaming of symbols. There the moving of positions is
    /// tried as well, and made use of where the relation respects it.
    Translations,
    /// Those of them that take each of the network's two colours to itself.
    ColourPreserving,
}

impl Symmetry {
    /// What a relation respects that is made of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => Self::None,
            (Self::Translations, Self::Translations) => Self::Translations,
            _ => Self::ColourPreserving,
        }
    }
}
