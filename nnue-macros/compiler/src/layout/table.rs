//! The tables of the transformer's rows in memory: a table for each run of feature sets with the
//! same element type and the same shift.

use std::ops::Range;

use nnue_format::PAIRED_RUN;

use crate::feature_set::FeatureSet;
use crate::network::{Element, Network};

/// A table of rows with the same type and shift: the rows of feature sets that follow each other.
///
/// Where white and black have weights of their own, white's rows come before black's. The virtual
/// rows, which are kept for writing the file, come last. Only networks whose perspectives share
/// their weights have several tables. The PSQT values of all rows are a single matrix, in which
/// those of a table begin at its [`first_row`](Self::first_row).
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the field of the network's weights.
    pub name: String,
    /// The type of the weights in memory.
    pub element: Element,
    /// How many bits rows are shifted to the left when they are added to an accumulator.
    pub shift: u32,
    /// Whether two bytes of a row lie in each word, as kernels [add](nnue_format::Paired) them.
    pub paired: bool,
    /// The indices of the feature sets.
    pub sets: Range<usize>,
    /// The number of rows in all tables before this table.
    pub first_row: usize,
    /// The number of real rows: a row for each feature, and for each perspective that has weights
    /// of its own.
    pub rows: usize,
    /// The number of virtual rows, which follow the real rows.
    pub virtual_rows: usize,
    /// The offset of the first row, in bytes from the start of the weights.
    pub offset: usize,
}

impl Table {
    /// The tables of a network, in the order of their rows. A row has `width` values.
    pub(super) fn all(network: &Network, width: usize) -> Vec<Table> {
        let copies = network.transformer.perspectives.copies();
        let mut tables: Vec<Table> = Vec::new();
        for (index, element) in elements(network).into_iter().enumerate() {
            let set = &network.features[index];
            let is_like = |last: &Table| last.element == element && last.shift == set.shift;
            if !tables.last().is_some_and(is_like) {
                tables.push(Table {
                    name: String::new(),
                    element,
                    shift: set.shift,
                    // Values that are shifted have to become words before.
                    paired: element == Element::I8
                        && set.shift == 0
                        && width.is_multiple_of(PAIRED_RUN),
                    sets: index..index,
                    first_row: tables.last().map_or(0, |last| last.first_row + last.rows),
                    rows: 0,
                    virtual_rows: 0,
                    offset: 0,
                });
            }
            if let Some(table) = tables.last_mut() {
                table.sets.end = index + 1;
                table.rows += copies * set.rows;
                table.virtual_rows += copies * set.virtual_rows();
            }
        }
        let several = tables.len() > 1;
        for (index, table) in tables.iter_mut().enumerate() {
            table.name = if several {
                format!("transformer_weights_{index}")
            } else {
                "transformer_weights".to_string()
            };
        }
        tables
    }

    /// The number of rows, virtual rows included.
    pub fn all_rows(&self) -> usize {
        self.rows + self.virtual_rows
    }

    /// The numbers in the table of white's first row and of black's first row of a set, which must
    /// be in the table.
    pub fn first_rows(&self, network: &Network, set: usize) -> [usize; 2] {
        let rows = |sets: &[FeatureSet]| -> usize { sets.iter().map(|set| set.rows).sum() };
        let first = rows(&network.features[self.sets.start..set]);
        if network.transformer.perspectives.separate {
            [first, first + self.rows / 2]
        } else {
            [first; 2]
        }
    }

    pub(super) fn doc(&self, network: &Network) -> String {
        let mut doc = "one row per feature".to_string();
        if self.sets.len() < network.features.len() {
            let names = network.features[self.sets.clone()].iter();
            let names: Vec<_> = names.map(|set| format!("`{}`", set.name)).collect();
            doc += &format!(" of {}", names.join(", "));
        }
        if network.transformer.perspectives.separate {
            doc += ", white's before black's";
        }
        if self.shift > 0 {
            doc += &format!(", shifted left by {} when they are added", self.shift);
        }
        if self.paired {
            doc += ", two values in each word";
        }
        if self.virtual_rows > 0 {
            doc += ", then the virtual rows, which are part of them";
        }
        doc
    }
}

/// For each feature set, the type of its rows in memory: as in the file, unless virtual rows are
/// added to them, whose sums may be as large as accumulators.
///
/// Sets that the file has in one tensor lie in one table. So do all sets where each perspective has
/// weights of its own, and where sets with virtual rows would lie in different tables.
fn elements(network: &Network) -> Vec<Element> {
    let of_tensor = |sets: &[FeatureSet]| {
        let is_same = sets.iter().all(|set| set.factors.is_none());
        let element = if is_same { sets[0].element } else { LARGEST };
        vec![element; sets.len()]
    };
    let tensors = network.features.chunk_by(FeatureSet::rows_are_like);
    let elements: Vec<Element> = tensors.flat_map(of_tensor).collect();
    let are_one = |range: &[Element]| range.iter().all(|element| *element == range[0]);
    let factorised = |set: &FeatureSet| set.factors.is_some();
    let first = network.features.iter().position(factorised);
    let last = network.features.iter().rposition(factorised);
    let apart = match first.zip(last) {
        Some((first, last)) => !are_one(&elements[first..=last]),
        None => false,
    };
    if (network.transformer.perspectives.separate || apart) && !are_one(&elements) {
        return vec![LARGEST; elements.len()];
    }
    elements
}

/// The type of accumulators, which every row can have.
const LARGEST: Element = Element::I16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;
    use crate::diagnostics::SourceFile;
    use crate::layout::Layout;

    const WORDS: &str = "[[features]]\nset = \"HalfKA\"\n";
    const BYTES: &str = "[[features]]\nset = \"A\"\nelement = \"i8\"\n";
    const FACTORISED_WORDS: &str = "[[features]]\nset = \"HalfKP\"\nfactorised = [\"K\", \"P\"]\n";
    const FACTORISED_BYTES: &str =
        "[[features]]\nset = \"HalfKAv2\"\nelement = \"i8\"\nfactorised = [\"A\"]\n";

    fn network(sets: &[&str], transformer: &str) -> Network {
        let text = format!(
            "name = \"Tables\"\n{}[transformer]\nwidth = 64\none = 127\nactivation = \"crelu\"\n{transformer}\n\
             [[layer]]\nname = \"fc_0\"\nop = \"affine\"\noutputs = 1\nweights = \"i8\"\none = 8128\n\
             [output]\nsum = \"fc_0\"\none = 8128\n\
             [file]\nformat = \"stockfish\"\nversion = 1\ntransformer_hash = 0\n",
            sets.concat()
        );
        analyse(&SourceFile::new("tables.toml", text)).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn elements(sets: &[&str], transformer: &str) -> Vec<Element> {
        let tables = Table::all(&network(sets, transformer), 64);
        tables.into_iter().map(|table| table.element).collect()
    }

    #[test]
    fn sets_of_one_type_share_a_table() {
        use Element::{I8, I16};
        assert_eq!(elements(&[WORDS], ""), [I16]);
        assert_eq!(elements(&[BYTES], ""), [I8]);
        assert_eq!(elements(&[BYTES, WORDS], ""), [I8, I16]);
        assert_eq!(elements(&[WORDS, FACTORISED_WORDS, BYTES], ""), [I16, I8]);
        // Sums with virtual rows are words, and the file has both sets in one tensor.
        assert_eq!(elements(&[FACTORISED_BYTES], ""), [I16]);
        assert_eq!(elements(&[BYTES, FACTORISED_BYTES], ""), [I16]);
        // The file has the virtual rows of all sets in one tensor.
        assert_eq!(
            elements(&[FACTORISED_WORDS, BYTES, WORDS], ""),
            [I16, I8, I16]
        );
        let apart = [
            FACTORISED_WORDS,
            BYTES,
            "[[features]]\nset = \"HalfKA\"\nfactorised = [\"A\"]\n",
        ];
        assert_eq!(elements(&apart, ""), [I16]);
        let separate = "weights = \"separate\"";
        assert_eq!(elements(&[BYTES, WORDS], separate), [I16]);
        assert_eq!(elements(&[BYTES], separate), [I8]);
    }

    #[test]
    fn every_row_has_a_table() {
        let network = network(&[BYTES, FACTORISED_WORDS, WORDS], "");
        let layout = Layout::of(&network);
        let [bytes, words] = layout.tables.as_slice() else {
            panic!("{:?}", layout.tables);
        };
        let (a, half_kp, half_ka) = (768, 41024, 49152);
        assert_eq!(
            (bytes.name.as_str(), bytes.all_rows()),
            ("transformer_weights_0", a)
        );
        assert_eq!(words.name, "transformer_weights_1");
        assert_eq!((words.first_row, words.rows), (a, half_kp + half_ka));
        assert_eq!(words.all_rows(), half_kp + half_ka + 64 + 640);
        assert_eq!(bytes.first_rows(&network, 0), [0, 0]);
        assert_eq!(words.first_rows(&network, 2), [half_kp, half_kp]);
        let row = |row| {
            let (table, row) = layout.row(row);
            (table.sets.start, row)
        };
        assert_eq!(row(767), (0, 767));
        assert_eq!(row(768), (1, 0));
        // This is the first virtual row.
        assert_eq!(row(a + half_kp + half_ka), (1, half_kp + half_ka));
    }

    #[test]
    fn black_has_rows_of_its_own() {
        let network = network(&[BYTES, WORDS], "weights = \"separate\"");
        let [table] = Table::all(&network, 64).try_into().expect("one table");
        let rows = 768 + 49152;
        assert_eq!(table.rows, 2 * rows);
        assert_eq!(table.first_rows(&network, 1), [768, rows + 768]);
    }
}
