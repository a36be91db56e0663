//! How heads wait that do not park: each asks its relation once, and again when a virtual channel is freed of
//! an output that it may take.

use flitsim_topology::archived;

/// How a head waits for an output where it does not park: since when, and for what.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wait(u64);

archived! { newtype Wait }

impl Wait {
    /// As many outputs are told apart; further ones share their bits.
    const OUTPUTS: u32 = 16;

    /// Of a head that came to the front in `cycle` and has not asked yet.
    pub(crate) fn since(cycle: u64) -> Self {
        Self((cycle + 1) << Self::OUTPUTS)
    }

    /// The cycle after that in which the head came; 0 where none waits.
    pub(crate) fn came(self) -> u64 {
        self.0 >> Self::OUTPUTS
    }

    /// The outputs, as [`Self::outputs`] folds them, of which it found no virtual channel free; none where
    /// it has to ask whatever happened.
    pub(crate) fn wanted(self) -> u16 {
        self.0 as u16
    }

    /// It wants the local output `output`.
    pub(crate) fn want(&mut self, output: u32) {
        self.0 |= 1 << (output % Self::OUTPUTS);
    }

    /// The local outputs of a mask, folded.
    pub(crate) fn outputs(mask: u64) -> u16 {
        let half = mask | mask >> 32;
        (half | half >> 16) as u16
    }
}
