//! The transformer's rows: every row alone, and in every number for which there is code of its own.

use std::collections::BTreeMap;

use nnue_compiler::network::{Element, Network, OUTPUT_RUN};
use nnue_format::{Role, fill};
use nnue_runtime::__private::Proved;
use nnue_runtime::__private::features::{MovedRows, RowLists, TableRows};
use nnue_runtime::__private::memory::{self, Holder};
use nnue_runtime::__private::probe::Probed;
use nnue_runtime::{Color, Evaluated, Level, Output};

use crate::layers::proved;
use crate::weights::{Fill, Random, Tensor, fillings};
use crate::{Mismatch, Progress};

/// The number of rows of features, of all copies of the transformer. Virtual rows follow them: they
/// are no part of the network that the kernels compute.
fn rows(network: &Network) -> usize {
    network.transformer.perspectives.copies() * network.feature_count()
}

/// How many numbers the transformer has.
pub(crate) fn weights(network: &Network) -> u64 {
    let transformer = &network.transformer;
    let biases = transformer.perspectives.copies() * transformer.width;
    (biases + rows(network) * (transformer.width + transformer.psqt)) as u64
}

/// The number of the first code of the transformer. Layers have those below it.
const FIRST: u32 = 1 << 26;

/// The place in memory of each neuron of the file. The biases say it: the loader puts them there.
pub(crate) fn places<A: Probed>(weights: &mut Holder<A::Weights>) -> Vec<usize> {
    let bytes = memory::bytes_mut(weights.to_mut());
    fill(A::FILE, &[0], bytes, |role| {
        let is_it = matches!(role, Role::Biases(_));
        is_it.then_some(|[_, _, column]: [usize; 3]| (column + 1) as f64)
    });
    let values = A::values(A::biases(weights, Color::White));
    let by_number: BTreeMap<i16, usize> = values
        .iter()
        .enumerate()
        .map(|(place, number)| (*number, place))
        .collect();
    (1..=A::WIDTH as i16)
        .map(|number| by_number.get(&number).copied().unwrap_or(usize::MAX))
        .collect()
}

/// The accumulators of moves, and what the weights of the layers behind them prove.
struct Buffers<A: Probed> {
    before: Holder<[A::Half; 2]>,
    after: Holder<[A::Half; 2]>,
    proved: Proved,
}

/// A table of rows, as the kernels number them.
struct Table {
    /// The number of its first row among the rows of all tables.
    first: usize,
    rows: usize,
    shift: u32,
    element: Element,
}

fn tables<A: Probed>(copies: usize, weights: &A::Weights) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for set in A::FEATURES {
        if set.table == tables.len() {
            let first = tables.last().map_or(0, |last| last.first + last.rows);
            tables.push(Table {
                first,
                rows: 0,
                shift: set.shift,
                element: match A::rows(weights, tables.len()) {
                    TableRows::I16(_) => Element::I16,
                    TableRows::I8(_) | TableRows::Paired(_) => Element::I8,
                },
            });
        }
        if let Some(table) = tables.last_mut() {
            table.rows += copies * set.rows as usize;
        }
    }
    tables
}

/// What is expected of a row: its values and PSQT values, as they are added.
#[derive(Clone, Default)]
struct Row {
    values: Vec<i16>,
    psqt: Vec<i32>,
}

/// A row, with its number in its table.
type Numbered = (usize, Row);

/// The number of rows that are kept, so that kernels get several at once.
const KEPT: usize = 4;

/// Rows that are added and rows that are removed.
type Lists<'r> = (&'r [&'r Numbered], &'r [&'r Numbered]);

/// The check of one network.
struct Check<'n, A: Probed> {
    network: &'n Network,
    weights: Holder<A::Weights>,
    places: Vec<usize>,
    tables: Vec<Table>,
    fill: Fill,
    base: Holder<A::Half>,
}

pub(crate) fn check<A: Probed>(
    network: &Network,
    levels: &[Level],
    progress: &mut Progress,
) -> Result<(), Mismatch> {
    let mut weights = Holder::<A::Weights>::zeroed();
    let places = places::<A>(&mut weights);
    let copies = network.transformer.perspectives.copies();
    let mut check = Check::<A> {
        network,
        tables: tables::<A>(copies, &weights),
        weights,
        places,
        fill: Fill::Digits(0),
        base: Holder::zeroed(),
    };
    check.start();
    let digits = check.tables.iter().map(|table| fillings(table.element));
    for digit in 0..digits.max().unwrap_or(0) {
        check.filled(Fill::Digits(digit));
        check.biases(progress)?;
        for table in 0..check.tables.len() {
            check.each_row(table, levels, progress)?;
        }
        check.lists(levels, progress)?;
    }
    Ok(())
}

impl<A: Probed> Check<'_, A> {
    /// Gives the accumulator that rows are added to random sums.
    fn start(&mut self) {
        let mut random = Random::new(1);
        let (values, psqt) = A::sums(self.base.to_mut());
        for place in &self.places {
            if let Some(value) = values.get_mut(*place) {
                *value = random.next() as i16;
            }
        }
        psqt.fill_with(|| random.next().cast_signed());
    }

    fn filled(&mut self, filling: Fill) {
        self.fill = filling;
        let (network, tables) = (self.network, &self.tables);
        let end = rows(network);
        let bytes = memory::bytes_mut(self.weights.to_mut());
        fill(A::FILE, &[0], bytes, |role| {
            Some(move |[_, row, column]: [usize; 3]| match role {
                Role::Weights(first) if first < end => {
                    let element = element_of(tables, first + row);
                    of_row(network, element).value(filling, [first + row, 0, column])
                }
                Role::Psqt(first) if first < end => {
                    of_psqt(network).value(filling, [first + row, 0, column])
                }
                // Layers whose outputs depend on their inputs. Where an input reaches few runs of
                // outputs, it reaches one here.
                Role::LayerWeights(layer) if is_in_other_run(network, layer, row, column) => 0.0,
                _ => ((3 * row + 5 * column) % 7) as f64 - 3.0,
            })
        });
    }

    /// What a row adds, by its table and its number in the table.
    fn row(&self, table: usize, row: usize) -> Row {
        let shift = self.tables[table].shift;
        let row = self.tables[table].first + row;
        let tensor = of_row(self.network, element_of(&self.tables, row));
        let value = |column| (tensor.value(self.fill, [row, 0, column]) as i32) << shift;
        let psqt = of_psqt(self.network);
        let psqt_value = |column| psqt.value(self.fill, [row, 0, column]) as i32;
        Row {
            values: self.placed(&self.base, |column| value(column) as i16),
            psqt: (0..self.network.transformer.psqt).map(psqt_value).collect(),
        }
    }

    /// The biases of both perspectives, by their tensors.
    fn biases(&mut self, progress: &mut Progress) -> Result<(), Mismatch> {
        let copies = self.network.transformer.perspectives.copies();
        let bytes = memory::bytes_mut(self.weights.to_mut());
        let value = |copy: usize, column: usize| (copy * A::WIDTH + column) as i16;
        fill(A::FILE, &[0], bytes, |role| {
            let Role::Biases(copy) = role else {
                return None;
            };
            Some(move |[_, _, column]: [usize; 3]| f64::from(value(copy, column)))
        });
        for color in Color::ALL {
            let copy = color.index() % copies;
            let mut half = *A::biases(&self.weights, color);
            let expected = Row {
                values: self.placed(&half, |column| value(copy, column)),
                psqt: vec![0; self.network.transformer.psqt],
            };
            self.compare(Level::BASELINE, &mut half, &expected, || {
                format!("the biases of {color:?}")
            })?;
            progress.comparisons += 1;
        }
        Ok(())
    }

    /// A value for each neuron, in the places of memory.
    fn placed(&self, half: &A::Half, value: impl Fn(usize) -> i16) -> Vec<i16> {
        let mut values = vec![0; A::values(half).len()];
        for (neuron, place) in self.places.iter().enumerate() {
            if let Some(placed) = values.get_mut(*place) {
                *placed = value(neuron);
            }
        }
        values
    }

    /// The accumulator that rows are added to, plus rows, minus other rows.
    fn sum(&self, added: &[&Numbered], removed: &[&Numbered]) -> Row {
        let mut base = *self.base;
        let (values, psqt) = A::sums(&mut base);
        let (mut values, mut psqt) = (values.to_vec(), psqt.to_vec());
        for (rows, sign) in [(added, 1i16), (removed, -1)] {
            for (_, row) in rows {
                for (sum, value) in values.iter_mut().zip(&row.values) {
                    *sum = sum.wrapping_add(sign.wrapping_mul(*value));
                }
                for (sum, value) in psqt.iter_mut().zip(&row.psqt) {
                    *sum = sum.wrapping_add(i32::from(sign).wrapping_mul(*value));
                }
            }
        }
        Row { values, psqt }
    }

    /// Compares an accumulator, padding included.
    fn compare(
        &self,
        level: Level,
        half: &mut A::Half,
        expected: &Row,
        input: impl Fn() -> String,
    ) -> Result<(), Mismatch> {
        let (values, psqt) = A::sums(half);
        let psqt = &psqt[..self.network.transformer.psqt];
        if *values == *expected.values && *psqt == *expected.psqt {
            return Ok(());
        }
        let differ = |(found, expected): (&i32, &i32)| found != expected;
        let (part, output, found, expected) = match values
            .iter()
            .zip(&expected.values)
            .position(|(a, b)| a != b)
        {
            Some(place) => {
                let neuron = self.places.iter().position(|own| *own == place);
                let [found, expected] = [values[place], expected.values[place]].map(f64::from);
                (
                    "transformer",
                    neuron.unwrap_or(A::WIDTH + place),
                    found,
                    expected,
                )
            }
            None => {
                let index = psqt
                    .iter()
                    .zip(&expected.psqt)
                    .position(differ)
                    .unwrap_or(0);
                let [found, expected] = [psqt[index], expected.psqt[index]].map(f64::from);
                ("psqt", index, found, expected)
            }
        };
        Err(Mismatch {
            network: A::NAME,
            level,
            part: part.into(),
            bucket: 0,
            output,
            input: input(),
            found,
            expected,
        })
    }

    /// Every row of a table: added alone, removed alone, and in the places of all numbers of rows
    /// for which kernels have code.
    fn each_row(
        &self,
        number: usize,
        levels: &[Level],
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let table = &self.tables[number];
        let start = &*self.base;
        // The row and those before it. The first rows follow the last.
        let mut window: [Numbered; KEPT] = core::array::from_fn(|distance| {
            let row = (KEPT * table.rows - distance) % table.rows;
            (row, self.row(number, row))
        });
        let moves = self.tables.len() == 1;
        let mut into = Holder::<A::Half>::zeroed();
        let mut buffers = Buffers::<A> {
            before: Holder::zeroed(),
            after: Holder::zeroed(),
            proved: proved::<A>(&self.weights)[0],
        };
        *buffers.before.to_mut() = [*start; 2];
        for row in 0..table.rows {
            if row > 0 {
                window.rotate_right(1);
                window[0] = (row, self.row(number, row));
            }
            let [a, b, c, d] = &window;
            let lists: [Lists<'_>; 5] = [
                (&[a], &[]),
                (&[], &[a]),
                (&[a], &[b]),
                (&[a], &[b, c]),
                (&[a, b], &[c, d]),
            ];
            // Every row is added alone with each digit, and removed alone once. The other numbers of
            // rows take turns.
            let turn = row % 5;
            let first = self.fill == Fill::Digits(0);
            for (kind, (added, removed)) in lists.into_iter().enumerate() {
                if kind > 0 && !(first && (kind == 1 || kind == turn + 2)) {
                    continue;
                }
                let expected = self.sum(added, removed);
                let list = |rows: &[&Numbered]| {
                    let mut list = A::Rows::EMPTY;
                    for (row, _) in rows {
                        list.push_if(true, number, *row as u32);
                    }
                    list
                };
                let (added_list, removed_list) = (list(added), list(removed));
                for &level in levels {
                    let into = into.to_mut();
                    A::accumulate(
                        level,
                        &self.weights,
                        start,
                        &added_list,
                        &removed_list,
                        into,
                    );
                    self.compare(level, into, &expected, || {
                        let [added, removed] = [added, removed].map(numbers);
                        format!("rows {added:?} added and rows {removed:?} removed")
                    })?;
                    progress.comparisons += 1;
                }
            }
            if moves && first && turn >= 3 {
                self.move_with(&window, turn == 4, levels, &mut buffers, progress)?;
            }
        }
        Ok(())
    }

    /// A move, the last in a line, that adds and removes the first rows of a window.
    fn move_with(
        &self,
        [a, b, c, _]: &[Numbered; KEPT],
        captures: bool,
        levels: &[Level],
        Buffers {
            before,
            after,
            proved,
        }: &mut Buffers<A>,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let [a_row, b_row, c_row] = [a.0, b.0, c.0].map(|row| row as u32);
        let (captured, expected) = if captures {
            let captured = Some([c_row, a_row]);
            (captured, [self.sum(&[a], &[b, c]), self.sum(&[b], &[c, a])])
        } else {
            (None, [self.sum(&[a], &[b]), self.sum(&[b], &[c])])
        };
        for &level in levels {
            let moved = MovedRows {
                added: [a_row, b_row],
                removed: [b_row, c_row],
                captured,
            };
            let (weights, stacks) = (&*self.weights, A::stacks(&self.weights));
            let (before, into) = (before.each_ref(), after.to_mut().each_mut());
            let input = || format!("a move with row {a_row}");
            let output = A::propagate_move(level, weights, stacks, before, moved, into, 0, *proved);
            for perspective in A::PERSPECTIVES {
                let index = perspective.index();
                self.compare(level, &mut after.to_mut()[index], &expected[index], || {
                    format!("{}, of {perspective:?}", input())
                })?;
            }
            let of_stored = A::propagate(level, stacks, after.each_ref(), 0, *proved);
            let [found, expected] = [output, of_stored].map(|output| output.outputs());
            if found != expected {
                let value = |outputs: [Option<Output>; 3]| {
                    outputs[0].map_or(f64::NAN, |output| output.value.into())
                };
                return Err(Mismatch {
                    network: A::NAME,
                    level,
                    part: "output".into(),
                    bucket: 0,
                    output: 0,
                    input: input(),
                    found: value(found),
                    expected: value(expected),
                });
            }
            progress.comparisons += 1;
        }
        Ok(())
    }

    /// Lists of all lengths, with rows of all tables.
    fn lists(&self, levels: &[Level], progress: &mut Progress) -> Result<(), Mismatch> {
        let mut random = Random::new(2);
        let mut longest = 0;
        for set in A::FEATURES {
            longest = longest.max(set.max_active);
        }
        let mut into = Holder::<A::Half>::zeroed();
        let mut entry = Holder::<A::Half>::zeroed();
        for len in 0..=longest {
            let mut list = || {
                let mut list = A::Rows::EMPTY;
                let mut rows = Vec::new();
                for (number, table) in self.tables.iter().enumerate() {
                    // One table has a list of this length, the others of any.
                    let len = if number == len % self.tables.len() {
                        len
                    } else {
                        random.below(len + 1)
                    };
                    for _ in 0..len {
                        let row = random.below(table.rows);
                        list.push_if(true, number, row as u32);
                        rows.push((row, self.row(number, row)));
                    }
                }
                (list, rows)
            };
            let ((added, added_rows), (removed, removed_rows)) = (list(), list());
            let (added_rows, removed_rows) = (references(&added_rows), references(&removed_rows));
            let sum = self.sum(&added_rows, &[]);
            let update = self.sum(&added_rows, &removed_rows);
            for &level in levels {
                let (start, into) = (&*self.base, into.to_mut());
                let input = || format!("lists of {len} rows");
                A::accumulate(level, &self.weights, start, &added, A::Rows::NONE, into);
                self.compare(level, into, &sum, input)?;
                A::accumulate(level, &self.weights, start, &added, &removed, into);
                self.compare(level, into, &update, input)?;
                *entry.to_mut() = *start;
                let kept = entry.to_mut();
                A::refresh(level, &self.weights, kept, &added, &removed, into);
                self.compare(level, into, &update, input)?;
                self.compare(level, kept, &update, || format!("{}, kept", input()))?;
                progress.comparisons += 4;
            }
        }
        Ok(())
    }
}

/// The values of rows by their number among all rows, whatever tensors they are in.
fn of_row(network: &Network, element: Element) -> Tensor {
    Tensor::new(element, FIRST, [1, network.transformer.width])
}

/// The PSQT values of rows, whose codes follow those of the rows.
fn of_psqt(network: &Network) -> Tensor {
    let transformer = &network.transformer;
    let of_rows = (rows(network) * transformer.width) as u32;
    let first = FIRST.wrapping_add(of_rows);
    Tensor::new(Element::I32, first, [1, transformer.psqt])
}

/// Whether a layer's inputs reach few runs of outputs, and the input of this column has a weight
/// for another run than that of the output.
fn is_in_other_run(network: &Network, layer: usize, output: usize, input: usize) -> bool {
    let layer = &network.layers[layer];
    let runs = layer.output.len / OUTPUT_RUN;
    let is_in_runs = layer
        .affine()
        .is_some_and(|own| own.output_blocks.is_some());
    is_in_runs && output / OUTPUT_RUN != input % runs
}

/// The type of a row's weights.
fn element_of(tables: &[Table], row: usize) -> Element {
    let mut tables = tables.iter().rev();
    let table = tables.find(|table| table.first <= row);
    table.map_or(Element::I16, |table| table.element)
}

fn references(rows: &[Numbered]) -> Vec<&Numbered> {
    rows.iter().collect()
}

fn numbers(rows: &[&Numbered]) -> Vec<usize> {
    rows.iter().map(|row| row.0).collect()
}
