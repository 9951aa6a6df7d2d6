//! The types of numbers, in files and in memory.

use core::fmt;

/// The type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Signed integers of 8 bits.
    I8,
    /// Unsigned integers of 8 bits.
    U8,
    /// Signed integers of 16 bits.
    I16,
    /// Unsigned integers of 16 bits.
    U16,
    /// Signed integers of 32 bits.
    I32,
    /// Unsigned integers of 64 bits. In binary layers, each integer holds the signs of 64 weights.
    U64,
    /// Signed integers of 64 bits: the type of sums, which no file has.
    I64,
    /// Floating point of 32 bits.
    F32,
}

impl Element {
    /// The number of bytes of a value.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 => 2,
            Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 => 8,
        }
    }

    /// The smallest and the largest value that a tensor may have, in numbers of 32 bits; `None` for
    /// floating point.
    #[must_use]
    pub const fn limits(self) -> Option<(i32, i32)> {
        match self {
            Element::I8 => Some((i8::MIN as i32, i8::MAX as i32)),
            Element::U8 => Some((0, u8::MAX as i32)),
            Element::I16 => Some((i16::MIN as i32, i16::MAX as i32)),
            Element::U16 => Some((0, u16::MAX as i32)),
            Element::I32 | Element::I64 => Some((i32::MIN, i32::MAX)),
            Element::U64 => Some((0, i32::MAX)),
            Element::F32 => None,
        }
    }

    /// Whether values of the type are floating point.
    #[must_use]
    pub const fn is_float(self) -> bool {
        self.limits().is_none()
    }

    /// Whether `other` holds all values of this type.
    #[must_use]
    pub fn fits_in(self, other: Element) -> bool {
        match (self.limits(), other.limits()) {
            (Some((low, high)), Some((least, most))) => least <= low && high <= most,
            (None, None) => self.size() <= other.size(),
            _ => false,
        }
    }

    /// For a type of floating point, the number that is nearest to a value, and then its
    /// neighbours. For a type of integers, the value itself.
    pub(crate) fn nearest(self, value: f64) -> [f64; 5] {
        match self {
            Element::F32 => {
                let nearest = value as f32;
                let (up, down) = (nearest.next_up(), nearest.next_down());
                [nearest, up, down, up.next_up(), down.next_down()].map(f64::from)
            }
            Element::I8
            | Element::U8
            | Element::I16
            | Element::U16
            | Element::I32
            | Element::U64
            | Element::I64 => [value; 5],
        }
    }

    /// The name that Rust and specs have for the type, as in `i16`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Element::I8 => "i8",
            Element::U8 => "u8",
            Element::I16 => "i16",
            Element::U16 => "u16",
            Element::I32 => "i32",
            Element::U64 => "u64",
            Element::I64 => "i64",
            Element::F32 => "f32",
        }
    }

    /// The value with this index among little-endian values, as files have them.
    pub(crate) fn read_little_endian(self, bytes: &[u8], index: usize) -> f64 {
        match self {
            Element::I8 => f64::from(bytes[index].cast_signed()),
            Element::U8 => f64::from(bytes[index]),
            Element::I16 => f64::from(i16::from_le_bytes(bytes.as_chunks().0[index])),
            Element::U16 => f64::from(u16::from_le_bytes(bytes.as_chunks().0[index])),
            Element::I32 => f64::from(i32::from_le_bytes(bytes.as_chunks().0[index])),
            Element::U64 => u64::from_le_bytes(bytes.as_chunks().0[index]) as f64,
            Element::I64 => i64::from_le_bytes(bytes.as_chunks().0[index]) as f64,
            Element::F32 => f64::from(f32::from_le_bytes(bytes.as_chunks().0[index])),
        }
    }

    /// Writes a value that the type holds, little-endian; floating point is rounded.
    pub fn write_little_endian(self, bytes: &mut [u8], index: usize, value: f64) {
        match self {
            Element::I8 => bytes[index] = (value as i8).cast_unsigned(),
            Element::U8 => bytes[index] = value as u8,
            Element::I16 => bytes.as_chunks_mut().0[index] = (value as i16).to_le_bytes(),
            Element::U16 => bytes.as_chunks_mut().0[index] = (value as u16).to_le_bytes(),
            Element::I32 => bytes.as_chunks_mut().0[index] = (value as i32).to_le_bytes(),
            Element::U64 => bytes.as_chunks_mut().0[index] = (value as u64).to_le_bytes(),
            Element::I64 => bytes.as_chunks_mut().0[index] = (value as i64).to_le_bytes(),
            Element::F32 => bytes.as_chunks_mut().0[index] = (value as f32).to_le_bytes(),
        }
    }

    /// The value with this index among values of memory, which have the machine's own endianness.
    pub(crate) fn read(self, bytes: &[u8], index: usize) -> f64 {
        if cfg!(target_endian = "little") {
            return self.read_little_endian(bytes, index);
        }
        let mut value = [0; 8];
        let value = &mut value[..self.size()];
        value.copy_from_slice(&bytes[index * self.size()..][..self.size()]);
        value.reverse();
        self.read_little_endian(value, 0)
    }

    /// Writes a value that the type holds, in the machine's own endianness.
    pub(crate) fn write(self, bytes: &mut [u8], index: usize, value: f64) {
        self.write_little_endian(bytes, index, value);
        let size = self.size();
        swap_on_big_endian(&mut bytes[index * size..][..size], self);
    }
}

/// Brings values from the endianness of files to the machine's, or back.
pub(crate) fn swap_on_big_endian(values: &mut [u8], element: Element) {
    if cfg!(target_endian = "big") {
        for value in values.chunks_exact_mut(element.size()) {
            value.reverse();
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_fit_where_all_their_values_do() {
        use Element::{F32, I8, I16, I32, U8, U16};
        for (element, wider) in [(I8, I16), (U8, I16), (U8, U16), (I16, I32), (U16, I32)] {
            assert!(element.fits_in(element) && element.fits_in(wider));
            assert!(!wider.fits_in(element), "{wider} in {element}");
        }
        for (element, other) in [(U8, I8), (I8, U8), (U16, I16), (I8, F32), (F32, I32)] {
            assert!(!element.fits_in(other), "{element} in {other}");
        }
        assert!(F32.fits_in(F32));
    }
}
