//! Primitives whose lanes are words: functions of two words: there are 2^32 pairs.
//!
//! That a lane depends on nothing but the words of the same lane is so because every instruction
//! that these primitives are made of works lane by lane, with the same constants in every lane, or
//! moves whole lanes. It is checked by [`in_every_lane`]: each lane takes all pairs of a word with an
//! edge, while the lanes beside it hold other words. With that, it is enough that [`all_pairs`]
//! shows each of the 2^32 pairs to one lane.

use std::fmt::Debug;
use std::iter::zip;

use nnue_runtime::Level;

use crate::levels::{Bytes, Words, expected, found};
use crate::parallel;

/// A function of two words that levels compute in every lane.
pub(crate) trait Lanes: Copy + Debug + Sync {
    type Result: Copy + Default + PartialEq + Debug + Send;
    fn found(self, level: Level, a: &[i16], b: &[i16], to: &mut [Self::Result]);
    fn expected(self, level: Level, a: &[i16], b: &[i16], to: &mut [Self::Result]);

    /// Whether levels agree on these words.
    fn holds(self, a: i16, b: i16) -> bool;

    /// The word that `scalar` makes of either word before anything else. Of words that become the
    /// same, its results are computed once.
    fn first_becomes(self, word: i16) -> i16;

    /// Where the result of a lane is.
    fn place(self, level: Level, lane: usize) -> usize;
}

impl Lanes for Words {
    type Result = i16;

    fn found(self, level: Level, a: &[i16], b: &[i16], to: &mut [i16]) {
        found::words(level, self, a, b, to);
    }

    fn expected(self, level: Level, a: &[i16], b: &[i16], to: &mut [i16]) {
        expected::words(level, self, a, b, to);
    }

    fn holds(self, a: i16, b: i16) -> bool {
        match self {
            Words::MulHigh(shift) => {
                let shifted = i32::from(a) << shift;
                let fits = i16::try_from(shifted).is_ok();
                fits && !(shifted == i32::from(i16::MIN) && b == i16::MIN)
            }
            Words::MulRounded => a != i16::MIN || b != i16::MIN,
            _ => true,
        }
    }

    fn first_becomes(self, word: i16) -> i16 {
        word
    }

    fn place(self, _level: Level, lane: usize) -> usize {
        lane
    }
}

impl Lanes for Bytes {
    type Result = u8;

    fn found(self, level: Level, a: &[i16], b: &[i16], to: &mut [u8]) {
        found::bytes(level, self, a, b, to);
    }

    fn expected(self, level: Level, a: &[i16], b: &[i16], to: &mut [u8]) {
        let mut logical = vec![0; to.len()];
        expected::bytes(level, self, a, b, &mut logical);
        for (lane, byte) in logical.into_iter().enumerate() {
            to[self.place(level, lane)] = byte;
        }
    }

    fn holds(self, _a: i16, _b: i16) -> bool {
        true
    }

    fn first_becomes(self, word: i16) -> i16 {
        match self {
            Bytes::To127(_) => word.clamp(0, 127),
            Bytes::Pack | Bytes::To255(_) => word.clamp(0, 255),
        }
    }

    fn place(self, level: Level, lane: usize) -> usize {
        let packed = level.packed();
        let (group, groups) = (lane / 8, packed.len());
        let in_vector = packed.iter().position(|logical| *logical == group % groups);
        let group = group / groups * groups + in_vector.expect("groups are permuted");
        8 * group + lane % 8
    }
}

const ALL_WORDS: std::ops::RangeInclusive<i16> = i16::MIN..=i16::MAX;

/// Words at which something may change: the powers of two with either sign, and their neighbours;
/// the limits of bytes are among them.
fn edges() -> [i16; 128] {
    let powers = (0..16).map(|power| 1_i32 << power);
    let near = powers.flat_map(|power| [-1, 0, 1].map(|distance| power + distance));
    let near = near.flat_map(|word| [word, -word]);
    let mut edges: Vec<i16> = near.filter_map(|word| i16::try_from(word).ok()).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut random = fastrand::Rng::with_seed(1);
    assert!(edges.len() <= 128, "more edges than fit");
    std::array::from_fn(|index| match edges.get(index) {
        Some(edge) => *edge,
        None => random.i16(..),
    })
}

/// A word in all lanes, with other words: as first words or as second ones.
struct Row<'a, F: Lanes> {
    function: F,
    level: Level,
    others: &'a [i16],
    is_first: bool,
    words: Vec<i16>,
    found: Vec<F::Result>,
    expected: Vec<F::Result>,
    /// What the word becomes whose results are expected.
    became: Option<i16>,
}

impl<'a, F: Lanes> Row<'a, F> {
    fn new(function: F, level: Level, is_first: bool, others: &'a [i16]) -> Self {
        Row {
            function,
            level,
            others,
            is_first,
            words: vec![0; others.len()],
            found: vec![F::Result::default(); others.len()],
            expected: vec![F::Result::default(); others.len()],
            became: None,
        }
    }

    fn assert_same(&mut self, word: i16) {
        let (function, level) = (self.function, self.level);
        self.words.fill(word);
        let (a, b) = if self.is_first {
            (&self.words[..], self.others)
        } else {
            (self.others, &self.words[..])
        };
        let becomes = function.first_becomes(word);
        if self.became != Some(becomes) {
            function.expected(level, a, b, &mut self.expected);
            self.became = Some(becomes);
        }
        function.found(level, a, b, &mut self.found);
        assert_lanes(function, level, [a, b], &self.found, &self.expected);
    }
}

fn assert_lanes<F: Lanes>(
    function: F,
    level: Level,
    [a, b]: [&[i16]; 2],
    found: &[F::Result],
    expected: &[F::Result],
) {
    if found == expected {
        return;
    }
    for (lane, (a, b)) in zip(a, b).enumerate() {
        let place = function.place(level, lane);
        let (found, expected) = (found[place], expected[place]);
        assert!(
            found == expected || !function.holds(*a, *b),
            "{function:?} of {a} and {b} in lane {lane} of {level}: found {found:?}, expected \
             {expected:?}"
        );
    }
}

/// Every lane takes each of some words together with each edge, as first word and as second one.
/// While a lane takes one edge its neighbours take others; last, all are drawn at random.
fn in_every_lane(level: Level, some: &[i16], function: impl Lanes) {
    let edges = edges();
    let turned = |turn: usize| (0..64).map(move |lane| edges[(lane + turn) % edges.len()]);
    let edges: Vec<i16> = (0..edges.len()).flat_map(turned).collect();
    let rows = || [true, false].map(|is_first| Row::new(function, level, is_first, &edges));
    parallel::for_each(some.len(), rows, |rows, index| {
        for row in rows {
            row.assert_same(some[index]);
        }
    });
    let mut random = fastrand::Rng::with_seed(2);
    let [a, b] = [(); 2].map(|()| (0..1 << 16).map(|_| random.i16(..)).collect::<Vec<i16>>());
    assert_once(level, function, &a, &b);
}

fn assert_once<F: Lanes>(level: Level, function: F, a: &[i16], b: &[i16]) {
    let [mut found, mut expected] = [(); 2].map(|()| vec![F::Result::default(); a.len()]);
    function.found(level, a, b, &mut found);
    function.expected(level, a, b, &mut expected);
    assert_lanes(function, level, [a, b], &found, &expected);
}

/// Edges, and words that are none.
pub(crate) fn pairs_with_edges(level: Level, function: impl Lanes) {
    let mut some: Vec<i16> = edges().into_iter().chain(ALL_WORDS.step_by(2039)).collect();
    some.sort_unstable();
    in_every_lane(level, &some, function);
}

/// All pairs of words on which levels agree, each in one lane; all words and all edges in every
/// lane.
pub(crate) fn all_pairs(level: Level, function: impl Lanes) {
    let first: Vec<i16> = ALL_WORDS.filter(|a| function.holds(*a, 0)).collect();
    in_every_lane(level, &first, function);
    let second: Vec<i16> = ALL_WORDS.collect();
    // So many that all there is of them lies in the first cache.
    for second in second.chunks(1 << 12) {
        let row = || Row::new(function, level, true, second);
        parallel::for_each(first.len(), row, |row, index| row.assert_same(first[index]));
    }
}

/// All words with all bytes and all edges, as first word and as second one: where 2^32 pairs take too
/// long.
pub(crate) fn all_with_bytes(level: Level, function: impl Lanes) {
    pairs_with_edges(level, function);
    let mut some: Vec<i16> = (-130..=258).chain(edges()).collect();
    some.resize(some.len().next_multiple_of(64), 0);
    let words: Vec<i16> = ALL_WORDS.filter(|a| function.holds(*a, 0)).collect();
    let rows = || [true, false].map(|is_first| Row::new(function, level, is_first, &some));
    parallel::for_each(words.len(), rows, |rows, index| {
        for row in rows {
            row.assert_same(words[index]);
        }
    });
}

/// All words in every lane, of a function of one word. What is in the other lanes, and the second
/// word, are other words: an odd factor only changes the order of all words.
pub(crate) fn all_words(level: Level, function: impl Lanes) {
    for factor in [1, -27_331_i16] {
        for turn in 0..64 {
            let words = ALL_WORDS.map(|word| word.wrapping_add(turn).wrapping_mul(factor));
            let words: Vec<i16> = words.collect();
            let others: Vec<i16> = words.iter().map(|word| word.wrapping_mul(-19)).collect();
            assert_once(level, function, &words, &others);
        }
    }
}

/// `splat_i16` of all words.
pub(crate) fn splat(level: Level) {
    for word in ALL_WORDS {
        assert_once(level, Words::Splat, &[word; 64], &[0; 64]);
    }
}
