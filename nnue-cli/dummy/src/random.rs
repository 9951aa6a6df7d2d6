//! Random numbers that are the same on every machine.

/// Marsaglia's xorshift with 64 bits.
#[derive(Clone, Debug)]
pub struct Xorshift(u64);

impl Xorshift {
    /// The sequence of a seed, which must not be 0.
    #[must_use]
    pub fn new(seed: u64) -> Xorshift {
        assert_ne!(seed, 0, "the sequence of 0 is 0 forever");
        Xorshift(seed)
    }

    /// The next number of the sequence.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.draw()) * limit as u128) >> 64) as usize
    }
}
