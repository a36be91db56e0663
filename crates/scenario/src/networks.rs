//! The networks of a scenario, each built once.

use super::error::Fault;
use super::faults::FaultTable;
use super::topology::{Topology, TopologyTable};
use flitsim_topology::{Damage, Network, NodeId};
use std::sync::Arc;

/// Networks built so far.
#[derive(Debug, Default)]
pub struct Networks {
    /// By what defines them.
    whole: Vec<(Topology, Arc<Network>)>,
    /// What faults left of them.
    damaged: Vec<Arc<Network>>,
}

impl Networks {
    /// The network of `topology` as its family defines it.
    ///
    /// # Errors
    /// What keeps it from being built.
    pub fn whole(&mut self, topology: &TopologyTable) -> Result<Arc<Network>, Fault> {
        let built = self
            .whole
            .iter()
            .find(|(known, _)| *known == topology.value);
        if let Some((_, network)) = built {
            return Ok(Arc::clone(network));
        }
        let network = Arc::new(topology.build()?);
        let known = topology.value.clone();
        self.whole.push((known, Arc::clone(&network)));
        Ok(network)
    }

    /// What `faults` leave of `whole`: itself where nothing fails.
    ///
    /// # Errors
    /// Faults of what is not there, and faults that keep terminals apart.
    pub fn damaged(
        &mut self,
        whole: &Arc<Network>,
        faults: &FaultTable,
    ) -> Result<Arc<Network>, Vec<Fault>> {
        let Some(damaged) = faults.damaged(whole)? else {
            return Ok(Arc::clone(whole));
        };
        let known = self.damaged.iter().find(|known| is_same(known, &damaged));
        if let Some(known) = known {
            return Ok(Arc::clone(known));
        }
        faults.check(&damaged).map_err(|fault| vec![fault])?;
        self.damaged.push(Arc::clone(&damaged));
        Ok(damaged)
    }
}

/// Whether the same has failed of the same network.
fn is_same(one: &Network, other: &Network) -> bool {
    let nodes = |damage: &Damage| damage.failed_nodes().collect::<Vec<NodeId>>();
    match (one.damage(), other.damage()) {
        (Some(one), Some(other)) => {
            Arc::ptr_eq(one.whole(), other.whole())
                && one.failed_channels() == other.failed_channels()
                && nodes(one) == nodes(other)
        }
        _ => false,
    }
}
