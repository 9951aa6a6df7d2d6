//! Layouts of Stockfish's format that differ from a layout in the sizes or in the order of its
//! tensors. They say how a file is to be walked, but not where its values lie in memory.

use nnue_format::{Element, Encoding, FileLayout, Role, Section, Tensor, leb128, offsets};

/// The number of bytes before the values of a LEB128 block.
const BLOCK_START: usize = leb128::MAGIC.len() + 4;

/// Whether a file has the sections of a layout, each with all of its values, and nothing else.
pub(super) fn fits(layout: &FileLayout, source: &[u8]) -> bool {
    let offsets = offsets(layout, source);
    let sections = layout.entries().map(|entry| entry.section);
    // The values are counted last, because that takes longest.
    offsets.len() == sections.clone().count() + 1
        && offsets.last() == Some(&source.len())
        && sections
            .zip(offsets.windows(2))
            .all(|(section, ends)| match section {
                Section::Tensor(Tensor { stored, .. }) if stored.encoding == Encoding::Leb128 => {
                    let numbers = &source[ends[0] + BLOCK_START..ends[1]];
                    leb128::count(numbers) == Some(stored.values)
                }
                _ => true,
            })
}

/// The tensors before the stacks, each with the index of its section.
fn tensors(layout: &FileLayout) -> impl Iterator<Item = (usize, &Tensor)> {
    let sections = layout.sections.iter().enumerate();
    sections.filter_map(|(index, section)| Some((index, section.as_tensor()?)))
}

/// The transformer's weights, each with the index of its section: a row for each feature.
pub(super) fn weights(layout: &FileLayout) -> impl Iterator<Item = (usize, &Tensor)> {
    tensors(layout)
        .filter(|(_, tensor)| matches!(tensor.role, Role::Weights(_)) && !layout.is_summand(tensor))
}

/// The PSQT values, each with the index of its section: a row for each feature.
pub(super) fn psqt_tensors(layout: &FileLayout) -> impl Iterator<Item = (usize, &Tensor)> {
    tensors(layout).filter(|(_, tensor)| is_psqt(layout, tensor))
}

fn is_psqt(layout: &FileLayout, tensor: &Tensor) -> bool {
    matches!(tensor.role, Role::Psqt(_)) && !layout.is_summand(tensor)
}

/// The number of values in a row, padding included.
pub(super) fn columns(tensor: &Tensor) -> usize {
    tensor.stored.values / tensor.shape[1].max(1)
}

/// Whether a tensor can have the file's `encoding`: bytes are always raw, and so are layers.
pub(super) fn may_be_compressed(tensor: &Tensor) -> bool {
    tensor.stored.element.size() > 1 && tensor.role.layer().is_none()
}

/// The encoding of the tensors that can be compressed.
pub(super) fn encoding(layout: &FileLayout) -> Encoding {
    let biases = tensors(layout).find(|(_, tensor)| may_be_compressed(tensor));
    biases.map_or(Encoding::Raw, |(_, tensor)| tensor.stored.encoding)
}

/// The layout with tensors that `change` has changed. Tensors without values are left out.
pub(super) fn with_tensors(layout: &FileLayout, change: impl Fn(&mut Tensor)) -> FileLayout {
    let mut changed = layout.clone();
    let groups = changed.stacks.groups.to_mut().iter_mut();
    for sections in groups.chain([&mut changed.sections]) {
        sections.to_mut().retain_mut(|section| {
            let Section::Tensor(tensor) = section else {
                return true;
            };
            change(tensor);
            tensor.stored.values > 0
        });
    }
    changed
}

/// The layout with `count` PSQT values per feature, if it has PSQT values.
pub(super) fn with_psqt(layout: &FileLayout, count: usize) -> FileLayout {
    with_tensors(layout, |tensor| {
        if is_psqt(layout, tensor) {
            tensor.stored.values = tensor.shape[1] * count;
        }
    })
}

/// The layout with new PSQT values, which it did not have: behind the weights of each set, or
/// behind the weights of all sets.
pub(super) fn with_new_psqt(layout: &FileLayout, count: usize, after_each_set: bool) -> FileLayout {
    let sets = weights(layout).map(|(index, weights)| (index, weights.shape[1]));
    let mut sets: Vec<(usize, usize)> = sets.collect();
    if !after_each_set && let Some((last, _)) = sets.last() {
        sets = vec![(*last, sets.iter().map(|(_, rows)| rows).sum())];
    }
    let mut changed = layout.clone();
    for (index, rows) in sets.into_iter().rev() {
        let (role, name, encoding) = (Role::Psqt(0), "transformer.psqt", encoding(layout));
        let psqt = Section::same(role, name, Element::I32, encoding, 0, [rows, count]);
        changed.sections.to_mut().insert(index + 1, psqt);
    }
    changed
}

/// The layout with the first weights of bytes split into two tensors, as in a file that has a block
/// between the two.
pub(super) fn with_bytes_apart(layout: &FileLayout, source: &[u8]) -> Option<FileLayout> {
    let (index, bytes) = weights(layout).find(|(_, tensor)| tensor.stored.element.size() == 1)?;
    let rows = rows_found(layout, index, source)?;
    let behind = bytes.shape[1].checked_sub(rows).filter(|rows| *rows > 0)?;
    let halves = [rows, behind].map(|rows| {
        let mut half = bytes.clone();
        set_rows(&mut half, rows);
        Section::Tensor(half)
    });
    let mut changed = layout.clone();
    changed.sections.to_mut().splice(index..=index, halves);
    Some(changed)
}

/// The layout with the weights in another order, each with the PSQT values that are behind it.
pub(super) fn permuted(layout: &FileLayout, order: &[usize]) -> FileLayout {
    let mut changed = layout.clone();
    let places: Vec<usize> = weights(layout).map(|(index, _)| index).collect();
    let moves_psqt = psqt_tensors(layout).count() > 1;
    for (place, set) in places.iter().zip(order) {
        for behind in 0..=usize::from(moves_psqt) {
            if let (Some(own), Some(section)) = (
                changed.sections.to_mut().get_mut(place + behind),
                layout.sections.get(places[*set] + behind),
            ) {
                *own = section.clone();
            }
        }
    }
    changed
}

/// The layout with `rows` rows in the weights with this index, and in the PSQT values that belong to
/// them. Without rows, it does not have these tensors.
pub(super) fn with_rows(layout: &FileLayout, index: usize, rows: usize) -> FileLayout {
    let own = layout.sections[index].as_tensor();
    let (own, before) = own.map_or((None, 0), |own| (Some(own.role), own.shape[1]));
    let psqt = psqt_behind(layout, index).map(|tensor| tensor.role);
    let sets_apart = psqt_tensors(layout).count() > 1;
    with_tensors(layout, |tensor| {
        if Some(tensor.role) == own {
            set_rows(tensor, rows);
        } else if Some(tensor.role) == psqt {
            let others = if sets_apart {
                0
            } else {
                tensor.shape[1] - before
            };
            set_rows(tensor, others + rows);
        }
    })
}

fn set_rows(tensor: &mut Tensor, rows: usize) {
    tensor.stored.values = rows * columns(tensor);
    tensor.shape[1] = rows;
}

/// The first PSQT values behind the section with this index.
fn psqt_behind(layout: &FileLayout, index: usize) -> Option<&Tensor> {
    let psqt = psqt_tensors(layout).find(|(place, _)| *place > index);
    psqt.map(|(_, psqt)| psqt)
}

/// The number of rows that a file has of these weights, if everything before them is as expected: by
/// the number of values in a block, by the block behind raw values, or by the length of the file.
pub(super) fn rows_found(layout: &FileLayout, index: usize, source: &[u8]) -> Option<usize> {
    let weights = layout.sections[index].as_tensor()?;
    let offsets = offsets(layout, source);
    let rest = source.get(*offsets.get(index)?..)?;
    let row = columns(weights);
    let (rows, row) = if weights.stored.encoding == Encoding::Leb128 {
        let block = rest.strip_prefix(leb128::MAGIC)?;
        let (byte_count, block) = block.split_first_chunk()?;
        let numbers = block.get(..u32::from_le_bytes(*byte_count) as usize)?;
        (leb128::count(numbers)?, row)
    } else if tensors(layout)
        .any(|(place, tensor)| place > index && tensor.stored.encoding == Encoding::Leb128)
    {
        // The section behind these bytes begins with a block, unless other bytes come first.
        let mut windows = rest.windows(leb128::MAGIC.len());
        let bytes = windows.position(|window| window == leb128::MAGIC)?;
        (bytes, row * weights.stored.element.size())
    } else {
        let psqt = psqt_behind(layout, index);
        let psqt_row = psqt.map_or(0, |psqt| columns(psqt) * psqt.stored.element.size());
        let row = row * weights.stored.element.size() + psqt_row;
        let all = layout
            .entries()
            .map(|entry| entry.section.byte_len())
            .sum::<Option<usize>>()?;
        let fixed = offsets.first()? + all.checked_sub(weights.shape[1] * row)?;
        (source.len().checked_sub(fixed)?, row)
    };
    rows.is_multiple_of(row).then_some(rows / row)
}
