//! The automorphisms of its network that a relation may say it respects.

/// A group of automorphisms of a network. Under each of them, the relation offers the image of a
/// head, in the same state, the images of what it offers the head itself. Packets begin in the same
/// states at the image of their source.
///
/// It is a promise on which proofs rest. They try it on a sample, and do not rely on it where the
/// sample fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// The identity alone.
    None,
    /// The translations. For rings these are the addition of coordinates; for binary dimensions,
    /// the exclusive or of coordinates; for the star graph, the renaming of symbols; for the
    /// butterfly fat-tree, the exclusive or of processors' places; for other networks, the
    /// automorphisms that take every channel to one of the same dimension.
    Translations,
    /// The translations that take each of the network's two colours to itself.
    ColourPreservingTranslations,
    /// All automorphisms of the network; for the star graph, the moving of positions too.
    Automorphisms,
    /// The automorphisms that take each of the network's two colours to itself.
    ColourPreservingAutomorphisms,
}

impl Symmetry {
    /// What a relation made of two others respects.
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

    /// Whether it has automorphisms other than translations.
    pub fn has_all(self) -> bool {
        matches!(
            self,
            Self::Automorphisms | Self::ColourPreservingAutomorphisms
        )
    }

    /// Whether it is limited to those that take each colour to itself.
    pub fn keeps_colour(self) -> bool {
        matches!(
            self,
            Self::ColourPreservingTranslations | Self::ColourPreservingAutomorphisms
        )
    }
}
