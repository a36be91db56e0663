//! Where reflections and exchanges of dimensions take the routers of an express cube, as far as
//! the routers themselves go: whether the channels follow is another question. Only for cubes whose
//! switches serve a single dimension each.

use super::{Decomposition, ExpressCube};
use crate::NodeId;

impl ExpressCube {
    /// The router in the place of `node` where dimension `dimension` is counted from its other end;
    /// `None` where no interchange stands there.
    pub(super) fn reflected(&self, node: NodeId, dimension: usize) -> Option<NodeId> {
        let k = self.radices()[dimension];
        let Some(at) = self.interchange(node) else {
            return Some(self.coordinates.moved(
                node,
                dimension,
                k - 1 - self.coordinate(node, dimension),
            ));
        };
        let own = at.dimension as usize;
        if own != dimension {
            let base = self.first_of_line(node);
            let image =
                self.coordinates
                    .moved(base, dimension, k - 1 - self.coordinate(base, dimension));
            return Some(self.router(own, image, self.element(node)?));
        }
        // The ascending modules of one direction are the descending ones of the other.
        let index = match self.parameters().decomposition {
            Decomposition::LevelOne => (2 * at.level - 2).checked_sub(at.module)?,
            _ => at.module,
        };
        let module = self.lines[own].module_at((k - at.boundary) % k, index)?;
        Some(self.router(own, self.first_of_line(node), k + module))
    }

    /// The router in the place of `node` where dimension `order[i]` stands for dimension i of the
    /// same radix.
    pub(super) fn exchanged(&self, node: NodeId, order: &[usize]) -> NodeId {
        let image = |node: NodeId| {
            let mut there = vec![0; order.len()];
            for (&to, &a) in order.iter().zip(self.coordinates(node)) {
                there[to] = u32::from(a);
            }
            self.node_at(&there)
        };
        match (self.interchange(node), self.element(node)) {
            (Some(at), Some(element)) => {
                let own = at.dimension as usize;
                self.router(order[own], image(self.first_of_line(node)), element)
            }
            _ => image(node),
        }
    }

    /// The place of a switch among the elements of its line.
    fn element(&self, node: NodeId) -> Option<u32> {
        let place = node.0.checked_sub(self.terminals)?;
        self.switches
            .get(place as usize)
            .map(|switch| switch.element)
    }

    /// The node at coordinate 0 of the line that `switch`, of a single dimension, is on.
    fn first_of_line(&self, switch: NodeId) -> NodeId {
        self.switches[switch.index() - self.terminals as usize].on_line
    }
}
