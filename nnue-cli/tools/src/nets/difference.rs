//! The differences between two net files.

use nnue_interpreter::Net;
use serde::Serialize;

use crate::nets::Error;
use crate::nets::given::Given;
use crate::nets::net_file::NetFile;
use crate::nets::tensors::{self, Values};

/// Two net files side by side.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The paths of both files.
    pub files: [String; 2],
    /// The names of their networks.
    pub networks: [String; 2],
    /// The differences of the tensors, in the order of the first file, then those of the second
    /// file.
    pub tensors: Vec<TensorDifference>,
    /// The evaluations of each position by both networks.
    pub evaluations: Vec<Evaluations>,
    /// Whether some tensor or some evaluation differs.
    pub differ: bool,
    /// Whether the files are the same, byte for byte.
    pub same_bytes: bool,
}

/// The differences between two tensors of the same name, as the networks have them.
#[derive(Debug, Serialize)]
pub struct TensorDifference {
    /// The name of the tensor.
    pub name: String,
    /// How many numbers of the tensor each file has; 0 if the file has no such tensor.
    pub values: [usize; 2],
    /// How many numbers differ; `null` if the files have different counts of numbers.
    pub differing: Option<usize>,
    /// The largest difference of two numbers; `null` if the files have different counts of numbers.
    pub largest: Option<f64>,
}

/// The evaluations of a position by both networks, in the units of each.
#[derive(Debug, Serialize)]
pub struct Evaluations {
    /// The position as FEN.
    pub fen: String,
    /// The values of the first network: one value, or the values of win, draw and loss.
    pub first: Vec<i32>,
    /// The values of the second network, in the same form.
    pub second: Vec<i32>,
}

impl Difference {
    /// Compares two files, and their evaluations of some positions, each as it was given for the
    /// networks of both. If nothing tells the stack, stack 0 is used.
    ///
    /// # Errors
    ///
    /// [`Error::Load`] if weights cannot be loaded.
    pub fn of(files: [&NetFile; 2], positions: &[[Given; 2]]) -> Result<Difference, Error> {
        let [first, second] = files;
        let tensors = compare(tensors::of_file(first)?, tensors::of_file(second)?);
        let evaluations: Vec<Evaluations> = if positions.is_empty() {
            Vec::new()
        } else {
            let nets = [first.net()?, second.net()?];
            let positions = positions.iter();
            positions.map(|given| evaluate(&nets, given)).collect()
        };
        let of_tensors = tensors.iter().any(|tensor| tensor.differing != Some(0));
        let of_values = evaluations
            .iter()
            .any(|values| values.first != values.second);
        Ok(Difference {
            files: files.map(|file| file.path.display().to_string()),
            networks: files.map(|file| file.network.name.clone()),
            tensors,
            evaluations,
            differ: of_tensors || of_values,
            same_bytes: first.bytes == second.bytes,
        })
    }
}

fn compare(first: Vec<Values>, mut second: Vec<Values>) -> Vec<TensorDifference> {
    let mut found = Vec::new();
    for own in first {
        let index = second.iter().position(|other| other.name == own.name);
        let other = index.map_or(Vec::new(), |index| second.remove(index).numbers);
        found.push(TensorDifference::of(own.name, &own.numbers, &other));
    }
    let others = second.into_iter();
    found.extend(others.map(|other| TensorDifference::of(other.name, &[], &other.numbers)));
    found
}

impl TensorDifference {
    fn of(name: String, first: &[f64], second: &[f64]) -> TensorDifference {
        let pairs = || first.iter().zip(second).filter(|(one, other)| one != other);
        let are_alike = first.len() == second.len();
        TensorDifference {
            name,
            values: [first.len(), second.len()],
            differing: are_alike.then(|| pairs().count()),
            largest: are_alike.then(|| {
                let distances = pairs().map(|(one, other)| (one - other).abs());
                distances.fold(0.0, f64::max)
            }),
        }
    }
}

fn evaluate([first, second]: &[Net; 2], [given, of_second]: &[Given; 2]) -> Evaluations {
    let values = |net: &Net, given: &Given| {
        let sums = given.accumulate(net);
        let trace = net.trace(&sums, given.side_to_move, given.stack.unwrap_or(0));
        let outputs = trace.evaluation.outputs();
        outputs.iter().map(|output| output.value).collect()
    };
    Evaluations {
        fen: given.text.clone(),
        first: values(first, given),
        second: values(second, of_second),
    }
}
