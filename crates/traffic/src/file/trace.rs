//! What is wrong with a trace.

/// What is wrong with a trace that is a table of the right form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// A header and nothing below it.
    #[error("there is no packet: the table has a header and no rows")]
    NoPackets,
    /// A packet that nothing says the time of.
    #[error(
        "there is no cycle here: only a packet with `depends_on` may leave it empty, to be created as \
         soon as these have arrived"
    )]
    NoCycle,
    /// A cycle before that of a row above.
    #[error(
        "cycle {cycle} stands below cycle {before} in line {before_line}: rows are in ascending \
         order of their cycles (a packet with `depends_on` may leave its cycle empty)"
    )]
    CycleOrder {
        /// The cycle.
        cycle: u64,
        /// The later one above it.
        before: u64,
        /// Where that stands.
        before_line: u32,
    },
    /// A node that has failed.
    #[error("node `{name}` has failed: it neither sends nor receives")]
    FailedNode {
        /// The node.
        name: String,
    },
    /// A packet that no buffer holds where it must fit one.
    #[error(
        "a packet of {flits} flits does not fit a buffer of {buffer_flits} flits: whole packets \
         move, so `buffer_flits` must be {flits} or more"
    )]
    LongerThanABuffer {
        /// Its length.
        flits: u32,
        /// What a buffer holds.
        buffer_flits: u32,
    },
    /// A name that cannot stand in a list of names.
    #[error(
        "`{name}` cannot name a packet: a name has no spaces, semicolons or quotes, which stand \
         between the names in `depends_on`"
    )]
    PacketName {
        /// The name.
        name: String,
    },
    /// Two packets of one name.
    #[error("packet `{name}` stands here again; it is in line {first_line} already")]
    RepeatedPacket {
        /// The name.
        name: String,
        /// Its first line.
        first_line: u32,
    },
    /// A dependency on a packet that is not there.
    #[error("there is no packet `{name}` to depend on{}", hint(nearest, *has_names))]
    UnknownPacket {
        /// The name.
        name: String,
        /// The nearest name there is.
        nearest: Option<String>,
        /// Whether any packet has a name.
        has_names: bool,
    },
    /// A delay after nothing.
    #[error(
        "a delay counts from the delivery of what the packet depends on, and `depends_on` is empty \
         here"
    )]
    DelayAfterNothing,
    /// Packets that wait for one another.
    #[error(
        "packets wait for each other's delivery, and none can be created: {} (each depends on the \
         next)",
        circle(names)
    )]
    Circle {
        /// Their names, each before the one it depends on, the last before the first.
        names: Vec<String>,
    },
}

fn hint(nearest: &Option<String>, has_names: bool) -> String {
    match nearest {
        Some(name) => format!(" (did you mean `{name}`?)"),
        None if has_names => String::new(),
        None => ": no packet has a name; names stand in the column `packet`".to_owned(),
    }
}

/// Names of a circle that a message holds.
const NAMES_MOST: usize = 8;

fn circle(names: &[String]) -> String {
    let mut shown = names[..names.len().min(NAMES_MOST)].join(" -> ");
    if names.len() > NAMES_MOST {
        shown += &format!(" -> ({} more)", names.len() - NAMES_MOST);
    }
    let first = names.first().map_or("", |name| name.as_str());
    format!("{shown} -> {first}")
}
