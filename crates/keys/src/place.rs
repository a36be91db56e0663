//! Where something stands.

use std::ops::Range;

/// A range of bytes in the text that a value was read from.
pub type Place = Range<usize>;

/// A value, and where it stands; no place where it is a default, or no text says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Option<Place>,
}

impl<T> Placed<T> {
    /// A value that no text says.
    pub const fn default_of(value: T) -> Self {
        Self { value, place: None }
    }

    /// A value that stands at `place`.
    pub const fn at(value: T, place: Place) -> Self {
        Self {
            value,
            place: Some(place),
        }
    }

    /// Another value at the same place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Placed<U> {
        Placed {
            value: f(self.value),
            place: self.place,
        }
    }
}
