//! What a net file of the network holds, in the order of the file. The place of each tensor in
//! memory is decided later, by [`mod@crate::layout`].

use nnue_format::{Format, Section, Tail};

pub use nnue_format::{Axis, AxisPart, Part, Role};

/// A tensor of a net file.
pub type Tensor = nnue_format::Tensor<()>;

/// The content that a net file must have. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// How the sections of the file are found.
    pub format: Format,
    /// The sections that the file has once, in the order of the file.
    pub sections: Vec<Section<Tensor>>,
    /// The groups of sections that follow them. Each group is there for all stacks before the next
    /// group begins.
    pub stack_groups: Vec<Vec<Section<Tensor>>>,
    /// The padding at the end of the file.
    pub tail: Tail,
}

impl File {
    /// All sections in the order of the file. The sections of a stack come once for each stack,
    /// with the number of the stack.
    pub fn all_sections(
        &self,
        stacks: usize,
    ) -> impl Iterator<Item = (Option<usize>, &Section<Tensor>)> {
        let once = self.sections.iter().map(|section| (None, section));
        let repeated = self.stack_groups.iter().flat_map(move |group| {
            let stacks = 0..stacks;
            stacks.flat_map(move |stack| group.iter().map(move |section| (Some(stack), section)))
        });
        once.chain(repeated)
    }

    /// All sections in the order of the file. The sections of a stack come for the first stack
    /// alone.
    pub fn sections_once(&self) -> impl Iterator<Item = &Section<Tensor>> + Clone {
        self.sections
            .iter()
            .chain(self.stack_groups.iter().flatten())
    }

    /// All tensors in the order of the file. Those of a stack come once.
    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> + Clone {
        self.sections_once().filter_map(Section::as_tensor)
    }
}
