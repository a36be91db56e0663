//! Packets as they arrive, for sources that wait for them.
//!
//! Invariant: where nobody asked for them, nothing is kept.

use flitsim_topology::archived;

/// A packet that has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// The engine's number for it, which another packet may get from now on.
    pub number: u32,
    /// The cycle at whose start its tail is consumed.
    pub arrived: u64,
}

archived! { Delivered { number, arrived } }

/// The packets that arrived since they were last taken.
#[derive(Clone, Debug, Default)]
pub struct Deliveries {
    wanted: bool,
    list: Vec<Delivered>,
}

archived! { Deliveries { wanted, list } }

impl Deliveries {
    /// Keeps what arrives from now on.
    pub fn listen(&mut self) {
        self.wanted = true;
    }

    /// The packet that the engine numbered `number` is consumed at the start of cycle `arrived`.
    #[inline]
    pub fn add(&mut self, number: u32, arrived: u64) {
        if self.wanted {
            self.list.push(Delivered { number, arrived });
        }
    }

    /// Takes them out, in the order in which they came.
    #[inline]
    pub fn drain(&mut self) -> impl Iterator<Item = Delivered> {
        self.list.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recorder;
    use flitsim_engine::{Packet, Probe};

    #[test]
    fn what_arrives_is_kept_once_for_those_who_listen() {
        let mut recorder = Recorder::new();
        let mut arrive = |listens: bool, packets: &[(u32, u64)]| {
            if listens {
                recorder.deliveries_mut().listen();
            }
            for &(number, arrived) in packets {
                recorder.packet_retired(arrived, &Packet::default(), number);
            }
            let all = recorder.deliveries_mut().drain();
            all.map(|packet| (packet.number, packet.arrived))
                .collect::<Vec<_>>()
        };
        assert_eq!(arrive(false, &[(3, 10)]), []);
        assert_eq!(arrive(true, &[(5, 12), (4, 12)]), [(5, 12), (4, 12)]);
        assert_eq!(arrive(false, &[]), []);
    }
}
