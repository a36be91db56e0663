//! A routing with its options and its escape: what a scenario chooses, and what becomes of it on a
//! network.
//!
//! A routing may get an escape: it keeps to its upper virtual channels until the escape is all that
//! is to be had, and from there stays on the escape to the end. Minimal adaptive routing alone comes
//! back from dimension order, as Duato's design asks.

use super::classes::enough;
use super::concentrated::BetweenRouters;
use super::description::{Fit, Site, Spread, of_family, of_grid};
use super::duato::{Duato, ECube};
use super::folded::Folded;
use super::minimal_adaptive::MinimalAdaptive;
use super::options::{AfterEscape, Ascent, GroupClasses, Levels, OptionKey, Options};
use super::registry::{Algorithm, OverEscape, Relation};
use super::relation::Routing;
use super::tables::Tables;
use super::with_escape::WithEscape;
use crate::ConfigError;
use flitsim_topology::{MinimalPaths, Network, Paths};
use std::cmp::Reverse;

/// Virtual channels of a channel at most.
const VIRTUAL_CHANNELS_MOST: u32 = 64;

/// A routing with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingChoice {
    /// Which.
    pub algorithm: Algorithm,
    /// What it is told.
    pub options: Options,
    /// What it falls back on where none of its own virtual channels is to be had.
    pub escape: Option<Algorithm>,
}

impl From<Algorithm> for RoutingChoice {
    /// With default options, and no escape.
    fn from(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            options: Options::default(),
            escape: None,
        }
    }
}

impl Algorithm {
    /// The name in scenario files and results.
    pub const fn name(self) -> &'static str {
        self.description().name
    }

    /// The network that it routes on: that of the routers where each has several terminals, but for routes
    /// that a file says.
    fn site_of(self, network: &Network) -> &Network {
        match self {
            Self::Table | Self::Source => network,
            _ => network.routers(),
        }
    }

    /// The default on `network`.
    pub fn default_on(network: &Network) -> Self {
        // A routing for any network always fits.
        let first = Self::fitting(network).first().copied();
        first.unwrap_or(Self::HopClass)
    }

    /// The routings that fit `network`, the default first.
    pub fn fitting(network: &Network) -> Vec<Self> {
        let fit = |algorithm: &Self| (algorithm.description().fits)(algorithm.site_of(network));
        let mut fitting = Self::every();
        fitting.retain(|a| fit(a) != Fit::No);
        fitting.sort_by_key(|algorithm| Reverse(fit(algorithm)));
        fitting
    }

    /// Those that another may fall back on on `network`.
    pub fn escapes(network: &Network) -> impl Iterator<Item = Self> {
        let all = Self::every().into_iter();
        all.filter(|algorithm| algorithm.escape_vcs(network).is_some())
    }

    /// Whether it is an escape of others on some networks.
    pub const fn is_escape(self) -> bool {
        self.description().escape_vcs.is_some()
    }

    /// The virtual channels that it takes as the escape of another, where it can be one.
    fn escape_vcs(self, network: &Network) -> Option<u32> {
        self.description().escape_vcs?(self.site_of(network))
    }

    /// Whether it takes `key`.
    pub fn takes(self, key: OptionKey) -> bool {
        self.description().keys.contains(&key)
    }
}

impl RoutingChoice {
    /// The default on `network`.
    pub fn default_on(network: &Network) -> Self {
        Self::from(Algorithm::default_on(network))
    }

    /// Whether it routes between routers, where each has several terminals: all do but those that a file says.
    pub fn is_between_routers(&self) -> bool {
        !matches!(self.algorithm, Algorithm::Table | Algorithm::Source)
    }

    /// The name in scenario files and results.
    pub fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// The same without its escape, where it was given one.
    pub fn without_escape(&self) -> Option<Self> {
        self.escape?;
        Some(Self {
            escape: None,
            ..self.clone()
        })
    }

    /// That with every way that a packet may be given, whatever was drawn for it: what is proved of it holds for this
    /// choice, whose ways are some of its, and flows are the same where what is drawn is drawn evenly. A drawn ascent
    /// is a state, and there are as many as ways up.
    pub fn with_all_ways(&self) -> Self {
        let mut all = self.clone();
        all.options.ascent = Ascent::Free;
        all
    }

    /// How packets choose among channels of `network`.
    pub fn spread(&self, network: &Network) -> Spread {
        let options = &self.options;
        match (self.escape, options.levels, self.algorithm) {
            (None, _, Algorithm::NearestCommonAncestor) if options.ascent == Ascent::Drawn => {
                Spread::Fixed
            }
            (None, _, Algorithm::UpDown) if !options.is_adaptive => Spread::Fixed,
            // On grids both legs are in dimension order; elsewhere they are the default routing's.
            (None, Levels::Highest, Algorithm::Valiant) if network.routers().grid().is_none() => {
                let algorithm = Algorithm::default_on(network);
                let leg = Self {
                    algorithm,
                    ..self.clone()
                };
                leg.spread(network)
            }
            (None, Levels::Highest, algorithm) => algorithm.description().spread,
            _ => Spread::Adaptive,
        }
    }

    /// Whether every packet takes a shortest path.
    pub fn is_minimal(&self) -> bool {
        let is_minimal = |algorithm: Algorithm| algorithm.description().is_minimal;
        let keeps_paths = self.algorithm == Algorithm::MinimalAdaptive;
        let by_escape = |escape| keeps_paths && is_minimal(escape);
        is_minimal(self.algorithm) && self.escape.is_none_or(by_escape)
    }

    /// The fewest virtual channels with which it runs on `network`, a network that it fits.
    pub fn virtual_channels_min(&self, network: &Network, tables: &Tables) -> u32 {
        let routers = self.algorithm.site_of(network);
        let site = self.site(routers, VIRTUAL_CHANNELS_MOST, tables);
        let own = (self.algorithm.description().virtual_channels_min)(&site);
        self.escape_vcs(network) + own
    }

    /// The virtual channels that its escape keeps to itself.
    fn escape_vcs(&self, network: &Network) -> u32 {
        let vcs = |escape: Algorithm| escape.escape_vcs(network).unwrap_or(1);
        self.escape.map_or(0, vcs)
    }

    fn site<'n, 't>(
        &'t self,
        network: &'n Network,
        virtual_channels: u32,
        tables: &'t Tables,
    ) -> Site<'n, 't> {
        Site {
            network,
            virtual_channels,
            options: &self.options,
            tables,
        }
    }

    /// Its relation on `network` with `virtual_channels` virtual channels a channel. What is large
    /// comes from `tables`, or is left there for others.
    ///
    /// # Errors
    /// Why it does not fit; too few virtual channels, for one.
    pub fn relation<'n>(
        &self,
        network: &'n Network,
        virtual_channels: u32,
        tables: &Tables,
    ) -> Result<Relation<'n>, ConfigError> {
        let routers = self.algorithm.site_of(network);
        if !std::ptr::eq(routers, network) {
            let relation = self.relation(routers, virtual_channels, tables)?;
            let lifted = BetweenRouters::new(network, relation, virtual_channels);
            let lifted = of_family(lifted, self.name(), "terminals apart from routers")?;
            let lifted = lifted.keeping(self.options.group_classes == GroupClasses::Dateline);
            return Ok(Relation::BetweenRouters(Box::new(lifted)));
        }
        let site = &self.site(network, virtual_channels, tables);
        match (self.algorithm, self.escape) {
            (algorithm, None) => algorithm.build(site),
            (Algorithm::MinimalAdaptive, Some(escape)) => adaptive_over(escape, site),
            (algorithm, Some(escape)) => self.over(algorithm, escape, site),
        }
    }

    /// As [`relation`](Self::relation). Where it needs more virtual channels, an escape that it was
    /// given is dropped, or surplus classes merge into the last virtual channel, or into the last of
    /// the escape classes: it may deadlock.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn relation_merged<'n>(
        &self,
        network: &'n Network,
        virtual_channels: u32,
        tables: &Tables,
    ) -> Result<Relation<'n>, ConfigError> {
        if let Some((classes, surplus)) = self.escape_classes_short(network, virtual_channels) {
            let mut whole = self.clone();
            whole.options.escape_classes = Some(classes + surplus);
            let whole = whole.relation(network, virtual_channels + surplus, tables)?;
            // The escape classes come first.
            let folded = Folded::at(whole, classes - 1, surplus);
            return Ok(Relation::Folded(Box::new(folded)));
        }
        let wanted = self.virtual_channels_min(network, tables);
        if virtual_channels < wanted
            && let Some(alone) = self.without_escape()
        {
            return alone.relation_merged(network, virtual_channels, tables);
        }
        if (1..wanted).contains(&virtual_channels) && wanted <= VIRTUAL_CHANNELS_MOST {
            let whole = self.relation(network, wanted, tables)?;
            let (first, surplus) = (virtual_channels - 1, wanted - virtual_channels);
            let folded = Folded::at(whole, first, surplus);
            return Ok(Relation::Folded(Box::new(folded)));
        }
        self.relation(network, virtual_channels, tables)
    }

    /// Where it names fewer escape classes than suffice: how many, and how many more would.
    pub fn escape_classes_short(
        &self,
        network: &Network,
        virtual_channels: u32,
    ) -> Option<(u32, u32)> {
        let takes_them = self.algorithm.takes(OptionKey::EscapeClasses);
        let classes = self.options.escape_classes.filter(|_| takes_them)?;
        let least = Paths::of(self.algorithm.site_of(network)).ok()?.diameter() / 2 + 1;
        let surplus = least.checked_sub(classes).filter(|&more| more > 0)?;
        let fits =
            classes < virtual_channels && virtual_channels + surplus <= VIRTUAL_CHANNELS_MOST;
        fits.then_some((classes, surplus))
    }

    /// `algorithm` over `escape`, each on its own virtual channels.
    fn over<'n>(
        &self,
        algorithm: Algorithm,
        escape: Algorithm,
        site: &Site<'n, '_>,
    ) -> Result<Relation<'n>, ConfigError> {
        let (lower, vcs) = (self.escape_vcs(site.network), site.virtual_channels);
        let own = (algorithm.description().virtual_channels_min)(site);
        let name = format_args!("{} over an escape", algorithm.name());
        let why = format_args!("{lower} for the escape and {own} of its own");
        enough(name, lower + own, why, vcs)?;
        let adaptive = |vcs| algorithm.build(&site.with(vcs));
        let way = (lower, AfterEscape::Stay);
        over_escape("an algorithm over an escape", escape, site, way, adaptive)
    }
}

/// Minimal adaptive routing over `escape`.
fn adaptive_over<'n>(escape: Algorithm, site: &Site<'n, '_>) -> Result<Relation<'n>, ConfigError> {
    const NAME: &str = "minimal-adaptive over an escape";
    let adaptive = |vcs| Algorithm::MinimalAdaptive.build(&site.with(vcs));
    if escape == Algorithm::DimensionOrder && site.network.hyperx().is_some() {
        return over_escape(NAME, escape, site, (1, AfterEscape::Return), adaptive);
    }
    if escape == Algorithm::DimensionOrder {
        let grid = of_grid(site, "this escape")?;
        let lower = ECube::virtual_channels_min(grid);
        let adaptive = |vcs| MinimalAdaptive::new(grid, vcs);
        let e_cube = |vcs| ECube::new(grid, vcs);
        let (vcs, back) = (site.virtual_channels, AfterEscape::Return);
        let duato = Duato::compose(NAME, vcs, lower, back, adaptive, e_cube)?;
        return Ok(Relation::Duato(duato));
    }
    over_escape(NAME, escape, site, (1, AfterEscape::Stay), adaptive)
}

/// What `adaptive` builds, over `escape` on the `lower` lowest virtual channels.
fn over_escape<'n>(
    name: &str,
    escape: Algorithm,
    site: &Site<'n, '_>,
    (lower, after): (u32, AfterEscape),
    adaptive: impl FnOnce(u32) -> Result<Relation<'n>, ConfigError>,
) -> Result<Relation<'n>, ConfigError> {
    let below = |vcs| match escape {
        // By position: a packet may enter anywhere.
        Algorithm::DimensionOrder if site.network.grid().is_some() => {
            ECube::new(of_grid(site, "this escape")?, vcs).map(Relation::ECube)
        }
        escape => escape.build(&site.with(vcs)),
    };
    let vcs = site.virtual_channels;
    let adaptive = |vcs| match adaptive(vcs)? {
        relation if relation.looks().is_some() => Err(ConfigError::routing(
            "an algorithm that looks at queues takes no escape",
        )),
        relation => Ok(relation),
    };
    let over: OverEscape = WithEscape::compose(name, vcs, lower, after, adaptive, below)?;
    Ok(Relation::OverEscape(Box::new(over)))
}
