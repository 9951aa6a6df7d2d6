//! ONNX operators as their reference says, of integers, in plain loops.

use std::collections::HashMap;

use prost::Message;

use super::messages::{Model, Node};

/// Integers of any type, the last axis first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<i64>,
}

/// A model that can be run.
pub(crate) struct Runner {
    model: Model,
    constants: HashMap<String, Array>,
}

impl Runner {
    pub(crate) fn new(file: &[u8]) -> Runner {
        let model = Model::decode(file).expect("it is a model");
        let graph = model.graph.as_ref().expect("it has a graph");
        let constants = graph.initializer.iter().map(|tensor| {
            let shape: Vec<usize> = tensor.dims.iter().map(|len| *len as usize).collect();
            let size = match tensor.data_type.unwrap_or_default() {
                3 => 1,
                5 => 2,
                6 => 4,
                7 => 8,
                other => panic!("numbers of type {other}"),
            };
            let numbers = tensor
                .raw_data
                .as_deref()
                .unwrap_or_default()
                .chunks_exact(size);
            let values: Vec<i64> = numbers.map(number).collect();
            assert_eq!(values.len(), shape.iter().product::<usize>());
            (said(&tensor.name).to_string(), Array { shape, values })
        });
        Runner {
            constants: constants.collect(),
            model,
        }
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The outputs for inputs, by their names.
    pub(crate) fn run(&self, inputs: HashMap<String, Array>) -> HashMap<String, Vec<i64>> {
        let graph = self.model.graph.as_ref().expect("it has a graph");
        let expected = graph.input.iter().map(|input| said(&input.name));
        let mut computed: HashMap<String, Array> = expected
            .map(|name| (name.to_string(), inputs[name].clone()))
            .collect();
        for node in &graph.node {
            let arguments = node.input.iter().map(|name| {
                let found = computed.get(name).or_else(|| self.constants.get(name));
                found.unwrap_or_else(|| panic!("`{name}` is not computed yet"))
            });
            let result = compute(node, &arguments.collect::<Vec<_>>());
            let before = computed.insert(node.output[0].clone(), result);
            assert!(
                before.is_none(),
                "two tensors are called {}",
                node.output[0]
            );
        }
        let outputs = graph.output.iter().map(|output| {
            let array = &computed[said(&output.name)];
            assert_eq!(
                array.shape.len(),
                1,
                "{}: {:?}",
                said(&output.name),
                array.shape
            );
            (said(&output.name).to_string(), array.values.clone())
        });
        outputs.collect()
    }
}

/// A number with a sign, little-endian.
fn number(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|byte| *byte >= 128);
    let mut wide = [if negative { 0xFF } else { 0 }; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(wide)
}

fn attribute(node: &Node, name: &str) -> i64 {
    let found = node.attribute.iter().find(|own| said(&own.name) == name);
    found
        .unwrap_or_else(|| panic!("no `{name}`"))
        .i
        .unwrap_or_default()
}

fn compute(node: &Node, inputs: &[&Array]) -> Array {
    let pairs = |function: &dyn Fn(i64, i64) -> i64| broadcast(inputs[0], inputs[1], function);
    match said(&node.op_type) {
        "Add" => pairs(&i64::wrapping_add),
        "Sub" => pairs(&i64::wrapping_sub),
        "Mul" => pairs(&i64::wrapping_mul),
        "Div" => pairs(&|a, b| a / b),
        // The sign is that of the divisor.
        "Mod" => pairs(&|a, b| ((a % b) + b) % b),
        "Min" => pairs(&i64::min),
        "Max" => pairs(&i64::max),
        "Less" => pairs(&|a, b| (a < b).into()),
        "Abs" => map(inputs[0], |x| x.abs()),
        "Clip" => {
            let (low, high) = (inputs[1].values[0], inputs[2].values[0]);
            map(inputs[0], |x| x.clamp(low, high))
        }
        "Cast" => match attribute(node, "to") {
            3 => map(inputs[0], |x| (x as i8).into()),
            5 => map(inputs[0], |x| (x as i16).into()),
            6 => map(inputs[0], |x| (x as i32).into()),
            7 => inputs[0].clone(),
            other => panic!("a cast to type {other}"),
        },
        "Where" => {
            let chosen = broadcast(inputs[0], inputs[1], &|choose, x| {
                if choose == 1 { x } else { 0 }
            });
            let other = broadcast(inputs[0], inputs[2], &|choose, x| {
                if choose == 1 { 0 } else { x }
            });
            broadcast(&chosen, &other, &|a, b| a + b)
        }
        "Reshape" => reshape(inputs[0], &inputs[1].values),
        "Transpose" => transpose(inputs[0], &node.attribute[0].ints),
        "Concat" => concatenate(inputs),
        "Slice" => slice(inputs),
        "Gather" => {
            let row: usize = inputs[0].shape[1..].iter().product();
            let rows = inputs[1].values.iter().map(|index| *index as usize);
            let values = rows.flat_map(|index| &inputs[0].values[index * row..][..row]);
            Array {
                shape: [&inputs[1].shape, &inputs[0].shape[1..]].concat(),
                values: values.copied().collect(),
            }
        }
        "GatherElements" => {
            let row = inputs[0].shape[1];
            assert_eq!(inputs[1].shape, [inputs[0].shape[0], 1]);
            let indices = inputs[1].values.iter().enumerate();
            let values = indices.map(|(n, index)| inputs[0].values[n * row + *index as usize]);
            Array {
                shape: inputs[1].shape.clone(),
                values: values.collect(),
            }
        }
        "ReduceSum" => {
            let axis = inputs[1].values[0] as usize;
            let inner: usize = inputs[0].shape[axis + 1..].iter().product();
            let mut shape = inputs[0].shape.clone();
            let summands = match attribute(node, "keepdims") {
                0 => shape.remove(axis),
                _ => std::mem::replace(&mut shape[axis], 1),
            };
            let outer = inputs[0].values.chunks_exact(summands * inner);
            let sums = outer.flat_map(|block| {
                (0..inner).map(move |at| block[at..].iter().step_by(inner).sum())
            });
            Array {
                values: sums.collect(),
                shape,
            }
        }
        "MatMul" => multiply(inputs[0], inputs[1]),
        other => panic!("the evaluator does not know {other}"),
    }
}

fn map(x: &Array, function: impl Fn(i64) -> i64) -> Array {
    Array {
        shape: x.shape.clone(),
        values: x.values.iter().map(|x| function(*x)).collect(),
    }
}

/// A function of two arrays. An axis of length 1 meets each element of the other array's axis.
fn broadcast(a: &Array, b: &Array, function: &dyn Fn(i64, i64) -> i64) -> Array {
    let axes = a.shape.len().max(b.shape.len());
    let padded = |x: &Array| [&vec![1; axes - x.shape.len()], &x.shape[..]].concat();
    let (of_a, of_b) = (padded(a), padded(b));
    let shape = of_a.iter().zip(&of_b).map(|(a, b)| {
        assert!(a == b || *a == 1 || *b == 1, "{of_a:?} and {of_b:?}");
        *a.max(b)
    });
    let shape: Vec<usize> = shape.collect();
    let values = (0..shape.iter().product()).map(|index| {
        let (mut rest, mut at_a, mut at_b, mut stride_a, mut stride_b) = (index, 0, 0, 1, 1);
        for axis in (0..axes).rev() {
            let place: usize = rest % shape[axis];
            rest /= shape[axis];
            at_a += place % of_a[axis] * stride_a;
            at_b += place % of_b[axis] * stride_b;
            stride_a *= of_a[axis];
            stride_b *= of_b[axis];
        }
        function(a.values[at_a], b.values[at_b])
    });
    Array {
        values: values.collect(),
        shape,
    }
}

fn reshape(x: &Array, shape: &[i64]) -> Array {
    let known: usize = shape
        .iter()
        .filter(|len| **len > 0)
        .map(|len| *len as usize)
        .product();
    let rest = x.values.len() / known;
    let shape = shape
        .iter()
        .map(|len| if *len > 0 { *len as usize } else { rest });
    let shape: Vec<usize> = shape.collect();
    assert_eq!(shape.iter().product::<usize>(), x.values.len());
    Array {
        shape,
        values: x.values.clone(),
    }
}

fn transpose(x: &Array, order: &[i64]) -> Array {
    assert_eq!(order, [0, 2, 1]);
    let [positions, rows, columns] = x.shape[..] else {
        panic!("{:?}", x.shape);
    };
    let mut values = Vec::new();
    for position in x.values.chunks_exact(rows * columns) {
        for column in 0..columns {
            values.extend((0..rows).map(|row| position[row * columns + column]));
        }
    }
    Array {
        shape: vec![positions, columns, rows],
        values,
    }
}

/// On the last of two axes.
fn concatenate(parts: &[&Array]) -> Array {
    let rows = parts[0].shape[0];
    let mut values = Vec::new();
    for row in 0..rows {
        for part in parts {
            let len = part.shape[1];
            values.extend(&part.values[row * len..][..len]);
        }
    }
    Array {
        shape: vec![rows, values.len() / rows],
        values,
    }
}

/// A run of the last axis.
fn slice(inputs: &[&Array]) -> Array {
    let [start, end, axis] = [1, 2, 3].map(|input| inputs[input].values[0] as usize);
    let mut shape = inputs[0].shape.clone();
    assert_eq!(axis, shape.len() - 1);
    let rows = inputs[0].values.chunks_exact(shape[axis]);
    let values = rows.flat_map(|row| &row[start..end]).copied().collect();
    shape[axis] = end - start;
    Array { shape, values }
}

/// Matrices of the last two axes, or one of the second array for all rows of the first.
fn multiply(a: &Array, b: &Array) -> Array {
    let [.., inner, columns] = b.shape[..] else {
        panic!("{:?}", b.shape);
    };
    let of_b: Vec<&[i64]> = b.values.chunks_exact(inner * columns).collect();
    let rows = a.values.chunks_exact(inner).enumerate();
    let values = rows.flat_map(|(index, row)| {
        let matrix = of_b[index % of_b.len()];
        let columns = 0..columns;
        columns.clone().map(move |column| {
            let products = row
                .iter()
                .zip(matrix[column..].iter().step_by(columns.len()));
            products.fold(0i64, |sum, (x, y)| sum.wrapping_add(x.wrapping_mul(*y)))
        })
    });
    let values = values.collect();
    let mut shape = a.shape.clone();
    if b.shape.len() == 3 {
        assert_eq!([a.shape[0], a.shape[1]], [b.shape[0], 1]);
    }
    *shape.last_mut().expect("it has axes") = columns;
    Array { shape, values }
}

/// A text of a model; a missing one is empty.
pub(super) fn said(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or_default()
}
