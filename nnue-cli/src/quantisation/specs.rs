//! The specs of a quantisation, while keys of them are changed.

use nnue_compiler::diagnostics::Diagnostics;
use nnue_compiler::network::Network;
use nnue_compiler::{check, decode, spec};

use super::edit::{Change, Edited, Part, edit, edit_aligned};
use super::source;

/// A spec that is right, and the network that it describes.
#[derive(Clone)]
struct Checked {
    spec: spec::Spec,
    network: Network,
}

impl Checked {
    fn of(spec: spec::Spec) -> Option<Checked> {
        let network = check(&spec, &mut Diagnostics::default())?;
        Some(Checked { spec, network })
    }
}

/// The spec of the floating point, and that of the file of integers where it is another one.
#[derive(Clone)]
pub(super) struct Specs {
    of_input: Checked,
    of_output: Option<Checked>,
    /// The network of the file of floating point.
    pub(super) source: Network,
    /// What was changed so far.
    pub(super) changes: Vec<Change>,
}

impl Specs {
    /// Those that the user gives, which were checked before.
    pub(super) fn read(input: &super::Spec, output: Option<&super::Spec>) -> Option<Specs> {
        let read = |spec: &super::Spec| {
            let spec = decode(&spec.text, &mut Diagnostics::default())?;
            Checked::of(spec)
        };
        let of_output = match output {
            None => None,
            Some(spec) => Some(read(spec)?),
        };
        Specs::with(read(input)?, of_output, Vec::new())
    }

    fn with(of_input: Checked, of_output: Option<Checked>, changes: Vec<Change>) -> Option<Specs> {
        let target = of_output.as_ref().map(|output| &output.network);
        let source = source::network(&of_input.network, target).ok()?;
        Some(Specs {
            of_input,
            of_output,
            source,
            changes,
        })
    }

    /// The spec of the floating point.
    pub(super) fn spec(&self) -> &spec::Spec {
        &self.of_input.spec
    }

    /// The networks of both: of the floating point, and of the integers where that is another one.
    pub(super) fn networks(&self) -> (&Network, Option<&Network>) {
        let output = self.of_output.as_ref().map(|output| &output.network);
        (&self.of_input.network, output)
    }

    /// The specs after an edit that makes the same changes in both; `None` where it cannot be made,
    /// or makes one of them wrong.
    pub(super) fn edited(
        &self,
        edit: impl Fn(&spec::Spec, &Network) -> Option<Edited>,
    ) -> Option<Specs> {
        let edited = |before: &Checked| edit(&before.spec, &before.network);
        let input = edited(&self.of_input)?;
        let of_output = match &self.of_output {
            None => None,
            Some(before) => {
                let same = edited(before)?;
                (same.changes == input.changes).then_some(())?;
                Some(Checked::of(same.spec)?)
            }
        };
        let changes = self.changes.iter().cloned().chain(input.changes);
        let changes = changes.collect();
        Specs::with(Checked::of(input.spec)?, of_output, changes)
    }

    /// The specs with another one of a part, and with `align` where outputs that read it need it.
    pub(super) fn with_one(&self, part: Part, one: i64) -> Option<Specs> {
        let edited = self.edited(|spec, network| edit(spec, network, part, one));
        edited.or_else(|| self.edited(|spec, network| edit_aligned(spec, network, part, one)))
    }
}
