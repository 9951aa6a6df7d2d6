//! A graph of ONNX operators under construction. Between operators, every value is an `int64`, so
//! that nothing is rounded or saturated. A value that a network keeps in fewer bits is cut to
//! these.

use super::messages::{Attribute, DataType, Graph, Node, Tensor};

/// The name of a tensor in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value(pub(super) String);

#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) graph: Graph,
    /// The prefix of the names of new operators: the part of the network that they compute.
    pub(super) part: String,
}

impl Builder {
    /// Adds an operator with these inputs and attributes, which are integers.
    pub(super) fn operator(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        attributes: &[(&str, i64)],
    ) -> Value {
        let attributes = attributes.iter().map(|(name, value)| Attribute {
            name: Some((*name).into()),
            i: Some(*value),
            ints: Vec::new(),
            r#type: Some(Attribute::INTEGER),
        });
        self.push(operator, inputs, attributes.collect())
    }

    /// A tensor with its axes in another order.
    pub(super) fn transpose(&mut self, x: &Value, order: &[i64]) -> Value {
        let attribute = Attribute {
            name: Some("perm".into()),
            i: None,
            ints: order.to_vec(),
            r#type: Some(Attribute::INTEGERS),
        };
        self.push("Transpose", &[x], vec![attribute])
    }

    fn push(&mut self, operator: &str, inputs: &[&Value], attribute: Vec<Attribute>) -> Value {
        let begin = format!("{}/{operator}", self.part);
        let is_own = |name: &str| name == begin || name.starts_with(&format!("{begin}_"));
        let names = self.graph.node.iter().filter_map(|node| node.name.as_ref());
        let name = match names.filter(|name| is_own(name)).count() {
            0 => begin,
            before => format!("{begin}_{}", before + 1),
        };
        self.graph.node.push(Node {
            input: inputs.iter().map(|Value(name)| name.clone()).collect(),
            output: vec![name.clone()],
            name: Some(name.clone()),
            op_type: Some(operator.into()),
            attribute,
        });
        Value(name)
    }

    /// Gives a tensor that an operator computed its name for users.
    pub(super) fn rename(&mut self, value: Value, name: &str) -> Value {
        for node in &mut self.graph.node {
            for own in node.input.iter_mut().chain(&mut node.output) {
                if *own == value.0 {
                    *own = name.into();
                }
            }
        }
        Value(name.into())
    }

    /// Numbers of the net file, stored in as many bytes as their type has.
    pub(super) fn weights(
        &mut self,
        name: String,
        shape: &[usize],
        data_type: DataType,
        values: impl Iterator<Item = i64>,
    ) -> Value {
        let size = match data_type {
            DataType::I8 => 1,
            DataType::I16 => 2,
            DataType::I32 => 4,
            DataType::I64 => 8,
        };
        let mut bytes = Vec::with_capacity(size * shape.iter().product::<usize>());
        for value in values {
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        self.graph.initializer.push(Tensor {
            dims: shape.iter().map(|len| *len as i64).collect(),
            data_type: Some(data_type as i32),
            name: Some(name.clone()),
            raw_data: Some(bytes),
        });
        Value(name)
    }

    /// A number of the network's formulas.
    pub(super) fn number(&mut self, number: i64) -> Value {
        self.constant(number.to_string(), &[], &[number])
    }

    /// Numbers of the network's formulas.
    pub(super) fn numbers(&mut self, numbers: &[i64]) -> Value {
        let name: Vec<String> = numbers.iter().map(i64::to_string).collect();
        self.constant(format!("[{}]", name.join(", ")), &[numbers.len()], numbers)
    }

    fn constant(&mut self, name: String, shape: &[usize], numbers: &[i64]) -> Value {
        let constants = &mut self.graph.initializer.iter();
        if constants.any(|constant| constant.name.as_ref() == Some(&name)) {
            return Value(name);
        }
        self.weights(name, shape, DataType::I64, numbers.iter().copied())
    }

    pub(super) fn cast(&mut self, x: &Value, to: DataType) -> Value {
        self.operator("Cast", &[x], &[("to", to as i64)])
    }

    /// The lower bits of `x`, as many as a type has, as a number of this type.
    pub(super) fn wrap(&mut self, x: &Value, to: DataType) -> Value {
        let narrow = self.cast(x, to);
        self.cast(&narrow, DataType::I64)
    }

    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Value {
        self.operator("Add", &[a, b], &[])
    }

    pub(super) fn subtract(&mut self, a: &Value, b: &Value) -> Value {
        self.operator("Sub", &[a, b], &[])
    }

    pub(super) fn multiply(&mut self, a: &Value, b: &Value) -> Value {
        self.operator("Mul", &[a, b], &[])
    }

    /// `x / by`, rounded towards zero as ONNX's `Div` does.
    pub(super) fn divide(&mut self, x: &Value, by: &Value) -> Value {
        self.operator("Div", &[x, by], &[])
    }

    /// `x / by`, rounded down: `x` less the remainder of `Mod`, which has the sign of `by`.
    pub(super) fn divide_down(&mut self, x: &Value, by: &Value) -> Value {
        let rest = self.operator("Mod", &[x, by], &[]);
        let multiple = self.subtract(x, &rest);
        self.divide(&multiple, by)
    }

    /// `x >> shift`, rounded down. ONNX's `BitShift` takes no negative numbers.
    pub(super) fn shift_right(&mut self, x: &Value, shift: u32) -> Value {
        match shift {
            0 => x.clone(),
            _ => {
                let by = self.number(1 << shift);
                self.divide_down(x, &by)
            }
        }
    }

    pub(super) fn clip(&mut self, x: &Value, low: i64, high: i64) -> Value {
        let [low, high] = [low, high].map(|limit| self.number(limit));
        self.operator("Clip", &[x, &low, &high], &[])
    }

    /// `min(x, limit)`.
    pub(super) fn at_most(&mut self, x: &Value, limit: i64) -> Value {
        let limit = self.number(limit);
        self.operator("Min", &[x, &limit], &[])
    }

    /// `negative` where `x < 0`, else `other`.
    pub(super) fn by_sign(&mut self, x: &Value, negative: &Value, other: &Value) -> Value {
        let zero = self.number(0);
        let is_negative = self.operator("Less", &[x, &zero], &[]);
        self.operator("Where", &[&is_negative, negative, other], &[])
    }

    /// A tensor with other axes; -1 stands for the axis of positions.
    pub(super) fn reshape(&mut self, x: &Value, shape: &[i64]) -> Value {
        let shape = self.numbers(shape);
        self.operator("Reshape", &[x, &shape], &[])
    }

    /// A run of values on the last axis of a tensor with `axes` axes.
    pub(super) fn slice(&mut self, x: &Value, axes: i64, start: usize, len: usize) -> Value {
        let end = start + len;
        let [start, end, axis] =
            [start as i64, end as i64, axes - 1].map(|number| self.numbers(&[number]));
        self.operator("Slice", &[x, &start, &end, &axis], &[])
    }

    /// Tensors, concatenated on the last axis.
    pub(super) fn concatenate(&mut self, parts: &[Value]) -> Value {
        match parts {
            [only] => only.clone(),
            _ => self.operator("Concat", &parts.iter().collect::<Vec<_>>(), &[("axis", -1)]),
        }
    }
}
