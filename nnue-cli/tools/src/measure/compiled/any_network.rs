//! Networks whose architecture is known only at run time.

use crate::nets::evaluation::Evaluate;
use nnue_runtime::{Network, Output, SelectedByPieces};

use crate::measure::reorder::Reorder;
use crate::measure::replay::Replay;

/// A loaded network of any architecture that is compiled in.
///
/// Engines know their network and do not need this trait, whose methods allocate. It is for tools
/// that learn at run time which network to load.
pub trait AnyNetwork: Evaluate + Replay + Reorder + Sync {}

impl<A: SelectedByPieces<Output = Output>> AnyNetwork for Network<A> {}

#[cfg(test)]
mod tests {
    use crate::nets::evaluation::Value;
    use nnue_runtime::{Board, Color, Level};

    use crate::measure::compiled;

    #[test]
    fn white_sees_what_black_sees_with_the_opposite_sign() {
        let net = compiled::built_in(Level::detect());
        let mut board = Board::start();
        assert_eq!(net.evaluate(&board).white_value(), Some(251));
        board.set_side_to_move(Color::Black);
        let evaluation = net.evaluate(&board);
        assert_eq!(evaluation.value(), Some(Value::One(251)));
        assert_eq!(evaluation.white_value(), Some(-251));
    }
}
