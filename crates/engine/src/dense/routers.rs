//! The routers, whatever the width of their rows.

use super::border::Border;
use super::cycle::Core;
use super::links::Links;
use super::slots::slots;
use super::stages::{self, Rules};
use crate::EngineConfig;
use flitsim_topology::Network;
use flitsim_topology::archive::{Archive, Archived};

/// The routers, by the width of their words and the virtual channels that a port has room for.
#[derive(Debug)]
pub(super) enum Routers {
    Narrow1(Core<u16, 1>),
    Narrow2(Core<u16, 2>),
    Middle2(Core<u32, 2>),
    Middle4(Core<u32, 4>),
    Wide4(Core<u64, 4>),
    Wide8(Core<u64, 8>),
    Staged1(stages::Core<u16, 1>),
    Staged2(stages::Core<u16, 2>),
    Staged4(stages::Core<u32, 4>),
    Staged8(stages::Core<u64, 8>),
}

/// Does the same with the routers, whatever their width.
macro_rules! with {
    ($routers:expr, $core:ident => $then:expr) => {
        match $routers {
            Routers::Narrow1($core) => $then,
            Routers::Narrow2($core) => $then,
            Routers::Middle2($core) => $then,
            Routers::Middle4($core) => $then,
            Routers::Wide4($core) => $then,
            Routers::Wide8($core) => $then,
            Routers::Staged1($core) => $then,
            Routers::Staged2($core) => $then,
            Routers::Staged4($core) => $then,
            Routers::Staged8($core) => $then,
        }
    };
}

pub(super) use with;

impl Archived for Routers {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        with!(self, core => core.archive(archive));
    }
}

impl Routers {
    /// Those of `border`; `None` where they are too wide.
    pub(super) fn new(
        network: &Network,
        config: &EngineConfig,
        border: &mut Border,
    ) -> Option<Self> {
        let ports = slots(network) + 1;
        if config.is_staged() {
            return Self::in_stages(network, config, border);
        }
        macro_rules! core {
            () => {
                Core::new(network, Links::new(network, 1), config.buffer_flits, border)
            };
        }
        Some(match (config.room_vcs(), ports) {
            (1, ..=16) => Self::Narrow1(core!()),
            (2, ..=8) => Self::Narrow2(core!()),
            (2, ..=16) => Self::Middle2(core!()),
            (4, ..=8) => Self::Middle4(core!()),
            (4, ..=16) => Self::Wide4(core!()),
            (8, ..=8) => Self::Wide8(core!()),
            _ => return None,
        })
    }

    fn in_stages(network: &Network, config: &EngineConfig, border: &mut Border) -> Option<Self> {
        let rules = Rules::of(config).ok()?;
        macro_rules! core {
            () => {
                stages::Core::new(
                    network,
                    Links::new(network, rules.ways),
                    config,
                    rules,
                    border,
                )
            };
        }
        Some(match (config.room_vcs(), slots(network) + 1) {
            (1, ..=16) => Self::Staged1(core!()),
            (2, ..=8) => Self::Staged2(core!()),
            (4, ..=8) => Self::Staged4(core!()),
            (8, ..=8) => Self::Staged8(core!()),
            _ => return None,
        })
    }

    /// Whether sources send flit by flit.
    pub(super) fn have_buffers(&self) -> bool {
        matches!(
            self,
            Self::Staged1(_) | Self::Staged2(_) | Self::Staged4(_) | Self::Staged8(_)
        )
    }
}
