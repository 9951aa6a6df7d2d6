//! Histograms of tensors.

use nnue_compiler::network::{Element, Layer, WeightType};
use nnue_interpreter::{Net, Values};

/// How many bars a histogram has.
pub(super) const BARS: usize = 256;

/// A histogram of a tensor's values, for all stacks together, in bars of the same width.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The name of the tensor.
    pub name: String,
    /// The smallest and the largest value.
    pub range: (f64, f64),
    /// The limits of the type; `None` for floating point.
    pub limits: Option<(f64, f64)>,
    /// The integer for 1.0, if all values have the same.
    pub one: Option<f64>,
    /// The values at the left and at the right end.
    pub(super) ends: (f64, f64),
    pub(super) counts: Vec<u64>,
}

impl Histogram {
    fn of(
        name: String,
        values: impl Iterator<Item = f64> + Clone,
        limits: Option<(f64, f64)>,
        one: Option<f64>,
    ) -> Option<Histogram> {
        let low = values.clone().reduce(f64::min)?;
        let high = values.clone().reduce(f64::max)?;
        // A limit near the values is shown.
        let mut ends = (low, high);
        if let Some((least, most)) = limits {
            if low < 0.0 && least >= 2.0 * low {
                ends.0 = least;
            }
            if high > 0.0 && most <= 2.0 * high {
                ends.1 = most;
            }
        }
        let mut histogram = Histogram {
            name,
            range: (low, high),
            limits,
            one,
            ends,
            counts: vec![0; BARS],
        };
        for value in values {
            let bar = histogram.bar(value);
            histogram.counts[bar] += 1;
        }
        Some(histogram)
    }

    /// How many values the tensor has.
    pub fn values(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The bar to which a value belongs.
    pub(super) fn bar(&self, value: f64) -> usize {
        let (low, high) = self.ends;
        if high <= low {
            return BARS / 2;
        }
        let place = (value - low) / (high - low) * (BARS - 1) as f64;
        (place.round().max(0.0) as usize).min(BARS - 1)
    }

    /// The bars of the type's limits that are between the ends.
    pub(super) fn limit_bars(&self) -> Vec<usize> {
        let (low, high) = self.ends;
        let limits = self
            .limits
            .into_iter()
            .flat_map(|(least, most)| [least, most]);
        let shown = limits.filter(|limit| (low..=high).contains(limit));
        shown.map(|limit| self.bar(limit)).collect()
    }
}

/// A histogram for each tensor: first those of the transformer, then those of the layers.
pub(super) fn histograms(net: &Net) -> Vec<Histogram> {
    let network = net.network();
    let width = network.transformer.width;
    let one = f64::from(network.transformer.one);
    let mut histograms = Vec::new();
    let mut first_row = 0;
    let tables = || net.weights().transformer.iter();
    for set in &network.features {
        let rows = first_row * width..(first_row + set.rows) * width;
        let values = tables().flat_map(|table| table.rows[rows.clone()].iter());
        let values = values.copied().map(f64::from);
        let name = format!("transformer.weights of {}", set.name);
        // The sums of rows and virtual rows may be larger than the type of each in the file.
        let element = if set.factors.is_some() {
            Element::I16
        } else {
            set.element
        };
        let one = one / f64::from(1 << set.shift);
        histograms.push(Histogram::of(name, values, limits(element), Some(one)));
        first_row += set.rows;
    }
    let biases = tables().flat_map(|table| table.biases.iter());
    let biases = biases.copied().map(f64::from);
    let name = "transformer.biases".to_string();
    histograms.push(Histogram::of(name, biases, limits(Element::I16), Some(one)));
    let psqt = tables().flat_map(|table| table.psqt.iter().copied().map(f64::from));
    histograms.push(Histogram::of(
        "transformer.psqt".into(),
        psqt,
        limits(Element::I32),
        Some(network.psqt_one().into()),
    ));
    for (index, layer) in network.layers.iter().enumerate() {
        let Some(affine) = layer.affine() else {
            continue;
        };
        let used = if layer.shared {
            1
        } else {
            network.stacks.count
        };
        let stacks = net.weights().stacks.iter().take(used);
        let tables: Vec<_> = stacks.filter_map(|stack| stack[index].as_ref()).collect();
        let element = match affine.weights {
            WeightType::Binary | WeightType::I8 => Element::I8,
            WeightType::I16 => Element::I16,
            WeightType::I32 => Element::I32,
            WeightType::F32 => Element::F32,
        };
        let values: Vec<f64> = tables
            .iter()
            .flat_map(|own| numbers(&own.weights))
            .collect();
        let name = format!("{}.weights", layer.name);
        let one = layer.weights_one();
        let one = one.map(|(numerator, denominator)| numerator as f64 / denominator as f64);
        histograms.push(Histogram::of(
            name,
            values.iter().copied(),
            limits(element),
            one,
        ));
        if affine.biases {
            let values: Vec<f64> = tables.iter().flat_map(|own| numbers(&own.biases)).collect();
            let name = format!("{}.biases", layer.name);
            histograms.push(Histogram::of(
                name,
                values.iter().copied(),
                limits(layer.output.element),
                one_of_biases(layer),
            ));
        }
    }
    histograms.into_iter().flatten().collect()
}

fn one_of_biases(layer: &Layer) -> Option<f64> {
    let is_float = layer.output.element.is_float();
    let one = layer.output.one.shared().filter(|_| !is_float)?;
    Some(one.into())
}

fn numbers(values: &Values) -> Vec<f64> {
    match values {
        Values::Integers(values) => values.iter().map(|value| *value as f64).collect(),
        Values::Floats(values) => values.iter().copied().map(f64::from).collect(),
    }
}

fn limits(element: Element) -> Option<(f64, f64)> {
    let (least, most) = element.limits()?;
    Some((least.into(), most.into()))
}
