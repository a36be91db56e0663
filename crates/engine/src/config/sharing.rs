//! Buffers of a port that its virtual channels share: who may have how many places.

use super::{Contradiction, EngineConfig, FlowControl};

/// Who may use the places in the buffers of an input port, `buffer_flits` for each of its virtual channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferSharing {
    /// Each virtual channel has its own `buffer_flits` places.
    Private,
    /// Each virtual channel keeps one place, and all share the rest. Without a place of its own a virtual channel
    /// might wait for ever for packets that wait for it.
    Shared,
    /// Each virtual channel keeps `reserve` places, and all share the rest.
    Dynamic {
        /// Places that each virtual channel keeps, from 1 to `buffer_flits`.
        reserve: u32,
    },
}

/// Most flits in one buffer: places are counted in 16 bits.
const FLITS_MOST: u64 = 1 << 15;

impl EngineConfig {
    /// Whether virtual channels share buffers.
    pub fn shares_buffers(&self) -> bool {
        self.buffer_sharing != BufferSharing::Private
    }

    /// Places in the buffers of a port that each virtual channel has to itself.
    pub fn buffer_reserve(&self) -> u32 {
        match self.buffer_sharing {
            BufferSharing::Private => self.buffer_flits,
            BufferSharing::Shared => 1,
            BufferSharing::Dynamic { reserve } => reserve,
        }
    }

    /// The most flits that one virtual channel, of `vcs` at its port, can have in its buffer at a time.
    pub fn flits_most(&self, vcs: u32) -> u32 {
        let reserve = self.buffer_reserve();
        reserve + vcs * self.buffer_flits.saturating_sub(reserve)
    }

    /// The same at the port with the most virtual channels.
    pub(crate) fn buffer_most(&self) -> u32 {
        let vcs = self.virtual_channels.max(self.injection_vcs);
        self.flits_most(vcs.max(self.ejection_vcs))
    }

    /// What does not go together with shared buffers.
    pub(super) fn contradictions_of_sharing(&self) -> [Option<Contradiction>; 3] {
        let found = |wrong: bool, key, message, help| {
            let wrong = self.shares_buffers() && wrong;
            wrong.then_some(Contradiction { key, message, help })
        };
        let reserve = self.buffer_reserve();
        let is_reserve = (1..=self.buffer_flits).contains(&reserve);
        let vcs = self.virtual_channels.max(self.injection_vcs);
        let all = u64::from(vcs.max(self.ejection_vcs)) * u64::from(self.buffer_flits);
        [
            found(
                self.flow_control != FlowControl::Wormhole,
                "buffer_sharing",
                "where a head claims room for its whole packet, the room has to be its own",
                "leave `buffer_sharing` out, or `flow_control = \"wormhole\"`",
            ),
            found(
                !is_reserve,
                "buffer_reserve",
                "a virtual channel has a place of its own at least, and `buffer_flits` at most",
                "`buffer_reserve` from 1 to `buffer_flits`",
            ),
            found(
                all > FLITS_MOST,
                "buffer_sharing",
                "the virtual channels of a port share 32,768 places at most",
                "less `buffer_flits`, or fewer `virtual_channels`, `injection_vcs` and `ejection_vcs`",
            ),
        ]
    }
}
