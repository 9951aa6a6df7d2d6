//! Numbers of a few bits each, the first in the upper bits of a byte.

/// The message if bits are missing.
pub(super) const END: &str = "the chunk ends within a move or its score";

/// The bits of a part of a score. A further bit says whether another part follows.
const PART: u32 = 4;

/// The number of bits that can count to `values`, from 0.
pub(super) fn width(values: u32) -> u32 {
    u32::BITS - values.saturating_sub(1).leading_zeros()
}

/// A signed number as the format has it: its sign is in the lowest bit, so that numbers close to 0
/// are small.
pub(super) fn to_unsigned(number: i16) -> u16 {
    ((number << 1) ^ (number >> 15)) as u16
}

/// The number that [`to_unsigned`] makes such bits of.
pub(super) fn to_signed(bits: u16) -> i16 {
    (bits >> 1) as i16 ^ -((bits & 1) as i16)
}

/// Reads numbers from the start of some bytes.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// How many bits were read.
    read: usize,
}

impl BitReader<'_> {
    pub(super) fn new(bytes: &[u8]) -> BitReader<'_> {
        BitReader { bytes, read: 0 }
    }

    /// The next number, which has at most 8 bits, or `None` at the end.
    pub(super) fn number(&mut self, width: u32) -> Option<u32> {
        let end = self.read + width as usize;
        if end > 8 * self.bytes.len() {
            return None;
        }
        if width == 0 {
            return Some(0);
        }
        let byte = |index: usize| u32::from(self.bytes.get(index).copied().unwrap_or(0));
        let pair = byte(self.read / 8) << 8 | byte(self.read / 8 + 1);
        let unread = 16 - (self.read % 8) as u32;
        self.read = end;
        Some(pair >> (unread - width) & ((1 << width) - 1))
    }

    /// The next difference of scores: its lowest parts first. `None` at the end, or if there are
    /// more parts than a difference has.
    pub(super) fn score(&mut self) -> Option<i16> {
        let mut bits = 0;
        for shift in (0..u16::BITS).step_by(PART as usize) {
            let part = self.number(PART + 1)?;
            bits |= (part as u16 & ((1 << PART) - 1)) << shift;
            if part >> PART == 0 {
                return Some(to_signed(bits));
            }
        }
        None
    }

    /// How many bytes were read, in whole or in part.
    pub(super) fn bytes(&self) -> usize {
        self.read.div_ceil(8)
    }
}

/// Appends numbers to bytes.
#[derive(Default)]
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    /// How many bits of the last byte are free.
    free: u32,
}

impl BitWriter {
    /// Appends a number of at most 8 bits.
    pub(super) fn number(&mut self, number: u32, width: u32) {
        if width > self.free {
            self.bytes.push(0);
            self.free += 8;
        }
        let place = number << (self.free - width);
        if let [.., before, last] = &mut self.bytes[..] {
            // The byte before the last takes the bits that do not fit into the last.
            *before |= (place >> 8) as u8;
            *last |= place as u8;
        } else if let Some(last) = self.bytes.last_mut() {
            *last |= place as u8;
        }
        self.free -= width;
    }

    /// Appends a difference of scores.
    pub(super) fn score(&mut self, change: i16) {
        let mut bits = u32::from(to_unsigned(change));
        loop {
            let part = bits & ((1 << PART) - 1);
            bits >>= PART;
            self.number(part | u32::from(bits > 0) << PART, PART + 1);
            if bits == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn numbers_need_few_bits() {
        let widths = [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 27].map(width);
        assert_eq!(widths, [0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        let pairs = [
            (0, 0),
            (-1, 1),
            (1, 2),
            (-2, 3),
            (i16::MAX, 65534),
            (i16::MIN, 65535),
        ];
        for (number, bits) in pairs {
            assert_eq!((to_unsigned(number), to_signed(bits)), (bits, number));
        }
    }

    #[test]
    fn numbers_come_out_as_they_went_in() {
        let mut random = Rng::with_seed(3);
        let numbers: Vec<(u32, u32, i16)> = (0..5000)
            .map(|_| {
                let width = random.u32(0..=8);
                let score = random.i16(..) >> random.u32(..16);
                (random.u32(..1 << width), width, score)
            })
            .collect();
        let mut writer = BitWriter::default();
        for (number, width, score) in &numbers {
            writer.number(*number, *width);
            writer.score(*score);
        }
        let mut reader = BitReader::new(&writer.bytes);
        for (number, width, score) in &numbers {
            assert_eq!(reader.number(*width), Some(*number));
            assert_eq!(reader.score(), Some(*score));
        }
        assert_eq!(reader.bytes(), writer.bytes.len());
        assert_eq!(reader.number(8), None);
    }

    #[test]
    fn a_score_has_at_most_four_parts() {
        let mut writer = BitWriter::default();
        (0..4).for_each(|_| writer.number(0b11111, 5));
        writer.number(0, 5);
        assert_eq!(BitReader::new(&writer.bytes).score(), None);
    }
}
