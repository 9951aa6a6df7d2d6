//! Checks `perspectives`, `order` and `weights` of the transformer: how many perspectives the
//! layers see, which comes first, and whether they share their weights.

use super::value::{in_range_or, value_or};
use crate::diagnostics::Diagnostics;
use crate::network::{Order, Perspectives};
use crate::spec::{Sharing, Transformer};

pub(super) fn check(
    transformer: &Transformer,
    diagnostics: &mut Diagnostics,
) -> Option<Perspectives> {
    let count = transformer.perspectives.as_ref();
    let count = in_range_or("perspectives", count, 1..=2, 2, diagnostics)? as usize;
    let separate = transformer
        .weights
        .as_ref()
        .filter(|weights| weights.value == Sharing::Separate);
    if let Some(order) = &transformer.order
        && order.value == Order::Interleaved
        && count == 1
    {
        let message = "`order` is `interleaved`, which needs two perspectives";
        let error = diagnostics
            .error(order.span, message)
            .help("`stm-first` is the side to move's perspective, `white-first` is white's");
        if let Some(count) = &transformer.perspectives {
            error.related(count.span, "one perspective");
        }
        return None;
    }
    let order = value_or(&transformer.order, Order::StmFirst);
    if let Some(separate) = separate
        && count == 1
        && order == Order::WhiteFirst
    {
        diagnostics
            .error(separate.span, "`weights` is `separate`, but nothing would use black's weights")
            .help("the layers see white's perspective only: remove it, or write `order = \"stm-first\"`");
        return None;
    }
    Some(Perspectives {
        count,
        order,
        separate: separate.is_some(),
    })
}
