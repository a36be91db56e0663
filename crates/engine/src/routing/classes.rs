//! Virtual channels split into classes of nearly equal size.

use super::relation::{VcMask, all_virtual_channels, vc_range};
use crate::ConfigError;
use std::fmt::Display;

/// `vcs` virtual channels in `count` classes: consecutive ranges, the first of them one longer where
/// they do not come out even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    each: u32,
    longer: u32,
}

impl Classes {
    /// Splits `virtual_channels` for the algorithm called `name`, which needs `count` classes
    /// because of `why`.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] unless there are 1 to 64 virtual channels, and
    /// [`ConfigError::Routing`] where some class would be empty.
    pub(super) fn new(
        virtual_channels: u32,
        count: u32,
        name: &str,
        why: &str,
    ) -> Result<Self, ConfigError> {
        all_virtual_channels(virtual_channels)?;
        enough(name, count, why, virtual_channels)?;
        Ok(Self {
            each: virtual_channels / count.max(1),
            longer: virtual_channels % count.max(1),
        })
    }

    /// The virtual channels of class `class`.
    #[inline]
    pub(super) fn vcs(self, class: u32) -> VcMask {
        vc_range(self.start(class), self.start(class + 1))
    }

    /// The virtual channels of the classes `from..to`.
    #[inline]
    pub(super) fn vcs_of(self, from: u32, to: u32) -> VcMask {
        vc_range(self.start(from), self.start(to))
    }

    #[inline]
    fn start(self, class: u32) -> u32 {
        class * self.each + class.min(self.longer)
    }
}

/// That `name` has the virtual channels that it needs; `why` says what for.
///
/// # Errors
///
/// [`ConfigError::Routing`] with fewer than `wanted`.
pub(super) fn enough(
    name: impl Display,
    wanted: u32,
    why: impl Display,
    virtual_channels: u32,
) -> Result<(), ConfigError> {
    if virtual_channels >= wanted {
        return Ok(());
    }
    let verb = if virtual_channels == 1 { "is" } else { "are" };
    Err(ConfigError::routing(format!(
        "{name} needs at least {wanted} virtual channels here, {why}; there {verb} {virtual_channels}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_nearly_equal_and_cover_all() {
        for count in 1..=64 {
            for virtual_channels in count..=64 {
                let classes = Classes::new(virtual_channels, count, "", "").unwrap();
                let mut all: VcMask = 0;
                for class in 0..count {
                    let vcs = classes.vcs(class);
                    assert_eq!(all & vcs, 0);
                    all |= vcs;
                    let size = vcs.count_ones();
                    assert!(
                        size == virtual_channels / count
                            || size == virtual_channels.div_ceil(count)
                    );
                }
                assert_eq!(all, classes.vcs_of(0, count));
                assert_eq!(all.count_ones(), virtual_channels);
            }
        }
    }
}
