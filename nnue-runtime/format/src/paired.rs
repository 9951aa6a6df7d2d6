//! Tables of bytes in memory whose values lie in pairs, two in each word, as kernels add them.
//!
//! Widening every byte before it is added takes as many instructions as the additions. So words
//! that hold two values are added as they are, and added once more without their low bytes. The
//! sums of both values follow from both sums, as long as no low byte has a sign: the low byte is
//! the value plus 128.

use alloc::borrow::Cow;

/// The length of a run of paired values: the `j`-th value of a run and the value half a run behind
/// it share a word.
pub const PAIRED_RUN: usize = 64;

/// The number with which the first value of a pair is exclusive-ored: the result, as a byte without
/// a sign, is the value plus 128.
const OFFSET: u8 = 0x80;

/// A table of bytes in memory whose values are paired after all values are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// The offset of the table, in bytes from the start of the weights.
    pub offset: usize,
    /// The number of values of the table: a multiple of [`PAIRED_RUN`].
    pub len: usize,
}

/// A run of values from its pairs.
#[inline]
#[must_use]
pub fn unpaired(pairs: &[i8; PAIRED_RUN]) -> [i8; PAIRED_RUN] {
    unpair(pairs.map(|byte| byte as u8)).map(|byte| byte as i8)
}

fn pair(values: [u8; PAIRED_RUN]) -> [u8; PAIRED_RUN] {
    core::array::from_fn(|place| match place % 2 {
        0 => values[place / 2] ^ OFFSET,
        _ => values[PAIRED_RUN / 2 + place / 2],
    })
}

fn unpair(pairs: [u8; PAIRED_RUN]) -> [u8; PAIRED_RUN] {
    core::array::from_fn(|place| value_of(&pairs, place))
}

/// The value at a place of the run that these pairs are.
#[inline]
fn value_of(pairs: &[u8; PAIRED_RUN], place: usize) -> u8 {
    const HALF: usize = PAIRED_RUN / 2;
    match place {
        0..HALF => pairs[2 * place] ^ OFFSET,
        _ => pairs[2 * (place - HALF) + 1],
    }
}

/// Pairs the values of tables.
pub(crate) fn pair_all(tables: &[Paired], weights: &mut [u8]) {
    for_each_run(tables, weights, pair);
}

/// The inverse of [`pair_all`].
pub(crate) fn unpair_all(tables: &[Paired], weights: &mut [u8]) {
    for_each_run(tables, weights, unpair);
}

/// The weights as they were before [`pair_all`].
pub(crate) fn without_pairs<'w>(tables: &[Paired], weights: &'w [u8]) -> Cow<'w, [u8]> {
    if tables.is_empty() {
        return Cow::Borrowed(weights);
    }
    let mut weights = weights.to_vec();
    unpair_all(tables, &mut weights);
    Cow::Owned(weights)
}

/// The value at an offset of the weights, if it lies in one of the tables.
pub(crate) fn value(tables: &[Paired], weights: &[u8], offset: usize) -> Option<i8> {
    let mut tables = tables.iter();
    let table = tables.find(|table| (table.offset..table.offset + table.len).contains(&offset))?;
    let place = offset - table.offset;
    let runs = weights[table.offset..][..table.len].as_chunks().0;
    let value = value_of(&runs[place / PAIRED_RUN], place % PAIRED_RUN);
    Some(value.cast_signed())
}

fn for_each_run(
    tables: &[Paired],
    weights: &mut [u8],
    change: impl Fn([u8; PAIRED_RUN]) -> [u8; PAIRED_RUN] + Sync,
) {
    let change_all = |runs: &mut [u8]| {
        for run in runs.as_chunks_mut().0 {
            *run = change(*run);
        }
    };
    for table in tables {
        let table = &mut weights[table.offset..][..table.len];
        #[cfg(feature = "std")]
        crate::threads::for_each_chunk(table, 4096 * PAIRED_RUN, &change_all);
        #[cfg(not(feature = "std"))]
        change_all(table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: usize = PAIRED_RUN;

    #[test]
    fn a_word_has_two_values() {
        let values: [u8; RUN] = core::array::from_fn(|place| (place as i8 - 40) as u8);
        let pairs = pair(values);
        for (place, word) in pairs.as_chunks().0.iter().enumerate() {
            let [low, high] = [place, RUN / 2 + place].map(|place| i16::from(values[place] as i8));
            assert_eq!(i16::from_le_bytes(*word), low + 128 + 256 * high);
        }
        assert_eq!(
            unpaired(&pairs.map(|byte| byte as i8)),
            values.map(|byte| byte as i8)
        );
    }

    #[test]
    fn tables_are_paired_and_nothing_else() {
        let tables = [
            Paired {
                offset: RUN,
                len: RUN,
            },
            Paired {
                offset: 3 * RUN,
                len: 2 * RUN,
            },
        ];
        let values: [u8; 6 * RUN] = core::array::from_fn(|place| place as u8);
        let mut weights = values;
        pair_all(&tables, &mut weights);
        let runs = weights
            .as_chunks::<RUN>()
            .0
            .iter()
            .zip(values.as_chunks().0);
        for (number, (paired, values)) in runs.enumerate() {
            let is_paired = [1, 3, 4].contains(&number);
            assert_eq!(*paired, if is_paired { pair(*values) } else { *values });
        }
        assert_eq!(without_pairs(&tables, &weights)[..], values);
        for (offset, expected) in values.iter().enumerate() {
            let is_paired = [1, 3, 4].contains(&(offset / RUN));
            let expected = is_paired.then_some(*expected as i8);
            assert_eq!(value(&tables, &weights, offset), expected);
        }
        unpair_all(&tables, &mut weights);
        assert_eq!(weights, values);
    }
}
