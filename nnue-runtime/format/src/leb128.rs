//! LEB128, the compression of network files: seven bits a byte, low bits first, the top bit set on
//! all bytes but the last. Integers have their sign in bit 6 of the last byte. Floating point is
//! encoded as the unsigned integer with the same bits.
//!
//! A value has many encodings; only the shortest is accepted, so that writing a network gives its
//! file back.

use alloc::vec::Vec;

use crate::Element;

/// The first bytes of a compressed block; a `u32` number of bytes follows.
pub const MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// The reason why bytes are not the expected values. Offsets are in bytes from the start of the
/// values.
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

/// The largest number of bytes of a value of an integer type of `size` bytes.
#[must_use]
pub const fn longest(size: usize) -> usize {
    (8 * size).div_ceil(7)
}

/// The number of bytes that [`decode`] handles together.
const BLOCK: usize = 64;

/// Decodes values into numbers of the machine's endianness, and returns the number of bytes used.
/// After a fault the contents of `memory` are unspecified.
pub(crate) fn decode_as(
    element: Element,
    source: &[u8],
    memory: &mut [u8],
) -> Result<usize, Fault> {
    match element.size() {
        _ if element.is_float() => decode_bits(source, memory.as_chunks_mut().0),
        1 => decode::<1>(source, memory.as_chunks_mut().0),
        2 => decode::<2>(source, memory.as_chunks_mut().0),
        _ => decode::<4>(source, memory.as_chunks_mut().0),
    }
}

/// [`decode_as`] for integers of `SIZE` bytes.
pub(crate) fn decode<const SIZE: usize>(
    source: &[u8],
    values: &mut [[u8; SIZE]],
) -> Result<usize, Fault> {
    let (mut index, mut offset) = (0, 0usize);
    while index < values.len() {
        // A block needs the byte before the block.
        if let Some(before) = offset.checked_sub(1)
            && let Some(bytes) = source[before..].first_chunk()
            && let Some(room) = values[index..].first_chunk_mut()
            && let Some((count, used)) = decode_block(bytes, room)
        {
            index += count;
            offset += used;
            continue;
        }
        // Where a block has a value that cannot be decoded with it, some values are decoded singly.
        let end = values.len().min(index + BLOCK / 2);
        let end = if offset == 0 { index + 1 } else { end };
        while index < end {
            let rest = &source[offset..];
            match first_value(rest, longest(SIZE)) {
                Some((wide, len)) if is_shortest(&rest[..len]) => {
                    values[index] = narrow(wide as i32);
                    if i64::from(widen(values[index])) != wide {
                        return Err(Fault::OutOfRange {
                            index,
                            offset,
                            value: wide,
                        });
                    }
                    offset += len;
                }
                None if rest.len() < longest(SIZE) => return Err(Fault::Ended { decoded: index }),
                _ => return Err(Fault::Overlong { index, offset }),
            }
            index += 1;
        }
    }
    Ok(offset)
}

/// Decodes the values that end in a block. `bytes` also has the byte before the block, which is the
/// last byte of a value. Returns the number of values and the number of bytes that they take;
/// `None` if a value takes more than two bytes or is wrong. Weights are small: most take one byte,
/// and hardly any take more than two. The contents of `room` behind the values are unspecified.
///
/// There is no branch that depends on the bytes, because no processor would predict it. At each
/// place a value is made as if a value ended there; then the values that really end there are moved
/// together.
fn decode_block<const SIZE: usize>(
    bytes: &[u8; BLOCK + 1],
    room: &mut [[u8; SIZE]; BLOCK],
) -> Option<(usize, usize)> {
    const LOWEST_BITS: u64 = 0x0101_0101_0101_0101;

    let (before, block) = (bytes.first_chunk::<BLOCK>()?, bytes.last_chunk::<BLOCK>()?);
    let mut made = [0i16; BLOCK];
    let mut unfit = 0;
    for ((value, &byte), &before) in made.iter_mut().zip(block).zip(before) {
        let high = (byte << 1).cast_signed() >> 1;
        // All bits are set where the byte before is the first byte of a value.
        let is_second = before.cast_signed() >> 7;
        let sign_before = (before << 1).cast_signed() >> 7;
        let is_overlong = if high == sign_before { is_second } else { 0 };
        unfit |= (before & byte & 0x80) | is_overlong.cast_unsigned();
        let (high, is_second) = (i16::from(high), i16::from(is_second));
        let both = high << 7 | i16::from(before & 0x7F);
        *value = (high & !is_second) | (both & is_second);
        if SIZE == 1 {
            unfit |= u8::from(i16::from(*value as i8) != *value);
        }
    }
    if unfit != 0 {
        return None;
    }
    let mut count = 0;
    for (values, bytes) in made.as_chunks::<8>().0.iter().zip(block.as_chunks().0) {
        let ends = !u64::from_le_bytes(*bytes) >> 7 & LOWEST_BITS;
        // In each byte, the number of values that end there or before.
        let sums = ends.wrapping_mul(LOWEST_BITS);
        let room = room[count..].first_chunk_mut::<8>()?;
        let mut places = sums << 8;
        for value in values {
            room[places as usize % 8] = narrow(i32::from(*value));
            places >>= 8;
        }
        count += (sums >> 56) as usize;
    }
    Some((count, BLOCK - usize::from(block[BLOCK - 1] >> 7)))
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

/// The end of `count` values. If there are fewer values, the error is their number.
pub(crate) fn end_of(source: &[u8], count: usize) -> Result<usize, usize> {
    let mut left = count;
    for (number, chunk) in source.chunks(CHUNK).enumerate() {
        let found = ends(chunk);
        if found < left {
            left -= found;
            continue;
        }
        let mut offset = 0;
        while left > 0 {
            left -= usize::from(chunk[offset] < 0x80);
            offset += 1;
        }
        return Ok(number * CHUNK + offset);
    }
    if left == 0 { Ok(0) } else { Err(count - left) }
}

/// The number of values; `None` if the last value does not end.
#[must_use]
pub fn count(values: &[u8]) -> Option<usize> {
    let is_whole = values.last().is_none_or(|byte| *byte < 0x80);
    is_whole.then(|| ends(values))
}

/// The largest number of bytes whose ends a single byte can count.
const CHUNK: usize = 255;

/// The number of values that end in some bytes. Sums of bytes count many ends at a time.
fn ends(bytes: &[u8]) -> usize {
    let chunks = bytes.chunks(CHUNK).map(|chunk| {
        let sum = chunk
            .iter()
            .fold(0u8, |sum, byte| sum.wrapping_add(!byte >> 7));
        usize::from(sum)
    });
    chunks.sum()
}

/// The number of bytes that [`encode`] appends for `value`.
pub(crate) const fn encoded_len(value: i32) -> usize {
    let magnitude_bits = i32::BITS - (value ^ (value >> 31)).leading_zeros();
    (magnitude_bits as usize + 1).div_ceil(7)
}

/// Appends the shortest encoding of `value`.
pub fn encode(value: i32, sink: &mut Vec<u8>) {
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

/// Whether the last byte of a value tells more than the sign of the byte before it.
fn is_shortest(encoded: &[u8]) -> bool {
    match encoded {
        [.., before, last] => *last != if before & 0x40 == 0 { 0 } else { 0x7F },
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use fastrand::Rng;

    use super::*;
    use crate::tests::random_bytes;

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
        let mut random = Rng::with_seed(1);
        for _ in 0..200 {
            let values: Vec<i32> = (0..random.u64(..60))
                .map(|_| random.i32(..) >> random.u64(..32))
                .collect();
            let bytes = encoded(&values);
            assert_eq!(
                decoded::<4>(&bytes, values.len()),
                Ok((values, bytes.len()))
            );
        }
    }

    /// [`decode`], value by value.
    fn decoded_singly<const SIZE: usize>(
        source: &[u8],
        count: usize,
    ) -> Result<(Vec<i32>, usize), Fault> {
        let (mut values, mut offset) = (Vec::new(), 0);
        for index in 0..count {
            let (value, used) = decoded::<SIZE>(&source[offset..], 1).map_err(|fault| {
                let at = offset;
                match fault {
                    Fault::Ended { .. } => Fault::Ended { decoded: index },
                    Fault::Overlong { offset, .. } => Fault::Overlong {
                        index,
                        offset: at + offset,
                    },
                    Fault::OutOfRange { offset, value, .. } => Fault::OutOfRange {
                        index,
                        offset: at + offset,
                        value,
                    },
                }
            })?;
            values.extend(value);
            offset += used;
        }
        Ok((values, offset))
    }

    #[test]
    fn blocks_are_decoded_as_single_values_are() {
        let mut random = Rng::with_seed(7);
        let mut faults = 0;
        for round in 0..2000 {
            let count = random.u64(..400) as usize;
            // The values take one byte in some rounds, and up to three bytes in others.
            let bits = 6 + random.u64(..10);
            let values: Vec<i32> = (0..count)
                .map(|_| random.i32(..) >> (32 - bits + random.u64(..bits)))
                .collect();
            let mut bytes = encoded(&values);
            for _ in 0..round % 3 {
                let place = random.u64(..bytes.len() as u64 + 1) as usize;
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << random.u64(..8);
                }
            }
            let behind = random.u64(..80) as usize;
            bytes.extend(random_bytes(&mut random, behind));
            let results = (
                decoded::<1>(&bytes, count),
                decoded::<2>(&bytes, count),
                decoded::<4>(&bytes, count),
            );
            faults += usize::from(results.1.is_err());
            let singly = (
                decoded_singly::<1>(&bytes, count),
                decoded_singly::<2>(&bytes, count),
                decoded_singly::<4>(&bytes, count),
            );
            assert_eq!(results, singly);
        }
        assert!((100..1900).contains(&faults), "{faults}");
    }

    #[test]
    fn ends_are_counted_across_chunks() {
        let mut random = Rng::with_seed(8);
        let values: Vec<i32> = (0..900).map(|_| random.u64(..200) as i32).collect();
        let bytes = encoded(&values);
        assert_eq!(count(&bytes), Some(values.len()));
        let mut end = 0;
        for (number, value) in values.iter().enumerate() {
            assert_eq!(end_of(&bytes, number), Ok(end));
            end += encoded_len(*value);
            assert_eq!(end_of(&bytes[..end], number + 2), Err(number + 1));
        }
        assert_eq!(end_of(&bytes, values.len()), Ok(bytes.len()));
    }

    #[test]
    fn bits_of_floating_point_come_back() {
        let mut random = Rng::with_seed(3);
        let mut bits = vec![0, 1, 0x7F, 0x80, 0x3F80_0000, 0x8000_0000, u32::MAX];
        bits.extend((0..500).map(|_| random.u32(..) >> random.u64(..32)));
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
