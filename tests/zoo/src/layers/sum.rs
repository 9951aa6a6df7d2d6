//! Sums of layers, and how ones are brought together.

use nnue_compiler::network::{Element, One, Tensor};
use nnue_compiler::spec::Align;

use super::{Graph, Part};

impl Graph<'_> {
    /// A layer that adds these up; `activated` says that its one must suit an activation.
    pub(super) fn sum(&mut self, terms: &[Part], activated: bool) -> Part {
        let element = self.element(terms[0]);
        let ones: Vec<One> = terms.iter().map(|term| self.one(*term)).collect();
        let len = terms[0].len;
        self.layer("sum", &["sum"]);
        self.read(terms);
        if element == Element::F32 {
            return self.push(Tensor {
                len,
                element,
                one: One::Tensor(1),
                range: (0, 0),
            });
        }
        let shared = ones[0]
            .shared()
            .filter(|_| ones.iter().all(|one| *one == ones[0]));
        let one = match shared {
            Some(one) if !self.dice.once_in(4) => one,
            _ => {
                let one = self.one_near(u64::from(ones[0].at(0)), !activated);
                self.toml.set("one", one);
                one
            }
        };
        self.align(shared != Some(one));
        self.push(Tensor {
            len,
            element: Element::I32,
            one: One::Tensor(one),
            range: (i64::from(i32::MIN), i64::from(i32::MAX)),
        })
    }

    /// A layer that brings these to another one.
    pub(crate) fn aligned(&mut self, part: Part, one: u32) -> Part {
        self.layer("aligned", &["sum"]);
        self.read(&[part]);
        self.toml.set("one", one);
        self.toml.name("align", Align::Exact);
        self.push(Tensor {
            len: part.len,
            element: Element::I32,
            one: One::Tensor(one),
            range: (i64::from(i32::MIN), i64::from(i32::MAX)),
        })
    }

    /// The keys of an alignment, if there must be one.
    pub(crate) fn align(&mut self, needed: bool) {
        if !needed && !self.dice.once_in(8) {
            return;
        }
        let align = self.dice.name::<Align>();
        self.toml.name("align", align);
        if align == "shift" {
            if self.dice.once_in(2) {
                self.toml.set("bits", self.dice.pick(&[8, 10, 16, 24]));
            }
            if self.dice.once_in(2) {
                self.toml
                    .set("error", self.dice.pick(&["0.5", "0.01", "0.001"]));
            }
        }
    }
}
