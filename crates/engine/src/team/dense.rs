//! Parts that the dense engine simulates.

use super::{Member, Team};
use crate::dense::border::{Border, Mailbox, split};
use crate::post::Post;
use crate::{
    ConfigError, Counters, Deadlock, DenseEngine, EngineConfig, Fit, NewPacket, Probe, Routing,
};
use flitsim_topology::Network;
use flitsim_topology::memory::Memory;
use std::ops::Range;

/// A team of dense engines. It looks for no deadlock.
pub type DenseTeam<'n, R, P> = Team<DenseEngine<'n, R, P>>;

impl<R: Routing, P: Probe + Send> Member for DenseEngine<'_, R, P> {
    type Probe = P;
    type Mailbox = Mailbox;

    fn routers(&self) -> &Range<u32> {
        self.border().routers()
    }

    #[inline]
    fn cycle(&self) -> u64 {
        self.cycle()
    }

    fn pass_to(&mut self, cycle: u64) {
        self.pass_to(cycle);
    }

    fn counters(&self) -> Counters {
        self.counters()
    }

    fn memory(&self) -> Memory {
        self.memory()
    }

    fn probe_mut(&mut self) -> &mut P {
        self.probe_mut()
    }

    fn post(&mut self) -> &mut Post<Mailbox> {
        &mut self.border_mut().post
    }

    #[inline]
    fn offer(&mut self, new: NewPacket, tag: u32) {
        self.offer_tagged(new, tag);
    }

    fn step_with_mail(&mut self) {
        self.receive();
        self.step();
        self.give();
    }

    fn is_settled(&mut self) -> bool {
        DenseEngine::is_settled(self)
    }

    fn find_frozen(_: &mut [Self]) -> Option<Deadlock> {
        None
    }
}

impl<'n, R: Routing + Clone, P: Probe + Send> DenseTeam<'n, R, P> {
    /// The routers of `network`, which [`fit`](DenseEngine::fits) with `config`, in `parts` parts, or fewer where there are not
    /// 32 routers for each, all empty, at cycle 0. `probe` makes the probe of each part.
    ///
    /// # Errors
    /// As [`EngineConfig::validate`].
    ///
    /// # Panics
    /// If `parts` is 0, a dense engine does not [take](DenseEngine::takes) `routing`, or `fit` is of others.
    pub fn new(
        network: &'n Network,
        routing: &R,
        config: &EngineConfig,
        seed: u64,
        parts: u32,
        fit: Fit,
        probe: impl Fn() -> P + Sync,
    ) -> Result<Self, ConfigError> {
        assert!(parts > 0, "somebody has to do it");
        config.validate(network)?;
        DenseEngine::<R, P>::takes(routing, config).expect("a relation that it takes");
        let parts = split(network.nodes(), parts);
        let member = |own: usize| {
            let border = Border::new(network, parts.clone(), own);
            DenseEngine::of(network, border, routing.clone(), config, seed, fit, probe())
        };
        Ok(Self {
            members: flitsim_topology::parallel::map(parts.len(), member),
        })
    }
}
