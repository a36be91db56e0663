//! Why a routing table or a list of routes cannot be used.

use crate::ConfigError;
use flitsim_topology::FileError;
use flitsim_topology::file::{Place, Several};

/// A routing table or a list of routes that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The virtual channels or the size of the network do not suit a table.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file is not a table, or speaks of nodes that are not there.
    #[error(transparent)]
    File(#[from] FileError),
    /// The table is not one for this network.
    #[error("{place}: {problem}")]
    Table {
        /// Where it is wrong.
        place: Place,
        /// What is wrong there.
        problem: TableProblem,
    },
    /// More than one row is wrong.
    #[error("{}", Several::lines(.0))]
    Several(Vec<TableError>),
}

impl Several for TableError {
    fn several(faults: Vec<Self>) -> Self {
        Self::Several(faults)
    }
}

impl TableError {
    /// Whether the rows are all well-formed, and yet some packet does not get from its source to its
    /// destination, or asks for more virtual channels than there are.
    pub fn leads_astray(&self) -> bool {
        match self {
            Self::Table { problem, .. } => problem.leads_astray(),
            Self::Several(faults) => faults.iter().all(Self::leads_astray),
            Self::Config(_) | Self::File(_) => false,
        }
    }
}

/// What is wrong with a routing table or a list of routes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableProblem {
    /// A destination without a terminal.
    #[error("`{name}` is a switch: a destination has a terminal")]
    NotATerminal {
        /// The node.
        name: String,
    },
    /// A row for a packet that has arrived.
    #[error("a packet for `{name}` ends there: it needs no row")]
    AtDestination {
        /// The node.
        name: String,
    },
    /// A next node to which there is no channel.
    #[error("no channel leads from `{from}` to `{to}`{}", neighbours(next))]
    NoChannel {
        /// The node that the channel would leave.
        from: String,
        /// The node that it would enter.
        to: String,
        /// Some of the nodes that a channel from there enters.
        next: Vec<String>,
    },
    /// A number that none of the channels between two nodes has.
    #[error("channel {parallel} from `{from}` to `{to}`: there are {channels}, counted from 0")]
    NoParallel {
        /// The node that the channel would leave.
        from: String,
        /// The node that it would enter.
        to: String,
        /// Channels there are between the two, at least 1.
        channels: u32,
        /// The number asked for.
        parallel: u32,
    },
    /// A virtual channel that is not there.
    #[error("virtual channel {vc}: there are {virtual_channels}, counted from 0")]
    NoVirtualChannel {
        /// The number asked for.
        vc: u32,
        /// Virtual channels there are.
        virtual_channels: u32,
    },
    /// Two rows for the same packets.
    #[error("a second way on at `{at}` for `{destination}`; the first is in line {first_line}")]
    Repeated {
        /// The node.
        at: String,
        /// The terminal they go to.
        destination: String,
        /// Where the first row stands.
        first_line: u32,
    },
    /// A node that packets reach and do not leave.
    #[error(
        "no row for packets at `{at}` for `{destination}`, and those from `{source_name}` come there"
    )]
    Missing {
        /// The node.
        at: String,
        /// The terminal that they go to.
        destination: String,
        /// A terminal that they come from.
        source_name: String,
    },
    /// A round that packets never leave.
    #[error("packets for `{destination}` come back to `{at}` and never arrive")]
    Endless {
        /// A node of the round.
        at: String,
        /// The terminal that they go to.
        destination: String,
    },
    /// A route that begins at a node without a terminal.
    #[error("`{name}` is a switch: a source has a terminal")]
    NotASource {
        /// The node.
        name: String,
    },
    /// A row behind the last hop of a route.
    #[error(
        "the route from `{source_name}` to `{destination}` has arrived in line {last_line}: it ends \
         there"
    )]
    BeyondDestination {
        /// Where it begins.
        source_name: String,
        /// Where it ends.
        destination: String,
        /// Where its last hop stands.
        last_line: u32,
    },
    /// A route whose last row leads elsewhere.
    #[error("the route from `{source_name}` to `{destination}` ends at `{at}`")]
    EndsElsewhere {
        /// Where it begins.
        source_name: String,
        /// Where it should end.
        destination: String,
        /// Where its last hop leads.
        at: String,
    },
    /// Two terminals without a route.
    #[error("no route from `{source_name}` to `{destination}`")]
    NoRoute {
        /// Where it would begin.
        source_name: String,
        /// Where it would end.
        destination: String,
    },
}

impl TableProblem {
    fn leads_astray(&self) -> bool {
        matches!(
            self,
            Self::NoVirtualChannel { .. }
                | Self::Missing { .. }
                | Self::Endless { .. }
                | Self::EndsElsewhere { .. }
                | Self::NoRoute { .. }
        )
    }
}

fn neighbours(next: &[String]) -> String {
    if next.is_empty() {
        return String::new();
    }
    format!("; channels from there lead to `{}`", next.join("`, `"))
}
