//! What the page is told of positions, pieces and damaged input.

use std::fs;

use nnue_runtime::{Board, Position, Square};
use nnue_web::Page;

const NET: &str = "../nets/nn-37f18f62d772.nnue";

const FENS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1",
];

fn loaded() -> Page {
    let mut page = Page::default();
    page.load(&fs::read(NET).expect("the net of the project"))
        .expect("it fits");
    page
}

#[test]
fn values_and_contributions_are_those_of_the_compiled_net() {
    let mut page = loaded();
    let value = |page: &mut Page, fen: &str| {
        page.evaluate(fen.as_bytes())
            .expect("a position with a value")
    };
    assert_eq!(value(&mut page, FENS[0]).value, 251);
    for fen in FENS {
        let board = Board::from_fen(fen).expect("a FEN");
        let found = value(&mut page, fen);
        let white = board.side_to_move() == nnue_runtime::Color::White;
        assert_eq!(found.white_to_move, white);
        assert_eq!(found.white, if white { found.value } else { -found.value });
        assert_eq!(found.pieces.len(), board.occupied().len());
        for piece in &found.pieces {
            let square = Square::ALL[piece.square];
            let standing = board.piece_at(square).expect("a piece");
            assert_eq!(piece.letter, standing.to_char());
            assert_eq!(piece.contribution.is_none(), "kK".contains(piece.letter));
        }
    }
    // A queen's contribution is what the position without her lacks.
    let (with, without) = (
        value(&mut page, FENS[2]),
        value(&mut page, "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    );
    let queen = with.pieces.iter().find(|piece| piece.letter == 'Q');
    let contribution = queen.and_then(|queen| queen.contribution);
    assert_eq!(contribution, Some(with.white - without.white));
}

#[test]
fn a_measurement_evaluates_at_least_so_many_positions() {
    let mut page = loaded();
    let measured = page.measure(FENS[0].as_bytes(), 100).expect("moves");
    // Pawns have two ways, and the seven pieces behind them one, to the rank before the pawns.
    assert_eq!(measured.evaluations, 100_usize.next_multiple_of(8 * 2 + 7));
    let again = page.measure(FENS[0].as_bytes(), 100);
    assert_eq!(again, Ok(measured));
    let kings = page.measure(b"4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1);
    assert!(kings.is_err_and(|error| error.contains("no piece can be moved")));
}

#[test]
fn what_is_damaged_is_refused_in_words() {
    let mut page = Page::default();
    let early = page.evaluate(FENS[0].as_bytes()).map(|_| ());
    assert_eq!(early, Err("no net is loaded".into()));
    assert!(page.load(b"no net").is_err());
    let mut page = loaded();
    for fen in [&b"4k3/8"[..], b"", b"\xFF", b"8/8/8/8/8/8/8/8 w - - 0 1"] {
        assert!(page.evaluate(fen).is_err());
        assert!(page.measure(fen, 1).is_err());
    }
}
