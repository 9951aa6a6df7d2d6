//! Which change of the spec would make a file of Stockfish's format fit it.
//!
//! The header leaves much open: how tensors are stored, PSQT values, how many stacks there are,
//! what layers read. Where a file contradicts the spec in such a point, the tensor at which the
//! loader stops seldom leads to the line that is wrong. So changes are tried separately, and a
//! change is named if the whole file then fits.

mod layouts;

use std::fmt;

use nnue_format::{Encoding, FileLayout, Format, Role, Section, Text, ThreatTargets, offsets};

use self::layouts::{
    columns, encoding, fits, may_be_compressed, permuted, psqt_tensors, rows_found, weights,
    with_bytes_apart, with_new_psqt, with_psqt, with_rows, with_tensors,
};

/// The largest number of stacks, and of PSQT values per feature, that is tried.
const MOST_STACKS: usize = 64;

/// The largest number of tensors of weights that are tried in all orders.
const MOST_PERMUTED: usize = 4;

/// A change of the spec that would make a file fit. `Display` writes words that follow "the file
/// fits if".
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The spec has this `encoding` in `[file]`.
    Encoding(Encoding),
    /// The spec has this number as `psqt` in `[transformer]`.
    Psqt(usize),
    /// The spec has the other `psqt` in `[file]`. The field says whether PSQT values are after each
    /// set.
    PsqtAfterEachSet(bool),
    /// The spec has another `count` in `[stacks]`.
    Stacks {
        /// The number of stacks.
        count: usize,
        /// The number of PSQT values, if there are as many as stacks.
        psqt: Option<usize>,
    },
    /// The spec has the sets in `[[features]]` in another order: the names are those of its
    /// weights, in the order of the file.
    Order(Vec<Text>),
    /// The spec does not have the set with these weights in `[[features]]`, because the file does
    /// not have it.
    Without(Text),
    /// A set has another number of features.
    Rows {
        /// The weights that have a row for each feature.
        weights: Text,
        /// The number of features that the file has.
        found: usize,
        /// The number of features that the spec has.
        expected: usize,
    },
    /// An affine layer has another number of inputs. The file tells only how long the layer's
    /// padded rows are.
    Inputs {
        /// The weights of the layer.
        weights: Text,
        /// The smallest number of inputs that the layer can have.
        fewest: usize,
        /// The largest number of inputs that the layer can have.
        most: usize,
        /// The number of inputs that the spec has.
        expected: usize,
    },
    /// The spec has this `tail` in `[file]`.
    Tail(&'static str),
}

/// The changes of the spec that each make a file fit a layout that it does not fit now. The header
/// up to the description must be the layout's.
pub(super) fn changes(layout: &FileLayout, source: &[u8]) -> Vec<Change> {
    let Format::Stockfish { .. } = layout.format else {
        return Vec::new();
    };
    let keys = encodings(layout)
        .into_iter()
        .chain(psqt(layout))
        .chain(places(layout, source))
        .chain(stacks(layout))
        .chain(orders(layout))
        .chain(without(layout));
    let found = fitting(keys, source);
    if !found.is_empty() {
        return found;
    }
    // Other numbers of features or inputs explain many files by accident.
    let shapes = rows(layout, source)
        .into_iter()
        .chain(inputs(layout, source));
    fitting(shapes, source)
}

/// The changes with which a file fits.
fn fitting(changed: impl Iterator<Item = (Change, FileLayout)>, source: &[u8]) -> Vec<Change> {
    let fitting = changed.filter(|(_, layout)| fits(layout, source));
    fitting.map(|(change, _)| change).collect()
}

fn encodings(layout: &FileLayout) -> Vec<(Change, FileLayout)> {
    let encoding = match encoding(layout) {
        Encoding::Raw => Encoding::Leb128,
        Encoding::Leb128 | Encoding::BareLeb128 => Encoding::Raw,
    };
    let other = with_tensors(layout, |tensor| {
        if may_be_compressed(tensor) {
            tensor.stored.encoding = encoding;
        }
    });
    Vec::from([(Change::Encoding(encoding), other)])
}

/// Other numbers of PSQT values: none, a single value, or a value for each stack.
fn psqt(layout: &FileLayout) -> Vec<(Change, FileLayout)> {
    let mut changed = Vec::new();
    for count in [0, 1, layout.stacks.count] {
        let change = Change::Psqt(count);
        if psqt_tensors(layout).next().is_some() {
            changed.push((change, with_psqt(layout, count)));
        } else if count > 0 {
            changed.push((change.clone(), with_new_psqt(layout, count, false)));
            if weights(layout).count() > 1 {
                changed.push((change, with_new_psqt(layout, count, true)));
            }
        }
    }
    changed
}

fn places(layout: &FileLayout, source: &[u8]) -> Vec<(Change, FileLayout)> {
    let Some((_, psqt)) = psqt_tensors(layout).next() else {
        return Vec::new();
    };
    let (count, without) = (columns(psqt), with_psqt(layout, 0));
    if psqt_tensors(layout).count() > 1 {
        let last = with_new_psqt(&without, count, false);
        return Vec::from([(Change::PsqtAfterEachSet(false), last)]);
    }
    // Sets of bytes that follow one another are one tensor, unless PSQT values come between them.
    let each = with_new_psqt(&without, count, true);
    let mut changed = Vec::from([(Change::PsqtAfterEachSet(true), each)]);
    if let Some(apart) = with_bytes_apart(&without, source) {
        let each = with_new_psqt(&apart, count, true);
        changed.push((Change::PsqtAfterEachSet(true), each));
    }
    changed
}

fn stacks(layout: &FileLayout) -> impl Iterator<Item = (Change, FileLayout)> {
    let own = layout.stacks.count;
    let has_one_each = psqt_tensors(layout)
        .next()
        .is_some_and(|(_, psqt)| columns(psqt) == own);
    let others = (1..=MOST_STACKS).filter(move |count| *count != own);
    others.flat_map(move |count| {
        let mut other = layout.clone();
        other.stacks.count = count;
        let one_each = has_one_each.then(|| {
            let change = Change::Stacks {
                count,
                psqt: Some(count),
            };
            (change, with_psqt(&other, count))
        });
        let alone = (Change::Stacks { count, psqt: None }, other);
        one_each.into_iter().chain([alone])
    })
}

fn orders(layout: &FileLayout) -> Vec<(Change, FileLayout)> {
    let count = weights(layout).count();
    if count > MOST_PERMUTED {
        return Vec::new();
    }
    let changed = permutations(count).into_iter().skip(1).map(|order| {
        let names = order.iter().filter_map(|set| weights(layout).nth(*set));
        let names = names.map(|(_, weights)| weights.name.clone()).collect();
        (Change::Order(names), permuted(layout, &order))
    });
    changed.collect()
}

/// The orders of the numbers below `count`, the natural order first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders = Vec::from([Vec::new()]);
    for _ in 0..count {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            let others = (0..count).filter(|number| !order.contains(number));
            others.map(|number| [&order[..], &[number]].concat())
        });
        orders = longer.collect();
    }
    orders
}

fn without(layout: &FileLayout) -> Vec<(Change, FileLayout)> {
    if weights(layout).count() < 2 {
        return Vec::new();
    }
    let changed = weights(layout).map(|(index, weights)| {
        let change = Change::Without(weights.name.clone());
        (change, with_rows(layout, index, 0))
    });
    changed.collect()
}

fn rows(layout: &FileLayout, source: &[u8]) -> Vec<(Change, FileLayout)> {
    let weights = weights(layout).filter_map(|(index, tensor)| {
        let (found, expected) = (rows_found(layout, index, source)?, tensor.shape[1]);
        let change = Change::Rows {
            weights: tensor.name.clone(),
            found,
            expected,
        };
        (found != expected && found > 0).then(|| (change, with_rows(layout, index, found)))
    });
    weights.collect()
}

/// The smallest change of a single layer: where few outputs have longer rows, almost any length of
/// a stack can be explained.
fn inputs(layout: &FileLayout, source: &[u8]) -> Option<(Change, FileLayout)> {
    let begin = *offsets(layout, source).get(layout.sections.len())?;
    let (all, count) = (source.len() - begin, layout.stacks.count.max(1));
    if !all.is_multiple_of(count) {
        return None;
    }
    let own_len: usize = layout.stacks.sections().filter_map(Section::byte_len).sum();
    let tensors = layout.stacks.sections().filter_map(Section::as_tensor);
    let weights = tensors.filter(|tensor| matches!(tensor.role, Role::LayerWeights(_)));
    let changed = weights.filter_map(|tensor| {
        // Rows of other layers stay as they are, so all further bytes belong to this layer.
        let others = own_len - tensor.stored.raw_len();
        let len = (all / count).checked_sub(others)?;
        let column = tensor.shape[1] * tensor.stored.element.size();
        let padded = len / column;
        let change = Change::Inputs {
            weights: tensor.name.clone(),
            fewest: padded.checked_sub(ROW_UNIT)? + 1,
            most: padded,
            expected: tensor.shape[2],
        };
        let is_whole = padded.is_multiple_of(ROW_UNIT) && len.is_multiple_of(column);
        let distance = padded.abs_diff(columns(tensor));
        let changed = || {
            with_tensors(layout, |own| {
                if own.role == tensor.role {
                    own.stored.values = own.shape[1] * padded;
                }
            })
        };
        is_whole.then(|| (distance, (change, changed())))
    });
    let smallest = changed.min_by_key(|(distance, _)| *distance)?;
    Some(smallest.1)
}

/// Rows of weights are padded to a multiple of this number.
const ROW_UNIT: usize = super::family::ROW_UNIT as usize;

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Encoding(encoding) => write!(f, "the spec says `encoding = \"{encoding}\"`"),
            Change::Psqt(count) => write!(f, "the spec says `psqt = {count}` in `[transformer]`"),
            Change::PsqtAfterEachSet(after_each) => {
                let place = if *after_each {
                    "after-each-set"
                } else {
                    "after-weights"
                };
                write!(f, "the spec says `psqt = \"{place}\"` in `[file]`")
            }
            Change::Stacks { count, psqt } => {
                write!(f, "the spec says `count = {count}` in `[stacks]`")?;
                psqt.map_or(Ok(()), |psqt| write!(f, " and `psqt = {psqt}`"))
            }
            Change::Tail(name) => write!(f, "the spec says `tail = \"{name}\"` in `[file]`"),
            Change::Order(weights) => {
                f.write_str("the spec's `[[features]]` are in the order of ")?;
                weights.iter().enumerate().try_for_each(|(index, name)| {
                    write!(f, "{}`{name}`", if index == 0 { "" } else { ", " })
                })
            }
            Change::Without(weights) => {
                write!(
                    f,
                    "the spec's `[[features]]` do not have the set of `{weights}`"
                )
            }
            Change::Rows {
                weights,
                found,
                expected,
            } => {
                write!(f, "`{weights}` has {found} features")?;
                let mut known = ThreatTargets::ALL.into_iter();
                if let Some(targets) = known.find(|targets| targets.rows() as usize == *found) {
                    write!(f, " (those of `targets = \"{targets}\"`)")?;
                }
                write!(f, ", not {expected} as in the spec")
            }
            Change::Inputs {
                weights,
                fewest,
                most,
                expected,
            } => write!(
                f,
                "`{weights}` has {fewest} to {most} inputs, not {expected} as in the spec"
            ),
        }
    }
}
