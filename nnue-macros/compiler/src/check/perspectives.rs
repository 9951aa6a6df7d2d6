//! `perspectives`, `order` and `weights` of the transformer: whose views of the position there are.

use super::in_range;
use crate::diagnostics::Diagnostics;
use crate::network::{Order, Perspectives};
use crate::spec::{Sharing, Transformer};

pub(super) fn check(
    transformer: &Transformer,
    diagnostics: &mut Diagnostics,
) -> Option<Perspectives> {
    let count = match &transformer.perspectives {
        Some(count) => in_range("perspectives", count, 1..=2, diagnostics)? as usize,
        None => 2,
    };
    let order = transformer.order.as_ref();
    let separate = transformer
        .weights
        .as_ref()
        .filter(|weights| weights.value == Sharing::Separate);
    if let Some(order) = order
        && order.value == Order::Interleaved
        && count == 1
    {
        let error = diagnostics
            .error(
                order.span,
                "one perspective has nothing to be interleaved with",
            )
            .help("of one perspective `order` says whose it is: `stm-first` or `white-first`");
        if let Some(count) = &transformer.perspectives {
            error.related(count.span, "one perspective");
        }
        return None;
    }
    let order = order.map_or(Order::StmFirst, |order| order.value);
    if let Some(separate) = separate
        && count == 1
        && order == Order::WhiteFirst
    {
        diagnostics
            .error(separate.span, "black's weights would never be used")
            .help("only white's view is summed up: remove it, or say `order = \"stm-first\"`");
        return None;
    }
    Some(Perspectives {
        count,
        order,
        separate: separate.is_some(),
    })
}
