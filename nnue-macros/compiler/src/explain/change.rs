//! Which change of the spec would make a file of Stockfish's format fit it.
//!
//! The header leaves much open: how tensors are stored, PSQT values, how many stacks there are,
//! what layers read. Where a file contradicts the spec in such a point, the tensor at which the
//! loader stops seldom leads to the line that is wrong. So changes are tried separately, and a
//! change is named if the whole file then fits.

mod outline;

use std::fmt;

use nnue_format::{
    DESCRIPTION_LIMIT, Encoding, FileLayout, Format, START_LEN, Text, ThreatTargets,
};

use self::outline::{Kind, Outline, Piece};

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

/// The changes of the spec, each of which makes a file fit a layout that it does not fit now. The
/// header up to the description must be the layout's.
pub(super) fn changes(layout: &FileLayout, source: &[u8]) -> Vec<Change> {
    let Format::Stockfish { .. } = layout.format else {
        return Vec::new();
    };
    let description_len = { source.get(START_LEN - 4..START_LEN) }
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes);
    if description_len > DESCRIPTION_LIMIT {
        return Vec::new();
    }
    let start = START_LEN + description_len as usize;
    let Some(body) = source.get(start..) else {
        return Vec::new();
    };
    let outline = Outline::of(layout);
    let keys = { encodings(&outline).into_iter() }
        .chain(psqt(&outline))
        .chain(places(&outline, body))
        .chain(stacks(&outline))
        .chain(orders(&outline))
        .chain(without(&outline));
    let found = fitting(keys, body);
    if !found.is_empty() {
        return found;
    }
    // Other numbers of features or inputs explain many files by accident.
    let shapes = rows(&outline, body)
        .into_iter()
        .chain(inputs(&outline, body));
    fitting(shapes, body)
}

/// The changes with which a file fits.
fn fitting(changed: impl Iterator<Item = (Change, Outline)>, body: &[u8]) -> Vec<Change> {
    let fitting = changed.filter(|(_, outline)| outline.fits(body));
    fitting.map(|(change, _)| change).collect()
}

fn encodings(outline: &Outline) -> Vec<(Change, Outline)> {
    let encoding = match outline.encoding() {
        Encoding::Raw => Encoding::Leb128,
        Encoding::Leb128 | Encoding::BareLeb128 => Encoding::Raw,
    };
    let mut other = outline.clone();
    for piece in &mut other.transformer {
        if let Piece::Values(values) = piece
            && values.may_be_compressed()
        {
            values.encoding = encoding;
        }
    }
    Vec::from([(Change::Encoding(encoding), other)])
}

/// Other numbers of PSQT values: none, a single value, or a value for each stack.
fn psqt(outline: &Outline) -> Vec<(Change, Outline)> {
    let mut changed = Vec::new();
    for count in [0, 1, outline.stacks] {
        let change = Change::Psqt(count);
        if outline.psqt().is_some() {
            changed.push((change, outline.with_psqt(count)));
        } else if count > 0 {
            changed.push((change.clone(), outline.with_new_psqt(count, false)));
            if outline.weights().count() > 1 {
                changed.push((change, outline.with_new_psqt(count, true)));
            }
        }
    }
    changed
}

fn places(outline: &Outline, body: &[u8]) -> Vec<(Change, Outline)> {
    let Some(count) = outline.psqt() else {
        return Vec::new();
    };
    let without = outline.with_psqt(0);
    if outline.count(Kind::Psqt) > 1 {
        let last = without.with_new_psqt(count, false);
        return Vec::from([(Change::PsqtAfterEachSet(false), last)]);
    }
    // Sets of bytes that follow one another are one tensor, unless PSQT values come between them.
    let each = without.with_new_psqt(count, true);
    let mut changed = Vec::from([(Change::PsqtAfterEachSet(true), each)]);
    if let Some(apart) = without.with_bytes_apart(body) {
        let each = apart.with_new_psqt(count, true);
        changed.push((Change::PsqtAfterEachSet(true), each));
    }
    changed
}

fn stacks(outline: &Outline) -> impl Iterator<Item = (Change, Outline)> {
    let others = (1..=MOST_STACKS).filter(|count| *count != outline.stacks);
    others.flat_map(|count| {
        let other = Outline {
            stacks: count,
            ..outline.clone()
        };
        let one_each = (outline.psqt() == Some(outline.stacks)).then(|| {
            let change = Change::Stacks {
                count,
                psqt: Some(count),
            };
            (change, other.with_psqt(count))
        });
        let alone = (Change::Stacks { count, psqt: None }, other);
        one_each.into_iter().chain([alone])
    })
}

fn orders(outline: &Outline) -> Vec<(Change, Outline)> {
    let count = outline.weights().count();
    if count > MOST_PERMUTED {
        return Vec::new();
    }
    let changed = permutations(count).into_iter().skip(1).map(|order| {
        let names = order.iter().filter_map(|set| outline.weights().nth(*set));
        let names = names.map(|(_, weights)| weights.name.clone()).collect();
        (Change::Order(names), outline.permuted(&order))
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

fn without(outline: &Outline) -> Vec<(Change, Outline)> {
    if outline.weights().count() < 2 {
        return Vec::new();
    }
    let changed = outline.weights().map(|(index, weights)| {
        let change = Change::Without(weights.name.clone());
        (change, outline.without(index))
    });
    changed.collect()
}

fn rows(outline: &Outline, body: &[u8]) -> Vec<(Change, Outline)> {
    let weights = outline.weights().filter_map(|(index, values)| {
        let found = outline.rows_found(index, body)?;
        let change = Change::Rows {
            weights: values.name.clone(),
            found,
            expected: values.rows,
        };
        (found != values.rows && found > 0).then(|| (change, outline.with_rows(index, found)))
    });
    weights.collect()
}

/// The smallest change of a single layer: where few outputs have longer rows, almost any length of
/// a stack can be explained.
fn inputs(outline: &Outline, body: &[u8]) -> Option<(Change, Outline)> {
    let stack_len = outline.stack_len_found(body)?;
    let layers = outline.stack.iter().enumerate();
    let changed = layers.filter_map(|(index, piece)| {
        let Piece::Values(values) = piece else {
            return None;
        };
        if values.kind != Kind::LayerWeights {
            return None;
        }
        // Rows of other layers stay as they are, so all further bytes belong to this layer.
        let others = outline.stack_len() - values.len();
        let len = stack_len.checked_sub(others)?;
        let padded = len / (values.rows * values.size);
        let change = Change::Inputs {
            weights: values.name.clone(),
            fewest: padded.checked_sub(ROW_UNIT)? + 1,
            most: padded,
            expected: values.inputs,
        };
        let is_whole = padded.is_multiple_of(ROW_UNIT) && len % (values.rows * values.size) == 0;
        let distance = padded.abs_diff(values.columns);
        is_whole.then(|| (distance, (change, outline.with_inputs(index, padded))))
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
                { weights.iter().enumerate() }.try_for_each(|(index, name)| {
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
