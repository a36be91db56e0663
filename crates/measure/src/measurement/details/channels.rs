//! What every channel carried, and how full the buffers at its far end were: exact averages over the
//! window, not samples.
//!
//! A flit is in the buffer of its virtual channel from the start of the cycle [in which it
//! comes](EngineConfig::cycles_to_buffer) until the end of the cycle in which it leaves. The
//! number of flits in a buffer is constant between these events, so its integral is a sum over
//! them. Flits on the wire are in no buffer; they wait in a wheel until they arrive. A flit in an
//! output queue has already taken its place in the buffer at the channel's end, and counts as
//! being there.
//!
//! Invariant: events of one buffer are taken in the order of their cycles.

use super::window::{Counted, Window, take_in};
use flitsim_engine::EngineConfig;
use flitsim_topology::{ChannelId, Network, archived};

/// The flits in a buffer, or in all buffers of a channel together.
#[derive(Clone, Copy, Debug, Default)]
struct Buffer {
    flits: u32,
    /// The cycle from whose start on `flits` holds.
    since: u64,
    /// The sum over cycles of the flits in it.
    flit_cycles: Counted,
    /// Cycles in which there was one.
    occupied_cycles: Counted,
}

archived! { Buffer { flits, since, flit_cycles, occupied_cycles } }

impl Buffer {
    /// Counts the cycles up to the start of cycle `now`.
    #[inline]
    fn reach(&mut self, now: u64, window: Window) {
        let from = self.since.max(window.start);
        self.since = now;
        if self.flits == 0 || from >= now {
            return;
        }
        let inside = now.min(window.end).saturating_sub(from);
        for (side, cycles) in [inside, now - from - inside].into_iter().enumerate() {
            self.flit_cycles[side] += cycles * u64::from(self.flits);
            self.occupied_cycles[side] += cycles;
        }
    }
}

/// Totals of a channel, or of one of its virtual channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferTotal {
    /// Flits sent.
    pub sent_flits: u64,
    /// The sum over cycles of the flits in the buffer.
    pub flit_cycles: u64,
    /// Cycles in which a flit was in the buffer.
    pub occupied_cycles: u64,
}

archived! { BufferTotal { sent_flits, flit_cycles, occupied_cycles } }

/// Totals of all channels, over one or several replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelTotals {
    virtual_channels: u32,
    totals: Vec<BufferTotal>,
}

archived! { ChannelTotals { virtual_channels, totals } }

impl ChannelTotals {
    /// Virtual channels of each channel.
    pub fn virtual_channels(&self) -> u32 {
        self.virtual_channels
    }

    /// The totals of `channel`, all its virtual channels together.
    pub fn channel(&self, channel: ChannelId) -> BufferTotal {
        self.totals[channel.index() * (self.virtual_channels as usize + 1)]
    }

    /// The totals of the virtual channel `vc` of `channel`.
    pub fn virtual_channel(&self, channel: ChannelId, vc: u32) -> BufferTotal {
        let of_channel = channel.index() * (self.virtual_channels as usize + 1);
        self.totals[of_channel + 1 + vc as usize]
    }

    /// Adds another replica's.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.totals.iter_mut().zip(&other.totals) {
            mine.sent_flits += theirs.sent_flits;
            mine.flit_cycles += theirs.flit_cycles;
            mine.occupied_cycles += theirs.occupied_cycles;
        }
    }
}

/// Channels under way.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    window: Window,
    /// Places of a channel: itself, and its virtual channels.
    stride: usize,
    sent: Vec<Counted>,
    buffers: Vec<Buffer>,
    /// By channel: cycles from a flit's sending to its buffer, if there is one.
    to_buffer: Vec<Option<u32>>,
    /// Places of flits on their way, by the cycle of their arrival, modulo a power of two.
    wheel: Vec<Vec<u32>>,
    on_wires: usize,
    /// Arrivals of earlier cycles have been taken.
    reached: u64,
}

archived! { Channels { window, on_wires, reached; fixed sent, buffers, wheel; rebuilt stride, to_buffer } }

impl Channels {
    /// Memory of a channel, and of each of its virtual channels.
    pub(super) const BYTES_EACH: u64 = (size_of::<Counted>() + size_of::<Buffer>()) as u64;

    /// Those of `network`, all buffers empty.
    pub(super) fn new(network: &Network, config: &EngineConfig) -> Self {
        let stride = config.virtual_channels as usize + 1;
        let places = network.channels() as usize * stride;
        let channels = (0..network.channels()).map(ChannelId);
        let to_buffer = channels.map(|channel| config.cycles_to_buffer(network, channel));
        let to_buffer: Vec<_> = to_buffer.collect();
        let most = to_buffer.iter().flatten().copied().max().unwrap_or(0);
        Self {
            window: Window::NONE,
            stride,
            sent: vec![Counted::default(); places],
            buffers: vec![Buffer::default(); places],
            to_buffer,
            wheel: vec![Vec::new(); (most as usize + 1).next_power_of_two()],
            on_wires: 0,
            reached: 0,
        }
    }

    /// The window is `window` from now on: it begins, or its end has moved.
    pub(super) fn set_window(&mut self, window: Window) {
        if window.start == self.window.start {
            take_in(&mut self.sent);
            for buffer in &mut self.buffers {
                take_in(std::slice::from_mut(&mut buffer.flit_cycles));
                take_in(std::slice::from_mut(&mut buffer.occupied_cycles));
            }
        }
        self.window = window;
    }

    #[inline]
    fn place(&self, channel: ChannelId, vc: u32) -> usize {
        channel.index() * self.stride + 1 + vc as usize
    }

    /// A flit was sent in cycle `cycle`.
    #[inline]
    pub(super) fn sent(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        self.arrive(cycle);
        let place = self.place(channel, vc);
        if let Some(side) = self.window.side(cycle) {
            self.sent[place][side] += 1;
        }
        let Some(cycles) = self.to_buffer[channel.index()] else {
            return;
        };
        if cycles == 0 {
            return self.arrive_at(place, cycle);
        }
        let slot = (cycle + u64::from(cycles)) as usize & (self.wheel.len() - 1);
        self.wheel[slot].push(place as u32);
        self.on_wires += 1;
    }

    /// A flit left its buffer in cycle `cycle`.
    #[inline]
    pub(super) fn left(&mut self, cycle: u64, channel: ChannelId, vc: u32) {
        self.arrive(cycle);
        let place = self.place(channel, vc);
        // It was there until the end of the cycle.
        for place in [place, channel.index() * self.stride] {
            let buffer = &mut self.buffers[place];
            buffer.reach(cycle + 1, self.window);
            buffer.flits -= 1;
        }
    }

    /// Takes the arrivals up to and including cycle `cycle`.
    #[inline]
    fn arrive(&mut self, cycle: u64) {
        while self.reached <= cycle && self.on_wires > 0 {
            self.arrive_in(self.reached);
            self.reached += 1;
        }
        self.reached = self.reached.max(cycle + 1);
    }

    fn arrive_in(&mut self, cycle: u64) {
        let slot = cycle as usize & (self.wheel.len() - 1);
        let mut arrived = std::mem::take(&mut self.wheel[slot]);
        self.on_wires -= arrived.len();
        for place in arrived.drain(..) {
            self.arrive_at(place as usize, cycle);
        }
        // The memory goes on being used.
        self.wheel[slot] = arrived;
    }

    #[inline]
    fn arrive_at(&mut self, place: usize, cycle: u64) {
        for place in [place, place - place % self.stride] {
            let buffer = &mut self.buffers[place];
            buffer.reach(cycle, self.window);
            buffer.flits += 1;
        }
    }

    /// The totals, when the next cycle is `now`.
    pub(super) fn totals(&mut self, now: u64) -> ChannelTotals {
        self.arrive(now);
        let window = self.window;
        for buffer in &mut self.buffers {
            buffer.reach(now.max(buffer.since), window);
        }
        let mut totals: Vec<BufferTotal> = self
            .sent
            .iter()
            .zip(&self.buffers)
            .map(|(sent, buffer)| BufferTotal {
                sent_flits: sent[0],
                flit_cycles: buffer.flit_cycles[0],
                occupied_cycles: buffer.occupied_cycles[0],
            })
            .collect();
        for places in totals.chunks_exact_mut(self.stride) {
            places[0].sent_flits = places[1..].iter().map(|vc| vc.sent_flits).sum();
        }
        ChannelTotals {
            virtual_channels: self.stride as u32 - 1,
            totals,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_engine::ChannelDelay;
    use flitsim_topology::{Ends, Grid};

    fn channels(wire: u32) -> Channels {
        let network = Grid::uniform(3, 1, Ends::Open).unwrap().into_network();
        let config = EngineConfig {
            virtual_channels: 2,
            channel_delay: ChannelDelay::Uniform(wire),
            ..EngineConfig::default()
        };
        Channels::new(&network, &config)
    }

    const CHANNEL: ChannelId = ChannelId(2);

    fn total(sent_flits: u64, flit_cycles: u64, occupied_cycles: u64) -> BufferTotal {
        BufferTotal {
            sent_flits,
            flit_cycles,
            occupied_cycles,
        }
    }

    #[test]
    fn a_flit_is_in_the_buffer_from_its_arrival_until_it_leaves() {
        for wire in [0, 3] {
            let mut channels = channels(wire);
            channels.set_window(Window { start: 0, end: 100 });
            channels.sent(5, CHANNEL, 1);
            channels.sent(6, CHANNEL, 1);
            channels.sent(6, CHANNEL, 0);
            let arrived = 6 + u64::from(wire);
            // The first stays 4 cycles, the second 5, the third leaves at once.
            channels.left(arrived + 1, CHANNEL, 0);
            channels.left(arrived + 3, CHANNEL, 1);
            channels.left(arrived + 5, CHANNEL, 1);
            let totals = channels.totals(100);
            assert_eq!(totals.virtual_channel(CHANNEL, 0), total(1, 1, 1));
            assert_eq!(totals.virtual_channel(CHANNEL, 1), total(2, 9, 6));
            assert_eq!(totals.channel(CHANNEL), total(3, 10, 6));
            assert_eq!(totals.channel(ChannelId(0)), BufferTotal::default());
        }
    }

    #[test]
    fn only_the_window_counts_and_its_end_may_move() {
        let mut channels = channels(0);
        channels.sent(3, CHANNEL, 0);
        channels.set_window(Window { start: 10, end: 20 });
        channels.sent(18, CHANNEL, 0);
        channels.sent(25, CHANNEL, 0);
        channels.left(29, CHANNEL, 0);
        let mut early = channels.clone();
        // One flit from cycle 10 on, a second in 19.
        assert_eq!(
            early.totals(30).virtual_channel(CHANNEL, 0),
            total(1, 11, 10)
        );
        channels.set_window(Window { start: 10, end: 40 });
        let mut all = channels.totals(40);
        let whole = total(2, 9 + 7 * 2 + 4 * 3 + 10 * 2, 30);
        assert_eq!(all.virtual_channel(CHANNEL, 0), whole);
        assert_eq!(all.virtual_channels(), 2);
        // Of replicas, the sum.
        all.merge(&early.totals(30));
        assert_eq!(all.channel(CHANNEL), total(3, whole.flit_cycles + 11, 40));
    }

    #[test]
    fn wires_are_walked_across_long_silence() {
        let mut channels = channels(6);
        channels.set_window(Window {
            start: 0,
            end: u64::MAX,
        });
        channels.sent(1, CHANNEL, 0);
        channels.left(1_000_000_007, CHANNEL, 0);
        channels.sent(2_000_000_000, CHANNEL, 1);
        let totals = channels.totals(2_000_000_010);
        assert_eq!(
            totals.virtual_channel(CHANNEL, 0),
            total(1, 1_000_000_000, 1_000_000_000)
        );
        assert_eq!(totals.virtual_channel(CHANNEL, 1), total(1, 3, 3));
    }
}
