//! Functions of programs for bullet. They contain those of them that they use, with their text in
//! this file.

/// Rows with what all buckets have in common added to each of them.
fn merged(rows: Vec<f32>, common: &[f32], buckets: usize) -> Vec<f32> {
    rows.into_iter().zip(common.repeat(buckets)).map(|(row, common)| row + common).collect()
}

/// Values times a factor, or times one factor for each output in turn.
fn scaled(values: Vec<f32>, factors: &[f32]) -> Vec<f32> {
    values.into_iter().zip(factors.iter().cycle()).map(|(value, factor)| value * factor).collect()
}

/// Values in another order: of each axis, from the outermost one, how many values there are, and
/// how far apart they are in `values`.
fn arranged(values: &[f32], axes: &[(usize, usize)]) -> Vec<f32> {
    match axes {
        [] => vec![values[0]],
        [(len, step)] => values.iter().step_by(*step).take(*len).copied().collect(),
        [(len, step), inner @ ..] => {
            (0..*len).flat_map(|index| arranged(&values[index * step..], inner)).collect()
        }
    }
}

/// Neurons as the engine pairs them: in each block of the pooled ones, the first half with the
/// second. In the graph, these are the halves of all pooled neurons.
fn paired(values: Vec<f32>, width: usize, pooled: usize, block: usize) -> Vec<f32> {
    let half = block / 2;
    let place = |neuron: usize| match neuron < pooled {
        true => neuron % block / half * (pooled / 2) + neuron / block * half + neuron % half,
        false => neuron,
    };
    values.chunks(width).flat_map(|row| (0..width).map(|neuron| row[place(neuron)])).collect()
}

/// Values with zeros behind each run of `len`, so that it has `padded` of them.
fn padded(values: Vec<f32>, len: usize, padded: usize) -> Vec<f32> {
    let zeros = vec![0.0; padded - len];
    values.chunks(len).flat_map(|run| run.iter().chain(&zeros).copied().collect::<Vec<_>>()).collect()
}

/// A matrix with the columns of `a`, then those of `b`.
fn beside<'a>(a: ModelNode<'a>, b: ModelNode<'a>) -> ModelNode<'a> {
    let column = |x: ModelNode<'a>| x.reshape((x.shape().size(), 1));
    let columns = a.shape().cols() + b.shape().cols();
    column(a).concat(column(b)).reshape((a.shape().rows(), columns))
}
