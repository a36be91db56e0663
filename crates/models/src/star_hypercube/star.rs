//! The star graph under enhanced-nbc routing: V₁ adaptive virtual channels (class a) and V₂ of
//! negative hops with bonus cards (class b) (Kiasari & Sarbazi-Azad, appendix (b), after Kiasari,
//! Sarbazi-Azad & Ould-Khaoua).
//!
//! The scan has lost most of the blocking sums; [`Star`] says how they are read here.

use super::channel::{Latency, Symmetric};
use super::hypercube::VIRTUAL_CHANNELS_MOST;
use super::routes::{Destinations, destinations};
use crate::ModelError;
use crate::error::{not_negative, positive, within};

/// The most symbols: 195 kinds of permutations.
const SYMBOLS_MOST: u32 = 12;

/// The model of the star graph S_n.
///
/// Q(m) = Σ_{v = V₁+m}^{V} P_v C(V₂ − m, v − V₁ − m) / C(V, v) is the probability that all class a
/// and m given class b virtual channels of a channel are busy. On its first hop a message may take
/// m = V₂ − need of class b, need the negative hops that it must still make apart from the last:
/// ⌊d/2⌋ from a node of colour 1, ⌈d/2⌉ − 1 from one of colour 0. On later hops it depends on what it
/// took before: with weight V₁ / (V₁ + m) class a, which leaves m, and with weight 1 / (V₁ + m) each
/// of the m of class b, which leave from m down to 1. The two colours are averaged, the mean raised
/// to the power f, the number of channels that lead nearer, and that averaged over the shortest
/// paths.
///
/// ```
/// use flitsim_models::star_hypercube::Star;
///
/// let star = Star::new(5, 32.0, 12, 1.0)?;
/// assert_eq!((star.adaptive(), star.escape()), (8, 4));
/// assert!((star.zero_load_cycles() - 35.714).abs() < 1e-3);
/// # Ok::<(), flitsim_models::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Star {
    /// V₁ and V₂.
    classes: (u32, u32),
    destinations: Vec<Destinations>,
    network: Symmetric,
}

impl Star {
    /// S_n of n = `symbols`, 2 to 12; messages of M = `message_flits` flits, at least 1;
    /// V = `virtual_channels` up to 64, of which class b has as few as suffice, ⌊diameter/2⌋ + 1,
    /// and class a at least one; a flit takes t_w = `cycle_time` cycles over a channel.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn new(
        symbols: u32,
        message_flits: f64,
        virtual_channels: u32,
        cycle_time: f64,
    ) -> Result<Self, ModelError> {
        let least = escape_classes(symbols)?;
        Self::with_classes(symbols, message_flits, virtual_channels, least, cycle_time)
    }

    /// The same with V₂ = `escape` virtual channels of class b, at least ⌊diameter/2⌋ + 1.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`].
    pub fn with_classes(
        symbols: u32,
        message_flits: f64,
        virtual_channels: u32,
        escape: u32,
        cycle_time: f64,
    ) -> Result<Self, ModelError> {
        let least = escape_classes(symbols)?;
        within(
            "V2",
            f64::from(escape),
            escape >= least,
            "at least half the diameter, rounded down, and 1",
        )?;
        let in_range = virtual_channels > escape && virtual_channels <= VIRTUAL_CHANNELS_MOST;
        let domain = "above V2, for one adaptive virtual channel at least, and at most 64";
        within("V", f64::from(virtual_channels), in_range, domain)?;
        within(
            "M, in flits",
            message_flits,
            message_flits >= 1.0,
            "at least 1",
        )?;
        positive("t_w, in cycles", cycle_time)?;
        let destinations = destinations(symbols);
        let others: f64 = destinations.iter().map(|to| to.count).sum();
        let hops: f64 = destinations
            .iter()
            .map(|to| to.count * f64::from(to.distance))
            .sum();
        Ok(Self {
            classes: (virtual_channels - escape, escape),
            destinations,
            network: Symmetric {
                message_cycles: message_flits * cycle_time,
                cycle_time,
                mean_distance: hops / others,
                degree: f64::from(symbols - 1),
                virtual_channels,
            },
        })
    }

    /// V₁: virtual channels of class a.
    pub fn adaptive(&self) -> u32 {
        self.classes.0
    }

    /// V₂: virtual channels of class b.
    pub fn escape(&self) -> u32 {
        self.classes.1
    }

    /// d̄: the mean distance from a node to the others.
    pub fn mean_distance(&self) -> f64 {
        self.network.mean_distance
    }

    /// Latency of a lone message, (M + d̄) t_w cycles.
    pub fn zero_load_cycles(&self) -> f64 {
        self.network.zero_load_cycles()
    }

    /// Latency at `load` messages a node a cycle; `None` above saturation.
    ///
    /// # Errors
    /// [`ModelError::OutOfDomain`] for a load below 0.
    pub fn latency(&self, load: f64) -> Result<Option<Latency>, ModelError> {
        not_negative("the load, in messages/node/cycle", load)?;
        Ok(self.network.latency(load, |busy| self.blockings(busy)))
    }

    /// The highest load with a latency, in messages a node a cycle: above it the equations have no
    /// solution, or the source queues grow.
    pub fn saturation(&self) -> f64 {
        self.network.saturation(|busy| self.blockings(busy))
    }

    /// How often a message is blocked on its way, in the mean over destinations.
    fn blockings(&self, busy: &[f64]) -> f64 {
        let (adaptive, escape) = self.classes;
        let all_busy: Vec<f64> = (0..=escape)
            .map(|given| all_busy_probability(busy, adaptive, escape, given))
            .collect();
        let (mut sum, mut others) = (0.0, 0.0);
        for to in &self.destinations {
            let [first, later] = self.blocked_channel(to.distance, &all_busy);
            let mut on_the_way = 0.0;
            for (hop, profitable) in to.profitable.iter().enumerate() {
                let blocked = if hop == 0 { first } else { later };
                let blocked_in_all = |&(f, share): &(u32, f64)| share * blocked.powi(f as i32);
                on_the_way += profitable.iter().map(blocked_in_all).sum::<f64>();
            }
            sum += to.count * on_the_way;
            others += to.count;
        }
        sum / others
    }

    /// The probability that one channel blocks a message that had `distance` hops to go at its
    /// source, on its first hop and on later ones; `all_busy` is Q(0) to Q(V₂).
    fn blocked_channel(&self, distance: u32, all_busy: &[f64]) -> [f64; 2] {
        let (adaptive, escape) = self.classes;
        let needs = [distance.div_ceil(2) - 1, distance / 2];
        let mut mean = [0.0; 2];
        for need in needs {
            let given = escape - need;
            let took_adaptive = f64::from(adaptive) * all_busy[given as usize];
            let took_escape: f64 = all_busy[1..=given as usize].iter().sum();
            mean[0] += 0.5 * all_busy[given as usize];
            mean[1] += 0.5 * (took_adaptive + took_escape) / f64::from(adaptive + given);
        }
        mean
    }
}

/// Q(m): the probability that all `adaptive` virtual channels and `given` = m of the `escape` ones
/// are busy, from P_0 to P_V.
pub fn all_busy_probability(busy: &[f64], adaptive: u32, escape: u32, given: u32) -> f64 {
    let all = adaptive + escape;
    let wanted = adaptive + given;
    // C(V − w, v − w) / C(V, v) = v! (V − w)! / ((v − w)! V!): the chance that v busy ones, any of
    // the V alike, include the w wanted. At v = V it is 1, and v / (v − w) less one step down.
    let mut include = 1.0;
    let mut probability = 0.0;
    for v in (wanted..=all).rev() {
        probability += busy[v as usize] * include;
        include *= f64::from(v - wanted) / f64::from(v);
    }
    probability
}

/// ⌊diameter/2⌋ + 1 of S_n, with the diameter ⌊3 (n − 1) / 2⌋: the least V₂. (Printed as the
/// rounded-up half of the diameter; S_5, of diameter 6, needs 4.)
///
/// # Errors
/// [`ModelError::OutOfDomain`] unless `symbols` is from 2 to 12.
pub fn escape_classes(symbols: u32) -> Result<u32, ModelError> {
    let in_range = (2..=SYMBOLS_MOST).contains(&symbols);
    within(
        "the number of symbols",
        f64::from(symbols),
        in_range,
        "2 to 12",
    )?;
    Ok(3 * (symbols - 1) / 2 / 2 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(n: u32, k: u32) -> f64 {
        (1..=k)
            .map(|i| f64::from(n - k + i) / f64::from(i))
            .product()
    }

    #[test]
    fn all_busy_is_the_sum_of_the_appendix() {
        let busy = super::super::busy_probabilities(0.6, 9);
        let (adaptive, escape) = (5, 4);
        for m in 0..=escape {
            let sum: f64 = (adaptive + m..=9)
                .map(|v| busy[v as usize] * choose(escape - m, v - adaptive - m) / choose(9, v))
                .sum();
            let found = all_busy_probability(&busy, adaptive, escape, m);
            assert!((found - sum).abs() < 1e-15, "{m}: {found} {sum}");
        }
    }

    #[test]
    fn what_the_model_is_not_made_for_is_refused() {
        for wrong in [
            Star::new(1, 32.0, 12, 1.0),
            Star::new(13, 32.0, 12, 1.0),
            Star::new(5, 32.0, 4, 1.0),
            Star::new(5, 32.0, 65, 1.0),
            Star::new(5, 0.0, 12, 1.0),
            Star::new(5, 32.0, 12, -1.0),
            Star::with_classes(5, 32.0, 12, 3, 1.0),
        ] {
            assert!(
                matches!(wrong, Err(ModelError::OutOfDomain { .. })),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn the_least_classes_are_those_of_the_diameter() {
        let found: Vec<u32> = (2..=6).map(|n| escape_classes(n).unwrap()).collect();
        assert_eq!(found, [1, 2, 3, 4, 4]);
    }
}
