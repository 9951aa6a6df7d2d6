//! The messages of ONNX's file format that a model of a network needs.
//!
//! The numbers of fields are those of `onnx.proto`, version 1.12 and later. All missing fields are
//! optional in the format.

use prost::bytes::{Buf, BufMut};
use prost::encoding::{self, DecodeContext, WireType};
use prost::{DecodeError, Message};

/// The version of ONNX's own set of operators.
pub(crate) const OPERATORS: i64 = 17;

/// The version of the file format that belongs to [`OPERATORS`].
pub(crate) const FORMAT: i64 = 8;

/// Types of numbers, as `TensorProto.DataType` counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum DataType {
    I8 = 3,
    I16 = 5,
    I32 = 6,
    I64 = 7,
}

/// Messages as structs. Of each field: its number, whether it is optional or repeated, its type in
/// the format, its name and its type. `prost` has a derive for it, which would be a second `syn` to
/// compile.
macro_rules! messages {
    ($(
        $(#[$message_doc:meta])*
        $message:ident {
            $($(#[$doc:meta])* $tag:literal $rule:ident $kind:ident $field:ident: $type:ty,)*
        }
    )*) => {$(
        $(#[$message_doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct $message {
            $($(#[$doc])* pub(crate) $field: $type,)*
        }

        impl Message for $message {
            fn encode_raw(&self, buffer: &mut impl BufMut) {
                $($rule!(encode $kind $tag, self.$field, buffer);)*
            }

            fn merge_field(
                &mut self,
                tag: u32,
                wire_type: WireType,
                buffer: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), DecodeError> {
                match tag {
                    $($tag => $rule!(merge $kind wire_type, self.$field, buffer, context),)*
                    _ => encoding::skip_field(wire_type, tag, buffer, context),
                }
            }

            fn encoded_len(&self) -> usize {
                0 $(+ $rule!(len $kind $tag, self.$field))*
            }

            fn clear(&mut self) {
                *self = Self::default();
            }
        }
    )*};
}

macro_rules! optional {
    (encode $kind:ident $tag:literal, $field:expr, $buffer:ident) => {
        if let Some(value) = &$field {
            encoding::$kind::encode($tag, value, $buffer);
        }
    };
    (merge $kind:ident $wire_type:ident, $field:expr, $buffer:ident, $context:ident) => {
        encoding::$kind::merge(
            $wire_type,
            $field.get_or_insert_default(),
            $buffer,
            $context,
        )
    };
    (len $kind:ident $tag:literal, $field:expr) => {{ $field.as_ref() }.map_or(0, |value| encoding::$kind::encoded_len($tag, value))};
}

macro_rules! repeated {
    (encode $kind:ident $tag:literal, $field:expr, $buffer:ident) => {
        encoding::$kind::encode_repeated($tag, &$field, $buffer)
    };
    (merge $kind:ident $wire_type:ident, $field:expr, $buffer:ident, $context:ident) => {
        encoding::$kind::merge_repeated($wire_type, &mut $field, $buffer, $context)
    };
    (len $kind:ident $tag:literal, $field:expr) => {
        encoding::$kind::encoded_len_repeated($tag, &$field)
    };
}

messages! {
    Model {
        1 optional int64 ir_version: Option<i64>,
        2 optional string producer_name: Option<String>,
        3 optional string producer_version: Option<String>,
        6 optional string doc_string: Option<String>,
        7 optional message graph: Option<Graph>,
        8 repeated message opset_import: Vec<OperatorSet>,
    }

    OperatorSet {
        /// The set of the operator; empty for ONNX's own operators.
        1 optional string domain: Option<String>,
        2 optional int64 version: Option<i64>,
    }

    Graph {
        1 repeated message node: Vec<Node>,
        2 optional string name: Option<String>,
        5 repeated message initializer: Vec<Tensor>,
        11 repeated message input: Vec<ValueInfo>,
        12 repeated message output: Vec<ValueInfo>,
    }

    Node {
        1 repeated string input: Vec<String>,
        2 repeated string output: Vec<String>,
        3 optional string name: Option<String>,
        4 optional string op_type: Option<String>,
        5 repeated message attribute: Vec<Attribute>,
    }

    /// An attribute of an operator: an integer or a list of integers.
    Attribute {
        1 optional string name: Option<String>,
        3 optional int64 i: Option<i64>,
        8 repeated int64 ints: Vec<i64>,
        /// The type of the attribute: [`Attribute::INTEGER`] or [`Attribute::INTEGERS`].
        20 optional int32 r#type: Option<i32>,
    }

    Tensor {
        1 repeated int64 dims: Vec<i64>,
        2 optional int32 data_type: Option<i32>,
        8 optional string name: Option<String>,
        /// The numbers, little-endian, the last axis first.
        9 optional bytes raw_data: Option<Vec<u8>>,
    }

    /// The name and the type of an input or an output.
    ValueInfo {
        1 optional string name: Option<String>,
        2 optional message r#type: Option<ValueType>,
        3 optional string doc_string: Option<String>,
    }

    ValueType {
        1 optional message tensor_type: Option<TensorType>,
    }

    TensorType {
        1 optional int32 elem_type: Option<i32>,
        2 optional message shape: Option<TensorShape>,
    }

    TensorShape {
        1 repeated message dim: Vec<Dimension>,
    }

    /// The length of an axis, or its name.
    Dimension {
        1 optional int64 value: Option<i64>,
        2 optional string name: Option<String>,
    }
}

impl Dimension {
    pub(crate) fn known(value: i64) -> Dimension {
        let value = Some(value);
        Dimension { value, name: None }
    }

    /// A length that is the same in all inputs and outputs where it has this name.
    pub(crate) fn named(name: &str) -> Dimension {
        let name = Some(name.into());
        Dimension { value: None, name }
    }
}

impl Attribute {
    pub(crate) const INTEGER: i32 = 2;
    pub(crate) const INTEGERS: i32 = 7;
}
