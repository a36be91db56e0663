//! What a relation may say of the automorphisms of its network that it respects.

/// A group of automorphisms of a network. Under each of them the relation offers an image of a head,
/// in the same state, the images of what it offers the head, and sources begin in the same states.
///
/// It is a promise: proofs rest on it. They try it on a sample, and do not believe it where that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The identity alone.
    None,
    /// The translations: of rings, the addition of coordinates; of binary dimensions, their
    /// exclusive or; of the star graph, the renaming of symbols; of the butterfly fat-tree, the
    /// exclusive or of processors' places. Of other networks: the automorphisms that take every channel
    /// to one of the same dimension.
    Translations,
    /// Those of them that take each of the network's two colours to itself.
    ColourPreservingTranslations,
    /// All automorphisms of the network: of the star graph, the moving of positions as well.
    Automorphisms,
    /// Those of them that take each of the network's two colours to itself.
    ColourPreservingAutomorphisms,
}

impl Symmetry {
    /// What a relation respects that is made of two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::None || other == Self::None {
            return Self::None;
        }
        let all = self.has_all() && other.has_all();
        match (all, self.keeps_colour() || other.keeps_colour()) {
            (false, false) => Self::Translations,
            (false, true) => Self::ColourPreservingTranslations,
            (true, false) => Self::Automorphisms,
            (true, true) => Self::ColourPreservingAutomorphisms,
        }
    }

    /// Whether there are others than translations.
    pub fn has_all(self) -> bool {
        matches!(
            self,
            Self::Automorphisms | Self::ColourPreservingAutomorphisms
        )
    }

    /// Whether only those are meant that take each colour to itself.
    pub fn keeps_colour(self) -> bool {
        matches!(
            self,
            Self::ColourPreservingTranslations | Self::ColourPreservingAutomorphisms
        )
    }
}
