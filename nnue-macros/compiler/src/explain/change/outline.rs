//! The sizes of the sections that a file of Stockfish's format has behind its description.

use nnue_format::{Encoding, FileLayout, Section, Tensor, Text, leb128};

/// The sizes that a layout gives the sections of a file, in a form that can be changed.
#[derive(Clone)]
pub(super) struct Outline {
    pub(super) transformer: Vec<Piece>,
    /// The pieces of a stack.
    pub(super) stack: Vec<Piece>,
    pub(super) stacks: usize,
}

/// A section of a file.
#[derive(Clone)]
pub(super) enum Piece {
    /// A word that the file must have.
    Word(u32),
    Values(Values),
}

/// A tensor: rows of numbers.
#[derive(Clone)]
pub(super) struct Values {
    pub(super) name: Text,
    pub(super) kind: Kind,
    pub(super) encoding: Encoding,
    /// The number of bytes of a value.
    pub(super) size: usize,
    pub(super) rows: usize,
    /// The number of values in a row, padding included.
    pub(super) columns: usize,
    /// The number of values in a row without padding.
    pub(super) inputs: usize,
}

/// The kind of a tensor, which follows from its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Weights of the transformer: a row for each feature.
    Weights,
    /// PSQT values of the transformer: a row for each feature.
    Psqt,
    /// Biases of the transformer.
    Biases,
    /// Weights of a layer: a row for each output.
    LayerWeights,
    /// Any other tensor of a layer.
    Layer,
}

impl Kind {
    fn of(name: &str) -> Kind {
        // The tensors of separate feature sets have numbers behind their names.
        let kind = name.trim_end_matches(|last: char| last.is_ascii_digit() || last == '_');
        match (name.starts_with("transformer."), kind) {
            (true, kind) if kind.ends_with(".weights") => Kind::Weights,
            (true, kind) if kind.ends_with(".psqt") => Kind::Psqt,
            (true, _) => Kind::Biases,
            (false, kind) if kind.ends_with("weights") => Kind::LayerWeights,
            (false, _) => Kind::Layer,
        }
    }
}

impl Values {
    fn of(tensor: &Tensor) -> Values {
        let [_, rows, inputs] = tensor.shape;
        Values {
            name: tensor.name.clone(),
            kind: Kind::of(&tensor.name),
            encoding: tensor.stored.encoding,
            size: tensor.stored.element.size(),
            rows,
            columns: tensor.stored.values / rows.max(1),
            inputs,
        }
    }

    /// Whether the tensor can have the file's `encoding`: bytes are always raw, and so are layers.
    pub(super) fn may_be_compressed(&self) -> bool {
        self.size > 1 && !matches!(self.kind, Kind::LayerWeights | Kind::Layer)
    }

    /// The number of bytes of the values if they are raw.
    pub(super) fn len(&self) -> usize {
        self.rows * self.columns * self.size
    }

    /// The end of the values that begin at `offset`; `None` if other bytes begin there.
    fn end(&self, body: &[u8], offset: usize) -> Option<usize> {
        let rest = body.get(offset..)?;
        let block = rest.strip_prefix(leb128::MAGIC);
        let end = match (self.encoding, block) {
            (Encoding::Raw, None) => offset + self.len(),
            (Encoding::Leb128, Some(block)) => {
                let byte_count = u32::from_le_bytes(*block.first_chunk()?) as usize;
                let fewest = self.rows * self.columns;
                let most = fewest * leb128::longest(self.size);
                if !(fewest..=most).contains(&byte_count) {
                    return None;
                }
                offset + leb128::MAGIC.len() + 4 + byte_count
            }
            _ => return None,
        };
        (end <= body.len()).then_some(end)
    }
}

impl Outline {
    pub(super) fn of(layout: &FileLayout) -> Outline {
        let pieces = |sections: &mut dyn Iterator<Item = &Section>| {
            let pieces = sections.filter_map(|section| match section {
                Section::Hash { expected, .. } => Some(Piece::Word(*expected)),
                Section::Kept(tensor) | Section::Tensor(tensor) => {
                    Some(Piece::Values(Values::of(tensor)))
                }
                Section::Bytes { expected, .. } => {
                    let word = expected.first_chunk().filter(|_| expected.len() == 4);
                    word.map(|word| Piece::Word(u32::from_le_bytes(*word)))
                }
                // Files of Stockfish's format have no such sections.
                Section::Skipped { .. } | Section::Align(_) => None,
            });
            pieces.collect::<Vec<Piece>>()
        };
        Outline {
            transformer: pieces(&mut layout.sections.iter()),
            stack: pieces(&mut layout.stacks.sections()),
            stacks: layout.stacks.count,
        }
    }

    /// Whether a file has these sizes and words behind its description, and nothing else.
    pub(super) fn fits(&self, body: &[u8]) -> bool {
        let stacks = (0..self.stacks).flat_map(|_| &self.stack);
        let pieces = self.transformer.iter().chain(stacks);
        let mut blocks = Vec::new();
        let mut offset = 0;
        for piece in pieces {
            let Some(end) = piece.end(body, offset) else {
                return false;
            };
            if let Piece::Values(values) = piece
                && values.encoding == Encoding::Leb128
            {
                let numbers = &body[offset + leb128::MAGIC.len() + 4..end];
                blocks.push((numbers, values.rows * values.columns));
            }
            offset = end;
        }
        // The values are counted last, because that takes longest.
        offset == body.len() && { blocks.iter() }
            .all(|(numbers, count)| leb128::count(numbers) == Some(*count))
    }

    /// The encoding of the tensors that can be compressed.
    pub(super) fn encoding(&self) -> Encoding {
        let mut tensors = self.tensors();
        let biases = tensors.find(|(_, values)| values.may_be_compressed());
        biases.map_or(Encoding::Raw, |(_, values)| values.encoding)
    }

    /// The number of PSQT values per feature, if there are any.
    pub(super) fn psqt(&self) -> Option<usize> {
        let psqt = self.tensors().find(|(_, values)| values.kind == Kind::Psqt);
        psqt.map(|(_, values)| values.columns)
    }

    /// The number of the transformer's tensors of a kind.
    pub(super) fn count(&self, kind: Kind) -> usize {
        self.tensors().filter(|(_, own)| own.kind == kind).count()
    }

    /// The transformer's tensors with their places in `transformer`.
    pub(super) fn tensors(&self) -> impl Iterator<Item = (usize, &Values)> {
        let pieces = self.transformer.iter().enumerate();
        pieces.filter_map(|(index, piece)| match piece {
            Piece::Values(values) => Some((index, values)),
            Piece::Word(_) => None,
        })
    }

    /// The transformer's weights with their places in `transformer`: a row for each feature.
    pub(super) fn weights(&self) -> impl Iterator<Item = (usize, &Values)> {
        self.tensors()
            .filter(|(_, values)| values.kind == Kind::Weights)
    }

    /// The outline with `count` PSQT values per feature, if it has PSQT values.
    pub(super) fn with_psqt(&self, count: usize) -> Outline {
        let mut changed = self.clone();
        for piece in &mut changed.transformer {
            if let Piece::Values(values) = piece
                && values.kind == Kind::Psqt
            {
                values.columns = count;
            }
        }
        if count == 0 {
            changed.transformer.retain(
                |piece| !matches!(piece, Piece::Values(values) if values.kind == Kind::Psqt),
            );
        }
        changed
    }

    /// The outline with new PSQT values, which it did not have: behind the weights of each set, or
    /// behind the weights of all sets.
    pub(super) fn with_new_psqt(&self, count: usize, after_each_set: bool) -> Outline {
        let mut changed = self.clone();
        let encoding = self.encoding();
        let psqt = |rows| {
            Piece::Values(Values {
                name: Text::Borrowed("transformer.psqt"),
                kind: Kind::Psqt,
                encoding,
                size: 4,
                rows,
                columns: count,
                inputs: count,
            })
        };
        let sets: Vec<(usize, usize)> = { self.weights() }
            .map(|(index, values)| (index, values.rows))
            .collect();
        if after_each_set {
            for (index, rows) in sets.iter().rev() {
                changed.transformer.insert(index + 1, psqt(*rows));
            }
        } else if let Some((last, _)) = sets.last() {
            let rows = sets.iter().map(|(_, rows)| rows).sum();
            changed.transformer.insert(last + 1, psqt(rows));
        }
        changed
    }

    /// The outline with the first weights of bytes split into two tensors, as in a file that has a
    /// block between the two.
    pub(super) fn with_bytes_apart(&self, body: &[u8]) -> Option<Outline> {
        let (index, bytes) = self.weights().find(|(_, values)| values.size == 1)?;
        let rows = self.rows_found(index, body)?;
        let mut halves = [bytes.clone(), bytes.clone()];
        halves[0].rows = rows;
        halves[1].rows = bytes.rows.checked_sub(rows).filter(|rows| *rows > 0)?;
        let mut changed = self.clone();
        let halves = halves.map(Piece::Values);
        changed.transformer.splice(index..=index, halves);
        Some(changed)
    }

    /// The outline with the weights in another order, each with the PSQT values that are behind it.
    pub(super) fn permuted(&self, order: &[usize]) -> Outline {
        let mut changed = self.clone();
        let places: Vec<usize> = self.weights().map(|(index, _)| index).collect();
        let moves_psqt = self.count(Kind::Psqt) > 1;
        for (place, from) in places
            .iter()
            .zip(order.iter().filter_map(|set| places.get(*set)))
        {
            for behind in 0..=usize::from(moves_psqt) {
                if let Some(piece) = self.transformer.get(from + behind)
                    && place + behind < changed.transformer.len()
                {
                    changed.transformer[place + behind] = piece.clone();
                }
            }
        }
        changed
    }

    /// The outline without the weights with this index, and without the PSQT values that belong to
    /// them.
    pub(super) fn without(&self, index: usize) -> Outline {
        let mut changed = self.with_rows(index, 0);
        changed
            .transformer
            .retain(|piece| !matches!(piece, Piece::Values(values) if values.rows == 0));
        changed
    }

    /// The outline with `rows` rows in the weights with this index, and in the PSQT values that
    /// belong to them.
    pub(super) fn with_rows(&self, index: usize, rows: usize) -> Outline {
        let mut changed = self.clone();
        let sets_apart = self.count(Kind::Psqt) > 1;
        let Piece::Values(weights) = &mut changed.transformer[index] else {
            return changed;
        };
        let before = core::mem::replace(&mut weights.rows, rows);
        let mut behind = changed.transformer[index + 1..].iter_mut();
        let psqt = behind.find_map(|piece| match piece {
            Piece::Values(values) if values.kind == Kind::Psqt => Some(values),
            _ => None,
        });
        if let Some(psqt) = psqt {
            psqt.rows = if sets_apart {
                rows
            } else {
                psqt.rows - before + rows
            };
        }
        changed
    }

    /// The outline with another number of inputs of a layer, padding included.
    pub(super) fn with_inputs(&self, index: usize, padded: usize) -> Outline {
        let mut changed = self.clone();
        if let Piece::Values(values) = &mut changed.stack[index] {
            values.columns = padded;
        }
        changed
    }

    /// The number of rows that a file has of these weights, if everything before them is as
    /// expected: by the number of values in a block, by the block behind raw values, or by the
    /// length of the file.
    pub(super) fn rows_found(&self, index: usize, body: &[u8]) -> Option<usize> {
        let Piece::Values(weights) = &self.transformer[index] else {
            return None;
        };
        let mut before = self.transformer[..index].iter();
        let offset = before.try_fold(0, |offset, piece| piece.end(body, offset))?;
        let row = weights.columns;
        if weights.encoding == Encoding::Leb128 {
            let block = body.get(offset..)?.strip_prefix(leb128::MAGIC)?;
            let (byte_count, block) = block.split_first_chunk()?;
            let numbers = block.get(..u32::from_le_bytes(*byte_count) as usize)?;
            let count = leb128::count(numbers)?;
            return count.is_multiple_of(row).then_some(count / row);
        }
        let row = row * weights.size;
        let behind = self.transformer[index + 1..].iter();
        let mut behind = behind.filter_map(|piece| match piece {
            Piece::Values(values) => Some(values),
            Piece::Word(_) => None,
        });
        if behind
            .clone()
            .any(|values| values.encoding == Encoding::Leb128)
        {
            // The section behind these bytes begins with a block, unless other bytes come first.
            let magic = leb128::MAGIC;
            let rest = body.get(offset..)?;
            let len = rest
                .windows(magic.len())
                .position(|window| window == magic)?;
            return len.is_multiple_of(row).then_some(len / row);
        }
        let psqt = behind.find(|values| values.kind == Kind::Psqt);
        let psqt_row = psqt.map_or(0, |psqt| psqt.columns * psqt.size);
        let all = self.raw_len()?;
        let fixed = all.checked_sub(weights.rows * (row + psqt_row))?;
        let varying = body.len().checked_sub(fixed)?;
        let row = row + psqt_row;
        varying.is_multiple_of(row).then_some(varying / row)
    }

    /// The number of bytes of a stack.
    pub(super) fn stack_len(&self) -> usize {
        self.stack.iter().map(Piece::len).sum()
    }

    /// The number of bytes that a file has of a stack, if its transformer is as expected.
    pub(super) fn stack_len_found(&self, body: &[u8]) -> Option<usize> {
        let mut pieces = self.transformer.iter();
        let offset = pieces.try_fold(0, |offset, piece| piece.end(body, offset))?;
        let len = body.len().checked_sub(offset)?;
        (len % self.stacks.max(1) == 0).then(|| len / self.stacks.max(1))
    }

    /// The number of bytes behind the description, if all tensors are raw.
    fn raw_len(&self) -> Option<usize> {
        let is_raw = |(_, values): (usize, &Values)| values.encoding == Encoding::Raw;
        let transformer: usize = self.transformer.iter().map(Piece::len).sum();
        { self.tensors() }
            .all(is_raw)
            .then(|| transformer + self.stacks * self.stack_len())
    }
}

impl Piece {
    /// The number of bytes of the piece if it is raw.
    fn len(&self) -> usize {
        match self {
            Piece::Word(_) => 4,
            Piece::Values(values) => values.len(),
        }
    }

    /// The end of the piece that begins at `offset`; `None` if something else begins there.
    fn end(&self, body: &[u8], offset: usize) -> Option<usize> {
        match self {
            Piece::Word(word) => {
                let found = body.get(offset..)?.first_chunk()?;
                (u32::from_le_bytes(*found) == *word).then_some(offset + 4)
            }
            Piece::Values(values) => values.end(body, offset),
        }
    }
}
