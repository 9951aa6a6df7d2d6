//! Activations of sums: every function for which some shift gives a useful one.

use nnue_compiler::network::{Element, One, Tensor};
use nnue_compiler::spec::{Named, OpName};

use super::{Graph, Part};

/// The largest one of an activation. More bits would test nothing new.
const LARGEST_ONE: u64 = 2047;

/// The smallest one of an activation. Fewer bits would leave too few different values.
const LEAST_ONE: u64 = 40;

/// A function with the shift and the one that it has then.
#[derive(Clone, Copy, PartialEq)]
struct Choice {
    function: OpName,
    shift: u32,
    one: u32,
}

impl Choice {
    /// Whether its results are clipped at a limit that the spec can say.
    fn clips(self) -> bool {
        matches!(
            self.function,
            OpName::Crelu | OpName::SqrCrelu | OpName::Relu
        )
    }

    /// Its largest result, if the spec says no limit, of sums with `from` for 1.0.
    fn largest(self, from: u64) -> u64 {
        match self.function {
            OpName::Quantmoid4 => 126,
            OpName::Relu => 127,
            OpName::Screlu => (from * from) >> self.shift,
            _ => u64::from(self.one),
        }
    }
}

impl Graph<'_> {
    /// One, two or three functions of the same sums.
    pub(super) fn integer_activations(&mut self, sums: Part) -> Vec<Part> {
        let mut choices = choices(self.shared_one(sums));
        let own = self.dice.aside_for("several").within(0..=9);
        if own < 2 {
            return vec![self.long_activation(sums)];
        }
        if own < 5 {
            return vec![self.joined_activations(sums, &choices)];
        }
        let count = self.dice.pick(&[1, 1, 2, 2, 3]);
        (0..count)
            .map(|_| {
                // All functions are equally likely, however many shifts fit them.
                let mut functions: Vec<OpName> =
                    choices.iter().map(|choice| choice.function).collect();
                functions.dedup();
                let function = self.dice.pick(&functions);
                let fitting: Vec<Choice> = choices
                    .iter()
                    .copied()
                    .filter(|choice| choice.function == function)
                    .collect();
                let usual = fitting.iter().find(|choice| choice.one == 127).copied();
                let choice = match usual {
                    Some(usual) if self.dice.once_in(2) => usual,
                    _ => self.dice.pick(&fitting),
                };
                // The next layer reads all of them, and its weights have the same one for each.
                choices.retain(|other| other.one == choice.one);
                self.integer_activation(sums, choice)
            })
            .collect()
    }

    /// A function with results of up to 32 bits: of sums as they are or shifted to the left, or of
    /// their squares.
    fn long_activation(&mut self, sums: Part) -> Part {
        let from = u64::from(self.shared_one(sums));
        let function = self.dice.pick(&[
            OpName::Crelu,
            OpName::Relu,
            OpName::SqrCrelu,
            OpName::SqrCreluI32,
        ]);
        self.layer(short(function), &[function]);
        self.read(&[sums]);
        let mut lowest = 0;
        let one = match function {
            OpName::Crelu | OpName::Relu => {
                let room = (1u64 << 30).checked_div(from).map_or(0, u64::ilog2);
                let shift = self.dice.within(0..=8.min(room as usize));
                self.toml.set("shift", -(shift as i32));
                from << shift
            }
            _ => {
                let bits = (from * from).ilog2() as usize;
                let shift = bits.saturating_sub(self.dice.within(7..=29)).min(31);
                self.toml.set("shift", shift);
                lowest = i64::from(i32::MIN >> shift);
                (from * from) >> shift
            }
        };
        self.toml.set("one", one);
        let mut largest = one;
        if function == OpName::Relu || self.dice.once_in(3) {
            largest = one + self.dice.pick(&[0, 1, one / 3]);
            self.toml.set("limit", largest);
        }
        let range = match function {
            OpName::SqrCreluI32 => (lowest, largest as i64),
            _ => (0, largest as i64),
        };
        self.push(Tensor {
            len: sums.len,
            element: match range {
                (0, ..=255) => Element::U8,
                (-0x8000.., ..=0x7FFF) => Element::I16,
                _ => Element::I32,
            },
            one: One::Tensor(one as u32),
            range,
        })
    }

    /// Two or three functions of the same sums in one layer. All have the same one.
    fn joined_activations(&mut self, sums: Part, choices: &[Choice]) -> Part {
        let first = self.dice.pick(choices);
        let fitting: Vec<Choice> = choices
            .iter()
            .copied()
            .filter(|choice| choice.one == first.one)
            .collect();
        let mut chosen = vec![first];
        for _ in 0..self.dice.pick(&[1, 1, 2]) {
            chosen.push(self.dice.pick(&fitting));
        }
        let functions: Vec<OpName> = chosen.iter().map(|choice| choice.function).collect();
        self.layer("dual", &functions);
        self.read(&[sums]);
        let shifts: Vec<u32> = chosen.iter().map(|choice| choice.shift).collect();
        match shifts.iter().all(|shift| *shift == first.shift) {
            true if self.dice.once_in(2) => self.toml.set("shift", first.shift),
            _ => self.toml.set("shift", format_args!("{shifts:?}")),
        }
        // Where 1.0 is 127, no function needs to be told.
        if first.one != 127 {
            self.toml.set("one", first.one);
        }
        let least = u64::from(first.one - first.one / 64);
        let from = u64::from(self.shared_one(sums));
        let mut limits: Vec<u64> = chosen.iter().map(|choice| choice.largest(from)).collect();
        if chosen.iter().all(|choice| choice.clips()) {
            let all_pass = limits.iter().all(|limit| *limit >= least);
            match self.dice.within(0..=3) {
                0 if all_pass => {}
                1 => {
                    limits.fill(2 * least);
                    self.toml.set("limit", 2 * least);
                }
                _ => {
                    limits = (0..).zip(&limits).map(|(more, _)| least + more).collect();
                    self.toml.set("limit", format_args!("{limits:?}"));
                }
            }
        }
        let largest = limits.iter().copied().max().unwrap_or(0);
        self.push(Tensor {
            len: chosen.len() * sums.len,
            element: if largest <= 255 {
                Element::U8
            } else {
                Element::I16
            },
            one: One::Tensor(first.one),
            range: (0, largest as i64),
        })
    }

    fn integer_activation(&mut self, sums: Part, choice: Choice) -> Part {
        let Choice {
            function,
            shift,
            one,
        } = choice;
        let from = u64::from(self.shared_one(sums));
        self.layer(short(function), &[function]);
        self.read(&[sums]);
        self.toml.set("shift", shift);
        let mut largest = choice.largest(from);
        if function == OpName::Screlu {
            let summand = self.rounding(shift).summand(shift);
            largest = (from * from + u64::from(summand)) >> shift;
        }
        let default = match function {
            OpName::Quantmoid4 => one,
            OpName::Relu => (from >> shift) as u32,
            _ => 127,
        };
        if one != default || (function != OpName::Quantmoid4 && self.dice.once_in(4)) {
            self.toml.set("one", one);
        }
        let least = u64::from(one - one / 64);
        if choice.clips() && (largest < least || self.dice.once_in(4)) {
            let limits = [least, 127, 255, u64::from(2 * one)];
            let mut limits: Vec<u64> = limits.into_iter().filter(|limit| *limit >= least).collect();
            self.dice.shuffle(&mut limits);
            largest = limits[0];
            self.toml.set("limit", largest);
        }
        self.push(Tensor {
            len: sums.len,
            element: if largest <= 255 {
                Element::U8
            } else {
                Element::I16
            },
            one: One::Tensor(one),
            range: (0, largest as i64),
        })
    }

    /// Up to two functions of the same values; none leaves them as they are.
    pub(super) fn float_activations(&mut self, values: Part) -> Vec<Part> {
        let count = self.dice.pick(&[0, 1, 1, 1, 2, 2]);
        if count == 0 {
            return vec![values];
        }
        if self.dice.aside_for("dual").once_in(5) {
            let functions = (0..=count).map(|_| self.float_function());
            let functions: Vec<OpName> = functions.collect();
            self.layer("dual", &functions);
            self.read(&[values]);
            return vec![self.push(Tensor {
                len: functions.len() * values.len,
                element: Element::F32,
                one: One::Tensor(1),
                range: (0, 0),
            })];
        }
        (0..count)
            .map(|_| {
                let function = self.float_function();
                self.layer(short(function), &[function]);
                self.read(&[values]);
                self.push(Tensor {
                    len: values.len,
                    element: Element::F32,
                    one: One::Tensor(1),
                    range: (0, 0),
                })
            })
            .collect()
    }
}

impl Graph<'_> {
    fn float_function(&mut self) -> OpName {
        const FUNCTIONS: &[OpName] = &[
            OpName::Crelu,
            OpName::Relu,
            OpName::SqrCrelu,
            OpName::Screlu,
            OpName::Sigmoid,
            OpName::HardSwish,
        ];
        let others = OpName::NAMES.iter().map(|(_, name)| *name);
        let others = others.filter(|name| name.has_floats() && !FUNCTIONS.contains(name));
        let others: Vec<OpName> = others.collect();
        let mut aside = self.dice.aside_for("squares");
        let function = self.dice.pick(FUNCTIONS);
        if aside.once_in(4) {
            aside.pick(&others)
        } else {
            function
        }
    }
}

/// The usual beginning of such layers' names.
fn short(function: OpName) -> &'static str {
    match function {
        OpName::Crelu => "ac",
        OpName::SqrCrelu | OpName::SqrCreluI32 => "ac_sqr",
        OpName::Screlu => "squared",
        OpName::Relu => "relu",
        OpName::Quantmoid4 => "quantmoid",
        OpName::Sigmoid => "sigmoid",
        OpName::Sqr | OpName::SqrRelu | OpName::SqrNegative => "square",
        _ => "swish",
    }
}

/// All choices for sums with `from` for 1.0.
fn choices(from: u32) -> Vec<Choice> {
    let from = u64::from(from);
    let useful = |one: u64| (LEAST_ONE..=LARGEST_ONE).contains(&one);
    let shifts = |fitting: &dyn Fn(u32) -> Option<u64>, function| -> Vec<Choice> {
        let choice = |shift| {
            let one = fitting(shift)? as u32;
            Some(Choice {
                function,
                shift,
                one,
            })
        };
        (0..32).filter_map(choice).collect()
    };
    let value = |shift: u32| {
        let exact = from.trailing_zeros() >= shift;
        Some(from >> shift).filter(|one| exact && useful(*one))
    };
    // The nearest even one. With small ones it sometimes differs by more than the compiler allows,
    // which must be an error.
    let square = |shift: u32| Some((((from * from) >> shift) + 1) & !1).filter(|one| useful(*one));
    let mut choices = shifts(&value, OpName::Crelu);
    choices.extend(shifts(&value, OpName::Relu));
    choices.extend(shifts(
        &|shift| value(shift).filter(|one| *one == 127),
        OpName::Quantmoid4,
    ));
    for function in [OpName::SqrCrelu, OpName::Screlu] {
        choices.extend(shifts(&square, function));
        // 126 stands for 127, as in all known nets.
        for choice in &mut choices {
            if choice.function == function && choice.one == 126 {
                choice.one = 127;
            }
        }
    }
    if choices.is_empty() {
        // A one without factors of two, which a shift of 0 leaves as it is.
        choices.push(Choice {
            function: OpName::Relu,
            shift: 0,
            one: from as u32,
        });
    }
    choices
}
