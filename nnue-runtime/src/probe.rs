//! What the check of generated code sees of a forward pass. Only code that is compiled with
//! `check = "wiring"` has it: in engines nothing calls a probe.

use crate::architecture::Architecture;
use crate::level::Level;
use crate::proof::Proved;

/// A network whose code was compiled to be checked.
#[diagnostic::on_unimplemented(
    message = "the code of `{Self}` was not compiled to be checked",
    label = "this network shows no values of its layers",
    note = "say so in the macro: `nnue_net!(\"specs/my-net.toml\", check = \"wiring\")`"
)]
pub trait Probed: Architecture {
    /// The text of the spec.
    const SPEC: &'static str;

    /// The values of an accumulator, a value for each neuron, and the PSQT sums, to be changed.
    fn sums(half: &mut Self::Half) -> (&mut [i16], &mut [i32]);
    /// [`Architecture::propagate`], which shows the values of each layer to a probe.
    fn propagate_probed(
        level: Level,
        stacks: &Self::Stacks,
        halves: [&Self::Half; 2],
        bucket: usize,
        proved: Proved,
        probe: &mut dyn Probe,
    ) -> Self::Output;
}

/// What is called with the values of each layer as soon as these are computed. It may change them
/// before the next layer reads them.
pub trait Probe {
    /// The values of the layer of an index, followed by those of padding. Where the layer has
    /// several functions, the results of each begin `stride` values behind those of the one before
    /// it.
    fn layer(&mut self, index: usize, stride: usize, values: Values<'_>);
}

/// Values of a layer, as kernels have them.
#[derive(Debug)]
pub enum Values<'a> {
    /// Bytes.
    U8(&'a mut [u8]),
    /// Words.
    I16(&'a mut [i16]),
    /// Integers of 32 bits.
    I32(&'a mut [i32]),
    /// Sums of 64 bits.
    I64(&'a mut [i64]),
    /// Floating point.
    F32(&'a mut [f32]),
}
