//! The fields of a header: the bytes that a file must hold there.

use nnue_format::{FieldForm, Section};

use super::kept::LONGEST;
use crate::check::value::{in_range, in_wide_range};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::file::Tensor;
use crate::spec::{Field, FieldType, Value};

/// The longest text of a field, in bytes.
const LONGEST_TEXT: usize = 4096;

/// The name of a field; empty for a field without a name.
pub(super) fn name(
    name: Option<&Spanned<String>>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let Some(name) = name else {
        return Some(String::new());
    };
    if name.value.is_empty() {
        diagnostics.error(
            name.span,
            "`field` is empty, expected what messages call the field",
        );
        return None;
    }
    Some(name.value.clone())
}

/// The section of bytes whose content is free.
pub(super) fn skipped(
    field: &Field<Spanned<i64>>,
    diagnostics: &mut Diagnostics,
) -> Option<Section<Tensor>> {
    let len = in_range("bytes", &field.content, 1..=LONGEST, diagnostics)?;
    Some(Section::Skipped {
        name: name(field.name.as_ref(), diagnostics)?.into(),
        len: len as usize,
    })
}

/// The section of a field that must hold a value.
pub(super) fn section(
    field: &Field<Value>,
    diagnostics: &mut Diagnostics,
) -> Option<Section<Tensor>> {
    let name = name(field.name.as_ref(), diagnostics);
    let (form, expected) = match &field.content {
        Value::Bytes(bytes) => (FieldForm::Bytes, bytes.clone()),
        Value::Text(text) => {
            let len = text.value.len();
            if !(1..=LONGEST_TEXT).contains(&len) {
                let message = format!("`value` has {len} bytes, allowed are 1 to {LONGEST_TEXT}");
                diagnostics.error(text.span, message);
                return None;
            }
            (FieldForm::Text, text.value.clone().into_bytes())
        }
        Value::Number(kind, value) => {
            let (len, largest) = match kind {
                FieldType::Text | FieldType::U8 => (1, u8::MAX.into()),
                FieldType::U16 => (2, u16::MAX.into()),
                FieldType::U32 => (4, u32::MAX.into()),
                FieldType::U64 => (8, i64::MAX),
            };
            let value = in_wide_range("value", value, 0..=largest, diagnostics)?;
            (FieldForm::Number, value.to_le_bytes()[..len].to_vec())
        }
    };
    Some(Section::Bytes {
        name: name?.into(),
        form,
        expected: expected.into(),
    })
}
