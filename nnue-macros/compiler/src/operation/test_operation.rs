//! An activation that exists only in tests, of this crate and of others: they show that code
//! refuses an operation by name if it does not know it. No spec can name it.
//!
//! It is `min(|x| >> shift, limit)` and exists for integers only.

use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, Function, IntegerForm, ShiftedValue,
    shifted_right,
};
use super::{Activation, Op, OpName};
use crate::check;
use crate::decode;
use crate::diagnostics::{Diagnostics, SourceFile};
use crate::network::Network;
use crate::spec::Spec;

pub(super) const DEFINITION: Definition = Definition {
    name: "test_operation",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Value,
        most_left: 0,
        one: DefaultOne::Usual,
        limit: DefaultLimit::One,
        rounds: false,
        function,
    }),
    floats: None,
};

/// `min(|x| >> shift, limit)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestOperation {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// The largest result, at least 1.
    pub limit: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.limit);
    let activation = Activation::TestOperation(TestOperation { shift, limit });
    (activation, (0, limit.into()))
}

impl Function for TestOperation {
    fn name(&self) -> &'static str {
        "test_operation"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        format!("min({}, {})", shifted_right("|x|", self.shift), self.limit)
    }
}

/// A network whose layer `ac_0` has another activation.
const SPEC: &str = r#"
name = "with-test-operation"

[[features]]
set = "A"

[transformer]
width = 16
one = 127
activation = "crelu"
order = "stm-first"

[[layer]]
name = "fc_0"
op = "affine"
outputs = 8
weights = "i8"
one = 8128

[[layer]]
name = "ac_0"
op = "crelu"
shift = 6

[[layer]]
name = "fc_1"
op = "affine"
outputs = 1
weights = "i8"
one = 9600

[output]
sum = ["fc_1"]
one = 9600
divide = 16

[file]
format = "stockfish"
transformer_hash = 1
version = 0x7AF32F20
"#;

/// A network whose layer `ac_0` has this operation, and its spec.
///
/// # Panics
///
/// Never: nothing is wrong with the spec.
#[must_use]
pub fn network() -> (Spec, Network) {
    let mut diagnostics = Diagnostics::default();
    let spec = decode(&SourceFile::new("test.toml", SPEC), &mut diagnostics);
    let mut spec = spec.expect("it is a spec");
    for layer in &mut spec.layers {
        if let Op::Activations(keys) = &mut layer.op {
            let functions = keys.functions.iter_mut();
            functions
                .filter(|function| function.value == OpName::Crelu)
                .for_each(|function| function.value = OpName::TestOperation);
        }
    }
    let network = check(&spec, &mut diagnostics).expect("nothing is wrong with it");
    (spec, network)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network;
    use crate::plan::Unroll;
    use crate::spec::Named;
    use crate::{Levels, Options, diagram, emit};

    #[test]
    fn the_compiler_follows_from_its_file() {
        let (_, network) = network();
        let shown = diagram(&network);
        assert!(shown.contains("min(|x| >> 6, 127), x = fc_0"), "{shown}");
        let network::Op::Elementwise(elementwise) = &network.layers[1].op else {
            panic!("it is no affine layer");
        };
        let super::super::Elementwise::Activations(activations) = elementwise else {
            panic!("it is an activation");
        };
        assert_eq!(activations[0].name(), "test_operation");
        assert_eq!(activations[0].parameter("shift"), Some(6));
        assert_eq!(activations[0].parameter("limit"), Some(127));
        assert_eq!(activations[0].parameter("slope"), None);
        assert_eq!(network.layers[1].output.range, (0, 127));
        let options = Options::new(Unroll::Auto, Levels::Portable);
        let code = emit(&network, &options).expect("it is little code");
        let call = "activation :: test_operation :: < u8 , 16 >";
        assert!(code.to_string().contains(call), "{code}");
    }

    #[test]
    fn no_spec_can_name_it() {
        assert!(
            OpName::NAMES
                .iter()
                .all(|(name, _)| *name != "test_operation")
        );
        assert!(OpName::TestOperation.is_activation());
    }
}
