//! What the literature knows of a family's bisection.

/// A halving of the terminals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Channels across, both ways together.
    pub(crate) channels: u64,
    /// Whether no halving has fewer: proved, or given by the family's paper and never contradicted
    /// by a search. Else it is an upper bound.
    pub(crate) is_least: bool,
    /// Where the number comes from, in a phrase.
    pub(crate) how: &'static str,
}

impl Cut {
    /// One that no halving is below.
    pub(crate) fn least(channels: u64, how: &'static str) -> Self {
        Self {
            channels,
            is_least: true,
            how,
        }
    }

    /// One that others may be below.
    pub(crate) fn bound(channels: u64, how: &'static str) -> Self {
        Self {
            is_least: false,
            ..Self::least(channels, how)
        }
    }
}
