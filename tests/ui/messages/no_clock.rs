use nnue_runtime::{Bitboard, Color, Piece, Position};

mod clock {
    nnue_runtime::nnue_net!(
        inline = r#"
            name = "clock"
            features = [{ set = "A" }, { set = "Clock", first = 14, step = 8, last = 100 }]
            transformer = { width = 64, one = 127, activation = "crelu" }
            layer = [{ name = "fc", op = "affine", outputs = 1, weights = "i8", one = 8128 }]
            output = { sum = "fc", one = 8128 }
            file = { format = "tensors", tensors = ["transformer", "layers"] }
        "#
    );
}

/// An engine's board, which does not tell the half-move clock.
struct Board;

impl Position for Board {
    fn side_to_move(&self) -> Color {
        Color::White
    }

    fn pieces(&self, _: Piece) -> Bitboard {
        Bitboard::EMPTY
    }
}

fn refresh(net: &clock::Network) -> clock::Accumulator {
    clock::Accumulator::new(net, &Board)
}

fn main() {}
