//! A network's tensors, by the names that messages have for them.

use nnue_format::{self as file, TensorView};

use crate::architecture::Architecture;
use crate::network::Network;

impl<A: Architecture> Network<A> {
    /// A tensor by its name; `None` if the net file has no tensor of this name. Error messages,
    /// `nnue describe` and the documentation of the module's type `Net` have the names.
    ///
    /// Tensors that the evaluation does not use (`kept` in the spec) are among them, so that an
    /// engine can read what else its file has.
    ///
    /// Numbers are those of the net file, as [`write`](Self::write) writes them. They do not depend
    /// on the level, nor on where the weights live.
    ///
    /// This is for tools and tests, not for kernels: every number is looked up and converted.
    /// Nothing is copied, except where values in memory are sums with virtual rows or with weights
    /// that stacks share: all numbers of the file are then computed at once.
    ///
    /// ```
    /// # mod small128 {
    /// #     nnue_runtime::nnue_net!("../specs/small128.toml");
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use nnue_runtime::file::Element;
    ///
    /// let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
    /// let weights = net.tensor("transformer.weights").ok_or("no such tensor")?;
    /// assert_eq!(weights.shape(), [1, 22528, small128::WIDTH]);
    /// assert_eq!(weights.element(), Element::I16);
    /// // Bucket, row (the feature) and column (the neuron).
    /// assert_eq!(weights.get([0, 22527, 127]), Some(18.0));
    /// assert_eq!(weights.get([0, 22528, 127]), None);
    ///
    /// // Layers have a bucket for each stack, rows of outputs and columns of inputs.
    /// let layer = net.tensor("fc_0.weights").ok_or("no such tensor")?;
    /// assert_eq!(layer.shape(), [8, 16, 128]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<TensorView<'_>> {
        let (packed, weights) = self.laid_out();
        file::tensor(A::FILE, packed, weights, &self.loaded, name)
    }

    /// All tensors, in the order of the layout: those that the file has once, then those of the
    /// stacks. [`tensor`](Self::tensor) describes their numbers.
    pub fn tensors(&self) -> impl Iterator<Item = TensorView<'_>> {
        let (packed, weights) = self.laid_out();
        file::tensors(A::FILE, packed, weights, &self.loaded)
    }
}
