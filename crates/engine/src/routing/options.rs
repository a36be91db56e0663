//! The options of routings: each reads its own, and says in its [`Description`] which those are.
//!
//! [`Description`]: super::description::Description

use flitsim_keys::{TextFile, words};
use std::sync::Arc;

/// Which way round an even ring a packet goes whose destination is exactly half way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// Either, each with probability one half, drawn at the source for each dimension.
    #[default]
    Random,
    /// Upward.
    Positive,
}

/// Which of the differing dimensions is corrected first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The lowest: x before y.
    #[default]
    LowestFirst,
    /// The highest: y before x.
    HighestFirst,
}

/// How packets share the two classes of virtual channels of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RingClasses {
    /// A packet is in the second class from the dateline on.
    #[default]
    Dateline,
    /// A packet has one class for all of its way round a ring: the second where it enters it at a higher
    /// coordinate than that of its destination. So half of the virtual channels are closed to every packet.
    Fixed,
    /// The same, but the second where it wraps, the first where it passes the middle of the ring, and else either, drawn at
    /// the source for each dimension.
    Drawn,
}

/// Which virtual channels of a dragonfly's channels a packet takes on its way from group to group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupClasses {
    /// Channels within groups have two classes: the second in the destination's group.
    #[default]
    Local,
    /// One virtual channel a hop: the first up to the channel between groups, the second from that on, to the
    /// terminal too where a router has several.
    Dateline,
}

/// Which of the channels up a tree a packet takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ascent {
    /// Any that is free.
    #[default]
    Free,
    /// The one that was drawn for it, whoever waits there.
    Drawn,
}

/// What a packet does after a hop over the escape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterEscape {
    /// Anything: adaptive virtual channels first, then the escape's.
    #[default]
    Return,
    /// It goes on over the escape to its destination.
    Stay,
}

/// Which queues a routing that looks at queues knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Knowledge {
    /// Those of the router where it decides.
    #[default]
    Local,
    /// All of the network, at once: the ideal.
    Global,
}

/// Which levels of an express cube a packet takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// The highest that does not pass the destination.
    #[default]
    Highest,
    /// Any that does not, the highest that is free first.
    Any,
}

words! {
    RingClasses: "dateline" Dateline, "fixed" Fixed, "drawn" Drawn;
    AfterEscape: "return" Return, "stay" Stay;
    GroupClasses: "local" Local, "dateline" Dateline;
    Ascent: "free" Free, "drawn" Drawn;
    Levels: "highest" Highest, "any" Any;
    Knowledge: "local" Local, "global" Global;
    Tie: "random" Random, "positive" Positive;
    Order: "lowest-first" LowestFirst, "highest-first" HighestFirst;
}

/// A key of `[routing]` that some routings take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKey {
    /// `tie`: [`Options::tie`].
    Tie,
    /// `order`: [`Options::order`].
    Order,
    /// `vc_balance`: [`Options::vc_balance`].
    VcBalance,
    /// `ring_classes`: [`Options::ring_classes`].
    RingClasses,
    /// `group_classes`: [`Options::group_classes`].
    GroupClasses,
    /// `ascent`: [`Options::ascent`].
    Ascent,
    /// `slack`: [`Options::slack_hops`].
    Slack,
    /// `escape_classes`: [`Options::escape_classes`].
    EscapeClasses,
    /// `knowledge`: [`Options::knowledge`].
    Knowledge,
    /// `levels`: [`Options::levels`].
    Levels,
    /// `adaptive`: [`Options::is_adaptive`].
    Adaptive,
    /// `path`: [`Options::routes`].
    Path,
    /// `escape`: another routing, to fall back on.
    Escape,
    /// `after_escape`: [`Options::after_escape`].
    AfterEscape,
}

/// What a routing can be told, whichever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which way round at half a ring.
    pub tie: Tie,
    /// Which dimension comes first.
    pub order: Order,
    /// Whether packets that never wrap use the virtual channels of both classes.
    pub vc_balance: bool,
    /// When a packet's class of virtual channels changes on a ring.
    pub ring_classes: RingClasses,
    /// When a packet's virtual channel changes on a dragonfly.
    pub group_classes: GroupClasses,
    /// Which channel up a tree it takes.
    pub ascent: Ascent,
    /// Hops that a level of a fat-pyramid may cost beyond the best.
    pub slack_hops: u32,
    /// The virtual channels of the escape of enhanced-nbc; as few as suffice where `None`.
    pub escape_classes: Option<u32>,
    /// What a packet of duato does after a hop over the escape.
    pub after_escape: AfterEscape,
    /// Which queues it knows.
    pub knowledge: Knowledge,
    /// Which levels of express channels it takes.
    pub levels: Levels,
    /// Whether packets choose among channels that are as good.
    pub is_adaptive: bool,
    /// The file of the routes, where the routing reads one.
    pub routes: Option<Arc<TextFile>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tie: Tie::default(),
            order: Order::default(),
            vc_balance: true,
            ring_classes: RingClasses::default(),
            group_classes: GroupClasses::default(),
            ascent: Ascent::default(),
            slack_hops: 1,
            escape_classes: None,
            after_escape: AfterEscape::default(),
            knowledge: Knowledge::default(),
            levels: Levels::default(),
            is_adaptive: false,
            routes: None,
        }
    }
}
