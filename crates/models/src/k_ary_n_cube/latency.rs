//! Latency without contention (Dally, sections 3, 4 and 5.1).
//!
//! Distances are channels, message lengths and widths bits, latencies channel cycles T_c, or, where
//! the delay of wires counts, cycles of a wire one pitch long.

use super::Cube;
use crate::ModelError;
use crate::error::{not_negative, positive};
use flitsim_topology::layout::WireModel;

/// T_SF = T_c (D · L/W): store-and-forward routing over `distance` = D channels, with L/W =
/// `aspect_ratio` channel cycles to send the message over one (equation 2).
pub fn store_and_forward(distance: f64, aspect_ratio: f64) -> f64 {
    distance * aspect_ratio
}

/// T_WH = T_c (D + L/W): wormhole routing (equation 3).
pub fn wormhole(distance: f64, aspect_ratio: f64) -> f64 {
    distance + aspect_ratio
}

/// t_s = τ_inv e ln(K l): the delay of a short wire of `length` = l, which the charging of its
/// capacitance limits (equation 4), in the unit of τ_inv = `inverter_delay`; K = `capacitance_ratio`
/// per unit of length. The scan reads "τ_inv e log_e K l"; the e is that of a chain of drivers, each
/// e times as large as the one before it.
///
/// # Errors
/// [`ModelError::OutOfDomain`] where K l is below e: the wire then needs no drivers.
pub fn short_wire_delay(
    inverter_delay: f64,
    capacitance_ratio: f64,
    length: f64,
) -> Result<f64, ModelError> {
    use std::f64::consts::E;
    positive("the inverter delay", inverter_delay)?;
    let load = capacitance_ratio * length;
    crate::error::within("K l", load, load >= E, "at least e")?;
    Ok(inverter_delay * E * load.ln())
}

/// t_l = l √ε_r / c: the delay in seconds of a long wire of `length_metres`, which the speed of light
/// in a medium of `relative_permittivity` = ε_r limits (equation 5, whose fraction the scan has
/// lost).
///
/// # Errors
/// [`ModelError::OutOfDomain`] for a negative length or a permittivity below 1.
pub fn long_wire_delay_seconds(
    length_metres: f64,
    relative_permittivity: f64,
) -> Result<f64, ModelError> {
    const LIGHT_METRES_PER_SECOND: f64 = 299_792_458.0;
    not_negative("the length, in metres", length_metres)?;
    let holds = relative_permittivity >= 1.0;
    crate::error::within(
        "the permittivity",
        relative_permittivity,
        holds,
        "at least 1",
    )?;
    Ok(length_metres * relative_permittivity.sqrt() / LIGHT_METRES_PER_SECOND)
}

/// T_l = T_net + T_node: latency is that of the network and that of the node (equation 10).
pub fn latency(network: f64, node: f64) -> f64 {
    network + node
}

impl Cube {
    /// L/W at the width of equation 7, for a message of `message_bits` = L: 2 L / k.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] unless `message_bits` is above 0.
    pub fn aspect_ratio(&self, message_bits: f64) -> Result<f64, ModelError> {
        Ok(positive("L, in bits", message_bits)? / self.channel_width())
    }

    /// T_net = T_c ((k − 1)/2 · n + 2 L / k): the average latency at equal bisection (equation 12),
    /// with T_c from the longest wire of equation 13 by `wires`: 1, 1 + log2 l, or l.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] unless `message_bits` is above 0.
    pub fn latency(&self, message_bits: f64, wires: WireModel) -> Result<f64, ModelError> {
        self.latency_at(self.mean_distance(), message_bits, wires)
    }

    /// The same for messages that go `distance` channels, as local ones do.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a negative distance, and unless `message_bits` is above 0.
    pub fn latency_at(
        &self,
        distance: f64,
        message_bits: f64,
        wires: WireModel,
    ) -> Result<f64, ModelError> {
        not_negative("D, in channels", distance)?;
        let cycle = wires.delay(self.longest_wire_pitches());
        Ok(cycle * wormhole(distance, self.aspect_ratio(message_bits)?))
    }
}

/// The dimension of least latency among the cubes of `nodes` nodes, from a torus (n = 2) to the
/// binary n-cube, and that latency.
///
/// # Errors
/// [`ModelError::OutOfDomain`] for fewer than 4 nodes, and unless `message_bits` is above 0.
pub fn best_dimension(
    nodes: f64,
    message_bits: f64,
    wires: WireModel,
) -> Result<(u32, f64), ModelError> {
    let mut best = (2, Cube::of_nodes(nodes, 2)?.latency(message_bits, wires)?);
    for dimensions in 3..=nodes.log2().floor() as u32 {
        let latency = Cube::of_nodes(nodes, dimensions)?.latency(message_bits, wires)?;
        if latency < best.1 {
            best = (dimensions, latency);
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_have_delays() {
        let short = short_wire_delay(1.0, 1.0, 1e3).unwrap();
        assert!((short - std::f64::consts::E * 1e3f64.ln()).abs() < 1e-12);
        assert!(short_wire_delay(1.0, 1.0, 1.0).is_err());
        // A metre of FR-4, ε_r = 4: 6.67 ns.
        let long = long_wire_delay_seconds(1.0, 4.0).unwrap();
        assert!((long - 6.671e-9).abs() < 1e-12, "{long}");
        assert!(long_wire_delay_seconds(1.0, 0.5).is_err());
        assert_eq!(latency(3.0, 4.0), 7.0);
    }

    #[test]
    fn store_and_forward_is_a_product_and_wormhole_a_sum() {
        assert_eq!(store_and_forward(4.0, 6.0), 24.0);
        assert_eq!(wormhole(4.0, 6.0), 10.0);
    }
}
