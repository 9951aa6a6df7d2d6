//! `[output]` and `[[head]]` of random networks: everything that nothing else reads becomes a term
//! of the output.

use nnue_compiler::network::Element;
use nnue_compiler::spec::{DivideOf, Rounding};

use super::dice::Dice;
use super::layers::{Graph, Part};
use super::toml::Toml;

/// A single element, added or subtracted.
struct Term {
    part: Part,
    negative: bool,
}

impl Graph<'_> {
    /// Draws the table `[output]` and those of further heads, and says whether PSQT values can be
    /// part of the output.
    pub(super) fn output(mut self, last: Part) -> (Toml, bool) {
        let parts = self.terms(last);
        let is_float = self.element(last) == Element::F32;
        let heads = if self.dice.once_in(4) { 3 } else { 1 };
        let mut terms: Vec<Vec<Term>> = (0..heads).map(|_| Vec::new()).collect();
        for (index, part) in parts.iter().enumerate() {
            let term = Term {
                part: *part,
                negative: self.dice.once_in(4),
            };
            terms[index % heads].push(term);
        }
        for head in &mut terms {
            if head.is_empty() || self.dice.once_in(6) {
                head.push(Term {
                    part: self.element_of(last),
                    negative: self.dice.once_in(4),
                });
            }
        }
        self.toml.table("[output]");
        let keys: &[&str] = if heads == 3 {
            &["win", "draw", "loss"]
        } else {
            &["sum"]
        };
        for (key, head) in keys.iter().zip(&terms) {
            let names: Vec<String> = head.iter().map(|term| self.term(term)).collect();
            self.toml.names(key, &names);
        }
        for term in terms.iter().flatten() {
            self.mark(term.part);
        }
        let mut aside = self.dice.aside_for("head");
        let further = self.further_terms(last, &mut aside);
        let unread: Vec<String> = self
            .unread()
            .into_iter()
            .map(|part| self.reference(part))
            .collect();
        if !unread.is_empty() {
            self.toml.names("unread", &unread);
        }
        if is_float {
            if !self.dice.once_in(4) {
                self.toml
                    .set("scale", self.dice.pick(&["400", "173.5", "\"1200 / 7\""]));
            }
            self.further_heads(&further, aside);
            return (self.toml, false);
        }
        let ones: Vec<u32> = terms
            .iter()
            .flatten()
            .map(|term| self.one(term.part).at(0))
            .collect();
        if self.element(last) == Element::I64 {
            self.toml.set("one", ones[0]);
            self.units();
            return (self.toml, false);
        }
        let one = if self.dice.once_in(3) {
            self.dice.pick(&[9600, 8128, 16384])
        } else {
            ones[0]
        };
        self.toml.set("one", one);
        self.align(ones.iter().any(|own| *own != one));
        self.units();
        self.further_heads(&further, aside);
        (self.toml, true)
    }

    /// The terms of further heads.
    fn further_terms(&mut self, last: Part, dice: &mut Dice) -> Vec<Term> {
        let count = if dice.once_in(6) {
            dice.within(1..=2)
        } else {
            0
        };
        let terms: Vec<Term> = (0..count)
            .map(|_| Term {
                part: last.at(dice.within(0..=last.len - 1)),
                negative: dice.once_in(4),
            })
            .collect();
        for term in &terms {
            self.mark(term.part);
        }
        terms
    }

    /// Draws a table for each term.
    fn further_heads(&mut self, terms: &[Term], mut dice: Dice) {
        for (term, name) in terms.iter().zip(["uncertainty", "moves_2"]) {
            self.toml.table("[[head]]");
            self.toml.name("name", name);
            let sum = self.term(term);
            self.toml.name("sum", sum);
            if self.element(term.part) == Element::F32 {
                if dice.once_in(2) {
                    self.toml
                        .set("scale", dice.pick(&["100", "0.25", "\"1 / 3\""]));
                }
                continue;
            }
            self.toml.set("one", self.one(term.part).at(0));
            if dice.once_in(3) {
                self.toml.set("scale", dice.pick(&[100, 1000]));
            } else if dice.once_in(2) {
                self.toml.set("multiply", dice.pick(&[7, 1_000_003]));
                self.toml.set("divide", dice.within(2..=5000));
                self.toml.name("rounding", dice.name::<Rounding>());
            }
        }
    }

    /// Single elements of the last layer and of values that nothing else reads, all integers or all
    /// floating point.
    fn terms(&mut self, last: Part) -> Vec<Part> {
        let is_float = self.element(last) == Element::F32;
        let mut parts: Vec<Part> = self
            .ends()
            .into_iter()
            .filter(|part| *part != last)
            .collect();
        parts.append(&mut self.skips);
        let elements: Vec<Part> = parts
            .into_iter()
            .map(|part| self.element_of(part))
            .collect();
        let mut terms = vec![self.element_of(last)];
        for part in elements {
            // After floating point there are no integers, so only integers may have to be
            // converted.
            let converted = is_float && self.element(part) != Element::F32;
            // Beside sums of 64 bits, nothing is aligned.
            let aligned = self.element(last) == Element::I64 && self.one(part) != self.one(last);
            terms.push(match (converted, aligned) {
                (true, _) => self.float(part),
                (_, true) => self.aligned(part, self.one(last).at(0)),
                _ => part,
            });
        }
        terms
    }

    fn term(&mut self, term: &Term) -> String {
        let sign = if term.negative { "-" } else { "" };
        format!("{sign}{}", self.reference(term.part))
    }

    fn units(&mut self) {
        let mut aside = self.dice.aside_for("multiply");
        let choice = self.dice.within(0..=4);
        if choice != 3 && aside.once_in(6) {
            self.toml
                .set("multiply", aside.pick(&[2, 59, 400, 1_000_003]));
        }
        match choice {
            0 => self.toml.set("divide", self.dice.within(2..=64)),
            1 | 2 => {
                let (by, of) = (self.dice.within(1..=40), self.dice.name::<DivideOf>());
                self.toml
                    .set("divide", format_args!("{{ by = {by}, of = \"{of}\" }}"));
            }
            3 => self.toml.set("scale", self.dice.pick(&[100, 400, 600])),
            _ => return,
        }
        if self.dice.once_in(2) {
            self.toml.name("rounding", self.dice.name::<Rounding>());
        }
    }
}
