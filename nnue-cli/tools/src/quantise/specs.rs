//! The specs of a quantisation, while keys of them are changed.

use nnue_compiler::diagnostics::{Diagnostics, SourceFile};
use nnue_compiler::network::Network;
use nnue_compiler::{check, decode, spec};

use super::edit::{Change, Edited, Part, edit, edit_aligned, edit_followed};
use super::source;
use crate::nets::specs::Spec;

/// A spec that was checked, and the network that it describes.
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

/// The spec of the floating point, and the spec of the file of integers if that is another spec.
#[derive(Clone)]
pub(super) struct Specs {
    of_input: Checked,
    of_output: Option<Checked>,
    /// The network of the file of floating point.
    pub(super) source: Network,
    /// The changes that were made so far.
    pub(super) changes: Vec<Change>,
}

impl Specs {
    /// The specs that the user gives, which were checked before.
    pub(super) fn read(input: &Spec, output: Option<&Spec>) -> Option<Specs> {
        let read = |spec: &Spec| {
            let text = SourceFile::new(spec.choice.to_string(), &*spec.text);
            Checked::of(decode(&text, &mut Diagnostics::default())?)
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

    /// The network of the floating point, and that of the file of integers if it is another
    /// network.
    pub(super) fn networks(&self) -> (&Network, Option<&Network>) {
        let output = self.of_output.as_ref().map(|output| &output.network);
        (&self.of_input.network, output)
    }

    /// The specs after an edit that makes the same changes in both; `None` if the edit is not
    /// possible, or makes a spec wrong.
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
        let changes = after(&self.changes, input.changes);
        Specs::with(Checked::of(input.spec)?, of_output, changes)
    }

    /// The specs with another `one` of a part, and with `align` for outputs that need it then.
    pub(super) fn with_one(&self, part: Part, one: i64) -> Option<Specs> {
        let edited = self.edited(|spec, network| edit(spec, network, part, one));
        edited.or_else(|| self.edited(|spec, network| edit_aligned(spec, network, part, one)))
    }

    /// The specs with another `one` of the transformer, in which layers keep the `one` of their
    /// weights.
    pub(super) fn with_followed(&self, one: i64) -> Option<Specs> {
        self.edited(|spec, network| edit_followed(spec, network, one))
    }
}

/// Combines changes with later changes. Each key is there once, with its first and its last value.
fn after(first: &[Change], then: Vec<Change>) -> Vec<Change> {
    let mut changes = first.to_vec();
    for later in then {
        let same = |own: &&mut Change| own.table == later.table && own.key == later.key;
        match changes.iter_mut().find(same) {
            Some(own) => own.to = later.to,
            None => changes.push(later),
        }
    }
    changes.retain(|change| change.from.as_ref() != Some(&change.to));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_change_twice_are_told_once() {
        let change = |key, from: Option<&str>, to: &str| Change {
            table: "[transformer]".into(),
            key,
            from: from.map(String::from),
            to: to.into(),
        };
        let first = [change("one", Some("1"), "2"), change("align", None, "3")];
        let then = vec![change("align", Some("3"), "4"), change("limit", None, "5")];
        let all = after(&first, then);
        let expected = [
            change("one", Some("1"), "2"),
            change("align", None, "4"),
            change("limit", None, "5"),
        ];
        assert_eq!(all, expected);
        // A change that is undone is no change.
        assert_eq!(after(&all[..1], vec![change("one", Some("2"), "1")]), []);
    }
}
