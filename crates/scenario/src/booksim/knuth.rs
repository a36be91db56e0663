//! The generator that BookSim2 draws permutations from: Knuth's `ran_array` (The Art of Computer Programming, volume
//! 2, section 3.6, in the form of the 9th printing of the third edition), a subtractive generator with lags 100 and 37.

const LONG: usize = 100;
const SHORT: usize = 37;
/// Numbers are of 30 bits.
const MASK: i64 = (1 << 30) - 1;
/// So many are made at a time, of which the first [`LONG`] are used.
const QUALITY: usize = 1009;
/// Streams of different seeds are 2^70 apart at least.
const SEPARATION: u32 = 70;

/// The generator.
pub(super) struct Knuth {
    state: [i64; LONG],
    /// Those that are still to be used, the next one last.
    ready: Vec<u32>,
}

impl Knuth {
    /// `ran_start`.
    pub(super) fn new(seed: i64) -> Self {
        let mut x = [0i64; 2 * LONG - 1];
        let mut bits = (seed + 2) & (MASK - 1);
        for word in &mut x[..LONG] {
            *word = bits;
            bits <<= 1;
            if bits > MASK {
                bits -= MASK - 1;
            }
        }
        x[1] += 1;
        let (mut bits, mut left) = (seed & MASK, SEPARATION - 1);
        while left > 0 {
            // The polynomial is squared, then reduced.
            for j in (1..LONG).rev() {
                x[2 * j] = x[j];
                x[2 * j - 1] = 0;
            }
            for j in (LONG..2 * LONG - 1).rev() {
                x[j - (LONG - SHORT)] = (x[j - (LONG - SHORT)] - x[j]) & MASK;
                x[j - LONG] = (x[j - LONG] - x[j]) & MASK;
            }
            if bits & 1 == 1 {
                // Multiplied by z.
                x.copy_within(0..LONG, 1);
                x[0] = x[LONG];
                x[SHORT] = (x[SHORT] - x[LONG]) & MASK;
            }
            match bits {
                0 => left -= 1,
                _ => bits >>= 1,
            }
        }
        let mut state = [0; LONG];
        state[LONG - SHORT..].copy_from_slice(&x[..SHORT]);
        state[..LONG - SHORT].copy_from_slice(&x[SHORT..LONG]);
        let mut generator = Self {
            state,
            ready: Vec::new(),
        };
        for _ in 0..10 {
            generator.array(2 * LONG - 1);
        }
        generator
    }

    /// The next number, of 30 bits.
    pub(super) fn next(&mut self) -> u32 {
        if let Some(number) = self.ready.pop() {
            return number;
        }
        let numbers = self.array(QUALITY);
        self.ready = numbers[..LONG].iter().rev().map(|&x| x as u32).collect();
        self.next()
    }

    /// `ran_array`: the next `count` numbers, [`LONG`] at least.
    fn array(&mut self, count: usize) -> Vec<i64> {
        let mut numbers = self.state.to_vec();
        for j in LONG..count + LONG {
            numbers.push((numbers[j - LONG] - numbers[j - SHORT]) & MASK);
        }
        self.state.copy_from_slice(&numbers[count..]);
        numbers.truncate(count);
        numbers
    }
}
