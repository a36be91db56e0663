//! The routers, whatever the width of their rows.

use super::border::Border;
use super::cycle::Core;
use super::fit::Words;
use super::stages;
use crate::EngineConfig;
use flitsim_topology::Network;
use flitsim_topology::archive::{Archive, Archived};

/// The routers, by the width of their words and the virtual channels that a port has room for.
#[derive(Debug)]
pub(super) enum Routers {
    Narrow1(Core<u16, 1>),
    Narrow2(Core<u16, 2>),
    Narrow3(Core<u16, 3>),
    Middle2(Core<u32, 2>),
    Middle4(Core<u32, 4>),
    Middle5(Core<u32, 5>),
    Middle6(Core<u32, 6>),
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
            Routers::Narrow3($core) => $then,
            Routers::Middle2($core) => $then,
            Routers::Middle4($core) => $then,
            Routers::Middle5($core) => $then,
            Routers::Middle6($core) => $then,
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
    /// Those of `border`, in `words`.
    pub(super) fn new(
        network: &Network,
        config: &EngineConfig,
        words: Words,
        border: &mut Border,
    ) -> Self {
        if config.is_staged() {
            return Self::in_stages(network, config, words, border);
        }
        macro_rules! core {
            () => {
                Core::new(network, config.buffer_flits, border)
            };
        }
        match words {
            Words::Narrow1 => Self::Narrow1(core!()),
            Words::Narrow2 => Self::Narrow2(core!()),
            Words::Narrow3 => Self::Narrow3(core!()),
            Words::Middle2 => Self::Middle2(core!()),
            Words::Middle4 => Self::Middle4(core!()),
            Words::Middle5 => Self::Middle5(core!()),
            Words::Middle6 => Self::Middle6(core!()),
            Words::Wide4 => Self::Wide4(core!()),
            Words::Wide8 => Self::Wide8(core!()),
        }
    }

    fn in_stages(
        network: &Network,
        config: &EngineConfig,
        words: Words,
        border: &mut Border,
    ) -> Self {
        macro_rules! core {
            () => {
                stages::Core::new(network, config, border)
            };
        }
        match words {
            Words::Narrow1 => Self::Staged1(core!()),
            Words::Narrow2 => Self::Staged2(core!()),
            Words::Middle4 => Self::Staged4(core!()),
            Words::Wide8 => Self::Staged8(core!()),
            other => unreachable!("{other:?} has no stages"),
        }
    }

    /// Whether sources send flit by flit.
    pub(super) fn have_buffers(&self) -> bool {
        matches!(
            self,
            Self::Staged1(_) | Self::Staged2(_) | Self::Staged4(_) | Self::Staged8(_)
        )
    }
}
