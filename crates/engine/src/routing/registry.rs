//! The registry: every routing by name, and every relation that one of them builds.
//!
//! A new routing is its file, a line in [`routings!`] and, for a relation that no other builds, one in
//! [`relations!`]. What is forgotten does not compile.

use super::classes::enough;
use super::description::{Description, Fit, Site, Spread};
use super::detour::Detour;
use super::folded::Folded;
use super::hop_class::HopClass;
use super::options::{Ascent, GroupClasses, Knowledge, OptionKey, Order, RingClasses};
use super::own::{Own, OwnRelation, keep, kept};
use super::queues::{Queues, Undecided};
use super::relation::{Candidate, Candidates, Head, Plain, Routing, VcMask, WithRouting, forward};
use super::symmetry::Symmetry;
use super::table::{SOURCE, SourceRoutes, Table, build_source};
use super::turn_model::{NEGATIVE_FIRST, NORTH_LAST, TurnModel, TurnRule, WEST_FIRST};
use super::ugal::Ugal;
use super::with_escape::WithEscape;
use super::{
    concentrated, dal, destination_tag, dimension_order, drawn_ancestor, duato, enhanced_nbc,
    express, fat_pyramid, fewest_descents, hop_class, hyperx_order, minimal, minimal_adaptive, nbc,
    nearest_common_ancestor, nhop, o1turn, odd_even, planar_adaptive, pruned_order, table,
    turn_model, up_down, valiant, xgft_ancestor,
};
use crate::ConfigError;
use flitsim_keys::{NameRefused, Words};
use flitsim_topology::{ChannelId, NodeId, Paths};
use std::ops::Range;

/// The routings, in the order in which messages list them: the first that fits a network is its
/// default, unless another says that it is.
macro_rules! routings {
    ($($(#[$doc:meta])* $name:ident = $description:path, $build:expr;)+) => {
        /// A routing by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Algorithm {
            $($(#[$doc])* $name,)+
            /// One of another crate, which has been [registered](register).
            Own(&'static Own),
        }

        impl Words for Algorithm {
            const WORDS: &'static [(&'static str, Self)] = &[$(($description.name, Self::$name)),+];

            fn named(word: &str) -> Option<Self> {
                Self::every().into_iter().find(|algorithm| algorithm.name() == word)
            }

            fn word(self) -> &'static str {
                self.name()
            }

            fn all() -> Vec<&'static str> {
                Self::every().into_iter().map(Self::name).collect()
            }
        }

        impl Algorithm {
            /// All of this crate.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// All there are: those of this crate, and then those of others.
            pub fn every() -> Vec<Self> {
                let own = kept().into_iter().map(Self::Own);
                Self::ALL.iter().copied().chain(own).collect()
            }

            /// What its file says of it.
            pub const fn description(self) -> &'static Description {
                match self {
                    $(Self::$name => &$description,)+
                    Self::Own(own) => &own.description,
                }
            }

            /// Its relation at `site`, without an escape that another gives it.
            ///
            /// # Errors
            /// What keeps it from routing there.
            pub fn build<'n>(self, site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
                match self {
                    $(Self::$name => $build(site).map(Into::into),)+
                    Self::Own(own) => (own.build)(site).map(Relation::Own),
                }
            }
        }
    };
}

routings! {
    /// `dimension-order`: correct one dimension after the other.
    DimensionOrder = dimension_order::ROUTING, dimension_order_or_pruned;
    /// `west-first`: a turn model.
    WestFirst = WEST_FIRST, |site| turn_model::build(site, TurnRule::WestFirst);
    /// `north-last`: a turn model.
    NorthLast = NORTH_LAST, |site| turn_model::build(site, TurnRule::NorthLast);
    /// `negative-first`: a turn model.
    NegativeFirst = NEGATIVE_FIRST, |site| turn_model::build(site, TurnRule::NegativeFirst);
    /// `odd-even`, on meshes of two dimensions.
    OddEven = odd_even::ROUTING, odd_even::build;
    /// `duato`: any shortest path, over an e-cube escape.
    Duato = duato::ROUTING, duato::build;
    /// `minimal-adaptive`: any shortest path.
    MinimalAdaptive = minimal_adaptive::ROUTING, minimal_adaptive::build;
    /// `valiant`: by way of a random terminal.
    Valiant = VALIANT, |site| valiant_or_detour(VALIANT.name, site);
    /// `ugal`: the shortest way, or by way of a random terminal, by what is queued.
    Ugal = UGAL, ugal;
    /// `romm`: dimension order by way of a random terminal between the two.
    Romm = valiant::ROMM, valiant::build_romm;
    /// `o1turn`: either order of two dimensions.
    O1Turn = o1turn::ROUTING, o1turn_or_hyperx;
    /// `planar-adaptive`: any shortest path of a plane, plane by plane.
    PlanarAdaptive = planar_adaptive::ROUTING, planar_adaptive::build;
    /// `dal`: any dimension of a HyperX, astray once in each.
    Dal = dal::ROUTING, dal::build;
    /// `destination-tag`, on butterflies.
    DestinationTag = destination_tag::ROUTING, destination_tag::build;
    /// `minimal`: any shortest path, a class of virtual channels a hop at most.
    Minimal = minimal::ROUTING, minimal_by_hops;
    /// `express`: the rule of express cubes.
    Express = express::ROUTING, express::build;
    /// `nearest-common-ancestor`, on trees.
    NearestCommonAncestor = nearest_common_ancestor::ROUTING, on_any_tree;
    /// `fat-pyramid`: up to a level, across its mesh, and down.
    FatPyramid = fat_pyramid::ROUTING, fat_pyramid::build;
    /// `nhop`: any shortest path, a class of virtual channels for each negative hop.
    NegativeHop = nhop::ROUTING, nhop::build;
    /// `nbc`: the same, with bonus cards.
    Nbc = nbc::ROUTING, nbc::build;
    /// `enhanced-nbc`: any shortest path, and `nbc` where no other virtual channel is to be had.
    EnhancedNbc = enhanced_nbc::ROUTING, enhanced_nbc::build;
    /// `hop-class`: any shortest path, a class of virtual channels for each hop.
    HopClass = hop_class::ROUTING, hop_class::build;
    /// `fewest-descents`: any shortest path, a class of virtual channels for each descent in a
    /// channel order.
    FewestDescents = fewest_descents::ROUTING, fewest_descents::build;
    /// `up-down`, from a spanning tree.
    UpDown = up_down::ROUTING, up_down_or_adaptive;
    /// `table`: from a file.
    Table = table::ROUTING, table::build;
    /// `source`: route by route from a file.
    Source = SOURCE, build_source;
}

/// Makes `own` known by its name, for as long as the program runs. It must be done before the first scenario
/// is read.
///
/// # Errors
/// A name that another routing has, or that is no plain word.
pub fn register(own: Own) -> Result<Algorithm, NameRefused> {
    let name = own.description.name;
    let is_taken = Algorithm::ALL.iter().any(|known| known.name() == name);
    keep(own, is_taken).map(Algorithm::Own)
}

/// The nearest common ancestor, by the tree's own relation.
fn on_any_tree<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    if site.options.ascent == Ascent::Drawn {
        return drawn_ancestor::build(site).map(Into::into);
    }
    match site.network.xgft() {
        Some(_) => xgft_ancestor::build(site).map(Into::into),
        None => nearest_common_ancestor::build(site).map(Into::into),
    }
}

/// Valiant's routing, which on grids has a relation of its own.
fn valiant_or_detour<'n>(name: &str, site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    match site.network.grid() {
        Some(_) => valiant::build(name, site).map(Into::into),
        None => detour(name, site).map(Relation::Detour),
    }
}

/// UGAL, over Valiant's.
fn ugal<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    let valiant = valiant_or_detour(UGAL.name, site)?;
    let ties = match &valiant {
        Relation::Valiant(valiant) => valiant.even_rings(),
        _ => 0,
    };
    let ugal = Ugal::new(site.network, valiant, ties, site.options.knowledge);
    Ok(Relation::Ugal(Box::new(ugal)))
}

/// UGAL, wherever Valiant's routing is.
const UGAL: Description = Description {
    name: "ugal",
    keys: &[OptionKey::Knowledge, OptionKey::VcBalance],
    spread: Spread::Adaptive,
    ..VALIANT
};

/// Valiant's, whose leg elsewhere is the network's default routing.
const VALIANT: Description = Description {
    fits: |network| match (network.grid(), network.damage()) {
        (Some(_), _) => Fit::Yes,
        (None, None) => Fit::Last,
        (None, Some(_)) => Fit::No,
    },
    virtual_channels_min: |site| match site.network.grid() {
        Some(_) => (valiant::ROUTING.virtual_channels_min)(site),
        None => {
            2 * (Algorithm::default_on(site.network)
                .description()
                .virtual_channels_min)(site)
        }
    },
    ..valiant::ROUTING
};

fn detour<'n>(name: &str, site: &Site<'n, '_>) -> Result<Detour<Relation<'n>>, ConfigError> {
    let (vcs, wanted) = (site.virtual_channels, (VALIANT.virtual_channels_min)(site));
    let each = wanted / 2;
    let why =
        format_args!("{each} on the way to the terminal between and as many on the way from there");
    enough(name, wanted, why, vcs)?;
    let algorithm = Algorithm::default_on(site.network);
    let leg = |vcs| Ok((algorithm.build(&site.with(vcs))?, vcs));
    let lower = vcs.div_ceil(2);
    Ok(Detour::new(
        [leg(lower)?, leg(vcs - lower)?],
        site.network.terminals(),
    ))
}

/// Minimal routing, which on dragonflies has a relation of its own.
fn minimal_by_hops<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    let (name, vcs) = (minimal::ROUTING.name, site.virtual_channels);
    let classes = site.options.group_classes;
    match site.network.dragonfly() {
        Some(dragonfly) => minimal::LocalGlobalLocal::new(dragonfly, vcs, classes).map(Into::into),
        None if classes == GroupClasses::Dateline => Err(ConfigError::routing(
            "`group_classes = \"dateline\"` is for dragonflies",
        )),
        None => HopClass::named(name, site.paths(name)?, vcs).map(Into::into),
    }
}

/// Up*/down*, over one channel or over any that are as good.
fn up_down_or_adaptive<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    match site.options.is_adaptive {
        true => up_down::build::<true>(site).map(Into::into),
        false => up_down::build::<false>(site).map(Into::into),
    }
}

/// Dimension order, which on pruned tori and on HyperX networks has relations of its own.
fn dimension_order_or_pruned<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    let classes = site.options.ring_classes;
    if classes != RingClasses::Dateline && site.network.grid().is_none() {
        return Err(ConfigError::routing(format!(
            "`ring_classes = \"{}\"` is for tori, meshes and hypercubes",
            classes.word()
        )));
    }
    if site.network.sparse_torus().is_some() && site.options.order == Order::LowestFirst {
        return pruned_order::build(site).map(Into::into);
    }
    if site.network.hyperx().is_some() {
        return hyperx_order::build(site).map(Into::into);
    }
    dimension_order::build(site).map(Into::into)
}

/// Either order of two dimensions, by the order of grids or that of HyperX networks.
fn o1turn_or_hyperx<'n>(site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    match site.network.hyperx() {
        Some(_) => o1turn::build(site, hyperx_order::build).map(Into::into),
        None => o1turn::build(site, dimension_order::build).map(Into::into),
    }
}

/// A relation over an escape, neither of which is known by its type.
pub type OverEscape<'n> = WithEscape<Relation<'n>, Relation<'n>>;

/// The relations that routings build. Of one network, whose lifetime is `$n`.
macro_rules! relations {
    ($n:lifetime, $($name:ident($relation:ty),)+) => {
        /// A routing's relation on a network, whichever it is: one type, and no call through a
        /// pointer.
        #[derive(Clone, Debug)]
        pub enum Relation<$n> {
            $(#[doc = concat!("Of the type `", stringify!($relation), "`.")] $name($relation),)+
            /// A relation over an escape.
            OverEscape(Box<OverEscape<$n>>),
            /// A relation by way of a terminal between.
            Detour(Detour<Relation<$n>>),
            /// The shortest way or one by a terminal between, by what is queued.
            Ugal(Box<Ugal<$n, Relation<$n>>>),
            /// A relation between routers with several terminals each.
            BetweenRouters(Box<concentrated::BetweenRouters<$n, Relation<$n>>>),
            /// A relation on fewer virtual channels than it needs.
            Folded(Box<Folded<Relation<$n>>>),
        }

        $(impl<$n> From<$relation> for Relation<$n> {
            fn from(relation: $relation) -> Self {
                Self::$name(relation)
            }
        })+

        /// Hands what a [`Relation`] is to an expression.
        macro_rules! with {
            ($any:expr, $it:ident => $then:expr) => {
                match $any {
                    $(Relation::$name($it) => $then,)+
                    Relation::OverEscape($it) => $then,
                    Relation::Folded($it) => $then,
                    Relation::Ugal($it) => $then,
                    Relation::Detour($it) => $then,
                    Relation::BetweenRouters($it) => $then,
                }
            };
        }
    };
}

relations! { 'n,
    DimensionOrder(dimension_order::DimensionOrder<'n>),
    PrunedOrder(pruned_order::PrunedOrder<'n>),
    TurnModel(TurnModel<'n>),
    OddEven(odd_even::OddEven<'n>),
    Duato(duato::Duato<'n>),
    ECube(duato::ECube<'n>),
    Valiant(valiant::Valiant<'n>),
    Express(express::Express<'n>),
    NearestCommonAncestor(nearest_common_ancestor::NearestCommonAncestor<'n>),
    FatPyramid(fat_pyramid::FatPyramid<'n>),
    NegativeHop(nhop::NegativeHop<Paths<'n>>),
    Nbc(nbc::Nbc<Paths<'n>>),
    EnhancedNbc(enhanced_nbc::EnhancedNbc<Paths<'n>>),
    HopClass(hop_class::HopClass<Paths<'n>>),
    MinimalAdaptive(minimal_adaptive::MinimalAdaptive<Paths<'n>>),
    FewestDescents(fewest_descents::FewestDescents),
    O1Turn(o1turn::O1Turn<dimension_order::DimensionOrder<'n>>),
    HyperXO1Turn(o1turn::O1Turn<hyperx_order::HyperXOrder<'n>>),
    PlanarAdaptive(planar_adaptive::PlanarAdaptive<'n>),
    HyperXOrder(hyperx_order::HyperXOrder<'n>),
    Dal(dal::Dal<'n>),
    LocalGlobalLocal(minimal::LocalGlobalLocal<'n>),
    XgftAncestor(xgft_ancestor::XgftAncestor<'n>),
    DrawnAncestor(drawn_ancestor::DrawnAncestor<'n>),
    DestinationTag(destination_tag::DestinationTag<'n>),
    UpDown(up_down::UpDown<'n>),
    AdaptiveUpDown(up_down::AdaptiveUpDown<'n>),
    Table(Table<'n>),
    SourceRoutes(SourceRoutes),
    Own(OwnRelation<'n>),
}

/// The legs of a relation by way of a node between, each of which is as if the other were not.
#[derive(Clone, Debug)]
pub struct Legs<'n> {
    /// To the node between, and on from there as a packet begins.
    pub relations: [Relation<'n>; 2],
    /// Whether both begin in the first of their initial states; else in any.
    pub begin_first: bool,
    /// The nodes between.
    pub between: Between<'n>,
}

/// Which nodes are between, each as likely.
#[derive(Clone, Debug)]
pub enum Between<'n> {
    /// Those below, whatever the source and the destination.
    Below(u32),
    /// Those of the initial states, which are on shortest paths.
    OnTheWay(Box<valiant::Valiant<'n>>),
}

impl<'n> Relation<'n> {
    /// Its legs, if it has any.
    pub fn legs(&self) -> Option<Legs<'n>> {
        match self {
            Self::Valiant(valiant) => Some(Legs {
                relations: valiant.legs().map(|(leg, _)| Self::DimensionOrder(leg)),
                begin_first: false,
                between: match valiant.is_minimal() {
                    true => Between::OnTheWay(Box::new(valiant.clone())),
                    false => Between::Below(valiant.nodes()),
                },
            }),
            Self::Detour(detour) => Some(Legs {
                relations: detour.legs().map(|(leg, ..)| leg.clone()),
                begin_first: true,
                between: Between::Below(detour.terminals()),
            }),
            _ => None,
        }
    }
}

impl Relation<'_> {
    /// Hands the relation to `then` as code is compiled for it: dimension order, the commonest on
    /// large networks, alone; others together, those apart that look at queues or are deterministic.
    pub fn with<W: WithRouting>(self, then: W) -> W::Output {
        match self {
            Self::DimensionOrder(relation) => then.call(relation),
            relation if relation.looks().is_some() => then.call(relation),
            relation if relation.is_deterministic() => then.call(Plain::<_, true>(relation)),
            relation => then.call(Plain::<_, false>(relation)),
        }
    }

    /// As [`Relation::with`], for code that has nothing for relations that look at queues, and is long to compile:
    /// dimension order alone, all others as adaptive ones.
    ///
    /// # Panics
    /// In debug builds, where it looks at queues.
    pub fn with_plain<W: WithRouting>(self, then: W) -> W::Output {
        debug_assert!(self.looks().is_none(), "nobody shows it the queues");
        match self {
            Self::DimensionOrder(relation) => then.call(relation),
            relation => then.call(Plain::<_, false>(relation)),
        }
    }
}

impl Routing for Relation<'_> {
    const DETERMINISTIC: bool = false;
    const LOOKS: bool = true;

    forward! { self => self, with }
}
