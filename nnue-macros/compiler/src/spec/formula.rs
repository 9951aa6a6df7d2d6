//! Formulas over the number of pieces: `(n - 1) / 4`, `min((63 - n) * (32 - n) / 225, 7)`.

use std::iter::Peekable;
use std::str::Chars;

/// A formula, ready to be evaluated for any number of pieces.
pub(crate) enum Formula {
    Pieces,
    Number(i64),
    Binary(Box<Formula>, Operator, Box<Formula>),
}

pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
}

impl Formula {
    /// The value of the formula in floating point; `None` if it depends on the number of pieces.
    fn number(&self) -> Option<f64> {
        match self {
            Formula::Pieces => None,
            Formula::Number(number) => Some(*number as f64),
            Formula::Binary(left, operator, right) => {
                let (left, right) = (left.number()?, right.number()?);
                Some(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                    Operator::Min => left.min(right),
                    Operator::Max => left.max(right),
                })
            }
        }
    }

    /// The value of the formula for `n` pieces; `None` on a division by zero or beyond 64 bits.
    /// Divisions truncate.
    pub(crate) fn evaluate(&self, n: i64) -> Option<i64> {
        match self {
            Formula::Pieces => Some(n),
            Formula::Number(number) => Some(*number),
            Formula::Binary(left, operator, right) => {
                let (left, right) = (left.evaluate(n)?, right.evaluate(n)?);
                match operator {
                    Operator::Add => left.checked_add(right),
                    Operator::Subtract => left.checked_sub(right),
                    Operator::Multiply => left.checked_mul(right),
                    Operator::Divide => left.checked_div(right),
                    Operator::Min => Some(left.min(right)),
                    Operator::Max => Some(left.max(right)),
                }
            }
        }
    }
}

/// The value of a formula of numbers alone, in floating point; the error completes the sentence
/// "the formula ...".
pub(crate) fn number(text: &str) -> Result<f64, String> {
    parse(text)?
        .number()
        .ok_or("contains `n`, expected only numbers".to_string())
}

/// Parses a formula; the error completes the sentence "the formula ...".
pub(crate) fn parse(text: &str) -> Result<Formula, String> {
    if text.len() > MAX_LEN {
        return Err(format!("has {} bytes, allowed are {MAX_LEN}", text.len()));
    }
    let mut parser = Parser {
        rest: text.chars().peekable(),
    };
    let formula = parser.sum()?;
    match parser.next() {
        None => Ok(formula),
        Some(found) => Err(format!(
            "has `{found}` where `+`, `-`, `*`, `/` or its end was expected"
        )),
    }
}

/// The largest length of a formula, in bytes. It is longer than a person's formulas, and too short
/// for nesting so deep that the stack overflows.
const MAX_LEN: usize = 256;

/// The words of errors for the operands of an operator.
const ATOM: &str = "`n`, a number, `(`, `min(` or `max(`";

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|c| c.is_whitespace()).is_some() {}
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        self.peek();
        self.rest.next()
    }

    fn expect(&mut self, expected: char) -> Result<(), String> {
        match self.next() {
            Some(found) if found == expected => Ok(()),
            Some(found) => Err(format!("has `{found}` where `{expected}` was expected")),
            None => Err(format!("ends where `{expected}` was expected")),
        }
    }

    fn sum(&mut self) -> Result<Formula, String> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-' | '−') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.next();
            left = Formula::Binary(Box::new(left), operator, Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Formula, String> {
        let mut left = self.atom()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                _ => return Ok(left),
            };
            self.next();
            left = Formula::Binary(Box::new(left), operator, Box::new(self.atom()?));
        }
    }

    fn atom(&mut self) -> Result<Formula, String> {
        match self.peek() {
            Some('(') => {
                self.next();
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.word(),
            Some(found) => Err(format!("has `{found}` where {ATOM} was expected")),
            None => Err(format!("ends where {ATOM} was expected")),
        }
    }

    fn number(&mut self) -> Result<Formula, String> {
        let digits = self.take(|c| c.is_ascii_digit());
        digits
            .parse()
            .map(Formula::Number)
            .map_err(|_| format!("has the number {digits}, which does not fit in 64 bits"))
    }

    fn word(&mut self) -> Result<Formula, String> {
        let operator = match self.take(|c| c.is_ascii_alphanumeric()).as_str() {
            "n" => return Ok(Formula::Pieces),
            "min" => Operator::Min,
            "max" => Operator::Max,
            word => return Err(format!("has `{word}` where {ATOM} was expected")),
        };
        self.expect('(')?;
        let left = self.sum()?;
        self.expect(',')?;
        let right = self.sum()?;
        self.expect(')')?;
        Ok(Formula::Binary(Box::new(left), operator, Box::new(right)))
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.rest.next_if(|c| wanted(*c)) {
            taken.push(c);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(text: &str, n: i64) -> Option<i64> {
        parse(text).ok().and_then(|formula| formula.evaluate(n))
    }

    #[test]
    fn formulas_of_the_field() {
        assert_eq!(evaluate("(n - 1) / 4", 32), Some(7));
        assert_eq!(evaluate("(n-1)/4", 4), Some(0));
        assert_eq!(evaluate("min((63 - n) * (32 - n) / 225, 7)", 2), Some(7));
        assert_eq!(evaluate("max(n - 2, 0) / 4", 1), Some(0));
        assert_eq!(evaluate("2 + 3 * n", 4), Some(14));
        assert_eq!(evaluate("10 - 4 - 3", 0), Some(3));
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in [
            "",
            "(n",
            "n +",
            "m",
            "n n",
            "min(n)",
            "1 / ",
            "99999999999999999999",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&format!("n{}", "+1".repeat(100_000))).is_err());
        assert!(parse(&"(".repeat(MAX_LEN)).is_err());
        assert_eq!(evaluate("n / 0", 1), None);
        assert_eq!(evaluate("9223372036854775807 + n", 1), None);
    }
}
