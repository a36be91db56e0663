//! Algorithms over an escape: the key `escape` of `[routing]`.
//!
//! Minimal adaptive routing, which is nothing without an escape, is compiled for each of them, and
//! comes back from dimension order as Duato's design asks. Any other algorithm may have one too: it
//! keeps to its upper virtual channels until the escape is all that is to be had, and from there
//! stays on the escape to the end. The two are joined without their types: calls through a pointer,
//! and one relation to compile instead of one for each pair.

use super::{
    WithRouting, escape_virtual_channels, shape, shortest_paths, virtual_channels_min,
    with_routing_alone,
};
use crate::{Escape, RoutingChoice};
use flitsim_engine::routing::{
    AfterEscape, ECube, Erased, MinimalAdaptive, TurnModel, UpDown, WithEscape,
};
use flitsim_engine::{ConfigError, Routing};
use flitsim_topology::{MinimalPaths, Network};

/// The algorithm `choice` over `escape`, each on its own of `virtual_channels` virtual channels.
///
/// # Errors
/// Too few virtual channels, an algorithm that has an escape of its own, and what the two say.
pub(super) fn with_escape<W: WithRouting>(
    choice: &RoutingChoice,
    escape: Escape,
    network: &Network,
    virtual_channels: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    let lower = escape_virtual_channels(escape, network);
    let own = virtual_channels_min(choice, network);
    if virtual_channels < lower + own {
        let verb = if virtual_channels == 1 { "is" } else { "are" };
        return Err(ConfigError::Routing {
            reason: format!(
                "{} over an escape needs at least {} virtual channels here, {lower} for the escape \
                 and {own} of its own; there {verb} {virtual_channels}",
                choice.name(),
                lower + own
            ),
        });
    }
    let over = OverEscape {
        escape,
        network,
        lower,
        virtual_channels,
        then,
    };
    with_routing_alone(choice, network, virtual_channels - lower, over)?
}

/// Hands a relation on to `then` with an escape below it.
struct OverEscape<'n, W> {
    escape: Escape,
    network: &'n Network,
    lower: u32,
    virtual_channels: u32,
    then: W,
}

impl<W: WithRouting> WithRouting for OverEscape<'_, W> {
    type Output = Result<W::Output, ConfigError>;

    fn call<R: Routing + Clone>(self, routing: R) -> Self::Output {
        if R::ESCAPE {
            return Err(ConfigError::Routing {
                reason: "this algorithm has an escape of its own".to_owned(),
            });
        }
        self.join(Erased::new(&routing))
    }
}

impl<W: WithRouting> OverEscape<'_, W> {
    fn join(self, adaptive: Erased<'_, false>) -> Result<W::Output, ConfigError> {
        let grid = || {
            shape(
                self.network.grid(),
                "this escape",
                "a torus, mesh or hypercube",
            )
        };
        match self.escape {
            Escape::UpDown => {
                let tree = UpDown::new(self.network, self.lower, None)?;
                self.over(adaptive, Erased::new(&tree))
            }
            Escape::TurnModel(rule) => {
                let turns = TurnModel::new(grid()?, self.lower, rule)?;
                self.over(adaptive, Erased::new(&turns))
            }
            Escape::DimensionOrder => {
                let e_cube = ECube::new(grid()?, self.lower)?;
                self.over(adaptive, Erased::new(&e_cube))
            }
        }
    }

    fn over(
        self,
        adaptive: Erased<'_, false>,
        escape: Erased<'_, false>,
    ) -> Result<W::Output, ConfigError> {
        let routing = WithEscape::compose(
            "an algorithm over an escape",
            self.virtual_channels,
            self.lower,
            AfterEscape::Stay,
            |_| Ok(adaptive),
            |_| Ok(escape),
        )?;
        Ok(self.then.call(routing))
    }
}

/// Minimal adaptive routing, alone or over an escape.
pub(super) fn with_minimal_adaptive<W: WithRouting>(
    escape: Option<Escape>,
    network: &Network,
    vcs: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    if let Some(Escape::DimensionOrder | Escape::TurnModel(_)) = escape {
        let grid = shape(network.grid(), "this escape", "a torus, mesh or hypercube")?;
        let adaptive = |vcs| MinimalAdaptive::new(grid, vcs);
        if let Some(Escape::TurnModel(rule)) = escape {
            let turns = |vcs| TurnModel::new(grid, vcs, rule);
            let stay = AfterEscape::Stay;
            let routing = WithEscape::compose(OVER_ESCAPE, vcs, 1, stay, adaptive, turns)?;
            return Ok(then.call(routing));
        }
        let lower = ECube::virtual_channels_min(grid);
        let e_cube = |vcs| ECube::new(grid, vcs);
        let back = AfterEscape::Return;
        let routing = WithEscape::compose(OVER_ESCAPE, vcs, lower, back, adaptive, e_cube)?;
        return Ok(then.call(routing));
    }
    let choice = RoutingChoice::MinimalAdaptive { escape };
    let paths = shortest_paths(&choice, network)?;
    with_any_shortest_path(&paths, escape, network, vcs, then)
}

const OVER_ESCAPE: &str = "minimal-adaptive over an escape";

/// Minimal adaptive routing, alone or over a spanning tree.
fn with_any_shortest_path<M: MinimalPaths, W: WithRouting>(
    paths: &M,
    escape: Option<Escape>,
    network: &Network,
    vcs: u32,
    then: W,
) -> Result<W::Output, ConfigError> {
    if escape.is_none() {
        return Ok(then.call(MinimalAdaptive::new(paths, vcs)?));
    }
    let tree = UpDown::new(network, 1, None)?;
    let adaptive = |vcs| MinimalAdaptive::new(paths, vcs);
    let stay = AfterEscape::Stay;
    let routing = WithEscape::compose(OVER_ESCAPE, vcs, 1, stay, adaptive, |_| Ok(&tree))?;
    Ok(then.call(routing))
}
