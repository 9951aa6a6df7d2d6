//! The network of `tests/adopt/written/net.bin`, whose spec is `tests/adopt/written/net.toml`.

nnue_runtime::nnue_net!("tests/adopt/written/net.toml");

#[cfg(test)]
mod tests {
    use nnue_runtime::{Board, Color, Delta, Piece, Role, Square};

    use super::{Evaluator, Network};

    #[test]
    fn accumulators_follow_moves() {
        let net = Network::open("tests/adopt/written/net.bin").expect("the file fits the spec");
        let mut board = Board::start();
        let value = Evaluator::new(&net, &board).evaluate().value;
        assert_eq!(
            value, 139,
            "of the spec as `nnue adopt` wrote it; if you have changed it, `nnue eval` says its value"
        );
        let mut evaluator = Evaluator::new(&net, &board);
        for (color, role, from, to) in [
            (Color::White, Role::Pawn, Square::E2, Square::E4),
            (Color::Black, Role::Pawn, Square::E7, Square::E5),
            (Color::White, Role::King, Square::E1, Square::E2),
            (Color::Black, Role::King, Square::E8, Square::E7),
            (Color::White, Role::King, Square::E2, Square::D3),
            (Color::Black, Role::Queen, Square::D8, Square::E8),
        ] {
            let delta = Delta::quiet(Piece::new(color, role), from, to);
            evaluator.push(&delta);
            board.apply(&delta).expect("the piece is there");
            let anew = Evaluator::new(&net, &board).evaluate().value;
            assert_eq!(evaluator.evaluate().value, anew, "{board}");
        }
    }
}
