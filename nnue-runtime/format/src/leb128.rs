//! LEB128, the compression of network files: seven bits a byte, low bits first, the top bit set on
//! all bytes but the last. Integers have their sign in bit 6 of the last. Floating point is the
//! number that its bits are, without a sign.
//!
//! A value has many encodings; only the shortest is accepted, so that writing a network gives its
//! file back.

use alloc::vec::Vec;

/// The first bytes of a compressed block; a `u32` number of bytes follows.
pub(crate) const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// Why bytes are not the values they should be. Offsets are in bytes from the start of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// The bytes end before the value `decoded`, or inside it.
    Ended { decoded: usize },
    /// A value is not in the shortest form of a type of its size.
    Overlong { index: usize, offset: usize },
    /// A value does not fit its type.
    OutOfRange {
        index: usize,
        offset: usize,
        value: i64,
    },
}

/// The most bytes that a value of an integer type of `size` bytes takes.
pub(crate) const fn longest(size: usize) -> usize {
    (8 * size).div_ceil(7)
}

/// Decodes values into integers of `SIZE` bytes of the machine's endianness, and returns the number
/// of bytes used. After a fault the contents of `values` are unspecified.
pub(crate) fn decode<const SIZE: usize>(
    source: &[u8],
    values: &mut [[u8; SIZE]],
) -> Result<usize, Fault> {
    /// The top bits of eight bytes.
    const CONTINUED: u64 = 0x8080_8080_8080_8080;

    let mut rest = source;
    let mut index = 0;
    while index < values.len() {
        if let Some(word) = rest.first_chunk::<8>()
            && let Some(eight) = values[index..].first_chunk_mut::<8>()
        {
            // Weights are small: nine in ten take one byte. Eight bytes are decoded as if each were
            // a value; those from the first continued one on are not, and what they left is
            // overwritten in later turns.
            for (value, &byte) in eight.iter_mut().zip(word) {
                *value = narrow(i32::from((byte << 1).cast_signed() >> 1));
            }
            let continued = u64::from_le_bytes(*word) & CONTINUED;
            let single = continued.trailing_zeros() as usize / 8;
            index += single;
            rest = &rest[single..];
            if single == 8 {
                continue;
            }
        }
        let offset = source.len() - rest.len();
        match first_value(rest, longest(SIZE)) {
            Some((wide, len)) if is_shortest(&rest[..len]) => {
                let value = wide as i32;
                values[index] = narrow(value);
                if i64::from(widen(values[index])) != wide {
                    return Err(Fault::OutOfRange {
                        index,
                        offset,
                        value: wide,
                    });
                }
                rest = &rest[len..];
            }
            None if rest.len() < longest(SIZE) => return Err(Fault::Ended { decoded: index }),
            _ => return Err(Fault::Overlong { index, offset }),
        }
        index += 1;
    }
    Ok(source.len() - rest.len())
}

/// Decodes the bits of floating point, in the machine's endianness, as [`decode`] does integers.
pub(crate) fn decode_bits(source: &[u8], values: &mut [[u8; 4]]) -> Result<usize, Fault> {
    let mut offset = 0;
    for (index, value) in values.iter_mut().enumerate() {
        let rest = &source[offset..];
        let mut len = 0;
        let mut bits = 0u64;
        loop {
            let Some(byte) = rest.get(len) else {
                return Err(Fault::Ended { decoded: index });
            };
            bits |= u64::from(byte & 0x7F) << (7 * len);
            len += 1;
            if *byte < 0x80 {
                break;
            }
            if len == longest(4) {
                return Err(Fault::Overlong { index, offset });
            }
        }
        if len > 1 && rest[len - 1] == 0 {
            return Err(Fault::Overlong { index, offset });
        }
        let Ok(narrow) = u32::try_from(bits) else {
            return Err(Fault::OutOfRange {
                index,
                offset,
                value: bits.cast_signed(),
            });
        };
        *value = narrow.to_ne_bytes();
        offset += len;
    }
    Ok(offset)
}

/// Where so many values end, or how many there are if they are fewer.
pub(crate) fn end_of(source: &[u8], count: usize) -> Result<usize, usize> {
    let mut left = count;
    for (index, byte) in source.iter().enumerate() {
        if left == 0 {
            return Ok(index);
        }
        left -= usize::from(*byte < 0x80);
    }
    if left == 0 {
        return Ok(source.len());
    }
    Err(count - left)
}

/// How many values there are; `None` if the last one does not end.
pub(crate) fn count(values: &[u8]) -> Option<usize> {
    let ends = values.iter().filter(|byte| **byte < 0x80);
    let is_whole = values.last().is_none_or(|byte| *byte < 0x80);
    is_whole.then(|| ends.count())
}

/// The number of bytes that [`encode`] appends for `value`.
pub(crate) const fn encoded_len(value: i32) -> usize {
    let magnitude_bits = i32::BITS - (value ^ (value >> 31)).leading_zeros();
    (magnitude_bits as usize + 1).div_ceil(7)
}

/// Appends the shortest encoding of `value`.
pub(crate) fn encode(value: i32, sink: &mut Vec<u8>) {
    let mut left = value;
    for _ in 1..encoded_len(value) {
        sink.push(left as u8 | 0x80);
        left >>= 7;
    }
    sink.push(left as u8 & 0x7F);
}

/// The number of bytes that [`encode_bits`] appends for `bits`.
pub(crate) const fn encoded_bits_len(bits: u32) -> usize {
    let len = (u32::BITS - bits.leading_zeros()).div_ceil(7) as usize;
    if len == 0 { 1 } else { len }
}

/// Appends the shortest encoding of the bits of floating point.
pub(crate) fn encode_bits(bits: u32, sink: &mut Vec<u8>) {
    let mut left = bits;
    for _ in 1..encoded_bits_len(bits) {
        sink.push(left as u8 | 0x80);
        left >>= 7;
    }
    sink.push(left as u8);
}

/// An integer of `SIZE` bytes of the machine's endianness, as `i32`.
pub(crate) fn widen<const SIZE: usize>(mut native: [u8; SIZE]) -> i32 {
    if cfg!(target_endian = "big") {
        native.reverse();
    }
    let mut bytes = [0; 4];
    bytes[4 - SIZE..].copy_from_slice(&native);
    i32::from_le_bytes(bytes) >> (32 - 8 * SIZE)
}

/// The low `SIZE` bytes of `value`, in the machine's endianness.
fn narrow<const SIZE: usize>(value: i32) -> [u8; SIZE] {
    let mut native = [0; SIZE];
    native.copy_from_slice(&value.to_le_bytes()[..SIZE]);
    if cfg!(target_endian = "big") {
        native.reverse();
    }
    native
}

/// The value that begins `source` and its length; `None` if it does not end within `limit` bytes.
fn first_value(source: &[u8], limit: usize) -> Option<(i64, usize)> {
    let mut value = 0;
    for (i, &byte) in source.iter().take(limit).enumerate() {
        value |= i64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            let unused = 64 - 7 * (i + 1);
            return Some((value << unused >> unused, i + 1));
        }
    }
    None
}

/// Whether the last byte of a value says anything that the sign of the byte before it does not.
fn is_shortest(encoded: &[u8]) -> bool {
    match encoded {
        [.., before, last] => *last != if before & 0x40 == 0 { 0 } else { 0x7F },
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::tests::Random;

    fn encoded(values: &[i32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &value in values {
            encode(value, &mut bytes);
        }
        bytes
    }

    fn decoded<const SIZE: usize>(source: &[u8], count: usize) -> Result<(Vec<i32>, usize), Fault> {
        let mut values = vec![[0; SIZE]; count];
        let used = decode(source, &mut values)?;
        Ok((values.into_iter().map(widen).collect(), used))
    }

    #[test]
    fn encodings_are_those_of_the_format() {
        for (value, bytes) in [
            (0, &[0x00][..]),
            (63, &[0x3F]),
            (64, &[0xC0, 0x00]),
            (-1, &[0x7F]),
            (-64, &[0x40]),
            (-65, &[0xBF, 0x7F]),
            (-123_456, &[0xC0, 0xBB, 0x78]),
            (i32::MAX, &[0xFF, 0xFF, 0xFF, 0xFF, 0x07]),
            (i32::MIN, &[0x80, 0x80, 0x80, 0x80, 0x78]),
        ] {
            assert_eq!(encoded(&[value]), bytes, "{value}");
            assert_eq!(encoded_len(value), bytes.len(), "{value}");
        }
    }

    #[test]
    fn every_i16_comes_back() {
        let values: Vec<i32> = (i32::from(i16::MIN)..=i32::from(i16::MAX)).collect();
        let bytes = encoded(&values);
        assert_eq!(
            decoded::<2>(&bytes, values.len()),
            Ok((values, bytes.len()))
        );
    }

    #[test]
    fn lengths_mixed_at_random_come_back() {
        let mut random = Random(1);
        for _ in 0..200 {
            let values: Vec<i32> = (0..random.below(60))
                .map(|_| (random.next() as i32) >> random.below(32))
                .collect();
            let bytes = encoded(&values);
            assert_eq!(
                decoded::<4>(&bytes, values.len()),
                Ok((values, bytes.len()))
            );
        }
    }

    #[test]
    fn bits_of_floating_point_come_back() {
        let mut random = Random(3);
        let mut bits = vec![0, 1, 0x7F, 0x80, 0x3F80_0000, 0x8000_0000, u32::MAX];
        bits.extend((0..500).map(|_| (random.next() as u32) >> random.below(32)));
        let mut bytes = Vec::new();
        for &bits in &bits {
            let before = bytes.len();
            encode_bits(bits, &mut bytes);
            assert_eq!(bytes.len() - before, encoded_bits_len(bits));
        }
        // The bits of 1.0 are 0x3F800000.
        let mut one = Vec::new();
        encode_bits(1f32.to_bits(), &mut one);
        assert_eq!(one, [0x80, 0x80, 0x80, 0xFC, 0x03]);
        let mut values = vec![[0; 4]; bits.len()];
        assert_eq!(end_of(&bytes, bits.len()), Ok(bytes.len()));
        bytes.push(5);
        assert_eq!(decode_bits(&bytes, &mut values), Ok(bytes.len() - 1));
        assert_eq!(end_of(&bytes, bits.len()), Ok(bytes.len() - 1));
        let found: Vec<u32> = values.into_iter().map(u32::from_ne_bytes).collect();
        assert_eq!(found, bits);
    }

    #[test]
    fn bits_of_floating_point_have_one_form_and_32_bits() {
        let decoded = |bytes: &[u8]| {
            let mut values = [[0; 4]; 2];
            decode_bits(bytes, &mut values)
        };
        let (index, offset) = (1, 1);
        for overlong in [&[0x80, 0x00][..], &[0xFF, 0x80, 0x00], &[0xFF; 9]] {
            let bytes = [&[7], overlong].concat();
            assert_eq!(decoded(&bytes), Err(Fault::Overlong { index, offset }));
        }
        let value = 1 << 32;
        let fault = Fault::OutOfRange {
            index,
            offset,
            value,
        };
        assert_eq!(decoded(&[7, 0x80, 0x80, 0x80, 0x80, 0x10]), Err(fault));
        assert_eq!(decoded(&[7, 0x80]), Err(Fault::Ended { decoded: 1 }));
    }

    #[test]
    fn values_are_counted_by_their_last_bytes() {
        let bytes = encoded(&[1, 200, -3, 70_000]);
        assert_eq!(end_of(&bytes, 0), Ok(0));
        assert_eq!(end_of(&bytes, 3), Ok(4));
        assert_eq!(end_of(&bytes, 4), Ok(bytes.len()));
        assert_eq!(end_of(&bytes, 6), Err(4));
        assert_eq!(end_of(&bytes[..2], 2), Err(1));
        assert_eq!(end_of(&[], 1), Err(0));
    }

    #[test]
    fn bytes_after_the_last_value_are_left() {
        let mut bytes = encoded(&[1, 200, -3]);
        bytes.extend([0; 20]);
        assert_eq!(decoded::<2>(&bytes, 3), Ok((vec![1, 200, -3], 4)));
    }

    #[test]
    fn an_early_end_is_found_before_and_inside_a_value() {
        let bytes = encoded(&[5, 6, 3000]);
        assert_eq!(decoded::<2>(&bytes, 4), Err(Fault::Ended { decoded: 3 }));
        assert_eq!(
            decoded::<2>(&bytes[..3], 3),
            Err(Fault::Ended { decoded: 2 })
        );
        assert_eq!(decoded::<2>(&[], 1), Err(Fault::Ended { decoded: 0 }));
    }

    #[test]
    fn only_the_shortest_form_is_accepted() {
        let prefix = encoded(&[1; 11]);
        for overlong in [
            &[0x80, 0x00][..],
            &[0xFF, 0x7F],
            &[0xBF, 0x00],
            &[0xC0, 0x7F],
            &[0xC0, 0x80, 0x00],
            &[0x80, 0x80, 0x80, 0x00],
            &[0xFF; 20],
        ] {
            let bytes = [&prefix, overlong].concat();
            let fault = Fault::Overlong {
                index: 11,
                offset: 11,
            };
            assert_eq!(decoded::<2>(&bytes, 12), Err(fault), "{overlong:?}");
        }
    }

    #[test]
    fn values_must_fit_their_type() {
        for (value, fits_i16) in [
            (32767, true),
            (-32768, true),
            (32768, false),
            (-32769, false),
        ] {
            let result = decoded::<2>(&encoded(&[0, value]), 2);
            assert_eq!(result.is_ok(), fits_i16, "{value}");
            if !fits_i16 {
                let fault = Fault::OutOfRange {
                    index: 1,
                    offset: 1,
                    value: i64::from(value),
                };
                assert_eq!(result, Err(fault));
            }
        }
        assert!(decoded::<1>(&encoded(&[127, -128]), 2).is_ok());
        assert!(decoded::<1>(&encoded(&[128]), 1).is_err());
        let beyond_i32 = [0x80, 0x80, 0x80, 0x80, 0x08];
        let fault = Fault::OutOfRange {
            index: 0,
            offset: 0,
            value: 1 << 31,
        };
        assert_eq!(decoded::<4>(&beyond_i32, 1), Err(fault));
    }
}
